"""Time of a training step, as JSON lines; against PyTorch eager in the same run where torch is there.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python -m tests.bench.training

Ratios are taken between blocks of steps that alternate, so that a busy machine slows both.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np

from lab.positions import SCHEMES
from lab.training import TrainingConfig, evaluating, measuring_long, shakespeare_corpus, train

LIMIT = 0.5
"""Largest ratio to PyTorch at batch 4, with Adam as it comes; ``fused=True`` is shown beside it."""
BLOCKS, BLOCK_STEPS = 15, 20


def say(figure: str, **values: object) -> None:
    print(json.dumps({"figure": figure, **values}), flush=True)


def block_ms(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(BLOCK_STEPS):
        step()
    return (time.perf_counter() - start) * 1e3 / BLOCK_STEPS


def our_step(scheme: str, batch: int, layers: int) -> Callable[[], object]:
    config = TrainingConfig(scheme=scheme, batch=batch, layers=layers, steps=10_000)
    return train(config, shakespeare_corpus()).__next__


def torch_step(scheme: str, batch: int, layers: int, fused: bool) -> Callable[[], object]:
    """The same model as one writes it in PyTorch: its own attention and norm, tables made once."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    corpus = shakespeare_corpus()
    config = TrainingConfig(scheme=scheme, batch=batch, layers=layers)
    model = train(config, corpus).model
    D, H, d, T = config.D, config.H, config.D // config.H, config.T
    weights = {
        name: torch.tensor(np.array(array), requires_grad=True) for name, array in model.parameters.items()
    }
    window = model.window(np.arange(T))
    bias = torch.tensor(window.bias)
    added = torch.tensor(window.added)
    angles = np.outer(np.arange(T), 10_000.0 ** (-np.arange(0, d, 2) / d)).repeat(2, axis=1)
    cos, sin = torch.tensor(np.cos(angles)).float(), torch.tensor(np.sin(angles)).float()
    adam = torch.optim.Adam(weights.values(), lr=0.01, betas=(0.9, 0.99), fused=fused)
    rng = np.random.default_rng(0)

    def turn(x):
        swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
        return x * cos + swapped * sin

    def forward(ids):
        x = weights["E"][ids] + weights.get("scheme.P", added)
        for layer in range(layers):
            qkv = functional.rms_norm(x, (D,), eps=1e-6) @ weights[f"{layer}.qkv"]
            q, k, v = qkv.view(*ids.shape, 3, H, d).permute(2, 0, 3, 1, 4)
            if scheme == "rope":
                q, k = turn(q), turn(k)
            out = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            x = x + out.transpose(1, 2).reshape(*ids.shape, D) @ weights[f"{layer}.mix"]
            hidden = functional.rms_norm(x, (D,), eps=1e-6) @ weights[f"{layer}.up"]
            x = x + torch.relu(hidden) @ weights[f"{layer}.down"]
        return functional.rms_norm(x, (D,), eps=1e-6) @ weights["output"].T

    def step():
        ids, targets = (torch.from_numpy(part.copy()) for part in corpus.batch(rng, batch, T))
        loss = functional.cross_entropy(forward(ids).flatten(0, 1), targets.flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
        return loss.item()

    return step


def measure(scheme: str, batch: int, layers: int, torch_here: bool) -> None:
    ours = our_step(scheme, batch, layers)
    theirs = {
        name: torch_step(scheme, batch, layers, fused)
        for name, fused in (("ratio_to_torch", False), ("ratio_to_torch_fused", True))
        if torch_here
    }
    for step in (ours, *theirs.values()):
        block_ms(step)
    times: list[float] = []
    ratios: dict[str, list[float]] = {name: [] for name in theirs}
    for _ in range(BLOCKS):
        times.append(block_ms(ours))
        for name, step in theirs.items():
            ratios[name].append(times[-1] / block_ms(step))
    values: dict[str, object] = {"ms": round(statistics.median(times), 3)}
    values |= {name: round(statistics.median(found), 3) for name, found in ratios.items()}
    if ratios and batch == 4:
        values |= {"limit": LIMIT, "within": statistics.median(ratios["ratio_to_torch"]) <= LIMIT}
    say("training_step", scheme=scheme, batch=batch, layers=layers, **values)


def longest_pause(figure: str, progress: Iterator[float]) -> None:
    """Time and longest pause of a measurement that a page steps through."""
    start = last = time.perf_counter()
    longest = 0.0
    for _ in progress:
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    say(figure, ms=round((last - start) * 1e3, 1), longest_pause_ms=round(longest * 1e3, 2))


def main() -> None:
    torch_here = importlib.util.find_spec("torch") is not None
    say("training_versions", numpy=np.__version__, torch=torch_here)
    for scheme, layers in itertools.product(SCHEMES, (1, 2)):
        measure(scheme, 4, layers, torch_here)
    measure("rope", 16, 1, torch_here)
    corpus = shakespeare_corpus()
    model = train(TrainingConfig(), corpus).model
    longest_pause("evaluate_256_windows", evaluating(model, corpus, 256))
    longest_pause("train_short_test_long", measuring_long(model, corpus))


if __name__ == "__main__":
    main()
