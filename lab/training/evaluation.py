"""Held-out loss: over all characters, by position in the window, and beyond the trained length.

Each measurement comes twice: as a function that returns its result, and as a generator that stops every
few milliseconds with the part that is done, so that a page can stay awake, and returns the same result.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from lab.notation import Array, IntArray, check_count, readonly
from lab.training.corpus import Corpus
from lab.transformer import Transformer, Window

Result = TypeVar("Result")
Progress = Generator[float, None, Result]
"""Yields the part that is done, 0 to 1, and returns the result."""

CHUNK_TOKENS = 512


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Loss on held-out text, in nats a character.

    Attributes
    ----------
    loss : float
        Mean over all targets.
    by_position : numpy.ndarray
        Mean at each place of the window, shape (T,).
    characters : int
        Targets measured.
    """

    loss: float
    by_position: Array
    characters: int


@dataclass(frozen=True, eq=False)
class LongTest:
    """Loss at positions up to a multiple of the trained length, the same characters in every bin.

    Attributes
    ----------
    edges : numpy.ndarray
        Bin i holds positions ``edges[i]`` to ``edges[i + 1] - 1``; shape (bins + 1,).
    loss : numpy.ndarray
        Mean loss of each bin in nats, shape (bins,); NaN where the scheme refused.
    characters : int
        Targets of each bin.
    trained : int
        Positions seen in training, T.
    refusal : str or None
        The scheme's own error, if it refused a position.
    """

    edges: IntArray
    loss: Array
    characters: int
    trained: int
    refusal: str | None


def finish(progress: Progress[Result]) -> Result:
    """Run a generator to its end and return its result.

    Examples
    --------
    >>> def two_halves():
    ...     yield 0.5
    ...     yield 1.0
    ...     return "done"
    >>> finish(two_halves())
    'done'
    """
    while True:
        try:
            next(progress)
        except StopIteration as end:
            result: Result = end.value
            return result


def held_out_windows(corpus: Corpus, T: int, windows: int | None = None) -> tuple[IntArray, IntArray]:
    """Return fixed windows of the held-out part and their next characters: two arrays of (windows, T).

    The windows do not overlap. Fewer than all of them are spread evenly, so every scheme and every seed is
    measured on the same characters.

    Parameters
    ----------
    corpus : Corpus
        Text.
    T : int
        Characters of a window.
    windows : int, optional
        How many; all by default, and all if there are fewer.

    Raises
    ------
    ValueError
        If not one window fits.

    Examples
    --------
    >>> from lab.training import shakespeare_corpus
    >>> ids, targets = held_out_windows(shakespeare_corpus(), T=32, windows=8)
    >>> ids.shape, bool((ids[:, 1:] == targets[:, :-1]).all())
    ((8, 32), True)
    """
    starts = np.arange(0, corpus.held_out.size - T, T)
    if not starts.size:
        raise ValueError(
            f"the held-out part has {corpus.held_out.size} characters, too few for a window of {T} and the "
            "next one; take a smaller T or a longer text"
        )
    if windows is not None and check_count("windows", windows) < starts.size:
        starts = starts[np.linspace(0, starts.size - 1, windows).astype(int)]
    cut = corpus.held_out[starts[:, None] + np.arange(T + 1)]  # (windows, T + 1)
    return cut[:, :-1], cut[:, 1:]


