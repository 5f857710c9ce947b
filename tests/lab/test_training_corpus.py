"""Own text: what is refused, what is kept, and how it is split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.training import Corpus, shakespeare_corpus

PROSE = "Shall I compare thee to a summer's day?\n" * 60


def decode(corpus):
    return corpus.characters.decode(np.concatenate([corpus.train, corpus.held_out]))


def test_the_plays():
    """845,926 characters of 66 kinds; the last tenth, 84,593, is held out."""
    corpus = shakespeare_corpus()
    assert (corpus.V, corpus.train.size, corpus.held_out.size) == (66, 761_333, 84_593)
    assert corpus.invisible == ("\n",)
    assert corpus.counts().sum() == corpus.train.size
    assert corpus.split == (
        "trained on the first 761,333 characters, measured on the last 84,593 (10%), "
        "which training never sees"
    )
    assert shakespeare_corpus() is corpus


@settings(deadline=None, max_examples=25)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=3, max_size=40))
def test_no_character_is_dropped(piece):
    text = "ab" + piece * (2000 // len(piece) + 1)
    corpus = Corpus.from_text(text)
    assert decode(corpus) == text
    assert corpus.tokens == tuple(sorted(set(text)))


def test_ids_are_those_of_the_tokenizer():
    corpus = Corpus.from_text(PROSE)
    np.testing.assert_array_equal(corpus.characters.encode(PROSE)[: corpus.train.size], corpus.train)


def test_what_cannot_be_shown_is_listed_and_kept():
    corpus = Corpus.from_text(PROSE + "\t\x00\u200b\u2028\u3000\r\n" + "x" * 300)
    assert corpus.invisible == ("\x00", "\t", "\n", "\r", "\u200b", "\u2028", "\u3000")
    assert set(corpus.invisible) <= set(corpus.tokens)


def test_what_only_the_held_out_part_has_is_listed():
    assert Corpus.from_text(PROSE + "Zß").unseen == ("Z", "ß")
    assert Corpus.from_text("Z" + PROSE).unseen == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text has 0 characters; training needs at least 2,000: add more"),
        ("ab" * 999, "the text has 1,998 characters; training needs at least 2,000"),
        ("a" * 2_000_001, "the text has 2,000,001 bytes; at most 2,000,000 are taken: shorten it"),
        ("é" * 1_000_001, "the text has 2,000,002 bytes"),
        ("a" * 3000, "the text is 'a' over and over; training needs two different characters"),
        ("ab" * 1000 + "\ud800", r"character 2000 is half of a surrogate pair \('\\ud800'\)"),
    ],
)
def test_texts_that_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Corpus.from_text(text)


def test_the_limits_themselves_are_taken():
    assert Corpus.from_text("ab" * 1000).train.size == 1800
    assert Corpus.from_text("ab" * 1_000_000).V == 2


def test_a_file_is_read_as_utf_8():
    content = PROSE.encode()
    assert decode(Corpus.from_bytes(content)) == PROSE
    assert decode(Corpus.from_bytes(b"\xef\xbb\xbf" + content)) == PROSE
    with pytest.raises(ValueError, match=r"byte 2400 of the file \(0xe9\) is not UTF-8"):
        Corpus.from_bytes(content + "é".encode("latin-1"))
    with pytest.raises(ValueError, match="the text has 2,000,001 bytes"):
        Corpus.from_bytes(b"a" * 2_000_001)


def test_batches_are_windows_of_the_training_part_and_what_follows():
    corpus = Corpus.from_text("".join(chr(0x4E00 + i) for i in range(3000)))
    ids, targets = corpus.batch(np.random.default_rng(0), 200, 8)
    np.testing.assert_array_equal(targets, ids + 1)
    np.testing.assert_array_equal(np.diff(ids, axis=1), np.ones((200, 7)))
    assert targets.max() < corpus.train.size == 2700
    edge = corpus.batch(np.random.default_rng(0), 4, 2699)[1]
    np.testing.assert_array_equal(edge[:, -1], [2699] * 4)


def test_the_parts_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Corpus.from_text(PROSE).train[0] = 1


def test_a_text_of_too_many_characters_is_refused():
    """Each character has a row at both ends and a logit at every position; 10,000 are enough for Chinese."""
    signs = [chr(0x4E00 + at) for at in range(10_001)]
    assert Corpus.from_text("".join(signs[:10_000])).V == 10_000
    with pytest.raises(ValueError, match="has 10,001 different characters; at most 10,000"):
        Corpus.from_text("".join(signs))
