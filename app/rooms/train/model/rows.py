"""Where the character rows of a run went, and which characters are alike at both of its ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.kit.view import part
from app.rooms.train.model.stored import Stored
from lab.data import shakespeare
from lab.geometry import cosine_matrix, pca
from lab.notation import Array, FloatArray, IntArray, as_floats, check_count, readonly
from lab.training import RowMovement, StoredRuns, character_class, row_movement
from lab.training.corpus import held_out_from

TENTHS = 10
"""Moments of a run at which its rows can be looked at, beside its start."""
MOST_ROWS = 400
"""Characters on the map: of a text with more the commonest."""


class RowMaps(NamedTuple):
    """Copies of one table on one map."""

    scores: FloatArray
    """Coordinates of each row in each copy, shape (m, V, 2)."""
    explained: FloatArray
    """Share of the last copy's variance along both directions, shape (2,)."""


class SameClass(NamedTuple):
    """How often the nearest row belongs to a character of the same class."""

    share: float
    chance: float
    """The share if the nearest row were any other row."""


def row_maps(copies: ArrayLike) -> RowMaps:
    """Project copies of a table, shape (m, V, D), on the first two principal components of the last copy.

    All copies share the map, so that a row moves from one to the next only because it was trained.

    Raises
    ------
    ValueError
        If all rows of the last copy are equal.

    Examples
    --------
    >>> row_maps([[[0.0, 0], [0, 0]], [[1.0, 0], [3, 0]]]).scores[:, :, 0]
    array([[-2., -2.],
           [-1.,  1.]])
    """
    tables = as_floats("copies (m, V, D)", copies, (None, None, None)).astype(np.float64)
    last = pca(tables[-1], 2)
    scores = (tables - last.mean) @ last.components.T  # (m, V, D) -> (m, V, 2)
    return RowMaps(readonly(scores), last.explained)


def same_class(rows: ArrayLike, classes: Sequence[str]) -> SameClass:
    """How often the nearest row, by cosine around the mean row, is of the same class.

    Raises
    ------
    ValueError
        If there is not one class for each row, or there are fewer than two rows.

    Examples
    --------
    >>> same_class([[1.0, 0.1], [1.0, 0.0], [-1.0, 0.1], [-1.0, 0.0]], ["a", "a", "b", "b"])
    SameClass(share=1.0, chance=0.3333333333333333)
    """
    table = as_floats("rows (V, D)", rows, (len(classes), None)).astype(np.float64)
    if len(table) < 2:
        raise ValueError(f"a nearest row needs at least two rows; there are {len(table)}")
    cosines = cosine_matrix(table - table.mean(axis=0))
    np.fill_diagonal(cosines, -np.inf)
    _, of = np.unique(np.array(classes), return_inverse=True)
    others = np.bincount(of)[of] - 1
    return SameClass(
        share=float((of[cosines.argmax(axis=1)] == of).mean()),
        chance=float(others.mean() / (len(table) - 1)),
    )


def alike(first: ArrayLike, second: ArrayLike) -> float:
    """How far two tables agree on which rows are alike: 1 for full agreement, 0 for none.

    It is the correlation of their cosines over all pairs of different rows, taken around each mean row; 0
    where all rows of one table are equally alike. The tables may have different widths, and either may be
    turned: only likeness is compared.

    Raises
    ------
    ValueError
        If the tables have different numbers of rows, or fewer than three.

    References
    ----------
    Kriegeskorte, Mur and Bandettini 2008, "Representational similarity analysis", Frontiers in Systems
    Neuroscience 2 (comparing two spaces by the likeness of their points).

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((5, 3))
    >>> round(alike(rows, 2 * rows), 6), round(alike(rows, -rows), 6)
    (1.0, 1.0)
    """
    tables = [as_floats("rows (V, D)", rows, (None, None)).astype(np.float64) for rows in (first, second)]
    V = len(tables[0])
    if V < 3 or len(tables[1]) != V:
        raise ValueError(f"likeness needs the same three rows or more in both; got {V} and {len(tables[1])}")
    pairs = np.triu_indices(V, 1)
    a, b = (cosine_matrix(table - table.mean(axis=0))[pairs] for table in tables)
    defined = ~(np.isnan(a) | np.isnan(b))  # a row that equals the mean row has no direction left
    a, b = (
        cosines[defined] - cosines[defined].mean() if defined.any() else cosines[:0] for cosines in (a, b)
    )
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b / size) if size > 0 else 0.0


