"""Packing: the same files give the same bytes, and what is compiled still means the same."""

from __future__ import annotations

import ast
import io
import tarfile
import zipfile
from pathlib import Path

from app.export import inside, start
from app.export.pack import stored_zip, tar, write_pack
from app.export.stage import _wanted

FILES = {"a/x.py": b"x = 1\n", "a/y.so": b"\0\1", "b.py": b""}
TURNED = dict(reversed(FILES.items()))


def test_a_tar_is_the_same_whatever_the_order_of_its_files() -> None:
    assert tar(FILES) == tar(TURNED)
    with tarfile.open(fileobj=io.BytesIO(tar(FILES))) as archive:
        read = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    assert read == FILES


def test_a_zip_stores_and_is_the_same_whatever_the_order_of_its_files() -> None:
    assert stored_zip(FILES) == stored_zip(TURNED)
    with zipfile.ZipFile(io.BytesIO(stored_zip(FILES))) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {name: archive.read(name) for name in archive.namelist()} == FILES


def test_a_packs_name_follows_its_bytes(tmp_path: Path) -> None:
    first, again, other = (
        write_pack(tmp_path, "python", text) for text in (b"a" * 999, b"a" * 999, b"b" * 999)
    )
    assert first == again
    assert first.file != other.file
    assert first.raw == 999
    assert first.gzip == (tmp_path / first.file).stat().st_size


def test_stripping_takes_documentation_and_nothing_else() -> None:
    """A function of a docstring alone needs a body, and `from __future__` has to stay first."""
    source = (
        '"""Module."""\nfrom __future__ import annotations\n'
        'def f():\n    """Only this."""\n'
        'class C:\n    """Doc."""\n    x = "kept"\n'
        'async def g():\n    """Doc."""\n    return "kept too"\n'
    )
    tree = ast.parse(source)
    inside._strip_docstrings(tree)
    names: dict[str, object] = {}
    exec(compile(tree, "stripped", "exec"), names)
    f, c = names["f"], names["C"]
    assert f.__doc__ is None
    assert f() is None  # type: ignore[operator]
    assert c.__doc__ is None
    assert c.x == "kept"  # type: ignore[attr-defined]
    assert names.get("__doc__") is None


def test_tests_pictures_and_metadata_of_packages_stay_behind() -> None:
    kept = ["panel/io/state.py", "panel/theme/css/native.css", "bokeh/core/_templates/file.html.jinja"]
    left = [
        "panel/tests/test_x.py",
        "panel/dist/panel.js",
        "bokeh-3.dist-info/RECORD",
        "../../bin/panel",
        "a/__pycache__/b.pyc",
    ]
    assert [name for name in kept + left if _wanted(name)] == kept


class Fetch:
    """Lays a module into the folder it is given, and counts."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0

    def __call__(self, folder: str) -> None:
        self.count += 1
        path = Path(folder) / f"{self.name.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("answer = 42\n")


def test_the_second_archive_is_fetched_once_and_only_for_what_it_holds(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(start, "REST", tmp_path)
    fetch = Fetch("some.where.late")
    finder = start.RestFinder(["some.where.late", "some.where.gone"], fetch)
    assert finder.find_spec("pandas") is None
    assert fetch.count == 0
    found = finder.find_spec("some.where.late", ["/lib/python314.zip/some/where"])
    assert found is not None
    assert found.origin == str(tmp_path / "some/where/late.py")
    assert finder.find_spec("some.where.gone") is None
    assert fetch.count == 1


def test_places_in_memory_are_taken_out_of_a_picture() -> None:
    callback = {"type": "object", "name": "CustomJS", "attributes": {"code": "f()", "tags": [[7]]}}
    figure = {"type": "object", "name": "Figure", "attributes": {"tags": ["kept"], "callbacks": [callback]}}
    inside._forget_places({"roots": [figure]})
    assert callback["attributes"] == {"code": "f()"}
    assert figure["attributes"]["tags"] == ["kept"]
