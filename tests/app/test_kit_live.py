"""Kit for work that goes on between clicks: the page's answers, files, spreads and characters on a map."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app.kit import document
from app.kit.document import Page
from app.kit.letters import LetterMap
from app.kit.spread import Spread, legend, span
from app.kit.theme import tokens


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(document, "perf_counter", lambda: now.time)
    return now


def page_in(made: Document) -> Page:
    with set_curdoc(made):
        return Page()


def test_a_page_is_free_when_it_has_drawn_and_rested(clock: SimpleNamespace) -> None:
    page, drawn = page_in(Document()), []
    page.change(lambda: drawn.append(1))
    assert drawn == [1]
    clock.time += 0.3
    assert not page.free()
    page.pane.value = page.pane.placeholder
    # it took .3 s, so it is left alone for .6 s
    clock.time += 0.2
    assert not page.free()
    clock.time += 0.2
    assert page.free()


def test_an_answer_to_an_older_picture_does_not_count(clock: SimpleNamespace) -> None:
    page = page_in(Document())
    page.change(lambda: None)
    older = page.pane.placeholder
    page.change(lambda: None)
    page.pane.value = older
    clock.time += 1.0
    assert not page.free()
    # but nobody waits for ever
    clock.time += document.OVERDUE
    assert page.free()


def test_a_server_is_asked_for_its_lock_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, waiting = Document(), []
    page = page_in(made)
    session = SimpleNamespace(connection_count=1)
    monkeypatch.setattr(Document, "session_context", SimpleNamespace(session=session))
    monkeypatch.setattr(made, "add_next_tick_callback", waiting.append)
    drawn: list[int] = []
    page.change(lambda: drawn.append(1))
    page.change(lambda: drawn.append(2))
    assert (drawn, len(waiting)) == ([], 1)
    waiting[0]()
    page.change(lambda: drawn.append(3))
    assert (drawn, len(waiting)) == ([1], 2)
    assert page.watched()
    session.connection_count = 0
    assert not page.watched()


def test_a_spread_leaves_out_what_is_not_a_number() -> None:
    plot = Spread({"a": ("A", "accent"), "b": ("B", "good")}, own={"own": ("mine", "ink")}, label="x")
    mean = np.array([1.0, 2.0, np.nan])
    plot.set("a", [1, 2, 3], mean, mean - 1, mean + 1)
    assert plot.sources["a"].data == {"x": [1, 2], "y": [1.0, 2.0], "low": [0.0, 1.0], "high": [2.0, 3.0]}
    plot.set("b", [1], np.array([np.nan]), np.array([np.nan]), np.array([np.nan]))
    assert plot.sources["b"].data["x"] == []
    plot.put_forward(("a",))
    assert [plot._bands[key].visible for key in "ab"] == [True, False]
    assert plot._lines["a"].glyph.line_alpha == 1.0
    assert plot._lines["b"].glyph.line_alpha < 1.0


def test_levels_stand_at_the_right_end() -> None:
    plot = Spread({"a": ("A", "accent")}, own={}, label="x")
    plot.set_x(0, 50)
    plot.set_levels([(2.0, "two"), (3.0, "three")])
    assert plot.levels.data == {"x": [50, 50], "y": [2.0, 3.0], "word": ["two", "three"]}


def test_an_axis_holds_all_finite_entries() -> None:
    assert span([np.array([1.0, np.nan]), np.array([3.0, np.inf])], room=0.5) == (0.0, 4.0)
    assert span([np.array([2.0])], room=0.5) == (1.5, 2.5)


def test_a_legend_names_every_line_in_its_colour() -> None:
    said = legend([("A", "accent")], [("<mine>", "ink", "dotted")])
    assert '<span style="--c:var(--accent)"><i class="lab-key-line"></i>A</span>' in said
    assert '<i class="lab-key-dotted"></i>&lt;mine&gt;' in said


def test_letters_stand_for_themselves_in_the_colour_of_their_class() -> None:
    plot = LetterMap({"one": "accent", "two": "bad", "three": "good"}, label="x")
    plot.set([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [" ", "\n", "\x00"], ["three", "one", "two"])
    assert plot.source.data["sign"] == ["␣", "↵", "␀"]
    assert plot.source.data["kind"] == [2, 0, 1]
    mapper = plot.figure.renderers[0].glyph.fill_color.transform
    ends = [mapper.palette[round(kind / 2 * 255)] for kind in range(3)]
    assert ends == [tokens()[name] for name in ("accent", "bad", "good")]
    assert mapper.tags == ["palette:accent,bad,good"]
