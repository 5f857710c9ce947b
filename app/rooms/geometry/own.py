"""A table of the reader's own: files of any size, and of a checkpoint the rows that she asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param

from app.kit import controls, door, guard
from app.kit.html import Markup, join, tag, visible
from app.kit.matrix import error
from app.kit.panes import Html
from app.kit.upload import Files
from app.rooms.geometry.words import WORDS
from lab.own_table import MAX_BYTES, FileInfo, OwnTable, Reading, Source, megabytes, reading, reading_again
from lab.vocab import Table

ACCEPT = ".safetensors,.gguf,.npy,.npz,.txt,.vec,.tsv,.csv,.json,.vocab,*/*"


class _Rows(param.Parameterized):
    """Which rows of a checkpoint; no part of the room's state, since an address carries no file."""

    first = param.Integer(default=0, bounds=(0, None), label="First row")


class OwnTables:
    """The controls, and the table they give.

    Parameters
    ----------
    room : Room
        Says what the fields refuse.
    taken : callable
        Gets each table that was read.
    """

    def __init__(self, room: guard.Speaker, taken: Callable[[Table], None]) -> None:
        self._taken = taken
        self._source: Source | None = None
        self._rows = _Rows()
        guard.lend(self._rows, room)
        self._files: Files[OwnTable] = Files(
            WORDS.raw("own.choose"),
            accept=ACCEPT,
            several=True,
            reading=self._open,
            done=self._done,
            refused=self._refuse,
        )
        self._said = Html(_formats(), role="status")
        self._tensor = pn.widgets.Select(
            label=WORDS.raw("own.tensor"), options={}, **controls.style("lab-select")
        )
        self._first = controls.number(self._rows.param.first)
        self._again = controls.button(WORDS.raw("own.again"), self._read_again)
        whole: dict[str, Any] = {"margin": 0, "sizing_mode": "stretch_width"}
        rows = pn.Column(self._tensor, self._first, self._again, css_classes=["lab-own"], **whole)
        # a flex box keeps its display whatever its visibility says; a plain column around it does not
        self._more = pn.Column(rows, visible=False, **whole)
        parts = (self._files.pane, self._more, self._said.pane)
        self.pane = controls.labelled(
            WORDS.raw("own.title"), pn.Column(*parts, css_classes=["lab-own"], **whole)
        )

    def _open(self, files: Sequence[FileInfo]) -> Reading[OwnTable]:
        # the page has other files now: further rows of the former ones cannot be had
        self._source = None
        self._more.visible = False
        return reading(files)

    def _done(self, found: OwnTable) -> None:
        self._source = found.source
        name = tag("b", visible(found.table.name, 40))
        self._said.set(join([tag("p", name, " ", WORDS.raw("own.read"), class_="lab-own-said"), _formats()]))
        self._offer(found.source)
        self._taken(found.table)

    def _refuse(self, sentence: str) -> None:
        self._said.set(join([error(sentence), _formats()]))

    def _offer(self, source: Source | None) -> None:
        """Offer the other tables of a checkpoint, and the rows that were not read."""
        tables = source.checkpoint.tables() if source else ()
        rows = {tensor.name: tensor.shape[0] for tensor in tables}
        part = source is not None and source.count < rows[source.tensor]
        if source is not None:
            self._tensor.param.update(options=_options(source), value=source.tensor)
            self._rows.first = source.first
        self._tensor.visible = len(tables) > 1
        self._first.visible = part
        self._more.visible = part or len(tables) > 1

    def _read_again(self) -> None:
        if self._source is not None:
            self._files.read(reading_again(self._source, self._tensor.value, self._rows.first))


def _options(source: Source) -> dict[str, Any]:
    tables = source.checkpoint.tables()
    return {
        f"{visible(tensor.name, 60)}, {tensor.shape[0]:,} × {tensor.shape[1]:,}": tensor.name
        for tensor in tables
    }


def _formats() -> Markup:
    said = WORDS.say("own.formats", most=megabytes(MAX_BYTES))
    return tag("p", f"{said} {door.file_goes()}", class_="lab-note")
