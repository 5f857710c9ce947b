"""A reader's own table: what is read, and every way in which a file can be wrong or hostile."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.own_table import (
    MAX_BYTES,
    MAX_ROWS,
    FileInfo,
    Part,
    read_array,
    read_own_table,
    read_text,
    read_tokens,
    reading,
    run,
)
from lab.own_table import arrays as arrays_module
from lab.own_table import made as made_module
from lab.own_table import rows as rows_module
from lab.own_table import table as table_module
from lab.own_table.names import unique

E = np.array([[0.9, 0.7, 0.1], [0.9, 0.6, 0.3], [-0.2, -0.1, 0.8]], dtype=np.float32)
TOKENS = ["cat", "dog", "car"]
LIST = b"cat\ndog\ncar\n"
TEXT = b"cat 0.9 0.7 0.1\ndog 0.9 0.6 0.3\ncar -0.2 -0.1 0.8\n"


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array))
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    "files",
    [
        {"e.npy": npy(E), "t.txt": LIST},
        {"t.json": json.dumps(TOKENS).encode(), "e.NPY": npy(E.astype(np.float64))},
        {"t.json": b'{"dog": 1, "car": 2, "cat": 0}', "e.npy": npy(np.asfortranarray(E))},
        {"e.npz": npz(E=E, tokens=np.array(TOKENS))},
        {"e.npz": npz(embeddings=E, vocab=np.frombuffer(LIST, np.uint8), P=np.eye(3))},
        {"e.npz": npz(anything=E), "t.txt": LIST.replace(b"\n", b"\r\n")},
        {"e.vec": b"3 3\n" + TEXT},
        {"e.txt": TEXT.replace(b" ", b"\t")},
        {"e": b"\xef\xbb\xbf" + TEXT + b"\n\n"},
    ],
    ids=["npy", "float64", "fortran", "npz", "names", "list", "word2vec", "tabs", "mark"],
)
def test_every_form_gives_the_same_table(files: dict[str, bytes]) -> None:
    table = read_own_table(files)
    np.testing.assert_array_equal(table.E, E)
    assert table.E.dtype == np.float32
    assert not table.E.flags.writeable
    assert table.vocabulary.tokens == tuple(TOKENS)


def test_position_rows_come_along() -> None:
    table = read_own_table({"e.npz": npz(E=E, P=np.ones((5, 3)), tokens=np.array(TOKENS))})
    assert table.P is not None
    np.testing.assert_array_equal(table.P, np.ones((5, 3)))


def test_a_token_may_hold_a_space_and_a_list_may_begin_with_a_bracket() -> None:
    """Published tables have tokens such as ‘. . .’; a BERT vocabulary begins with [PAD]."""
    assert read_text(b". . . 1 2\nnew york 3 4\n")[0] == [". . .", "new york"]
    assert read_tokens(b"[PAD]\n[UNK]\n") == ["[PAD]", "[UNK]"]
    assert read_tokens(b" cat\n") == [" cat"]


def header(text: str) -> bytes:
    padded = text + " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode()


WRONG: dict[str, tuple[dict[str, bytes], str]] = {
    "nothing": ({}, "nothing in this file"),
    "empty": ({"e.txt": b""}, "nothing in this file"),
    "too large": ({"e.npz": bytes(MAX_BYTES + 1)}, "up to 50 MB"),
    "too large a list": ({"e.npy": npy(E), "t.txt": bytes(MAX_BYTES // 2 + 1)}, "up to 50 MB"),
    "binary with an endless token": ({"w.bin": b"9 2\n" + b"\x01" * 9000}, "token 0 at byte 4 has no end"),
    "binary without width": ({"w.bin": b"9 0\na \x00"}, "rows of 0 numbers"),
    "two arrays": ({"a.npy": npy(E), "b.npz": npz(E=E)}, "a.npy and b.npz are 2 tables"),
    "two texts": ({"a.txt": TEXT, "b.txt": TEXT}, "a.txt and b.txt are two texts"),
    "three texts": ({"a.txt": TEXT, "b.txt": TEXT, "c.txt": TEXT}, "3 text files"),
    "too few tokens": ({"e.npy": npy(E), "t.txt": b"cat\ndog\n"}, "3 rows, but there are 2 tokens"),
    "too many tokens": ({"e.npy": npy(E), "t.txt": LIST + b"pad\n"}, "but there are 4 tokens"),
    "ids with a gap": ({"e.npy": npy(E), "t.json": b'{"a": 0, "b": 2, "c": 3}'}, "ids must be 0 to 2"),
    "list of numbers": ({"e.npy": npy(E), "t.json": b"[1, 2, 3]"}, "text only"),
    "a column's name": (
        {"e.npy": npy(E), "t.txt": b"animal\n" + LIST},
        "but there are 4 tokens.*‘animal’ only names",
    ),
    "a vector": ({"e.npy": npy(E[0]), "t.txt": LIST}, r"its shape is \(3,\)"),
    "one row": ({"e.npy": npy(E[:1]), "t.txt": b"cat\n"}, "two are needed"),
    "no rows": ({"e.npy": npy(E[:0]), "t.txt": b"cat\n"}, "0 row"),
    "no width": ({"e.npy": npy(E[:, :0]), "t.txt": LIST}, r"shape \(3, 0\)"),
    "complex": ({"e.npy": npy(E.astype(complex)), "t.txt": LIST}, "real numbers; its dtype is complex"),
    "bytes": ({"e.npy": npy(E.astype("S3")), "t.txt": LIST}, "real numbers"),
    "not a number": (
        {"e.npy": npy([[0, 1], [2, np.nan]]), "t.txt": b"a\nb\n"},
        r"row 1, column 1 \(from 0\) is nan",
    ),
    "beyond float32": ({"e.npy": npy([[1e300, 1], [1, 1]]), "t.txt": b"a\nb\n"}, "is 1e[+]300"),
    "infinite text": ({"e.txt": b"a 1 1e999\nb 1 1\n"}, "line 1: number 2 is ‘1e999’"),
    "pickled": ({"e.npy": npy(np.array([["a", 1]], dtype=object)), "t.txt": LIST}, "unpickling"),
    "pickled tokens": ({"e.npz": npz(E=E, tokens=np.array(TOKENS, dtype=object))}, "unpickling"),
    "bare pickle": ({"e.npy": pickle.dumps(E), "t.txt": LIST}, "no array that NumPy saved"),
    "cut off": ({"e.npy": npy(E)[:-1], "t.txt": LIST}, "cut off or damaged"),
    "trailing": ({"e.npy": npy(E) + b"x", "t.txt": LIST}, "cut off or damaged"),
    "not a zip": ({"e.npz": b"PK not so"}, "no archive"),
    "no matrix": ({"e.npz": npz(x=np.ones(3), y=np.ones(2))}, "holds x, y; call the matrix"),
    "two matrices": ({"e.npz": npz(x=E, y=E)}, "call the matrix of token rows E"),
    "tokens of numbers": ({"e.npz": npz(E=E, tokens=np.arange(3))}, "must be a list of text"),
    "narrow positions": (
        {"e.npz": npz(E=E, P=np.ones((2, 2)), tokens=np.array(TOKENS))},
        "2 wide and token rows 3",
    ),
    "short line": ({"e.txt": b"cat 1 2 3\ndog 1 2\n"}, "line 2: it has 2 numbers, the other rows have 3"),
    "long line": (
        {"e.txt": b"cat 1 2\ndog 1 2 3\n"},
        "line 2: it has 3 numbers, the other rows have 2",
    ),
    "a word for a number": ({"e.txt": b"cat 1 2\ndog 1 two\n"}, "line 2: ‘two’ is no number"),
    "no numbers": ({"e.txt": b"just some prose here\n"}, "line 1 ends with ‘here’"),
    "a false width": ({"e.txt": b"2 99999\ncat 1 2\n"}, "announces rows of 99,999 numbers, but they have 2"),
    "binary": ({"e.bin": b"cat 2 3\ncat \xff\xfe\x00"}, "byte 14 is zero"),
    "binary without a row": ({"e.bin": b"2 3\ncat \xff\xfe\x00"}, "has 0 row"),
    "only a header": ({"e.txt": b"0 3\n"}, "holds no row"),
    "not a number in text": ({"e.txt": b"a 1 2\nb nan 1\nc 1 1\n"}, "line 2: number 1 is ‘nan’"),
    "a thousands sign": ({"e.csv": b"a;1;2\nb;1.000,5;2\nc;3;4\n"}, "line 2: ‘1.000,5’ is no number"),
    "digits with underscores": ({"e.txt": b"a 1 2\nb 1_0 2\nc 3 4\n"}, "line 2: ‘1_0’ is no number"),
    "digits of another script": ({"e.txt": "a 1 2\nb ١ 2\nc 3 4\n".encode()}, "line 2: ‘١’ is no number"),
    "a missing number": ({"e.csv": b"a,1,2\nb,,2\nc,3,4\n"}, "line 2: a number is missing"),
    "whole numbers only": ({"e.txt": b"1 0 0\n2 1 0\n"}, "cannot be told"),
    "two columns of words": ({"e.csv": b"cat,noun,1.5,2\ndog,verb,3,4\n"}, "‘cat’ and ‘noun’"),
    "mostly not UTF-8": ({"e.txt": b"caf\xe9 1 2\nth\xe9 3 4\n"}, "line 1 is not UTF-8"),
    "PyTorch": ({"pytorch_model.bin": b"PK\x03\x04" + bytes(40)}, "unpickling could run anything"),
    "a wrong tokenizer": (
        {"e.npy": npy(E), "tokenizer.json": b'{"model": {"vocab": {"a": 0, "b": 3}}}'},
        "‘b’ with id 3, but the table has 3 rows",
    ),
    "a tokenizer without tokens": (
        {"e.npy": npy(E), "t.json": b'{"model": {"type": "BPE"}}'},
        "no model.vocab",
    ),
}


@pytest.mark.parametrize(("files", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_own_table(files)


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 300)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -12)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ('x',)}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': 'no', 'fortran_order': False, 'shape': (3,)}",
        "__import__('os').getcwd()",
        "[" * 100,
    ],
)
def test_a_header_that_lies_takes_no_memory_and_runs_nothing(text: str) -> None:
    with pytest.raises(ValueError, match=r"e\.npy"):
        read_array("e.npy", header(text) + bytes(48))


def test_an_archive_is_not_unpacked_beyond_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand zeros pack into a few bytes; what the directory claims of their size is not believed."""
    monkeypatch.setattr(arrays_module, "MAX_UNPACKED", 100_000)
    bomb = npz(E=np.zeros((1000, 1000), dtype=np.float32))
    assert len(bomb) < 10_000
    with pytest.raises(ValueError, match=r"larger than 0\.1 MB"):
        read_own_table({"e.npz": bomb})
    # the same with both copies of the claimed size turned to 8 bytes
    lying = bomb.replace((4_000_128).to_bytes(4, "little"), (8).to_bytes(4, "little"))
    with pytest.raises(ValueError, match=r"larger than|no archive|cut off|no array"):
        read_own_table({"e.npz": lying})


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_cannot_be_unpacked_piece_by_piece_is_refused(method: int) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("E.npy", npy(E))
    with pytest.raises(ValueError, match="savez_compressed"):
        read_own_table({"e.npz": file.getvalue()})


