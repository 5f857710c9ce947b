"""Run every benchmark: ``python -m tests.bench [name ...]``."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

ALL = sorted(
    found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]) if found.name != "__main__"
)


def main(wanted: list[str]) -> int:
    """Run each in a process of its own, so that none pays for another's caches."""
    unknown = set(wanted) - set(ALL)
    if unknown:
        print(
            f"no benchmark called {', '.join(sorted(unknown))}; there are {', '.join(ALL)}", file=sys.stderr
        )
        return 2
    codes = [subprocess.call([sys.executable, "-m", f"tests.bench.{name}"]) for name in wanted or ALL]
    return max(codes)


sys.exit(main(sys.argv[1:]))
