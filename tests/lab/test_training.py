"""Runs: configuration, Adam and the rate, one step at a time, and the end of a run that diverges."""

from __future__ import annotations

import gc
import itertools
import math
import weakref
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from lab.positions import SCHEMES
from lab.training import Adam, Corpus, TrainingConfig, evaluate, learning_rate, shakespeare_corpus, train
from tests.lab.test_transformer_gradient import Seventh

SHORT = TrainingConfig(steps=30, snapshot_every=10)


@pytest.fixture(scope="module")
def plays():
    return shakespeare_corpus()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_same_seed_same_losses(scheme, plays):
    config = replace(SHORT, scheme=scheme)
    runs = [[step.loss for step in train(config, plays)] for _ in range(2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    other = [step.loss for step in train(replace(config, seed=1), plays)]
    assert np.abs(np.subtract(runs[0], other)).max() > 0.01


def test_pausing_and_measuring_change_nothing(plays):
    whole = [step.loss for step in train(SHORT, plays)]
    run = train(SHORT, plays)
    first = [step.loss for step in itertools.islice(run, 11)]
    evaluate(run.model, plays, windows=3)
    train(replace(SHORT, seed=9), plays)
    assert run.step == 11
    rest = [step.loss for step in run]
    np.testing.assert_array_equal(first + rest, whole)
    np.testing.assert_array_equal(run.losses, whole)


def test_schemes_of_one_seed_share_weights_and_batches(plays):
    runs = {scheme: train(replace(SHORT, scheme=scheme, seed=5), plays) for scheme in SCHEMES}
    for scheme, run in runs.items():
        for name, array in runs["none"].model.parameters.items():
            np.testing.assert_array_equal(run.model.parameters[name], array, err_msg=f"{scheme} {name}")
    batches = [plays.batch(run.config.generator(2), 4, 32)[0] for run in runs.values()]
    np.testing.assert_array_equal(batches, [batches[0]] * len(runs))


def test_what_a_run_yields(plays):
    run = train(SHORT, plays)
    steps = list(run)
    assert [step.step for step in steps] == list(range(1, 31))
    assert [step.step for step in steps if step.snapshot] == [10, 20, 30]
    assert [snapshot.step for snapshot in run.snapshots] == [0, 10, 20, 30]
    assert [step.learning_rate for step in steps] == [learning_rate(SHORT, n) for n in range(1, 31)]
    np.testing.assert_array_equal(run.snapshots[-1].E, run.model.parameters["E"])
    np.testing.assert_array_equal(run.snapshots[-1].output, run.model.output_rows)
    assert np.abs(run.snapshots[1].E - run.initial.E).max() > 0
    assert next(run, None) is None
    with pytest.raises(ValueError, match="read-only"):
        run.initial.E[0, 0] = 1.0
    with pytest.raises(FrozenInstanceError):
        steps[0].loss = 0.0
    assert [snapshot.step for snapshot in _finish(replace(SHORT, snapshot_every=0), plays).snapshots] == [0]


def _finish(config, plays):
    run = train(config, plays)
    for _ in run:
        pass
    return run


def test_a_tied_run_shows_one_table(plays):
    run = _finish(replace(SHORT, tied=True, layers=2), plays)
    assert run.initial.output is run.initial.E
    np.testing.assert_array_equal(run.snapshots[-1].output, run.model.parameters["E"])


@pytest.mark.parametrize("scheme", ["none", "learned", "rope"])
def test_a_hundred_steps_beat_the_uniform_model(scheme, plays):
    """Both ends are far apart: untrained ln 66 = 4.19, the unigram model 3.32."""
    run = train(TrainingConfig(scheme=scheme, steps=100), plays)
    before = evaluate(run.model, plays, windows=50).loss
    for _ in run:
        pass
    assert before == pytest.approx(math.log(66), abs=0.05)
    assert evaluate(run.model, plays, windows=50).loss < 3.3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_rate_of_ten_is_reported_and_the_run_kept(scheme, plays):
    run = train(TrainingConfig(scheme=scheme, learning_rate=10.0, steps=200), plays)
    steps = list(run)
    last = steps[-1]
    assert last.diverged is run.diverged
    assert last.step == run.diverged.step == run.losses.size < 200
    assert "above ln V = 4.19" in run.diverged.reason or "range of float32" in run.diverged.reason
    assert all(step.diverged is None for step in steps[:-1])
    assert np.isfinite(run.model.parameters.flat).all()
    assert next(run, None) is None


@pytest.mark.parametrize(
    ("poison", "reason"),
    [(np.nan, "the loss is nan: a number left the range of float32"), (1e30, "range of float32")],
)
def test_not_a_number_ends_the_run(poison, reason, plays):
    run = train(SHORT, plays)
    next(run)
    run.model.parameters["0.up"][0, 0] = poison
    run.model.parameters["0.down"][...] *= poison
    step = next(run)
    assert step.step == 2
    assert reason in step.diverged.reason
    assert list(run) == []


def test_a_gradient_out_of_range_makes_no_update(plays, monkeypatch):
    run = train(SHORT, plays)
    next(run)
    kept = run.model.parameters.flat.copy()

    def overflowing(ids, targets):
        run.model.gradient.flat[3] = np.inf
        return 4.0

    monkeypatch.setattr(run.model, "loss_and_gradient", overflowing)
    assert next(run).diverged.reason == "the gradient is not finite"
    np.testing.assert_array_equal(run.model.parameters.flat, kept)


def test_a_seventh_scheme_trains_without_a_change(plays, monkeypatch):
    monkeypatch.setitem(SCHEMES, "seventh", Seventh)
    run = train(TrainingConfig(scheme="seventh", steps=60), plays)
    before = run.model.parameters["scheme.row"].copy()
    losses = [step.loss for step in run]
    assert losses[-1] < losses[0] - 0.5
    assert np.abs(run.model.parameters["scheme.row"] - before).max() > 0.01


def test_a_dropped_run_frees_its_memory(plays):
    run = train(SHORT, plays)
    next(run)
    model = weakref.ref(run.model)
    del run
    gc.collect()
    assert model() is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scheme": "rotary"}, "scheme 'rotary' is unknown; choose one of none, raw"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"steps": 0}, "steps must be a whole number of at least 1; got 0"),
        ({"steps": 200_000}, "steps must be at most 100,000; got 200,000"),
        ({"layers": 3}, "layers must be 1 or 2; got 3"),
        ({"T": 1}, "window T must be at least 2"),
        ({"batch": 2.5}, "batch must be a whole number"),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number above 0"),
        ({"beta2": 1.0}, "beta2 must be at least 0 and below 1; got 1.0"),
        ({"final_rate": 1.5}, "final_rate is a part of the rate, 0 to 1; got 1.5"),
        ({"D": 50}, "width D = 50 does not split into H = 4 heads"),
        ({"snapshot_every": True}, "snapshot_every must be a whole number of at least 0; got True"),
    ],
)
def test_fields_are_checked(change, message):
    with pytest.raises(ValueError, match=message):
        TrainingConfig(**change)


