"""Checkpoints: what the formats' own packages wrote, files of any size, and headers that lie."""

from __future__ import annotations

import contextlib
import json
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.own_table import (
    LARGEST_PART,
    FileInfo,
    OwnTable,
    Part,
    open_table,
    read_own_table,
    reading,
    reading_again,
    run,
)
from lab.own_table import checkpoint as checkpoint_module
from lab.own_table import table as table_module
from lab.own_table.checkpoint import MAX_VALUES, Checkpoint, Tensor, reading_rows
from lab.own_table.gguf import reading_gguf
from lab.own_table.quants import KINDS, decode, row_bytes
from tests.checkpoints import GIGABYTES, described, gguf, safetensors, text, texts
from tests.golden import HERE as GOLDEN

FOLDER = GOLDEN / "checkpoints"
BLOCKS = dict(np.load(FOLDER / "blocks.npz"))
ROWS = dict(np.load(FOLDER / "rows.npz"))
NAMES = ("<unk>", "<s>", "</s>", "<0x0A>", " the", " cat", "s", " roof", " ", "ed", " dog", ".")


class Sparse:
    """A large file of which only the beginning and one stretch are not zero; it keeps what was asked."""

    def __init__(self, size: int, **pieces: bytes) -> None:
        self.size = size
        self.pieces = {int(at[1:]): content for at, content in pieces.items()}
        self.asked: list[Part] = []

    def __call__(self, part: Part) -> bytes:
        self.asked.append(part)
        assert part.size <= LARGEST_PART
        assert part.offset + part.size <= self.size
        found = bytearray(part.size)
        for at, content in self.pieces.items():
            start, end = max(at, part.offset), min(at + len(content), part.offset + part.size)
            if start < end:
                found[start - part.offset : end - part.offset] = content[start - at : end - at]
        return bytes(found)

    @property
    def brought(self) -> int:
        return sum(part.size for part in self.asked)


def opened(name: str, content: bytes, size: int = 0, **more: bytes) -> tuple[OwnTable, Sparse]:
    file = Sparse(size or len(content), _0=content, **more)
    return run(reading([FileInfo(name, file.size)]), file), file


@pytest.mark.parametrize("kind", [key.removesuffix("_values") for key in BLOCKS if key.endswith("_values")])
def test_blocks_give_the_numbers_of_ggml(kind: str) -> None:
    """Random bits in every field: what the gguf package makes of them, exactly."""
    found = decode(kind, BLOCKS[f"{kind}_bytes"].tobytes(), KINDS[kind].values)
    np.testing.assert_array_equal(found, BLOCKS[f"{kind}_values"])
    # two blocks in a row stand one after the other
    wide = decode(kind, BLOCKS[f"{kind}_bytes"].tobytes(), 2 * KINDS[kind].values)
    np.testing.assert_array_equal(wide.reshape(found.shape), found)


def test_every_quantised_type_is_held_against_ggml() -> None:
    assert {kind for kind in KINDS if KINDS[kind].quantised} == {key.rsplit("_", 1)[0] for key in BLOCKS}


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16", "Q8_0", "Q4_0"])
def test_a_gguf_file_gives_its_rows_and_names(kind: str) -> None:
    name = f"tiny-{kind.lower()}.gguf"
    table = read_own_table({name: (FOLDER / name).read_bytes()})
    np.testing.assert_array_equal(table.E, ROWS[kind])
    assert table.vocabulary.tokens == NAMES
    assert KINDS[kind].name in table.note
    assert "token_embd.weight" in table.note
    assert ("quantised" in table.note) == kind.startswith("Q")


