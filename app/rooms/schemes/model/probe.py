"""One x, one Wq and one Wk, and the scores that each scheme makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.rooms.schemes.model.own import Own
from lab import attention
from lab.notation import FloatArray, as_positions, check_count, readonly
from lab.order import known_rows
from lab.positions import SCHEMES, NoPosition

OUTLIER = 1.5
"""A scheme whose largest score is more than this many times the next one's does not set the common scale."""


@dataclass(frozen=True, eq=False)
class Probe:
    """What every scheme is given.

    Attributes
    ----------
    words : tuple of str
        The T tokens.
    x : numpy.ndarray
        Token rows without positions, shape (T, D); equal words have equal rows.
    Wq, Wk : numpy.ndarray
        Shape (D, H * d).
    H : int
        Heads.
    trained : int
        Positions seen in training: the rows of a learned table.
    schemes : mapping
        One scheme of each kind, by key.
    Wq_more, Wk_more : numpy.ndarray
        The row that Wq and Wk need more where each token row has one more component, shape (H * d,).
    """

    words: tuple[str, ...]
    x: FloatArray
    Wq: FloatArray
    Wk: FloatArray
    H: int
    trained: int
    schemes: Mapping[str, NoPosition]
    Wq_more: FloatArray
    Wk_more: FloatArray

    @property
    def T(self) -> int:
        """Tokens."""
        return len(self.words)

    @property
    def d(self) -> int:
        """Width of one head."""
        return int(self.Wq.shape[1]) // self.H


@dataclass(frozen=True, eq=False)
class Answer:
    """The scores of one head, shape (T, S), or the error with which the scheme refused."""

    scores: FloatArray | None
    error: str = ""

    @property
    def largest(self) -> float:
        """Largest magnitude, 0 where the scheme refused."""
        return 0.0 if self.scores is None else float(np.abs(self.scores).max(initial=0.0))


def make_probe(
    words: Sequence[str],
    *,
    D: int,
    H: int,
    d: int,
    seed: int,
    trained: int = 1024,
    kinds: Mapping[str, type[NoPosition]] | None = None,
    own: Own | None = None,
) -> Probe:
    """Draw one x, one Wq and one Wk, and build a scheme of each kind for these sizes.

    Rows of x have entries of variance 1; Wq and Wk have variance 1 / D, so that entries of q and k have
    variance 1 too. Each array has a generator of its own and is filled head by head: a longer text keeps
    the rows it had, and more heads keep the heads there were.

    Parameters
    ----------
    words : sequence of str
        At least one; a word drawn once keeps its row wherever it stands again.
    D, H, d : int
        Width of the model, heads, width of one head.
    seed : int
        Not negative.
    trained : int
        Rows of a learned table.
    kinds : mapping, optional
        The schemes by key, ``SCHEMES`` by default.
    own : Own, optional
        What is given in place of what would be drawn; it fits these sizes.

    Raises
    ------
    ValueError
        If there is no word, the seed is negative, or a size does not suit a scheme.

    Examples
    --------
    >>> probe = make_probe(["the", "cat", "the"], D=8, H=2, d=4, seed=0)
    >>> probe.x.shape, probe.Wq.shape, bool((probe.x[0] == probe.x[2]).all())
    ((3, 8), (8, 8), True)
    """
    if not words:
        raise ValueError("there must be at least one word to draw a row for; got none")
    if seed < 0:
        raise ValueError(f"the seed must not be negative; got {seed}")
    width, heads, head_width = check_count("width D", D), check_count("heads H", H), check_count("d", d)
    drawn, Wq, Wk = (_normal(seed, stream) for stream in range(3))
    more = [_normal(seed, stream).standard_normal(heads * head_width) / np.sqrt(width) for stream in (4, 5)]
    distinct = list(dict.fromkeys(words))
    rows = drawn.standard_normal((len(distinct), width))
    x: FloatArray = rows[[distinct.index(word) for word in words]]  # (distinct, D) -> (T, D)
    weights = {
        name: readonly(_projection(rng, width, heads, head_width)) for name, rng in (("Wq", Wq), ("Wk", Wk))
    }
    replaced: dict[str, NoPosition] = {}
    if own is not None:
        x = x if own.x is None else known_rows(words, own.words, own.x, x)
        weights.update(own.weights)
        replaced = own.schemes(head_width)
    return Probe(
        words=tuple(words),
        x=readonly(x),
        **weights,
        H=heads,
        trained=check_count("trained", trained),
        schemes={
            key: kind.build(D=width, H=heads, d=head_width, max_positions=trained, rng=_normal(seed, 3))
            for key, kind in (SCHEMES if kinds is None else kinds).items()
        }
        | replaced,
        Wq_more=readonly(more[0]),
        Wk_more=readonly(more[1]),
    )


def _normal(seed: int, stream: int) -> np.random.Generator:
    return np.random.default_rng([seed, stream])


