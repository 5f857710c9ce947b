"""The data files: checksums, shapes, exact dequantisation, and a file that is not there."""

from pathlib import Path

import numpy as np
import pytest

from lab import data


@pytest.fixture
def other_root(tmp_path):
    data.set_data_root(tmp_path)
    yield tmp_path
    data.set_data_root(None)


@pytest.mark.parametrize("key", data.DATA_FILES)
def test_every_file_is_the_one_named(key):
    assert data.checksum(key) == data.DATA_FILES[key].sha256
    assert data.data_path(key).stat().st_size == data.DATA_FILES[key].bytes


def test_provenance_names_every_file_with_its_whole_checksum():
    text = (data.data_path("minilm").parent / "PROVENANCE.md").read_text(encoding="utf-8")
    for file in data.DATA_FILES.values():
        assert f"| {file.filename} | {file.sha256} |" in text


@pytest.mark.parametrize("load", [data.minilm, data.smollm2, data.whisper_positions, data.shakespeare])
def test_a_missing_file_is_named(load, other_root):
    with pytest.raises(data.DataMissing, match=r"\.(npz|txt) is not in .*set_data_root"):
        load()


def test_a_file_that_arrives_later_is_found(other_root):
    with pytest.raises(FileNotFoundError):
        data.shakespeare()
    whole = (data.DEFAULT_ROOT / "shakespeare.txt").read_bytes()
    (other_root / "shakespeare.txt").write_bytes(whole)
    assert len(data.shakespeare()) == 845_926


@pytest.mark.parametrize("key", data.DATA_FILES)
def test_one_changed_byte_is_refused_by_name(key, other_root):
    file = data.DATA_FILES[key]
    content = bytearray((data.DEFAULT_ROOT / file.filename).read_bytes())
    content[len(content) // 2] ^= 1
    (other_root / file.filename).write_bytes(content)
    with pytest.raises(data.DataMissing, match=file.filename):
        data.data_path(key)


def test_what_arrives_damaged_is_not_kept_and_asked_for_again(other_root):
    whole = (data.DEFAULT_ROOT / data.DATA_FILES["whisper"].filename).read_bytes()
    answers = [whole[:-1] + b"?", whole]
    data.set_fetcher(lambda name: answers.pop(0))
    try:
        with pytest.raises(data.DataMissing, match="damaged"):
            data.data_path("whisper")
        assert list(other_root.iterdir()) == []
        assert data.data_path("whisper").read_bytes() == whole
    finally:
        data.set_fetcher(None)
    assert answers == []


def test_a_damaged_file_in_the_folder_is_replaced_by_the_fetcher(other_root):
    file = data.DATA_FILES["whisper"]
    whole = (data.DEFAULT_ROOT / file.filename).read_bytes()
    (other_root / file.filename).write_bytes(b"<h1>Sign in</h1>")
    data.set_fetcher(lambda name: whole)
    try:
        assert data.data_path("whisper").read_bytes() == whole
    finally:
        data.set_fetcher(None)


def test_an_unknown_key_is_refused():
    with pytest.raises(ValueError, match="'gpt2'; the keys are minilm, smollm2, whisper, shakespeare"):
        data.data_path("gpt2")


def test_tables_are_opened_once_and_read_only():
    assert data.minilm() is data.minilm()
    for array in (data.minilm().embeddings, data.smollm2().Wq, data.whisper_positions()):
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_minilm_rows_are_int8_times_their_scale():
    """The largest entry of a row is stored as 127 or -127, so each row is scale * whole number."""
    pack = data.minilm()
    assert pack.embeddings.shape == (8944, 384)
    assert len(set(pack.tokens)) == 8944
    with np.load(data.data_path("minilm")) as raw:
        scale = raw["tok_scale"].astype(np.float64)
        np.testing.assert_allclose(pack.embeddings, raw["tok_q"] * scale[:, None], rtol=1e-6, atol=0)
        np.testing.assert_array_equal(pack.positions, raw["pos"].astype(np.float64))
    np.testing.assert_allclose(np.abs(pack.embeddings).max(axis=1), 127 * scale, rtol=1e-6)
    assert pack.positions.shape == (512, 384)
    assert pack.segments.shape == (2, 384)
    assert (np.diff(pack.token_ids) > 0).all()
    assert pack.tokens[:5] == ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def test_smollm2_pack_has_the_shapes_of_its_layer():
    pack = data.smollm2()
    assert pack.embeddings.shape == (1500, 576)
    assert pack.Wq.shape == (pack.n_heads * pack.head_dim, 576)
    assert pack.Wk.shape == (pack.n_kv_heads * pack.head_dim, 576)
    assert pack.attn_norm.shape == (576,)
    assert (pack.rope_base, pack.norm_eps) == (1e5, 1e-5)
    assert " the" in pack.tokens
    assert len(set(pack.tokens)) == 1500
    assert not any("Ġ" in token for token in pack.tokens)


def test_whisper_and_shakespeare():
    assert data.whisper_positions().shape == (448, 384)
    text = data.shakespeare()
    assert (len(text), len(set(text)), text.isascii()) == (845_926, 66, True)


def test_a_missing_file_is_brought_by_the_fetcher_once(tmp_path: Path) -> None:
    """In the browser the folder begins empty: the first opening fetches, the second finds the file."""
    content = data.data_path("whisper").read_bytes()
    asked: list[str] = []

    def fetch(name: str) -> bytes:
        asked.append(name)
        return content

    data.set_data_root(tmp_path / "empty")
    data.set_fetcher(fetch)
    try:
        assert data.checksum("whisper") == data.DATA_FILES["whisper"].sha256
        assert data.checksum("whisper") == data.DATA_FILES["whisper"].sha256
    finally:
        data.set_fetcher(None)
        data.set_data_root(None)
    assert asked == ["whisper_tiny_en_decpos_f16.npz"]


@pytest.mark.parametrize("key", ["minilm", "smollm2", "whisper", "shakespeare"])
def test_a_damaged_file_is_named_and_a_whole_one_is_read_after_it(key: str, tmp_path: Path) -> None:
    load = {"whisper": data.whisper_positions}.get(key) or getattr(data, key)
    whole = data.data_path(key).read_bytes()
    file = tmp_path / data.DATA_FILES[key].filename
    data.set_data_root(tmp_path)
    try:
        for content in (b"", whole[: len(whole) // 2], b"<!DOCTYPE html>", b"\xff" * len(whole)):
            file.write_bytes(content)
            with pytest.raises(data.DataMissing, match=file.name) as raised:
                load()
            assert raised.value.file == file.name
        file.write_bytes(whole)
        assert load() is load()
    finally:
        data.set_data_root(None)


def test_a_file_that_was_damaged_on_its_way_is_not_kept(tmp_path: Path) -> None:
    whole = data.data_path("whisper").read_bytes()
    middle = len(whole) // 2
    brought = [whole[:middle], whole[:middle] + b"\0" * 64 + whole[middle + 64 :], whole]
    data.set_data_root(tmp_path)
    data.set_fetcher(lambda name: brought.pop(0))
    try:
        for _ in range(2):
            with pytest.raises(data.DataMissing):
                data.whisper_positions()
        assert data.whisper_positions().shape == (448, 384)
    finally:
        data.set_fetcher(None)
        data.set_data_root(None)
