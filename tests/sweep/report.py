"""The sweep of one room as a report, in a process of its own."""

from __future__ import annotations

import resource
import time

from tests.sweep.hunt import Hunt

MOST_MEMORY = 4 * 2**30
"""Bytes a process may hold: a state that asks for more is a finding and not the end of the machine."""


def sweep(key: str, examples: int, seed: int) -> tuple[str, int]:
    """Sweep one room; the report, and how many kinds of findings there are."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    started = time.process_time()
    hunt = Hunt(key, weighs=True)
    found = hunt.run(examples, seed)
    (seconds, slow), (peak, large) = hunt.slowest, hunt.largest
    lines = [
        f"{key}: {hunt.drawn:,} states, {hunt.refused:,} refused, {len(found)} kinds of findings, "
        f"{time.process_time() - started:.0f} s of work",
        f"  slowest view {seconds:.2f} s {slow[:200]}",
        f"  largest view {peak / 1e6:.0f} MB {large[:200]}",
    ]
    lines += sorted(f"  - {caught}" for caught in found)
    return "\n".join(lines), len(found)