def test_an_archive_with_one_name_twice_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("E.npy", npy(E))
        archive.writestr("E", npy(E))
    with pytest.raises(ValueError, match="'E' twice"):
        read_own_table({"e.npz": file.getvalue()})


@pytest.mark.parametrize(("limit", "rows", "said"), [(2, 2, True), (3, 3, False)])
@pytest.mark.parametrize("files", [{"e.txt": TEXT}, {"e.npy": npy(E), "t.txt": LIST}], ids=["text", "array"])
def test_of_too_many_rows_the_first_are_taken_and_it_is_said(
    files: dict[str, bytes], limit: int, rows: int, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (rows_module, made_module):
        monkeypatch.setattr(module, "MAX_ROWS", limit)
    table = read_own_table(files)
    np.testing.assert_array_equal(table.E, E[:rows])
    assert table.vocabulary.tokens == tuple(TOKENS[:rows])
    assert (f"The first {limit} of 3 rows" in table.note) == said
    # the reader of text takes no more in the first place
    assert read_text(TEXT).tokens == TOKENS[:rows]


def test_the_limit_of_rows() -> None:
    """300,000 rows fit, of one more the first 300,000 are taken."""
    assert MAX_ROWS == 300_000
    table = read_own_table({"e.npy": npy(np.zeros((MAX_ROWS + 1, 1), dtype=np.int8))})
    assert table.E.shape == (300_000, 1)
    assert "of 300,001 rows" in table.note


def test_of_a_large_text_the_first_bytes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "MAX_BYTES", len(TEXT) - 3)
    table = read_own_table({"e.vec": b"2000000 3\n" + TEXT})
    assert table.vocabulary.tokens == ("cat", "dog")
    assert "2 of 2,000,000" in table.note
    asked = []

    def read(part: Part) -> bytes:
        asked.append(part)
        return TEXT[part.offset : part.offset + part.size]

    assert run(reading([FileInfo("e.txt", 5_000_000_000)]), read).table.E.shape == (2, 3)
    assert asked == [Part(0, 0, len(TEXT) - 3)]


