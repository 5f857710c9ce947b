"""Vocabulary, shown tokens, truncation and the course's tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.vocab import (
    COURSE_VECTORS,
    COURSES,
    FINANCE,
    ONEHOT,
    RUNNING,
    GreedyLongestMatch,
    Table,
    Vocabulary,
    gpt2_table,
    minilm_table,
    show_token,
    truncate,
)
from tests.draws import shared

TABLES = [*COURSES.values(), COURSE_VECTORS]


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def test_ids_and_tokens_are_inverse():
    for table in TABLES:
        vocabulary = table.vocabulary
        assert [vocabulary.id_of(t) for t in vocabulary] == list(range(len(vocabulary)))
        assert tuple(vocabulary.token_of(i) for i in range(len(vocabulary))) == vocabulary.tokens


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([], "at least one token"),
        (["a", ""], "token 1"),
        (["a", 3], "token 1"),
        (["the", " cat", "the"], r"'the' comes twice, as ids 0 and 2"),
    ],
)
def test_a_bad_token_list_is_refused_by_name(tokens, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(tokens)


def test_a_token_that_is_not_there_lists_those_that_are():
    with pytest.raises(ValueError, match="‘gold’ is not in the vocabulary; its tokens are spend save invest"):
        FINANCE.vocabulary.id_of("gold")


@pytest.mark.parametrize("bad", [-1, 12, 1.0])
def test_an_id_outside_the_vocabulary_is_refused(bad):
    with pytest.raises(ValueError, match="token id"):
        RUNNING.vocabulary.token_of(bad)


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" cat", "␣cat"),
        ("a\nb\t", "a␊b␉"),
        ("\x00\x1b\x7f", "␀␛␡"),
        ("\x85\u200b\u202e", "⟨U+0085⟩⟨U+200B⟩⟨U+202E⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\u00a0\u2028", "⟨U+00A0⟩⟨U+2028⟩"),
        ("<pad>", "<pad>"),
        ("שלום😀", "שלום😀"),
    ],
)
def test_show_token_makes_every_character_visible(token, shown):
    assert show_token(token) == shown


@given(st.text(st.characters(codec=None)))
@settings(deadline=None, max_examples=50)
def test_shown_tokens_can_always_be_written_and_lose_nothing(token):
    shown = show_token(token)
    shown.encode("utf-8")
    assert shown.isprintable()
    assert len(shown) >= len(token)


def test_truncation_counts_what_it_drops():
    """Case len-01: 551 - 512 = 39."""
    kept, dropped = truncate(np.arange(551), 512)
    np.testing.assert_array_equal(kept, np.arange(512))
    assert dropped == 39
    assert truncate(np.arange(551), 512).message == "39 of 551 tokens dropped"
    assert truncate([1, 2], 2).message == ""
    assert truncate([1, 2], 3) == ([1, 2], 0)
    assert truncate([1, 2], 0) == ([], 2)
    with pytest.raises(ValueError, match="got -1"):
        truncate([1], -1)


def test_the_running_example_is_the_course_table():
    assert "".join(map(show_token, RUNNING.vocabulary)) == (
        "the␣the␣cat␣dog␣climbed␣roof␣wall␣sofa␣floor.<|endoftext|>"
    )
    assert RUNNING.E.shape == (12, 4)
    assert RUNNING.P.shape == (8, 4)
    assert RUNNING.position_origin == 1
    np.testing.assert_array_equal(RUNNING.tokenizer.encode("the cat climbed the"), [0, 2, 4, 5, 1])


def test_learned_positions_are_distinct_halves_that_add_up_to_zero():
    first_five = [[0, 0, 0, 0], [0.5, 0, -0.5, 0], [0, 0.5, 0, -0.5], [-0.5, 0, 0.5, 0], [0, -0.5, 0, 0.5]]
    np.testing.assert_array_equal(RUNNING.P[:5], first_five)
    np.testing.assert_array_equal(RUNNING.P.sum(axis=1), np.zeros(8))
    np.testing.assert_array_equal(RUNNING.E.sum(axis=1), np.zeros(12))
    assert len(np.unique(RUNNING.P, axis=0)) == 8
    assert set(RUNNING.P.ravel()) == {-0.5, 0.0, 0.5}


def test_the_finance_table():
    """save·invest = .42 + .10 + .04 = .56, |save|² = .57, |invest|² = .65: .56 / √.3705 = .92001.

    save·spend = -.595 - .07 + .04 = -.625, |spend|² = .885: -.625 / √.50445 = -.87997.
    """
    np.testing.assert_array_equal(FINANCE.tokenizer.encode(FINANCE.example), [1, 2, 4])
    assert FINANCE.example == "save invest fund"
    assert FINANCE.E.shape == (5, 3)
    np.testing.assert_allclose(cosine(FINANCE.row("save"), FINANCE.row("invest")), 0.920, atol=5e-5)
    np.testing.assert_allclose(cosine(FINANCE.row("save"), FINANCE.row("spend")), -0.880, atol=5e-5)
    np.testing.assert_array_equal(FINANCE.E, np.round(FINANCE.E, 2))


def test_the_course_vectors():
    """cat·dog = .81 + .42 + .03 = 1.26, |cat|² = 1.31, |dog|² = 1.26: √(1.26 / 1.31) = .98073.

    cat·car = -.18 - .07 + .08 = -.17, |car|² = .69: -.17 / √.9039 = -.17881.
    """
    cat, dog, car = COURSE_VECTORS.E
    np.testing.assert_allclose(cosine(cat, dog), 0.981, atol=5e-4)
    np.testing.assert_allclose(cosine(cat, car), -0.179, atol=5e-4)


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_every_table_is_distinct_read_only_and_encodes_its_example(table):
    assert len(np.unique(table.E, axis=0)) == len(table.vocabulary)
    assert table.E.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        table.E[0, 0] = 1
    assert table.tokenizer.decode(table.tokenizer.encode(table.example)) == table.example


def test_a_table_whose_rows_do_not_match_is_refused():
    vocabulary = Vocabulary(["a", "b"])
    tokenizer = GreedyLongestMatch(vocabulary)
    with pytest.raises(ValueError, match="2 tokens need as many rows; E has 3"):
        Table("x", vocabulary, tokenizer, np.zeros((3, 2)), None, 0, "", "a")
    with pytest.raises(ValueError, match="2 wide"):
        Table("x", vocabulary, tokenizer, np.zeros((2, 2)), np.zeros((4, 3)), 0, "", "a")


def test_one_hot_example_tokens_are_short():
    assert all(len(token) <= 4 for token in ONEHOT.vocabulary)
    np.testing.assert_array_equal(ONEHOT.tokenizer.encode(ONEHOT.example), [2])


def test_a_table_of_gpt2s_size_before_training():
    """Rows of sd .02, positions of sd .01: 200,000 and 4,096 numbers, so within 1 and 5 per cent."""
    table = gpt2_table()
    assert (len(table.vocabulary), table.P.shape) == (50_257, (1_024, 4))
    assert table.E.std() == pytest.approx(0.02, rel=0.01)
    assert table.P.std() == pytest.approx(0.01, rel=0.05)
    np.testing.assert_array_equal(table.tokenizer.encode("The cat sat"), [464, 3797, 3332])
    assert table.tokenizer.decode([464, 3797]) == "464, 3797"
    assert not shared(table.E[:1100], table.P)


def test_a_reduced_table_knows_the_ids_of_the_whole_one():
    """[UNK] is 100 and cat 4937 in BERT's vocabulary."""
    table = minilm_table()
    of = dict(zip(table.vocabulary.tokens, table.ids_in_full.tolist(), strict=True))
    assert (of["[UNK]"], of["cat"], of["the"]) == (100, 4937, 1996)
    assert RUNNING.ids_in_full is None
