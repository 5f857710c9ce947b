"""Optimizers seen from a row of the table: which rows does a step move?

Each rule takes the gradient as the rows that have one (`RowGradient`), or whole as (V, D). For the dense
rules a row that is not listed simply has gradient zero, which is not the same as not moving: momentum and
Adam remember, weight decay shrinks. The lazy rule skips such rows and so is another algorithm.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lab.embedding import RowGradient
from lab.notation import FloatArray, IntArray, as_floats, as_matrix, check_ids, check_positive


class RowOptimizer:
    """Base of the rules: the learning rate, the count of steps and the shape checks.

    Parameters
    ----------
    lr : float
        Learning rate, above 0.

    Raises
    ------
    ValueError
        If the learning rate is not a finite number above 0.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    moves_unseen: ClassVar[bool]
    """True where a row can move in a step in which its token did not occur."""
    sparse_in_pytorch: ClassVar[bool]
    """True where PyTorch's class of this rule accepts a sparse gradient. It refuses one where the rule
    has to visit every row."""

    def __init__(self, lr: float) -> None:
        self.lr = check_positive("learning rate", lr)
        self.steps = 0
        self._shape: tuple[int, ...] | None = None

    def step(self, E: FloatArray, gradient: RowGradient | FloatArray) -> None:
        """Move the rows of E in place.

        Parameters
        ----------
        E : ndarray of float
            Table, shape (V, D), writable.
        gradient : RowGradient or ndarray
            The rows that have a gradient, or all of it as (V, D).

        Raises
        ------
        ValueError
            If E is not a writable float matrix or has another shape than at the first step, or the gradient
            does not fit it or is not finite.
        """
        if not isinstance(E, np.ndarray):
            raise ValueError(f"E is changed in place, so it must be an array; got a {type(E).__name__}")
        as_matrix("E (V, D)", E)
        if not np.issubdtype(E.dtype, np.floating) or not E.flags.writeable:
            raise ValueError(f"E must be a writable float table; copy it first (dtype {E.dtype})")
        if self._shape not in (None, E.shape):
            raise ValueError(f"this rule remembers a table of shape {self._shape}; this one has {E.shape}")
        rows, summed = self._rows(E, gradient)
        self.steps += 1
        self._shape = E.shape
        self._move(E, rows, summed)

    def _rows(self, E: FloatArray, gradient: RowGradient | FloatArray) -> RowGradient:
        if isinstance(gradient, RowGradient):
            rows = check_ids(gradient.rows, len(E))
            summed = as_floats("summed (R, D)", gradient.summed, (None, E.shape[1]))
            if np.any(rows[1:] <= rows[:-1]) or len(rows) != len(summed):
                raise ValueError(
                    "a row gradient lists each row once, in rising order; make it with row_gradient"
                )
            return RowGradient(rows, summed)
        whole = as_floats("gradient (V, D)", gradient, (None, E.shape[1]))
        if len(whole) != len(E):
            raise ValueError(f"the gradient has {len(whole)} rows, the table {len(E)}")
        return RowGradient(np.arange(len(E)), whole)

    def _move(self, E: FloatArray, rows: IntArray, g: FloatArray) -> None:
        raise NotImplementedError


class SGD(RowOptimizer):
    """Plain gradient descent: only the rows that occurred move.

    Examples
    --------
    >>> E = np.zeros((3, 1))
    >>> SGD(lr=0.1).step(E, RowGradient(np.array([1]), np.array([[2.0]])))
    >>> E.ravel()
    array([ 0. , -0.2,  0. ])
    """

    key: ClassVar[str] = "sgd"
    title: ClassVar[str] = "SGD"
    moves_unseen: ClassVar[bool] = False
    sparse_in_pytorch: ClassVar[bool] = True

    def _move(self, E: FloatArray, rows: IntArray, g: FloatArray) -> None:
        E[rows] -= self.lr * g


class Momentum(RowOptimizer):
    """Gradient descent with a velocity: a row keeps moving after its token was seen.

    Parameters
    ----------
    lr : float
        Learning rate.
    momentum : float
        Share of the velocity kept at each step, in [0, 1).

    References
    ----------
    Sutskever et al. 2013, On the importance of initialization and momentum, equations 1 and 2, with the
    learning rate outside the velocity.

    Examples
    --------
    >>> E, rule = np.zeros((2, 1)), Momentum(lr=1.0, momentum=0.5)
    >>> for row in (0, 1):
    ...     rule.step(E, RowGradient(np.array([row]), np.array([[1.0]])))
    >>> E.ravel()
    array([-1.5, -1. ])
    """

    key: ClassVar[str] = "momentum"
    title: ClassVar[str] = "SGD with momentum"
    moves_unseen: ClassVar[bool] = True
    sparse_in_pytorch: ClassVar[bool] = True

    def __init__(self, lr: float, momentum: float = 0.9) -> None:
        super().__init__(lr)
        self.momentum = _fraction("momentum", momentum)
        self.velocity: FloatArray | None = None

    def _move(self, E: FloatArray, rows: IntArray, g: FloatArray) -> None:
        if self.velocity is None:
            self.velocity = np.zeros_like(E)
        self.velocity *= self.momentum
        self.velocity[rows] += g
        E -= self.lr * self.velocity


