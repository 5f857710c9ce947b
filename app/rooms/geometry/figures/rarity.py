"""Length of a row against the rarity of its word, asked in three ways that do not agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import Markup, join, number
from app.kit.matrix import verdict
from app.kit.numbers import Table
from app.rooms.geometry.figures.base import GeometryFigure
from app.rooms.geometry.model.measured import Lengths
from app.rooms.geometry.model.samples import BIN
from app.rooms.geometry.pictures.cloud import Cloud

MOST_DOTS = 2000


class LengthAndRarity(GeometryFigure):
    """Lengths of rows by rank."""

    key, view, begins = "rarity", Lengths, "minilm"
    uses = ("table",)

    def make(self) -> Sequence[Any]:
        self.cloud = Cloud(
            dots="a word",
            line=f"mean of {BIN} words",
            label="Length of a row against the rank of its word",
            x="rank in the vocabulary",
            y="length of the row",
            height=380,
        )
        return self.cloud, self.findings

    def draw(self, view: Lengths) -> None:
        found, step = view.found, _step(view)
        ranks = list(range(1, view.words + 1, step))
        self.cloud.set(ranks, found.norms[::step].round(4), view.study.names(found.ids[::step]))
        self.cloud.set_x(0, view.words + 1)
        low, high = float(found.norms.min()), float(found.norms.max())
        self.cloud.set_y(low - 0.05 * (high - low), high + 0.3 * (high - low))
        middles = [BIN * place + BIN / 2 for place in range(len(found.means))]
        self.cloud.set_line(middles, found.means.round(4))

    def findings(self, view: Lengths) -> Markup:
        """What averaging does, and what the rank stands for."""
        step = _step(view)
        shown = self.say("every" if step == 1 else "some", step=step)
        return join([verdict(self.say("means", bin=BIN), "warn"), verdict(self.say("rank", shown=shown))])

    def caption(self, view: Lengths) -> str:
        every, first, means = map(_round, view.correlations)
        return self.say("caption", view, every=every, first=first, means=means, bin=BIN)

    def numbers(self, view: Lengths) -> list[Table]:
        found = view.found
        names = ("all words", "the commonest", f"means of {BIN}")
        points = (view.words, found.first, len(found.means))
        means = [[BIN * place + 1, value] for place, value in enumerate(found.means.tolist())]
        words = zip(view.study.names(found.ids), found.norms.tolist(), strict=True)
        return [
            Table(
                "Spearman's rank correlation",
                ["over", "points", "correlation"],
                list(zip(names, points, view.correlations, strict=True)),
            ),
            Table(f"Mean length of {BIN} words", ["from rank", "mean length"], means),
            Table(
                "Length of each word's row",
                ["rank", "word", "length"],
                [[rank, *word] for rank, word in enumerate(words, start=1)],
            ),
        ]

    def formula(self, view: Lengths) -> tuple[Formula, ...]:
        every, first, means = (row(_round(value)) for value in view.correlations)
        return (
            Formula(
                r"\rho = \mathrm{corr}\left(\mathrm{rank}(i),\; \mathrm{rank}(\lVert E_i \rVert)\right)",
                rf"\rho_{{\text{{all}}}} = {every},\; "
                rf"\rho_{{\text{{{view.found.first} commonest}}}} = {first},\; "
                rf"\rho_{{\text{{means}}}} = {means}",
                self.say("formula"),
            ),
        )

    def steps(self, view: Lengths) -> str:
        return _CODE.format(bin=BIN, first=view.found.first)

    def code_answer(self, view: Lengths) -> Any:
        return view.correlations


_CODE = """bare = [token.lstrip(" Ġ▁") for token in tokens]
words = [i for i, token in enumerate(bare) if token.isalpha() and len(token) > 1]
norms = np.linalg.norm(E[words].astype(float), axis=1)
means = np.array([norms[i : i + {bin}].mean() for i in range(0, len(norms), {bin})])


def spearman(values):  # against 0, 1, 2, …; equal values share their mean rank
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts + 1) / 2)[place]
    return np.corrcoef(np.arange(len(values)), ranks)[0, 1]


result = [spearman(norms), spearman(norms[:{first}]), spearman(means)]"""


def _step(view: Lengths) -> int:
    """Of how many words one is drawn."""
    return -(-view.words // MOST_DOTS)


def _round(value: float) -> str:
    """Rounded first: beside 0.05 a correlation of -0.0049 is 0, and no power of ten."""
    return number(round(value, 2), 2)
