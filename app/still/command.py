"""The command ``embedding-lab still``: one figure in one state, as a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.still.png import draw_png
from app.still.still import Still, draw_spec

KINDS = (".svg", ".png")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="embedding-lab still", description="Draw one figure in one state, without a browser."
    )
    parser.add_argument(
        "spec", type=Path, help='a JSON file: {"room": "rope", "figure": "score", "state": {…}}'
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="the picture: a name that ends in .svg or .png"
    )
    parser.add_argument("--width", type=int, default=720, help="in pixels; the default is 720")
    parser.add_argument(
        "--theme",
        default="",
        choices=["auto", "light", "dark"],
        help="usually what the specification says, and light of a PNG; auto follows the page around an SVG",
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of a PNG: 2 for print and fine screens")
    parser.add_argument(
        "--fonts", default="", help="of a PNG: a folder with fonts, beside those of the system"
    )
    options = parser.parse_args(arguments)
    try:
        written = _written(options)
    except (ValueError, RuntimeError, OSError) as reason:
        print(f"error: {reason}", file=sys.stderr)
        return 1
    options.out.write_bytes(written[0])
    print(written[1].caption)
    return 0


def _written(options: argparse.Namespace) -> tuple[bytes, Still]:
    kind = options.out.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"{options.out.name} is no name of a picture: it ends in {' or '.join(KINDS)}")
    theme = options.theme or ("light" if kind == ".png" else "")
    still = draw_spec(options.spec.read_text(encoding="utf-8"), width=options.width, theme=theme)
    return (draw_png(still, options.scale, options.fonts) if kind == ".png" else still.svg.encode()), still


if __name__ == "__main__":
    sys.exit(main())
