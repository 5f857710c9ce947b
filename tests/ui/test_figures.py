"""Pictures on a canvas: drawn where a reader sees them, and their marks end where the picture does."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import OpenPage

FIGURES = """const figures = () => {
  const found = [];
  const walk = (view) => {
    if (view.model.type === "Figure" && view.el.checkVisibility()) found.push(view);
    for (const child of view.children?.() ?? []) walk(child);
  };
  for (const root of Bokeh.index.roots) walk(root);
  return found;
};
const ink = (layer, left, width) => {
  const { canvas } = layer;
  const scale = canvas.width / canvas.getBoundingClientRect().width;
  const pixels = canvas.getContext("2d").getImageData(left * scale, 0, width * scale, canvas.height).data;
  return pixels.some((value, place) => place % 4 === 3 && value > 0);
};
"""


def ask(page: Page, code: str, *values: Any) -> Any:
    return page.evaluate(f"(values) => {{ {FIGURES} {code} }}", list(values))


def test_a_figure_out_of_sight_is_drawn_when_it_comes_into_sight(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=waves", viewport={"width": 1100, "height": 500})
    # both are made once they have been seen
    for key in ("rows", "wavelengths"):
        page.locator(f".lab-figure-{key}").scroll_into_view_if_needed()
        expect(page.locator(f".lab-figure-{key} .lab-caption p")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    waits = "figures().map((view) => view.model.hold_render)"
    page.wait_for_function(f"() => {{ {FIGURES} return {waits}.at(-1) && !{waits}[0]; }}")
    ask(
        page,
        """
        window.painted = figures().map(() => 0);
        figures().forEach((view, place) => view.repainted.connect(() => { window.painted[place] += 1; }));
        """,
    )
    # whatever the first picture sets off has been drawn by the time of the third
    for count in range(3):
        page.evaluate("window.before = painted[0]")
        page.get_by_role("slider", name="Width D").press("ArrowLeft" if count % 2 else "ArrowRight")
        page.wait_for_function("painted[0] > before")
    assert page.evaluate("painted.at(-1)") == 0
    ask(page, "figures().at(-1).el.scrollIntoView()")
    page.wait_for_function("painted.at(-1) > 0")
    assert ask(page, "return ink(figures().at(-1).canvas_view.primary, 0, 200)")


def range_of(page: Page) -> list[float]:
    found: list[float] = ask(page, "const { x_range: x } = figures()[0].model; return [x.start, x.end]")
    return found


@pytest.mark.parametrize("by", ["button", "double click"])
def test_a_drag_looks_closer_and_there_is_a_way_back(lab: str, open_page: OpenPage, by: str) -> None:
    page = open_page(f"{lab}?room=rope&figure=score")
    expect(page.locator(".lab-caption p")).to_be_visible()
    button = page.get_by_role("button", name="Whole figure")
    page.wait_for_function(f"() => {{ {FIGURES} return figures()[0]?.model.hold_render === false; }}")
    whole = range_of(page)
    expect(button).to_have_count(0)
    x, y, width = ask(
        page,
        """
        const [view] = figures(), box = view.el.getBoundingClientRect(), { bbox } = view.frame;
        return [box.left + bbox.left, box.top + bbox.top + bbox.height / 2, bbox.width];
        """,
    )
    page.mouse.move(x + width / 4, y)
    page.mouse.down()
    page.mouse.move(x + width / 2, y + 4, steps=4)
    page.mouse.up()
    expect(button).to_be_visible()
    assert ask(page, "return figures()[0].el.role") == "group"
    start, end = range_of(page)
    assert whole[0] < start < end < whole[1]
    # the distance moves on, and the part that is looked at stays
    said = page.locator(".lab-caption p").inner_text()
    page.get_by_role("slider", name="m, position").press("ArrowRight")
    expect(page.locator(".lab-caption p")).not_to_have_text(said)
    assert range_of(page) == [start, end]
    if by == "button":
        button.click()
    else:
        page.mouse.dblclick(x + 100, y)
    expect(button).to_have_count(0)
    assert ask(page, "return figures()[0].el.role") == "img"
    assert range_of(page) == whole


def test_a_finger_on_a_figure_scrolls_the_page(lab: str, open_page: OpenPage) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = open_page(f"{lab}?room=rope&figure=score", **phone)
    expect(page.locator(".lab-caption p")).to_be_visible()
    ways = ask(
        page,
        """
        return figures().map((view) => getComputedStyle(view.canvas_view.events_el).touchAction);
        """,
    )
    assert set(ways) == {"auto"}


def test_a_mark_beyond_the_shown_range_is_not_drawn(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=rope&figure=score", viewport={"width": 1100, "height": 860})
    expect(page.locator(".lab-caption p")).to_be_visible()
    page.wait_for_function(f"() => {{ {FIGURES} return figures()[0]?.model.hold_render === false; }}")
    left, within = ask(
        page,
        """
        const view = figures()[0];
        const marks = view.model.renderers.filter((one) => one.level === "overlay");
        const [x] = marks[0].data_source.data.x;
        const frame = view.frame.bbox;
        const [start, end] = [x + 2, x + 100];
        view.model.x_range.setv({ start, end }, { sync: false });
        view.paint();
        const layer = view.canvas_view.overlays;
        return [ink(layer, 0, frame.left - 1), ink(layer, frame.left, frame.width)];
        """,
    )
    # the line is cut off at the frame, the word beside it is still in sight
    assert (left, within) == (False, True)


def test_lines_keep_their_colours_where_the_system_sets_its_own(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=mistakes", forced_colors="active")
    expect(page.locator(".lab-caption p")).to_be_visible()
    page.wait_for_function(f"() => {{ {FIGURES} return figures()[0]?.model.hold_render === false; }}")
    found = ask(
        page,
        """
        const colours = figures()[0].model.renderers.map((one) => one.glyph?.line_color?.value);
        return [...new Set(colours.filter(Boolean))];
        """,
    )
    assert len(found) > 1


def test_a_figure_behind_a_tab_is_out_of_sight(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=context&show=scores")
    for tab, key in (("Scores", "scores"), ("New angles", "angles"), ("Scores", "scores")):
        page.get_by_role("radio", name=tab, exact=True).check(force=True)
        expect(page.locator(f".lab-figure-{key} .lab-caption p")).to_be_visible()
        expect(page.locator(".lab-figure h2").filter(visible=True)).to_have_count(1)
        expect(page.locator(".lab-drawer").filter(visible=True)).to_have_count(1)


def test_a_question_leads_to_a_figure_far_below_the_top(lab: str, open_page: OpenPage) -> None:
    """Behind a tab under two open figures, it is nowhere when the reader asks for it."""
    page = open_page(f"{lab}?room=gradient")
    page.get_by_role("checkbox", name="Check yourself", exact=True).check(force=True)
    question = page.locator(".lab-question").nth(2)
    question.get_by_role("radio").first.check(timeout=20_000)
    question.get_by_role("button", name="Check").click()
    question.get_by_role("button", name="Show me").click(timeout=20_000)
    page.wait_for_url("**closer=row**", timeout=20_000)
    expect(page.locator(".lab-figure-row h2")).to_be_in_viewport(timeout=20_000)
    expect(page.locator("h1")).not_to_be_in_viewport()
