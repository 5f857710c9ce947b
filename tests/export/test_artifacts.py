"""Where the site's parts come from: only the locked bytes are accepted, whoever offers them."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from app.export import sources
from app.export.artifacts import Artifact, ArtifactError, Lock, cache_folder, fetch
from app.export.sources import SourceError

RIGHT = b"the right bytes"


@dataclass
class Fake:
    """A source that gives what it is told, and counts."""

    name: str
    content: bytes | None
    asked: list[str] = field(default_factory=list)

    def read(self) -> bytes:
        self.asked.append(self.name)
        if self.content is None:
            raise SourceError("no route to it")
        return self.content


def artifact(*offered: Fake) -> Artifact:
    return Artifact("NumPy", "9.9", "numpy.whl", hashlib.sha256(RIGHT).hexdigest(), offered)


def test_sources_are_tried_in_order_until_one_has_the_right_bytes(tmp_path: Path) -> None:
    asked: list[str] = []
    offered = [Fake("first", None, asked), Fake("second", RIGHT, asked), Fake("third", RIGHT, asked)]
    path = fetch(artifact(*offered), tmp_path)
    assert path.read_bytes() == RIGHT
    assert asked == ["first", "second"]


def test_the_cache_is_asked_before_any_source(tmp_path: Path) -> None:
    (tmp_path / "numpy.whl").write_bytes(RIGHT)
    source = Fake("first", RIGHT)
    fetch(artifact(source), tmp_path)
    assert source.asked == []


def test_a_damaged_file_in_the_cache_is_fetched_anew(tmp_path: Path) -> None:
    (tmp_path / "numpy.whl").write_bytes(RIGHT[:-1])
    assert fetch(artifact(Fake("first", RIGHT)), tmp_path).read_bytes() == RIGHT


def test_wrong_bytes_are_refused_and_never_reach_the_cache(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="not the one in the lock"):
        fetch(artifact(Fake("first", b"something else")), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_error_names_the_part_what_was_tried_and_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        fetch(artifact(Fake("the first place", None), Fake("the second place", b"x")), tmp_path)
    message = str(caught.value)
    for said in (
        "NumPy 9.9",
        "the first place: no route to it",
        "the second place",
        "numpy.whl",
        str(tmp_path),
    ):
        assert said in message
    assert "EMBEDDING_LAB_CACHE" in message


def test_the_cache_folder_is_the_variable_or_in_the_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EMBEDDING_LAB_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("EMBEDDING_LAB_CACHE")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder() == Path("/home/somebody/.cache/embedding-lab")


def pyodide_lock(version: str) -> dict[str, object]:
    entry = {"version": version, "file_name": f"numpy-{version}-wasm32.whl", "sha256": "ab" * 32}
    return {"packages": {"numpy": entry}}


def test_numpys_hash_is_the_one_in_pyodides_own_lock() -> None:
    found = Lock.read().numpy(pyodide_lock("2.4.3"))
    assert found.sha256 == "ab" * 32
    web, carrier = found.sources
    assert isinstance(web, sources.Web)
    assert web.url.endswith("/v314.0.3/full/numpy-2.4.3-wasm32.whl")
    assert isinstance(carrier, sources.Carrier)
    assert carrier.member == "open_webui/frontend/pyodide/numpy-2.4.3-wasm32.whl"


def test_two_locks_that_disagree_are_refused() -> None:
    with pytest.raises(ArtifactError, match=r"names NumPy 2\.5\.0, artifacts\.json 2\.4\.3"):
        Lock.read().numpy(pyodide_lock("2.5.0"))


def test_every_part_of_the_lock_has_a_whole_hash_and_one_version() -> None:
    content = Lock.read().content
    names = [entry["name"].lower() for entry in content["pure"]]
    assert len(names) == len(set(names))
    for entry in (content["pyodide"], *content["pure"]):
        assert len(bytes.fromhex(entry["sha256"])) == 32
        assert entry["version"] in entry["file"]


def test_a_tarball_is_read_by_the_paths_inside_its_package() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        member = tarfile.TarInfo("package/a/b.txt")
        member.size = 2
        tar.addfile(member, io.BytesIO(b"hi"))
    assert sources.read_tarball(buffer.getvalue()) == {"a/b.txt": b"hi"}


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("bokeh-3.9.2-py3-none-any.whl", ["py", "none", "any"]),
        ("pyyaml-6-cp311-cp311-a_x86_64.b_x86_64.whl", ["cp", "cp311", "a_x86_64", "b_x86_64"]),
    ],
)
def test_pip_is_asked_for_the_locked_wheel_whatever_python_runs(file: str, options: list[str]) -> None:
    asked = sources._tags(file)
    assert [
        asked[1],
        asked[3],
        *[value for key, value in pairwise(asked) if key == "--platform"],
    ] == options


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="npm is not installed"):
        sources.Npm("pyodide", "1").read()


def test_a_programs_own_error_is_passed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm notice' >&2\necho 'npm error code E404' >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(SourceError, match="npm failed: npm error code E404"):
        sources.Npm("pyodide", "1").read()


def test_the_lock_is_plain_json_that_names_no_registry() -> None:
    text = json.dumps(Lock.read().content)
    assert "registry" not in text
    assert text.count("https://") == 1
