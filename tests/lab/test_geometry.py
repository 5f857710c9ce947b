"""Cosines, neighbours, components, distances and sums that can be read back: hand values and laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.geometry import (
    UNDEFINED,
    analogy,
    cosine,
    cosine_by_lag,
    cosine_matrix,
    isotropy,
    neighbours,
    pca,
    read_back,
    spearman,
    unit_rows,
    variance_explained_by_lag,
)
from lab.positions import Sinusoidal
from lab.vocab import COURSE_VECTORS, FINANCE, RUNNING


def test_the_course_vectors():
    """cat·dog = 1.26, |cat|² = 1.31, |dog|² = 1.26: .981. cat·car = -.17, |car|² = .69: -.179."""
    cat, dog, car = COURSE_VECTORS.E
    np.testing.assert_allclose(cosine(cat, dog), 0.981, rtol=0, atol=5e-4)
    np.testing.assert_allclose(cosine(cat, car), -0.179, rtol=0, atol=5e-4)
    np.testing.assert_allclose(
        cosine_matrix(COURSE_VECTORS.E)[0], [1, 1.26 / np.sqrt(1.31 * 1.26), -0.17 / np.sqrt(1.31 * 0.69)]
    )


def test_the_finance_table():
    """save·invest = .56 of √(.57 · .65): .920. save·spend = -.625 of √(.57 · .885): -.880."""
    spend, save, invest = FINANCE.E[:3]
    np.testing.assert_allclose(
        [cosine(save, invest), cosine(save, spend)], [0.920, -0.880], rtol=0, atol=5e-5
    )


def test_one_hot_rows_have_cosine_zero():
    np.testing.assert_array_equal(cosine_matrix(np.eye(5)), np.eye(5))


@pytest.mark.parametrize(("a", "b"), [([0, 0], [1, 2]), ([1, 2], [0, 0]), ([0, 0], [0, 0])])
def test_a_zero_vector_has_no_cosine(a, b):
    """Case emb-10: neither 0 nor NaN, but the words."""
    for dtype in (np.float32, np.float64):
        with pytest.raises(ValueError, match=r"undefined \(zero vector\)"):
            cosine(np.array(a, dtype), np.array(b, dtype))


def test_a_zero_row_is_marked_in_a_matrix():
    cosines = cosine_matrix([[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(cosines, [[1, np.nan], [np.nan, np.nan]])
    assert UNDEFINED == "undefined (zero vector)"


@pytest.mark.parametrize("size", [1e-200, 1e-45, 1e-30, 1e200])
def test_tiny_and_huge_vectors_have_a_direction(size):
    """(1e-200)² underflows to 0 and (1e200)² overflows; the direction [.6, .8] does neither."""
    np.testing.assert_allclose(cosine([3 * size, 4 * size], [3, 4]), 1, rtol=1e-12)


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), st.floats(0.1, 10))
@settings(deadline=None, max_examples=50)
def test_self_cosine_is_one_and_never_above(v, factor):
    """Case emb-10: arccos of 1.0000001 is not a number, so the value is clamped."""
    v32 = np.array(v, dtype=np.float32)
    if not v32.any():
        return
    value = cosine(v32, factor * v32.astype(float))
    assert value <= 1
    np.testing.assert_allclose([value, cosine(v32, -v32)], [1, -1], atol=1e-12)


def test_cosine_refuses_what_are_no_two_vectors():
    with pytest.raises(ValueError, match="shapes"):
        cosine([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="row 0 is not"):
        cosine([np.nan, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="2 wide"):
        cosine_matrix(np.eye(2), np.eye(3))


def test_neighbours_are_the_largest_cosines():
    rng = np.random.default_rng(0)
    E, query = rng.standard_normal((50, 6)), rng.standard_normal(6)
    expected = cosine_matrix(query[None], E)[0]
    order = np.argsort(-expected)
    found = neighbours(unit_rows(E), 3 * query, k=7)
    np.testing.assert_array_equal(found.ids, order[:7])
    np.testing.assert_allclose(found.cosines, expected[order[:7]], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(neighbours(unit_rows(E), query, 3, exclude=order[:2]).ids, order[2:5])


def test_equal_neighbours_come_by_id_and_zero_rows_never():
    E = unit_rows([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    found = neighbours(E, [1.0, 0.0], k=9)
    np.testing.assert_array_equal(found.ids, [0, 2, 3])
    np.testing.assert_array_equal(found.cosines, [1, 1, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neighbours(RUNNING.E, RUNNING.E[0]), r"make them with unit_rows"),
        (lambda: neighbours(np.eye(3), [0, 0, 0]), r"undefined \(zero vector\)"),
        (lambda: neighbours(np.eye(3), [1, 0]), "3 wide"),
        (lambda: neighbours(np.eye(3), np.eye(3)), "must be a matrix"),
        (lambda: neighbours(np.eye(3), [1, 0, 0], exclude=[3]), "token id 3"),
        (lambda: neighbours(np.eye(3), [1, 0, 0], k=0), "k must be"),
        (lambda: analogy(np.eye(3), 0, 1, -1, exclude_inputs=True), "token id -1"),
        (lambda: isotropy(np.ones((1, 2)), np.random.default_rng(0)), "the table has 1"),
        (lambda: isotropy([[1.0], [0.0]], np.random.default_rng(0)), "row 1 has no cosine"),
        (lambda: isotropy(np.eye(2), np.random.default_rng(0), pairs=0), "pairs must be"),
        (lambda: pca(np.ones((3, 2))), "all 3 rows are equal"),
        (lambda: pca(np.eye(3), k=4), "has 3 components; k is 4"),
        (lambda: pca([[np.nan, 0.0]]), "finite"),
        (lambda: cosine_by_lag(np.ones((2, 3))), "symmetric"),
        (lambda: cosine_by_lag([[1.0, 0.2], [0.3, 1.0]]), "symmetric"),
        (lambda: variance_explained_by_lag(np.eye(2)), "three positions"),
        (lambda: variance_explained_by_lag(np.ones((4, 4))), "no variance"),
        (lambda: spearman([1, 2], [1, 2, 3]), "got 2 and 3"),
        (lambda: spearman([1, 1], [1, 2]), "constant"),
        (lambda: read_back(np.eye(2), np.zeros((0, 2)), np.eye(2)), "P 0"),
        (lambda: read_back(np.eye(2), np.eye(3), np.eye(2)), "must have shape"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_analogy_with_and_without_its_inputs():
    """b - a + c = [1,1] - [1,.2] + [-1,.2] = [-1,1] before scaling: the fourth row, once inputs are out."""
    E = unit_rows([[1.0, 0.2], [1.0, 1.0], [-1.0, 0.2], [-0.7, 1.0], [0.0, -1.0]])
    assert analogy(E, 0, 1, 2, exclude_inputs=True, k=1).ids.tolist() == [3]
    assert set(analogy(E, 0, 1, 2, exclude_inputs=True).ids.tolist()) == {3, 4}
    assert len(analogy(E, 0, 1, 2, exclude_inputs=False).ids) == 5


def test_sampled_isotropy_meets_the_closed_form():
    """Over all pairs the mean cosine is (|Σu|² - V) / (V (V - 1)); 10,000 pairs come within 4 sd / 100."""
    E = np.random.default_rng(1).standard_normal((60, 5)) + 0.7
    u = E / np.linalg.norm(E, axis=1, keepdims=True)
    exact = (np.sum(u.sum(axis=0) ** 2) - 60) / (60 * 59)
    found = isotropy(E, np.random.default_rng(2))
    assert found.cosines.shape == (10_000,)
    assert abs(found.mean - exact) < 4 * found.sd / 100
    assert abs(isotropy(E, np.random.default_rng(2), centred=True).mean) < 0.05 < found.mean


def test_isotropy_is_repeatable_and_pairs_differ():
    first, again = (isotropy(np.eye(7), np.random.default_rng(5), pairs=500) for _ in range(2))
    np.testing.assert_array_equal(first.cosines, again.cosines)
    np.testing.assert_array_equal(first.cosines, np.zeros(500))


def test_principal_components_of_a_line():
    """Rows (-2,-1), (0,0), (2,1) lie on [2,1] / √5, all variance is there, and scores are -√5, 0, √5."""
    found = pca([[-2.0, -1.0], [0.0, 0.0], [2.0, 1.0]], k=2)
    np.testing.assert_allclose(found.components[0], np.array([2, 1]) / np.sqrt(5), atol=1e-12)
    np.testing.assert_allclose(found.scores[:, 0], [-np.sqrt(5), 0, np.sqrt(5)], atol=1e-12)
    np.testing.assert_allclose(found.explained, [1, 0], atol=1e-12)


@given(st.integers(2, 30), st.integers(1, 8), st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_component_laws(N, D, seed):
    """Orthonormal, signs fixed, scores uncorrelated, and all of them rebuild the table."""
    X = np.random.default_rng(seed).standard_normal((N, D))
    k = min(N, D)
    found = pca(X, k)
    np.testing.assert_allclose(found.components @ found.components.T, np.eye(k), atol=1e-10)
    np.testing.assert_allclose(found.scores @ found.components + found.mean, X, atol=1e-10)
    gram = found.scores.T @ found.scores
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-9)
    np.testing.assert_allclose(found.explained.sum(), 1, atol=1e-10)
    assert (np.diff(found.explained) <= 1e-12).all()
    assert (found.components[np.arange(k), np.abs(found.components).argmax(axis=1)] > 0).all()


def test_signs_do_not_depend_on_the_order_of_rows():
    X = np.random.default_rng(3).standard_normal((20, 4))
    np.testing.assert_allclose(pca(X).components, pca(X[::-1]).components, atol=1e-10)


def test_cosine_by_lag_is_the_mean_of_each_diagonal():
    cosines = cosine_matrix(np.random.default_rng(0).standard_normal((6, 3)))
    by_hand = [np.mean([cosines[i, i + m] for i in range(6 - m)]) for m in range(6)]
    np.testing.assert_allclose(cosine_by_lag(cosines), by_hand, atol=1e-15)


def test_sinusoids_are_explained_by_distance_alone():
    rows = Sinusoidal(16).add_to_input(np.zeros((40, 16)), np.arange(40))
    np.testing.assert_allclose(variance_explained_by_lag(cosine_matrix(rows)), 1, atol=1e-12)


def test_share_explained_by_lag_by_hand():
    """Lag 1 holds .2 and .6, mean .4; lag 2 holds 0; the mean of all three is .8 / 3.

    Total sum of squares .04 + .36 - .64 / 3 = .56 / 3; within lags .04 + .04 = .08.
    """
    matrix = [[1, 0.2, 0], [0.2, 1, 0.6], [0, 0.6, 1]]
    np.testing.assert_allclose(variance_explained_by_lag(matrix), 1 - 0.08 / (0.56 / 3), atol=1e-12)


def test_spearman_by_hand():
    """Ranks 1,2,3,4 against 2,1,4,3: Σd² = 4, so 1 - 6·4 / (4·15) = .6."""
    np.testing.assert_allclose(spearman([1, 2, 3, 4], [20, 10, 40, 30]), 0.6, atol=1e-12)


def test_equal_values_share_their_mean_rank():
    """x ranks 1, 2.5, 2.5, 4; y 1, 2, 3, 4: covariance 4.5 of √(4.5 · 5), so √.9."""
    np.testing.assert_allclose(spearman([1, 5, 5, 9], [1, 2, 3, 4]), np.sqrt(0.9), atol=1e-12)


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=20, unique=True))
@settings(deadline=None, max_examples=50)
def test_spearman_sees_order_alone(values):
    x = np.array(values, dtype=float)
    assert spearman(x, x**3) == pytest.approx(1)
    assert spearman(x, -np.exp(x / 50)) == pytest.approx(-1)


def test_read_back_finds_what_went_in():
    rng = np.random.default_rng(0)
    E, P = rng.standard_normal((30, 12)), 0.3 * rng.standard_normal((9, 12))
    pairs = np.array(list(itertools.product(range(30), range(9))))
    found = read_back(E, P, E[pairs[:, 0]] + P[pairs[:, 1]])
    np.testing.assert_array_equal(np.stack([found.tokens, found.positions], axis=1), pairs)
    np.testing.assert_allclose(found.distances, np.zeros(270), atol=1e-12)


def test_four_dimensions_are_too_few_to_read_the_course_table_back():
    """␣cat at place 1 is [1,-.5,0,-.5]; ␣dog at place 7 is [1,-.5,-.5,0] + [0,0,.5,-.5], the same row."""
    found = read_back(RUNNING.E, RUNNING.P, RUNNING.E[[3]] + RUNNING.P[[6]])
    assert (found.tokens.tolist(), found.positions.tolist(), found.distances.tolist()) == ([2], [0], [0.0])


def test_read_back_is_not_drowned_by_what_all_rows_share():
    """One column of 200 beside differences of .02: in float32 the squares alone would name other tokens."""
    rng = np.random.default_rng(0)
    E = (0.02 * rng.standard_normal((2000, 64))).astype(np.float32)
    P = (0.02 * rng.standard_normal((100, 64))).astype(np.float32)
    E[:, 0] += 200
    tokens, places = rng.integers(2000, size=60), rng.integers(100, size=60)
    found = read_back(E, P, E[tokens] + P[places])
    np.testing.assert_array_equal(found.tokens, tokens)
    np.testing.assert_array_equal(found.positions, places)
