"""Matrices as pictures that follow the theme: a mask says how strong a cell is, a token in which colour.

A palette is a mixture of its tokens, so a cell is its ground with the colour of its end laid over it in its
share: the picture in the file is a few bytes of shares, and no colour is in it.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.kit.html import tag
from app.still.canvas import Canvas, number

FINEST = 2.0
"""Pixels of the picture that a cell has at least: finer ones would not be told apart."""
LEVELS = 15
"""Shades of an end in a picture that is thinned; a smaller one has those of its palette."""


def draw(
    canvas: Canvas, shares: Any, box: tuple[float, float, float, float], stops: Sequence[str], bare: str
) -> None:
    """Draw shares of shape (rows, columns) from 0 to 1 in a palette of tokens; NaN is left ``bare``.

    The first row is at the top of the box.
    """
    x, y, width, height = box
    shares = np.clip(shares, 0.0, 1.0)
    rows, columns = (
        max(math.ceil(size * FINEST / room), 1)
        for size, room in zip(shares.shape, (height, width), strict=True)
    )
    if rows * columns > 1:
        # whole cells, as a canvas picks them: a mean of several would be no entry of the matrix
        shares = np.round(shares[::rows, ::columns] * 2 * LEVELS) / (2 * LEVELS)
    known = np.isfinite(shares)
    ground = stops[1] if len(stops) == 3 else stops[0]
    canvas.rect(x, y, width, height, canvas.fill(f"var(--{ground})"))
    layers = [(stops[-1], shares)]
    if len(stops) == 3:
        layers = [(stops[0], 1 - 2 * shares), (stops[2], 2 * shares - 1)]
    layers += [] if known.all() else [(bare, np.where(known, 0.0, 1.0))]
    for token, strength in layers:
        kept = np.clip(np.nan_to_num(strength), 0.0, 1.0)
        if kept.any():
            _lay(canvas, kept, (x, y, width, height), token)


def _lay(canvas: Canvas, strength: Any, box: tuple[float, float, float, float], token: str) -> None:
    place = dict(zip(("x", "y", "width", "height"), map(number, box), strict=True))
    image = tag(
        "image",
        href=f"data:image/png;base64,{base64.b64encode(png(strength)).decode()}",
        preserveAspectRatio="none",
        image_rendering="optimizeSpeed",
        style="image-rendering:pixelated",
        **place,
    )
    # the shares are colours of the mask as they are written, not light
    mask = canvas.define("mask", image, maskUnits="userSpaceOnUse", **place)
    canvas.shape("rect", {**canvas.fill(f"var(--{token})"), "mask": mask}, **place)


def png(values: Any) -> bytes:
    """A grey picture of values from 0 to 1.

    >>> png(np.zeros((2, 3)))[:4]
    b'\\x89PNG'
    """
    grey = np.rint(np.asarray(values) * 255).astype(np.uint8)
    rows, columns = grey.shape
    # each row begins with its filter, which is none
    lines = np.hstack([np.zeros((rows, 1), np.uint8), grey]).tobytes()
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
