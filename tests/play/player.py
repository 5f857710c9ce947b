"""Plays for a time: a move, rest, a look, and what must hold after it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Error, Page

from tests.chromium import Watched
from tests.play.doors import Door, Look
from tests.play.expected import Expected
from tests.play.moves import Mover, Pool

SCRIPT = Path(__file__).with_name("page.js")
PATIENCE = 60_000
"""Milliseconds for a room to come to rest: the machine may be busy with other things."""
SETTLE = 5.0
"""Seconds in which a page that is at rest must be right."""
LAST = 12
"""Moves that a finding names."""
WEIGHED = 20
"""Moves between two looks at the memory."""
OF_THE_BROWSER = ("GPU", "WebGL", "willReadFrequently")
"""Warnings that Chromium has of the machine and not of the page."""
LEAVING = ("context was destroyed", "navigat", "Bokeh is not defined")
MOST_HEAP = 150e6
MOST_NODES = 60_000


@dataclass
class Player:
    """One reader on one page."""

    watched: Watched
    door: Door
    seeded: int
    moves: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    memory: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page: Page = self.watched.page
        self.random = Random(self.seeded)
        self.mover = Mover(self.page, self.door, self.random, Pool(self.seeded))
        self.page.add_init_script(path=SCRIPT)
        self.page.context.on("console", self._warned)

    def _warned(self, message: Any) -> None:
        if message.type == "warning" and not any(said in message.text for said in OF_THE_BROWSER):
            self.watched.complaints.append(message.text)

    def play(self, seconds: float, most: int = 10**9) -> None:
        """Make moves until the time is over or something is wrong."""
        end = time.monotonic() + seconds
        self.page.goto(self.door.address("build"))
        self.after("the first page")
        while time.monotonic() < end and not self.findings and len(self.moves) < most:
            self._step()

    def _step(self) -> None:
        room = self.page.evaluate("document.documentElement.dataset.room ?? ''")
        try:
            made = self.mover.move(room)
        except Error as reason:
            made = f"a move that could not be made: {str(reason)[:300]}"
            self.moves.append(f"{made} [{self.page.url}]")
            self.findings.append(made)
            return
        self.after(made)

    def after(self, made: str) -> None:
        """Wait until the page is at rest after a move, and look whether all is right."""
        self.moves.append(made)
        try:
            wrong = self._rested()
        except Error as reason:
            self.findings.append(f"the page does not come to rest: {str(reason)[:500]}")
            self._complain()
            return
        self.moves[-1] += f" [{self.page.url.removeprefix(self.door.origin)}]"
        self.findings += wrong
        self._complain()
        if len(self.moves) % WEIGHED == 0:
            self.findings += self._weigh()

    def _complain(self) -> None:
        self.findings += [f"the page complains: {said}" for said in self.watched.complaints]
        self.findings += [f"the page asks another host: {address}" for address in self.watched.foreign]
        self.findings += [f"the server's log: {said}" for said in self.door.faults()]

    def _rested(self) -> list[str]:
        end = time.monotonic() + SETTLE
        while True:
            try:
                self._settle()
                look: Look = self.page.evaluate("play.look()")
            except Error as reason:
                # a link may still be on its way to the next page
                if any(said in str(reason) for said in LEAVING) and time.monotonic() < end:
                    continue
                raise
            wrong = list(self._wrong(look))
            if not wrong or time.monotonic() > end:
                return wrong

    def _settle(self) -> None:
        # a move may have left the page for another
        self.page.wait_for_load_state("load")
        self.page.wait_for_function(LIVE, timeout=PATIENCE)
        self.page.evaluate(
            "Promise.race([play.rest(), new Promise((_, no) => setTimeout(no, 60000, 'no rest'))])"
        )
        self.page.wait_for_function(LIVE, timeout=PATIENCE)

    def _wrong(self, look: Look) -> Iterator[str]:
        if not look["room"]:
            if not look["home"]:
                yield "the start page is empty"
            return
        if look["state"] != "live" or look["held"]:
            yield f"the room is {look['state']}{' and held' if look['held'] else ''}"
            return
        yield from look["lies"]
        yield from (
            f"an error nobody foresaw: {said}" for said in look["errors"] if "could not be shown" in said
        )
        if look["wide"] > 0:
            yield f"the page is {look['wide']} pixels wider than its window"
        if any("too long for an address" in said for said in look["notices"]):
            return
        expected = Expected(look)
        if look["errors"]:
            # refused: caption and address stay together, the controls hold what was refused
            look = {**look, "models": [], "figures": []}
            yield from (said for said in expected.unlike(look) if said.startswith("the caption"))
            return
        yield from expected.unlike(look)

    def _weigh(self) -> list[str]:
        browser = self.page.context.new_cdp_session(self.page)
        browser.send("HeapProfiler.enable")
        browser.send("HeapProfiler.collectGarbage")
        browser.send("Performance.enable")
        told: dict[str, Any] = {
            one["name"]: one["value"] for one in browser.send("Performance.getMetrics")["metrics"]
        }
        browser.detach()
        heap, nodes = int(told["JSHeapUsedSize"]), int(told["Nodes"])
        self.memory.append((heap, nodes))
        if heap > MOST_HEAP or nodes > MOST_NODES:
            return [f"the page holds {heap / 1e6:.0f} MB and {nodes:,} nodes; it was {self.memory[0]}"]
        return []

    def report(self) -> str:
        """What was done, and what was found with the way to it."""
        head = f"{self.door.name}, seed {self.seeded}: {len(self.moves)} moves"
        if self.memory:
            (first, some), (last, more) = self.memory[0], self.memory[-1]
            head += f", heap {first / 1e6:.0f} to {last / 1e6:.0f} MB, nodes {some:,} to {more:,}"
        if not self.findings:
            return f"{head}, nothing found"
        last_moves = "\n".join(f"    {at}. {made}" for at, made in list(enumerate(self.moves, 1))[-LAST:])
        found = "\n".join(f"  - {said}" for said in self.findings[:8])
        return f"{head}\n{found}\n  last moves:\n{last_moves}\n  address: {self.page.url}"


REST = "Promise.race([play.rest(), new Promise((_, no) => setTimeout(no, 60000, new Error('no answer')))])"
LIVE = """() => {
  const { room } = document.documentElement.dataset;
  if (!room) return !!document.querySelector(".lab-home h1");
  const root = document.getElementById("lab-root");
  if (root) return root.dataset.state === "live" || root.dataset.state === "failed";
  const { EmbeddingLab: lab, Bokeh: bokeh } = window;
  return lab?.started && bokeh?.index?.roots?.length > 0 && bokeh.documents[0]?.is_idle;
}"""
