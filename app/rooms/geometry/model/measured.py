"""What is measured of a whole table: random pairs, lengths by rarity, sums with positions."""

from __future__ import annotations

import numpy as np

from app.kit.view import part
from app.rooms.geometry.model.samples import BIN, PairStudy, Rarity, histogram, study_pairs, study_rarity
from app.rooms.geometry.model.study import Pick, TableStudy
from app.rooms.geometry.model.sums import Reading, count_distinct_sums, disturb
from app.rooms.geometry.model.tables import SMALL
from app.rooms.geometry.model.views import Look
from app.rooms.geometry.words import WORDS
from lab.notation import FloatArray

LISTED = 6
"""Sums that are listed."""


class Pairs(Look):
    """Cosines of random pairs of rows."""

    key = "pairs"

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """A dozen rows have too few pairs for a distribution."""
        return "" if study.V > SMALL else WORDS.say("pairs.few", study)

    @part
    def found(self) -> PairStudy:
        return study_pairs(self.study, self.s.seed)

    @part
    def shares(self) -> tuple[FloatArray, FloatArray]:
        """Share of the pairs in each bin, raw and centred, (BINS,)."""
        return histogram(self.found.raw), histogram(self.found.centred)

    @property
    def measured(self) -> tuple[float, float, float, float]:
        """Mean and standard deviation, raw and centred."""
        raw, centred = self.found.raw, self.found.centred
        return float(raw.mean()), float(raw.std()), float(centred.mean()), float(centred.std())

    @property
    def random(self) -> float:
        """Standard deviation of the cosine of random directions of this width."""
        return float(self.D**-0.5)


class Lengths(Look):
    """Lengths of the words' rows by the rank of the word."""

    key = "rarity"

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Means of a hundred words need hundreds of words."""
        words = len(study.words)
        return "" if words >= 2 * BIN else WORDS.say("rarity.few", least=2 * BIN, words=words)

    @part
    def found(self) -> Rarity:
        return study_rarity(self.study)

    @property
    def words(self) -> int:
        return len(self.found.ids)

    @property
    def correlations(self) -> tuple[float, float, float]:
        """Over all words, over the commonest, over the means."""
        return self.found.all_words, self.found.commonest, self.found.of_means


class Sums(Look):
    """One sum of a token row and a position row, perhaps disturbed, and what it is nearest to."""

    key, parts = "sums", ("found", "cosines")

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Without positions there is nothing to add."""
        return "" if study.table.P is not None else WORDS.raw("sums.without")

    @property
    def origin(self) -> int:
        """What this table calls its first position."""
        return self.study.table.position_origin

    @property
    def places(self) -> int:
        """How many positions are searched."""
        return len(self.study.reader.P)

    @property
    def all_places(self) -> int:
        return len(self.study.P)

    @property
    def sums(self) -> int:
        return self.study.reader.sums

    @part
    def token(self) -> tuple[Pick, int]:
        return self.row("a")

    @property
    def at(self) -> int:
        """The row of P that is added: the position that is asked for, or the nearest there is."""
        return min(max(self.s.place - self.origin, 0), self.places - 1)

    @property
    def place(self) -> int:
        """The same as the table counts."""
        return self.at + self.origin

    @part
    def found(self) -> Reading:
        exact = self.study.reader.sum_of(self.token[1], self.at)
        return self.study.reader.read(disturb(exact, self.s.noise, self.s.seed), LISTED)

    @property
    def found_place(self) -> int:
        return self.found.place + self.origin

    @property
    def read(self) -> tuple[bool, bool]:
        """Whether the token, and whether the position, came back right."""
        return self.found.token == self.token[1], self.found.place == self.at

    @part
    def cosines(self) -> FloatArray:
        """Of random pairs of a token row and a position row."""
        return self.study.place_cosines

    @part
    def norms(self) -> tuple[float, float, float]:
        """Length of the token row, of the position row, and of the median position row."""
        P = self.study.P[self.at]
        return float(self.study.norms[self.token[1]]), float(np.sqrt(P @ P)), self.study.place_norm

    @part
    def distinct(self) -> int:
        """Different vectors among all sums, where they are few enough to count; else 0."""
        return count_distinct_sums(self.study.table.E, self.study.P) if self.V <= SMALL else 0