def test_a_safetensors_file_gives_its_rows_and_another_table_on_request() -> None:
    content = (FOLDER / "tiny.safetensors").read_bytes()
    found, file = opened("tiny.safetensors", content)
    np.testing.assert_array_equal(found.table.E, ROWS["F16"])
    assert found.table.vocabulary.tokens[:2] == ("#0", "#1")
    assert "model.embed_tokens.weight, stored as float16" in found.table.note
    assert found.source is not None
    assert [tensor.name for tensor in found.source.checkpoint.tables()] == [
        "model.embed_tokens.weight",
        "lm_head.weight",
    ]
    again = run(reading_again(found.source, "lm_head.weight", 3), file)
    np.testing.assert_array_equal(again.table.E, ROWS["F16"][::-1][3:])
    assert again.table.vocabulary.tokens[0] == "#3"
    assert "Rows 3 to 11 of 12" in again.table.note
    with pytest.raises(ValueError, match="row 11 is no row to begin with"):
        run(reading_again(found.source, "lm_head.weight", 11), file)
    with pytest.raises(ValueError, match=r"norm\.weight is no token table"):
        run(reading_again(found.source, "model.norm.weight", 0), file)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["lm_head.weight", "model.embed_tokens.weight"], ["model.embed_tokens.weight", "lm_head.weight"]),
        (["transformer.wpe.weight", "transformer.wte.weight"], ["transformer.wte.weight"]),
        (
            ["bert.embeddings.position_embeddings.weight", "bert.embeddings.word_embeddings.weight"],
            ["bert.embeddings.word_embeddings.weight"],
        ),
        (
            ["shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"],
            ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "shared.weight"],
        ),
        (["tok_embeddings.weight", "output.weight"], ["tok_embeddings.weight", "output.weight"]),
        (["gpt_neox.embed_in.weight", "embed_out.weight"], ["gpt_neox.embed_in.weight", "embed_out.weight"]),
        (["backbone.layers.0.mixer.weight", "backbone.embedding.weight"], ["backbone.embedding.weight"]),
        (["vectors"], ["vectors"]),
        ([f"x.{i}.wte.weight" for i in range(200)], [f"x.{i}.wte.weight" for i in range(24)]),
    ],
)
def test_the_token_table_is_found_by_its_name(names: list[str], found: list[str]) -> None:
    tensors = tuple(Tensor(name, (100 - i % 50, 8), "F32", 0) for i, name in enumerate(names))
    made = Checkpoint(FileInfo("model.safetensors", 10**6), "safetensors", tensors, 0)
    assert [tensor.name for tensor in made.tables()] == found


def test_a_table_opens_from_the_disk_with_the_rows_that_are_asked_for() -> None:
    path = FOLDER / "tiny.safetensors"
    np.testing.assert_array_equal(open_table(path).E, ROWS["F16"])
    table = open_table(path, tensor="lm_head.weight", first=4)
    np.testing.assert_array_equal(table.E, ROWS["F16"][::-1][4:])
    assert table.name == "tiny.safetensors"
    with pytest.raises(ValueError, match="no checkpoint"):
        open_table(FOLDER.parent.parent / "lab" / "own_tables" / "glove.txt", first=2)


def test_names_come_from_tokenizer_json_and_further_rows_have_none() -> None:
    vocab = {"Ġthe": 0, "Ġcat": 1, "s": 2, "âĢ": 3}
    tokenizer = {
        "model": {"type": "BPE", "vocab": vocab},
        "decoder": {"type": "ByteLevel"},
        "added_tokens": [{"id": 4, "content": "<|end|>"}, {"id": 12, "content": "<|pad|>"}],
    }
    files = {
        "m.safetensors": (FOLDER / "tiny.safetensors").read_bytes(),
        "t.json": json.dumps(tokenizer).encode(),
    }
    for given_files in (files, dict(reversed(files.items()))):
        table = read_own_table(given_files)
        assert table.vocabulary.tokens[:6] == (" the", " cat", "s", "⟨E280⟩", "<|end|>", "#5")
        assert "7 rows have no token" in table.note
        assert "1 added tokens have no row" in table.note
    longer = {**files, "t.json": b"a\n" * 13}
    with pytest.raises(ValueError, match="13 tokens"):
        read_own_table(longer)


