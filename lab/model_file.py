"""Where the text model stands in a model's configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEXT_PARTS = (
    "text_config",
    "llm_config",
    "language_config",
    "language_model_config",
    "lm_config",
    "thinker_config",
    "text_model_config",
)
"""Fields that hold the text model of a file about text and more, in the order in which they are tried."""


def text_part(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the object that holds the text model, however deep it stands, and the path to it.

    A file of several models names each by a field (``text_config``, ``thinker_config.text_config``, ...); a
    ``model_type`` above them belongs to the whole and hides nothing.

    Parameters
    ----------
    values : mapping
        The file.

    Returns
    -------
    tuple of str and mapping
        The path, empty for a file of one model, and the object.

    Examples
    --------
    >>> text_part({"model_type": "mistral3", "text_config": {"head_dim": 128}})
    ('text_config', {'head_dim': 128})
    """
    path: list[str] = []
    while True:
        name = next((part for part in TEXT_PARTS if _holds(values.get(part))), None)
        if name is None:
            return ".".join(path), values
        path.append(name)
        values = values[name]


def _holds(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value)
