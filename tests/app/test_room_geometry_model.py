"""One table looked at in several ways, against hand values and the slower functions of the lab."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rooms.geometry.model.measured import Lengths
from app.rooms.geometry.model.samples import BINS, MIDDLES, histogram, study_pairs, study_rarity
from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.model.sums import SumReader, count_distinct_sums, disturb, token_place_cosines
from app.rooms.geometry.model.tables import study_of
from app.rooms.geometry.model.vectors import angle_between, cosine_error, largest_words, parallelogram, spread
from lab.geometry import isotropy, neighbours, read_back
from lab.own_table import read_own_table
from lab.vocab import COURSE_VECTORS, FINANCE, RUNNING, Table, Vocabulary, Words, minilm_table

MINILM = TableStudy(minilm_table())
SMOLLM2 = study_of("smollm2", None)
COURSE = TableStudy(RUNNING)


def own(text: str) -> TableStudy:
    return TableStudy(read_own_table({"own.txt": text.encode()}))


def test_the_steps_from_numbers_to_an_angle() -> None:
    """cat [.9, .7, .1], dog [.9, .6, .3]: products .81 + .42 + .03 = 1.26; lengths √1.31 = 1.1446 and
    √1.26 = 1.1225; 1.26 / 1.2848 = .981, whose angle is 11.3°."""
    angle = angle_between(COURSE_VECTORS.row("cat"), COURSE_VECTORS.row("dog"))
    np.testing.assert_allclose(angle.products, [0.81, 0.42, 0.03], atol=1e-12)
    np.testing.assert_allclose(
        [angle.dot, angle.norm_a, angle.norm_b, angle.cosine, angle.degrees],
        [1.26, 1.31**0.5, 1.26**0.5, 0.981, 11.27],
        atol=5e-3,
    )
    np.testing.assert_array_equal(angle.largest, [0, 1, 2])


def test_a_zero_vector_has_no_angle() -> None:
    angle = angle_between([1.0, 0.0], [0.0, 0.0])
    assert (angle.cosine, angle.degrees, angle.dot) == (None, None, 0)


@pytest.mark.parametrize(
    ("typed", "token"),
    [("cat", " cat"), ("␣the", " the"), ("the", "the"), ("CAT", " cat"), (" cat ", " cat"), ("ed", "ed")],
)
def test_a_word_is_found_as_a_reader_types_it(typed: str, token: str) -> None:
    assert COURSE.find(typed) == RUNNING.vocabulary.id_of(token)
    assert COURSE.has(typed)


def test_an_unknown_word_names_near_ones() -> None:
    with pytest.raises(ValueError, match=r"‘kitty’ is not one of the 8,944 rows.*kitten"):
        MINILM.find("kitty")
    with pytest.raises(ValueError, match=r"12 rows of this table\. They are: the, ␣the, ␣cat"):
        COURSE.find("zebra")
    with pytest.raises(ValueError, match="⟨U"):
        MINILM.find("\u202e" * 500)
    # nothing starts like it: the first rows, of signs, would not be near it
    with pytest.raises(ValueError, match=r"None is spelt like it\. Some of them: ") as refused:
        MINILM.find("zzzqqq")
    assert "Near it" not in str(refused.value)
    assert "[PAD]" not in str(refused.value)
    assert all(MINILM.has(word) for word in str(refused.value).split(": ")[1].rstrip(".").split(", "))
    assert not MINILM.has("kitty")


def test_every_spelling_that_is_offered_finds_its_row() -> None:
    for study in (MINILM, SMOLLM2, COURSE):
        assert sorted(study.find(word) for word in study.spellings) == list(range(study.V))
        lengths = [len(word) for word in study.spellings]
        assert lengths == sorted(lengths)


@pytest.mark.parametrize(
    ("typed", "vector"),
    [("[1, 2, 3]", [1, 2, 3]), ("[0]", [0, 0, 0]), ("[−1 .5 2]", [-1, 0.5, 2]), ("cat", [0.9, 0.7, 0.1])],
)
def test_a_vector_can_be_typed(typed: str, vector: list[float]) -> None:
    np.testing.assert_array_equal(TableStudy(COURSE_VECTORS).pick(typed).vector, vector)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("[1, 2]", "3 numbers; 2 were typed"),
        ("[]", "0 were typed"),
        ("[x]", "no number"),
        ("[1e999]", "finite"),
    ],
)
def test_a_vector_that_does_not_fit_is_named(typed: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TableStudy(COURSE_VECTORS).pick(typed)


def test_a_token_in_brackets_is_a_token() -> None:
    assert MINILM.pick("[PAD]").id == 0


def test_around_lists_each_word_once_and_its_nearest_in_order() -> None:
    cat, king = MINILM.find("cat"), MINILM.find("king")
    found = MINILM.around([cat, king, cat], 3)
    assert found[:2] == [(cat, cat), (king, king)]
    expected = neighbours(MINILM.unit, MINILM.unit[cat], 3, exclude=[cat]).ids.tolist()
    assert [i for i, of in found[2:] if of == cat] == expected
    assert MINILM.around([cat], 0) == [(cat, cat)]
    # a smaller number after a larger one is a part of it
    assert MINILM.around([cat], 2) == MINILM.around([cat], 3)[:3]
    assert len(COURSE.around([0], 12)) == 12
    # cats is near cat and dogs near both: each stands once, with the word that brought it first
    ids = [i for i, _ in MINILM.around([cat, MINILM.find("dog"), MINILM.find("cats")], 6)]
    assert len(ids) == len(set(ids))


def test_a_zero_row_is_nobodys_neighbour() -> None:
    study = own("cat 1 0\ndog 1 1\npad 0 0\ncar 0 1\n")
    assert study.zero_rows.tolist() == [2]
    assert 2 not in [i for i, _ in study.around([0], 3)]
    assert study.around([2], 3) == [(2, 2)]
    pairs = study_pairs(study, 0, 200)
    assert pairs.left_out == 1
    assert np.isfinite(pairs.raw).all()


def test_random_pairs_are_those_of_isotropy() -> None:
    """The same generator draws the same pairs; only the rows drawn are scaled here."""
    found = study_pairs(MINILM, np.random.default_rng(7), 500)
    for centred, values in ((False, found.raw), (True, found.centred)):
        whole = isotropy(MINILM.table.E, np.random.default_rng(7), 500, centred=centred)
        np.testing.assert_allclose(values, whole.cosines, atol=2e-6)


def test_random_pairs_of_both_models() -> None:
    """Measured: .009 ± .070 in MiniLM, .16 in SmolLM2 and 0 after centring."""
    minilm, smollm2 = study_pairs(MINILM, 0), study_pairs(SMOLLM2, 0)
    np.testing.assert_allclose([minilm.raw.mean(), minilm.raw.std()], [0.009, 0.070], atol=4e-3)
    np.testing.assert_allclose([smollm2.raw.mean(), smollm2.centred.mean()], [0.158, 0.0], atol=8e-3)


def test_pairs_need_two_rows_with_a_direction() -> None:
    with pytest.raises(ValueError, match="needs two rows with a direction; the table has 1"):
        study_pairs(own("a 1 0\nb 0 0\n"), 0)


def test_a_row_that_equals_the_mean_gives_no_warning() -> None:
    found = study_pairs(own("a 1 1\nb 1 1\n"), 0, 20)
    np.testing.assert_array_equal(found.centred, np.zeros(20))
    np.testing.assert_allclose(found.raw, np.ones(20), atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.floats(-1, 1), min_size=1, max_size=50))
def test_shares_of_a_histogram_add_up_to_one(values: list[float]) -> None:
    shares = histogram(np.array(values))
    assert len(MIDDLES) == len(shares) == BINS
    np.testing.assert_allclose(shares.sum(), 1)
    np.testing.assert_allclose(np.diff(MIDDLES), 2 / BINS)
    # the ends count: two rows that are alike or opposite lie in the outermost bins
    for end, place in ((-1.0, 0), (1.0, -1)):
        assert histogram(np.array([end]))[place] == 1


def test_length_against_rarity() -> None:
    """Measured: -.36 over all words, +.51 over the 1,000 commonest, -.84 over means of a hundred."""
    found = study_rarity(MINILM)
    np.testing.assert_allclose(
        [found.all_words, found.commonest, found.of_means], [-0.36, 0.51, -0.84], atol=6e-3
    )
    assert len(found.means) == -(-len(found.ids) // 100)
    np.testing.assert_allclose(found.means[-1], found.norms[100 * (len(found.means) - 1) :].mean())
    assert "200 words; this table has 10" in Lengths.refusal(COURSE)


READER = SumReader(MINILM.table.E, MINILM.table.P if MINILM.table.P is not None else ())


def test_the_quick_reader_reads_what_read_back_reads() -> None:
    rng = np.random.default_rng(0)
    tokens, places = rng.integers(MINILM.V, size=12), rng.integers(len(READER.P), size=12)
    sums = np.array([READER.sum_of(t, p) for t, p in zip(tokens, places, strict=True)])
    noisy = np.array([disturb(s, 1.0, i) for i, s in enumerate(sums)])
    for vectors in (sums, noisy):
        slow = read_back(READER.E, READER.P, vectors)
        quick = [READER.read(v) for v in vectors]
        assert [q.token for q in quick] == slow.tokens.tolist()
        assert [q.place for q in quick] == slow.positions.tolist()
        np.testing.assert_allclose([q.distance for q in quick], slow.distances, atol=1e-5)
    assert [READER.read(s).token for s in sums] == tokens.tolist()


def test_distances_of_a_reading_are_those_of_all_sums() -> None:
    """All 96 sums of the course table, by brute force."""
    P: Any = RUNNING.P
    reader = SumReader(RUNNING.E, P)
    x = np.array([0.3, -0.2, 0.6, -0.4])
    every = np.linalg.norm(x - RUNNING.E[None] - P[:, None], axis=2)  # (T, V)
    found = reader.read(x, k=12)
    np.testing.assert_allclose(found.by_place, every.min(axis=1), atol=1e-9)
    np.testing.assert_allclose(found.token_distances, np.sort(every.min(axis=0)), atol=1e-9)
    np.testing.assert_allclose([found.distance, found.runner_up], np.sort(every.ravel())[:2], atol=1e-9)
    # the nearest sum is ␣roof at the second place, and so are two others
    assert len(found.twins) == np.count_nonzero(np.isclose(every, every.min())) - 1


def test_sums_of_the_course_table_coincide() -> None:
    """␣cat + P_1 = [1,-.5,0,-.5] + 0; <|endoftext|> + P_2 = [.5,-.5,.5,-.5] + [.5,0,-.5,0] and
    ␣dog + P_7 = [1,-.5,-.5,0] + [0,0,.5,-.5] are the same vector. Only 66 of 96 are different."""
    P: Any = RUNNING.P
    assert count_distinct_sums(RUNNING.E, P) == 66
    assert len(np.unique((RUNNING.E[:, None] + P[None]).reshape(-1, 4), axis=0)) == 66
    reader = SumReader(RUNNING.E, P)
    shared = 0
    assert set(reader.read([1, -0.5, 0, -0.5]).twins) | {(2, 0)} == {(2, 0), (11, 1), (3, 6)}
    for t in range(12):
        for p in range(8):
            found = reader.read(reader.sum_of(t, p))
            assert (t, p) == (found.token, found.place) or (t, p) in found.twins
            assert (found.runner_up < 1e-9) == bool(found.twins)
            shared += bool(found.twins)
    assert shared > 30


def test_token_rows_and_position_rows_are_nearly_orthogonal() -> None:
    """Measured over all pairs: .000 ± .029; 4,000 random ones err by .029 / √4000 = .0005."""
    P: Any = MINILM.table.P
    found = token_place_cosines(MINILM.table.E, P, 1)
    np.testing.assert_allclose([found.mean(), found.std()], [0.0, 0.029], atol=2e-3)
    np.testing.assert_allclose(MINILM.place_norm, 0.478, atol=1e-3)


def test_the_corners_of_a_parallelogram_lie_in_its_plane() -> None:
    a, b, c = (MINILM.unit[MINILM.find(word)] for word in ("man", "king", "woman"))
    found = parallelogram(a, b, c, MINILM.unit[[MINILM.find("queen")]])
    np.testing.assert_allclose(found.height[:4], 0, atol=1e-7)
    assert found.height[4] > 0.5
    np.testing.assert_allclose(found.points[3], found.points[1] + found.points[2], atol=1e-7)
    high = [np.linalg.norm(np.float64(x) - y) for x, y in ((a, b), (a, c), (b, c))]
    flat = [np.linalg.norm(found.points[i] - found.points[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    np.testing.assert_allclose(flat, high, atol=1e-6)
    assert found.points[2][1] >= 0


def test_a_parallelogram_may_be_flat_but_not_a_point() -> None:
    found = parallelogram([0.0, 0.0], [1.0, 0.0], [2.0, 0.0], np.empty((0, 2)))
    np.testing.assert_allclose(found.points, [[0, 0], [1, 0], [2, 0], [3, 0]])
    with pytest.raises(ValueError, match="a and b are equal"):
        parallelogram([1.0], [1.0], [2.0], np.empty((0, 1)))


@settings(max_examples=30, deadline=None)
@given(share=st.floats(0.01, 5), seed=st.integers(0, 99))
def test_noise_has_the_length_it_is_given(share: float, seed: int) -> None:
    x = np.array(FINANCE.E[1])
    moved = disturb(x, share, seed)
    np.testing.assert_allclose(np.linalg.norm(moved - x), share * np.linalg.norm(x), rtol=1e-9)
    np.testing.assert_array_equal(moved, disturb(x, share, seed))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SumReader([[1.0, 0.0]], [[1.0]]), "P"),
        (lambda: SumReader(np.empty((0, 2)), [[1.0, 0.0]]), "E has 0"),
        (lambda: READER.read([1.0]), "vector"),
        (lambda: READER.sum_of(-1, 0), "token id -1"),
        (lambda: READER.sum_of(0, 9999), "9999"),
        (lambda: SMOLLM2.reader, "no position rows"),
        (lambda: SMOLLM2.place_norm, "no position rows"),
        (lambda: count_distinct_sums(READER.E, READER.P), "too many"),
        (lambda: token_place_cosines([[0.0]], [[1.0]], 0), "all rows of E are zero"),
        (lambda: disturb([1.0], -1, 0), "share"),
        (lambda: angle_between([1.0], [1.0, 2.0]), r"b \(D,\)"),
    ],
)
def test_what_cannot_be_is_named(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def table_of(E: Any) -> TableStudy:
    return own("".join(f"w{row} {' '.join(f'{x:.9g}' for x in numbers)}\n" for row, numbers in enumerate(E)))


def test_cosines_of_a_table_of_huge_numbers() -> None:
    """Squares of 1e20 are beyond float32."""
    E = np.random.default_rng(1).standard_normal((300, 8))
    small, huge = study_pairs(table_of(E), 0, 500), study_pairs(table_of(1e20 * E), 0, 500)
    np.testing.assert_allclose(huge.raw, small.raw, atol=1e-5)
    np.testing.assert_allclose(huge.centred, small.centred, atol=1e-5)


@pytest.mark.parametrize("offset", [100.0, 1000.0])
def test_centring_is_not_drowned_by_what_all_rows_share(offset: float) -> None:
    E = offset + 0.5 * np.random.default_rng(2).standard_normal((300, 8))
    study = table_of(E)
    found = study_pairs(study, np.random.default_rng(0), 500)
    whole = isotropy(study.table.E, np.random.default_rng(0), 500, centred=True)
    assert found.centred.std() == pytest.approx(whole.sd, abs=1e-3)
    assert found.centred.std() > 0.3


def test_sums_are_found_beside_a_large_common_part_and_huge_numbers() -> None:
    rng = np.random.default_rng(3)
    E, P = rng.standard_normal((40, 8)).astype(np.float32), rng.standard_normal((5, 8)).astype(np.float32)
    for made in (SumReader(1e20 * E, 1e20 * P), SumReader(E + 1e4, P)):
        found = made.read(made.sum_of(17, 3))
        assert (found.token, found.place) == (17, 3)
        assert found.distance < 1e-3 * found.runner_up


def test_a_single_sum_has_no_rival() -> None:
    assert SumReader([[1.0, 0.0]], [[0.0, 0.5]]).read([1.0, 0.5]).runner_up == np.inf


def test_a_dot_product_is_spread_over_its_terms() -> None:
    assert spread([3.0, -4.0, 1.0])[:3] == (1, 0.5, 1)
    assert spread([1.0, 1.0, 1.0, 1.0])[1:] == (0.25, 2, 4)
    assert spread([0.0, 0.0]) == (0, 0.0, 0, 2)
    with pytest.raises(ValueError, match="at least one dimension"):
        spread([])


def test_the_words_of_a_dimension_are_by_direction_not_length() -> None:
    vocabulary = Vocabulary(["long", "along", "none"])
    E = np.array([[5.0, 5.0], [1.0, 0.0], [0.0, 0.0]])
    table = Table("t", vocabulary, Words(vocabulary), E, None, 0, "", "")
    study = TableStudy(table)
    assert study.names(largest_words(study, 0, 3)) == ["along", "long"]
    assert study.names(largest_words(study, 1, 1)) == ["long"]
    with pytest.raises(ValueError, match="dimension 2 is none of the 2"):
        largest_words(study, 2, 1)


def test_what_8_bits_do_to_a_cosine() -> None:
    """Rows rounded to steps of max / 127, once and twice: cosines of random pairs move as foreseen."""
    rng = np.random.default_rng(0)
    E = rng.standard_normal((400, 300))

    def stored(rows: Any) -> Any:
        step = np.abs(rows).max(axis=1, keepdims=True) / 127
        return np.rint(rows / step) * step

    def cosines(rows: Any) -> Any:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.einsum("vd,vd->v", unit[:200], unit[200:])

    moved = (cosines(stored(E)) - cosines(E)).std()
    assert cosine_error(stored(E)) == pytest.approx(moved, rel=0.15)
    assert cosine_error(E, 2) == pytest.approx(cosine_error(E) * 2**0.5)
    with pytest.raises(ValueError, match="no row has a length"):
        cosine_error(np.zeros((2, 3)))