def large(shape: tuple[int, ...], dtype: str = "<f4", fortran: bool = False) -> bytes:
    return header(f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}}}")


@pytest.mark.parametrize("listed", [True, False])
def test_of_a_large_array_the_first_rows_are_read(listed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never more than the limit is asked for, and as many rows as fit it."""
    monkeypatch.setattr(table_module, "MAX_BYTES", 100_000)
    E_large = np.random.default_rng(0).normal(size=(4000, 10)).astype(np.float32)
    names = b"".join(b"t%d\n" % i for i in range(4000))
    contents = [npy(E_large), names][: 1 + listed]
    asked: list[Part] = []

    def read(part: Part) -> bytes:
        asked.append(part)
        return contents[part.file][part.offset : part.offset + part.size]

    files = [
        FileInfo(name, len(content)) for name, content in zip(("e.npy", "t.txt"), contents, strict=False)
    ]
    table = run(reading(files), read).table
    count = len(table.vocabulary)
    np.testing.assert_array_equal(table.E, E_large[:count])
    assert 0 <= 100_000 - sum(part.size for part in asked) < 40
    assert f"The first {count:,} of 4,000 rows" in table.note
    assert table.vocabulary.tokens[-1] == (f"t{count - 1}" if listed else f"#{count - 1}")


@pytest.mark.parametrize(
    ("head", "size", "message"),
    [
        (large((400_000, 100), fortran=True), 160_000_128, "column after column"),
        (large((400_000, 100)), 160_000_127, "cut off or damaged"),
        (large((40_000_000,)), 160_000_128, r"shape \(40000000,\)"),
        (large((2_000, 20_000)), 160_000_128, "rows of 20,000 numbers"),
        (b"not so", 160_000_128, "no array that NumPy saved"),
    ],
)
def test_a_large_array_that_gives_no_rows_is_refused(head: bytes, size: int, message: str) -> None:
    def read(part: Part) -> bytes:
        return head[part.offset : part.offset + part.size].ljust(part.size, b"\0")

    with pytest.raises(ValueError, match=message):
        run(reading([FileInfo("e.npy", size)]), read)


def word2vec(end: bytes, count: int = 3) -> bytes:
    rows = (token.encode() + b" " + row.tobytes() + end for token, row in zip(TOKENS, E, strict=True))
    return b"%d 3\n" % count + b"".join(rows)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_word2vecs_binary_form_is_read(end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_own_table({"GoogleNews.bin": word2vec(end)})
    np.testing.assert_array_equal(table.E, E)
    assert table.vocabulary.tokens == tuple(TOKENS)
    cut = read_own_table({"w": word2vec(end, 3_000_000)[:-2]})
    np.testing.assert_array_equal(cut.E, E[:2])
    assert "3,000,000" in cut.note
    assert "The first 2 rows" in cut.note


def test_a_long_text_is_read_with_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others have their turn, and whoever reads can be stopped."""
    monkeypatch.setattr(rows_module, "BETWEEN_PAUSES", 2 * len("car -0.2 -0.1 0.8"))
    asked: list[Part] = []

    def read(part: Part) -> bytes:
        asked.append(part)
        return TEXT[:0] if not part.size else TEXT * 2

    table = run(reading([FileInfo("e.txt", 2 * len(TEXT))]), read).table
    np.testing.assert_array_equal(table.E, np.vstack([E, E]))
    assert asked[0].size == 2 * len(TEXT)
    assert [part.size for part in asked[1:]] == [0, 0]


def test_rows_without_names_are_called_by_their_numbers() -> None:
    table = read_own_table({"e.npy": npy(E)})
    assert table.vocabulary.tokens == ("#0", "#1", "#2")
    assert "No names" in table.note


def test_names_that_repeat_or_are_empty_get_the_number_of_their_row() -> None:
    table = read_own_table({"e.npy": npy(E), "t.txt": b"cat\n\ncat\n"})
    assert table.vocabulary.tokens == ("cat", "#1", "cat#2")
    assert "cat#2" in table.note
    assert unique(["a#1", "a#1", "", "#2"]).tokens == ["a#1", "a#1#1", "#2", "#2#3"]


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        (b"dog 1\ncat 0\ncar 2\n", ["cat", "dog", "car"]),
        (b"1 cat\n2 dog\n3 car\n", TOKENS),
        (b"row 0\nrow 1\nrow 2\n", ["row 0", "row 1", "row 2"]),
        (b'[["cat", -1.5], ["dog", -2], ["car", -3]]', TOKENS),
        (b'{"0": "cat", "1": "dog", "2": "car"}', TOKENS),
        (b"token;count\ncat;3\ndog;2\ncar;1\n", TOKENS),
        (b"cat\ndog\ncar\n\n\n", TOKENS),
    ],
    ids=["ids", "numbered", "no counts", "scores", "by id", "header", "blank lines"],
)
def test_a_list_gives_each_row_its_name(content: bytes, tokens: list[str]) -> None:
    assert list(read_own_table({"e.npy": npy(E), "t": content}).vocabulary.tokens) == tokens


