"""The specification of a figure: all that a teacher can ask of one, as a JSON object.

It says more than an address: her own data, which controls there are and which are locked, a question, her own
words. Each part is read by itself; what is wrong with one is said with its path, and disturbs no other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import param

from app.kit import url
from app.kit.html import shorten, visible

LARGEST = 2_000_000
"""Characters of a specification: a table of 1,000 rows of 128 numbers, and a long text."""
OPENS = ("formula", "numbers", "code")
LONGEST_SENTENCE = 2_000


class Reader(Protocol):
    """What a room reads one part of a teacher's data with; a ValueError says what it takes."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The same in JSON Schema."""
        ...

    def __call__(self, value: Any, /) -> Any: ...


@dataclass(frozen=True)
class Option:
    """One answer that a teacher offers: when it is right, and what is said of it."""

    text: str
    when: str = ""
    why: str = ""


@dataclass(frozen=True)
class Asked:
    """A teacher's question: the right option is given, or the first whose expression holds in the figure."""

    prompt: str
    options: tuple[Option, ...]
    right: str = ""
    show: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Spec:
    """A specification, read against a room. Empty it asks for nothing."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """For the State, by name."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The teacher's own data, by the name of the State's parameter that holds it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """As an address has them: figure, hide, theme."""
    controls: tuple[str, ...] | None = None
    """The settings whose controls are shown, in this order; None is all in the room's own."""
    lock: frozenset[str] = frozenset()
    opened: tuple[str, ...] | None = None
    """What is open behind the figure from the start; None is as usual."""
    question: str | Asked | None = None
    """The key of one of the room's own questions, or the teacher's."""
    title: str | None = None
    caption: str | None = None
    problems: tuple[str, ...] = ()


NOTHING = Spec()


def load(text: str) -> dict[str, Any]:
    """The object that a specification's text holds.

    Raises
    ------
    ValueError
        If it is none; the sentence says where reading ended.
    """
    if len(text) > LARGEST:
        raise ValueError(f"the specification has {len(text):,} characters; at most {LARGEST:,} are read")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"the specification is no JSON: {error.msg} in {where}") from error
    except RecursionError as error:
        raise ValueError("the specification has too many brackets inside each other") from error
    if not isinstance(document, dict):
        raise ValueError("the specification is no JSON object: it begins with { and names a room")
    return document


def read(
    text: str,
    state: type[param.Parameterized],
    given: Mapping[str, Reader],
    figures: Collection[str] = (),
    questions: Collection[str] = (),
) -> Spec:
    """Read a specification's text against a room.

    Parameters
    ----------
    text : str
        JSON; "" asks for nothing.
    state : type of param.Parameterized
        The room's State.
    given : mapping of str to callable
        How the room reads each part of a teacher's data.
    figures, questions : collection of str
        Keys of what the room has.

    Returns
    -------
    Spec
        What is wrong is in its ``problems``, and left out of the rest.
    """
    if not text:
        return NOTHING
    try:
        document = load(text)
    except ValueError as error:
        said = str(error)
        return Spec(problems=(f"{said[0].upper()}{said[1:]}.",))
    return _Reading(state, given, figures, questions).read(document)


