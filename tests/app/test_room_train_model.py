"""What training runs show: rows on a map, nearest rows of one class, and the order a causal model keeps."""

from __future__ import annotations

import numpy as np
import pytest

from app.rooms.train.model.order import order_change
from app.rooms.train.model.rows import alike, commonest, occurrences, row_maps, same_class
from lab.data import shakespeare
from lab.geometry import pca
from lab.positions import SCHEMES
from lab.training import TrainingConfig, shakespeare_corpus


def test_one_layer_without_positions_loses_the_order_of_earlier_characters():
    """The last place attends to a set with its own row in it: a sum over a set has no order."""
    config = TrainingConfig(scheme="none", layers=1)
    for seed in range(3):
        found = order_change(TrainingConfig(scheme="none", seed=seed), 66)
        assert found.change < 1e-12
        assert found.largest > 0.1
    again = [order_change.__wrapped__(config, 66) for _ in range(2)]
    np.testing.assert_array_equal(again[0].after, again[1].after)


def test_the_change_is_that_of_the_logits():
    found = order_change(TrainingConfig(scheme="rope"), 66)
    assert found.change == pytest.approx(abs(found.after - found.before).max())
    assert found.largest == pytest.approx(abs(found.before).max())
    assert found.before.shape == found.after.shape == (66,)
    assert list(found.top) == sorted(range(66), key=lambda v: -found.before[v])[: len(found.top)]


@pytest.mark.parametrize("key", [key for key in SCHEMES if key != "none"])
def test_with_any_scheme_it_does_not(key):
    assert order_change(TrainingConfig(scheme=key, layers=1), 66).change > 1e-3


def test_a_second_layer_sees_order_through_the_mask():
    """Rows of the first layer were made of different beginnings, so their set is another one."""
    assert order_change(TrainingConfig(scheme="none", layers=2), 66).change > 1e-3


def test_copies_share_the_map_of_the_last():
    rng = np.random.default_rng(0)
    copies = rng.normal(size=(3, 20, 6))
    found = row_maps(copies)
    last = pca(copies[-1], 2)
    np.testing.assert_allclose(found.scores[-1], last.scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.explained, last.explained, rtol=0, atol=0)
    for copy, scores in zip(copies, found.scores, strict=True):
        np.testing.assert_allclose(scores, (copy - last.mean) @ last.components.T, rtol=0, atol=1e-12)


def test_rows_that_did_not_move_stay_where_they_are():
    rows = np.random.default_rng(1).normal(size=(9, 4))
    found = row_maps([rows, rows])
    np.testing.assert_array_equal(found.scores[0], found.scores[1])


def test_nearest_rows_by_hand():
    """Rows at 0, 10, 180 and 190 degrees: neighbours are pairs, so abab never agrees and aabb always does."""
    angles = np.deg2rad([0, 10, 180, 190])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert same_class(rows, ["a", "a", "b", "b"]).share == 1.0
    assert same_class(rows, ["a", "b", "a", "b"]).share == 0.0
    assert same_class(rows, ["a", "b", "a", "b"]).chance == pytest.approx(1 / 3)
    assert same_class(rows, ["a", "a", "a", "a"]).chance == 1.0


def test_nearest_rows_are_taken_around_the_mean():
    """Moved far along one axis, rows 0 and 2 point the same way, and still lie on opposite sides."""
    rows = np.array([[1.0, 0.0], [0.9, 0.1], [-1.0, 0.0], [-0.9, -0.1]])
    classes = ["a", "a", "b", "b"]
    assert same_class(rows + np.array([50.0, 0.0]), classes) == same_class(rows, classes)


def test_errors_name_the_way_out():
    with pytest.raises(ValueError, match="at least two rows; there are 1"):
        same_class([[1.0, 2.0]], ["a"])
    with pytest.raises(ValueError, match="rows"):
        same_class([[1.0, 2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="equal"):
        row_maps([[[1.0, 2.0], [1.0, 2.0]]])


def test_occurrences_are_those_of_the_corpus():
    corpus = shakespeare_corpus()
    np.testing.assert_array_equal(occurrences(shakespeare(), corpus.tokens), corpus.counts())


def test_two_tables_agree_whatever_their_frame():
    """A turn, a scale, a shift and three more columns of zeros leave likeness as it is."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(12, 5))
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    moved = np.pad(3 * rows @ turn + 7, ((0, 0), (0, 3)))
    moved[:, 5:] = 2
    assert alike(rows, moved) == pytest.approx(1.0)
    assert abs(alike(rng.normal(size=(200, 30)), rng.normal(size=(200, 30)))) < 0.03


def test_likeness_is_the_correlation_of_cosines():
    first, second = np.random.default_rng(1).normal(size=(2, 9, 4))
    cosines = []
    for rows in (first, second):
        unit = rows - rows.mean(axis=0)
        unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
        cosines.append([unit[i] @ unit[j] for i in range(9) for j in range(i)])
    assert alike(first, second) == pytest.approx(np.corrcoef(cosines)[0, 1])


def test_tables_without_a_likeness_have_none():
    equal = np.ones((4, 3))
    assert alike(equal, np.eye(4)) == 0.0
    with pytest.raises(ValueError, match="the same three rows or more"):
        alike(np.eye(4), np.eye(3))
    with pytest.raises(ValueError, match="the same three rows or more"):
        alike(np.eye(2), np.eye(2))


def test_the_commonest_characters_keep_their_order():
    np.testing.assert_array_equal(commonest(np.array([3, 9, 0, 9, 4]), 3), [1, 3, 4])
    np.testing.assert_array_equal(commonest(np.array([3, 9]), 5), [0, 1])
    with pytest.raises(ValueError, match="most must be a whole number"):
        commonest(np.array([1]), 0)