def test_a_window_must_fit_in_the_text():
    corpus = Corpus.from_text("ab" * 1000)
    with pytest.raises(
        ValueError, match="a window of T = 1800 and its next character do not fit in the 1800"
    ):
        train(TrainingConfig(T=1800), corpus)


def test_the_rate_by_hand():
    """Steps 1 and 20 are 1/20 and all of .01; half of the cosine leaves (1 + .1) / 2 of it; the end .1."""
    config = TrainingConfig(steps=220)
    rates = [learning_rate(config, step) for step in (1, 20, 120, 220)]
    np.testing.assert_allclose(rates, [0.0005, 0.01, 0.0055, 0.001], rtol=1e-12)
    assert learning_rate(TrainingConfig(steps=10), 10) == pytest.approx(0.005)
    assert learning_rate(TrainingConfig(warmup=0, steps=1), 1) == pytest.approx(0.001)


def test_adam_by_hand():
    """Two steps of rate .1 on gradients 1 and 3 with betas .5 and .75 and no visible eps.

    Step 1: m = .5, v = .25, corrected 1 and 1: x = 0 - .1.
    Step 2: m = .25 + 1.5 = 1.75, corrected 1.75 / .75 = 7/3; v = .1875 + 2.25 = 2.4375, corrected
    2.4375 / .4375 = 39/7: x = -.1 - .1 * (7/3) / sqrt(39/7).
    """
    x = np.zeros(1)
    adam = Adam(x, beta1=0.5, beta2=0.75)
    adam.update(np.array([1.0]), 0.1)
    np.testing.assert_allclose(x, [-0.1], rtol=1e-7)
    adam.update(np.array([3.0]), 0.1)
    np.testing.assert_allclose(x, [-0.1 - 0.1 * (7 / 3) / math.sqrt(39 / 7)], rtol=1e-7)


def test_a_gradient_of_zero_moves_nothing_at_first():
    x = np.array([1.0])
    Adam(x, beta1=0.9, beta2=0.99).update(np.zeros(1), 0.1)
    np.testing.assert_array_equal(x, [1.0])
