"""Where the files beside the code are: static/ in a checkout, a folder of the wheel's own once installed."""

from __future__ import annotations

from pathlib import Path

INSTALLED = "embedding_lab_static"
"""The folder's name in a wheel: `static` would be anybody's."""


def static_of(source: Path) -> Path:
    """The folder of data, scripts and sheets that belongs to a folder with `lab` and `app`.

    >>> static_of(Path("somewhere")).as_posix()
    'somewhere/static'
    """
    installed = source / INSTALLED
    return installed if installed.is_dir() else source / "static"


STATIC = static_of(Path(__file__).resolve().parents[1])
"""That of this very code."""
