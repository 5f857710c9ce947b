"""Reads the sizes of a model from its config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.counting.config_fields import Fields
from lab.counting.parts import Architecture
from lab.counting.readers import CLASS_SIZES, READERS
from lab.given import given
from lab.json_text import read_json
from lab.model_file import text_part

MODEL_TYPES: tuple[str, ...] = tuple(READERS)
"""Model types whose parameters are counted exactly."""
NUMBERED_FROM_PAD = ("camembert", "roberta", "xlm-roberta")
"""Model types whose positions are counted from behind the padding id."""
PADDING_ID = 1
"""Theirs, unless a config says another."""


@dataclass(frozen=True)
class Reading:
    """What a config.json describes, and what a reader should know about how it was read.

    Parameters
    ----------
    architecture : Architecture
        The sizes.
    notes : tuple of str
        Where the text part stands, what the file does not say and its class does, what is not counted.
    kind : str
        The model type that was read.
    skipped : int
        Rows of the position table before that of the first token: no token ever stands there.
    """

    architecture: Architecture
    notes: tuple[str, ...] = ()
    kind: str = ""
    skipped: int = 0


def read_config(config: Mapping[str, Any]) -> Reading:
    """Return the architecture that a config.json describes, with notes on the reading.

    Of a file about text and images or sound the text part is counted.

    Parameters
    ----------
    config : mapping
        The file as Python objects. ``model_type`` must be one of ``MODEL_TYPES``; sizes are found under their
        present names and under older ones (``n_embd``, ``n_layer``, ``dim``, ...); null counts as missing.
        Fields that add no parameter are not looked at.

    Raises
    ------
    ValueError
        If the model type, the class or a setting is one whose parameters are not known here, a size is
        missing, or a value is not what its field needs. The message names the field and what is accepted.

    Examples
    --------
    >>> nested = {"text_config": {"model_type": "gpt2", "vocab_size": 10, "n_embd": 4, "n_layer": 1,
    ...                           "n_head": 1, "n_positions": 2}}
    >>> read_config(nested).notes[0]
    'only the text part is counted, text_config'
    """
    if not isinstance(config, Mapping):
        raise ValueError(f"a config must be an object of names and values; got {given(config)}")
    path, part = text_part(config)
    kind = part.get("model_type")
    if not isinstance(kind, str) or kind not in READERS:
        raise ValueError(f"model_type must be one of {', '.join(MODEL_TYPES)}; got {given(kind)}")
    notes = [f"only the text part is counted, {path}"] if path else []
    fields = Fields(_completed(part, kind, notes) if path else part, notes)
    return Reading(READERS[kind](fields), tuple(notes), kind, _skipped(kind, part))


def _skipped(kind: str, part: Mapping[str, Any]) -> int:
    """Rows of the position table that no token uses, in front of the first token's."""
    if kind not in NUMBERED_FROM_PAD:
        return getattr(READERS[kind], "offset", 0)
    padding = part.get("pad_token_id")
    return 1 + (padding if isinstance(padding, int) and padding >= 0 else PADDING_ID)


def _completed(part: Mapping[str, Any], kind: str, notes: list[str]) -> Mapping[str, Any]:
    """Fill in what files with a text part leave to the class."""
    missing = {name: value for name, value in CLASS_SIZES.get(kind, {}).items() if part.get(name) is None}
    if missing:
        listed = ", ".join(f"{name} {value:,}" for name, value in missing.items())
        notes.append(f"not in the file, taken from the class {kind}: {listed}")
    return {**part, **missing}


def from_config(config: Mapping[str, Any]) -> Architecture:
    """Return the architecture that a config.json describes.

    Parameters
    ----------
    config : mapping
        The file as Python objects, as for `read_config`.

    Returns
    -------
    Architecture
        The family with its sizes. The field ``architectures`` decides whether an output layer or a pooler is
        there; without it a decoder has its output layer, and an encoder its pooler and no output layer.

    Raises
    ------
    ValueError
        As `read_config` does.

    Examples
    --------
    >>> config = {"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12,
    ...           "n_positions": 1024}
    >>> from_config(config).parameters
    124439808
    >>> from_config({"model_type": "gpt2"})
    Traceback (most recent call last):
        ...
    ValueError: the config has no vocab_size
    """
    return read_config(config).architecture


def from_config_text(text: str) -> Architecture:
    """Return the architecture that the text of a config.json describes.

    Parameters
    ----------
    text : str
        JSON.

    Raises
    ------
    ValueError
        If `read_json` refuses the text, or `from_config` what it says.

    Examples
    --------
    >>> from_config_text('{"model_type": "mamba"}')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: model_type must be one of bert, ...; got ‘mamba’
    """
    return from_config(read_json(text))
