"""The bounded law, real word counts, and what a run touches."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import data, zipf
from tests.golden import case

quick = settings(deadline=None, max_examples=40)


@pytest.fixture(scope="module")
def plays():
    """The words of the seven plays."""
    return zipf.word_counts(data.shakespeare())


# The law


def test_case_emb_09_bounded_law():
    """Ten ranks. s = 1: 1 + 1/2 + ... + 1/10 = 2.928968, so p_1 = .341417, p_2 half and p_10 a tenth of it.

    s = 1/2: the sum of i^-1/2 is 5.020998, so p_1 = .199164, p_10 = .199164 / sqrt(10) = .062981. s = 0: .1.
    """
    assert ".341417,.170709,...,.034142" in case("emb-09")["expected"]
    harmonic = zipf.probabilities(10, 1.0)
    np.testing.assert_allclose(harmonic, 0.3414171521 / np.arange(1, 11), rtol=0, atol=1e-9)
    np.testing.assert_allclose(zipf.probabilities(10, 0.5)[[0, -1]], [0.199164, 0.062981], rtol=0, atol=5e-7)
    np.testing.assert_array_equal(zipf.probabilities(10, 0.0), np.full(10, 0.1))


@pytest.mark.parametrize("exponent", [float("nan"), float("inf"), -0.1, True])
def test_case_emb_09_exponents_that_are_none(exponent):
    """The message names the exponent; NaN does not slip through a comparison."""
    for call in (
        lambda: zipf.probabilities(10, exponent),
        lambda: zipf.sample(np.random.default_rng(0), 10, exponent, 3),
    ):
        with pytest.raises(ValueError, match="exponent must be a finite number of at least 0"):
            call()


@pytest.mark.parametrize("V", [0, -1, 2.5, True, zipf.MAX_RANKS + 1])
def test_vocabularies_that_are_none(V):
    with pytest.raises(ValueError, match=r"^V must be"):
        zipf.probabilities(V, 1.0)


@given(V=st.integers(1, 3000), exponent=st.floats(0, 60))
@quick
def test_the_law_sums_to_one_and_falls(V, exponent):
    p = zipf.probabilities(V, exponent)
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(p) <= 0).all()
    assert not p.flags.writeable


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 1.0000001, 3.0, 1000.0])
def test_any_exponent_can_be_drawn_from(exponent):
    """Chi-square over 8 ranks, 20,000 draws; 7 degrees of freedom, so 30 is beyond one in 10,000."""
    V, N = 8, 20_000
    ids = zipf.sample(np.random.default_rng(1), V, exponent, N)
    seen = np.bincount(ids, minlength=V)
    expected = zipf.expected_counts(zipf.probabilities(V, exponent), N)
    likely = expected > 1e-6
    assert seen[~likely].sum() == 0
    assert (((seen - expected)[likely]) ** 2 / expected[likely]).sum() < 30


class Fixed:
    """Stands for a generator whose uniform numbers are all the same."""

    def __init__(self, number):
        self.number = number

    def random(self, size):
        return np.full(size, self.number)


@pytest.mark.parametrize("V", [1, 3, 10, 4097, 128_000])
def test_the_largest_uniform_number_stays_in_the_table(V):
    """The largest number below 1 must land on the last rank, for tables whose sum rounds below 1 too."""
    assert zipf.sample(Fixed(np.nextafter(1.0, 0.0)), V, 0.0, 2).tolist() == [V - 1, V - 1]


def test_a_uniform_number_on_an_edge_is_the_next_rank():
    """Two ranks of 1/2 each: 0 <= u < 1/2 is row 0, 1/2 <= u < 1 is row 1."""
    drawn = [zipf.sample(Fixed(u), 2, 0.0, 1).item() for u in (0.0, 0.25, 0.5, 0.75)]
    assert drawn == [0, 0, 1, 1]


def test_the_same_seed_gives_the_same_ids_also_in_pieces():
    whole = zipf.sample(np.random.default_rng(7), 128_000, 1.0, (4, 4096))
    rng = np.random.default_rng(7)
    pieces = [zipf.sample(rng, 128_000, 1.0, 4096) for _ in range(4)]
    np.testing.assert_array_equal(whole, pieces)


# Closed forms


def test_must_show_4000_tokens_of_50257_rows():
    """At most 4,000 rows, since each token touches one; 1,891 are expected when s = 1."""
    p = zipf.probabilities(50_257, 1.0)
    expected = zipf.expected_distinct(p, 4_000)
    assert expected == pytest.approx(sum(1.0 - (1.0 - q) ** 4_000 for q in p.tolist()), abs=1e-6)
    assert round(expected) == 1_891
    touched = [
        len(np.unique(zipf.sample(np.random.default_rng(seed), 50_257, 1.0, 4_000))) for seed in range(20)
    ]
    assert max(touched) <= 4_000
    # the count of distinct rows has a standard deviation below sqrt(1,891) = 44; a mean of 20 below 10
    assert np.mean(touched) == pytest.approx(expected, abs=40)


def test_uniform_tokens_touch_almost_as_many_rows_as_there_are_tokens():
    """V = 50,257 alike: V (1 - (1 - 1/V)^4000) = 50,257 * (1 - e^-.0795920) = 3,845."""
    assert zipf.expected_distinct(zipf.probabilities(50_257, 0.0), 4_000) == pytest.approx(3_844.9, abs=0.1)


def test_two_rows_by_hand():
    """p = (3/4, 1/4), N = 2: unseen (1/16, 9/16), so 15/16 + 7/16 = 22/16 = 1.375 rows are touched."""
    p = [0.75, 0.25]
    np.testing.assert_allclose(zipf.unseen_probability(p, 2), [0.0625, 0.5625], rtol=1e-15)
    assert zipf.expected_distinct(p, 2) == pytest.approx(1.375, abs=1e-15)
    np.testing.assert_allclose(zipf.mean_wait(p, 2), [16 / 15, 16 / 7], rtol=1e-15)


def test_tiny_probabilities_do_not_round_away():
    """1 - 1e-18 is 1 in float64, yet a billion draws see such a row once in a billion runs."""
    p = np.array([1.0 - 1e-18, 1e-18])
    assert zipf.expected_distinct(p, 10**9) - 1.0 == pytest.approx(1e-9, rel=1e-6)
    assert zipf.mean_wait(p, 10**9)[1] == pytest.approx(1e9, rel=1e-6)


def test_certain_and_impossible_rows():
    p = [1.0, 0.0]
    np.testing.assert_array_equal(zipf.unseen_probability(p, 5), [0.0, 1.0])
    np.testing.assert_array_equal(zipf.unseen_probability(p, 0), [1.0, 1.0])
    assert zipf.expected_distinct(p, 5) == 1.0
    assert zipf.expected_distinct(p, 0) == 0.0
    np.testing.assert_array_equal(zipf.mean_wait(p, 5), [1.0, np.inf])


@given(V=st.integers(1, 500), exponent=st.floats(0, 4), N=st.integers(0, 5000))
@quick
def test_expected_distinct_is_bounded_and_grows(V, exponent, N):
    p = zipf.probabilities(V, exponent)
    rows = zipf.expected_distinct(p, N)
    assert 0 <= rows <= min(N, V) + 1e-9
    assert rows <= zipf.expected_distinct(p, N + 1) + 1e-9


@pytest.mark.parametrize("p", [[0.5, 0.4], [1.5, -0.5], [], [[1.0]], [np.nan, 1.0]])
def test_distributions_that_are_none(p):
    with pytest.raises(ValueError, match=r"^p "):
        zipf.expected_distinct(p, 3)


@pytest.mark.parametrize("draws", [-1, 2.0, True])
def test_draws_that_are_none(draws):
    with pytest.raises(ValueError, match="number of tokens N"):
        zipf.expected_counts([1.0], draws)


# Words


def test_shakespeare_counts_as_its_provenance_says(plays):
    assert (plays.total, plays.V) == (154_816, 11_243)
    assert plays.counts.sum() == plays.total
    np.testing.assert_array_equal(np.bincount(plays.ids, minlength=plays.V), plays.counts)
    assert plays.words[:3] == ("the", "and", "i")
    np.testing.assert_allclose(plays.p.sum(), 1.0)


def test_words_are_ranked_by_count_then_alphabet():
    counted = zipf.word_counts("b é a Don’t DON'T, c! c b2b")
    assert counted.words == ("b", "c", "don't", "a", "é")
    assert counted.counts.tolist() == [3, 2, 2, 1, 1]
    assert [counted.words[i] for i in counted.ids] == ["b", "é", "a", "don't", "don't", "c", "c", "b", "b"]
    with pytest.raises(ValueError, match="holds no word"):
        zipf.word_counts("12 — !")


@given(exponent=st.floats(0, 3), scale=st.floats(1, 1e6))
@quick
def test_a_power_law_is_fitted_exactly(exponent, scale):
    fit = zipf.fit_exponent(scale * np.arange(1, 1001.0) ** -exponent)
    assert fit.exponent == pytest.approx(exponent, abs=1e-9)
    assert fit.scale == pytest.approx(scale, rel=1e-9)
    np.testing.assert_allclose(fit.counts([1, 10]), scale * np.array([1, 10.0**-exponent]), rtol=1e-9)


def test_the_fit_of_real_words_agrees_with_polyfit(plays):
    """Slope and intercept as NumPy's own least squares give them, over the ranks 10 to 1,000."""
    fit = zipf.fit_exponent(plays.counts)
    slope, intercept = np.polyfit(np.log(np.arange(10, 1001)), np.log(plays.counts[9:1000]), 1)
    assert (fit.exponent, fit.scale) == pytest.approx((-slope, np.exp(intercept)), rel=1e-9)
    assert (fit.first, fit.last) == (10, 1000)
    assert 0.9 < fit.exponent < 1.2
    assert fit.r_squared > 0.99


