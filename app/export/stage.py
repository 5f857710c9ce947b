"""Lays out every Python file that could be packed in one folder, as the worker will see them.

    site/   packages, NumPy among them     -> /lib/python3.14/site-packages
    home/   app, lab and the static files they read   -> /lab
    std/    the standard library   -> /lib/python314.zip

Whatever is not Python, a test or a picture of a package stays behind; what of the rest is really read
is found by running the lab (inside.py), not guessed.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.export import artifacts
from app.export.artifacts import Artifact, Lock
from app.export.sources import read_tarball
from lab.places import static_of

STUBS = Path(__file__).with_name("stubs")
INSIDE = ("__init__.py", "start.py", "runtime.py")
"""What of app.export runs in the browser."""
AT_HOME = {"export", "still"}
"""What of app makes files, and has nothing to do in a browser."""
LEFT_OUT = (
    "tests",
    "dist",
    "examples",
    "static",
    "sampledata",
    "__pycache__",
    "node_modules",
    "f2py",
    "include",
)
PANEL_STATIC = ("panel/dist/css/", "panel/dist/bundled/theme/")
"""Panel's stylesheets, which the page loads."""
UNREAD = (".pyc", ".pyi", ".pyx", ".pxd", ".a", ".h", ".map")


@dataclass(frozen=True)
class Parts:
    """All artifacts, read."""

    core: dict[str, bytes]
    """Pyodide's core by file name."""
    numpy: bytes
    pure: tuple[Package, ...]
    core_version: str


@dataclass(frozen=True)
class Package:
    """A Python package, installed or as a wheel."""

    artifact: Artifact
    files: dict[str, Callable[[], bytes]]

    def read(self, path: str) -> bytes:
        """One file of it, by its path below site-packages."""
        return self.files[path]()


def gather(cache: Path, say: Callable[[str], None]) -> Parts:
    """Fetch what is missing in the cache and read all of it.

    Raises
    ------
    ArtifactError
        If a part cannot be had.
    """
    lock = Lock.read()
    core = read_tarball(artifacts.fetch(lock.pyodide, cache, say).read_bytes())
    numpy = lock.numpy(json.loads(core["pyodide-lock.json"]))
    wheel = artifacts.fetch(numpy, cache, say).read_bytes()
    pure = tuple(_package(artifact, cache, say) for artifact in lock.pure)
    return Parts(core, wheel, pure, lock.pyodide.version)


def _package(artifact: Artifact, cache: Path, say: Callable[[str], None]) -> Package:
    distribution = artifacts.installed(artifact)
    if distribution is not None and distribution.files is not None:
        paths = {path.as_posix(): Path(str(path.locate())) for path in distribution.files}
        return Package(artifact, {name: path.read_bytes for name, path in paths.items()})
    wheel = zipfile.ZipFile(io.BytesIO(artifacts.fetch(artifact, cache, say).read_bytes()))
    return Package(artifact, {name: _reader(wheel, name) for name in wheel.namelist()})


def _reader(wheel: zipfile.ZipFile, name: str) -> Callable[[], bytes]:
    return lambda: wheel.read(name)


def lay_out(parts: Parts, source: Path, folder: Path) -> None:
    """Write the stage below ``folder``; ``source`` holds app, lab and static."""
    site = folder / "site"
    for package in parts.pure:
        for name in filter(_wanted, package.files):
            if not name.endswith(".so"):
                _write(site / name, package.read(name))
        _write_metadata(site, package.artifact.name, package.artifact.version)
    with zipfile.ZipFile(io.BytesIO(parts.numpy)) as wheel:
        for name in filter(_wanted, wheel.namelist()):
            _write(site / name, wheel.read(name))
    for stub in STUBS.glob("*.py"):
        _write(site / stub.name, stub.read_bytes())
    with zipfile.ZipFile(io.BytesIO(parts.core["python_stdlib.zip"])) as library:
        for name in filter(lambda name: name.endswith(".py"), library.namelist()):
            _write(folder / "std" / name, library.read(name))
    for path in _own(source):
        target = folder / "home" / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name in INSIDE:
        _write(folder / "home" / "app" / "export" / name, Path(__file__).with_name(name).read_bytes())


def _own(source: Path) -> Iterator[Path]:
    for package in ("app", "lab"):
        # a room's sentences stand in a text beside its modules
        for path in sorted((source / package).rglob("*")):
            if path.suffix in (".py", ".txt") and not AT_HOME & set(path.relative_to(source).parts):
                yield path
    # data files come on demand, scripts are the page's
    for name in ("css", "icons"):
        yield from sorted(path for path in (static_of(source) / name).rglob("*") if path.is_file())


def _wanted(name: str) -> bool:
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or path.parts[0].endswith((".dist-info", ".data")):
        return False
    return path.suffix not in UNREAD and not name.endswith("/") and not set(path.parts) & set(LEFT_OUT)


def _write_metadata(site: Path, name: str, version: str) -> None:
    # Bokeh and Panel ask for their own version
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    _write(site / folder / "METADATA", text.encode())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
