"""Find the text model in a configuration, and what in it concerns rotation and was not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lab.context_extension.config_fields import Section, words
from lab.model_file import text_part

OTHER_SENSES = re.compile("vision|audio|image|visual|video|speech|talker|code2wav|projector|dit_|quant")
ROTATION = re.compile("rope|rota|theta|yarn|mscale|alibi|(?<!max_)position_embedding|pos_emb|positional|ntk")
SIZES = words("""
    model_type architectures hidden_size n_embd d_model dim num_attention_heads n_head n_heads vocab_size
    num_hidden_layers n_layer n_layers intermediate_size
    """)
"""Fields of a whole configuration, which a rope part alone has not."""


def text_model(values: Mapping[str, Any]) -> Section:
    """Return the object that holds the text model, however deep it stands.

    Examples
    --------
    >>> text_model({"model_type": "mistral3", "text_config": {"head_dim": 128}}).path
    'text_config'
    """
    return Section(*text_part(values))


def is_fragment(values: Mapping[str, Any]) -> bool:
    """Whether a configuration is only a rope part: it says nothing of the model.

    Examples
    --------
    >>> is_fragment({"rope_type": "linear", "factor": 4.0}), is_fragment({"model_type": "llama"})
    (True, False)
    """
    return not SIZES & set(text_model(values).values)


def unread_rotation(values: Mapping[str, Any], read: list[Section]) -> list[str]:
    """Return the paths of all fields that concern rotation and nothing has asked for, sorted.

    Parameters
    ----------
    values : mapping
        The whole file; parts about images and sound are passed over.
    read : list of Section
        What was read from it.

    Examples
    --------
    >>> unread_rotation({"rope_warp": 3, "vision_config": {"rope_theta": 1.0}}, [])
    ['rope_warp']
    """
    # a part that is not in the file stands for nothing, whatever its path
    known = {section.path: section for section in reversed(read) if section.values}
    return sorted(_walk("", values, known))


def _walk(path: str, values: Mapping[str, Any], known: Mapping[str, Section]) -> Iterator[str]:
    section = known.get(path)
    unread = None if section is None else set(section.unread())
    for name, value in values.items():
        full = f"{path}.{name}" if path else str(name)
        if value is None or OTHER_SENSES.search(str(name)):
            continue
        inner = known.get(full)
        if isinstance(value, Mapping) and (inner is not None or not ROTATION.search(str(name))):
            yield from _walk(full, value, known)
        elif (unread is None or str(name) in unread) and (_is_rope(path) or ROTATION.search(str(name))):
            yield full


def _is_rope(path: str) -> bool:
    # of the rope part itself every field concerns rotation
    return bool(re.search("rope_(parameters|scaling)", path))
