"""The parts the site is made of, each with its version, its hash and the places it can come from.

artifacts.json is the lock. The hash of NumPy's WebAssembly wheel is not in it: it stands in Pyodide's own
lock file, which comes with Pyodide's core and so is covered by the core's hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from app.export import sources
from app.export.sources import Source, SourceError

LOCK = Path(__file__).with_name("artifacts.json")
CACHE_VARIABLE = "EMBEDDING_LAB_CACHE"


class ArtifactError(RuntimeError):
    """A part cannot be had; the message names it, what was tried and the way out."""


@dataclass(frozen=True)
class Artifact:
    """One file with the only hash that is accepted."""

    name: str
    version: str
    file: str
    sha256: str
    sources: tuple[Source, ...]


def cache_folder() -> Path:
    """Where fetched files are kept: ``$EMBEDDING_LAB_CACHE``, else ``~/.cache/embedding-lab``."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else Path.home() / ".cache" / "embedding-lab"


def fetch(artifact: Artifact, cache: Path, say: Callable[[str], None] = lambda line: None) -> Path:
    """The artifact in the cache, fetched from the first source that has the right bytes.

    Raises
    ------
    ArtifactError
        If no source gives a file with the artifact's hash.
    """
    path = cache / artifact.file
    if path.is_file() and _sha256(path.read_bytes()) == artifact.sha256:
        return path
    refused = []
    for source in artifact.sources:
        say(f"fetching {artifact.name} {artifact.version} from {source.name}")
        try:
            content = source.read()
        except SourceError as reason:
            refused.append(f"{source.name}: {reason}")
            continue
        found = _sha256(content)
        if found == artifact.sha256:
            write_whole(path, content)
            return path
        refused.append(f"{source.name}: the file has sha256 {found}, which is not the one in the lock")
    tried = "".join(f"\n  - {line}" for line in refused)
    raise ArtifactError(
        f"{artifact.name} {artifact.version} cannot be had. Tried:{tried}\n"
        f"Put {artifact.file} with sha256 {artifact.sha256} into {cache} by hand, "
        f"or set {CACHE_VARIABLE} to a folder that holds it."
    )


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no reader ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(content)
    Path(part.name).chmod(0o644)
    Path(part.name).replace(path)


@dataclass(frozen=True)
class Lock:
    """artifacts.json, read."""

    content: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path = LOCK) -> Lock:
        """The project's lock."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    @cached_property
    def pyodide(self) -> Artifact:
        """Pyodide's core."""
        entry = self.content["pyodide"]
        source = sources.Npm(entry["npm"], entry["version"])
        return Artifact("Pyodide", entry["version"], entry["file"], entry["sha256"], (source,))

    def numpy(self, pyodide_lock: Mapping[str, Any]) -> Artifact:
        """NumPy's wheel for this Pyodide, with the hash that Pyodide's own lock names.

        Raises
        ------
        ArtifactError
            If Pyodide's lock is for another version of NumPy than the project's.
        """
        entry, official = self.content["numpy"], pyodide_lock["packages"]["numpy"]
        if official["version"] != entry["version"]:
            raise ArtifactError(
                f"Pyodide's lock names NumPy {official['version']}, artifacts.json {entry['version']}: "
                "make the two agree"
            )
        file, carrier = official["file_name"], entry["carrier"]
        origins = (
            sources.Web(entry["cdn"] + file),
            sources.Carrier(carrier["package"], carrier["version"], carrier["folder"] + file),
        )
        return Artifact("NumPy", entry["version"], file, official["sha256"], origins)

    @cached_property
    def pure(self) -> tuple[Artifact, ...]:
        """The packages that are Python alone."""
        return tuple(
            Artifact(
                entry["name"],
                entry["version"],
                entry["file"],
                entry["sha256"],
                (sources.Wheel(entry["name"], entry["version"], entry["file"]),),
            )
            for entry in self.content["pure"]
        )


def installed(artifact: Artifact) -> metadata.Distribution | None:
    """The installed distribution, where its version is the lock's."""
    try:
        found = metadata.distribution(artifact.name)
    except metadata.PackageNotFoundError:
        return None
    return found if found.version == artifact.version and found.files else None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
