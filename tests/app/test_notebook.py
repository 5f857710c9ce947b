"""A figure in a notebook, without one: what it tells and hears, and a room in somebody's Panel app."""

from __future__ import annotations

import gc
import gzip
import json
import re
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import panel as pn
import pytest
from bokeh.models.ui import UIElement
from traitlets import TraitError

from app.kit import url
from app.notebook import EmbeddingFigure, EmbeddingRoom, files
from app.rooms import ROOMS
from tests.hosted import Told, tell_all

Made = Any


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_all(monkeypatch)


@pytest.fixture
def fig() -> Iterator[Made]:
    made = EmbeddingFigure("rope", figure="score", theta=0.5)
    yield made
    made.close()


def say(made: Made, kind: str, view: str = "one", **more: Any) -> None:
    made.comm.hear({"method": "custom", "content": {"type": kind, "view": view, **more}})


def drawn(made: Made, view: str = "one") -> dict[str, Any]:
    """The document as a page gets it."""
    for kind in ("open", "draw", "drawn"):
        say(made, kind, view)
    (content, (packed,)) = made.comm.custom("document")[-1]
    assert content["view"] == view
    described: dict[str, Any] = json.loads(gzip.decompress(packed))
    return described


def slider(described: dict[str, Any], title: str) -> str:
    """The id of a slider's model."""
    found = [one for one in _objects(described) if one["attributes"].get("title") == title]
    return str(found[0]["id"])


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.get("type") == "object" and "attributes" in value:
            yield value
        for part in value.values():
            yield from _objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part)


def move(made: Made, described: dict[str, Any], value: float, view: str = "one") -> None:
    """Do as a reader who moves the slider of theta."""
    model = {"id": slider(described, "θ, radians per position")}
    event = {"kind": "ModelChanged", "model": model, "attr": "value", "new": value}
    say(made, "patch", view, patch=json.dumps({"events": [event]}))


# --- settings


@pytest.mark.parametrize("room", list(ROOMS))
def test_every_setting_is_an_attribute_or_stands_in_the_state(room: str) -> None:
    made = EmbeddingFigure(room)
    settings = url.settings(ROOMS[room].State)
    assert set(made.state) == set(settings)
    apart = {name for name in settings if not made.has_trait(name)}
    assert apart == ({"close"} if room == "train" else set())
    for name in set(settings) - apart:
        assert getattr(made, name) == getattr(made._link.room.state, name)
    before = made.state
    made.state = dict(before)
    assert made.state == before
    json.dumps(before)
    made.close()


def test_what_is_set_is_shown_and_what_is_shown_is_set(fig: Made) -> None:
    seen: list[float] = []
    fig.observe(lambda change: seen.append(change["new"]), "theta")
    described = drawn(fig)
    fig.theta = 1.0
    assert fig._link.room.view["score"].moved.score == pytest.approx(np.cos(2.0))
    assert fig.query == "theta=1.0"
    move(fig, described, 0.25)
    assert fig.theta == fig.state["theta"] == 0.25
    fig.state = {"m": 5}
    assert (fig.m, fig.theta) == (5, 0.5)
    assert seen == [1.0, 0.25, 0.5]


