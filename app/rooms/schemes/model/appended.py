"""The raw index as one component more of each token row, in place of a number added to all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.rooms.schemes.model.probe import Probe
from lab import attention
from lab.notation import FloatArray, readonly


@dataclass(frozen=True, eq=False)
class Appended:
    """Token rows [x, p] of width D + 1, and what the index is beside the token.

    Attributes
    ----------
    scores : numpy.ndarray
        Of one head, shape (T, T).
    token, position : float
        Norm of the token rows, and of their last components where every token stands at ``position``.
    share : float
        ``position / (position + token)``, as for what is added.
    """

    scores: FloatArray
    token: float
    position: float

    @property
    def share(self) -> float:
        """The index's part of the row."""
        return self.position / (self.position + self.token)

    @property
    def largest(self) -> float:
        """Largest magnitude of a score."""
        return float(np.abs(self.scores).max())


def appended_index(probe: Probe, position: int, head: int = 0) -> Appended:
    """Append the index to each row of the probe, the sequence standing at ``position .. position + T - 1``.

    Wq and Wk get one more row, drawn like the others, so q = x Wq + p w: the index reaches a score through
    its own weights alone, and still grows without bound.

    Parameters
    ----------
    head : int
        Counted from 0.

    Raises
    ------
    ValueError
        If the probe has no such head.

    References
    ----------
    No paper: the other first idea, beside `lab.positions.RawIndex`.

    Examples
    --------
    >>> from app.rooms.schemes.model.compare import make_probe
    >>> found = appended_index(make_probe(["a"], D=4, H=1, d=2, seed=0, trained=8), 4000)
    >>> found.position, found.share > 0.999
    (4000.0, True)
    """
    if not 0 <= head < probe.H:
        raise ValueError(f"there is no head {head}: the {probe.H} heads are 0 to {probe.H - 1}")
    index = (np.arange(probe.T) + float(position))[:, None]  # (T, 1)
    rows = np.concatenate([probe.x, index], axis=1)  # (T, D) -> (T, D + 1)
    q, k = (
        attention.split_heads(rows @ np.concatenate([W, more[None]]), probe.H)
        for W, more in ((probe.Wq, probe.Wq_more), (probe.Wk, probe.Wk_more))
    )
    scores = q[head] @ k[head].T / np.sqrt(probe.d)  # (T, d) (d, T) -> (T, T)
    # lengths are compared with every token at one position, as in `input_share`
    there = np.full(probe.T, float(position))
    return Appended(readonly(scores), float(np.linalg.norm(probe.x)), float(np.linalg.norm(there)))
