"""Packs files into solid archives: one tar, one gzip, the same bytes from the same files.

A solid archive is a fifth smaller than a zip of single files, and the browser unpacks it by itself
(DecompressionStream). The ending is .pack because some servers declare a .gz to be an encoding, and the
browser would then unpack it before the worker sees it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Packed:
    """One file of the site that is counted: its name and its bytes on the wire."""

    file: str
    raw: int
    gzip: int

    def entry(self) -> dict[str, str | int]:
        """As the manifest lists it."""
        return asdict(self)


def squeeze(content: bytes) -> bytes:
    """Gzip without a time in it."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def tar(files: Mapping[str, bytes]) -> bytes:
    """A tar of these files; like stands next to like, which gzip rewards."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files, key=lambda name: (Path(name).suffix, name)):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    return buffer.getvalue()


def stored_zip(files: Mapping[str, bytes]) -> bytes:
    """A zip that stores: Python imports from it at once, and the gzip around it is solid."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), files[name])
    return buffer.getvalue()


def write_pack(folder: Path, stem: str, content: bytes) -> Packed:
    """Write content squeezed, under a name that changes with it, so that no cache mixes two versions."""
    squeezed = squeeze(content)
    digest = hashlib.sha256(squeezed).hexdigest()[:10]
    path = folder / f"{stem}-{digest}.pack"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(squeezed)
    return Packed(path.name, len(content), len(squeezed))


def measure(path: Path, root: Path) -> Packed:
    """A plain file of the site, and what a server that compresses sends of it."""
    content = path.read_bytes()
    return Packed(path.relative_to(root).as_posix(), len(content), len(squeeze(content)))