class Adam(RowOptimizer):
    """Adam over the whole table: rows that were seen once go on moving.

    Parameters
    ----------
    lr : float
        Learning rate.
    beta1, beta2 : float
        Share of the mean and of the mean square kept at each step, in [0, 1).
    eps : float
        Added to the root of the mean square.

    References
    ----------
    Kingma and Ba 2015, arXiv:1412.6980, algorithm 1.

    Examples
    --------
    >>> E = np.zeros((2, 1))
    >>> rule = Adam(lr=0.1)
    >>> for row in (0, 1, 1):
    ...     rule.step(E, RowGradient(np.array([row]), np.array([[1.0]])))
    >>> E[0].round(6)
    array([-0.218802])
    """

    key: ClassVar[str] = "adam"
    title: ClassVar[str] = "Adam"
    moves_unseen: ClassVar[bool] = True
    sparse_in_pytorch: ClassVar[bool] = False

    def __init__(self, lr: float, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(lr)
        self.beta1, self.beta2 = _fraction("beta1", beta1), _fraction("beta2", beta2)
        self.eps = check_positive("eps", eps)
        self.mean: FloatArray | None = None
        self.square: FloatArray | None = None

    def _moments(self, E: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.mean is None or self.square is None:
            self.mean, self.square = np.zeros_like(E), np.zeros_like(E)
        return self.mean, self.square

    def _move(self, E: FloatArray, rows: IntArray, g: FloatArray) -> None:
        mean, square = self._moments(E)
        mean *= self.beta1
        square *= self.beta2
        mean[rows] += (1 - self.beta1) * g
        square[rows] += (1 - self.beta2) * g * g
        E -= self._change(mean, square)

    def _change(self, mean: FloatArray, square: FloatArray) -> FloatArray:
        unbiased = mean / (1 - self.beta1**self.steps)
        root = np.sqrt(square / (1 - self.beta2**self.steps))
        change: FloatArray = self.lr * unbiased / (root + self.eps)
        return change


class AdamW(Adam):
    """Adam with decoupled weight decay: every row shrinks at each step, gradient or none.

    Parameters
    ----------
    lr, beta1, beta2, eps : float
        As in `Adam`.
    weight_decay : float
        Each step first multiplies the table by ``1 - lr * weight_decay``.

    References
    ----------
    Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2.

    Examples
    --------
    >>> E = np.full((2, 1), 0.5)
    >>> AdamW(lr=0.1, weight_decay=0.1).step(E, RowGradient(np.array([1]), np.array([[1.0]])))
    >>> E[0]
    array([0.495])
    """

    key: ClassVar[str] = "adamw"
    title: ClassVar[str] = "AdamW"

    def __init__(
        self,
        lr: float,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(lr, beta1, beta2, eps)
        if not np.isfinite(weight_decay) or not 0 <= lr * weight_decay < 1:
            raise ValueError(f"lr * weight_decay must be in [0, 1); got {lr} * {weight_decay}")
        self.weight_decay = weight_decay

    def _move(self, E: FloatArray, rows: IntArray, g: FloatArray) -> None:
        E *= 1 - self.lr * self.weight_decay
        super()._move(E, rows, g)


class LazyAdam(Adam):
    """Adam on the listed rows alone: the memory of other rows neither fades nor moves them.

    This is PyTorch's SparseAdam. Its bias correction counts all steps, not the steps of a row, so the size
    of a row's first step depends on when its token first occurs.

    Raises
    ------
    ValueError
        In `step`, if the gradient is whole: it does not say which rows occurred.

    Examples
    --------
    >>> E = np.zeros((2, 1))
    >>> rule = LazyAdam(lr=0.1)
    >>> for row in (0, 1, 1):
    ...     rule.step(E, RowGradient(np.array([row]), np.array([[1.0]])))
    >>> E[0].round(6)
    array([-0.1])
    """

    key: ClassVar[str] = "lazy_adam"
    title: ClassVar[str] = "Lazy Adam (SparseAdam)"
    moves_unseen: ClassVar[bool] = False
    sparse_in_pytorch: ClassVar[bool] = True

    def _rows(self, E: FloatArray, gradient: RowGradient | FloatArray) -> RowGradient:
        if not isinstance(gradient, RowGradient):
            raise ValueError(
                "lazy Adam needs to know which rows occurred: give it a RowGradient, not a whole table"
            )
        return super()._rows(E, gradient)

    def _move(self, E: FloatArray, rows: IntArray, g: FloatArray) -> None:
        mean, square = self._moments(E)
        mean[rows] = self.beta1 * mean[rows] + (1 - self.beta1) * g
        square[rows] = self.beta2 * square[rows] + (1 - self.beta2) * g * g
        E[rows] -= self._change(mean[rows], square[rows])

    def _change(self, mean: FloatArray, square: FloatArray) -> FloatArray:
        # PyTorch adds eps to the root before its bias is taken away; algorithm 1, and Adam there, do so after
        unbias = np.sqrt(1 - self.beta2**self.steps) / (1 - self.beta1**self.steps)
        change: FloatArray = self.lr * unbias * mean / (np.sqrt(square) + self.eps)
        return change


def _fraction(name: str, value: float) -> float:
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be in [0, 1); got {value!r}")
    return value


ROW_OPTIMIZERS: dict[str, type[RowOptimizer]] = {
    rule.key: rule for rule in (SGD, Momentum, Adam, AdamW, LazyAdam)
}
"""The rules by key."""
