"""The command ``embedding-lab``: serve the lab, or build the site of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec

import lab


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``embedding-lab serve`` or ``embedding-lab export``; returns the exit status."""
    parser = argparse.ArgumentParser(prog="embedding-lab", description="How text becomes vectors, live.")
    parser.add_argument("--version", action="version", version=f"embedding-lab {lab.__version__}")
    parser.add_argument("command", choices=["serve", "export"], help="serve the lab, or build its site")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="those of the command; --help lists them")
    chosen = parser.parse_args(arguments)
    if find_spec("panel") is None:
        print("The app is an extra: pip install 'embedding-lab[app]'.", file=sys.stderr)
        return 1
    if chosen.command == "serve":
        from app.serve import main as serve

        serve(chosen.options)
        return 0
    from app.export.__main__ import main as export

    return export(chosen.options)


if __name__ == "__main__":
    sys.exit(main())