def _projection(rng: np.random.Generator, D: int, H: int, d: int) -> FloatArray:
    heads = rng.standard_normal((H, D, d)) / np.sqrt(D)
    projection: FloatArray = np.concatenate(list(heads), axis=1)  # (H, D, d) -> (D, H * d)
    return projection


def ask(
    probe: Probe,
    key: str,
    x_q: ArrayLike,
    x_k: ArrayLike,
    q_pos: ArrayLike,
    k_pos: ArrayLike,
    head: int = 0,
) -> Answer:
    """Score token rows at given positions under one scheme: (T, D), (S, D) -> (T, S).

    Parameters
    ----------
    x_q, x_k : array_like
        Rows that ask and rows that answer, without positions.
    q_pos, k_pos : array_like of int
        Their positions, counted from 0, shape (T,) and (S,).
    head : int
        Counted from 0.

    Raises
    ------
    ValueError
        If the probe has no such scheme or head. A refusal of the scheme itself is part of the answer.

    Examples
    --------
    >>> probe = make_probe(["a"], D=4, H=1, d=2, seed=0, trained=8)
    >>> ask(probe, "learned", probe.x, probe.x, [8], [8]).error[:26]
    'position 8 has no row: the'
    """
    if key not in probe.schemes:
        raise ValueError(f"there is no scheme {key!r}; there are {', '.join(probe.schemes)}")
    if not 0 <= head < probe.H:
        raise ValueError(f"there is no head {head}: the {probe.H} heads are 0 to {probe.H - 1}")
    scheme, queries, keys = probe.schemes[key], as_positions(q_pos), as_positions(k_pos)
    try:
        q = attention.split_heads(scheme.add_to_input(x_q, queries) @ probe.Wq, probe.H)
        k = attention.split_heads(scheme.add_to_input(x_k, keys) @ probe.Wk, probe.H)
        scores = attention.scores(q, k, scheme, queries, keys)
    except ValueError as refusal:
        return Answer(None, str(refusal))
    return Answer(readonly(scores[head].copy()))


def score_matrix(probe: Probe, key: str, shift: int = 0, head: int = 0) -> Answer:
    """Score every token against every token, the sequence standing at ``shift .. shift + T - 1``.

    Examples
    --------
    >>> probe = make_probe(["a", "b"], D=4, H=1, d=2, seed=0)
    >>> still, moved = (score_matrix(probe, "rope", shift) for shift in (0, 500))
    >>> largest_change(still, moved) < 1e-12
    True
    """
    positions = np.arange(probe.T) + shift
    return ask(probe, key, probe.x, probe.x, positions, positions, head)


def score_by_distance(
    probe: Probe, key: str, span: int, shift: int = 0, head: int = 0, query: int = -1, answer: int = 0
) -> Answer:
    """Score the same two tokens at every distance from 0 to ``span``: shape (1, span + 1).

    The query stands at ``shift + span``, the key that many places before it, so that no position falls
    below ``shift``; the tokens do not change, hence whatever moves the score is position.

    Parameters
    ----------
    query, answer : int
        Places in the text of the token that asks and of the one that answers.

    Examples
    --------
    >>> probe = make_probe(["a", "b"], D=4, H=1, d=2, seed=0)
    >>> line = score_by_distance(probe, "alibi", span=2).scores
    >>> bool(np.allclose(np.diff(line), -1 / 256))
    True
    """
    distances = np.arange(check_count("span", span + 1))
    here = np.array([shift + span])
    keys = np.broadcast_to(probe.x[answer], (distances.size, probe.x.shape[1]))
    return ask(probe, key, probe.x[query][None], keys, here, here - distances, head)


def largest_change(before: Answer, after: Answer) -> float | None:
    """Return the largest difference between two answers, or None where one is a refusal.

    Examples
    --------
    >>> largest_change(Answer(np.array([[1.0, 2.0]])), Answer(np.array([[1.0, 2.5]])))
    0.5
    >>> largest_change(Answer(np.array([[1.0]])), Answer(None, "no row")) is None
    True
    """
    if before.scores is None or after.scores is None:
        return None
    return float(np.abs(after.scores - before.scores).max(initial=0.0))


def shared_scale(answers: Sequence[Answer]) -> float:
    """Return the magnitude at which a colour scale common to all answers should end.

    It is the largest score, or the second scheme's largest where one scheme alone is more than ``OUTLIER``
    times beyond it: a score that grows without bound would bleach all the others.

    Examples
    --------
    >>> shared_scale([Answer(np.array([[v]])) for v in (1.0, -2.0, 3.0, 500.0)])
    3.0
    """
    largest = sorted(answer.largest for answer in answers if answer.scores is not None)
    if len(largest) > 1 and largest[-1] > OUTLIER * largest[-2]:
        largest.pop()
    return (largest[-1] if largest else 0.0) or 1.0
