"""Sinusoidal rows and the raw index: golden tables, odd widths, shifts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import reference
from lab.positions import RawIndex, Sinusoidal
from tests.golden import PRINTED_ATOL, ROTATION_ATOL, entry, names

VARIANTS = {
    "paper_interleaved": "interleaved",
    "concat_paper_freqs": "concatenated",
    "tensor2tensor_concat": "tensor2tensor",
}


@pytest.mark.parametrize("name", [name for name in names("sinusoid.") if name.split(".")[1] in VARIANTS])
def test_tables_agree_with_public_implementations(name):
    golden = entry(name)
    inputs = golden["inputs"]
    PE = Sinusoidal(inputs["d_model"], variant=VARIANTS[name.split(".")[1]])
    got = PE.table(np.arange(inputs["n_pos"]))
    np.testing.assert_allclose(got, golden["values"], rtol=0, atol=ROTATION_ATOL)


def test_tensor2tensor_pads_an_odd_width_with_zeros():
    """The golden table also zeroes the row of its padding index, 1, which is the caller's business."""
    golden = entry("sinusoid.tensor2tensor_odd_d5_padidx1")
    table = Sinusoidal(5, variant="tensor2tensor").table(np.arange(4))
    table[golden["inputs"]["padding_idx"]] = 0
    np.testing.assert_allclose(table, golden["values"], rtol=0, atol=ROTATION_ATOL)


def test_tensor2tensor_with_one_pair():
    """Golden edge.t2t_d2: half - 1 = 0 pairs to space out, so the exponent is over max(half - 1, 1)."""
    np.testing.assert_allclose(
        Sinusoidal(2, variant="tensor2tensor").table([1]), [[np.sin(1), np.cos(1)]], rtol=1e-15
    )


def test_the_three_layouts_at_position_1():
    """Case sin-02: concatenating permutes the columns; tensor2tensor has other frequencies, 1 and 1/10000."""
    got = [Sinusoidal(4, variant=variant).table([1])[0] for variant in VARIANTS.values()]
    wanted = [
        [0.841471, 0.540302, 0.01, 0.99995],
        [0.841471, 0.01, 0.540302, 0.99995],
        [0.841471, 0.0001, 0.540302, 1.0],
    ]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=PRINTED_ATOL)


def test_the_course_rows():
    """Rows 0 to 3 at d = 4: sin p, cos p, sin p/100, cos p/100."""
    wanted = [
        [0, 1, 0, 1],
        [0.841, 0.540, 0.010, 1.000],
        [0.909, -0.416, 0.020, 1.000],
        [0.141, -0.990, 0.030, 1.000],
    ]
    np.testing.assert_allclose(Sinusoidal(4).table(np.arange(4)), wanted, rtol=0, atol=5.1e-4)


def test_odd_widths_follow_their_rule():
    """Case sin-01: at D = 29 the paper's rule leaves 15 sines, 14 cosines; tensor2tensor 14, 14, a zero."""
    pos = np.arange(1, 6)
    for variant in ("interleaved", "concatenated"):
        PE = Sinusoidal(29, variant=variant)
        assert (len(PE.sine_columns), len(PE.cosine_columns), PE.odd_rule) == (15, 14, "trim")
        assert PE.lone_column == {"interleaved": 28, "concatenated": 14}[variant]
        np.testing.assert_array_equal(
            PE.table(pos)[:, PE.sine_columns], np.sin(pos[:, None] * 10_000.0 ** (-2 * np.arange(15) / 29))
        )
    PE = Sinusoidal(29, variant="tensor2tensor")
    assert (len(PE.sine_columns), len(PE.cosine_columns), PE.odd_rule) == (14, 14, "pad")
    assert PE.lone_column is None
    np.testing.assert_array_equal(PE.table(pos)[:, 28], np.zeros(5))


def test_concatenating_permutes_the_columns_at_any_width():
    for D in (1, 6, 7):
        order = np.concatenate([np.arange(0, D, 2), np.arange(1, D, 2)])
        got = Sinusoidal(D, variant="concatenated").table(np.arange(9))
        np.testing.assert_array_equal(got, Sinusoidal(D).table(np.arange(9))[:, order])


@pytest.mark.parametrize("D", [1, 4, 7])
def test_the_table_agrees_with_the_definition(D):
    pos = np.array([0, 1, 17, 4000])
    got = Sinusoidal(D, base=500.0).table(pos)
    np.testing.assert_allclose(got, reference.sinusoidal(pos, D, base=500.0), rtol=0, atol=1e-12)


