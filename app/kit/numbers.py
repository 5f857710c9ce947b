"""The numbers behind a figure: an HTML table to read, and the same as CSV to copy."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from app.kit.html import Markup, escape, join, number, tag, visible

MOST_ROWS = 60
MOST_COLUMNS = 24

Cell = str | int | float


@dataclass(frozen=True)
class Table:
    """A titled table; numbers keep their full precision in the CSV."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def csv(self) -> str:
        """The whole table as CSV with a header line."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return file.getvalue()


def show(tables: Sequence[Table]) -> Markup:
    """The numbers pane of a room."""
    return join(_one(table) for table in tables)


def _one(table: Table) -> Markup:
    columns, rows = table.columns[:MOST_COLUMNS], table.rows[:MOST_ROWS]
    head = tag("tr", join(tag("th", name, scope="col") for name in columns))
    body = join(tag("tr", join(_cell(cell) for cell in row[:MOST_COLUMNS])) for row in rows)
    return tag(
        "section",
        tag(
            "div",
            tag("h3", table.title),
            tag("button", "Copy as CSV", type="button", class_="lab-copy", data_copy=table.csv()),
            class_="lab-numbers-head",
        ),
        tag(
            "div",
            tag("table", tag("thead", head), tag("tbody", body)),
            class_="lab-scroll",
            tabindex="0",
            role="region",
            aria_label=table.title,
        ),
        _left_out(table),
        class_="lab-numbers",
    )


def _left_out(table: Table) -> Markup:
    parts = []
    if len(table.rows) > MOST_ROWS:
        parts.append(f"{MOST_ROWS} of {len(table.rows):,} rows")
    if len(table.columns) > MOST_COLUMNS:
        parts.append(f"{MOST_COLUMNS} of {len(table.columns):,} columns")
    if not parts:
        return Markup("")
    return tag("p", f"Shown: {' and '.join(parts)}. The CSV holds them all.", class_="lab-note")


def _cell(cell: Cell) -> Markup:
    if isinstance(cell, str):
        return tag("td", visible(cell))
    return Markup('<td class="lab-num">{}</td>').format(escape(number(float(cell), 6)))
