"""Mistakes in the rows themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.kit import given
from app.kit.formula import decimal
from app.kit.html import Markup, number, visible
from app.kit.shares import percent
from app.rooms.mistakes.mistake import Curve, MistakeFigure, six
from app.rooms.mistakes.model import RIGHT, WRONG, Seen, cosine, length
from app.rooms.mistakes.versus import VersusBars
from lab.mistakes import Inputs
from lab.notation import as_floats, check_ids

LARGEST_ID = 11
MOST_IDS = 24


class Gradient(MistakeFigure):
    """grad[ids] += G."""

    key, uses = "gradient", (*MistakeFigure.uses, "ids")
    law = (
        r"\frac{\partial L}{\partial E} = \mathrm{onehot}(\mathrm{ids})^{\mathsf{T}} G, \qquad "
        r"g_v = \sum_{t :\, \mathrm{id}_t = v} G_t"
    )

    def inputs(self, s: Any) -> Mapping[str, Any]:
        """A batch of these ids, each with a gradient of ones; the table has one row more than they need."""
        ids = read_ids(s.ids)
        V = max(ids) + 2
        return {"ids": check_ids(ids, V), "G": as_floats("G", [[1.0, 1.0]] * len(ids), (None, 2)), "V": V}

    def along(self, inputs: Inputs) -> Any:
        return range(inputs["V"])

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """The first column of the gradient: all columns are alike."""
        return self.made(inputs, version)[:, 0]

    def picture(self) -> Sequence[Any]:
        self.bars = VersusBars(**self.axes())
        return (self.bars,)

    def draw(self, view: Seen) -> None:
        self.bars.set(list(map(number, view.run.x)), view.run.right, view.run.wrong)
        self.bars.forward(view.version)

    def facts(self, view: Seen) -> Mapping[str, Any]:
        right, wrong = (rows.tolist() for rows in (view.run.right, view.run.wrong))
        sent, arrived = sum(right), sum(wrong)
        return {
            "ids": ", ".join(map(str, view.inputs["ids"].tolist())),
            "right": ", ".join(map(number, right)), "wrong": ", ".join(map(number, wrong)),
            "sent": sent, "arrived": arrived, "lost": sent - arrived, "share": percent(1 - arrived / sent),
        }  # fmt: skip

    def detail(self, view: Seen) -> Markup:
        """Both gradients as numbers."""
        rows = [view.run.right.tolist(), view.run.wrong.tolist()]
        return self.both(view, rows, list(map(number, view.run.x)))

    def filled(self, view: Seen) -> str:
        ids = view.inputs["ids"].tolist()
        most = max(ids, key=ids.count)
        times = ids.count(most)
        added = " + ".join(["1"] * times) if times <= 8 else rf"{times} \cdot 1"
        return rf"g_{{{most}}} = {added} = {times}, \qquad \text{{with += it is }} 1"

    def lines(self, s: Any) -> str:
        ids = read_ids(s.ids)
        return _GRADIENT.format(ids=ids, V=max(ids) + 2)


class Raw(Curve):
    """Raw index added."""

    key, axis, start = "raw", "pos", 4000
    law = (
        r"\lVert x + p\,\mathbf{1} \rVert \approx p \sqrt{\dim{D}}, \qquad "
        r"\cos(x + p\,\mathbf{1},\; y + p\,\mathbf{1}) \to 1"
    )

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """The cosine of both tokens, position by position."""
        return cosine(self.made(inputs, version))

    def facts(self, view: Seen) -> Mapping[str, Any]:
        long = {f"{name}_long": length(view.run.outputs[name][0, view.index]) for name in (RIGHT, WRONG)}
        return {**long, "token": length(view.inputs["tokens"][0])}

    def filled(self, view: Seen) -> str:
        p, D, norm = decimal(view.x), view.inputs["tokens"].shape[1], view.facts["wrong_long"]
        return (
            rf"{p} \cdot \sqrt{{{D}}} = {decimal(view.x * D**0.5)}, \quad "
            rf"\lVert x + p\,\mathbf{{1}} \rVert = {decimal(norm)}, \quad \cos = {six(view.wrong)}"
        )

    def lines(self, s: Any) -> str:
        return _RAW


PARTS: Mapping[str, given.Given] = {"counts": given.counts(most=LARGEST_ID + 1, largest=MOST_IDS)}


def counted(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A teacher's counts, or why they are left out."""
    total = sum(count for _, count in data.get("counts", ()))
    if total > MOST_IDS:
        said = f"Your counts are left out: they come to {total} ids, and at most {MOST_IDS} are drawn."
        return {}, (said,)
    return dict(data), ()


def ids_of(counts: given.Counts) -> str:
    """The ids of a batch with these counts, as they are typed; an id is a token's place among the counts.

    >>> ids_of((("the", 2), ("cat", 0), ("sat", 1)))
    '0 0 2'
    """
    return " ".join(str(id) for id, (_, count) in enumerate(counts) for _ in range(count))


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


_GRADIENT = """ids = np.array({ids})
G = np.ones((len(ids), 2))  # the gradient of each token
right = np.zeros(({V}, 2))
np.add.at(right, ids, G)
wrong = np.zeros_like(right)
wrong[ids] += G
right, wrong = right[:, 0], wrong[:, 0]
"""
_RAW = """a, b = np.random.default_rng(0).standard_normal((2, 16))
pos = np.array([0, 1, 3, 10, 30, 100, 300, 1000, 4000])[:, None]
angle = pos / 10_000 ** (np.arange(0, 16, 2) / 16)  # (T, 8)
sinusoid = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(pos), 16)


def cosine(p):
    x, y = a + p, b + p  # (T, 16)
    return (x * y).sum(axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)


right = cosine(sinusoid)
wrong = cosine(pos * np.ones(16))
"""