def test_a_tokenizer_names_the_rows() -> None:
    """A space is Ġ in GPT-2's spelling and ▁ in SentencePiece's; rows beyond the tokens fill the table up."""
    vocab = {"Ġthe": 0, "cafÃ©": 1, "âĢ": 2, "Ċ": 3}
    added = [{"id": 4, "content": "<|endoftext|>"}]
    E6 = np.eye(6, dtype=np.float32)

    def tokens(**tokenizer: Any) -> tuple[str, ...]:
        content = json.dumps(tokenizer).encode()
        return read_own_table({"e.npy": npy(E6), "tokenizer.json": content}).vocabulary.tokens

    bpe = {"model": {"type": "BPE", "vocab": vocab}, "decoder": {"type": "ByteLevel"}, "added_tokens": added}
    assert tokens(**bpe) == (" the", "café", "⟨E280⟩", "\n", "<|endoftext|>", "#5")
    unigram = {"type": "Unigram", "vocab": [["<unk>", 0], ["▁the", -2.5], ["s", -3]]}
    assert tokens(model=unigram, decoder={"type": "Metaspace"})[:4] == ("<unk>", " the", "s", "#3")
    rules = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}]
    llama = {"type": "BPE", "vocab": {"<0x0A>": 0, "▁▁": 1}}
    assert tokens(model=llama, decoder={"type": "Sequence", "decoders": rules})[:2] == ("<0x0A>", "  ")
    pieces = {"type": "WordPiece", "vocab": {"[PAD]": 0, "##s": 1}}
    assert tokens(model=pieces, decoder={"type": "WordPiece"})[:2] == ("[PAD]", "##s")


