"""A served lab takes a specification that its page fetches, and speaks with the page around its frame."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page, Route, expect

OpenPage = Callable[..., Page]
FILE = re.compile(r"//[^?]*/course/lesson\.json$")
LESSON = {
    "room": "rope",
    "figure": "score",
    "state": {"m": 4},
    "controls": ["n", "m"],
    "lock": ["m"],
    "title": "Mine <i>alone</i>",
    "caption": "Watch the dot.",
}


def answering(body: str) -> Callable[[Route], Any]:
    return lambda route: route.fulfill(body=body, content_type="application/json")


def test_a_specification_is_fetched_by_the_page(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=nothing")
    page.route(FILE, answering(json.dumps(LESSON)))
    page.goto(f"{lab}?room=rope&spec=/course/lesson.json")
    figure = page.locator(".lab-figure-score")
    expect(figure).to_contain_text("Mine <i>alone</i>")
    expect(figure).to_contain_text("Watch the dot.")
    expect(page.locator(".lab-notices p")).to_have_count(0)
    expect(page.get_by_role("slider").filter(visible=True)).to_have_count(2)
    # what the reader changes goes into the address, which keeps where the rest came from
    page.get_by_role("slider", name="n, position").press("ArrowRight")
    page.wait_for_url("**spec=**n=2**")


def test_what_is_no_specification_is_said_and_the_room_stands(lab: str, open_page: OpenPage) -> None:
    page = open_page(f"{lab}?room=nothing")
    page.route(FILE, answering("<!doctype html>Sign in"))
    page.goto(f"{lab}?room=rope&spec=/course/lesson.json")
    expect(page.locator(".lab-notices p")).to_contain_text("no JSON")
    expect(page.locator(".lab-caption p").first).to_be_visible()


def test_a_frame_of_a_served_lab_speaks_with_its_page(lab: str, open_page: OpenPage) -> None:
    course = open_page(f"{lab}?room=nothing")  # any page: its content is replaced
    held = json.dumps({**LESSON, "lock": []})
    address = f"{lab}?room=rope&embed=1&spec=#spec={quote(held)}"
    course.set_content(
        f"<iframe id=f title=score data-embedding-lab style='width:100%' src='{address}'></iframe>"
    )
    course.add_script_tag(url=f"{lab.rsplit('/', 1)[0]}/assets/js/frame.js")
    inside = course.frame_locator("iframe")
    expect(inside.locator(".lab-figure-score")).to_contain_text("Watch the dot.")
    said = course.evaluate(
        """async () => {
          const told = [];
          const figure = EmbeddingLab.connect(f);
          figure.addEventListener("lab-change", ({ detail }) => told.push([detail.by, detail.state]));
          await figure.ready;
          const state = await figure.set({ n: 2 });
          const refused = await figure.set({ n: "two" }).catch((reason) => reason.message);
          return { state, refused, told, score: (await figure.values("score")).length };
        }"""
    )
    assert said["state"] == {"m": 4, "n": 2}
    assert "n: it takes a whole number" in said["refused"]
    assert said["told"] == [["page", {"m": 4, "n": 2}]]
    assert said["score"] > 10
