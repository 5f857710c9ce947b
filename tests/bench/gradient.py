"""What the gradient of the table costs: it must follow the tokens, not the vocabulary.

Run ``OPENBLAS_NUM_THREADS=1 python -m tests.bench.gradient [--rounds 15]``; one JSON object a line. Each
round times every way once, so ratios compare neighbours in time; a ratio is the median over the rounds.
Seconds are those of this machine and tell little; ratios carry over. PyTorch is measured if installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from lab.embedding import (
    RowGradient,
    dense_gradient,
    gradient,
    one_hot_product_gradient,
    row_gradient,
    scatter_add,
)
from lab.zipf import gradient_bytes, sample

TOKENS = 4_096
VOCABULARIES = (1_000, 16_000, 128_000)
WIDTHS = (64, 768)
LAWS = {"zipf": 1.0, "uniform": 0.0}
GROWTH_LIMIT = 1.3
CUTS = (4, 8, 16, 32, 64, 128)
"""Tried for gradient.FEW_RUNS, the number of runs below which each is summed by itself."""
ONE_HOT_LIMIT = 512 * 2**20
PATIENCE = 3.0
"""Seconds after which a slow way is not timed again."""

Way = Callable[[], object]
Times = dict[str, list[float]]


def say(figure: str, **values: object) -> None:
    """Print one line."""
    print(json.dumps({"bench": "gradient", "figure": figure, **values}), flush=True)


def make_batch(V: int, D: int, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """Ids (N,) and their gradients (N, D)."""
    rng = np.random.default_rng(0)
    return sample(rng, V, exponent, TOKENS), rng.standard_normal((TOKENS, D), dtype=np.float32)


def add_reduceat(ids: np.ndarray, G: np.ndarray) -> RowGradient:
    """Sort, then let NumPy sum the runs: the way that row_gradient replaces."""
    order = np.argsort(ids, kind="stable")
    by_id = ids[order]
    starts = np.flatnonzero(np.concatenate(([True], by_id[1:] != by_id[:-1])))
    return RowGradient(by_id[starts], np.add.reduceat(G[order], starts, axis=0))


def torch_ways(ids: np.ndarray, G: np.ndarray, V: int) -> dict[str, Way]:
    """Backward of torch's embedding: sparse (repeats summed, as here) and dense."""
    if importlib.util.find_spec("torch") is None:
        return {}
    import torch

    torch.set_num_threads(1)
    index, grads = torch.from_numpy(ids), torch.from_numpy(G)

    def backward(sparse: bool) -> Way:
        layer = torch.nn.Embedding(V, G.shape[1], sparse=sparse)
        output = layer(index)

        def run() -> object:
            layer.weight.grad = None
            output.backward(grads, retain_graph=True)
            return layer.weight.grad.coalesce() if sparse else layer.weight.grad

        return run

    return {"torch_sparse": backward(True), "torch_dense": backward(False)}


def ways_of(V: int, D: int, exponent: float) -> dict[str, Way]:
    """Every way to the gradient at these sizes."""
    ids, G = make_batch(V, D, exponent)
    ways: dict[str, Way] = {
        "row_gradient": lambda: row_gradient(ids, G),
        "add_reduceat": lambda: add_reduceat(ids, G),
        "scatter_add": lambda: scatter_add(ids, G),
        "dense_add_at": lambda: dense_gradient(ids, G, V),
    }
    if V * TOKENS * G.itemsize <= ONE_HOT_LIMIT:
        ways["dense_product"] = lambda: one_hot_product_gradient(ids, G, V)
    else:
        say("skipped", way="dense_product", V=V, D=D, one_hot_bytes=V * TOKENS * G.itemsize)
    return ways | torch_ways(ids, G, V)


def measure(ways: dict[str, Way], rounds: int) -> Times:
    """Seconds of every way, round by round; a first call of each is not counted."""
    times: Times = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(rounds):
        for name, way in ways.items():
            if sum(times[name]) > PATIENCE:
                continue
            start = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - start)
    return times


def compare_growth(D: int, law: str, exponent: float, rounds: int) -> None:
    """Time of the row gradient at each V, as a ratio to the smallest."""
    batches = {V: make_batch(V, D, exponent) for V in VOCABULARIES}
    times = measure({str(V): (lambda b=b: row_gradient(*b)) for V, b in batches.items()}, rounds)
    smallest = np.array(times[str(VOCABULARIES[0])])
    for V, (ids, _) in batches.items():
        ratio = float(np.median(np.array(times[str(V)]) / smallest))
        say(
            "growth",
            law=law,
            V=V,
            D=D,
            rows=len(np.unique(ids)),
            median_ms=round(1e3 * float(np.median(times[str(V)])), 4),
            ratio_to_smallest_V=round(ratio, 3),
            limit=GROWTH_LIMIT,
            met=ratio <= GROWTH_LIMIT,
        )


def compare_ways(V: int, D: int, rounds: int) -> None:
    """Time of each other way, as a ratio to the row gradient."""
    times = measure(ways_of(V, D, LAWS["zipf"]), rounds)
    ours = np.array(times["row_gradient"])
    for name, seconds in times.items():
        say(
            "way",
            way=name,
            V=V,
            D=D,
            median_ms=round(1e3 * float(np.median(seconds)), 4),
            ratio_to_row_gradient=round(float(np.median(np.array(seconds) / ours[: len(seconds)])), 3),
        )


def compare_cuts(V: int, D: int, law: str, exponent: float, rounds: int) -> None:
    """Time of the row gradient for each cut, as a ratio to the cut in use."""
    ids, G = make_batch(V, D, exponent)
    used = gradient.FEW_RUNS

    def cut_at(few: int) -> Way:
        def run() -> object:
            gradient.FEW_RUNS = few
            return row_gradient(ids, G)

        return run

    try:
        times = measure({str(cut): cut_at(cut) for cut in CUTS}, rounds)
    finally:
        gradient.FEW_RUNS = used
    ratios = {cut: np.median(np.array(s) / np.array(times[str(used)])) for cut, s in times.items()}
    say("cut", law=law, V=V, D=D, used=used, ratios={cut: round(float(r), 3) for cut, r in ratios.items()})


def measure_memory(V: int, D: int) -> None:
    """Peak of what the row gradient allocates, beside the dense gradient it never makes."""
    ids, G = make_batch(V, D, LAWS["zipf"])
    row_gradient(ids, G)
    tracemalloc.start()
    rows = len(row_gradient(ids, G).rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    dense, sparse = gradient_bytes(V, D, rows)
    say(
        "memory",
        V=V,
        D=D,
        rows=rows,
        peak_bytes=peak,
        result_bytes=sparse,
        dense_bytes=dense,
        peak_to_dense=round(peak / dense, 4),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    say(
        "machine",
        python=platform.python_version(),
        numpy=np.__version__,
        cpus=os.cpu_count(),
        blas_threads=os.environ.get("OPENBLAS_NUM_THREADS"),
        torch=importlib.util.find_spec("torch") is not None,
        tokens=TOKENS,
        rounds=rounds,
    )
    for D in WIDTHS:
        for law, exponent in LAWS.items():
            compare_growth(D, law, exponent, rounds)
            for V in VOCABULARIES:
                compare_cuts(V, D, law, exponent, rounds)
        for V in VOCABULARIES:
            compare_ways(V, D, rounds)
            measure_memory(V, D)


if __name__ == "__main__":
    main()