@settings(max_examples=50, deadline=None)
@given(content=st.binary(max_size=300), name=st.sampled_from(["e.npy", "e.npz", "e.txt", "e"]))
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    with contextlib.suppress(ValueError):
        read_own_table({name: content})


@settings(max_examples=50, deadline=None)
@given(at=st.integers(0, 10_000), bit=st.integers(0, 7), packed=st.booleans())
def test_a_damaged_file_is_read_or_refused(at: int, bit: int, packed: bool) -> None:
    name = "e.npz" if packed else "e.npy"
    whole = npz(E=E, tokens=np.array(TOKENS)) if packed else npy(E)
    damaged = bytearray(whole)
    damaged[at % len(damaged)] ^= 1 << bit
    with contextlib.suppress(ValueError):
        read_own_table({name: bytes(damaged), **({} if packed else {"t.txt": LIST})})


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(
        st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=3, max_size=3), min_size=2, max_size=6
    )
)
def test_text_gives_back_every_number_that_was_written(values: list[list[float]]) -> None:
    rows = np.array(values, dtype=np.float32)
    lines = (f"t{i} " + " ".join(repr(float(v)) for v in row) for i, row in enumerate(rows))
    np.testing.assert_array_equal(read_own_table({"e.txt": "\n".join(lines).encode()}).E, rows)
