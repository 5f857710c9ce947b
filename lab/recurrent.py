"""A recurrent layer: it reads token after token, so order is built into what it computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, as_floats, check_count


@dataclass(frozen=True, eq=False)
class Recurrent:
    """One recurrent layer with drawn weights: h_t = tanh(x_t Wx + h_(t-1) Wh), from h of 0.

    Attributes
    ----------
    Wx, Wh : numpy.ndarray
        Shape (D, D); normal numbers with variance 1 / D, as in `lab.order.Layer`.

    References
    ----------
    Elman 1990, Finding Structure in Time, Cognitive Science 14 (2).
    """

    Wx: FloatArray
    Wh: FloatArray

    @classmethod
    def draw(cls, D: int, seed: int) -> Self:
        """Draw the weights from a generator of their own, the second that spawns from ``seed``.

        Raises
        ------
        ValueError
            If the width is below 1.
        """
        rng = np.random.default_rng(seed).spawn(2)[1]
        Wx, Wh = rng.standard_normal((2, D, check_count("width D", D))) / np.sqrt(D)
        return cls(Wx, Wh)

    def read(self, x: ArrayLike) -> FloatArray:
        """Read the rows one by one: (T, D) -> (T, D), the state after each.

        Raises
        ------
        ValueError
            If the rows are not finite numbers of the layer's width.

        Examples
        --------
        >>> Recurrent(np.ones((1, 1)), np.ones((1, 1))).read([[1.0], [0.0]]).round(3)
        array([[0.762],
               [0.642]])
        """
        rows = as_floats("x (T, D)", x, (None, len(self.Wx)))
        state, states = np.zeros(len(self.Wx)), np.empty_like(rows)
        for t, row in enumerate(rows):
            state = np.tanh(row @ self.Wx + state @ self.Wh)  # (D,)
            states[t] = state
        return states
