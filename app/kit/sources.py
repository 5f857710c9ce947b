"""Columns of a picture, sent to the page only where they have changed."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource

from app.compat import holds


def assign(source: ColumnDataSource, /, **columns: Any) -> None:
    """Assign all columns of a source, unless it has these values already: then nothing is sent or drawn.

    Columns are copied: a list that grows in place would otherwise always equal what is held.
    """
    if not holds(source, columns):
        source.data = {
            name: column[:] if isinstance(column, list) else column for name, column in columns.items()
        }
