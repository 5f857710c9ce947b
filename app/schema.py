"""The published schema of specifications: an editor that knows it checks what a teacher types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from app.kit import spec as specs
from app.kit import url
from app.rooms import ROOMS

DRAFT = "https://json-schema.org/draft/2020-12/schema"
NAME = "specification.schema.json"
"""Where the built site has it."""


def schema() -> dict[str, Any]:
    """JSON Schema of a specification: what any may hold, and what each room adds to it."""
    return {
        "$schema": DRAFT,
        "title": "Embedding Lab: a figure",
        "type": "object",
        "required": ["room"],
        "properties": {
            "$schema": {"type": "string"},
            "room": {"enum": list(ROOMS), "description": "The room that the figure is from."},
            **_parts(),
        },
        "additionalProperties": False,
        "allOf": [
            {"if": {"properties": {"room": {"const": key}}}, "then": {"properties": _of_room(key)}}
            for key in ROOMS
        ],
        "$defs": {"option": _option(), "question": _question()},
    }


def _parts() -> dict[str, Any]:
    sentence = {"type": "string", "maxLength": specs.LONGEST_SENTENCE}
    return {
        "figure": {"type": "string", "description": "The one figure that is shown; without it all are."},
        "state": {"type": "object", "description": "The settings that the figure begins with."},
        "data": {"type": "object", "description": "Your own numbers."},
        "controls": {"type": "array", "items": {"type": "string"}, "description": "Shown, in this order."},
        "lock": {"description": "Settings that a reader cannot change; true is all of them."},
        "hide": {"type": "array", "items": {"enum": list(url.PARTS)}},
        "open": {"type": "array", "items": {"enum": list(specs.OPENS)}},
        "question": {"description": "The key of a question of the room, or one of your own."},
        "title": sentence,
        "caption": sentence,
        "theme": {"enum": list(url.THEMES)},
    }


def _of_room(key: str) -> dict[str, Any]:
    room = ROOMS[key]
    settings = url.settings(room.State)
    names = {"type": "array", "items": {"enum": list(settings)}}
    given = {name: dict(getattr(reader, "schema", {})) for name, reader in room.given.items()}
    return {
        "figure": {"enum": list(room.keys())},
        "state": {"properties": _values(settings), "additionalProperties": False},
        "data": {"properties": given, "additionalProperties": False},
        "controls": names,
        "lock": {"anyOf": [{"const": True}, names]},
        "question": {"anyOf": [{"enum": [one.key for one in room.asked]}, {"$ref": "#/$defs/question"}]},
    }


def _values(settings: Mapping[str, param.Parameter]) -> dict[str, Any]:
    return {name: {"description": str(item.label), **_value(item)} for name, item in settings.items()}


def _value(parameter: param.Parameter) -> dict[str, Any]:
    """What a setting takes; null is its default."""
    if isinstance(parameter, param.Boolean):
        return {"type": ["boolean", "null"]}
    if isinstance(parameter, (param.NumericTuple, param.Range)):
        length = getattr(parameter, "length", 2)
        return {
            "type": ["array", "null"],
            "items": {"type": "number"},
            "minItems": length,
            "maxItems": length,
        }
    if isinstance(parameter, param.Number):
        low, high = parameter.bounds or (None, None)
        bounds = {name: end for name, end in (("minimum", low), ("maximum", high)) if end is not None}
        return {"type": ["integer" if isinstance(parameter, param.Integer) else "number", "null"], **bounds}
    if isinstance(parameter, param.ListSelector):
        return {"type": ["array", "null"], "items": {"enum": list(parameter.objects)}}
    if isinstance(parameter, param.Selector):
        return {"enum": [*parameter.objects, None]}
    if isinstance(parameter, param.List):
        return {"type": ["array", "null"], "items": {"type": "number"}}
    return {"type": ["string", "null"]}


def _option() -> dict[str, Any]:
    text = {"type": "string"}
    parts = {
        "text": text,
        "when": {**text, "description": "Right where this holds of the figure's values: max(score) > 2."},
        "why": {**text, "description": "What is said of it once it was chosen."},
    }
    whole = {"type": "object", "properties": parts, "required": ["text"], "additionalProperties": False}
    return {"anyOf": [text, whole]}


def _question() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "prompt": {"type": "string"},
            "options": {"type": "array", "items": {"$ref": "#/$defs/option"}, "minItems": 2, "maxItems": 8},
            "right": {"type": "string", "description": "The text of the right option."},
            "show": {"type": "object", "description": "The settings that settle it."},
        },
        "required": ["prompt", "options"],
        "additionalProperties": False,
    }
