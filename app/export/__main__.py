"""Build the static site: ``python -m app.export --out DIR``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.export.artifacts import ArtifactError, cache_folder
from app.export.site import PROJECT, build


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m app.export", description="Build the static site.")
    parser.add_argument(
        "--out", type=Path, required=True, help="the folder to write; an earlier site is replaced"
    )
    parser.add_argument(
        "--source", type=Path, default=PROJECT, help="the folder that holds app, lab and static"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    options = parser.parse_args(arguments)

    def say(line: str) -> None:
        if not options.quiet:
            print(line, flush=True)

    try:
        manifest = build(options.out, cache_folder(), say, options.source)
    except (ArtifactError, ValueError, RuntimeError) as reason:
        print(f"error: {reason}", file=sys.stderr)
        return 1
    room = manifest["rooms"][0]
    say(f"until {room} is live, a first visit loads:")
    for part, size in manifest["until_live"][room].items():
        say(f"{part:>10}  {size['raw'] / 1e6:6.2f} MB  {size['gzip'] / 1e6:6.2f} MB gzip")
    say(f"the site is in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