def evaluating(model: Transformer, corpus: Corpus, windows: int | None = None) -> Progress[Evaluation]:
    """Measure as ``evaluate`` does, a few windows at a time: yields the share that is done.

    Raises
    ------
    ValueError
        If not one window fits into the held-out part.
    """
    T = model.config.T
    ids, targets = held_out_windows(corpus, T, windows)
    losses = np.zeros(ids.shape)
    size = max(1, CHUNK_TOKENS // T)
    for start in range(0, len(ids), size):
        part = slice(start, start + size)
        losses[part] = model.losses(ids[part], targets[part])
        yield min(1.0, (start + size) / len(ids))
    return Evaluation(float(losses.mean()), readonly(losses.mean(axis=0)), losses.size)


def evaluate(model: Transformer, corpus: Corpus, windows: int | None = None) -> Evaluation:
    """Return the loss on the held-out part, over all and by position in the window.

    Parameters
    ----------
    model : Transformer
        Of any state of training.
    corpus : Corpus
        The text it is trained on.
    windows : int, optional
        Measure on this many windows in place of all.

    Raises
    ------
    ValueError
        If not one window fits.

    Examples
    --------
    >>> from lab.training import TrainingConfig, train
    >>> corpus = Corpus.from_text("to be, or not to be. " * 100)
    >>> untrained = train(TrainingConfig(T=8), corpus)
    >>> round(evaluate(untrained.model, corpus).loss, 1), round(float(np.log(corpus.V)), 1)
    (2.2, 2.2)
    """
    return finish(evaluating(model, corpus, windows))


def measuring_long(
    model: Transformer, corpus: Corpus, *, multiple: int = 4, bin_width: int | None = None, blocks: int = 64
) -> Progress[LongTest]:
    """Measure as ``train_short_test_long`` does, a few windows at a time: yields the share that is done.

    Raises
    ------
    ValueError
        If a count is not a whole number of at least 1, or the held-out part is too short.
    """
    T = model.config.T
    width = check_count("bin_width", max(1, T // 4) if bin_width is None else bin_width)
    bins = -(-check_count("multiple", multiple) * T // width)
    stops = _block_ends(corpus, bins * width, width, check_count("blocks", blocks))
    loss = np.full(bins, np.nan)
    refusal = None
    work = bins * (bins + 1) / 2
    for i in range(bins):
        length = (i + 1) * width
        try:
            window = model.window(np.arange(length))
        except ValueError as error:
            if length <= T:
                raise
            refusal = str(error)
            break
        for part in _bin_losses(model, corpus, stops, window, width, loss[i : i + 1]):
            yield (i * (i + 1) / 2 + part * (i + 1)) / work
    edges = np.arange(bins + 1) * width
    return LongTest(readonly(edges), readonly(loss), stops.size * width, T, refusal)


def train_short_test_long(
    model: Transformer, corpus: Corpus, *, multiple: int = 4, bin_width: int | None = None, blocks: int = 64
) -> LongTest:
    """Return the loss at positions up to a multiple of the trained length.

    A block of ``bin_width`` characters is measured once in every bin, each time as the end of a window that
    begins so much earlier that the block stands in that bin. Windows drawn anew for each bin would hold
    other characters, and their difference would look like a step.

    Parameters
    ----------
    model : Transformer
        Trained at length T.
    corpus : Corpus
        The text it was trained on; its held-out part is used.
    multiple : int
        The longest window, in multiples of T.
    bin_width : int, optional
        Positions of a bin, T / 4 by default.
    blocks : int
        Blocks measured in each bin, spread evenly; all there are if fewer.

    Returns
    -------
    LongTest
        A scheme that has no row for a position ends the measurement; its error is in ``refusal``.

    Raises
    ------
    ValueError
        If the held-out part is shorter than the longest window.

    Examples
    --------
    >>> from lab.training import TrainingConfig, train
    >>> corpus = Corpus.from_text("to be, or not to be. " * 100)
    >>> result = train_short_test_long(train(TrainingConfig(scheme="learned", T=8), corpus).model, corpus)
    >>> int(np.isfinite(result.loss).sum()), result.loss.size
    (4, 16)
    >>> result.refusal.split(";")[0]
    'position 8 has no row: the table was trained for 8 positions, 0 to 7'
    """
    return finish(measuring_long(model, corpus, multiple=multiple, bin_width=bin_width, blocks=blocks))


def _block_ends(corpus: Corpus, longest: int, width: int, blocks: int) -> IntArray:
    """Index of the last target of each block, at least ``longest`` from the start of the held-out part."""
    ends = np.arange(longest, corpus.held_out.size, width)
    if not ends.size:
        raise ValueError(
            f"the held-out part has {corpus.held_out.size} characters; windows of {longest} and the next one "
            "do not fit: take a smaller T or a longer text"
        )
    return ends if blocks >= ends.size else ends[np.linspace(0, ends.size - 1, blocks).astype(int)]


def _bin_losses(
    model: Transformer, corpus: Corpus, ends: IntArray, window: Window, width: int, into: Array
) -> Generator[float, None, None]:
    """Put the mean loss of the last ``width`` places of every window into ``into``."""
    length = window.pos.size
    size = max(1, CHUNK_TOKENS // length)
    total = 0.0
    for start in range(0, ends.size, size):
        part = ends[start : start + size]
        cut = corpus.held_out[part[:, None] + np.arange(-length, 1)]  # (windows, length + 1)
        total += float(model.losses(cut[:, :-1], cut[:, 1:], window)[:, -width:].sum())
        yield min(1.0, (start + size) / ends.size)
    into[0] = total / (ends.size * width)
