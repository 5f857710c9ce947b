"""Pages of the mistakes in the rows themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.kit.formula import Formula
from app.kit.html import Markup, number, visible
from app.kit.matrix import matrix
from app.kit.shares import percent
from app.rooms.mistakes.pages.base import RIGHT, WRONG, Page, Reading, Run, at_cursor, latex, plain
from app.rooms.mistakes.state import LARGEST_ID, MOST_IDS
from lab.notation import as_floats, check_ids


def read_ids(text: str) -> list[int]:
    """Token ids from a reader's text.

    Raises
    ------
    ValueError
        If it holds none, too many, or something else.
    """
    words = text.replace(",", " ").split()
    if not words:
        raise ValueError(f"Type at least one token id, a whole number from 0 to {LARGEST_ID}.")
    if len(words) > MOST_IDS:
        raise ValueError(f"These are {len(words)} ids; at most {MOST_IDS} are drawn. Leave some out.")
    for word in words:
        # other scripts' digits are digits to Python, and no ids to a reader
        if not (word.isascii() and word.isdigit() and len(word) <= 3 and int(word) <= LARGEST_ID):
            raise ValueError(
                f"‘{visible(word, 24)}’ is no id of this table: type whole numbers from 0 to {LARGEST_ID}, "
                "with spaces between them."
            )
    return [int(word) for word in words]


class Gradient(Page):
    """grad[ids] += G."""

    key = "gradient"
    uses = ("ids",)

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """A batch of these ids, each with a gradient of ones; the table has one row more than they need."""
        ids = read_ids(numbers["ids"])
        V = max(ids) + 2
        return {"ids": check_ids(ids, V), "G": as_floats("G", [[1.0, 1.0]] * len(ids), (None, 2)), "V": V}

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """What arrives in the table of what was sent."""
        right, wrong = float(run.symptom.right.sum()), float(run.symptom.wrong.sum())
        lost = right - wrong
        return (
            Reading("right, all rows", number(right), "as much as the batch sent", RIGHT),
            Reading("wrong, all rows", number(wrong), "the last use of each row", WRONG),
            Reading("lost", number(lost), f"{percent(lost / right)} of the gradient"),
        )

    def detail(self, run: Run, place: int) -> Markup:
        """Both gradients as numbers."""
        rows = [run.symptom.right.tolist(), run.symptom.wrong.tolist()]
        return matrix(
            rows,
            title="Gradient of each row of E",
            under=f"ids {', '.join(map(str, run.inputs['ids'].tolist()))}, each with a gradient of 1",
            rows=(RIGHT, WRONG),
            columns=run.symptom.names,
            marked_cells=[(1, j) for j in range(len(rows[0])) if rows[0][j] != rows[1][j]],
            signed=False,
        )

    def says(self, run: Run, place: int) -> str:
        """What the batch sent, and what arrived."""
        right, wrong = (row_of(values) for values in (run.symptom.right, run.symptom.wrong))
        return (
            f"The ids {', '.join(map(str, run.inputs['ids'].tolist()))} with gradients of 1 give the rows "
            f"{right}; grad[ids] += G gives {wrong}."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """Repeats add up."""
        ids = run.inputs["ids"].tolist()
        most = max(ids, key=ids.count)
        times = ids.count(most)
        sum_up = " + ".join(["1"] * times) if times <= 8 else rf"{times} \cdot 1"
        return (
            Formula(
                r"\frac{\partial L}{\partial E} = \mathrm{onehot}(\mathrm{ids})^{\mathsf{T}} G, \qquad "
                r"g_v = \sum_{t :\, \mathrm{id}_t = v} G_t",
                rf"g_{{{most}}} = {sum_up} = {times}, \qquad \text{{with += it is }} 1",
                "NumPy reads the rows, adds once each, and writes them back: the last use wins.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """np.add.at beside +=."""
        ids = read_ids(numbers["ids"])
        return f"""ids = np.array({ids})
G = np.ones((len(ids), 2))  # the gradient of each place
right = np.zeros(({max(ids) + 2}, 2))
np.add.at(right, ids, G)
wrong = np.zeros_like(right)
wrong[ids] += G
right, wrong = right[:, 0], wrong[:, 0]
"""


def row_of(values: Any) -> str:
    """A few numbers as a sentence has them."""
    return ", ".join(number(value) for value in values.tolist())


class Raw(Page):
    """Raw index added."""

    key = "raw"
    cursor = "position"
    what = "cosine of two different tokens"
    start = 4000
    digits = 8

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """The cosine, and how long a row is beside the token in it."""
        right, wrong = at_cursor(run, place)
        at = number(run.symptom.x[place])
        token = length(run.inputs["tokens"][0])
        rows = [length(run.values(version)[0, place]) for version in (RIGHT, WRONG)]
        return (
            Reading(f"right, position {at}", number(right, self.digits), row_is(rows[0]), RIGHT),
            Reading(f"wrong, position {at}", number(wrong, self.digits), row_is(rows[1]), WRONG),
            Reading("the token alone", number(token), "length of its row of E"),
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The norm of a constant row."""
        p = plain(run.symptom.x[place])
        D = run.inputs["tokens"].shape[1]
        wrong = length(run.values(WRONG)[0, place])
        alike = at_cursor(run, place)[1]
        return (
            Formula(
                r"\lVert x + p\,\mathbf{1} \rVert \approx p \sqrt{\dim{D}}, \qquad "
                r"\cos(x + p\,\mathbf{1},\; y + p\,\mathbf{1}) \to 1",
                rf"{p} \cdot \sqrt{{{D}}} = {plain(run.symptom.x[place] * D**0.5)}, \quad "
                rf"\lVert x + p\,\mathbf{{1}} \rVert = {plain(wrong)}, \quad \cos = {latex(alike)}",
                "Every entry of the row grows by p. Sinusoids stay between −1 and 1 at every position.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Two tokens at each place with either scheme, and their cosine."""
        return """a, b = np.random.default_rng(0).standard_normal((2, 16))
pos = np.array([0, 1, 3, 10, 30, 100, 300, 1000, 4000])[:, None]
angle = pos / 10_000 ** (np.arange(0, 16, 2) / 16)  # (T, 8)
sinusoid = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(pos), 16)


def cosine(p):
    x, y = a + p, b + p  # (T, 16)
    return (x * y).sum(axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)


right = cosine(sinusoid)
wrong = cosine(pos * np.ones(16))
"""


def length(x: Any) -> float:
    """Euclidean length of a row."""
    square = float((x * x).sum())
    return math.sqrt(square)


def row_is(value: float) -> str:
    """How long a row is, in words."""
    return f"the row is {number(value)} long"
