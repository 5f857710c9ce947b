"""The contract of a room in one state: it computes or says why not, and all it says holds together."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import io
import itertools
import math
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import param

from app.kit import formula, guard, numbers, url
from app.kit.figure import Figure
from app.kit.html import number
from app.kit.room import Room
from app.kit.view import View
from tests.sweep import prose
from tests.sweep.findings import ROOT, Finding, crash

State = Mapping[str, Any]
LONGEST_CAPTION = 700
TOLERANCE = 1e-6
"""Of the snippet's result, relative to its largest entry: some tables are stored in single precision."""


def typed_in(room: type[Room], state: State) -> tuple[str, ...]:
    """The reader's own words in a state."""
    texts = [name for name, item in url.settings(room.State).items() if isinstance(item, param.String)]
    return tuple(state[name] for name in texts if state[name])


class Case(NamedTuple):
    """A figure of a room in a state."""

    room: type[Room]
    state: State
    figure: Figure
    view: Any

    @property
    def own(self) -> tuple[str, ...]:
        """The reader's own words."""
        return typed_in(self.room, self.state)

    def code(self) -> str:
        """The figure's code, from what it uses and nothing else."""
        return self.figure.code(self.figure.snapshot(self.state))


def check(room: type[Room], state: State) -> tuple[list[Finding], Any]:
    """All that is wrong in a state, and the views of its figures; None where it was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            state, _ = room.normalise(state)
            views = room.viewed(state)
        except ValueError as reason:
            found = list(refused(room, state, reason))
            return [one for one in found if not on_purpose(room, state, one)], None
        except Exception as reason:
            return [crash("compute", reason)], None
        found = []
        parts = (_caption, _tables, _formulas, _code, _frozen)
        for part, key in itertools.product(parts, views):
            try:
                found += part(Case(room, state, room.figure(key), views[key]))
            except Exception as reason:
                found.append(crash(part.__name__.strip("_"), reason))
        found += _address(room, state)
    return [one for one in found if not on_purpose(room, state, one)], views


def on_purpose(room: type[Room], state: State, finding: Finding) -> bool:
    """Whether a state asks for what it shows: a zero vector has no direction, and a reader may type nan."""
    if finding.kind == "a space before a stop":
        return any(text.strip() in ".,:;?!" for text in typed_in(room, state))
    if finding.kind not in ("not a number", "infinity as Python writes it"):
        return False
    typed = typed_in(room, state)
    if room.key == "geometry" and any(
        text and not any(sign in "123456789" for sign in text) for text in typed
    ):
        return any("0" in text for text in typed)
    return any(sign in text.lower() for text in typed for sign in ("nan", "inf", "e999"))


def refused(room: type[Room], state: State, reason: ValueError) -> Iterator[Finding]:
    """A refusal is a sentence for a reader: it names what is refused, and nothing of Python."""
    said = guard.sentence_of(reason)
    yield from _read("refusal", said, typed_in(room, state))
    outside = prose.QUOTED.sub("", said)
    if found := next(
        (sign for sign in ("'", '"', "State.", "Parameter", "()", "self") if sign in outside), ""
    ):
        apostrophes = found == "'" and not _quotes(outside)
        if not apostrophes:
            yield Finding("Python's signs in a refusal", "refusal", said)
    if not said.endswith((".", "?", "!")) or not said[:1].strip():
        yield Finding("no sentence", "refusal", said)
    named = [item.label.split(",")[0] for item in url.settings(room.State).values()] + list(state)
    if not _quoted(said) and not any(sign.isdigit() for sign in said) and not _names(said, named):
        yield Finding("names nothing that was set", "refusal", said)


def _quoted(said: str) -> bool:
    return "‘" in said or _quotes(said)


def _quotes(said: str) -> bool:
    # one apostrophe between letters is English, two around a word are a repr
    return any(part.startswith("'") or part.rstrip(".,;:)").endswith("'") for part in said.split())


def _names(said: str, named: list[str]) -> bool:
    words = said.lower().replace("’s", "").split()
    return any(all(word in " ".join(words) for word in name.lower().split()) for name in named)


def _read(where: str, text: str, own: tuple[str, ...]) -> Iterator[Finding]:
    for fault in prose.faults(text, own):
        yield Finding(fault.kind, where, fault.around)


def _caption(case: Case) -> Iterator[Finding]:
    said, own = case.figure.caption(case.view), case.own
    yield from _read("caption", said, own)
    if not said.endswith((".", "!", "?")) or not any(sign.isdigit() for sign in said):
        yield Finding("no sentence with a number", "caption", said)
    length = len(prose.mask(said, own))
    if length >= LONGEST_CAPTION:
        yield Finding("a caption nobody reads to its end", "caption", f"{length} characters: {said[:80]}")
    yield from _shares("caption", said, case)


def _shares(where: str, text: str, case: Case) -> Iterator[Finding]:
    for share, around in prose.wholes(text, case.own):
        if not any(abs(value - share) < 1e-12 or value == 100 * share for value in _scalars(case)):
            yield Finding("a rounded whole", where, around)


def _scalars(case: Case) -> Iterator[float]:
    for table in case.figure.numbers(case.view):
        for row in table.rows:
            yield from (float(cell) for cell in row if not isinstance(cell, str))
    for part in _parts(case.view):
        if isinstance(part, (int, float)):
            yield float(part)
        elif isinstance(part, np.ndarray) and part.size and part.dtype.kind in "iuf":
            yield from (float(part.min()), float(part.max()))


def _tables(case: Case) -> Iterator[Finding]:
    own = case.own
    tables = case.figure.numbers(case.view)
    if not tables:
        yield Finding("no numbers", "tables", "")
    for table in tables:
        if not table.rows:
            yield Finding("an empty table", "tables", table.title)
        if uneven := [row for row in table.rows if len(row) != len(table.columns)]:
            yield Finding("a row that does not fit its columns", "tables", f"{table.title}: {uneven[0]}")
        for text in (table.title, *table.columns):
            yield from _read("head of a table", text, own)
        for row in table.rows[: numbers.MOST_ROWS]:
            for name, cell in zip(table.columns, row, strict=False):
                yield from _cell(f"{table.title}, {name}", cell, own)
    numbers.show(tables)


def _cell(where: str, cell: Any, own: tuple[str, ...]) -> Iterator[Finding]:
    if isinstance(cell, str):
        yield from _read("cell of a table", cell, own)
    elif not isinstance(cell, (int, float, np.integer, np.floating)):
        yield Finding("a cell that is neither text nor number", "tables", f"{where}: {type(cell).__name__}")
    elif math.isnan(cell):
        yield Finding("not a number", "tables", where)
    else:
        number(float(cell), 6)


def _formulas(case: Case) -> Iterator[Finding]:
    shown = case.figure.formula(case.view)
    if not any(one.filled for one in shown):
        yield Finding("no formula with the numbers of the state", "formula", "")
    for one in shown:
        yield from _read("formula, says", one.says, case.own)
        for latex in filter(None, (one.latex, one.filled)):
            yield from _equation(latex)


def _equation(latex: str) -> Iterator[Finding]:
    written = formula.mathml(latex)
    if "<merror" in written:
        yield Finding("MathML with an error", "formula", latex)
    said = " ".join("".join(ElementTree.fromstring(written).itertext()).split())
    for kind in ("not a number", "None", "infinity as Python writes it", "an exponent as Python writes it"):
        for text in (latex, said):
            if found := prose.PATTERNS[kind].search(text):
                yield Finding(kind, "formula", text[max(found.start() - 30, 0) : found.end() + 20])


def _code(case: Case) -> Iterator[Finding]:
    source = case.code()
    if foreign := imported(source) - {"numpy", "lab", *sys.stdlib_module_names}:
        yield Finding("a module that a reader may not have", "code", ", ".join(sorted(foreign)))
    yield from compare(run(source), np.asarray(case.figure.code_answer(case.view), dtype=float))


def imported(source: str) -> set[str]:
    """The modules that a piece of code imports."""
    nodes = list(ast.walk(ast.parse(source)))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return {
        name.split(".")[0]
        for name in plain | {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}
    }


def run(source: str) -> np.ndarray[Any, Any]:
    """What ``result`` is after a snippet has run in a namespace of its own."""
    space: dict[str, Any] = {"__name__": "snippet"}
    try:
        with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<snippet>", "exec"), space)
        return np.asarray(space["result"], dtype=float)
    finally:
        # a snippet ends with its process, which closes what it has opened
        for value in space.values():
            if isinstance(value, np.lib.npyio.NpzFile):
                value.close()


def compare(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> Iterator[Finding]:
    """The snippet's result against what the figure shows."""
    if got.shape != wanted.shape:
        yield Finding("another shape than the figure's", "code", f"{got.shape}, not {wanted.shape}")
        return
    finite = np.abs(wanted[np.isfinite(wanted)])
    near = TOLERANCE * max(float(finite.max(initial=0.0)), 1e-3)
    if not np.allclose(got, wanted, rtol=TOLERANCE, atol=near, equal_nan=True):
        worst = float(np.nanmax(np.abs(got - wanted)))
        yield Finding("another result than the figure's", "code", f"{worst:.2g} apart")