@pytest.mark.parametrize(
    ("counts", "first", "last"),
    [([3, 2], 1, 3), ([3, 2], 2, 2), ([2, 3], 1, 2), ([3, 0], 1, 2), ([[3, 2]], 1, 2), ([3, 2], 0, 2)],
)
def test_fits_that_are_refused(counts, first, last):
    with pytest.raises(ValueError, match=r"rank|counts"):
        zipf.fit_exponent(counts, first, last)


# Bins


@given(V=st.integers(1, 200_000), bins=st.integers(1, 400))
@quick
def test_each_rank_is_in_exactly_one_bin_and_none_is_empty(V, bins):
    edges = zipf.rank_bins(V, bins)
    widths = np.diff(edges)
    assert edges[0] == 0
    assert edges[-1] == V
    assert len(widths) == min(bins, V)
    assert (widths >= 1).all()
    # the low ranks are single, and widths grow: rounding may shift an edge by one rank, not more
    assert (np.diff(widths) >= -1).all()
    single = np.flatnonzero(widths > 1)
    assert (widths[: single[0] if single.size else None] == 1).all()


def test_bins_are_even_on_the_logarithmic_axis():
    """128,000 ranks in 120 bins: past rank 100 all bins have the same ratio, to a rank at either edge."""
    edges = zipf.rank_bins(128_000, 120) + 1
    wide = edges[edges > 100]
    np.testing.assert_allclose(np.diff(np.log(wide)), np.log(wide[-1] / wide[0]) / (len(wide) - 1), atol=0.02)
    np.testing.assert_array_equal(edges[:10], np.arange(1, 11))