def commonest(counts: IntArray, most: int) -> IntArray:
    """Ids of the most frequent characters in rising order, all of them if they are no more than ``most``.

    Raises
    ------
    ValueError
        If ``most`` is not a whole number of at least 1.

    Examples
    --------
    >>> commonest(np.array([5, 1, 9, 9]), 2)
    array([2, 3])
    """
    return np.sort(np.argsort(-counts, kind="stable")[: check_count("most", most)])


def occurrences(text: str, tokens: Sequence[str]) -> IntArray:
    """Count characters in the part of a text that a model is trained on, as ``Corpus.counts`` does.

    Making the corpus sorts the whole text to find its characters; here they are known.

    Examples
    --------
    >>> occurrences("abracadabra" * 200, "abcdr").tolist()
    [900, 360, 180, 180, 360]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")[: held_out_from(len(text))]
    wanted = np.array([ord(token) for token in tokens])
    counts: IntArray = np.bincount(codes, minlength=int(wanted.max()) + 1)[wanted]
    return counts


@dataclass(frozen=True, eq=False)
class RowsShown:
    """The character rows of one run before training and at a moment.

    A run that is under way has not all of its copies yet; of many characters the commonest are shown.
    ``others`` are the copies of the matrix at the other end of the model: E for the output matrix.
    """

    copies: Sequence[Array] | Array
    others: Sequence[Array] | Array
    taken: Sequence[int]
    """Steps before each copy."""
    moment: int
    characters: tuple[str, ...]
    occurrences: IntArray

    @part
    def kept(self) -> IntArray:
        return commonest(self.occurrences, MOST_ROWS)

    @part
    def tokens(self) -> tuple[str, ...]:
        return tuple(self.characters[at] for at in self.kept)

    @part
    def classes(self) -> tuple[str, ...]:
        return tuple(map(character_class, self.tokens))

    @property
    def copy(self) -> int:
        last = len(self.copies) - 1
        return min(self.moment, last) if last < TENTHS else round(self.moment * last / TENTHS)

    @property
    def steps(self) -> int:
        return self.taken[self.copy]

    def ends(self, table: Sequence[Array] | Array) -> tuple[Array, Array]:
        """Rows at the start and at the moment; stored ones are half precision: a length has three digits."""
        before, now = (table[at][self.kept].astype(np.float64) for at in (0, self.copy))
        return before, now

    @part
    def maps(self) -> RowMaps:
        return row_maps([copy[self.kept] for copy in self.copies])

    @part
    def same_class(self) -> list[SameClass]:
        """Nearest rows of one class, before training and at the moment."""
        return [same_class(rows, self.classes) for rows in self.ends(self.copies)]

    @part
    def alike(self) -> list[float]:
        """How far both ends of the model agree on which characters are alike, before training and now."""
        return [alike(*both) for both in zip(self.ends(self.copies), self.ends(self.others), strict=True)]

    @part
    def movement(self) -> RowMovement:
        return row_movement(*self.ends(self.copies), self.occurrences[self.kept])


class Rows(Stored):
    """The rows on the map: the own run's, once it has copies of them, or those of a stored run."""

    @property
    def trained(self) -> Any:
        """The own run, if it has copies beside that of its start."""
        run = self.record.run if self.record else None
        return run if run and len(run.snapshots) > 1 else None

    @part
    def shown(self) -> RowsShown:
        run, rows, moment = self.trained, self.s.rows, self.s.moment
        if run is None:
            return _of_stored(self.runs, rows, moment)
        steps, E, output = zip(*((copy.step, copy.E, copy.output) for copy in run.snapshots), strict=True)
        copies, others = (output, E) if rows == "output" else (E, output)
        return RowsShown(copies, others, steps, moment, run.corpus.tokens, run.corpus.counts())


# runs are compared by identity: another data folder gives another object
@lru_cache(maxsize=1)
def _occurrences(runs: StoredRuns) -> IntArray:
    return occurrences(shakespeare(), runs.tokens)


@lru_cache(maxsize=2 * (TENTHS + 1))
def _of_stored(runs: StoredRuns, rows: str, moment: int) -> RowsShown:
    copies, others = (runs.output, runs.E) if rows == "output" else (runs.E, runs.output)
    return RowsShown(copies, others, runs.row_steps.tolist(), moment, runs.tokens, _occurrences(runs))