class _Reading:
    """One specification against one room."""

    def __init__(
        self,
        state: type[param.Parameterized],
        given: Mapping[str, Reader],
        figures: Collection[str],
        questions: Collection[str],
    ) -> None:
        self._given = given
        self._settings = url.settings(state)
        self._figures, self._questions = figures, questions
        self._problems: list[str] = []

    def read(self, document: Mapping[str, Any]) -> Spec:
        """Part by part; the names are those of the published schema."""
        known = {name: getattr(self, f"_{name}") for name in PARTS}
        parts: dict[str, Any] = {}
        for name, content in document.items():
            if name not in {"room", "$schema", *known}:
                self._wrong(name, content, f"a specification has {', '.join(('room', *known))}")
            elif name in known and content is not None:
                parts.update(self._attempt(name, content, known[name]))
        options: dict[str, Any] = {
            name: parts.pop(name) for name in ("figure", "hide", "theme") if name in parts
        }
        return replace(Spec(**parts), options=options, problems=tuple(self._problems))

    def _attempt(self, path: str, content: Any, take: Callable[[Any], Any]) -> dict[str, Any]:
        try:
            taken: dict[str, Any] = take(content)
        except ValueError as error:
            self._wrong(path, content, str(error))
            return {}
        return taken

    def _wrong(self, path: str, content: Any, reason: str) -> None:
        said = visible(content if isinstance(content, str) else json.dumps(content, default=str), 40)
        self._problems.append(f"The specification says {visible(path, 60)}: {said}, but {reason}.")

    # each part

    def _figure(self, content: Any) -> dict[str, Any]:
        return {"figure": url.option("figure", _text(content), self._figures)}

    def _hide(self, content: Any) -> dict[str, Any]:
        return {"hide": url.option("hide", ",".join(_texts(content)))}

    def _theme(self, content: Any) -> dict[str, Any]:
        return {"theme": url.option("theme", _text(content))}

    def _state(self, content: Any) -> dict[str, Any]:
        return {"values": self._values("state", content)}

    def _values(self, path: str, content: Any) -> dict[str, Any]:
        if not isinstance(content, dict):
            raise ValueError("it is an object: the name of a setting and its value")
        values: dict[str, Any] = {}
        for name, value in content.items():
            values.update(self._attempt(f"{path}.{name}", value, partial(self._one, name)))
        return values

    def _one(self, name: str, value: Any) -> dict[str, Any]:
        return {name: setting(self._settings, name, value)}

    def _data(self, content: Any) -> dict[str, Any]:
        if not isinstance(content, dict):
            raise ValueError("it is an object: the name of a part of your data and its content")
        data: dict[str, Any] = {}
        for name, value in content.items():
            data.update(self._attempt(f"data.{name}", value, partial(self._part, name)))
        return {"data": data}

    def _part(self, name: str, value: Any) -> dict[str, Any]:
        if name not in self._given:
            there = f"takes {', '.join(self._given)}" if self._given else "takes no data of your own"
            raise ValueError(f"this room {there}")
        return {name: self._given[name](value)}

    def _controls(self, content: Any) -> dict[str, Any]:
        return {"controls": tuple(dict.fromkeys(self._names(content)))}

    def _lock(self, content: Any) -> dict[str, Any]:
        return {"lock": frozenset(self._settings if content is True else self._names(content))}

    def _names(self, content: Any) -> list[str]:
        names = _texts(content)
        unknown = [name for name in names if name not in self._settings]
        if unknown:
            raise ValueError(f"the settings of this room are {', '.join(self._settings)}")
        return names

    def _open(self, content: Any) -> dict[str, Any]:
        names = _texts([content] if isinstance(content, str) else content)
        if not set(names) <= set(OPENS):
            raise ValueError(f"it takes a list of {', '.join(OPENS)}")
        return {"opened": tuple(names)}

    def _title(self, content: Any) -> dict[str, Any]:
        return {"title": _text(content)}

    def _caption(self, content: Any) -> dict[str, Any]:
        return {"caption": _text(content)}

    def _question(self, content: Any) -> dict[str, Any]:
        if isinstance(content, str):
            if content not in self._questions:
                raise ValueError(f"the questions of this room are {', '.join(self._questions)}")
            return {"question": content}
        return {"question": self._asked(content)}

    def _asked(self, content: Any) -> Asked:
        if not isinstance(content, dict) or not isinstance(content.get("options"), list):
            raise ValueError("it is the key of a question, or an object with a prompt and options")
        unknown = set(content) - {"prompt", "options", "right", "show"}
        if unknown:
            raise ValueError(f"it has prompt, options, right and show, not {sorted(unknown)[0]}")
        options = tuple(_option(one) for one in content["options"])
        if not 2 <= len(options) <= 8 or len({one.text for one in options}) < len(options):
            raise ValueError("it takes 2 to 8 different options")
        right = _text(content.get("right", ""))
        if right and right not in [one.text for one in options]:
            raise ValueError("right is the text of one of its options")
        if not right and not any(one.when for one in options):
            raise ValueError("it says which option is right: by right, or by when in an option")
        show = self._values("question.show", content.get("show", {}))
        return Asked(_text(content.get("prompt")), options, right, show)


PARTS = (
    "figure", "state", "data", "controls", "lock", "hide", "open", "question", "title", "caption", "theme",
)  # fmt: skip


def setting(settings: Mapping[str, param.Parameter], name: str, value: Any) -> Any:
    """One value of a State from JSON, checked as an address's is.

    Raises
    ------
    ValueError
        Saying what the setting takes, or which settings there are.
    """
    if name not in settings:
        raise ValueError(f"the settings of this room are {', '.join(settings)}")
    if value is None:
        return settings[name].default
    flat = isinstance(value, list) and not any(isinstance(part, (list, dict)) for part in value)
    if not isinstance(value, (str, bool, int, float)) and not flat:
        raise ValueError("it takes a number, a text, true or false, or a list of numbers")
    return url.read(settings[name], url.as_text(value))


def _option(content: Any) -> Option:
    if isinstance(content, str):
        return Option(_text(content))
    if not isinstance(content, dict) or not set(content) <= {"text", "when", "why"}:
        raise ValueError("an option is a text, or an object with text, when and why")
    return Option(*(_text(content.get(name, "")) for name in ("text", "when", "why")))


def _text(content: Any) -> str:
    if not isinstance(content, str):
        raise ValueError("it takes a text")
    if len(content) > LONGEST_SENTENCE:
        raise ValueError(f"it takes at most {LONGEST_SENTENCE:,} characters, not {shorten(content, 20)}")
    return content


def _texts(content: Any) -> list[str]:
    if not isinstance(content, list) or not all(isinstance(part, str) for part in content):
        raise ValueError("it takes a list of names")
    return content
