"""A still as PNG, by resvg: an extra, for it draws with the fonts of the machine."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from app.still.still import Still

SANS = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Segoe UI", "Roboto", "Verdana")
MONO = ("DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", "Courier New", "Menlo", "Consolas")
"""Faces to write with, the best known first: the text of a still is laid out with the widths of the first."""
LARGEST = 8.0


def draw_png(still: Still, scale: float = 1.0, fonts: str = "") -> bytes:
    """A still as PNG.

    Parameters
    ----------
    still : Still
        Drawn for a theme: a picture has no page around it whose colours it could take.
    scale : float
        Pixels for each of the still's own.
    fonts : str, optional
        A folder with the files of a font, beside those of the system.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If the still follows a page's theme, or the scale is out of bounds.
    RuntimeError
        If resvg is not installed, or there is no font.
    """
    if "var(--" in still.svg:
        raise ValueError("a PNG has no page around it: draw the still with theme light or dark")
    if not 0 < scale <= LARGEST:
        raise ValueError(f"scale={scale:g}: it takes a number above 0, at most {LARGEST:g}")
    if find_spec("resvg_py") is None:
        raise RuntimeError("PNG is an extra: pip install 'embedding-lab[still]'")
    sans = _face(SANS, fonts)
    if not sans:
        raise RuntimeError(
            f"No font was found to write with. Install one of {', '.join(SANS)} "
            "(in Debian: fonts-dejavu-core), or name a folder with its files: --fonts FOLDER"
        )
    return _rendered(still.svg, round(still.width * scale), fonts, sans, _face(MONO, fonts) or sans)


def _rendered(svg: str, width: int, fonts: str, sans: str = "", mono: str = "") -> bytes:
    import resvg_py

    options: dict[str, Any] = {"font_dirs": [fonts]} if fonts else {}
    if sans:
        options |= {"sans_serif_family": sans, "monospace_family": mono}
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, **options))


@lru_cache
def _face(faces: tuple[str, ...], fonts: str) -> str:
    """The first face that leaves a mark: of a missing one, resvg draws nothing and says nothing."""
    sheet = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{}</svg>'
    blank = _rendered(sheet.format(""), 40, fonts)
    word = "<text x='2' y='15' font-family=\"{}\">ab</text>"
    return next(
        (face for face in faces if _rendered(sheet.format(word.format(face)), 40, fonts) != blank), ""
    )
