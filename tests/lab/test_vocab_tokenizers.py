"""Greedy longest match, whole words, characters and WordPiece."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.vocab import (
    FINANCE,
    RUNNING,
    Characters,
    GreedyLongestMatch,
    Vocabulary,
    WordPiece,
    minilm_table,
)

REAL = minilm_table().tokenizer
HOSTILE = {
    "emoji": "😀👩‍👩‍👧🇩🇪 cat",
    "right to left": "שלום עולם مرحبا",
    "surrogates": "a\ud800b \udfff",
    "control": "a\x00b\x07 \x1bc\u202e",
    "markup": "<img src=x onerror=alert(1)>",
    "pad": "<pad>",
    "special": "[CLS] [PAD] [UNK] [MASK]",
    "empty": "",
    "blank": " \n\t ",
}


def tokens(text, tokenizer=REAL):
    return [piece.token for piece in tokenizer.pieces(text)]


def test_greedy_takes_the_longest_token():
    """At "abc" both "a" and "ab" fit: the longer wins, and the rest is "c"."""
    tokenizer = GreedyLongestMatch(Vocabulary(["a", "ab", "c", "bcd"]))
    np.testing.assert_array_equal(tokenizer.encode("abca"), [1, 2, 0])


def test_greedy_steps_back_to_the_last_whole_token():
    """ "abx" begins "abxy", which the text does not finish, so "ab" is taken and "x" follows."""
    tokenizer = GreedyLongestMatch(Vocabulary(["ab", "abxy", "x"]))
    np.testing.assert_array_equal(tokenizer.encode("abx"), [0, 2])


def test_pieces_know_their_characters_and_words():
    """ "climbed" is the third word and needs two pieces; a token's leading space belongs to it."""
    pieces = RUNNING.tokenizer.pieces("the cat climbed.")
    assert [(p.text, p.start, p.end, p.word) for p in pieces] == [
        ("the", 0, 3, 0),
        (" cat", 3, 7, 1),
        (" climb", 7, 13, 2),
        ("ed", 13, 15, 2),
        (".", 15, 16, 2),
    ]


def test_end_of_text_is_one_token():
    np.testing.assert_array_equal(RUNNING.tokenizer.encode("the cat.<|endoftext|>the"), [0, 2, 10, 11, 0])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("the lion", "‘lion’ is outside this table"),
        ("the cathedral", "‘cathedral’"),
        ("cat", r"‘cat’ is outside this table; it is there only with a space before it"),
        ("the <img src=x>", "‘<img’"),
        ("the " + "z" * 10_000, "‘" + "z" * 40 + "…’"),
        ("the\ncat", "‘␊’ at character 3 fits no token"),
        ("the  cat", "‘␣’ at character 3 fits no token"),
        ("the ", "‘␣’ at character 3 fits no token"),
        ("the \ud800", "‘⟨U.D800⟩’"),
    ],
)
def test_a_word_outside_the_course_table_is_named_and_the_tokens_are_listed(text, named):
    with pytest.raises(ValueError, match=named) as info:
        RUNNING.tokenizer.encode(text)
    assert "the ␣the ␣cat ␣dog ␣climb ed ␣roof ␣wall ␣sofa ␣floor . <|endoftext|>" in str(info.value)


def test_a_word_outside_the_finance_table_is_named():
    with pytest.raises(
        ValueError, match="‘gold’ is outside this table; the tokens are spend save invest cash fund"
    ):
        FINANCE.tokenizer.encode("save gold")


@given(st.lists(st.sampled_from(RUNNING.vocabulary.tokens), max_size=20))
@settings(deadline=None, max_examples=50)
def test_greedy_round_trip(parts):
    """Joined tokens are always text of the table; its own pieces may differ, what they spell may not."""
    text = "".join(parts)
    assert RUNNING.tokenizer.decode(RUNNING.tokenizer.encode(text)) == text