def test_numbers_of_numpy_and_other_spellings_are_taken(fig: Made) -> None:
    fig.theta, fig.m, fig.base = np.float32(0.5), np.int64(7), 100.0
    assert (fig.theta, fig.m, fig.base) == (0.5, 7, 100)
    assert isinstance(fig.base, int)
    fig.q = np.array([1.0, 2.0])
    assert fig.q == "1.0,2.0"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"theta": 9}, r"theta is 9, but it takes a number from 0 to 3\.2"),
        ({"d": 7}, r"d is 7, but it takes one of 2, 4, 8"),
        ({"thetta": 1}, r"rope has no setting 'thetta'; it has turn, theta"),
        ({"q": "1, 2, 3"}, r"q holds 3 numbers"),
        ({"figure": "scores"}, r"figure=scores, but the figures of this room are hands, score"),
        ({"hide": ["legend"]}, r"hide=legend, but it takes a list of controls"),
        ({"query": "theta=nine"}, r"theta=nine, but it takes a number"),
    ],
)
def test_what_is_bad_is_refused_by_name(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(TraitError, match=said):
        EmbeddingFigure("rope", **settings)


def test_a_room_that_is_not_there_is_refused() -> None:
    with pytest.raises(TraitError, match=r"There is no room 'roap'\. The rooms are build"):
        EmbeddingFigure("roap")
    with pytest.raises(ValueError, match="There is no room 'roap'"):
        EmbeddingRoom("roap")


def test_a_refused_value_changes_nothing(fig: Made) -> None:
    fig.q = "2, 1"
    for name, value in {"theta": 9, "q": "1, 2, 3"}.items():
        before = fig.state
        with pytest.raises(TraitError, match=name):
            setattr(fig, name, value)
        assert fig.state == before
        assert getattr(fig, name) == before[name]
    with pytest.raises(TraitError, match="no setting 'x'"):
        fig.state = {"x": 1}
    assert fig.q == "2, 1"


# --- documents and patches


def test_one_change_is_one_message_and_does_not_come_back(fig: Made) -> None:
    described = drawn(fig)
    count = len(fig.comm.custom("patch"))
    fig.theta = 1.0
    (told, _) = fig.comm.custom("patch")[-1]
    assert len(fig.comm.custom("patch")) == count + 1
    assert told["from"] is None
    move(fig, described, 0.3)
    ours = slider(described, "θ, radians per position")
    events = json.loads(fig.comm.custom("patch")[-1][0]["patch"])["events"]
    assert events
    assert not [one for one in events if one.get("attr") == "value" and one["model"]["id"] == ours]
    assert fig.comm.custom("done")[-1][0]["view"] == "one"


def test_two_places_of_one_figure_follow_each_other(fig: Made) -> None:
    described = drawn(fig)
    drawn(fig, "two")
    move(fig, described, 0.3, "two")
    model = slider(described, "θ, radians per position")
    (heard,) = [told for told, _ in fig.comm.custom("patch") if told["from"] == "two"]
    assert [one["new"] for one in json.loads(heard["patch"])["events"] if one["model"]["id"] == model] == [
        0.3
    ]
    # who comes later draws what is there by then
    later = drawn(fig, "three")
    (shown,) = [one for one in _objects(later) if one["id"] == model]
    assert shown["attributes"]["value"] == 0.3


def test_arrays_go_as_bytes(fig: Made) -> None:
    drawn(fig)
    fig.theta = 1.0
    with_bytes = [(told, buffers) for told, buffers in fig.comm.custom("patch") if buffers]
    assert with_bytes
    for told, buffers in with_bytes:
        assert len(told["ids"]) == len(buffers)
        assert all(f'"id": "{one}"' in told["patch"] for one in told["ids"])


def test_a_figure_that_no_page_shows_sends_nothing(fig: Made) -> None:
    fig.theta = 1.0
    assert not fig.comm.custom("patch")
    drawn(fig)
    say(fig, "left")
    count = len(fig.comm.custom("patch"))
    fig.theta = 0.7
    assert len(fig.comm.custom("patch")) == count


def test_what_fails_in_a_change_is_said_in_the_room(fig: Made) -> None:
    drawn(fig)
    say(fig, "patch", patch="{}")
    assert "could not be shown" in fig._link.room._error.pane.object
    assert fig.comm.custom("done")
    fig.theta = 1.0
    assert not fig._link.room._error.pane.visible
    # and the page hears of it
    (told, _) = fig.comm.custom("patch")[-1]
    assert "0.416" in told["patch"]


def test_pages_may_be_heard_in_another_thread(fig: Made) -> None:
    """JupyterLab and Notebook hear widgets in a thread beside the one that runs cells."""
    described = drawn(fig)
    say(fig, "patch", patch="{}")
    thread = threading.Thread(target=move, args=(fig, described, 0.3))
    thread.start()
    thread.join()
    assert fig.theta == 0.3
    assert fig._link.document.callbacks.hold_value is None
    fig.theta = 1.0
    assert "0.416" in fig.comm.custom("patch")[-1][0]["patch"]


def test_a_closed_figure_is_freed() -> None:
    made = EmbeddingFigure("rope", figure="score")
    drawn(made)
    line: Told = made.comm
    document = weakref.ref(made._link.document)
    made.close()
    assert not made._link.document.roots
    line.hear({"method": "custom", "content": {"type": "draw", "view": "one"}})
    del made, line
    gc.collect()
    assert document() is None


def test_names_of_models_are_nobody_elses(fig: Made) -> None:
    from bokeh.settings import settings

    assert not re.fullmatch(r"p\d+", drawn(fig)["roots"][0]["id"])
    assert settings.simple_ids()


# --- what a page gets


def test_all_that_a_page_needs_comes_from_the_wheel(fig: Made) -> None:
    say(fig, "open")
    (about, _) = fig.comm.custom("about")[-1]
    names = [name for name, _ in about["scripts"]]
    for name in [*names, "page"]:
        say(fig, "file", name=name)
        (_, (packed,)) = fig.comm.custom("content")[-1]
        assert len(gzip.decompress(packed)) > 1000
    with pytest.raises(ValueError, match="cannot have the file"):
        files.packed("../secret")
    # a notebook server lets 3 MB through within 3 s
    assert sum(len(files.packed(name)) for name in [*names, "page"]) < 1_500_000


@pytest.mark.parametrize("room", list(ROOMS))
def test_no_address_of_another_host_is_left(room: str) -> None:
    made = EmbeddingFigure(room)
    text = json.dumps(drawn(made))
    named = set(re.findall(r"%PANEL%([\w./-]+)", text))
    assert named <= set(files.sheets())
    addresses = {one["attributes"]["url"] for one in _objects(json.loads(text)) if "url" in one["attributes"]}
    assert {one for one in addresses if not one.startswith("%PANEL%")} == set()
    made.close()


def test_modules_come_after_what_they_import() -> None:
    seen: set[str] = set()
    for name, text in files.modules("kernel.js"):
        assert set(re.findall(r"""from ["']\./([\w-]+\.js)""", text)) <= seen
        assert "import.meta" not in text
        seen.add(name)


def test_pages_without_widgets_get_html() -> None:
    made = EmbeddingFigure("rope", figure="score", theta=0.5, site="https://your.site/lab")
    html = made._repr_mimebundle_()[0]["text/html"]
    assert '<script src="https://your.site/lab/static/js/embed.js"></script>' in html
    assert '<embedding-lab room="rope" figure="score"' in html
    made.theta = 1.0
    assert 'state="theta=1.0"' in made._repr_mimebundle_()[0]["text/html"]
    made.site = ""
    assert "live in a notebook with a kernel" in made._repr_mimebundle_()[0]["text/html"]
    made.close()


# --- a room in somebody's Panel app


def test_a_room_brings_its_styles_and_leaves_others_alone() -> None:
    made = EmbeddingRoom("rope", "theta=.9&figure=score")
    theirs = pn.widgets.Button(label="theirs")
    root = pn.Row(made, theirs).get_root()
    sheets = {
        model: [getattr(one, "css", one) for one in model.stylesheets]
        for model in root.select({"type": UIElement})
    }
    (button,) = (model for model in sheets if getattr(model, "label", "") == "theirs")
    assert not any("lab-" in str(one) for one in sheets[button])
    assert not any("lab-" in str(one) for one in sheets[root])
    rooms = [model for model in sheets if "lab-room" in model.css_classes]
    assert len(rooms) == 1
    assert any("lab-figure" in str(one) for one in sheets[rooms[0]])
    (home,) = (model for model in sheets if "lab-theme" in model.css_classes)
    assert any(":host(.lab-theme) {" in str(one) for one in sheets[home])


def test_its_state_is_there_for_the_app() -> None:
    made = EmbeddingRoom("rope", "theta=.9")
    made.room.state.theta = 1.0
    assert made.room.view is not None
    assert made.room.view["score"].moved.score == pytest.approx(np.cos(2.0))


def test_a_specification_brings_data_and_words() -> None:
    spec = {"data": {"q": [1.0, 0.5], "k": [0.8, 0.2]}, "title": "Mine", "lock": ["m"]}
    fig = EmbeddingFigure("rope", figure="score", m=4, spec=spec)
    assert fig.m == 4
    assert fig._link.room.view["score"].curve.total[0] == pytest.approx(0.9)
    with pytest.raises(TraitError, match=r"data\.E"):
        EmbeddingFigure("rope", spec={"data": {"E": [[1]]}})
    fig.close()
