"""Twelve mistakes: one contract for all of them, and the laws of single ones."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, SYMPTOMS, Detector, DetectorFailed, Verdict
from lab.mistakes.tiny import TinyModel


def at(mistake, **changes):
    """Inputs of the witness, some changed."""
    return {**mistake.witness(), **changes}


# every mistake alike


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
class TestContract:
    def test_its_detector_passes_the_right_version_and_fails_the_wrong_one(self, mistake):
        inputs = mistake.witness()
        mistake.detector(mistake.right, inputs)
        with pytest.raises(DetectorFailed, match=r"^\D*\d.*\w$"):  # a sentence with a number in it
            mistake.detector(mistake.wrong, inputs)
        assert issubclass(DetectorFailed, ValueError)

    def test_both_versions_differ_in_values_alone(self, mistake):
        inputs = mistake.witness()
        right, wrong = mistake.right(inputs), mistake.wrong(inputs)
        assert right.shape == wrong.shape
        assert right.dtype == wrong.dtype == np.float64
        assert np.isfinite(right).all()
        assert np.isfinite(wrong).all()
        assert np.abs(right - wrong).max() > 1e-3

    def test_a_verdict_says_the_same_without_raising(self, mistake):
        inputs = mistake.witness()
        assert mistake.detector.verdict(mistake.right, inputs) == Verdict(True, "")
        passed, message = mistake.detector.verdict(mistake.wrong, inputs)
        assert not passed
        assert message

    def test_what_it_says_stays_right_is_right_on_the_wrong_version(self, mistake):
        inputs = mistake.witness()
        assert len(mistake.stays_right) >= 2
        for sentence, holds in mistake.stays_right.items():
            assert holds(inputs) is True, sentence

    def test_the_source_shown_is_what_runs(self, mistake):
        source = mistake.detector.source
        assert "from lab.mistakes.base import DetectorFailed\n" in source
        assert "\ndef detect(" in source
        assert max(map(len, source.splitlines())) <= 100
        again = Detector(source)
        inputs = mistake.witness()
        for version in (mistake.right, mistake.wrong, *mistake.others.values()):
            assert again.verdict(version, inputs) == mistake.detector.verdict(version, inputs)

    def test_its_witness_is_new_and_read_only(self, mistake):
        first, second = mistake.witness(), mistake.witness()
        with pytest.raises(TypeError):
            first["extra"] = 1
        for name, value in first.items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(value, second[name])
                assert not value.flags.writeable

    def test_no_version_writes_to_its_inputs_or_depends_on_the_last_call(self, mistake):
        inputs = mistake.witness()
        for version in (mistake.right, mistake.wrong, *mistake.others.values()):
            np.testing.assert_array_equal(version(inputs), version(inputs))

    def test_it_is_told_in_words_and_led_to_by_a_symptom(self, mistake):
        assert MISTAKES[mistake.key] is mistake
        assert mistake.title
        assert mistake.why.endswith(".")
        assert mistake.source
        assert set(mistake.symptom_tags) <= set(SYMPTOM_SENTENCES)
        assert any(mistake.key in keys for keys in SYMPTOMS.values())
        with pytest.raises(dataclasses.FrozenInstanceError):
            mistake.key = "x"


def test_there_are_twelve_and_each_symptom_leads_somewhere():
    assert len(MISTAKES) == 12
    assert all(keys and set(keys) <= set(MISTAKES) for keys in SYMPTOMS.values())
    assert SYMPTOMS["The same prompt gives other logits in another batch"] == ("padding", "packed")
    assert "longer" in SYMPTOMS["Fine up to 4,096 tokens, then it falls apart"]
    assert "cache" in SYMPTOMS["Long prompts drift, short ones look right"]


def test_other_versions_are_caught_but_the_one_that_cannot_be():
    """Shifting queries and keys alike leaves every score as it was: pos-06."""
    passed = {
        (key, name)
        for key, mistake in MISTAKES.items()
        for name, version in mistake.others.items()
        if mistake.detector.verdict(version, mistake.witness()).passed
    }
    assert passed == {("cache", "queries and keys both one late: invisible to scores")}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def detect(", "the detector is not Python"),
        ("x = 1", "must define detect"),
        ("detect = 1", "must define"),
    ],
)
def test_a_detector_that_is_none_is_refused(source, message):
    with pytest.raises(ValueError, match=message):
        Detector(source)


# laws


@given(st.integers(0, 30), st.integers(0, 60), st.integers(1, 500))
@settings(deadline=None, max_examples=30)
def test_rotating_a_key_twice_is_standing_at_twice_the_place(n, m, shift):
    twice = MISTAKES["twice"]
    inputs = at(twice, q_pos=np.array([m]), k_pos=np.array([n]))
    as_if = at(twice, q_pos=np.array([m]), k_pos=np.array([2 * n]))
    np.testing.assert_allclose(twice.wrong(inputs), twice.right(as_if), rtol=0, atol=1e-11)
    moved = at(twice, q_pos=np.array([m + shift]), k_pos=np.array([n + shift]))
    np.testing.assert_allclose(twice.right(moved), twice.right(inputs), rtol=0, atol=1e-11)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
@settings(deadline=None, max_examples=50)
def test_the_buffered_gradient_is_right_only_where_no_id_repeats(ids):
    gradient = MISTAKES["gradient"]
    inputs = at(gradient, ids=np.array(ids), G=np.ones((len(ids), 2)), V=6)
    assert gradient.detector.verdict(gradient.right, inputs).passed
    assert gradient.detector.verdict(gradient.wrong, inputs).passed is (len(set(ids)) == len(ids))


@given(st.integers(0, 12), st.lists(st.integers(0, 11), min_size=1, max_size=6), st.integers(0, 11))
@settings(deadline=None, max_examples=30)
def test_right_padding_never_changes_the_logits(pads, ids, pad_id):
    padding = MISTAKES["padding"]
    for key in ("model", "rope_model"):
        model = padding.witness()[key]
        inputs = at(padding, model=model, ids=np.array(ids), pads=pads, pad_id=pad_id)
        np.testing.assert_allclose(padding.right(inputs), model.logits(ids)[-1], rtol=0, atol=1e-11)


def test_the_tiny_model_adds_attention_to_its_rows():
    """Logits are (row + position + attention) times the table: the block's residual, by hand."""
    model, ids = TinyModel.draw("learned", seed=2), np.array([3, 1, 4])
    rows = model.E[ids] + model.layer.scheme.P[:3]
    hidden = rows + model.attend(ids).output
    np.testing.assert_allclose(model.logits(ids), hidden @ model.E.T, rtol=0, atol=1e-12)


def test_the_tiny_model_is_causal_and_refuses_what_does_not_fit():
    model = TinyModel.draw("learned", seed=1)
    long = model.logits([1, 2, 3, 4])
    np.testing.assert_allclose(model.logits([1, 2]), long[:2], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(TinyModel.draw("rope", seed=1).E, model.E)
    for ids, pos, message in (
        ([12], None, "token id 12 is outside"),
        ([1, 2], [0], "2 tokens need 2 positions"),
        ([1], [64], "position 64 has no row"),
    ):
        with pytest.raises(ValueError, match=message):
            model.logits(ids, pos)
    with pytest.raises(ValueError, match="scheme 'abs' is unknown"):
        TinyModel.draw("abs", seed=0)
