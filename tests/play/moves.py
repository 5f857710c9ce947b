"""What the player does next: drawn from a seed, from what the page has to offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from playwright.sync_api import ElementHandle, Page

from app.kit import url
from app.rooms import NAMES, ROOMS
from tests.play.doors import Door
from tests.sweep.states import states

POOL = 40
"""States of each room that addresses and fields are drawn from."""
WEIGHTS = {
    "control": 60,
    "address": 9,
    "tab": 8,
    "question": 8,
    "walk": 6,
    "back": 3,
    "forward": 2,
    "reload": 1,
    "theme": 2,
    "home": 1,
}
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown")
TYPED = (
    "",
    " ",
    "abc",
    "-1",
    "0",
    "1",
    "2,5",
    "1.234,5",
    "12 000",
    "1e99",
    "−3",
    "<b>",
    "nan",
    "９",
    "cat dog",
    "1, 0",
)
RAIL = """one => {
  const { left, width } = one.closest(".noUi-base").getBoundingClientRect();
  return [left, width];
}"""
ARRIVED = "room => document.documentElement.dataset.room === room"


@dataclass
class Pool:
    """States of every room, always the same ones for a seed."""

    seeded: int

    def __post_init__(self) -> None:
        self.states: dict[str, list[Mapping[str, Any]]] = {key: self._draw(key) for key in NAMES}

    def _draw(self, key: str) -> list[Mapping[str, Any]]:
        drawn: list[Mapping[str, Any]] = []

        @seed(self.seeded)
        @settings(
            max_examples=POOL, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
        )
        @given(states(ROOMS[key]))
        def take(state: Mapping[str, Any]) -> None:
            drawn.append(state)

        take()
        return drawn

    def query(self, key: str, random: Random) -> str:
        """The address of one of the states."""
        made = ROOMS[key].State()
        made.param.update(**random.choice(self.states[key]))
        return url.write(made)[0]

    def typed(self, key: str, random: Random) -> str:
        """Something that stands in one of the states, as a reader types it."""
        values = [value for value in random.choice(self.states[key]).values() if value is not None]
        return str(random.choice(values))[:300]


@dataclass
class Mover:
    """Makes one move after the other on a page, and says what it did."""

    page: Page
    door: Door
    random: Random
    pool: Pool

    def move(self, room: str) -> str:
        """Make a move; what it was."""
        controls: list[dict[str, Any]] = self.page.evaluate("play.controls()")
        ways = list(WEIGHTS)
        way = self.random.choices(ways, [WEIGHTS[one] for one in ways])[0]
        if self.page.evaluate("!!document.querySelector('dialog[open]')"):
            self.page.keyboard.press("Escape")
            return "Escape from a dialog"
        if not room and way not in ("back", "forward", "theme", "reload"):
            way = self.random.choice(["walk", "address"])
        made = getattr(self, f"_{way}")(room, controls)
        return f"{way}: {made}"

    def _control(self, room: str, controls: list[dict[str, Any]]) -> str:
        usable = [at for at, one in enumerate(controls) if _usable(one)]
        kinds = sorted({controls[at]["kind"] for at in usable})
        kind = self.random.choice(kinds)
        at = self.random.choice([at for at in usable if controls[at]["kind"] == kind])
        return self._act(room, controls[at], at)

    def _act(self, room: str, one: Mapping[str, Any], at: int) -> str:
        element = self.page.evaluate_handle("at => play.control(at)", at).as_element()
        assert element is not None
        act = {"slider": self._slide, "select": self._select, "text": self._type}.get(one["kind"])
        said = act(room, one, element) if act else self._press(element)
        return f"{one['kind']} ‘{one['group'] or one['label']}’ {said}"

    def _press(self, element: ElementHandle) -> str:
        # a control that is drawn by its label lies under it
        element.evaluate("one => { one.focus(); one.click(); }")
        return str(element.evaluate("one => one.value ?? ''"))[:40]

    def _slide(self, _room: str, _one: Mapping[str, Any], element: ElementHandle) -> str:
        if self.random.random() < 0.7:
            element.focus()
            keys = [self.random.choice(KEYS) for _ in range(self.random.randint(1, 4))]
            for key in keys:
                element.press(key)
            return " ".join(keys)
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        rail = element.evaluate(RAIL)
        share = self.random.random()
        if box is None:
            return "out of sight"
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move(rail[0] + share * rail[1], box["y"] + box["height"] / 2, steps=3)
        self.page.mouse.up()
        return f"dragged to {share:.2f}"

    def _select(self, _room: str, one: Mapping[str, Any], element: ElementHandle) -> str:
        index = self.random.randrange(max(one["options"], 1))
        element.select_option(index=index)
        return f"option {index}"

    def _type(self, room: str, _one: Mapping[str, Any], element: ElementHandle) -> str:
        typed = (
            self.random.choice(TYPED) if self.random.random() < 0.5 else self.pool.typed(room, self.random)
        )
        element.fill(typed)
        key = self.random.choice(["Tab", "Enter"])
        element.press(key)
        return f"{typed!r} {key}"

    def _address(self, _room: str, _controls: list[dict[str, Any]]) -> str:
        key = self.random.choice(list(NAMES))
        query = self.pool.query(key, self.random)
        self.page.goto(self.door.address(key, query))
        return f"?room={key}&{query}"

    def _tab(self, room: str, controls: list[dict[str, Any]]) -> str:
        tabs = [at for at, one in enumerate(controls) if one["tab"]]
        return self._act(room, controls[(at := self.random.choice(tabs))], at) if tabs else "none"

    def _question(self, room: str, controls: list[dict[str, Any]]) -> str:
        show = [at for at, one in enumerate(controls) if one["show"]]
        if show and self.random.random() < 0.6:
            return self._act(room, controls[(at := self.random.choice(show))], at)
        tabs = [at for at, one in enumerate(controls) if one["tab"]]
        if not tabs:
            return "none"
        self._act(room, controls[tabs[-1]], tabs[-1])
        self.page.evaluate("play.rest()")
        asked = [
            one for one in self.page.query_selector_all(".lab-question input[type=radio]") if one.is_enabled()
        ]
        if not asked:
            return "none"
        element = self.random.choice(asked)
        element.evaluate("one => one.click()")
        self.page.evaluate("play.rest()")
        for check in self.page.query_selector_all(".lab-check button"):
            if check.is_enabled():
                check.evaluate("one => one.click()")
                return "answered"
        return "chosen"

    def _walk(self, _room: str, controls: list[dict[str, Any]]) -> str:
        links = [at for at, one in enumerate(controls) if one["kind"] == "link"]
        at = self.random.choice(links)
        element = self.page.evaluate_handle("at => play.control(at)", at).as_element()
        assert element is not None
        room = element.evaluate("link => link.dataset.room ?? new URL(link.href).searchParams.get('room')")
        element.evaluate("link => link.click()")
        if room is not None:
            self.page.wait_for_function(ARRIVED, arg=room)
        return str(controls[at]["label"])

    def _home(self, _room: str, _controls: list[dict[str, Any]]) -> str:
        self.page.locator(".lab-brand").evaluate("link => link.click()")
        self.page.wait_for_function(ARRIVED, arg="")
        return "the start page"

    def _back(self, _room: str, _controls: list[dict[str, Any]]) -> str:
        # beyond the first page of the lab is nothing of ours
        if not self.page.evaluate("navigation.canGoBack"):
            return "nowhere"
        self.page.go_back(wait_until="commit")
        return "one step"

    def _forward(self, _room: str, _controls: list[dict[str, Any]]) -> str:
        if not self.page.evaluate("navigation.canGoForward"):
            return "nowhere"
        self.page.go_forward(wait_until="commit")
        return "one step"

    def _reload(self, _room: str, _controls: list[dict[str, Any]]) -> str:
        self.page.reload()
        return "the page"

    def _theme(self, _room: str, _controls: list[dict[str, Any]]) -> str:
        self.page.locator("[data-tool=theme]").first.evaluate("button => button.click()")
        return "light or dark"


def _usable(one: Mapping[str, Any]) -> bool:
    # files come from a dialog of the system, and links are walks
    return not (one["file"] or one["kind"] == "link" or one["tab"] or one["show"])
