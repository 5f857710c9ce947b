"""A language model of one block, small enough to run at every move of a control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from lab.attention import Attention, causal_mask
from lab.embedding import lookup
from lab.notation import FloatArray, as_positions, check_ids, readonly
from lab.order import Layer


@dataclass(frozen=True, eq=False)
class TinyModel:
    """Tokens, one attention block with its residual, and logits through the tied table.

    Attributes
    ----------
    E : numpy.ndarray
        Token rows, shape (V, D).
    layer : Layer
        The attention and its position scheme.

    Examples
    --------
    >>> model = TinyModel.draw("rope", seed=0)
    >>> model.logits([3, 4, 5]).shape
    (3, 12)
    """

    E: FloatArray
    layer: Layer

    @classmethod
    def draw(cls, scheme: str, *, seed: int, V: int = 12, D: int = 16, H: int = 2, places: int = 64) -> Self:
        """Draw a model: rows and weights from ``seed``, the same for every scheme.

        Raises
        ------
        ValueError
            If the scheme is unknown, or D does not split into H heads.
        """
        E = np.random.default_rng([seed, V]).standard_normal((V, D)) / np.sqrt(D)
        return cls(readonly(E), Layer.draw(scheme, D=D, H=H, max_positions=places, seed=seed))

    def attend(
        self, ids: ArrayLike, pos: ArrayLike | None = None, mask: ArrayLike | None = None
    ) -> Attention:
        """Attend within one sequence, causally and from position 0 unless told otherwise: (T,) ids.

        Raises
        ------
        ValueError
            If an id has no row, or positions or mask do not fit.
        """
        ids = check_ids(ids, len(self.E))
        places = np.arange(len(ids))
        if mask is None:
            mask = causal_mask(places, places)
        return self.layer.attend(lookup(self.E, ids), pos=places if pos is None else pos, mask=mask)

    def logits(
        self, ids: ArrayLike, pos: ArrayLike | None = None, mask: ArrayLike | None = None
    ) -> FloatArray:
        """Return the scores of the next token after each token: (T,) -> (T, V).

        Raises
        ------
        ValueError
            If an id has no row, or positions or mask do not fit.
        """
        ids = check_ids(ids, len(self.E))
        where = as_positions(np.arange(len(ids)) if pos is None else pos, length=len(ids))
        rows = self.layer.scheme.add_to_input(lookup(self.E, ids), where)  # (T,) -> (T, D)
        hidden = rows + self.attend(ids, where, mask).output
        logits: FloatArray = hidden @ self.E.T  # (T, D) -> (T, V)
        return logits
