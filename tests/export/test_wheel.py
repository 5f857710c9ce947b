"""The wheel, installed in an environment of its own and used from elsewhere: as a library and as the app."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.export.site import PROJECT
from tests.serving import Lab

pytestmark = pytest.mark.export

PARTS = ("lab", "app", "static", "pyproject.toml", "setup.py", "README.md", "LICENSE")
USE = """
import lab
from lab.data import minilm, shakespeare
from lab.positions import Rope
assert lab.__version__ == "{version}", lab.__version__
assert minilm().embeddings.shape == (8944, 384)
assert len(shakespeare()) > 100_000
assert Rope(8).inv_freq.shape == (4,)
assert "panel" not in __import__("sys").modules
print(lab.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: a build leaves files in its tree."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in PARTS:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    pip("wheel", "--no-deps", "-w", str(out), str(tree))
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and NumPy, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip("--python", str(folder / "bin" / "python"), "install", "--no-deps", str(wheel))
    installed = Path(sysconfig.get_paths()["platlib"])
    for name in installed.glob("numpy*"):
        (packages(folder) / name.name).symlink_to(name)
    return folder


@pytest.fixture
def with_app(environment: Path) -> Iterator[Path]:
    """The same with what the extra asks for: this environment's packages, but not this checkout."""
    extra = packages(environment) / "extra.pth"
    extra.write_text(sysconfig.get_paths()["purelib"])
    yield environment
    extra.unlink()


def packages(folder: Path) -> Path:
    (found,) = folder.glob("lib/python*/site-packages")
    return found


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run(folder: Path, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(folder / "bin" / command[0]), *command[1:]], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_core_asks_for_numpy_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (one for one in opened.namelist() if one.endswith("METADATA"))
        told = opened.read(name).decode()
        names = set(opened.namelist())
    asked = [line.split(":", 1)[1].strip() for line in told.splitlines() if line.startswith("Requires-Dist")]
    assert [one for one in asked if "extra ==" not in one] == ["numpy<3,>=2.3"]
    assert any(one.startswith("panel") and 'extra == "app"' in one for one in asked)
    assert {"lab/py.typed", "app/export/artifacts.json", "app/rooms/waves/words.txt"} <= names
    # nothing of the page or of the data stays behind
    here = {
        path.relative_to(PROJECT / "static") for path in (PROJECT / "static").rglob("*") if path.is_file()
    }
    assert {f"embedding_lab_static/{path.as_posix()}" for path in here} <= names


def test_the_core_works_in_an_environment_with_numpy_alone(environment: Path, tmp_path: Path) -> None:
    from lab import __version__

    done = run(environment, "python", "-c", USE.format(version=__version__), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(environment) in done.stdout


def test_the_command_says_what_is_missing(environment: Path, tmp_path: Path) -> None:
    done = run(environment, "embedding-lab", "serve", cwd=tmp_path)
    assert done.returncode == 1
    assert "pip install 'embedding-lab[app]'" in done.stderr


def test_the_command_serves(with_app: Path, tmp_path: Path) -> None:
    lab = Lab(command=("app.cli", "serve"), cwd=tmp_path, python=str(with_app / "bin" / "python"))
    lab.stop()
    assert "Traceback" not in lab.log()


def test_the_command_builds_the_site(with_app: Path, site: Path, tmp_path: Path) -> None:
    """From the wheel the same site comes out as from the checkout."""
    done = run(with_app, "embedding-lab", "export", "--quiet", "--out", str(tmp_path / "dist"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    built = {path.relative_to(tmp_path / "dist") for path in (tmp_path / "dist").rglob("*") if path.is_file()}
    meant = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert {path for path in built if "static" not in path.parts} == {
        path for path in meant if "static" not in path.parts
    }