# A run


def brute_touch(ids, edges):
    """The share of each bin's rows that a step touches, by sets."""
    return np.array(
        [[len(set(step) & set(range(a, b))) / (b - a) for step in ids] for a, b in itertools.pairwise(edges)]
    )


@given(data_=st.data())
@quick
def test_touch_matrix_agrees_with_sets(data_):
    V = data_.draw(st.integers(1, 60))
    ids = zipf.sample(
        np.random.default_rng(data_.draw(st.integers(0, 99))), V, data_.draw(st.floats(0, 2)), (3, 17)
    )
    edges = sorted(data_.draw(st.sets(st.integers(0, V + 5), min_size=2, max_size=8)))
    got = zipf.touch_matrix(ids, edges)
    np.testing.assert_allclose(got, brute_touch(ids.tolist(), edges), rtol=0, atol=1e-15)


def test_single_rows_can_be_looked_at():
    """Edges 1, 2, 3 are the rows 1 and 2; rows 0 and 3 are left out."""
    np.testing.assert_array_equal(zipf.touch_matrix([[0, 1, 1], [3, 2, 0]], range(1, 4)), [[1, 0], [0, 1]])


def test_distinct_seen_follows_the_closed_form():
    """V = 2,000, s = 1 against the sum for (step + 1) N tokens, within five times its spread."""
    ids = zipf.law_batches(np.random.default_rng(3), 2_000, 1.0, batch=4, length=64, steps=30)
    seen = zipf.distinct_seen(ids)
    expected = [zipf.expected_distinct(zipf.probabilities(2_000, 1.0), 256 * (n + 1)) for n in range(30)]
    np.testing.assert_array_equal(seen, [len(set(ids[: n + 1].ravel().tolist())) for n in range(30)])
    np.testing.assert_allclose(seen, expected, rtol=0, atol=5 * np.sqrt(expected[-1]))