def test_a_file_without_an_ending_is_known_by_its_first_bytes() -> None:
    content = (FOLDER / "tiny-q8_0.gguf").read_bytes()
    table = read_own_table({"sha256-6a0746a1ec1a": content})
    np.testing.assert_array_equal(table.E, ROWS["Q8_0"])


@pytest.mark.parametrize("form", ["safetensors", "gguf"])
def test_of_five_gigabytes_only_the_header_and_the_table_are_read(form: str) -> None:
    V, D, begin = 50_257, 768, 4_000_000_000
    E = np.random.default_rng(0).normal(size=(3, D)).astype(np.float32)
    if form == "safetensors":
        header = {"wte.weight": described([V, D], begin=begin), "h.0.weight": described([10**9], begin=0)}
        content = safetensors(header)
        at = len(content) + begin
    else:
        content = gguf({}, [("blk.0.weight", (10**9,), 0, 0), ("token_embd.weight", (D, V), 0, begin)])
        at = len(content) + begin
    found, file = opened(f"model.{form}", content, GIGABYTES, **{f"_{at}": E.tobytes()})
    np.testing.assert_array_equal(found.table.E[:3], E)
    assert found.source is not None
    count = found.source.count
    assert found.table.E.shape == (count, D)
    # 50 MB with the header, and no row more
    assert 50_000_000 - file.brought < row_bytes("F32", D)
    assert file.brought <= 50_000_000
    assert f"Rows 0 to {count - 1:,} of 50,257" in found.table.note
    later = run(reading_again(found.source, found.source.tensor, V - 2), file)
    assert later.table.vocabulary.tokens == ("#50255", "#50256")


def test_header_names_and_rows_are_within_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "MAX_BYTES", 100_000)
    names = "".join(f"name{i}\n" for i in range(4000)).encode()
    content = safetensors({"wte.weight": described([4000, 64])}, bytes(4000 * 256))
    contents, brought = [content, names], 0

    def read(part: Part) -> bytes:
        nonlocal brought
        brought += part.size
        return contents[part.file][part.offset : part.offset + part.size]

    files = [FileInfo("m.safetensors", len(content)), FileInfo("names.txt", len(names))]
    table = run(reading(files), read).table
    assert 0 <= 100_000 - brought < 256
    assert table.vocabulary.tokens[-1] == f"name{len(table.vocabulary) - 1}"
    too_long = [files[0], FileInfo("names.txt", 100_000)]
    with pytest.raises(ValueError, match="100,000 bytes; up to"):
        run(reading(too_long), read)


def taken(tensor: Tensor, limit: int, first: int = 0, size: int = GIGABYTES) -> int:
    made = Checkpoint(FileInfo("m.gguf", size), "GGUF", (tensor,), 0)
    found = run(reading_rows(0, made, tensor, first, limit), lambda part: bytes(part.size))
    return len(found.rows)


def test_limits_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Tensor("token_embd.weight", (256_000, 4096), "Q4_K", 0)
    assert taken(wide, 10 * 2304) == 10
    assert taken(wide, 10 * 2304 - 1) == 9
    assert MAX_VALUES == 25_000_000
    monkeypatch.setattr(checkpoint_module, "MAX_VALUES", 5 * 4096 + 4095)
    assert taken(wide, 10 * 2304) == 5
    monkeypatch.setattr(checkpoint_module, "MAX_ROWS", 3)
    assert taken(wide, 10 * 2304) == 3
    with pytest.raises(ValueError, match="more than can be read"):
        taken(wide, 2 * 2304 - 1)


def test_of_a_file_that_was_cut_off_the_whole_rows_are_read() -> None:
    content = (FOLDER / "tiny.safetensors").read_bytes()
    start = content.rindex(ROWS["F16"].astype(np.float16).tobytes())
    found, _ = opened("m.safetensors", content[: start + 5 * 128 + 17])
    assert found.table.E.shape == (5, 64)
    assert "5 of 12 rows are in it" in found.table.note
    with pytest.raises(ValueError, match="cut off; load it again"):
        opened("m.safetensors", content[: start + 200])


