"""What the page around a figure can ask of it, and what it is told: one language for all doors.

Questions come in one hidden field and answers go out in another, as JSON; static/js/remote.js is the other
side. The same holds for an element, a frame, and a page that is served.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import panel as pn

from app.kit import guard, url
from app.kit import spec as specs
from app.kit.hidden import UNSEEN

ASKS, TELLS = "remote-asks", "remote-tells"
"""Tags of the two hidden fields."""
KEPT = 24
"""Messages that stay in the field: what was told in one breath arrives as one change."""

_TELL = "window.EmbeddingLab?.onTold?.(widget, cb_obj.value)"


class Asked(Protocol):
    """A room, as a page around it sees it."""

    state: Any
    spec: specs.Spec

    def lock(self, names: frozenset[str]) -> None: ...
    def set_from_page(self, values: Mapping[str, Any]) -> None: ...
    def figures_values(self) -> Mapping[str, Any]: ...
    def put_question(self) -> bool: ...
    def offer(self, figure: str) -> Mapping[str, Any]: ...


class Remote:
    """The two fields of a room, and what is done on a request.

    Parameters
    ----------
    room : Asked
    widget_id : str
        By which the page knows whose message it is.
    """

    def __init__(self, room: Asked, widget_id: str) -> None:
        self._room = room
        self._told: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._count = 0
        longest = specs.LARGEST
        self._asks = pn.widgets.TextInput(value="", visible=False, max_length=longest, tags=[UNSEEN, ASKS])
        self._tells = pn.widgets.TextInput(value="", visible=False, max_length=longest, tags=[UNSEEN, TELLS])
        self._asks.param.watch(self._hear, "value")
        self._tells.jscallback(args={"widget": widget_id}, value=_TELL)
        self.parts = [self._asks, self._tells]

    def tell(self, kind: str, **content: Any) -> None:
        """Tell the page around something, after what it was told before."""
        self._count += 1
        self._told.append({"at": self._count, "kind": kind, **content})
        self._tells.value = json.dumps(list(self._told))

    def state(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        state = self._room.state
        settings = url.settings(type(state))
        now = {name: getattr(state, name) for name in settings}
        return {name: value for name, value in now.items() if value != settings[name].default}

    def _hear(self, event: Any) -> None:
        # a page asks again only when it has heard every answer
        self._told = deque((one for one in self._told if one["kind"] != "done"), maxlen=KEPT)
        for request in _requests(event.new):
            try:
                done: Mapping[str, Any] = {"value": self._do(str(request.get("act")), request.get("content"))}
            except Exception as reason:
                done = {"problem": guard.sentence_of(reason)}
            self.tell("done", id=request.get("id"), **done)

    def _do(self, act: str, content: Any) -> Any:
        acts: Mapping[str, Callable[[Any], Any]] = {
            "set": self._set, "lock": self._lock, "reset": self._reset, "values": self._values,
            "ask": lambda _: self._room.put_question(), "state": lambda _: self.state(),
            "offer": lambda figure: {**self._room.offer(str(figure or "")), "state": self.state()},
        }  # fmt: skip
        if act not in acts:
            raise ValueError(f"a figure can be asked to {', '.join(acts)}")
        return acts[act](content)

    def _set(self, content: Any) -> dict[str, Any]:
        if not isinstance(content, dict):
            raise ValueError("set takes an object: the name of a setting and its value")
        settings = url.settings(type(self._room.state))
        values, problems = {}, []
        for name, value in content.items():
            try:
                values[name] = specs.setting(settings, name, value)
            except ValueError as reason:
                problems.append(f"{name}: {reason}")
        self._room.set_from_page(values)
        if problems:
            raise ValueError("; ".join(problems))
        return self.state()

    def _lock(self, content: Any) -> list[str]:
        settings = url.settings(type(self._room.state))
        names = list(settings) if content is True else content or []
        unknown = [name for name in names if name not in settings] if isinstance(names, list) else [names]
        if unknown:
            raise ValueError(f"{unknown[0]}: the settings of this room are {', '.join(settings)}")
        self._room.lock(frozenset(names))
        return sorted(names)

    def _reset(self, _: Any) -> dict[str, Any]:
        settings = url.settings(type(self._room.state))
        usual = {name: item.default for name, item in settings.items()}
        self._room.set_from_page({**usual, **self._room.spec.values})
        return self.state()

    def _values(self, name: Any) -> Any:
        values = self._room.figures_values()
        if name in (None, ""):
            return {name: plain(value) for name, value in values.items()}
        if name not in values:
            raise ValueError(f"there is no value called {name}; there are {', '.join(values)}")
        return plain(values[name])


def _requests(text: str) -> list[Mapping[str, Any]]:
    try:
        requests = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    return [one for one in requests if isinstance(one, dict)] if isinstance(requests, list) else []


def plain(value: Any) -> Any:
    """A value as JSON has it: arrays are lists, and what is no number is null.

    >>> plain((1.0, float("nan"), "a"))
    [1.0, None, 'a']
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str)) or value is None else str(value)
