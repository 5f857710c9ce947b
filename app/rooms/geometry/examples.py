"""A walk through the room: states worth seeing, in an order in which each prepares the next."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "cat, dog, car by hand": {},
    "… in four dimensions": {"table": "chapter"},
    "… and trained": {"table": "minilm", "a": "cat", "b": "dog", "c": "car"},
    "Cat's real neighbours": {"table": "minilm", "look": "near"},
    "Good and bad": {"table": "minilm", "a": "good", "b": "bad", "c": "excellent"},
    "Bank has two senses": {"table": "minilm"},
    "man : king :: woman : ?": {"table": "minilm", "look": "analogy"},
    "A map of six words": {"table": "minilm", "look": "map"},
    "Two random rows": {"table": "minilm", "look": "pairs"},
    "… in another model": {"table": "smollm2", "look": "pairs"},
    "Rare words, short rows?": {"table": "minilm", "look": "rarity"},
    "Word + position, one sum": {"table": "minilm", "look": "sums"},
    "Sums that coincide": {"table": "running", "look": "sums", "place": 1},
    "Save, invest, spend": {"table": "finance"},
    "A vector of zeros": {"c": "[0]"},
}
"""Values that differ from the defaults, by the words that offer them."""
