"""What a position scheme does to one fixed run of positions, as tables for the training loop.

The hooks of a scheme check every call and work in float64. A training step meets the same positions each
time, so each hook is asked once, and what it does is kept as an array: the rows it adds, the linear map
it applies to q and k, the bias with the causal mask in it. Only the hooks are used, so any scheme will do.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, FloatArray, IntArray, as_positions
from lab.positions import Scheme

LAW_ATOL = 1e-9


class Turn(Protocol):
    """The map of q and k at each position, the division of q by sqrt(d) included."""

    def apply(self, qk: Array) -> None:
        """Change q and k in place: (B, T, 2, H, d)."""
        ...

    def adjoint(self, grad: Array) -> None:
        """Change the gradient of q and k in place: (B, T, 2, H, d)."""
        ...


class _Scale:
    """No turn: q is divided by sqrt(d), k stays."""

    def __init__(self, d: int, dtype: np.dtype[np.floating]) -> None:
        self._scale = dtype.type(1 / math.sqrt(d))

    def apply(self, qk: Array) -> None:
        qk[:, :, 0] *= self._scale

    adjoint = apply


class _PairTurn:
    """Neighbouring dimensions turn as one complex number, d / 2 of them at each position."""

    def __init__(self, matrices: FloatArray, H: int, dtype: np.dtype[np.floating]) -> None:
        d = matrices.shape[-1]
        numbers = matrices[:, 0::2, 0::2] + 1j * matrices[:, 1::2, 0::2]  # (T, d / 2, d / 2)
        numbers = np.diagonal(numbers, axis1=1, axis2=2)  # (T, d / 2)
        self._complex = np.result_type(dtype, np.complex64)
        both = np.stack([numbers / math.sqrt(d), numbers], axis=1)  # (T, 2, d / 2)
        # repeated for every head, so that the product runs over whole rows and not over d / 2 numbers
        self._numbers = np.repeat(both[:, :, None], H, axis=2).astype(self._complex)  # (T, 2, H, d / 2)
        self._conjugates = self._numbers.conj()

    def apply(self, qk: Array) -> None:
        pairs = qk.view(self._complex)  # (B, T, 2, H, d) -> (B, T, 2, H, d / 2)
        pairs *= self._numbers

    def adjoint(self, grad: Array) -> None:
        pairs = grad.view(self._complex)
        pairs *= self._conjugates


class _MatrixTurn:
    """Any other linear map, one (d, d) matrix a position."""

    def __init__(self, matrices: FloatArray, dtype: np.dtype[np.floating]) -> None:
        d = matrices.shape[-1]
        both = np.stack([matrices / math.sqrt(d), matrices], axis=1)  # (T, 2, d, d)
        # row vectors are multiplied from the right, hence the transpose in the forward direction
        self._transposed = both.swapaxes(-1, -2).astype(dtype)
        self._matrices = both.astype(dtype)

    def apply(self, qk: Array) -> None:
        qk[...] = qk @ self._transposed

    def adjoint(self, grad: Array) -> None:
        grad[...] = grad @ self._matrices


def _is_pairwise(matrices: FloatArray) -> bool:
    """Whether each (2i, 2i + 1) block is a turn with a scale, and all else is 0."""
    d = matrices.shape[-1]
    if d % 2:
        return False
    blocks = np.kron(np.eye(d // 2), np.ones((2, 2)))
    same = np.allclose(matrices[:, 0::2, 0::2], matrices[:, 1::2, 1::2], rtol=0, atol=LAW_ATOL)
    opposite = np.allclose(matrices[:, 0::2, 1::2], -matrices[:, 1::2, 0::2], rtol=0, atol=LAW_ATOL)
    return bool(same and opposite and np.allclose(matrices * (1 - blocks), 0, rtol=0, atol=LAW_ATOL))


def _turn(scheme: Scheme, pos: IntArray, H: int, d: int, dtype: np.dtype[np.floating]) -> Turn:
    basis = np.broadcast_to(np.eye(d)[:, None], (d, pos.size, d))  # (d, T, d)
    images = np.asarray(scheme.rotate(basis, pos))
    matrices = images.transpose(1, 2, 0)  # (d, T, d) -> (T, d, d), column i the image of axis i
    probe = np.linspace(-1.0, 1.0, pos.size * d).reshape(pos.size, d)
    wanted = np.matmul(matrices, probe[..., None])[..., 0]
    if not np.allclose(scheme.rotate(probe, pos), wanted, rtol=0, atol=LAW_ATOL):
        raise ValueError(f"rotate of scheme {scheme.key!r} is not linear; the training loop needs it to be")
    if np.array_equal(matrices, np.broadcast_to(np.eye(d), matrices.shape)):
        return _Scale(d, dtype)
    return _PairTurn(matrices, H, dtype) if _is_pairwise(matrices) else _MatrixTurn(matrices, dtype)


def _masked_bias(scheme: Scheme, pos: IntArray, H: int, dtype: np.dtype[np.floating]) -> Array:
    """Return the bias with -inf ahead of each query: (H, T, T), or (1, T, T) where heads agree."""
    bias = np.asarray(scheme.bias(pos, pos), dtype=np.float64)
    T = pos.size
    if bias.ndim == 0:
        bias = np.broadcast_to(bias, (1, T, T))
    elif bias.shape != (H, T, T):
        raise ValueError(f"bias of scheme {scheme.key!r} must be ({H}, {T}, {T}); its shape is {bias.shape}")
    masked = np.where(np.tri(T, dtype=bool), bias, -np.inf)
    # softmax does not see a shift of a row; with 0 as its largest bias a row's exponentials stay in range
    masked -= masked.max(axis=-1, keepdims=True)
    return masked.astype(dtype)


class Window:
    """Tables of a scheme for one run of positions.

    Parameters
    ----------
    scheme : Scheme
        Any scheme; only its hooks are used.
    pos : array_like of int
        Shape (T,).
    D, H, d : int
        Width, heads, width of a head.
    dtype : str
        Precision of the tables.

    Raises
    ------
    ValueError
        If the scheme refuses a position, if ``rotate`` is not linear, if ``add_to_input`` does more than add,
        or if the bias has another shape.

    Examples
    --------
    >>> from lab.positions import RawIndex
    >>> Window(RawIndex(), [0, 1], D=4, H=2, d=2, dtype="float64").added
    array([[0., 0., 0., 0.],
           [1., 1., 1., 1.]])
    """

    def __init__(self, scheme: Scheme, pos: ArrayLike, *, D: int, H: int, d: int, dtype: str) -> None:
        self.pos = as_positions(pos)
        self._dtype = np.dtype(dtype)
        self._zeros = np.zeros((self.pos.size, D))
        self.added: Array = self._rows(scheme)
        probe = np.linspace(-1.0, 1.0, self._zeros.size).reshape(self._zeros.shape)
        change = scheme.add_to_input(probe, self.pos) - probe
        if not np.allclose(change, self.added, rtol=1e-6, atol=1e-6):
            raise ValueError(
                f"add_to_input of scheme {scheme.key!r} does more than add a row; "
                "the training loop needs a sum"
            )
        self.turn = _turn(scheme, self.pos, H, d, self._dtype)
        self.bias = _masked_bias(scheme, self.pos, H, self._dtype)

    def _rows(self, scheme: Scheme) -> Array:
        return scheme.add_to_input(self._zeros, self.pos).astype(self._dtype)

    def refresh(self, scheme: Scheme) -> None:
        """Ask for the added rows again: the scheme has trained arrays, and they have moved."""
        self.added = self._rows(scheme)
