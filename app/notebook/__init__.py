"""Figures in notebooks, and rooms in other people's Panel apps: ``pip install 'embedding-lab[notebook]'``.

``EmbeddingFigure`` is a widget for JupyterLab, Jupyter Notebook, VS Code and marimo; it needs anywidget.
``EmbeddingRoom`` is a Panel object and needs Panel alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.notebook.room import EmbeddingRoom

if TYPE_CHECKING:
    from app.notebook.figure import EmbeddingFigure

__all__ = ["EmbeddingFigure", "EmbeddingRoom"]


def __getattr__(name: str) -> Any:
    if name != "EmbeddingFigure":
        raise AttributeError(f"app.notebook has no {name}; it has {', '.join(__all__)}")
    try:
        from app.notebook.figure import EmbeddingFigure
    except ModuleNotFoundError as reason:
        if reason.name != "anywidget":
            raise
        raise ImportError(
            "EmbeddingFigure needs anywidget: pip install 'embedding-lab[notebook]'."
        ) from reason
    return EmbeddingFigure
