"""The files in static/data: where they are, how they are brought, and that their bytes are the right ones.

A file counts only with its checksum: damaged bytes would give other numbers, and nobody would notice. In the
browser the files arrive one by one, so a file that is not there is an ordinary state with its own error, and
the next call looks again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from lab.places import STATIC


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

DEFAULT_ROOT = STATIC / "data"
"""Where the files are, unless `set_data_root` says otherwise."""
_root = DEFAULT_ROOT
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
    _root = DEFAULT_ROOT if path is None else Path(path)


def set_fetcher(fetch: Callable[[str], bytes] | None) -> None:
    """Have missing files brought by a function from file name to content; ``None`` stops that.

    In the browser the data folder begins empty and a file comes over the network when it is first opened.

    Examples
    --------
    >>> set_fetcher(None)
    """
    global _fetch
    _fetch = fetch


def data_root() -> Path:
    """Return the folder where the files are looked for.

    Examples
    --------
    >>> data_root().name
    'data'
    """
    return _root


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
    return find(key, _root)


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


def find(key: str, root: Path) -> Path:
    """Return where a file is below a folder, brought there by the fetcher if it has to be.

    Raises
    ------
    ValueError, DataMissing
        As `data_path`.

    Examples
    --------
    >>> find("whisper", data_root()).name
    'whisper_tiny_en_decpos_f16.npz'
    """
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
    >>> with reading(Path("half.npz")):  # doctest: +ELLIPSIS
    ...     raise EOFError("it ends here")
    Traceback (most recent call last):
    ...
    lab.data_files.DataMissing: the data file half.npz is damaged (EOFError: it ends here); put ...
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
