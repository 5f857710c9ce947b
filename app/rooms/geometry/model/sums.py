"""Reading a token and a position back from the sum of their rows, quickly and again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import (
    Array,
    FloatArray,
    IntArray,
    as_floats,
    check_count,
    check_ids,
    check_positive,
    readonly,
)

LARGEST = 700_000
"""Sums that are compared: tokens times positions. A browser looks through that many in a blink."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What one sum is nearest to."""

    token: int
    place: int
    distance: float
    """Of the given vector from the nearest sum."""
    runner_up: float
    """Distance of the nearest sum with another token or another place; infinite if there is one sum."""
    twins: tuple[tuple[int, int], ...]
    """Other sums that are the same vector, as (token, place): nothing tells them apart."""
    by_place: FloatArray
    """Distance of the nearest sum at each place, (places,)."""
    tokens: IntArray
    """Tokens by the distance of their nearest sum, the nearest first, (k,)."""
    token_places: IntArray
    """At which place that sum is, (k,)."""
    token_distances: FloatArray
    """How far it is, (k,)."""


class SumReader:
    """Finds the sum ``E[t] + P[p]`` that is nearest to a vector; E is (V, D), P (places, D).

    It names what `lab.geometry.read_back` names. That function multiplies the two tables at each call; a
    slider that moves asks again and again, so here the product is made once and kept. The first
    ``LARGEST // V`` places are used.

    Raises
    ------
    ValueError
        If the widths differ, a table is empty, or an entry is not finite.

    Examples
    --------
    >>> found = SumReader([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.25, 0.25]]).read([0.25, 1.25])
    >>> found.token, found.place, found.distance
    (1, 1, 0.0)
    """

    def __init__(self, E: ArrayLike, P: ArrayLike) -> None:
        self.E = as_floats("E (V, D)", E, (None, None))
        places = as_floats("P (T, D)", P, (None, self.E.shape[1]))
        if not len(self.E) or not len(places):
            raise ValueError(f"reading back needs rows in both tables; E has {len(self.E)}, P {len(places)}")
        self.P = places[: max(1, LARGEST // len(self.E))]
        # what all tokens share is taken away, in float64: beside it the differences would be lost
        self._shared = self.E.mean(axis=0, dtype=np.float64)
        self._own = self.E - self._shared
        lengths = np.einsum("vd,vd->v", self._own, self._own)
        # |s - e - p|² = |s - p|² + |e|² - 2 e·s + 2 e·p, and only e·s changes with the vector
        self._fixed = readonly(2 * (self.P @ self._own.T) + lengths)  # (T, D) (D, V) -> (T, V)

    @property
    def sums(self) -> int:
        """How many sums are compared."""
        return int(self._fixed.size)

    def sum_of(self, token: int, place: int) -> FloatArray:
        """``E[token] + P[place]``, (D,); there must be such a token and such a place."""
        at = int(check_ids(place, len(self.P)))
        total: FloatArray = self.E[int(check_ids(token, len(self.E)))] + self.P[at]
        return total

    def read(self, vector: ArrayLike, k: int = 8) -> Reading:
        """The token and the place whose sum is nearest to a vector, and the k nearest tokens.

        Of equally near sums the lowest place, then the lowest token, is named.
        """
        s = as_floats("vector (D,)", vector, (self.E.shape[1],)).astype(np.float64)
        rest = s - self._shared
        left = rest - self.P
        squares = self._fixed - 2 * (self._own @ rest) + np.einsum("td,td->t", left, left)[:, None]  # (T, V)
        token_of = squares.argmin(axis=1)
        # small squares are differences of large numbers: the ones that are named are taken afresh
        by_place = self._distances(s, token_of, np.arange(len(self.P)))
        place = int(by_place.argmin())
        token = int(token_of[place])
        squares[place, token] = np.inf
        other = divmod(int(squares.argmin()), len(self.E))
        runner_up = float(self._distances(s, np.array([other[1]]), np.array([other[0]]))[0])
        squares[place, token] = by_place[place] ** 2
        twins = self._twins(s, squares, token, place)
        nearest, at = self._by_token(squares, min(check_count("k", k), len(self.E)))
        return Reading(
            token=token,
            place=place,
            distance=float(by_place[place]),
            runner_up=runner_up if self.sums > 1 else np.inf,
            twins=twins,
            by_place=readonly(by_place),
            tokens=readonly(nearest),
            token_places=readonly(at),
            token_distances=readonly(self._distances(s, nearest, at)),
        )

    def _twins(self, s: Array, squares: Array, token: int, place: int) -> tuple[tuple[int, int], ...]:
        same = squares.min() + 1e-4 * (1 + float(s @ s))
        places, tokens = np.nonzero(squares <= same)
        named = self.sum_of(token, place).astype(np.float64)
        equal = np.linalg.norm(self.E[tokens] + self.P[places] - named, axis=1) < 1e-6
        pairs = zip(tokens[equal].tolist(), places[equal].tolist(), strict=True)
        return tuple(pair for pair in pairs if pair != (token, place))

    def _by_token(self, squares: Array, k: int) -> tuple[IntArray, IntArray]:
        best = squares.min(axis=0)  # (T, V) -> (V,)
        nearest = np.argsort(best, kind="stable")[:k]
        return nearest, squares[:, nearest].argmin(axis=0)

    def _distances(self, s: Array, tokens: IntArray, places: IntArray) -> FloatArray:
        distances: FloatArray = np.linalg.norm(s - self.E[tokens] - self.P[places], axis=1)
        return distances


def disturb(vector: ArrayLike, share: float, seed: int) -> FloatArray:
    """A vector plus noise of a random direction whose length is a share of the vector's own.

    Examples
    --------
    >>> moved = disturb([3.0, 4.0], 0.5, seed=0)
    >>> round(float(np.linalg.norm(moved - [3.0, 4.0])), 6)
    2.5
    """
    given = as_floats("vector (D,)", vector, (None,))
    if share == 0:
        return given
    size = check_positive("share", share) * float(np.linalg.norm(given))
    noise = np.random.default_rng(seed).standard_normal(given.shape)
    moved: FloatArray = (given + noise * (size / np.linalg.norm(noise))).astype(given.dtype)
    return moved


def token_place_cosines(E: ArrayLike, P: ArrayLike, seed: int, pairs: int = 4000) -> FloatArray:
    """Cosines of random pairs of a token row and a position row, (pairs,), drawn with replacement.

    Zero rows have no direction and are not drawn.

    Raises
    ------
    ValueError
        If the widths differ, an entry is not finite, or all rows of a table are zero.

    Examples
    --------
    >>> token_place_cosines([[1.0, 0.0]], [[0.0, 2.0], [0.0, 0.0]], 0, 2)
    array([0., 0.])
    """
    tokens = as_floats("E (V, D)", E, (None, None))
    places = as_floats("P (T, D)", P, (None, tokens.shape[1]))
    rng, drawn = np.random.default_rng(seed), []
    for name, table in (("E", tokens), ("P", places)):
        rows = np.flatnonzero(table.any(axis=1))
        if not rows.size:
            raise ValueError(f"all rows of {name} are zero, and zero has no direction")
        picked = table[rows[rng.integers(rows.size, size=pairs)]].astype(np.float64)
        drawn.append(picked / np.linalg.norm(picked, axis=1, keepdims=True))
    return readonly(np.clip(np.einsum("nd,nd->n", *drawn), -1, 1))


def count_distinct_sums(E: ArrayLike, P: ArrayLike) -> int:
    """How many different vectors the sums ``E[t] + P[p]`` are; fewer than V x T cannot be read back.

    Meant for small tables, as it makes all V x T sums: at most `LARGEST` numbers.

    Examples
    --------
    >>> from lab.vocab import RUNNING
    >>> count_distinct_sums(RUNNING.E, RUNNING.P)
    66
    """
    tokens = as_floats("E (V, D)", E, (None, None))
    places = as_floats("P (T, D)", P, (None, tokens.shape[1]))
    numbers = len(tokens) * len(places) * tokens.shape[1]
    if numbers > LARGEST:
        raise ValueError(
            f"{len(tokens):,} x {len(places):,} sums are too many to list: {numbers:,} numbers, at most "
            f"{LARGEST:,}. Take fewer rows"
        )
    sums = (tokens[:, None] + places[None]).reshape(-1, tokens.shape[1])  # (V, T, D) -> (V T, D)
    return len(np.unique(sums.round(9), axis=0))
