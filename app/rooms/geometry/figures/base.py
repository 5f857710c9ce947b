"""What every figure of the room shares: a table, the code that makes it, and names as they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from app.kit.figure import Figure, Snapshot
from app.kit.given import GIVEN
from app.kit.html import shorten, visible
from app.kit.numbers import Table
from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.model.tables import ROUNDINGS, SMALL
from app.rooms.geometry.model.views import Look
from app.rooms.geometry.words import WORDS
from lab.geometry import Neighbours


class GeometryFigure(Figure):
    """A figure of a table."""

    words = WORDS
    view: ClassVar[type[Look]]
    labels: ClassVar[Mapping[str, str]] = {"a": "Word"}
    """What the fields of the words are called beside it."""
    begins: ClassVar[str] = "animals"
    """The table that it begins with where it stands alone: one that has the rows for it."""
    own: TableStudy | None = None
    """The reader's own table: no part of the State, as no address carries a file."""

    def compute(self, s: Snapshot) -> Any:
        view = self.view(s)
        view.check()
        return view

    def snapshot(self, values: Mapping[str, Any]) -> Snapshot:
        """What the figure reads, the reader's own table, and that of the page."""
        return Snapshot({**dict(super().snapshot(values)), "own": self.own, "page": values.get("page")})

    def follows(self) -> Any:
        return self.own

    def code(self, s: Snapshot) -> str:
        view = self.view(s)
        return f"import numpy as np\n\n{_opening(s.table, view.study)}\n{self.steps(view)}\n"

    def steps(self, view: Any) -> str:
        """The code from E and tokens to the result."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover


def ranks(title: str, study: TableStudy, found: Neighbours) -> Table:
    """Rows found, the nearest first."""
    rows = zip(study.names(found.ids), found.ids.tolist(), found.cosines.tolist(), strict=True)
    ranked = [[rank, *row] for rank, row in enumerate(rows, start=1)]
    return Table(title, ["rank", "token", "row", "cosine"], ranked)


def short(name: str, limit: int = 16) -> str:
    """A token as a figure names it."""
    return shorten(visible(name), limit)


UNIT = "U = E / np.linalg.norm(E, axis=1, keepdims=True)"
_PACK = """from lab.data import {pack}  # of the lab

pack = {pack}()
E, tokens = pack.embeddings, list(pack.tokens)  # (V, D)"""
_OPENED = """from lab.own_table import open_table  # of the lab

# your own table: put the paths of its files here; first= begins a checkpoint elsewhere
table = open_table({name!r})
E, tokens = table.E, list(table.vocabulary.tokens)"""
_ARRAYS = """# your own table: put your files' names here
E = np.load("table.npy").astype(np.float32)  # (V, D)
tokens = open("tokens.txt", encoding="utf-8").read().split("\\n")[: len(E)]"""


def _opening(key: str, study: TableStudy) -> str:
    """NumPy that makes E, and tokens where a word is looked up by name."""
    table = study.table
    if key in ROUNDINGS:
        return _PACK.format(pack=key)
    if study.V <= SMALL or key == GIVEN:
        rows = "".join(f"    {row},\n" for row in table.E.tolist())
        return f"E = np.array([\n{rows}])  # (V, D)\ntokens = {list(study.tokens)!r}"
    if table.name.endswith((".npy", ".npz")):
        return _ARRAYS
    return _OPENED.format(name=table.name)
