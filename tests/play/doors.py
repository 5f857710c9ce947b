"""The two doors of the lab, for a player who is to find the same behind both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.export.server import SiteServer
from tests.serving import Lab, faults


@dataclass
class Door:
    """Where a room is, and what has gone wrong behind the door."""

    name: str
    origin: str
    lab: Lab | None = None

    def address(self, room: str, query: str = "") -> str:
        """The address of a room in a state; "" is the start page."""
        if self.lab is None:
            return f"{self.origin}/lab/{f'{room}/' if room else ''}{f'?{query}' if query else ''}"
        parts = [f"room={room}" if room else "", query]
        return f"{self.lab.address}?{'&'.join(part for part in parts if part)}"

    def faults(self) -> list[str]:
        """The exceptions that the server has logged until now, with where they came from."""
        log = self.lab.log() if self.lab else ""
        return [f"{end}, at the end of{log[: log.rindex(end)][-1500:]}" for end in faults(log)]


@contextmanager
def served() -> Iterator[Door]:
    """The lab behind `app.serve`."""
    lab = Lab(command=("tests.play.door",))
    parts = urlsplit(lab.address)
    try:
        yield Door("served", f"{parts.scheme}://{parts.netloc}", lab)
    finally:
        lab.stop()


@contextmanager
def built(site: Path) -> Iterator[Door]:
    """The built site on a host of its own."""
    server = SiteServer({"/lab/": site})
    try:
        yield Door("built", server.origin)
    finally:
        server.close()


def query_of(address: str) -> str:
    """The state in the address of a page, without the room."""
    parts = address.removeprefix("?").split("&")
    return "&".join(part for part in parts if part and not part.startswith("room="))


Look = dict[str, Any]
"""What `play.look` tells of a page."""
