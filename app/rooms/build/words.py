"""What the room `build` says beside its figures: caption, numbers, formula, code, questions."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import counted, number, vector, visible
from app.kit.numbers import Table
from app.kit.questions import Question
from app.rooms.build.compute import STEPS, State, View, compute

STATE = ("example", "text", "scheme", "swap", "scale", "step")
_DEFAULTS = {name: State.param[name].default for name in STATE}


def describe(view: View) -> str:
    """The caption: what the figure shows, with its numbers."""
    T, D = view.X.shape
    V = len(view.table.vocabulary)
    place = min(2, T)
    token, id = f"‘{visible(view.tokens[place - 1], 24)}’", int(view.ids[place - 1])
    listed = ", ".join(str(i) for i in view.ids.tolist()[:8]) + (", …" if T > 8 else "")
    said = (
        f"the text is cut into {counted(view.total, 'token')}"
        + (f", of which the first {T} are kept" if view.dropped else ""),
        f"{counted(T, 'token')} as {'id' if T == 1 else 'ids'} {listed}, names out of {V:,}",
        f"each id is a row of {V:,} numbers with a single 1; times E it picks row {id} for {token}",
        f"place {place}, {token}, picks row {id} of E: {vector(view.rows[place - 1], most=6)}",
        f"{_added(view)}; row {place} of X, {token}, is {vector(view.X[place - 1], most=6)}",
        f"X has {counted(T, 'row')} of {D} numbers, one per token; {_added(view)}",
    )
    return f"Step {view.step} of {len(STEPS)}, {STEPS[view.step - 1]}: {said[view.step - 1]}."


def _added(view: View) -> str:
    if view.added is None:
        return f"{view.scheme.title} adds nothing to the input"
    return f"{view.scheme.title} adds one row per position, counted from {view.origin}"


def numbers(view: View) -> list[Table]:
    """The tables behind the figure."""
    D = view.table.D
    tokens = Table(
        "Tokens",
        ["place", "token", "id", "made from"],
        [[place, piece.token, piece.id, piece.text] for place, piece in enumerate(view.pieces, start=1)],
    )
    if view.full_ids:
        rows = [[*row, full] for row, full in zip(tokens.rows, view.full_ids, strict=True)]
        tokens = Table(tokens.title, [*tokens.columns, "id in MiniLM"], rows)
    tables = [tokens, _rows("X", view, view.X, D), _rows("E[ids]", view, view.rows, D)]
    if view.added is not None:
        tables.append(_rows("P", view, view.added, D))
    if view.cosines is not None:
        names = [visible(token) for token in view.table.vocabulary]
        cosines = [[name, *line] for name, line in zip(names, view.cosines.tolist(), strict=True)]
        tables.append(Table("Cosines between the rows of E", ["token", *names], cosines))
    if view.swap:
        tables.append(_rows("X after the swap", view, view.swap.X, D))
    return [*tables, _sizes(view)]


def _sizes(view: View) -> Table:
    added = [0.0] * len(view.ids) if view.added_lengths is None else view.added_lengths.tolist()
    listed = zip(view.tokens, view.row_lengths.tolist(), added, view.means.tolist(), strict=True)
    return Table(
        "Lengths and means of the rows",
        ["place", "token", "length of the token row", "length of what is added", "mean of the row of X"],
        [[place, *line] for place, line in enumerate(listed, start=1)],
    )


def _rows(title: str, view: View, values: Any, D: int) -> Table:
    columns = ["place", "token", *(f"x{j}" for j in range(1, D + 1))]
    listed = values.tolist()
    rows = [[place, view.tokens[place - 1], *listed[place - 1]] for place in range(1, len(listed) + 1)]
    return Table(title, columns, rows)


def formula(view: View) -> tuple[Formula, ...]:
    """The step as an equation, and with the numbers of place 2."""
    place = min(2, len(view.ids))
    id = int(view.ids[place - 1])
    picked = row(vector(view.rows[place - 1], most=6))
    factor = rf"\sqrt{{{view.table.D}}}\," if view.scale != 1.0 else ""
    lookup = Formula(
        r"x_t = E[\mathrm{id}_t] = \mathrm{onehot}(\mathrm{id}_t)\, E"
        r"\qquad E \in \mathbb{R}^{\dim{V} \times \dim{D}}",
        rf"E[{id}] = {row(vector(view.table.E[id], most=6))}",
        "A lookup is a matrix product in which all factors but one are 0. So its gradient reaches only the "
        "rows that were picked.",
    )
    if view.added is None:
        sum_up = Formula(
            r"X = E[\mathrm{ids}]\qquad X \in \mathbb{R}^{\dim{T} \times \dim{D}}",
            rf"x_{{{place}}} = {factor}E[{id}] = {picked}",
            f"{view.scheme.title}: {view.scheme.source}.",
        )
    else:
        position = view.origin + place - 1
        sum_up = Formula(
            r"X = E[\mathrm{ids}] + P\qquad X \in \mathbb{R}^{\dim{T} \times \dim{D}}",
            rf"x_{{{place}}} = {factor}E[{id}] + P_{{{position}}} = {picked} + "
            rf"{row(vector(view.added[place - 1], most=6))} = {row(vector(view.X[place - 1], most=6))}",
            f"{view.scheme.title}, counted from {view.origin}: {view.scheme.source}.",
        )
    return (sum_up, lookup) if view.step > 4 else (lookup, sum_up)


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    blind = {"scheme": "none", "swap": (2, 3), "step": 6}
    ordered = {"scheme": "learned", "swap": (2, 3), "step": 6}
    twice = {"text": "the cat climbed the cat", "scheme": "none", "step": 4}
    return (
        Question(
            "No positions are added. You swap two tokens of the text. What happens to X?",
            ("Every row changes", "Two rows trade places, no number changes", "Only the later rows change"),
            lambda: _blind(blind),
            blind,
        ),
        Question(
            "The same swap with learned positions. What happens to X now?",
            (
                "Two rows trade places, no number changes",
                "The two rows get new numbers",
                "All rows get new numbers",
            ),
            lambda: _ordered(ordered),
            ordered,
        ),
        Question(
            "Why is a lookup a matrix product, and what follows for training?",
            (
                "It is an approximation, so gradients are approximate too",
                "A one-hot row times E picks a row exactly, so only picked rows get a gradient",
                "The product mixes all rows, so every row gets a gradient",
            ),
            _product,
            {"step": 3},
        ),
        Question(
            "The same token stands at two places. Do the two rows of E[ids] differ? And the two rows of X?",
            (
                "Both differ from the start",
                "Equal in E[ids]; in X only a position scheme on the input tells them apart",
                "Equal in both, whatever the scheme",
            ),
            lambda: _twice(twice),
            twice,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**_DEFAULTS, **values})


def _blind(values: dict[str, Any]) -> tuple[int, str]:
    difference = _swap_difference(values)
    return (
        1 if difference == 0 else 0
    ), f"The largest difference to two traded rows is {number(difference)}."


def _ordered(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    changed = _changed_rows(view)
    said = f"{changed} of {len(view.ids)} rows change, by at most {number(_swap_difference(values))}."
    return (0 if changed == 0 else 1 if changed == 2 else 2), said


def _swap_difference(values: dict[str, Any]) -> float:
    swap = _view(values).swap
    return swap.difference if swap else 0.0


def _changed_rows(view: View) -> int:
    if view.swap is None:
        return 0
    return int((abs(view.swap.X - view.swap.traded_rows).max(axis=1) > 0).sum())


def _product() -> tuple[int, str]:
    view = _view({"step": 3})
    rows = len(set(view.ids.tolist()))
    V = len(view.table.vocabulary)
    said = f"Both forms agree bit for bit here; of {V} rows, {rows} are picked and only these would learn."
    return (1 if view.lookup_equals_product else 0), said


def _twice(values: dict[str, Any]) -> tuple[int, str]:
    plain, learned = _view(values), _view({**values, "scheme": "learned"})
    first, second = (place - 1 for place in plain.repeated[:2])
    same = float(abs(plain.rows[first] - plain.rows[second]).max())
    apart = float(abs(learned.X[first] - learned.X[second]).max())
    said = (
        f"‘{visible(plain.tokens[first])}’ at places {first + 1} and {second + 1}: the rows of E[ids] differ "
        f"by {number(same)}, the rows of X by {number(apart)} with learned positions. Attention does the "
        "rest: after one block the two places have read different neighbours."
    )
    return (1 if same == 0 and apart > 0 else 0 if same > 0 else 2), said
