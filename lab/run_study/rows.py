"""Where the character rows of a run went, and how often each character occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.geometry import cosine_matrix, pca
from lab.notation import FloatArray, IntArray, as_floats, check_count, readonly
from lab.training.corpus import held_out_from


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
    """Project copies of a table on the first two principal components of the last copy.

    All copies share the map, so that a row moves from one to the next only because it was trained.

    Parameters
    ----------
    copies : array_like
        Copies in the order of time, shape (m, V, D).

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
    """Return how often the nearest row, by cosine around the mean row, is of the same class.

    Parameters
    ----------
    rows : array_like
        Shape (V, D).
    classes : sequence of str
        The class of each row.

    Raises
    ------
    ValueError
        If there is not one class a row, or there are fewer than two rows.

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
    """Return how far two tables agree on which rows are alike: 1 for full agreement, 0 for none.

    It is the correlation of their cosines over all pairs of different rows, taken around each mean row. The
    tables may have different widths, and either may be turned: only likeness is compared.

    Parameters
    ----------
    first, second : array_like
        Rows of the same tokens, shape (V, D) and (V, D').

    Returns
    -------
    float
        -1 to 1; 0 where all rows of one table are equally alike.

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
    """Return the ids of the most frequent characters in rising order, all of them if they are no more.

    Parameters
    ----------
    counts : numpy.ndarray of int
        Occurrences, shape (V,).
    most : int
        How many at most; comparing all rows with all needs their number squared.

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

    Parameters
    ----------
    text : str
        A whole text, as ``Corpus.from_text`` takes it.
    tokens : sequence of str
        Its characters; shape of the result.

    Examples
    --------
    >>> occurrences("abracadabra" * 200, "abcdr").tolist()
    [900, 360, 180, 180, 360]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")[: held_out_from(len(text))]
    wanted = np.array([ord(token) for token in tokens])
    counts: IntArray = np.bincount(codes, minlength=int(wanted.max()) + 1)[wanted]
    return counts
