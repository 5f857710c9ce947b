"""Dimension letters and shape checks: every shape error of the lab is raised here.

The letters are the same in code, axes, colours and prose:

====== ==========================================
letter meaning
====== ==========================================
T      tokens of a sequence (S where keys differ)
D      width of the model, of each row of X
V      entries of the vocabulary, rows of E
H      attention heads
d      width of one head; RoPE turns d / 2 pairs
====== ==========================================
"""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]


def as_matrix(name: str, value: ArrayLike, *, columns: int | None = None) -> Array:
    """Return ``value`` as a two-dimensional array, or say what it is instead.

    Parameters
    ----------
    name : str
        What the message calls the array, for example ``"E (V, D)"``.
    value : array_like
        Shape (rows, columns).
    columns : int, optional
        The width it must have.

    Raises
    ------
    ValueError
        If the value is not two-dimensional, or not ``columns`` wide.

    Examples
    --------
    >>> as_matrix("E (V, D)", [[1.0, 2.0]]).shape
    (1, 2)
    """
    array = np.asarray(value)
    if array.ndim != 2:
        raise ValueError(f"{name} must be a matrix; its shape is {array.shape}")
    if columns is not None and array.shape[1] != columns:
        raise ValueError(f"{name} must be {columns} wide; its shape is {array.shape}")
    return array


def as_positions(value: ArrayLike, *, length: int | None = None) -> IntArray:
    """Return positions as an integer array of shape (T,).

    Positions are always explicit, so shifts, left padding, packing and cache offsets are ordinary
    inputs. Whole floats are not accepted: bfloat16 and float16 positions collide (257 becomes 256).

    Parameters
    ----------
    value : array_like of int
        Shape (T,).
    length : int, optional
        The number of positions there must be.

    Raises
    ------
    ValueError
        If the positions are not integers, not one-dimensional, or not ``length`` many.

    Examples
    --------
    >>> as_positions([3, 4, 5])
    array([3, 4, 5])
    """
    array = np.asarray(value)
    if array.ndim != 1:
        raise ValueError(f"positions must have shape (T,); got {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        if array.size:
            raise ValueError(f"positions must be integers; got {array.dtype} starting with {array[0]!r}")
        array = array.astype(int)
    if length is not None and array.shape != (length,):
        raise ValueError(f"{length} tokens need {length} positions; got {array.shape[0]}")
    return array


def check_ids(ids: ArrayLike, V: int) -> IntArray:
    """Return token ids as an integer array of any shape, each in ``0 .. V - 1``.

    NumPy reads index -1 as the last row; a token id never means that, so it is refused.

    Raises
    ------
    ValueError
        If an id is not an integer, negative, or not below ``V``.

    Examples
    --------
    >>> check_ids([2, 0], V=4)
    array([2, 0])
    """
    array = np.asarray(ids)
    if array.size == 0:
        return array.astype(np.intp)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"token ids must be integers; got {array.dtype} starting with {array.flat[0]!r}")
    bad = (array < 0) | (array >= V)
    if bad.any():
        raise ValueError(f"token id {array[bad][0]} is outside the table: its {V} rows are 0 to {V - 1}")
    return array


def check_even(name: str, width: int) -> int:
    """Return ``width`` if it splits into pairs.

    Raises
    ------
    ValueError
        If the width is odd or below 2.

    Examples
    --------
    >>> check_even("head width d", 64)
    64
    """
    if not isinstance(width, (int, np.integer)) or width < 2 or width % 2:
        raise ValueError(
            f"{name} must be an even number of at least 2, so that it splits into pairs; got {width!r}"
        )
    return int(width)


def check_positive(name: str, value: float) -> float:
    """Return ``value`` if it is a finite number above 0.

    Raises
    ------
    ValueError
        If it is zero, negative, infinite or not a number.

    Examples
    --------
    >>> check_positive("base", 10_000.0)
    10000.0
    """
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{name} must be a finite number above 0; got {value!r}")
    return value


def check_distribution(name: str, value: ArrayLike) -> FloatArray:
    """Return probabilities as float64 of shape (V,).

    Raises
    ------
    ValueError
        If there are none, one is outside [0, 1], or they do not sum to 1.

    Examples
    --------
    >>> check_distribution("p (V,)", [0.5, 0.5])
    array([0.5, 0.5])
    """
    array = as_floats(name, value, (None,)).astype(np.float64, copy=False)
    outside = array[(array < 0) | (array > 1)]
    if outside.size:
        raise ValueError(f"{name} must hold probabilities, which lie between 0 and 1; got {outside[0]}")
    if not array.size or abs(array.sum() - 1.0) > 1e-6:
        raise ValueError(
            f"{name} must hold probabilities that sum to 1; they sum to {array.sum():.6g}. Divide by the sum"
        )
    return array


def readonly(array: Array) -> Array:
    """Mark an array read-only and return it: results are shared, never written to."""
    array.setflags(write=False)
    return array


def check_count(name: str, value: int) -> int:
    """Return ``value`` if it is a whole number of at least 1.

    Raises
    ------
    ValueError
        If it is zero, negative, fractional or not a number.

    Examples
    --------
    >>> check_count("heads H", 8)
    8
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}")
    return int(value)


def as_floats(name: str, value: ArrayLike, shape: tuple[int | EllipsisType | None, ...]) -> FloatArray:
    """Return ``value`` as an array of finite floats of the given shape.

    Floats keep their precision (float32 stays float32) and their identity; integers become float64.

    Parameters
    ----------
    name : str
        What the message calls the array, for example ``"q (H, T, d)"``.
    value : array_like
        Real numbers.
    shape : tuple
        One entry an axis: a length, or None for any length. A leading ``...`` allows batch axes.

    Raises
    ------
    ValueError
        If the value is not numeric, has another shape, or holds NaN or infinity.

    Examples
    --------
    >>> as_floats("x (..., T, D)", [[1, 2], [3, 4], [5, 6]], (..., 3, 2)).shape
    (3, 2)
    """
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold real numbers; its dtype is {array.dtype}")
    batched = bool(shape) and shape[0] is ...
    ending = shape[1:] if batched else shape
    tail = array.shape[array.ndim - len(ending) :] if array.ndim >= len(ending) else ()
    fits = len(tail) == len(ending) and (batched or array.ndim == len(ending))
    if not fits or any(want is not None and want != have for want, have in zip(ending, tail, strict=True)):
        wanted = ", ".join("..." if n is ... else "any" if n is None else str(n) for n in shape)
        raise ValueError(f"{name} must have shape ({wanted}); its shape is {array.shape}")
    floats: FloatArray = array if array.dtype.kind == "f" else array.astype(np.float64)
    if not np.isfinite(floats).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(floats))[0])
        raise ValueError(f"{name} must be finite; entry {where} is {floats[where]}")
    return floats
