"""The stored runs: what they hold, that one of them comes out again, and the commands that make them."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from lab import data
from lab.data import shakespeare
from lab.positions import SCHEMES
from lab.training import (
    Corpus,
    TrainingConfig,
    baselines,
    compare,
    load_runs,
    make_runs,
    save_runs,
    shakespeare_corpus,
    train,
)
from lab.training.__main__ import main
from lab.training.archive import ARRAYS

EARLY_ATOL, RERUN_ATOL = 1e-3, 0.1
"""For the first 20 steps, and for all 100.

Measured on 100 runs whose weights were moved by one rounding each: at most 4e-5 after 20 steps and .027 after
100, because training multiplies small differences. Another machine may differ by as much.
"""


@pytest.fixture(scope="module")
def runs():
    return load_runs()


def test_the_file_has_every_scheme_and_at_least_five_seeds(runs):
    S, R, steps = len(SCHEMES), len(runs.seeds), runs.config.steps
    assert runs.schemes == tuple(SCHEMES)
    assert R >= 5
    assert runs.config == replace(TrainingConfig(), steps=1000)
    assert runs.losses.shape == (S, R, steps)
    assert runs.curve.shape == (S, R, runs.curve_steps.size)
    assert runs.held_out.shape == (S, R)
    assert runs.by_position.shape == (S, R, 32)
    assert runs.long_loss.shape == (S, R, runs.long_edges.size - 1)
    assert runs.E.shape == runs.output.shape == (runs.row_steps.size, 66, 48)
    assert runs.long_edges[-1] == 128
    assert {"python", "numpy", "blas", "machine", "text_sha256"} <= set(runs.about)


def test_they_were_made_from_the_text_that_is_here(runs):
    assert runs.about["text_sha256"] == hashlib.sha256(shakespeare().encode()).hexdigest()
    assert runs.tokens == shakespeare_corpus().tokens
    assert runs.baselines == baselines(shakespeare_corpus())


@pytest.mark.parametrize(("scheme", "seed"), [("rope", 0), ("learned", 3)])
def test_a_run_comes_out_again(runs, scheme, seed):
    run = train(replace(runs.config, scheme=scheme, seed=runs.seeds[seed]))
    losses = [next(run).loss for _ in range(100)]
    stored = runs.losses[runs.schemes.index(scheme), seed, :100]
    np.testing.assert_allclose(losses[:20], stored[:20], rtol=0, atol=EARLY_ATOL)
    np.testing.assert_allclose(losses, stored, rtol=0, atol=RERUN_ATOL)
    other = runs.losses[runs.schemes.index(scheme), seed + 1, :100]
    assert np.abs(losses - other).max() > 3 * RERUN_ATOL


def test_the_first_rows_are_those_of_the_seed(runs):
    initial = train(replace(runs.config, scheme="rope", seed=runs.seeds[0])).initial
    np.testing.assert_array_equal(runs.E[0], initial.E.astype(np.float16))
    assert runs.row_steps[0] == 0
    assert runs.row_steps[-1] == 1000


def test_what_the_runs_show(runs):
    """The claims that a page may make: position is worth over .1 nats here, whatever the seed."""
    rows = {row.scheme: row for row in compare(runs.by_scheme())}
    for scheme in ("sinusoidal", "learned", "rope", "alibi"):
        assert rows[scheme].difference < -0.1
        assert not rows[scheme].noise
    assert rows["none"].mean < runs.baselines.unigram - 0.5
    assert rows["raw"].difference > 0.01


def test_what_the_runs_show_beyond_the_trained_length(runs):
    """Bins 0 to 3 were trained. ALiBi stays flat, a sinusoid steps up at once, learned has no further bin."""
    long = dict(zip(runs.schemes, runs.long_loss, strict=True))
    assert np.abs(long["alibi"][:, 4:].mean(axis=0) - long["alibi"][:, 3].mean()).max() < 0.05
    assert (long["sinusoidal"][:, 4] - long["sinusoidal"][:, 3]).min() > 0.1
    assert np.isnan(long["learned"][:, 4:]).all()
    assert np.isfinite(long["learned"][:, :4]).all()
    assert runs.refusals.keys() == {"learned"}
    assert runs.refusals["learned"].startswith("position 32 has no row")


def test_a_file_holds_what_was_made(tmp_path):
    corpus = Corpus.from_text("Shall I compare thee to a summer's day?\n" * 120)
    lines: list[str] = []
    config = TrainingConfig(steps=60, T=8, D=16, H=2)
    made = make_runs(config, corpus, ["none", "rope"], [4, 7], lines.append)
    assert [line.split(":")[0] for line in lines][1] == "none       seed 7"
    save_runs(made, tmp_path / "runs.npz")
    read = load_runs(tmp_path / "runs.npz")
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(read, name), getattr(made, name), err_msg=name)
        assert not getattr(read, name).flags.writeable
    for name in ("schemes", "seeds", "refusals", "samples", "tokens", "baselines", "config", "about"):
        assert getattr(read, name) == getattr(made, name), name
    assert read.curve_steps.tolist() == [0, 50, 60]
    assert list(read.samples["rope"]) == [0, 50]
    again = [step.loss for step in train(replace(config, seed=7), corpus)]
    np.testing.assert_allclose(read.losses[1, 1], again, rtol=0, atol=1e-6)


def test_errors_have_a_way_out(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"make them with python -m lab\.training runs --out"):
        load_runs(tmp_path / "none.npz")
    corpus = shakespeare_corpus()
    with pytest.raises(ValueError, match="need the scheme 'rope' and at least one seed"):
        make_runs(TrainingConfig(), corpus, ["none"], [0], print)
    with pytest.raises(ValueError, match=r"rope, seed 0: the loss is .* nothing is stored"):
        make_runs(TrainingConfig(learning_rate=10.0, steps=20), corpus, ["rope"], [0], print)


def test_the_shared_file_is_looked_for_in_the_data_folder(tmp_path):
    """In the browser the folder begins empty, and a fetcher brings the file when it is first opened."""
    content = data.data_path("train_runs").read_bytes()
    assert load_runs() is load_runs()
    data.set_data_root(tmp_path / "empty")
    try:
        with pytest.raises(data.DataMissing, match=r"train_runs\.npz is not in"):
            load_runs()
        data.set_fetcher(lambda name: content)
        np.testing.assert_array_equal(load_runs().losses, load_runs(tmp_path / "empty/train_runs.npz").losses)
    finally:
        data.set_fetcher(None)
        data.set_data_root(None)


def test_commands(tmp_path, capsys):
    assert main(["one", "--scheme", "alibi", "--steps", "100", "--tied"]) == 0
    printed = capsys.readouterr().out
    assert "step    100" in printed
    assert "held-out" in printed
    with pytest.raises(SystemExit):
        main(["one", "--steps", "0"])
    assert "steps must be a whole number of at least 1; got 0" in capsys.readouterr().err
