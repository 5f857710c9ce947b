"""Packs files into solid archives: one tar, one gzip, the same bytes from the same files.

A solid archive is a fifth smaller than a zip of single files, and the browser unpacks it by itself
(DecompressionStream). The ending is .pack because some servers declare a .gz to be an encoding, and the
browser would then unpack it before the worker sees it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from collections import Counter
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
    integrity: str

    def entry(self) -> dict[str, str | int]:
        """As the manifest lists it."""
        return asdict(self)


@dataclass(frozen=True)
class Parted:
    """Packed files by who needs them: all rooms, one room alone, or some rooms, by package."""

    base: frozenset[str]
    shared: dict[str, frozenset[str]]
    rooms: dict[str, frozenset[str]]


def part_by_room(files: frozenset[str], start: frozenset[str], uses: Mapping[str, frozenset[str]]) -> Parted:
    """Tell what every room needs from what some rooms share and what one room alone needs.

    A file that no room was seen to need goes to the base: it was needed when all were drawn.

    >>> uses = {"x": frozenset({"home/b", "home/c"}), "y": frozenset({"home/b"}), "z": frozenset()}
    >>> parted = part_by_room(frozenset({"home/a", "home/b", "home/c"}), frozenset({"home/a"}), uses)
    >>> sorted(parted.base), sorted(parted.shared["lab"]), sorted(parted.rooms["x"])
    (['home/a'], ['home/b'], ['home/c'])
    """
    needed = Counter(name for names in uses.values() for name in names - start)
    some = frozenset(name for name, count in needed.items() if name in files and count < len(uses))
    shared: dict[str, set[str]] = {}
    for name in some:
        if needed[name] > 1:
            shared.setdefault(_package(name), set()).add(name)
    rooms = {
        room: frozenset(name for name in names & some if needed[name] == 1) for room, names in uses.items()
    }
    return Parted(files - some, {key: frozenset(shared[key]) for key in sorted(shared)}, rooms)


def _package(name: str) -> str:
    # numpy.random and numpy.ma are needed by different rooms, and are the largest of what is shared
    place, *parts = Path(name).parts
    return "-".join(parts[:2]) if place == "site" and len(parts) > 2 else "lab"


def integrity(content: bytes) -> str:
    """The digest as the attribute `integrity` of a script has it (W3C, Subresource Integrity).

    >>> integrity(b"")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


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
    return Packed(path.name, len(content), len(squeezed), integrity(squeezed))


def measure(path: Path, root: Path) -> Packed:
    """A plain file of the site, and what a server that compresses sends of it."""
    content = path.read_bytes()
    return Packed(path.relative_to(root).as_posix(), len(content), len(squeeze(content)), integrity(content))
