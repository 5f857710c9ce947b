"""From ids to X: the lookup, the same as a matrix product, scaling, and the place of positions."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from lab.notation import Array, FloatArray, as_matrix, as_positions, check_count, check_ids


class AddsToInput(Protocol):
    """A position scheme, as far as the input knows it."""

    def add_to_input(self, x: ArrayLike, pos: ArrayLike) -> FloatArray:
        """Return the rows with their positions added: (T, D), (T,) -> (T, D)."""
        ...


def lookup(E: ArrayLike, ids: ArrayLike) -> Array:
    """Return the rows of a table that the ids name.

    Parameters
    ----------
    E : array_like
        Embedding table, shape (V, D).
    ids : array_like of int
        Any shape.

    Returns
    -------
    ndarray
        Copies of the rows, shape ``ids.shape + (D,)``. The same id gets the same row wherever it stands.

    Raises
    ------
    ValueError
        If E is no matrix, or an id is not one of its rows. NumPy would read -1 as the last row.

    References
    ----------
    Mikolov et al. 2013, arXiv:1301.3781, section 3 (the projection layer).

    Examples
    --------
    >>> lookup([[1.0, 2.0], [3.0, 4.0]], [1, 0, 1])
    array([[3., 4.],
           [1., 2.],
           [3., 4.]])
    """
    table = as_matrix("E (V, D)", E)
    rows: Array = table[check_ids(ids, len(table))]  # (...,) -> (..., D)
    return rows


def one_hot(ids: ArrayLike, V: int, dtype: DTypeLike = np.float64) -> Array:
    """Return a row of zeros with a single one for each id.

    Parameters
    ----------
    ids : array_like of int
        Any shape.
    V : int
        Length of a row.
    dtype : dtype, optional
        Of the result.

    Returns
    -------
    ndarray
        Shape ``ids.shape + (V,)``. Rows of different ids are orthogonal: the code knows no likeness.

    Raises
    ------
    ValueError
        If an id is not in ``0 .. V - 1``.

    Examples
    --------
    >>> one_hot([2, 0], 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    checked = check_ids(ids, check_count("V", V))
    rows = np.zeros((checked.size, V), dtype=dtype)
    rows[np.arange(checked.size), checked.ravel()] = 1
    return rows.reshape(*checked.shape, V)


def one_hot_product(E: ArrayLike, ids: ArrayLike) -> Array:
    """Return one-hot(ids) times E: the lookup written as a matrix product.

    For a table of finite numbers it equals `lookup` bit for bit: each sum has one term ``1 * e`` and
    otherwise zeros. It differs where a row that nobody picked holds NaN or infinity: ``0 * NaN`` is NaN,
    so the product spoils every result, while a gather never reads that row. (A picked ``-0.0`` comes back
    as ``0.0``, which compares equal.)

    Parameters
    ----------
    E : array_like
        Embedding table, shape (V, D).
    ids : array_like of int
        Any shape.

    Returns
    -------
    ndarray
        Shape ``ids.shape + (D,)``.

    Raises
    ------
    ValueError
        If E is no matrix, or an id is not one of its rows.

    Examples
    --------
    >>> one_hot_product([[0.1, -0.3], [0.4, 0.2]], [1])
    array([[0.4, 0.2]])
    """
    table = as_matrix("E (V, D)", E)
    chosen = one_hot(ids, len(table), dtype=table.dtype)
    with np.errstate(invalid="ignore"):  # 0 * inf is part of what this form shows
        product: Array = chosen @ table  # (..., V) (V, D) -> (..., D)
    return product


def scale(X: ArrayLike, D: int) -> Array:
    """Return X times √D, as the first transformer does before it adds positions.

    Parameters
    ----------
    X : array_like
        Token rows, shape (..., D).
    D : int
        Width of the model.

    Raises
    ------
    ValueError
        If D is not the width of X.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, section 3.4.

    Examples
    --------
    >>> scale([[1.0, 0.0, 0.0, -0.5]], 4)
    array([[ 2.,  0.,  0., -1.]])
    """
    rows = np.asarray(X)
    if rows.ndim == 0 or rows.shape[-1] != check_count("D", D):
        raise ValueError(f"X must be {D} wide to be scaled by √{D}; its shape is {rows.shape}")
    # a Python float is weak: float32 rows stay float32
    return rows * float(np.sqrt(D))


def embed(
    E: ArrayLike,
    ids: ArrayLike,
    scheme: AddsToInput | None = None,
    pos: ArrayLike | None = None,
    *,
    scale: bool = False,
) -> Array:
    """Return X, the matrix that the first block works on.

    Parameters
    ----------
    E : array_like
        Embedding table, shape (V, D).
    ids : array_like of int
        Shape (T,).
    scheme : object with ``add_to_input``, optional
        A position scheme; RoPE and ALiBi add nothing here. None adds nothing either.
    pos : array_like of int, optional
        Position of each token, shape (T,); by default they count from 0.
    scale : bool
        Multiply the token rows by √D before positions are added.

    Returns
    -------
    ndarray
        Shape (T, D).

    Raises
    ------
    ValueError
        If ids are no sequence of rows of E, or positions do not fit them or the scheme.

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, sections 3.4 and 3.5.

    Examples
    --------
    >>> from lab.positions import Learned
    >>> embed([[1.0, 0.0], [0.0, 1.0]], [1, 1], Learned([[0.0, 0.0], [0.5, -0.5]]))
    array([[0. , 1. ],
           [0.5, 0.5]])
    """
    X = lookup(E, ids)  # (T,) -> (T, D)
    if X.ndim != 2:
        raise ValueError(f"ids must be one sequence of shape (T,); got shape {X.shape[:-1]}")
    T, D = X.shape
    if scale:
        X = _times_root_width(X, D)
    places = as_positions(np.arange(T) if pos is None else pos, length=T)
    return X if scheme is None else scheme.add_to_input(X, places)


# inside embed the switch has the function's name, as in the reader's URL
_times_root_width = scale


def swap_places(sequence: ArrayLike, first: int, second: int) -> Array:
    """Return a copy with two entries of the first axis exchanged.

    Parameters
    ----------
    sequence : array_like
        Ids of shape (T,), or rows of shape (T, ...).
    first, second : int
        Places, counted from 0.

    Raises
    ------
    ValueError
        If a place is not in ``0 .. T - 1``.

    Examples
    --------
    >>> swap_places([0, 2, 4, 5, 1], 1, 2)
    array([0, 4, 2, 5, 1])
    """
    swapped = np.array(sequence)
    T = len(swapped) if swapped.ndim else 0
    for place in (first, second):
        if not 0 <= place < T:
            raise ValueError(f"place {place} is not in the sequence: its {T} places are 0 to {T - 1}")
    swapped[[first, second]] = swapped[[second, first]]
    return swapped