@pytest.mark.parametrize(
    ("model", "tokens", "types", "names"),
    [
        ("gpt2", ["Ġthe", "<|endoftext|>", "âĢ"], [1, 3, 1], (" the", "<|endoftext|>", "⟨E280⟩")),
        ("llama", ["▁the", "<0x0A>", "▁▁"], [1, 6, 4], (" the", "<0x0A>", "  ")),
        # what was added by hand is spelt as it is
        ("llama", ["▁", "<｜end▁of▁turn｜>", "a"], [1, 3, 1], (" ", "<｜end▁of▁turn｜>", "a")),
        ("gpt2", ["Ġ", "é", "Ã©"], [1, 4, 1], (" ", "é", "é#2")),
        ("bert", ["▁the", "s", "[CLS]"], [1, 1, 3], ("the", "##s", "[CLS]")),
        ("bert", ["▁the", "s", "[unused1]"], None, ("the", "##s", "[unused1]")),
        ("gpt2", ["a", "a", ""], [1, 1, 1], ("a", "a#1", "#2")),
    ],
)
def test_ggufs_own_list_is_made_readable(
    model: str, tokens: list[str], types: list[int] | None, names: tuple[str, ...]
) -> None:
    given_settings = {
        "general.file_type": struct.pack("<II", 4, 1),
        "tokenizer.ggml.model": struct.pack("<I", 8) + text(model),
        "tokenizer.ggml.tokens": texts(tokens),
        "tokenizer.ggml.scores": struct.pack("<IIQ3f", 9, 6, 3, 0, 0, 0),
        "tokenizer.ggml.merges": texts(["t h", "th e"]),
        "nested": struct.pack("<IIQ", 9, 9, 2) + texts(["a"])[4:] + struct.pack("<IQ2H", 2, 2, 1, 2),
    }
    if types:
        given_settings["tokenizer.ggml.token_type"] = struct.pack("<IIQ3i", 9, 5, 3, *types)
    content = gguf(given_settings, [("token_embd.weight", (2, 3), 0, 0)])
    found, _ = opened("m.gguf", content + np.arange(6, dtype="<f4").tobytes())
    assert found.table.vocabulary.tokens == names
    np.testing.assert_array_equal(found.table.E, np.arange(6).reshape(3, 2))


def test_a_long_list_is_read_in_parts_and_what_nobody_wants_is_not_kept() -> None:
    tokens = [f"token number {i:,}" for i in range(100_000)]
    content = gguf(
        {
            "general.alignment": struct.pack("<II", 4, 64),
            "tokenizer.ggml.merges": texts(tokens),
            "scores": struct.pack("<IIQ", 9, 6, 500_000) + bytes(2_000_000),
            "tokenizer.ggml.tokens": texts(tokens),
        },
        [("token_embd.weight", (1, 100_000), 1, 0)],
    )
    content += bytes(-len(content) % 64)
    file = Sparse(len(content), _0=content)
    made = run(reading_gguf(0, FileInfo("m.gguf", len(content))), file)
    assert made.names[99_999] == "token number 99,999"
    assert made.tensors[0].offset == len(content)
    # numbers that nobody wants are passed by without being brought
    assert file.brought < len(content) - 1_000_000
    assert made.header == file.brought


