"""Lookup against one-hot product, by vocabulary: the reason nobody multiplies."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lab.embedding import lookup, one_hot_product

TOKENS, WIDTH, ROUNDS = 256, 64, 7


def seconds(run: Callable[[], Any]) -> float:
    """Median of several runs after one that is not counted."""
    run()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print a line for each vocabulary."""
    rng = np.random.default_rng(0)
    for V in (64, 1_000, 8_000, 32_000):
        E = rng.standard_normal((V, WIDTH)).astype(np.float32)
        ids = rng.integers(0, V, TOKENS)
        gather, product = (
            seconds(lambda E=E, ids=ids: lookup(E, ids)),
            seconds(lambda E=E, ids=ids: one_hot_product(E, ids)),
        )
        line = {
            "figure": "lookup_against_one_hot_product",
            "V": V,
            "tokens": TOKENS,
            "D": WIDTH,
            "lookup_us": round(gather * 1e6, 1),
            "product_us": round(product * 1e6, 1),
            "ratio_product_to_lookup": round(product / gather, 1),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
