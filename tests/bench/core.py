"""What readers wait for in the core: a long text, a long window. Each against a fixed piece of NumPy work."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lab.context_extension import EXTENSIONS, unseen_angles
from lab.positions.rope import plain_frequencies
from lab.vocab import minilm_table

ROUNDS = 7


def milliseconds(run: Callable[[], Any]) -> float:
    """Median of several runs after one that is not counted."""
    run()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def report(figure: str, run: Callable[[], Any], unit: float, **of: Any) -> None:
    """Print one line; ``unit`` is the time of the fixed work in the same process."""
    taken = milliseconds(run)
    print(
        json.dumps({"figure": figure, **of, "ms": round(taken, 2), "ratio_to_unit": round(taken / unit, 2)}),
        flush=True,
    )


def main() -> None:
    """Print a line a figure."""
    numbers = np.random.default_rng(0).standard_normal(1_000_000)
    unit = milliseconds(lambda: np.sort(numbers))
    tokenizer = minilm_table().tokenizer
    for name, text in (("words", "the cat sat "), ("one word", "a"), ("emoji", "😀")):
        long = (text * 10_000)[:10_000]
        report("tokenize_10000_characters", lambda long=long: tokenizer.pieces(long), unit, text=name)
    plain = plain_frequencies(128, 1e4)[0]
    for key, kind in EXTENSIONS.items():
        stretched = kind.build(factor=32, trained=4096)(128, 1e4)[0]
        report(
            "unseen_angles_131072",
            lambda stretched=stretched: unseen_angles(stretched, plain, 4096, 131_072, bins=128),
            unit,
            method=key,
        )


if __name__ == "__main__":
    main()