EMBED = "model.embed_tokens.weight"
LIES: dict[str, tuple[bytes, str]] = {
    "no bytes": (b"abc", "fewer than a header"),
    "a header of exabytes": ((2**63).to_bytes(8, "little") + b"{}", "says that its header has"),
    "a header beyond the file": ((100).to_bytes(8, "little") + b"{}", "says that its header has 100 bytes"),
    "no JSON": (safetensors(b"{not so}"), "no JSON"),
    "nested": (safetensors(b"[" * 100_000), "no JSON"),
    "a list": (safetensors(b"[1, 2]"), "no list of tensors"),
    "a name twice": (safetensors(b'{"a": 1, "a": 2}'), "twice"),
    "a number for a tensor": (safetensors({EMBED: 3}), "describes tensor"),
    "no dtype": (safetensors({EMBED: {"shape": [2, 2], "data_offsets": [0, 16]}}), "needs a dtype"),
    "a negative size": (safetensors({EMBED: described([-2, -2], end=16)}), "needs a dtype, a shape"),
    "a fraction": (safetensors({EMBED: described([2.5, 2], end=16)}), "needs a dtype, a shape"),
    "truth": (safetensors({EMBED: described([True, 2], end=16)}), "needs a dtype, a shape"),
    "more than fits a size": (safetensors({EMBED: described([2**64, 2], end=16)}), "needs a dtype, a shape"),
    "many dimensions": (safetensors({EMBED: described([1] * 9, end=4)}), "9 dimensions"),
    "an end before the beginning": (
        safetensors({EMBED: described([2, 2], begin=32, end=16)}),
        "from byte 32",
    ),
    "a shape that is not its size": (
        safetensors({EMBED: described([2**40, 2**20], end=16)}),
        "cannot have 16",
    ),
    "a table beyond the file": (safetensors({EMBED: described([2**30, 64])}), "cut off"),
    "no table": (safetensors({"model.norm.weight": described([4])}), r"model\.norm\.weight"),
    "nothing": (safetensors({}), "0 tensors"),
    "a table of whole numbers": (safetensors({EMBED: described([4, 2], "U32")}), "stored as U32"),
    "a table of three dimensions": (safetensors({EMBED: described([4, 2, 2])}), r"shape \(4, 2, 2\)"),
    "one row": (safetensors({EMBED: described([1, 4])}, bytes(16)), r"shape \(1, 4\)"),
    "no width": (safetensors({EMBED: described([9, 0])}), r"shape \(9, 0\)"),
    "too wide": (safetensors({EMBED: described([2, 40_000])}, bytes(320_000)), r"shape \(2, 40000\)"),
    "not a number": (
        safetensors({EMBED: described([2, 2])}, struct.pack("<4f", 1, 2, np.nan, 4)),
        "row 1, column 0",
    ),
}
TABLE = [("token_embd.weight", (4, 2), 0, 0)]
GGUF_LIES: dict[str, tuple[bytes, str]] = {
    "cut at once": (b"GGUF", "ends at byte 4"),
    "another magic": (b"GGML" + bytes(40), "not a GGUF file"),
    "version 1": (gguf(version=1), "version 1"),
    "big endian": (gguf(version=3 << 24), "little endian"),
    "tensors without number": (gguf(counts=(2**63, 0)), "announces 9,223,372,036,854,775,808 tensors"),
    "settings without number": (gguf(counts=(0, 2**40)), "settings"),
    "more settings than there are": (gguf(counts=(0, 3)), "ends at byte"),
    "an endless key": (gguf()[:8] + struct.pack("<QQQ", 0, 1, 2**62) + bytes(32), "damaged or was cut off"),
    "an endless text": (gguf({"a": struct.pack("<IQ", 8, 2**63)}), "damaged or was cut off"),
    "an endless list": (
        gguf({"tokenizer.ggml.tokens": struct.pack("<IIQ", 9, 8, 2**60)}),
        "damaged or was cut off",
    ),
    "an endless array": (gguf({"a": struct.pack("<IIQ", 9, 6, 2**61)}), "damaged or was cut off"),
    "an endless array of types": (
        gguf({"tokenizer.ggml.token_type": struct.pack("<IIQ", 9, 5, 2**61)}),
        "damaged or was cut off",
    ),
    "arrays in arrays": (
        gguf({"a": struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 60 + bytes(900)}),
        "does not know",
    ),
    "an unknown type": (gguf({"a": struct.pack("<II", 77, 0)}), "type 77"),
    "no alignment": (gguf({"general.alignment": struct.pack("<II", 4, 0)}, TABLE), "alignment 0"),
    "an alignment of text": (
        gguf({"general.alignment": struct.pack("<I", 8) + text("x")}, TABLE),
        "alignment 'x'",
    ),
    "many dimensions": (gguf({}, [("token_embd.weight", (1,) * 9, 0, 0)]), "9 dimensions"),
    "a table beyond the file": (gguf({}, [("token_embd.weight", (64, 2**50), 0, 2**60)]), "cut off"),
    "half a block": (gguf({}, [("token_embd.weight", (48, 4), 8, 0)]) + bytes(500), "blocks of 32"),
    "an unreadable type": (gguf({}, [("token_embd.weight", (64, 4), 20, 0)]), "stored as IQ4_NL"),
    "a type to come": (gguf({}, [("token_embd.weight", (64, 4), 99, 0)]), "stored as type 99"),
    "no table": (gguf({}, [("output_norm.weight", (4,), 0, 0)]), "no token table"),
}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [("m.safetensors", *lie) for lie in LIES.values()] + [("m.gguf", *lie) for lie in GGUF_LIES.values()],
    ids=[*LIES, *GGUF_LIES],
)
def test_a_header_that_lies_is_refused_before_memory_is_taken(
    name: str, content: bytes, message: str
) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message):
            opened(name, content)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_large_file_whose_header_is_endless_is_refused_after_few_bytes() -> None:
    """A list of 2^28 empty texts would fit five gigabytes; the header may have 32 MB."""
    content = gguf({"tokenizer.ggml.tokens": struct.pack("<IIQ", 9, 8, 2**28)})
    file = Sparse(GIGABYTES, _0=content)
    with pytest.raises(ValueError, match="up to 32,000,000 can be read"):
        run(reading([FileInfo("m.gguf", GIGABYTES)]), file)
    assert file.brought <= 1_000_000
    # each text is within bounds, all of them are not
    parts = [b"".join(text(bytes(1000)) for _ in range(1000))] * 40
    long = gguf({"tokenizer.ggml.tokens": struct.pack("<IIQ", 9, 8, 40_000) + b"".join(parts)})
    with pytest.raises(ValueError, match="up to 32,000,000 can be read"):
        opened("m.gguf", long)