def _address(room: type[Room], state: State) -> Iterator[Finding]:
    made = room.State()
    made.param.update(**state)
    query, left_out = url.write(made)
    parsed = url.parse(query, room.State)
    if parsed.notices:
        yield Finding("an address that is not understood", "address", " ".join(parsed.notices))
    back = room.State(**parsed.values)
    for name in state:
        if name not in left_out and getattr(back, name) != state[name]:
            yield Finding("another state than the address was written for", "address", name)


def _frozen(case: Case) -> Iterator[Finding]:
    for part in _parts(case.view):
        if isinstance(part, np.ndarray) and part.flags.writeable:
            yield Finding("an array that can be written", "view", str(part.shape))
    again = case.figure.viewed(case.state)
    if case.figure.caption(again) != case.figure.caption(case.view) or case.code() != case.code():
        yield Finding("another view of the same state", "view", "")


def _parts(view: Any) -> Iterator[Any]:
    seen: set[int] = set()
    waiting = [view]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, (str, bytes, type(None))):
            continue
        seen.add(id(part))
        yield part
        if dataclasses.is_dataclass(part) and not isinstance(part, type):
            waiting += [getattr(part, item.name) for item in dataclasses.fields(part)]
        elif isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, View):
            waiting += vars(part).values()
        elif isinstance(part, (tuple, list)) and len(part) < 10_000:
            waiting += part