def test_text_batches_are_passages(plays):
    ids = zipf.text_batches(np.random.default_rng(0), np.arange(100), batch=3, length=5, steps=4)
    assert ids.shape == (4, 15)
    passages = ids.reshape(4, 3, 5)
    np.testing.assert_array_equal(np.diff(passages, axis=-1), 1)


def test_passages_touch_fewer_rows_than_independent_words(plays):
    """Words of a passage repeat each other: 1,249 rows a step of 8 x 512 words in place of 1,360."""
    ids = zipf.text_batches(np.random.default_rng(0), plays.ids, batch=8, length=512, steps=40)
    mean = np.mean([len(np.unique(step)) for step in ids])
    assert 0.85 < mean / zipf.expected_distinct(plays.p, 8 * 512) < 0.95


def test_the_last_passage_is_reached():
    ids = zipf.text_batches(np.random.default_rng(0), [5, 6, 7], batch=1, length=3, steps=2)
    assert ids.tolist() == [[5, 6, 7], [5, 6, 7]]


def test_runs_that_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="a passage needs 4 ids"):
        zipf.text_batches(rng, [1, 2, 3], batch=1, length=4, steps=1)
    with pytest.raises(ValueError, match="a run may hold"):
        zipf.law_batches(rng, 10, 1.0, batch=4096, length=4096, steps=4096)
    for sizes in ({"batch": 0}, {"length": 1.5}, {"steps": True}):
        with pytest.raises(ValueError, match=next(iter(sizes))):
            zipf.law_batches(rng, 10, 1.0, **({"batch": 1, "length": 1, "steps": 1} | sizes))
    for ids in ([1, 2], [[]], [[0.5]], [[-1]]):
        with pytest.raises(ValueError, match="id"):
            zipf.touch_matrix(ids, [0, 1])
    for edges in ([0], [0, 0], [3, 1], [-1, 2], [0.0, 1.0], [[0, 1]]):
        with pytest.raises(ValueError, match="edges must be"):
            zipf.touch_matrix([[0]], edges)


# Bytes


def test_gradient_bytes_by_hand():
    """GPT-2 small in float32: 50,257 x 768 x 4 = 154,389,504; 1,891 rows: 1,891 x (3,072 + 8) = 5,824,280."""
    assert zipf.gradient_bytes(50_257, 768, rows=1_891) == (154_389_504, 5_824_280)
    assert zipf.gradient_bytes(10, 4, rows=0) == (160, 0)
    assert zipf.gradient_bytes(10, 4, rows=10, itemsize=2, index_itemsize=4) == (80, 120)
    with pytest.raises(ValueError, match="cannot touch 11 rows"):
        zipf.gradient_bytes(10, 4, rows=11)
    with pytest.raises(ValueError, match="rows must be"):
        zipf.gradient_bytes(10, 4, rows=-1)


