"""`make sweep N=2000 [ROOM=rope] [SEED=1]`: the contract over many states, each kind of finding once."""

from __future__ import annotations

import argparse
import multiprocessing
import sys

from app.rooms import NAMES
from tests.sweep.report import sweep


def main(arguments: list[str]) -> int:
    """Sweep a room, or all of them in two processes; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="make sweep", description=__doc__)
    parser.add_argument("--examples", type=int, default=200, help="states a room")
    parser.add_argument("--room", choices=[*NAMES, ""], default="", help="this room only")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other states")
    options = parser.parse_args(arguments)
    keys = [options.room] if options.room else list(NAMES)
    total = 0
    with multiprocessing.get_context("spawn").Pool(min(2, len(keys)), maxtasksperchild=1) as pool:
        jobs = [pool.apply_async(sweep, (key, options.examples, options.seed)) for key in keys]
        for job in jobs:
            report, count = job.get()
            print(report, flush=True)
            total += count
    print(f"{total} kinds of findings with seed {options.seed}", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
