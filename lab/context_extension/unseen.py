"""Which angles of a stretched window the model never met in training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.context_extension.measures import check_frequencies
from lab.notation import FloatArray, IntArray, check_count, readonly

TURN = 2 * np.pi
SLACK = 1e-9  # distances are whole: an end that lies within rounding of a whole number is that number
WIDEST = 2**24


@dataclass(frozen=True)
class UnseenAngles:
    """Angles new to the model, by pair and distance.

    Attributes
    ----------
    covered : numpy.ndarray
        Arc of angles met in training, from 0, in radians up to 2π: shape (pairs,).
    share : numpy.ndarray
        Share of the distances 0 .. target - 1 whose angle is new: shape (pairs,).
    edges : numpy.ndarray
        Distances that bound the bins: shape (bins + 1,).
    map : numpy.ndarray
        Share of the distances of each bin whose angle is new: shape (pairs, bins).
    first : numpy.ndarray
        The first distance with a new angle, or -1 if there is none: shape (pairs,).
    """

    covered: FloatArray
    share: FloatArray
    edges: IntArray
    map: FloatArray
    first: IntArray

    @property
    def total(self) -> float:
        """Share of all (pair, distance) angles that are new."""
        return float(self.share.mean())


def unseen_angles(
    inv_freq_new: ArrayLike, inv_freq_trained: ArrayLike, trained: int, target: int, bins: int = 64
) -> UnseenAngles:
    """Find which angles, modulo 2π, each pair never met at the distances 0 .. trained - 1 of training.

    A trained angle stands for the step up to the next one: distance n covers the arc from n w to (n + 1) w.
    So a pair of frequency w has covered [0, trained * w), or the whole circle once it completed a turn, and
    angles that fall between two trained ones count as met. Whole distances are counted in closed form, turn
    by turn: the cost depends on the turns of slow pairs and the bins, not on the window.

    Parameters
    ----------
    inv_freq_new, inv_freq_trained : array_like
        Radians per position in use now, and in training: shape (pairs,).
    trained, target : int
        Positions of the trained window and of the one in use.
    bins : int
        Bins of distance in the map; fewer if the target is shorter.

    Raises
    ------
    ValueError
        If the frequencies do not match each other, are negative or not finite, or a length is below 1 or
        above 16,777,216.

    Examples
    --------
    Plain RoPE at twice the trained window: pair 0 has turned often, pair 1 meets new angles throughout the
    second half; interpolated, it meets none.

    >>> unseen_angles([1.0, 0.01], [1.0, 0.01], trained=100, target=200).share
    array([0. , 0.5])
    >>> unseen_angles([0.5, 0.005], [1.0, 0.01], trained=100, target=200).share
    array([0., 0.])
    """
    # distances are whole, so whole turns a step change no angle
    new = check_frequencies("inv_freq_new", inv_freq_new) % TURN
    old = check_frequencies("inv_freq_trained", inv_freq_trained)
    if new.shape != old.shape or new.size == 0:
        raise ValueError(
            f"inv_freq_new and inv_freq_trained must have one entry for each pair; "
            f"got {new.size} and {old.size}"
        )
    for name, length in (("trained length", trained), ("target length", target)):
        if check_count(name, length) > WIDEST:
            raise ValueError(f"{name} must be at most {WIDEST:,}; got {length:,}")
    count = min(check_count("bins", bins), target)
    edges = np.round(np.linspace(0, target, count + 1)).astype(np.int64)
    covered = np.minimum(trained * old.astype(np.float64), TURN)
    cumulated = np.zeros((new.size, count + 1), dtype=np.int64)
    first = np.full(new.size, -1)
    for pair in np.flatnonzero((covered < TURN) & (new > 0)):
        starts, ends = _met(float(new[pair]), float(covered[pair]), target)
        cumulated[pair] = edges - _count_before(edges, starts, ends)
        after_turn_0 = int(ends[0])
        if after_turn_0 < target and cumulated[pair, -1]:
            first[pair] = after_turn_0
    return UnseenAngles(
        covered=readonly(covered),
        share=readonly(cumulated[:, -1] / target),
        edges=readonly(edges),
        map=readonly(np.diff(cumulated, axis=1) / np.diff(edges)),
        first=readonly(first),
    )


def turns_counted(
    inv_freq_new: ArrayLike, inv_freq_trained: ArrayLike, trained: int, target: int
) -> FloatArray:
    """Return how many turns ``unseen_angles`` looks at in each pair, which is what it costs: (pairs,).

    Pairs that came full circle in training, and pairs that stand still, cost nothing.

    Parameters
    ----------
    inv_freq_new, inv_freq_trained : array_like
        As for ``unseen_angles``.
    trained, target : int
        The same.

    Raises
    ------
    ValueError
        If a frequency is negative or not finite.

    Examples
    --------
    >>> turns_counted([1.0, 0.01], [1.0, 0.01], trained=100, target=2000).round(1)
    array([0. , 4.2])
    """
    new = check_frequencies("inv_freq_new", inv_freq_new) % TURN
    old = check_frequencies("inv_freq_trained", inv_freq_trained)
    turns: FloatArray = np.where((trained * old < TURN) & (new > 0), target * new / TURN + 1, 0.0)
    return turns


def _met(frequency: float, covered: float, target: int) -> tuple[IntArray, IntArray]:
    """Return the runs [start, end) of distances whose angle is in the covered arc, one run a turn."""
    turns = np.arange(int(target * frequency / TURN) + 1)
    starts = np.ceil(turns * TURN / frequency - SLACK)
    ends = np.maximum(np.ceil((turns * TURN + covered) / frequency - SLACK), starts)
    ends[0] = max(ends[0], 1.0)  # angle 0 was met even by a pair that never turned
    bounds = np.minimum(np.stack([starts, ends]), target).astype(np.int64)
    return bounds[0], bounds[1]


def _count_before(edges: IntArray, starts: IntArray, ends: IntArray) -> IntArray:
    """Count the distances below each edge that lie in one of the runs."""
    before = np.concatenate([[0], np.cumsum(ends - starts)])  # in all runs that come earlier
    run = np.searchsorted(starts, edges, side="right") - 1
    inside = np.minimum(edges, ends[run]) - starts[run]
    counted: IntArray = before[run] + inside
    return counted