def test_dot_products_depend_on_the_offset():
    """Rows 3 apart at d = 8: cos 3 + cos .3 + cos .03 + cos .003 = 1.96489 wherever they stand."""
    golden = entry("sinusoid.dot_depends_on_offset.d8")
    PE = Sinusoidal(8)
    got = [(PE.table([m]) @ PE.table([n])[0]).item() for m, n in golden["inputs"]["pairs"]]
    np.testing.assert_allclose(got, golden["values"], rtol=0, atol=5e-6)


def test_wavelengths():
    """2 pi over the frequency: at d = 4 the frequencies are 1 and 1/100, so 6.283 and 628.3 positions."""
    np.testing.assert_allclose(Sinusoidal(4).wavelengths, [2 * np.pi, 200 * np.pi], rtol=1e-15)
    slowest = Sinusoidal(512, variant="tensor2tensor").frequencies[-1]
    assert slowest == pytest.approx(1e-4, rel=1e-13)


shapes = st.tuples(st.integers(2, 33), st.sampled_from(list(VARIANTS.values())))


@given(shapes, st.integers(-500, 500), st.integers(-500, 500))
@settings(deadline=None, max_examples=50)
def test_a_shift_is_one_fixed_rotation(shape, p, k):
    """PE(p + k) = PE(p) M with M orthogonal, save the one sine that has lost its cosine."""
    D, variant = shape
    PE = Sinusoidal(D, variant=variant)
    M, kept = PE.shift_matrix(k), np.arange(D) != PE.lone_column
    np.testing.assert_allclose((PE.table([p]) @ M)[:, kept], PE.table([p + k])[:, kept], rtol=0, atol=1e-11)
    np.testing.assert_allclose((M @ M.T)[np.ix_(kept, kept)], np.eye(kept.sum()), rtol=0, atol=1e-13)


@given(st.integers(1, 16), st.integers(-500, 500), st.integers(-500, 500))
@settings(deadline=None, max_examples=50)
def test_a_lone_sine_is_off_by_what_its_cosine_would_have_given(half, p, k):
    """sin(w (p + k)) = sin(w p) cos(w k) + cos(w p) sin(w k), and the second term is missing."""
    PE = Sinusoidal(2 * half + 1)
    w, column = PE.frequencies[-1], PE.lone_column
    missing = PE.table([p + k])[0, column] - (PE.table([p]) @ PE.shift_matrix(k))[0, column]
    assert missing == pytest.approx(np.cos(w * p) * np.sin(w * k), abs=1e-12)


def test_the_raw_index_swamps_the_token():
    """At position 4,000 and D = 64 the index has norm 4000 * 8 = 32,000; a row of ones has norm 8."""
    x = np.ones((1, 64))
    norm = np.linalg.norm(RawIndex().add_to_input(x, [4000]))
    assert norm == 32_008
    assert np.linalg.norm(Sinusoidal(64).table([4000])) == pytest.approx(np.sqrt(32))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sinusoidal(0), "width D must be a whole number of at least 1; got 0"),
        (lambda: Sinusoidal(4, base=0.0), "base must be a finite number above 0"),
        (lambda: Sinusoidal(4, base=float("inf")), "base must be a finite number above 0; got inf"),
        (lambda: Sinusoidal(4, variant="paper"), "variant 'paper' is unknown; choose one of interleaved"),
        (lambda: Sinusoidal(1, variant="tensor2tensor"), "D = 1 holds no pair.*another variant"),
        (lambda: Sinusoidal(4).table([0.5]), "positions must be integers"),
        (lambda: Sinusoidal(4).shift_matrix(0.5), "positions must be integers"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("variant", VARIANTS.values())
@pytest.mark.parametrize("D", [2, 5, 8])
@pytest.mark.parametrize("k", [-7, 0, 3])
def test_turning_rows_is_multiplying_by_the_matrix(variant, D, k):
    """[s, c] [[cos, -sin], [sin, cos]] for each pair, by hand; a lone sine keeps its cosine alone."""
    PE = Sinusoidal(D, variant=variant)
    rows = np.random.default_rng(0).standard_normal((4, D))
    by_hand = rows.copy()
    for pair, w in enumerate(PE.frequencies):
        s = PE.sine_columns[pair]
        by_hand[:, s] = rows[:, s] * np.cos(k * w)
        if pair < len(PE.cosine_columns):
            c = PE.cosine_columns[pair]
            by_hand[:, s] += rows[:, c] * np.sin(k * w)
            by_hand[:, c] = rows[:, c] * np.cos(k * w) - rows[:, s] * np.sin(k * w)
    np.testing.assert_allclose(PE.turn(rows, k), by_hand, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rows @ PE.shift_matrix(k), by_hand, rtol=0, atol=1e-14)
    with pytest.raises(ValueError, match="must have shape"):
        PE.turn(rows[:, 1:], k)