def test_a_part_of_another_size_is_refused() -> None:
    content = (FOLDER / "tiny.safetensors").read_bytes()
    with pytest.raises(ValueError, match="8 bytes from byte 0 were asked for and 7 came"):
        run(reading([FileInfo("m.safetensors", len(content))]), lambda part: content[: part.size - 1])


def damaged(name: str) -> Callable[[int, int], bytes]:
    whole = (FOLDER / name).read_bytes()

    def damage(at: int, bit: int) -> bytes:
        changed = bytearray(whole)
        changed[at % len(whole)] ^= 1 << bit
        return bytes(changed)

    return damage


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(["tiny.safetensors", "tiny-q4_0.gguf"]),
    at=st.integers(0, 1200),
    bit=st.integers(0, 7),
)
def test_a_damaged_checkpoint_is_read_or_refused(name: str, at: int, bit: int) -> None:
    with contextlib.suppress(ValueError):
        read_own_table({name: damaged(name)(at, bit)})


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=200), name=st.sampled_from(["m.safetensors", "m.gguf"]))
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    magic = gguf(counts=(1, 2))[:24] if name == "m.gguf" else len(content).to_bytes(8, "little")
    for whole in (content, magic + content):
        with contextlib.suppress(ValueError):
            read_own_table({name: whole})


def test_the_golden_files_are_those_of_the_script() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {
        "blocks.npz",
        "rows.npz",
        "tiny.safetensors",
        *(f"tiny-{kind}.gguf" for kind in ("f32", "f16", "bf16", "q8_0", "q4_0")),
    }
    assert Path(GOLDEN / "make_checkpoints.py").exists()
