"""Make train_torch.npz: the character model written again in PyTorch, trained for a few steps in float64.

    python -m venv torch-env && torch-env/bin/pip install torch==2.13.0 "numpy>=2.3,<3"
    torch-env/bin/python -m tests.golden.make_train_torch

Only the initial parameters and the batches come from the lab, rounded to float32 and stored with the result.
Its positions, derivatives, Adam and schedule are PyTorch's or written here from the papers.
"""

from __future__ import annotations

import json
import math
import platform
from pathlib import Path

import numpy as np
import torch

from lab.positions import SCHEMES
from lab.transformer import ModelConfig, initial_parameters

OUT = Path(__file__).with_name("train_torch.npz")
SIZES = {"V": 11, "D": 8, "H": 2, "T": 6, "mlp": 2}
BATCH, STEPS, WARMUP, RATE, FINAL = 3, 8, 3, 0.05, 0.1
BETAS = (0.9, 0.99)
BUILDS = ((1, False), (2, True))


def sinusoid(T: int, D: int) -> torch.Tensor:
    """Vaswani et al. 2017, section 3.5."""
    rows = torch.zeros(T, D, dtype=torch.float64)
    for p in range(T):
        for i in range(0, D, 2):
            angle = p / 10_000 ** (i / D)
            rows[p, i], rows[p, i + 1] = math.sin(angle), math.cos(angle)
    return rows


def rotate(x: torch.Tensor) -> torch.Tensor:
    """Su et al. 2021, equation 34, on (B, H, T, d)."""
    T, d = x.shape[-2:]
    theta = 10_000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.outer(torch.arange(T, dtype=torch.float64), theta).repeat_interleave(2, dim=-1)
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + swapped * angles.sin()


def alibi(H: int, T: int) -> torch.Tensor:
    """Press et al. 2021, section 3, for a power of two heads."""
    slopes = torch.tensor([2.0 ** (-8.0 * h / H) for h in range(1, H + 1)], dtype=torch.float64)
    place = torch.arange(T, dtype=torch.float64)
    return -slopes[:, None, None] * (place[:, None] - place[None, :])


def add_position(x: torch.Tensor, scheme: str, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    T, D = x.shape[1:]
    if scheme == "raw":
        return x + torch.arange(T, dtype=torch.float64)[:, None]
    if scheme == "sinusoidal":
        return x + sinusoid(T, D)
    return x + weights["scheme.P"] if scheme == "learned" else x


def norm(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-6)


def attention(x: torch.Tensor, qkv: torch.Tensor, scheme: str, H: int) -> torch.Tensor:
    B, T, D = x.shape
    q, k, v = (part.reshape(B, T, H, D // H).transpose(1, 2) for part in (x @ qkv).split(D, dim=-1))
    if scheme == "rope":
        q, k = rotate(q), rotate(k)
    mask = torch.full((T, T), -torch.inf, dtype=torch.float64).triu(1)
    bias = mask + (alibi(H, T) if scheme == "alibi" else 0.0)
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return out.transpose(1, 2).reshape(B, T, D)


def forward(
    ids: torch.Tensor, weights: dict[str, torch.Tensor], scheme: str, layers: int, tied: bool
) -> torch.Tensor:
    x = add_position(torch.nn.functional.embedding(ids, weights["E"]), scheme, weights)
    for layer in range(layers):
        x = x + attention(norm(x), weights[f"{layer}.qkv"], scheme, SIZES["H"]) @ weights[f"{layer}.mix"]
        hidden = torch.relu(norm(x) @ weights[f"{layer}.up"])
        x = x + hidden @ weights[f"{layer}.down"]
    if tied:
        return norm(x) @ weights["E"].T * (3.0 / SIZES["D"])
    return norm(x) @ weights["output"].T


def schedule(step: int) -> float:
    """Part of the rate at update ``step``, counted from 0 as PyTorch counts."""
    if step < WARMUP:
        return (step + 1) / WARMUP
    return FINAL + (1 - FINAL) * (1 + math.cos(math.pi * (step + 1 - WARMUP) / (STEPS - WARMUP))) / 2


def train(scheme: str, layers: int, tied: bool, batches: np.ndarray) -> dict[str, np.ndarray]:
    config = ModelConfig(**SIZES, layers=layers, tied=tied, dtype="float64")
    built = SCHEMES[scheme].build(D=config.D, H=config.H, d=config.d, max_positions=config.T)
    start = initial_parameters(config, built, np.random.default_rng(7))
    start.flat[...] = start.flat.astype(np.float32)
    weights = {name: torch.tensor(array, requires_grad=True) for name, array in start.items()}
    adam = torch.optim.Adam(weights.values(), lr=RATE, betas=BETAS)
    rates = torch.optim.lr_scheduler.LambdaLR(adam, schedule)
    losses, first = [], np.zeros(0)
    for batch in torch.tensor(batches):
        adam.zero_grad()
        logits = forward(batch[:, :-1], weights, scheme, layers, tied)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        if not losses:
            first = np.concatenate([weight.grad.numpy().ravel() for weight in weights.values()])
        losses.append(loss.item())
        adam.step()
        rates.step()
    return {
        "parameters": start.flat.astype(np.float32),
        "gradient": first.astype(np.float32),
        "losses": np.array(losses),
    }


def main() -> None:
    rng = np.random.default_rng(11)
    batches = rng.integers(0, SIZES["V"], (STEPS, BATCH, SIZES["T"] + 1))
    arrays = {"batches": batches.astype(np.int8)}
    for scheme in ("none", "raw", "sinusoidal", "learned", "rope", "alibi"):
        for layers, tied in BUILDS:
            for name, array in train(scheme, layers, tied, batches).items():
                arrays[f"{scheme}.{layers}.{name}"] = array
    meta = {
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "sizes": SIZES,
        "builds": {str(layers): {"layers": layers, "tied": tied} for layers, tied in BUILDS},
        "adam": {
            "learning_rate": RATE,
            "beta1": BETAS[0],
            "beta2": BETAS[1],
            "warmup": WARMUP,
            "final_rate": FINAL,
            "steps": STEPS,
        },
    }
    np.savez_compressed(OUT, meta=np.array(json.dumps(meta)), **arrays)
    print(f"{OUT}: {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
