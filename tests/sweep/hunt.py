"""Draw states of a room, check each, and keep the shortest address of each kind of finding."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import _lru_cache_wrapper
from typing import Any

import param
from hypothesis import HealthCheck, Phase, given, seed, settings

from app.kit import url
from app.kit.room import Room
from app.rooms import ROOMS
from tests.sweep import contract
from tests.sweep.findings import Finding, TooLong, crash, within
from tests.sweep.live import LiveRoom
from tests.sweep.states import states

State = Mapping[str, Any]
FORGOTTEN = ("lab.", "app.rooms")
REMEMBERED = ("lab.data", "lab.vocab", "app.rooms.geometry.model.tables", "lab.training.stored")
"""Files stay open: a page reads each once, whatever its state."""
LONGEST = 2.0
"""Seconds that a view may take."""
LARGEST = 500e6
"""Bytes that making it may hold."""
PATIENCE = 20.0
"""Seconds after which a step is ended."""


def default_state(room: type[Room]) -> dict[str, Any]:
    """The state of an empty address."""
    return {name: item.default for name, item in url.settings(room.State).items()}


def address(room: type[Room], state: State) -> str:
    """The address of a state; where a text is too long for one, the address says so."""
    made = room.State()
    made.param.update(**state)
    query, left_out = url.write(made)
    longer = f" with {', '.join(f'{name}={state[name][:60]!r}…' for name in left_out)}" if left_out else ""
    return f"?room={room.key}{'&' if query else ''}{query}{longer}"


@dataclass(frozen=True)
class Caught:
    """A finding with the state that shows it, and the one before where it takes both."""

    finding: Finding
    room: type[Room]
    state: State
    before: State | None = None

    @property
    def shape(self) -> str:
        """The kind that this is one of."""
        return self.finding.shape

    def __str__(self) -> str:
        after = f" after {address(self.room, self.before)}" if self.before else ""
        return f"{self.finding}\n    {address(self.room, self.state)}{after}"


@dataclass
class Hunt:
    """The findings of one room so far."""

    key: str
    weighs: bool = False
    """Whether time and memory are measured too."""
    found: dict[str, Caught] = field(default_factory=dict)
    drawn: int = 0
    refused: int = 0
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[float, str] = (0.0, "")

    def __post_init__(self) -> None:
        self.room = ROOMS[self.key]
        self.live = LiveRoom(self.room)

    def run(self, examples: int, seeded: int) -> list[Caught]:
        """Check the default, what each question shows, and drawn states; each kind of finding once."""
        for finding in questions(self.room):
            self.found.setdefault(finding.shape, Caught(finding, self.room, default_state(self.room)))
        for state in shown_by_questions(self.room):
            self.visit(state)

        @seed(seeded)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(states(self.room))
        def walk(state: State) -> None:
            self.visit(state)

        walk()
        return [shorten(caught) for caught in self.found.values()]

    def visit(self, state: State) -> None:
        """Check one state and keep what is wrong with it."""
        self.drawn += 1
        found, view = examine(self.live, state)
        self.refused += view is None
        before = self.live.before
        for finding in [*self._weigh(state), *found]:
            known = self.found.get(finding.shape)
            if known is None or len(str(state)) < len(str(known.state)):
                self.found[finding.shape] = Caught(finding, self.room, state, before)

    def _weigh(self, state: State) -> Iterator[Finding]:
        if not self.weighs:
            return
        forget()
        tracemalloc.start()
        # of the process, not of the clock: what else the machine does is no fault of the room
        started = time.process_time()
        try:
            with within(PATIENCE):
                self.room.viewed(state)
        except TooLong as reason:
            yield crash("compute", reason)
        except Exception:
            pass  # `check` has a word on it
        seconds, peak = time.process_time() - started, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.slowest = max(self.slowest, (seconds, address(self.room, state)))
        self.largest = max(self.largest, (float(peak), address(self.room, state)))
        if seconds > LONGEST:
            yield Finding("too slow", "compute", f"{seconds:.1f} s")
        if peak > LARGEST:
            yield Finding("too large", "compute", f"{peak / 1e6:.0f} MB")


def examine(live: LiveRoom, state: State) -> tuple[list[Finding], Any]:
    """All that is wrong in a state, also as the next one of a living room; and its view."""
    try:
        with within(PATIENCE):
            found, view = contract.check(live.kind, state)
            return [*found, *live.move(state, view)], view
    except TooLong as reason:
        return [crash("all of a state", reason)], None


def shorten(caught: Caught) -> Caught:
    """The same finding with the shortest address that shows it."""
    if caught.shape.startswith(("TooLong", "too ")):
        return caught
    shows = _shows(caught)
    if not shows(caught.state):
        return caught
    kept, default = dict(caught.state), default_state(caught.room)
    for name in [name for name in kept if kept[name] != default[name]]:
        tried = {**kept, name: default[name]}
        if shows(tried):
            kept = tried
    for name, item in url.settings(caught.room.State).items():
        if isinstance(item, param.String) and kept[name] != default[name]:
            kept[name] = _cut(kept[name], lambda text, name=name: bool(shows({**kept, name: text})))
    return replace(caught, finding=shows(kept) or caught.finding, state=kept, before=None)


def _shows(caught: Caught) -> Callable[[State], Finding | None]:
    drawn = caught.finding.seen_live
    live = LiveRoom(caught.room)

    def shows(state: State) -> Finding | None:
        try:
            with within(PATIENCE):
                found, view = contract.check(caught.room, state)
                if drawn:
                    found = (live if caught.finding.where != "draw" else LiveRoom(caught.room)).move(
                        state, view
                    )
        except TooLong:
            return None
        return next((finding for finding in found if finding.shape == caught.shape), None)

    return shows


def _cut(text: str, shows: Callable[[str], bool]) -> str:
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            tried = text[:start] + text[start + size :]
            if shows(tried):
                text = tried
                break
        else:
            size //= 2
    return text


def shown_by_questions(room: type[Room]) -> Iterator[State]:
    """The default state, and each state that "Show me" sets."""
    yield default_state(room)
    for question in room.asked:
        if question.show:
            yield {**default_state(room), **question.show}


def questions(room: type[Room]) -> Iterator[Finding]:
    """What is wrong with the questions of a room; they do not depend on its state."""
    asked = room.asked
    if not asked:
        yield Finding("no question", "questions", "")
    for question in asked:
        right, sentence = question.answer()
        options = question.options
        if not 0 <= right < len(options) or len(set(options)) < len(options):
            yield Finding("no right answer, or two alike", "questions", question.prompt)
        if not sentence.endswith("."):
            yield Finding("no sentence", "questions", sentence)
        for text in (question.prompt, sentence, *options):
            for fault in contract.prose.faults(text):
                yield Finding(fault.kind, "questions", fault.around)


def forget() -> None:
    """Empty every cache of the project, so that a view is made and not remembered."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper):
            module = one.__module__ or ""
            if module.startswith(FORGOTTEN) and not module.startswith(REMEMBERED):
                one.cache_clear()
