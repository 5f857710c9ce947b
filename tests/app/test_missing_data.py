"""A data file that is absent or damaged: a room that needs it says which, and goes on when it is back."""

from __future__ import annotations

import functools
import gc
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import param
import pytest

from app.kit import url
from app.kit.html import Markup
from app.kit.room import Room
from app.rooms import NAMES, ROOMS
from lab import data
from tests.serving import ROOT, Lab, faults
from tests.wire import Wire, connected, fresh_token, model, models, text

FILES = {item.filename for item in data.DATA_FILES.values()}
SHIPPED = ROOT / "static" / "data"
NEEDS = {
    "build": {"minilm_small_int8.npz"},
    "schemes": {"whisper_tiny_en_decpos_f16.npz"},
    "rope": {"smollm2_rope_pack.npz"},
    "context": {"smollm2_rope_pack.npz"},
    "gradient": {"shakespeare.txt"},
    "geometry": {"minilm_small_int8.npz", "smollm2_rope_pack.npz"},
    "train": {"train_runs.npz"},
}
"""What rooms read in the states below, at least."""


def absent(file: Path) -> None:
    file.unlink()


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def half(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def page_of_errors(file: Path) -> None:
    file.write_bytes("<!DOCTYPE html><h1>Anmeldung für Gäste</h1>".encode("latin-1"))


DAMAGES: tuple[Callable[[Path], None], ...] = (absent, folder, half, empty, page_of_errors)


@pytest.fixture
def folder_of_data(tmp_path: Path) -> Iterator[Path]:
    """A copy of the data, with nothing of it opened yet."""
    restore(tmp_path)
    forget()
    data.set_data_root(tmp_path)
    yield tmp_path
    data.set_data_root(None)
    forget()


def restore(root: Path) -> None:
    for name in FILES:
        shutil.copy(SHIPPED / name, root / name)


def remove(root: Path) -> None:
    for name in FILES:
        file = root / name
        if file.is_dir():
            file.rmdir()
        else:
            file.unlink(missing_ok=True)


def forget() -> None:
    """Empty all caches of the project: what was opened before would not be missed."""
    for made in gc.get_objects():
        if isinstance(made, functools._lru_cache_wrapper) and made.__module__.startswith(("lab.", "app.")):
            made.cache_clear()


def queries(room: type[Room]) -> list[str]:
    """Addresses of many states: each choice by itself, and whatever questions show."""
    states: list[dict[str, Any]] = [{}]
    for name, item in url.settings(room.State).items():
        if isinstance(item, param.Selector) and not isinstance(item, param.ListSelector):
            choices = list(item.objects)
            # of long lists, such as models, any two are like the rest
            states += [
                {name: choice} for choice in (choices if len(choices) <= 5 else choices[:: len(choices) - 1])
            ]
    states += [question.show for question in room.asked if question.show]
    found = []
    for values in states:
        state = room.State()
        state.param.update(**values)
        found.append(url.write(state)[0])
    return sorted(set(found))


def said(room: Room) -> str:
    return str(Markup(room._error.pane.object).striptags())


def missed(room: Room) -> set[str]:
    """The files that a room says it misses."""
    return {name for name in FILES if name in said(room)}


@pytest.mark.parametrize("key", NAMES)
def test_a_deep_link_without_its_file_says_which_and_goes_on_when_it_is_back(
    key: str, folder_of_data: Path
) -> None:
    for name in FILES:
        absent(folder_of_data / name)
    made = {query: ROOMS[key](query) for query in queries(ROOMS[key])}
    stuck = {query: room for query, room in made.items() if missed(room)}
    for query, room in made.items():
        # nothing that the address sets is given up for want of a file
        assert not any(name in notice for notice in room._notices for name in FILES)
        assert (said(room) == "") == (query not in stuck)
        assert (room.view is None) == (query in stuck)
    for room in stuck.values():
        assert room._notices == []
        assert str(folder_of_data) not in said(room)
    assert set().union(*map(missed, stuck.values())) >= NEEDS.get(key, set())
    # one state for each file: a damaged one is missed like one that is absent
    examples = {tuple(missed(room)): query for query, room in stuck.items()}.values()
    for query in examples:
        for damage in DAMAGES:
            for name in FILES:
                shutil.copy(SHIPPED / name, folder_of_data / name)
                damage(folder_of_data / name)
            again = ROOMS[key](query)
            assert missed(again) == missed(stuck[query]), damage.__name__
            assert again.view is None
            remove(folder_of_data)
    restore(folder_of_data)
    for query in examples:
        room = stuck[query]
        room.refresh()
        assert said(room) == ""
        assert room.view is not None
        assert room._address.value == query


async def until_shown(wire: Wire) -> str:
    """The caption of the table, once no error is shown; each look is a message to the server and back."""
    for _ in range(1000):
        document = await wire.document()
        caption = text(model(document, "lab-figure-tables"), "lab-caption")
        if not text(document, "lab-errors") and caption:
            return caption
    raise AssertionError(text(document, "lab-errors"))


def test_a_served_page_without_its_file_goes_on_when_it_is_back(tmp_path: Path) -> None:
    for name in ("app", "lab", "static"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "static" / "data" / "whisper_tiny_en_decpos_f16.npz"
    file.unlink()
    lab = Lab(cwd=tmp_path, BOKEH_SECRET_KEY="of this test")

    async def talk(wire: Wire) -> list[str]:
        document = await wire.document()
        said = [text(document, "lab-errors")]
        (select,) = [made for made in models(document) if made["attributes"].get("title") == "Position table"]
        shutil.copy(SHIPPED / file.name, file)
        mine = select["attributes"]["value"]
        labels = [
            option if isinstance(option, str) else option[0] for option in select["attributes"]["options"]
        ]
        for label in (next(label for label in labels if label != mine), mine):
            assert await wire.change(select["id"], "value", label) == "OK"
            said.append(await until_shown(wire))
        return said

    try:
        token = fresh_token(b"of this test")
        error, other, own = connected(lab.address, token, talk, "room=schemes&show=tables&table=whisper")
    finally:
        lab.stop()
    assert file.name in error
    assert other != own
    assert faults(lab.log()) == []
