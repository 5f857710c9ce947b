"""The command ``embedding-lab``: serve the lab, build the site of it, or draw one figure of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec

import lab


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``embedding-lab serve``, ``export`` or ``still``; returns the exit status."""
    parser = argparse.ArgumentParser(prog="embedding-lab", description="How text becomes vectors, live.")
    parser.add_argument("--version", action="version", version=f"embedding-lab {lab.__version__}")
    parser.add_argument(
        "command",
        choices=["serve", "export", "still"],
        help="serve the lab, build its site, or draw a figure",
    )
    parser.add_argument("options", nargs=argparse.REMAINDER, help="those of the command; --help lists them")
    chosen = parser.parse_args(arguments)
    if find_spec("panel") is None:
        print("The app is an extra: pip install 'embedding-lab[app]'.", file=sys.stderr)
        return 1
    if chosen.command == "serve":
        from app.serve import main as serve

        serve(chosen.options)
        return 0
    if chosen.command == "still":
        from app.still.command import main as still

        return still(chosen.options)
    from app.export.__main__ import main as export

    return export(chosen.options)


if __name__ == "__main__":
    sys.exit(main())
