"""Stored runs to a file and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

import numpy as np

from lab.data import data_path, reading
from lab.notation import readonly
from lab.training.baselines import Baselines
from lab.training.config import TrainingConfig
from lab.training.stored import StoredRuns

ARRAYS = (
    "losses",
    "curve_steps",
    "curve",
    "held_out",
    "by_position",
    "long_edges",
    "long_loss",
    "row_steps",
    "E",
    "output",
)


def save_runs(runs: StoredRuns, path: str | Path) -> None:
    """Write runs as compressed arrays, with everything else as JSON text in the entry ``meta``."""
    meta = {
        "schemes": runs.schemes,
        "seeds": runs.seeds,
        "refusals": runs.refusals,
        "samples": runs.samples,
        "tokens": runs.tokens,
        "baselines": asdict(runs.baselines),
        "config": runs.config.as_dict(),
        "about": runs.about,
    }
    text = json.dumps(meta, ensure_ascii=True, sort_keys=True)
    arrays = {name: getattr(runs, name) for name in ARRAYS}
    np.savez_compressed(Path(path), allow_pickle=False, meta=np.array(text), **arrays)


def load_runs(path: str | Path | None = None) -> StoredRuns:
    """Read stored runs; the arrays are read-only.

    Parameters
    ----------
    path : str or Path, optional
        The file in the data folder by default; that one is opened once and shared.

    Raises
    ------
    DataMissing
        If the default file is not in the data folder (in the browser: has not arrived yet).
    FileNotFoundError
        If there is no file at ``path``; the message has the command that makes it.

    Examples
    --------
    >>> runs = load_runs()
    >>> runs.losses.shape[0] == len(runs.schemes), len(runs.seeds) >= 5
    (True, True)
    """
    if path is None:
        return _shared(data_path("train_runs"))
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(
            f"there are no stored runs at {file}; make them with python -m lab.training runs --out {file}"
        )
    return _read(file)


@lru_cache(maxsize=1)
def _shared(file: Path) -> StoredRuns:
    with reading(file):
        return _read(file)


def _read(file: Path) -> StoredRuns:
    with file.open("rb") as content, np.load(content) as pack:
        meta = json.loads(str(pack["meta"]))
        arrays = {name: readonly(pack[name]) for name in ARRAYS}
    return StoredRuns(
        schemes=tuple(meta["schemes"]),
        seeds=tuple(meta["seeds"]),
        refusals=meta["refusals"],
        samples={
            scheme: {int(step): text for step, text in sorted(texts.items(), key=lambda item: int(item[0]))}
            for scheme, texts in meta["samples"].items()
        },
        tokens=tuple(meta["tokens"]),
        baselines=Baselines(**meta["baselines"]),
        config=TrainingConfig(**meta["config"]),
        about=meta["about"],
        **arrays,
    )