def test_no_hidden_randomness():
    """Whatever draws takes its generator as the first argument."""
    for draw in (zipf.sample, zipf.law_batches, zipf.text_batches):
        assert next(iter(inspect.signature(draw).parameters)) == "rng"


def test_a_text_of_no_row_ids_is_refused():
    rng = np.random.default_rng(0)
    for ids, message in (([0.9, 1.9, 2.5], "must be integers"), ([0, 1, -2], "token id -2")):
        with pytest.raises(ValueError, match=message):
            zipf.text_batches(rng, ids, batch=1, length=2, steps=2)


def test_probabilities_are_told_apart_from_their_sum():
    with pytest.raises(ValueError, match=r"between 0 and 1; got 1\.5"):
        zipf.expected_distinct([1.5, -0.5], 2)


# Subsampling


def test_what_is_kept_follows_the_square_root():
    """t = 1e-5 keeps a word of share 1e-3 with sqrt(.01) = .1, one of 1e-5 and any rarer one always."""
    p = np.array([0.1, 1e-3, 1e-5, 1e-6])
    p = np.append(p, 1 - p.sum())
    kept = zipf.keep_probability(p, 1e-5)
    np.testing.assert_allclose(kept[:4], [0.01, 0.1, 1.0, 1.0], rtol=1e-12)


def test_a_row_that_never_comes_is_kept_and_stays_without_share():
    np.testing.assert_array_equal(zipf.keep_probability([1.0, 0.0], 1e-3)[1], 1.0)
    np.testing.assert_array_equal(zipf.subsampled([1.0, 0.0], 1e-3), [1.0, 0.0])


@quick
@given(
    st.integers(2, 400), st.floats(0, 3), st.sampled_from([1e-5, 1e-3, 0.1, 1.0]), st.integers(0, 2**32 - 1)
)
def test_a_subsampled_law_is_a_law_with_the_same_order(V, s, t, seed):
    p = zipf.probabilities(V, s)
    after = zipf.subsampled(p, t)
    assert after.sum() == pytest.approx(1.0)
    assert (np.diff(after) <= 1e-15).all()
    assert after[0] <= p[0] + 1e-15
    ids = zipf.sample(np.random.default_rng(seed), V, s, 50, t)
    assert 0 <= ids.min() <= ids.max() < V


def test_draws_follow_the_subsampled_law():
    """100,000 draws of 20 ranks: every share within five standard errors, each below .0016."""
    p = zipf.subsampled(zipf.probabilities(20, 1.0), 0.02)
    ids = zipf.sample(np.random.default_rng(3), 20, 1.0, 100_000, 0.02)
    shares = np.bincount(ids, minlength=20) / len(ids)
    np.testing.assert_allclose(shares, p, rtol=0, atol=5 * 0.0016)
    assert abs(shares[0] - zipf.probabilities(20, 1.0)[0]) > 0.05


def test_without_a_threshold_the_draws_are_those_of_the_law():
    first, second = (zipf.sample(np.random.default_rng(1), 90, 1.0, 40, *more) for more in ((), (0.0,)))
    np.testing.assert_array_equal(first, second)


def test_a_thinned_text_keeps_its_order(plays):
    keep = zipf.keep_probability(plays.p, 1e-3)
    left = zipf.thin(np.random.default_rng(0), plays.ids, keep)
    expected = float((plays.counts * keep).sum())
    assert abs(len(left) - expected) < 5 * expected**0.5
    at = iter(plays.ids.tolist())
    assert all(one in at for one in left.tolist())
    rare = plays.p < 1e-3
    np.testing.assert_array_equal(
        np.bincount(left, minlength=plays.V)[rare], np.bincount(plays.ids, minlength=plays.V)[rare]
    )


@pytest.mark.parametrize("threshold", [0.0, -1e-3, float("nan"), float("inf"), True])
def test_thresholds_that_are_refused(threshold):
    with pytest.raises(ValueError, match="the threshold t must be a finite number above 0"):
        zipf.keep_probability([0.5, 0.5], threshold)
