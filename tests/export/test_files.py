"""What the built site holds, and what it does not."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.export

LIMIT = 12_000_000


@pytest.fixture(scope="module")
def manifest(site: Path) -> dict[str, Any]:
    return json.loads((site / "manifest.json").read_text())


def unpacked(site: Path, pack: dict[str, Any]) -> Iterator[str]:
    content = gzip.decompress((site / "static" / "python" / pack["file"]).read_bytes())
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        yield from tar.getnames()


def test_every_room_is_live_within_the_limit(manifest: dict[str, Any]) -> None:
    """The bytes of a first visit, as a server that compresses sends them; data files come on demand."""
    totals = {room: parts["total"]["gzip"] for room, parts in manifest["until_live"].items()}
    assert set(totals) == set(manifest["rooms"])
    assert {room: total for room, total in totals.items() if total > LIMIT} == {}


def test_the_total_is_the_sum_of_what_lies_there(site: Path, manifest: dict[str, Any]) -> None:
    """Each pack's size in the manifest is that of its file, and unpacks to the size that it says."""
    packs = [
        *manifest["packs"].values(),
        *(pack for needed in manifest["room_packs"].values() for pack in needed),
    ]
    for pack in packs:
        content = (site / "static" / "python" / pack["file"]).read_bytes()
        assert len(content) == pack["gzip"]
        assert len(gzip.decompress(content)) == pack["raw"]
    for parts in manifest["until_live"].values():
        assert sum(part["gzip"] for name, part in parts.items() if name != "total") == parts["total"]["gzip"]


def test_no_dead_weight_is_packed(site: Path, manifest: dict[str, Any]) -> None:
    names = list(unpacked(site, manifest["packs"]["python"]))
    packages = {
        match[1] for name in names if (match := re.match(r"lib/python3\.14/site-packages/(\w+)", name))
    }
    assert {"bokeh", "panel", "param", "numpy", "pyodide_http"} <= packages
    assert not packages & {
        "pandas",
        "tornado",
        "PIL",
        "contourpy",
        "nh3",
        "requests",
        "narwhals",
        "xyzservices",
    }
    assert [name for name in names if "/tests/" in name or "/dist/" in name or name.endswith(".py")] == []


def test_rooms_and_the_builder_are_not_in_what_everybody_loads(site: Path, manifest: dict[str, Any]) -> None:
    names = set(unpacked(site, manifest["packs"]["python"]))
    assert {"lab/app/export/runtime.pyc", "lab/app/shell.pyc", "lab/rest.txt"} <= names
    assert not {name for name in names if "app/export/site" in name or "app/export/artifacts" in name}
    if len(manifest["rooms"]) > 1:
        assert not {name for name in names if re.match(r"lab/app/rooms/\w+/", name)}


def test_the_second_archive_has_a_source_for_every_module_that_may_be_missed(
    site: Path, manifest: dict[str, Any]
) -> None:
    rest = set(unpacked(site, manifest["packs"]["rest"]))
    assert {"xyzservices/__init__.py", "narwhals/__init__.py"} <= rest
    for needed in manifest["room_packs"].values():
        for pack in needed:
            for name in unpacked(site, pack):
                source = re.sub(r"^lab/|^lib/python3\.14/site-packages/", "", name)
                if source.endswith(".pyc"):
                    assert source.removesuffix("c") in rest


def test_the_library_is_a_zip_that_stores(site: Path, manifest: dict[str, Any]) -> None:
    content = (site / "static" / "python" / manifest["packs"]["library"]["file"]).read_bytes()
    with zipfile.ZipFile(io.BytesIO(gzip.decompress(content))) as library:
        assert "encodings/__init__.pyc" in library.namelist()
        assert {info.compress_type for info in library.infolist()} == {zipfile.ZIP_STORED}


def test_every_page_is_there_with_its_picture(site: Path, manifest: dict[str, Any]) -> None:
    for room in manifest["rooms"]:
        page = (site / room / "index.html").read_text(encoding="utf-8")
        picture = re.search(r'<script type="application/json" id="lab-first">(.*?)</script>', page)
        assert picture is not None
        assert json.loads(picture[1]) == json.loads((site / room / "doc.json").read_text(encoding="utf-8"))
    assert "lab-first" not in (site / "index.html").read_text(encoding="utf-8")


def test_our_own_pages_scripts_and_sheets_name_no_other_host(site: Path) -> None:
    """Addresses that are names and never fetched: name spaces of MathML and SVG, and xAPI's verbs."""
    files = [
        *site.glob("**/*.html"),
        *site.glob("*/doc.json"),
        *site.glob("static/js/*"),
        *site.glob("static/page-*/*/*"),
    ]
    assert len(files) > 20
    for path in files:
        hosts = set(re.findall(r"https?://([\w.-]+)", path.read_text(encoding="utf-8")))
        assert hosts <= {"www.w3.org", "adlnet.gov"}, path


def test_the_drawing_scripts_come_in_the_order_that_they_need(site: Path, manifest: dict[str, Any]) -> None:
    """Panel's models extend those of the tables."""
    page = (site / manifest["rooms"][0] / "index.html").read_text(encoding="utf-8")
    order = re.findall(r'<script defer src="\.\./static/((?:bokeh|panel)/[\w./-]+)"', page)
    assert order == [script["file"] for script in manifest["scripts"]]
    assert [path.rpartition("/")[2] for path in order][2:] == ["bokeh-tables.min.js", "panel.min.js"]
