"""Length of a row against the rarity of its word, asked in three ways that do not agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.cloud import Cloud
from app.kit.formula import Formula, row
from app.kit.html import Markup, join, number
from app.kit.matrix import verdict
from app.kit.numbers import Cell, Table
from app.rooms.geometry.looks.base import Look, opening
from app.rooms.geometry.tables import Asked
from lab.table_study import BIN, Rarity, TableStudy, study_rarity

MOST_DOTS = 2000


@dataclass(frozen=True, eq=False)
class RarityLook(Look):
    """Norms by rank."""

    found: Rarity

    title: ClassVar[str] = "Length and rarity"
    controls: ClassVar[tuple[str, ...]] = ()
    figure: ClassVar[str] = "cloud"

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Means of a hundred words need hundreds of words."""
        if len(study.words) >= 2 * BIN:
            return ""
        return f"Length against rarity needs {2 * BIN} words; this table has {len(study.words)}."

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Measure the words."""
        return cls(asked, study_rarity(asked.study))

    def draw(self, figure: Cloud) -> None:
        """Every so many words as a dot, and the means."""
        ids = self.found.ids[:: self._step()]
        ranks = list(range(1, len(self.found.ids) + 1, self._step()))
        figure.set(ranks, self.found.norms[:: self._step()].round(4), self.asked.study.names(ids))
        figure.set_x(0, len(self.found.ids) + 1)
        low, high = float(self.found.norms.min()), float(self.found.norms.max())
        figure.set_y(low - 0.05 * (high - low), high + 0.3 * (high - low))
        middles = [BIN * place + BIN / 2 for place in range(len(self.found.means))]
        figure.set_line(middles, self.found.means.round(4))

    def under(self) -> Markup:
        """What averaging does, and what the rank stands for."""
        shown = "Every word is a dot" if self._step() == 1 else f"Every {self._step()}th word is a dot"
        rank = verdict(
            f"{shown}; the correlations use all. A word's position in the vocabulary stands for its rarity: "
            "it is the order of the table's rows, which follows frequency by and large, and no count."
        )
        means = verdict(
            f"Averaging {BIN} words at a time removes the scatter, and so makes any trend look stronger than "
            "it is for a single word.",
            "warn",
        )
        return join([means, rank])

    def describe(self) -> str:
        """The three correlations."""
        first, every, means = self._three()
        return (
            f"Length of a word's row against its rank: Spearman {every} over all {len(self.found.ids):,} "
            f"words, {first} over the {self.found.first:,} commonest, {means} over the means of {BIN} words. "
            "The three are no contradiction; they are three questions."
        )

    def numbers(self) -> list[Table]:
        """Correlations, means, words."""
        found = self.found
        correlations: list[list[Cell]] = [
            ["all words", len(found.ids), found.all_words],
            ["the commonest", found.first, found.commonest],
            [f"means of {BIN}", len(found.means), found.of_means],
        ]
        means = [[BIN * place + 1, value] for place, value in enumerate(found.means.tolist())]
        words = [
            [rank, token, value]
            for rank, (token, value) in enumerate(
                zip(self.asked.study.names(found.ids), found.norms.tolist(), strict=True), start=1
            )
        ]
        return [
            Table("Spearman's rank correlation", ["over", "points", "correlation"], correlations),
            Table(f"Mean length of {BIN} words", ["from rank", "mean length"], means),
            Table("Length of each word's row", ["rank", "word", "length"], words),
        ]

    def formula(self) -> tuple[Formula, ...]:
        """Spearman."""
        found = self.found
        return (
            Formula(
                r"\rho = \mathrm{corr}\left(\mathrm{rank}(i),\; \mathrm{rank}(\lVert E_i \rVert)\right)",
                rf"\rho_{{\text{{all}}}} = {_plain(found.all_words)},\; "
                rf"\rho_{{\text{{{found.first} commonest}}}} = {_plain(found.commonest)},\; "
                rf"\rho_{{\text{{means}}}} = {_plain(found.of_means)}",
                "A rank correlation sees order only: it is 1 for any rising curve, whatever its shape.",
            ),
        )

    def code(self) -> list[str]:
        """The three correlations."""
        return [
            *opening(self.asked),
            "bare = [token.lstrip(' Ġ▁') for token in tokens]",
            "words = [i for i, token in enumerate(bare) if token.isalpha() and len(token) > 1]",
            "norms = np.linalg.norm(E[words].astype(float), axis=1)",
            f"means = np.array([norms[i : i + {BIN}].mean() for i in range(0, len(norms), {BIN})])",
            "",
            "",
            "def spearman(values):  # against 0, 1, 2, …; equal values share their mean rank",
            "    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)",
            "    ranks = (np.cumsum(counts) - (counts + 1) / 2)[place]",
            "    return np.corrcoef(np.arange(len(values)), ranks)[0, 1]",
            "",
            "",
            f"result = [spearman(norms), spearman(norms[:{self.found.first}]), spearman(means)]",
        ]

    def answer(self) -> Any:
        """The three correlations."""
        return [self.found.all_words, self.found.commonest, self.found.of_means]

    def _step(self) -> int:
        return -(-len(self.found.ids) // MOST_DOTS)

    def _three(self) -> tuple[str, str, str]:
        found = self.found
        return _round(found.commonest), _round(found.all_words), _round(found.of_means)


def _plain(value: float) -> str:
    return row(_round(value))


def _round(value: float) -> str:
    """Rounded first: beside 0.05 a correlation of -0.0049 is 0, and no power of ten."""
    return number(round(value, 2), 2)