@given(st.text(st.characters(codec=None), min_size=1))
@settings(deadline=None, max_examples=50)
def test_character_round_trip(text):
    tokenizer = Characters.from_text(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_characters_refuse_what_they_do_not_know():
    with pytest.raises(ValueError, match=r"‘c’ \(number 2\) is outside this table; the tokens are a b"):
        Characters.from_text("ab").encode("abc")
    with pytest.raises(ValueError, match="‘ab’ is longer"):
        Characters(Vocabulary(["a", "ab"]))


def test_wordpiece_lowers_strips_accents_and_splits():
    assert tokens("The CAT, café!") == ["the", "cat", ",", "cafe", "!"]
    assert tokens("don't") == ["don", "'", "t"]
    assert tokens("a$b+c") == ["a", "$", "b", "+", "c"]


def test_wordpiece_takes_the_longest_piece_first():
    tokenizer = WordPiece(Vocabulary(["[UNK]", "un", "una", "##able", "##ble", "##aff", "a"]))
    assert tokens("unable", tokenizer) == ["una", "##ble"]
    assert tokens("unaffable", tokenizer) == ["[UNK]"]  # "una" is taken, and no piece begins "##ff"


def test_cjk_characters_are_words_of_their_own():
    pieces = REAL.pieces("ab中文c")
    assert [p.text for p in pieces if p.unknown] == ["中", "文"]
    assert [p.word for p in pieces if p.unknown] == [1, 2]


def test_a_word_that_cannot_be_made_is_one_unknown():
    """No piece for "ß" is in the reduced vocabulary, so the whole word goes, and its neighbours stay."""
    pieces = REAL.pieces("a straße here")
    assert [(p.token, p.text, p.unknown) for p in pieces] == [
        ("a", "a", False),
        ("[UNK]", "straße", True),
        ("here", "here", False),
    ]


def test_words_over_a_hundred_characters_are_unknown():
    assert tokens("a" * 100)[0] != "[UNK]"
    assert tokens("a" * 101) == ["[UNK]"]


def test_typed_special_tokens_are_text():
    special = {REAL.vocabulary.id_of(t) for t in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")}
    assert not special & set(REAL.encode(HOSTILE["special"]).tolist())
    assert tokens("[CLS]")[0] == "["
    assert tokens("[CLS]")[-1] == "]"


def test_a_special_token_without_brackets_is_not_matched_either():
    tokenizer = WordPiece(Vocabulary(["[UNK]", "mask", "cat"]), special=("mask",))
    assert tokens("mask cat", tokenizer) == ["[UNK]", "cat"]


def test_an_accent_written_apart_belongs_to_its_letter():
    """ "e" and U+0301 are two characters and one letter; the piece covers both, the next word neither."""
    text = "cafe\u0301 cafe"
    assert [(p.token, p.text) for p in REAL.pieces(text)] == [("cafe", "cafe\u0301"), ("cafe", "cafe")]


def test_control_characters_are_removed_and_reported():
    assert tokens("c\x00a\u200bt") == ["cat"]
    assert REAL.pieces("c\x00a\u200bt")[0].text == "c\x00a\u200bt"
    assert REAL.removed("c\x00a\u200bt\n") == "\x00\u200b"


def test_markup_is_plain_text():
    text = HOSTILE["markup"]
    assert "".join(p.text for p in REAL.pieces(text)) == text.replace(" ", "")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_pieces_point_into_the_source(text):
    pieces = REAL.pieces(text)
    assert [p.text for p in pieces] == [text[p.start : p.end] for p in pieces]
    assert all(a.end <= b.start for a, b in itertools.pairwise(pieces))
    np.testing.assert_array_equal(REAL.encode(text), [p.id for p in pieces])


@given(st.text(st.characters(codec=None), max_size=200))
@settings(deadline=None, max_examples=50)
def test_wordpiece_loses_only_spaces_and_removed_characters(text):
    """Every character is in a piece, is a space, is removed, or is an accent without a letter."""
    covered = {i for p in REAL.pieces(text) for i in range(p.start, p.end)}
    bare = "".join(ch for i, ch in enumerate(text) if i not in covered)
    assert all(ch.isspace() or not REAL.pieces(ch) for ch in bare)


@given(st.lists(st.sampled_from(minilm_table().vocabulary.tokens[69:8000]), max_size=20))
@settings(deadline=None, max_examples=50)
def test_wordpiece_round_trip_over_plain_words(words):
    """Rows 69 to 8,000 hold plain lower-case words, each its own piece, with ## pieces left out."""
    text = " ".join(w for w in words if w.isalpha())
    assert REAL.decode(REAL.encode(text)) == text


def lines_run(tokenizer, text):
    """How many lines of Python a tokenizer runs for a text: a count, so a busy machine cannot fail it."""
    count = 0

    def line(frame, event, argument):
        nonlocal count
        count += event == "line"
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        tokenizer.pieces(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("unit", ["a", "cat ", "qzxj", "x.", "中", "😀", "é", "\x00", "[CLS]", "<pad> "])
def test_twice_the_text_takes_twice_the_work(unit):
    """A quadratic split would take four times the work."""
    text = unit * 2_000
    assert lines_run(REAL, text) <= 2.2 * lines_run(REAL, text[: len(text) // 2])
