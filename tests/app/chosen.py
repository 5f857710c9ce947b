"""The page's side of chosen files, as static/js/slices.js has it, for tests without a browser."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from app.kit.upload import Files


class FilePage:
    """Chooses files and answers what Python asks, message after message as a page does."""

    def __init__(self, files: Files[Any]) -> None:
        self.held = files._held
        self.turn = 0
        self.asked: list[dict[str, Any]] = []
        self.waiting: list[dict[str, Any]] = []
        self.held.param.watch(self._hear, "placeholder")
        self.contents: list[bytes] = []

    def choose(self, *files: tuple[str, bytes], answers: int | None = None) -> None:
        """Choose files, and answer so many times (all if not told)."""
        self.contents = [content for _, content in files]
        self.turn += 1
        self.waiting.clear()
        self.say(files=[{"name": name, "size": len(content)} for name, content in files])
        self.answer(answers)

    def answer(self, times: int | None = None, part: Callable[[dict[str, Any]], bytes] | None = None) -> None:
        """Answer what is asked; ``part`` gives other bytes than those of the file."""
        while self.waiting and times != 0:
            asked = self.waiting.pop(0)
            start = asked["offset"]
            content = part(asked) if part else self.contents[asked["file"]][start : start + asked["size"]]
            self.say(part=asked["part"], content=base64.b64encode(content).decode())
            times = None if times is None else times - 1

    def say(self, **said: Any) -> None:
        """Say anything."""
        self.held.value = json.dumps({"turn": self.turn, **said})

    def _hear(self, event: Any) -> None:
        self.asked.append(json.loads(event.new))
        self.waiting.append(self.asked[-1])
