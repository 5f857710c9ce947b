"""Held-out loss, beyond the trained length, baselines, differences, samples, classes, rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lab.positions import SCHEMES
from lab.training import (
    CLASSES,
    Corpus,
    TrainingConfig,
    baselines,
    character_class,
    compare,
    evaluate,
    evaluating,
    finish,
    measuring_long,
    row_movement,
    sample,
    shakespeare_corpus,
    train,
    train_short_test_long,
)
from lab.training.evaluation import held_out_windows
from tests.lab.test_transformer_gradient import Seventh

PROSE = Corpus.from_text("Shall I compare thee to a summer's day?\n" * 120)
SMALL = TrainingConfig(T=8, D=16, H=2)


def untrained(scheme="rope", corpus=PROSE, **kwargs):
    return train(TrainingConfig(**{"T": 8, "D": 16, "H": 2, "scheme": scheme, **kwargs}), corpus).model


def test_windows_cover_the_held_out_part_once():
    """480 characters hold 59 windows of 8 whose last target is still inside: 59 * 8 + 1 = 473 <= 480."""
    ids, targets = held_out_windows(PROSE, 8)
    assert ids.shape == (59, 8)
    np.testing.assert_array_equal(ids.ravel(), PROSE.held_out[:472])
    np.testing.assert_array_equal(targets.ravel(), PROSE.held_out[1:473])
    some = held_out_windows(PROSE, 8, windows=3)[0]
    np.testing.assert_array_equal(some, ids[[0, 29, 58]])
    assert held_out_windows(PROSE, 8, windows=1000)[0].shape == (59, 8)


@pytest.mark.parametrize(("size", "windows"), [(9, 1), (16, 1), (17, 2), (24, 2), (25, 3)])
def test_the_last_window_needs_one_character_more(size, windows):
    """k windows of 8 have k times 8 targets, the last of them character 8 k + 1: not one character fewer."""
    corpus = replace(PROSE, held_out=PROSE.held_out[:size])
    ids, targets = held_out_windows(corpus, 8)
    assert ids.shape == (windows, 8)
    assert targets[-1, -1] == corpus.held_out[8 * windows]
    with pytest.raises(ValueError, match="8 characters, too few for a window of 8"):
        held_out_windows(replace(PROSE, held_out=PROSE.held_out[:8]), 8)


@pytest.mark.parametrize(("size", "blocks"), [(33, 1), (34, 1), (35, 2), (37, 3)])
def test_a_block_beyond_the_trained_length_needs_one_character_more(size, blocks):
    """Four windows of 8 and the target after them: 33 characters hold one block of 2, each 2 more another."""
    corpus = replace(PROSE, held_out=PROSE.held_out[:size])
    found = train_short_test_long(untrained(), corpus)
    assert found.characters == 2 * blocks
    with pytest.raises(ValueError, match="the held-out part has 32 characters"):
        train_short_test_long(untrained(), replace(PROSE, held_out=PROSE.held_out[:32]))


def test_evaluation_is_the_mean_of_the_losses():
    model = untrained(dtype="float64")
    losses = model.losses(*held_out_windows(PROSE, 8))
    result = evaluate(model, PROSE)
    assert result.loss == pytest.approx(losses.mean(), abs=1e-12)
    np.testing.assert_allclose(result.by_position, losses.mean(axis=0), rtol=0, atol=1e-12)
    assert result.characters == 472


def test_progress_ends_at_one_and_gives_the_same_result():
    model = untrained()
    parts = list(evaluating(model, PROSE))
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert finish(evaluating(model, PROSE)).loss == evaluate(model, PROSE).loss
    parts = list(measuring_long(model, PROSE))
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_long_test_by_its_definition(scheme):
    """Bin i scores the targets of one block at positions 2 i and 2 i + 1 of a window ending with it."""
    model = untrained(scheme, dtype="float64")
    result = train_short_test_long(model, PROSE)
    np.testing.assert_array_equal(result.edges, np.arange(17) * 2)
    assert result.trained == 8
    last = 8 if scheme == "learned" else 32
    ends = np.arange(32, 480, 2)
    ends = ends[np.linspace(0, ends.size - 1, 64).astype(int)]
    wanted = np.full(16, np.nan)
    for i in range(last // 2):
        length = 2 * (i + 1)
        texts = np.array([PROSE.held_out[end - length : end + 1] for end in ends])
        wanted[i] = model.losses(texts[:, :-1], texts[:, 1:])[:, -2:].mean()
    np.testing.assert_allclose(result.loss, wanted, rtol=0, atol=1e-12)
    assert result.characters == 128


def test_learned_refuses_with_its_own_words_and_keeps_what_it_could_do():
    result = train_short_test_long(untrained("learned"), PROSE)
    assert np.isfinite(result.loss).tolist() == [True] * 4 + [False] * 12
    assert result.refusal.startswith("position 8 has no row: the table was trained for 8 positions, 0 to 7;")
    assert train_short_test_long(untrained("alibi"), PROSE).refusal is None


def test_every_bin_scores_the_same_characters():
    """A model that ignores all context has one loss in every bin exactly, which new windows would not."""
    model = untrained("none", dtype="float64")
    for name in ("0.mix", "0.down"):
        model.parameters[name][...] = 0
    model.parameters["E"][...] = 1.0
    model.parameters["output"][...] *= 100
    loss = train_short_test_long(model, PROSE).loss
    np.testing.assert_allclose(loss, np.full(16, loss[0]), rtol=0, atol=1e-12)


def test_a_bin_width_that_does_not_divide_reaches_at_least_the_multiple():
    result = train_short_test_long(untrained(), PROSE, bin_width=5, blocks=3)
    np.testing.assert_array_equal(result.edges, [0, 5, 10, 15, 20, 25, 30, 35])
    assert result.characters == 15


def test_an_error_inside_the_trained_length_is_not_hidden(monkeypatch):
    monkeypatch.setitem(SCHEMES, "seventh", Seventh)
    model = untrained("seventh")
    model.scheme.rotate = lambda qk, pos: np.abs(qk)
    with pytest.raises(ValueError, match="not linear"):
        train_short_test_long(model, PROSE)


def test_a_held_out_part_that_is_too_short():
    corpus = Corpus.from_text("ab" * 1000)
    with pytest.raises(ValueError, match="the held-out part has 200 characters; windows of 256 and the next"):
        train_short_test_long(train(TrainingConfig(T=64), corpus).model, corpus)
    with pytest.raises(ValueError, match="200 characters, too few for a window of 200 and the next one"):
        held_out_windows(corpus, 200)


def test_baselines_by_hand():
    """Text abab… with one c at the front: 1,801 characters to train on are c, 900 a, 900 b.

    Unigram with 1 added: a and b 901/1804; 192 targets (6 windows of 32), half a, half b.
    Bigram: a is followed by b 900 times of 900, b by a 899 of 899 (the last b has no follower):
    p(b|a) = (900 + 10 * 901/1804) / 910, p(a|b) = (899 + 10 * 901/1804) / 909.
    """
    result = baselines(Corpus.from_text("c" + "ab" * 1000))
    share = 901 / 1804
    assert result.uniform == pytest.approx(math.log(3), abs=1e-12)
    assert result.unigram == pytest.approx(-math.log(share), abs=1e-12)
    forward, back = (900 + 10 * share) / 910, (899 + 10 * share) / 909
    assert result.bigram == pytest.approx(-(math.log(forward) + math.log(back)) / 2, abs=1e-12)
    assert "Dirichlet" in result.smoothing


def test_baselines_of_the_plays():
    """Each looks at more than the one before."""
    result = baselines(shakespeare_corpus())
    assert result.uniform == pytest.approx(math.log(66))
    assert result.bigram < result.unigram - 0.5 < result.uniform - 1.0


def test_a_bigram_is_a_distribution():
    """Over all next characters the smoothed probabilities add up to 1, also after a character never seen."""
    text = "abcabd" * 400 + "z" * 300
    corpus = Corpus.from_text(text)
    counts = corpus.counts() + 1.0
    unigram = counts / counts.sum()
    pairs = np.zeros((corpus.V, corpus.V))
    np.add.at(pairs, (corpus.train[:-1], corpus.train[1:]), 1)
    table = (pairs + 10 * unigram) / (pairs.sum(axis=1, keepdims=True) + 10)
    np.testing.assert_allclose(table.sum(axis=1), np.ones(corpus.V), rtol=1e-12)
    ids, targets = held_out_windows(corpus, 32)
    assert baselines(corpus).bigram == pytest.approx(-np.log(table[ids, targets]).mean(), abs=1e-12)


def test_differences_are_taken_seed_by_seed():
    """Differences -.2, -.2, -.2 have no spread, though both schemes spread by .1."""
    rows = {row.scheme: row for row in compare({"none": [2.2, 2.3, 2.4], "rope": [2.0, 2.1, 2.2]})}
    assert rows["rope"].mean == pytest.approx(2.1)
    assert rows["rope"].sd == pytest.approx(0.1)
    assert rows["rope"].difference == pytest.approx(-0.2)
    assert rows["rope"].difference_sd == pytest.approx(0.0, abs=1e-12)
    assert not rows["rope"].noise


def steady(mean: float, t: float, seeds: int = 8) -> np.ndarray:
    """Losses beside 2.3 whose difference has this mean, and is so many standard errors from 0."""
    spread = np.resize([1.0, -1.0], seeds)
    return 2.3 + mean + spread / spread.std(ddof=1) * abs(mean) * math.sqrt(seeds) / t


@pytest.mark.parametrize(
    ("mean", "t", "comparisons", "noise"),
    [
        (0.009, 1e6, 1, True),  # steady, but below a hundredth
        (0.015, 1e6, 1, False),
        (0.0148, 2.09, 1, True),  # p = .075 with eight seeds: two standard errors are not enough
        (0.2, 2.36, 1, True),  # 2.365 is .05 for 7 degrees of freedom
        (0.2, 2.37, 1, False),
        (0.2, 2.37, 5, True),  # one of five comparisons needs 3.499
        (0.2, 3.49, 5, True),
        (0.2, 3.51, 5, False),
        (-0.2, 3.51, 5, False),
        (0.2, 4.35, 15, True),  # a pair picked among fifteen
        (0.2, 4.36, 15, False),
    ],
)
def test_what_is_called_noise(mean: float, t: float, comparisons: int, noise: bool) -> None:
    losses = {"none": np.full(8, 2.3), "other": steady(mean, t)}
    assert compare(losses, comparisons=comparisons)[1].noise is noise


def test_fewer_seeds_need_more_standard_errors() -> None:
    for seeds, quantile in ((2, 12.706), (3, 4.303), (8, 2.365)):
        row = compare({"none": np.full(seeds, 2.3), "other": steady(0.2, 3.0, seeds)})[1]
        assert row.quantile == pytest.approx(quantile, abs=1e-3)
        assert row.limit == pytest.approx(max(0.01, quantile * row.error), rel=1e-3)


def test_every_scheme_beside_the_reference_is_one_comparison() -> None:
    losses = {name: steady(0.1, 9.0) for name in "abcde"}
    rows = compare({"none": np.full(8, 2.3), **losses})
    assert {row.comparisons for row in rows} == {5}
    assert rows[1].quantile == pytest.approx(3.4995, abs=1e-4)


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ({"rope": [2.0, 2.1]}, "there are no runs of 'none' to compare with; there are rope"),
        ({"none": [2.0]}, "a spread needs at least two seeds; got 1"),
        ({"none": [2.0, 2.1], "rope": [2.0]}, r"losses of 'rope' must have shape \(2\)"),
    ],
)
def test_comparisons_that_are_refused(losses, message):
    with pytest.raises(ValueError, match=message):
        compare(losses)


def test_no_comparison_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="comparisons must be a whole number of at least 1; got 0"):
        compare({"none": [2.0, 2.1], "rope": [2.0, 2.1]}, comparisons=0)


def test_a_sample_follows_its_seed_and_goes_past_the_window():
    model = untrained("learned")  # which has no row for position 8
    texts = [sample(model, PROSE, np.random.default_rng(seed), length=40) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0]) == 40
    assert set(texts[0]) <= set(PROSE.tokens)


def test_a_sample_draws_from_the_softmax():
    """Output rows that ignore the text give log 9 : 0 for two characters: 9 of 10 draws, +- .022 (4 sd)."""
    corpus = Corpus.from_text("ab" * 1000)
    model = untrained(corpus=corpus, dtype="float64")
    model.parameters["E"][...] = 1.0
    for name in ("0.mix", "0.down"):
        model.parameters[name][...] = 0
    model.parameters["output"][...] = 0
    model.parameters["output"][0] = math.log(9) / 16
    text = sample(model, corpus, np.random.default_rng(0), length=3000)
    assert text.count("a") / 3000 == pytest.approx(0.9, abs=0.022)
    cold = sample(model, corpus, np.random.default_rng(0), length=200, temperature=0.05)
    assert cold == "a" * 200


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"prompt": "q"}, "the character .q. .* is outside this table"),
        ({"length": 0}, "length must be a whole number of at least 1; got 0"),
        ({"temperature": 0.0}, "temperature must be a finite number above 0"),
    ],
)
def test_samples_that_are_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        sample(untrained(), PROSE, np.random.default_rng(0), **kwargs)


def test_classes():
    found = {character: character_class(character) for character in "aÉéøyñßQŽ,;'—«7 \n$+жカ"}
    assert found == {
        **dict.fromkeys("aéø", "vowel"),
        **dict.fromkeys("yñß", "consonant"),
        **dict.fromkeys("ÉQŽ", "capital"),
        **dict.fromkeys(",;'—«", "punctuation"),
        **dict.fromkeys("7 \n$+жカ", "other"),
    }
    assert set(found.values()) == set(CLASSES)
    with pytest.raises(ValueError, match="a class belongs to one character; got 'ab'"):
        character_class("ab")


def test_row_movement_by_hand():
    """(3, 4) to (0, 4): norms 5 and 4, moved 3; a row that stays has moved 0."""
    result = row_movement([[3.0, 4.0], [0.0, 2.0]], [[0.0, 4.0], [0.0, 2.0]], np.array([9, 0]))
    np.testing.assert_allclose(result.norm_before, [5, 2])
    np.testing.assert_allclose(result.norm_after, [4, 2])
    np.testing.assert_allclose(result.moved, [3, 0])
    np.testing.assert_array_equal(result.counts, [9, 0])
    with pytest.raises(ValueError, match=r"rows after \(V, D\) must have shape \(2, 2\)"):
        row_movement(np.ones((2, 2)), np.ones((2, 3)), np.array([1, 1]))
