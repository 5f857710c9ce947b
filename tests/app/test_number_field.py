"""A field for a number: what people write is read, or refused with a word."""

from __future__ import annotations

from typing import Any

import param
import pytest
from bokeh.document import Document
from hypothesis import given
from hypothesis import strategies as st
from panel.io.state import set_curdoc

from app.kit import controls
from app.kit.number_field import read, readings
from tests.app.test_kit_guard import Fragile


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5", 2.5),
        ("2,5", 2.5),
        ("−2,5", -2.5),
        (" 12 000 ", 12000),
        ("12\u202f000", 12000),
        ("12'000", 12000),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1234567),
        ("1e4", 10000),
        ("0", 0),
    ],
)
def test_what_people_write_is_read(text: str, value: float) -> None:
    assert read(text, whole=False, low=None, high=None) == value


@pytest.mark.parametrize("text", ["4,096", "4.096", "4096", "4 096", "4096.0", "4.096e3"])
def test_thousands_signs_of_a_whole_number(text: str) -> None:
    assert read(text, whole=True, low=1, high=10**6) == 4096


def test_bounds_decide_between_two_readings() -> None:
    assert read("1,234", whole=False, low=0, high=3.2) == 1.234
    assert read("1,234", whole=False, low=100, high=1e6) == 1234
    with pytest.raises(ValueError, match=r"can mean 1.234 or 1234"):
        read("1,234", whole=False, low=0, high=1e6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "“x” is not a number"),
        ("nan", "not a number"),
        ("1e999", "not a number"),
        ("1,23,4", "not a number"),
        ("2,5", "not a whole number"),
        ("0", "0 is out of range: it takes 1 to 9"),
        ("10", "10 is out of range"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_its_value_and_the_way_out(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text, whole=True, low=1, high=9)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_python_writes_it_is_read(value: float) -> None:
    assert value in readings(repr(value))


@given(st.text(max_size=30))
def test_no_text_breaks_it(text: str) -> None:
    assert all(isinstance(value, float) for value in readings(text))


class Page:
    """A room with its field on a page that sends what is typed."""

    def __init__(self) -> None:
        self.document = Document()
        with set_curdoc(self.document):
            self.room = Fragile()
            self.room.layout.server_doc(self.document, location=False)
        tagged = (model for model in self.document.models if "number:whole,0,100,1" in model.tags)
        self.model: Any = next(tagged)

    def type(self, text: str) -> None:
        event = {"kind": "ModelChanged", "model": {"id": self.model.id}, "attr": "value", "new": text}
        with set_curdoc(self.document):
            self.document.apply_json_patch({"events": [event]}, setter="page")


@pytest.fixture
def page() -> Page:
    return Page()


def test_a_typed_number_reaches_the_state_and_the_field_shows_it_plainly(page: Page) -> None:
    page.type("4,0")
    assert (page.room.state.n, page.model.value) == (4, "4")
    page.room.state.n = 7
    assert page.model.value == "7"


@pytest.mark.parametrize("text", ["", "   ", "x", "101", "2,5", "-1"])
def test_what_is_refused_leaves_the_last_value(page: Page, text: str) -> None:
    page.type("5")
    page.type(text)
    assert (page.room.state.n, page.model.value) == (5, "5")
    said = page.room._notice.pane.object
    assert ("stays at 5" in said) == bool(text.strip())
    assert "<" not in said.replace("<div", "").replace("</div", "").replace("<p", "").replace("</p", "")
    page.type("6")
    assert (page.room.state.n, page.room._notice.pane.object) == (6, '<div role="status"></div>')


def test_what_is_refused_is_never_html(page: Page) -> None:
    page.type("<img src=x>")
    assert "<img" not in page.room._notice.pane.object
    assert "&lt;img" in page.room._notice.pane.object


def test_a_field_keeps_its_parameters_bounds_and_label() -> None:
    class State(param.Parameterized):
        base = param.Number(default=10_000.0, bounds=(1, None), label="Base b")

    field = controls.number(State().param.base)
    assert (field.label, field.value) == ("Base b", 10_000.0)
    assert "number:any,1,,1" in field.tags
