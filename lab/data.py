"""Opens the arrays in static/data: real token and position tables, and the training text.

Nothing is read at import. Each table is opened on its first call, kept as read-only arrays, and shared. A
file counts only with the checksum below: damaged bytes would give other numbers, and nobody would notice.
In the browser the files arrive one by one, so a file that is not there is an ordinary state with its own
error, and the next call looks again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from lab.notation import Array, readonly

Float32 = NDArray[np.float32]


class DataFile(NamedTuple):
    """Name, checksum and size of one file."""

    filename: str
    sha256: str
    bytes: int


DATA_FILES: dict[str, DataFile] = {
    "minilm": DataFile(
        "minilm_small_int8.npz",
        "90f0717fbcac862cdbf4f6cb3b329074db385952a17fc904ebd2a98660516d6a",
        3_622_879,
    ),
    "smollm2": DataFile(
        "smollm2_rope_pack.npz",
        "5b375bccb41d92d96a23662734a33e650a54ca5a7d0dce979252fe96f814a805",
        1_158_110,
    ),
    "whisper": DataFile(
        "whisper_tiny_en_decpos_f16.npz",
        "b061d86a4bd6a506fdbf07966c2928c05aa01aa18585fa119e861e701dff467a",
        321_822,
    ),
    "shakespeare": DataFile(
        "shakespeare.txt",
        "2555e534b4f1bc5c164395c99397d6641219abeb37d54e068569c06934942f25",
        845_926,
    ),
    "train_runs": DataFile(
        "train_runs.npz",
        "9cf8c2edb90bd2ba71fd980258e6ea5ce4e62c47b1b32b16b2e11174c15e187b",
        301_314,
    ),
}
"""Every file this module opens, by key."""

_DEFAULT_ROOT = Path(__file__).resolve().parent.parent / "static" / "data"
_root = _DEFAULT_ROOT
_fetch: Callable[[str], bytes] | None = None


class DataMissing(FileNotFoundError):
    """A data file is not in the data folder (in the browser: has not arrived yet), or is damaged.

    Parameters
    ----------
    file : str
        Its name.
    message : str
        What is wrong with it, and the way out.
    """

    def __init__(self, file: str, message: str) -> None:
        super().__init__(message)
        self.file = file


def set_data_root(path: str | Path | None) -> None:
    """Look for the files in another folder; ``None`` goes back to static/data beside the package.

    Examples
    --------
    >>> set_data_root(None)
    """
    global _root
    _root = _DEFAULT_ROOT if path is None else Path(path)


def set_fetcher(fetch: Callable[[str], bytes] | None) -> None:
    """Have missing files brought by a function from file name to content; ``None`` stops that.

    In the browser the data folder begins empty and a file comes over the network when it is first opened.

    Examples
    --------
    >>> set_fetcher(None)
    """
    global _fetch
    _fetch = fetch


def data_path(key: str) -> Path:
    """Return where a file is.

    Raises
    ------
    ValueError
        If there is no such key.
    DataMissing
        If the file is not there, or its bytes are not those of its checksum.

    Examples
    --------
    >>> data_path("shakespeare").name
    'shakespeare.txt'
    """
    return _find(key, _root)


def checksum(key: str) -> str:
    """Return the sha256 of a file as it lies in the data folder, where it is that of `DATA_FILES`.

    Raises
    ------
    DataMissing
        If the file is not there, or not with these bytes.

    Examples
    --------
    >>> checksum("whisper") == DATA_FILES["whisper"].sha256
    True
    """
    return hashlib.sha256(data_path(key).read_bytes()).hexdigest()


@dataclass(frozen=True, eq=False)
class MiniLM:
    """Input tables of all-MiniLM-L6-v2 with a reduced vocabulary, D = 384."""

    tokens: tuple[str, ...]
    token_ids: NDArray[np.integer]
    """The ids that these tokens have in the full vocabulary, rising; shape (8944,)."""
    embeddings: Float32
    """Token rows, shape (8944, 384)."""
    positions: Float32
    """Learned position rows, shape (512, 384)."""
    segments: Float32
    """Segment rows, shape (2, 384)."""
    norm_weight: Float32
    norm_bias: Float32


@dataclass(frozen=True, eq=False)
class SmolLM2:
    """Layer 0 of SmolLM2-135M-Instruct for 1,500 tokens, quantised twice, D = 576."""

    tokens: tuple[str, ...]
    """A leading space is a real space."""
    token_ids: NDArray[np.integer]
    embeddings: Float32
    """Token rows, shape (1500, 576)."""
    Wq: Float32
    """Query matrix, shape (9 * 64, 576); rows of a head in interleaved pair order."""
    Wk: Float32
    """Key matrix, shape (3 * 64, 576); rows of a head in interleaved pair order."""
    attn_norm: Float32
    """Gain of the rms-norm before attention, shape (576,)."""
    n_heads: int = 9
    n_kv_heads: int = 3
    head_dim: int = 64
    rope_base: float = 1e5
    norm_eps: float = 1e-5


def minilm() -> MiniLM:
    """Return MiniLM's tables, float32 and read-only.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> minilm().embeddings.shape
    (8944, 384)
    """
    return _minilm(_root)


def smollm2() -> SmolLM2:
    """Return SmolLM2's layer-0 pack, float32 and read-only.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> smollm2().Wk.shape
    (192, 576)
    """
    return _smollm2(_root)


def whisper_positions() -> Float32:
    """Return the learned positions of Whisper tiny.en's decoder, shape (448, 384), float32, read-only.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> whisper_positions().shape
    (448, 384)
    """
    return _whisper(_root)


def shakespeare() -> str:
    """Return seven plays as one text.

    Raises
    ------
    DataMissing
        If the file is not there.

    Examples
    --------
    >>> len(set(shakespeare()))
    66
    """
    return _shakespeare(_root)


# The folder is the cache key: another root never shows what the former one held, and lru_cache does not
# remember an exception, so a file that arrives later is found.
def _find(key: str, root: Path) -> Path:
    if key not in DATA_FILES:
        raise ValueError(f"there is no data file {key!r}; the keys are {', '.join(DATA_FILES)}")
    name, wanted, _ = DATA_FILES[key]
    path = root / name
    damaged = path.is_file() and _digest_at(path) != wanted
    if _fetch is not None and (damaged or not path.is_file()):
        content = _fetch(name)
        # what came damaged is not kept, so the next call asks again
        if hashlib.sha256(content).hexdigest() != wanted:
            raise DataMissing(name, f"the data file {name} was damaged on its way; have it brought again")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    elif damaged:
        raise DataMissing(
            name, f"the data file {name} is damaged (its sha256 is not {wanted}); put the whole file there"
        )
    elif not path.is_file():
        raise DataMissing(
            name, f"the data file {name} is not in {root}; fetch it, or name its folder with set_data_root"
        )
    return path


def _digest_at(path: Path) -> str:
    found = path.stat()
    return _digest(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=2 * len(DATA_FILES))
def _digest(path: Path, changed: int, size: int) -> str:
    """A file is read for its digest once, and again when it has changed."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say of whatever fails while a data file is read that the file is damaged.

    Where a fetcher brings the files a damaged one is dropped, so that the next call has it brought again.

    Raises
    ------
    DataMissing
        If anything else was raised inside.

    Examples
    --------
    >>> with reading(Path("half.npz")):
    ...     raise EOFError("no data left")
    Traceback (most recent call last):
    ...
    lab.data.DataMissing: the data file half.npz is damaged (EOFError: no data left); put the whole file there
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as reason:
        if _fetch is not None:
            path.unlink(missing_ok=True)
        why = f"{type(reason).__name__}: {str(reason)[:200]}"
        raise DataMissing(
            path.name, f"the data file {path.name} is damaged ({why}); put the whole file there"
        ) from reason


