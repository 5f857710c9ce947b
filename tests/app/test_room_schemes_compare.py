"""Every scheme asked the same questions: scores, shifts, the comparison, slopes and trained tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rooms.schemes.model.compare import (
    TABLES,
    USERS,
    Answer,
    acts_on,
    agreeing_head_counts,
    appended_index,
    ask,
    compare,
    input_share,
    largest_change,
    make_probe,
    score_by_distance,
    score_matrix,
    shared_scale,
    slope_table,
    trained_table,
)
from lab.attention import scores
from lab.positions import SCHEMES
from tests.golden import entry, names

WORDS = ("the", "cat", "climbed", "the", "roof")
RELATIVE = {"none", "rope", "alibi"}


def probe(**changed):
    return make_probe(WORDS, **{"D": 8, "H": 4, "d": 4, "seed": 3, "trained": 64, **changed})


@pytest.fixture(scope="module")
def asked():
    return probe()


# the probe


def test_equal_words_have_equal_rows(asked):
    np.testing.assert_array_equal(asked.x[0], asked.x[3])
    assert len(np.unique(asked.x, axis=0)) == 4
    assert (asked.T, asked.d, asked.x.shape, asked.Wq.shape) == (5, 4, (5, 8), (8, 16))


def test_a_longer_text_and_more_heads_keep_what_there_was(asked):
    longer = make_probe((*WORDS, "slowly"), D=8, H=6, d=4, seed=3)
    np.testing.assert_array_equal(longer.x[:5], asked.x)
    np.testing.assert_array_equal(longer.Wq[:, :16], asked.Wq)
    np.testing.assert_array_equal(longer.Wk[:, :16], asked.Wk)


def test_entries_of_x_q_and_k_have_variance_1():
    wide = make_probe([str(i) for i in range(400)], D=64, H=8, d=8, seed=0)
    for rows in (wide.x, wide.x @ wide.Wq, wide.x @ wide.Wk):
        np.testing.assert_allclose(rows.std(), 1.0, atol=0.05)
    assert abs(np.corrcoef(wide.Wq.ravel(), wide.Wk.ravel())[0, 1]) < 0.05


def test_another_seed_draws_other_rows(asked):
    for name in ("x", "Wq", "Wk"):
        assert not np.array_equal(getattr(asked, name), getattr(probe(seed=4), name))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": -1}, "the seed must not be negative; got -1"),
        ({"D": 0}, "width D must be a whole number"),
        ({"H": 0}, "heads H must be a whole number"),
        ({"d": 3}, "must be an even number"),
        ({"trained": 0}, "must be a whole number"),
    ],
)
def test_sizes_that_are_none(changed, message):
    with pytest.raises(ValueError, match=message):
        probe(**changed)


def test_a_text_without_words():
    with pytest.raises(ValueError, match="at least one word"):
        make_probe([], D=8, H=1, d=2, seed=0)


# scores


def test_scores_are_those_of_the_definition(asked):
    """Head 2 without positions: (x Wq)(x Wk)ᵀ / √4, columns 8 to 11 of Wq and Wk."""
    q, k = asked.x @ asked.Wq[:, 8:12], asked.x @ asked.Wk[:, 8:12]
    np.testing.assert_allclose(score_matrix(asked, "none", 9, 2).scores, q @ k.T / 2, atol=1e-12)


@pytest.mark.parametrize("key", SCHEMES)
def test_scores_go_through_the_hooks(asked, key):
    scheme, pos = asked.schemes[key], np.arange(5) + 7
    rows = scheme.add_to_input(asked.x, pos)
    q, k = ((rows @ W).reshape(5, 4, 4).swapaxes(0, 1) for W in (asked.Wq, asked.Wk))
    np.testing.assert_array_equal(score_matrix(asked, key, 7, 1).scores, scores(q, k, scheme, pos, pos)[1])


@pytest.mark.parametrize("key", SCHEMES)
def test_a_curve_holds_the_scores_of_a_matrix(asked, key):
    """The query ‘roof’ at position 12, the key ‘the’ 0 to 5 places before it."""
    line = score_by_distance(asked, key, span=5, shift=7, head=3).scores
    single = [
        ask(asked, key, asked.x[4:], asked.x[:1], [12], [12 - distance], 3).scores[0, 0]
        for distance in range(6)
    ]
    np.testing.assert_allclose(line, [single], atol=1e-13)


@given(st.integers(0, 4000), st.integers(0, 3), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_a_move_leaves_relative_scores_alone_and_no_others(shift, head, seed):
    given_to_all = probe(seed=seed, trained=4010)
    for key in SCHEMES:
        still, moved = (score_matrix(given_to_all, key, by, head) for by in (0, shift))
        change = largest_change(still, moved)
        if key in RELATIVE:
            assert change < 1e-11
        elif shift:
            assert change > 1e-6


def test_a_refusal_is_an_answer_and_a_wrong_question_is_none(asked):
    refused = score_matrix(asked, "learned", 60)
    assert refused.scores is None
    assert refused.error.startswith("position 64 has no row: the table was trained for 64 positions")
    assert refused.largest == 0.0
    assert largest_change(score_matrix(asked, "learned"), refused) is None
    with pytest.raises(ValueError, match=r"there is no scheme 'gps'; there are none, raw, sinusoidal"):
        score_matrix(asked, "gps")
    with pytest.raises(ValueError, match=r"there is no head 4: the 4 heads are 0 to 3"):
        score_matrix(asked, "none", head=4)


def test_one_scheme_alone_does_not_set_the_common_scale():
    """4 is not more than 1.5 times 3, so it sets the scale; 40 is, so 3 does."""

    def scale(*largest):
        return shared_scale([Answer(np.array([[-v]])) for v in largest])

    assert scale(1.0, 3.0, 4.0) == 4.0
    assert scale(1.0, 40.0, 3.0) == 3.0
    assert scale(7.0) == 7.0
    assert scale(0.0) == scale() == 1.0
    assert shared_scale([Answer(None, "refused")]) == 1.0


# the comparison


def test_each_scheme_acts_where_it_says_it_enters(asked):
    for scheme in asked.schemes.values():
        found = acts_on(scheme, D=8, H=4, d=4)
        assert found == ((scheme.enters,) if scheme.enters else ())


def test_the_comparison(asked):
    """A learned table of 64 rows of width 8 has 512 numbers; nothing else adds any."""
    rows = {row.key: row for row in compare(asked, shift=7, head=1, span=16)}
    assert list(rows) == list(SCHEMES)
    assert {key: row.parameters for key, row in rows.items() if row.parameters} == {"learned": 512}
    assert {key: row.kind for key, row in rows.items()} == {
        "none": "blind",
        "raw": "absolute",
        "sinusoidal": "absolute",
        "learned": "absolute",
        "rope": "relative",
        "alibi": "relative",
    }
    assert rows["rope"].change < 1e-12
    assert rows["alibi"].change == rows["none"].change == 0
    assert all(rows[key].change > 0.1 for key in set(SCHEMES) - RELATIVE)
    for key, row in rows.items():
        assert row.change == largest_change(score_matrix(asked, key, 0, 1), row.moved)
        assert row.users == USERS.get(key, ())


def test_alibi_falls_by_its_slope_with_each_position(asked):
    """Slope of head 2 of 4 is 1/16: over 16 distances the score falls by 1."""
    row = compare(asked, shift=1, head=1, span=16)[-1]
    assert row.by_distance == pytest.approx(1.0, abs=1e-12)


def test_only_what_is_stored_ends(asked):
    for row in compare(asked, shift=7):
        if row.key == "learned":
            assert row.beyond.error.startswith("position 64 has no row")
        else:
            assert np.isfinite(row.beyond.scores).all()
            np.testing.assert_array_equal(row.beyond.scores, score_matrix(asked, row.key, 64).scores)
            assert row.beyond.error == ""


def test_the_move_itself_may_be_refused(asked):
    rows = {row.key: row for row in compare(asked, shift=100)}
    assert rows["learned"].change is None
    assert "position 100 has no row" in rows["learned"].moved.error
    assert rows["learned"].kind == "absolute"


def test_every_user_has_a_source_and_every_scheme_named_exists():
    assert set(USERS) <= set(SCHEMES)
    for uses in USERS.values():
        assert all(use.model and use.source for use in uses)


def test_the_raw_index_swamps_the_row():
    """Four entries of ±1 have length 2; 4,000 added to each is 8,000 long: a share of 4000 / 4001."""
    one = replace(make_probe(["a"], D=4, H=1, d=2, seed=0), x=np.array([[1.0, -1.0, 1.0, 1.0]]))
    found = input_share(one, "raw", 4000)
    assert (found.token, found.position) == (2.0, 8000.0)
    assert found.share == pytest.approx(4000 / 4001, abs=1e-15)


def test_sinusoidal_rows_keep_their_length(asked):
    """Each of D / 2 pairs has length 1 anywhere: √4 a row, √20 over five rows."""
    for position in (0, 63, 4000):
        assert input_share(asked, "sinusoidal", position).position == pytest.approx(20**0.5)


def test_schemes_that_leave_the_rows_alone_have_no_share(asked):
    for key in ("none", "rope", "alibi"):
        assert input_share(asked, key, 4000).share == 0
    refused = input_share(asked, "learned", 4000)
    assert refused.share == 0
    assert "position 4000 has no row" in refused.error


# slopes


@pytest.mark.parametrize("name", names("alibi.slopes."))
def test_slopes_by_both_rules(name):
    golden = entry(name)
    table = slope_table(golden["inputs"]["n_heads"])
    np.testing.assert_allclose(table.released, golden["values"], rtol=5e-9)
    np.testing.assert_allclose(table.paper, golden["naive_geometric_2_pow_minus_8h_over_n"], rtol=5e-9)
    assert (table.agree, table.falling) == (golden["naive_matches"], golden["monotone"])


def test_the_rules_agree_for_powers_of_two_alone():
    assert agreeing_head_counts(64) == (1, 2, 4, 8, 16, 32, 64)


def test_how_far_the_rules_differ():
    """Cases alibi-01, -02. Three heads: 1/16, 1/256, 1/4 released; 2^(-8/3), 2^(-16/3), 2^-8 on paper.

    The ratios are 2^(4/3), 2^(8/3) and 2^6, so the last head differs most, by 64.
    """
    table = slope_table(3)
    assert table.largest_ratio == pytest.approx(64.0)
    assert not table.agree
    assert slope_table(12).released[8] == pytest.approx(0.707107, abs=5e-7)
    np.testing.assert_array_equal(slope_table(8).released[[0, -1]], [0.5, 0.00390625])


def test_half_distances_of_eight_heads():
    """ln 2 / slope: .693 / .5 = 1.39 in head 1, and twice as far in each head after it."""
    half = slope_table(8).half_distances
    assert half[0] == pytest.approx(1.386294, abs=1e-6)
    np.testing.assert_allclose(half[1:] / half[:-1], 2.0)


# trained tables


@pytest.mark.parametrize(("key", "share", "longest"), [("minilm", 0.49, 2.36), ("whisper", 0.77, 0.517)])
def test_trained_tables_are_no_function_of_the_distance(key, share, longest):
    table = trained_table(key)
    assert round(table.explained, 2) == share
    assert table.longest == 0
    assert table.norms[0] == pytest.approx(longest, abs=5e-3)
    assert table.norms[0] > 1.9 * table.median_norm


def test_whisper_breaks_at_224():
    """448 / 2: row 224 has cosine .29 with row 223 and .31 with row 225, where .83 is the median."""
    table = trained_table("whisper")
    assert table.loneliest == 224
    np.testing.assert_allclose(table.neighbours[[223, 224]], [0.295, 0.310], atol=5e-3)
    np.testing.assert_allclose(np.median(table.neighbours), 0.83, atol=5e-3)


def test_the_lags_of_minilm_are_banded():
    by_lag = trained_table("minilm").by_lag[1:10]
    np.testing.assert_allclose(by_lag, [0.85, 0.59, 0.44, 0.50, 0.66, 0.69, 0.52, 0.29, 0.21], atol=6e-3)


def test_the_sinusoidal_table_is_a_function_of_the_distance():
    """All 192 pairs have length 1, so every row is √192 long and no row stands out."""
    table = trained_table("sinusoidal")
    assert table.explained == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(table.norms, 192**0.5, rtol=1e-12)
    np.testing.assert_allclose(np.ptp(table.neighbours), 0.0, atol=1e-12)


@pytest.mark.parametrize("key", TABLES)
def test_measurements_agree_with_loops(key):
    table = trained_table(key)
    T = len(table.norms)
    for p in (0, 1, 223, T - 2):
        a, b = table.P[p].astype(float), table.P[p + 1].astype(float)
        cosine = sum(a * b) / (sum(a * a) * sum(b * b)) ** 0.5
        assert table.neighbours[p] == pytest.approx(cosine, abs=1e-6)
        assert table.norms[p] == pytest.approx(sum(a * a) ** 0.5, rel=1e-6)
    lag = T - 3
    mean = sum(table.cosines[m, m + lag] for m in range(3)) / 3
    assert table.by_lag[lag] == pytest.approx(mean, abs=1e-12)


def test_an_unknown_table():
    with pytest.raises(ValueError, match=r"there is no table 'gpt2'; there are whisper, minilm, sinusoidal"):
        trained_table("gpt2")


def test_results_are_read_only(asked):
    for array in (
        asked.x,
        asked.Wq,
        score_matrix(asked, "none").scores,
        slope_table(3).released,
        trained_table("whisper").cosines,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_an_index_appended_by_hand(asked):
    """q_t = x_t Wq + p_t w, written out; at position 0 of one token nothing but the token is left."""
    found = appended_index(asked, 100, head=2)
    of = slice(8, 12)  # head 2 of width 4
    at = np.arange(100.0, 105.0)
    q = asked.x @ asked.Wq[:, of] + at[:, None] * asked.Wq_more[of]
    k = asked.x @ asked.Wk[:, of] + at[:, None] * asked.Wk_more[of]
    np.testing.assert_allclose(found.scores, q @ k.T / 2, rtol=1e-12)
    assert found.position == pytest.approx(100 * 5**0.5)
    assert found.share == pytest.approx(found.position / (found.position + np.linalg.norm(asked.x)))
    one = make_probe(["a"], D=8, H=4, d=4, seed=3, trained=64)
    still = appended_index(one, 0)
    np.testing.assert_allclose(still.scores, score_matrix(one, "none").scores, rtol=1e-12)
    assert still.position == 0
    with pytest.raises(ValueError, match="there is no head 4"):
        appended_index(asked, 0, head=4)


def test_the_last_rows_of_a_learned_table():
    """MiniLM's rows 508 to 511 have lengths .539 .565 .857 .970, cosines .829 .718 .516 between them."""
    table = trained_table("minilm")
    assert table.last_norm == pytest.approx((0.539 + 0.565 + 0.857 + 0.970) / 4, abs=1e-3)
    assert table.last_cosine == pytest.approx((0.829 + 0.718 + 0.516) / 3, abs=1e-3)
    assert trained_table("sinusoidal").last_norm == pytest.approx(192**0.5)