@contextmanager
def _opened(key: str, root: Path) -> Iterator[NpzFile]:
    path = _find(key, root)
    # NumPy leaves a file open that it cannot read
    with reading(path), path.open("rb") as file, np.load(file) as pack:
        yield pack


def _whole(key: str, path: Path) -> bytes:
    """The bytes of a text, which says nothing itself of a part that is missing."""
    content = path.read_bytes()
    if len(content) != DATA_FILES[key].bytes:
        raise ValueError(f"it has {len(content):,} bytes of {DATA_FILES[key].bytes:,}")
    return content


def _dequantise(rows: Array, scale: Array) -> Float32:
    """One scale for each row: (R, D), (R,) -> (R, D)."""
    return readonly(rows.astype(np.float32) * scale.astype(np.float32)[:, None])


def _single(array: Array) -> Float32:
    return readonly(array.astype(np.float32))


def _lines(array: Array) -> tuple[str, ...]:
    return tuple(array.tobytes().decode("utf-8").split("\n"))


@lru_cache(maxsize=1)
def _minilm(root: Path) -> MiniLM:
    with _opened("minilm", root) as pack:
        return MiniLM(
            tokens=_lines(pack["vocab"]),
            token_ids=readonly(pack["tok_id"].astype(np.intp)),
            embeddings=_dequantise(pack["tok_q"], pack["tok_scale"]),
            positions=_single(pack["pos"]),
            segments=_single(pack["typ"]),
            norm_weight=_single(pack["ln_w"]),
            norm_bias=_single(pack["ln_b"]),
        )


@lru_cache(maxsize=1)
def _smollm2(root: Path) -> SmolLM2:
    with _opened("smollm2", root) as pack:
        return SmolLM2(
            tokens=tuple(token.replace("Ġ", " ") for token in _lines(pack["vocab"])),
            token_ids=readonly(pack["tok_id"].astype(np.intp)),
            embeddings=_dequantise(pack["tok_q"], pack["tok_scale"]),
            Wq=_dequantise(pack["wq"], pack["wq_scale"]),
            Wk=_dequantise(pack["wk"], pack["wk_scale"]),
            attn_norm=_single(pack["attn_norm"]),
        )


@lru_cache(maxsize=1)
def _whisper(root: Path) -> Float32:
    with _opened("whisper", root) as pack:
        return _single(pack["pos"])


@lru_cache(maxsize=1)
def _shakespeare(root: Path) -> str:
    path = _find("shakespeare", root)
    with reading(path):
        return _whole("shakespeare", path).decode("ascii")
