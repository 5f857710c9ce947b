"""Meta's ``params.json``: the same facts under other names, and some of them only in the code beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

META_TYPE = "params.json"
"""Stands for the model type that such a file does not name."""


def as_published(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return Meta's file under the names of a config.json; any other file as it is.

    ``use_scaled_rope`` switches the rule of Llama 3.1 on, whose numbers (factor 8, bounds 1 and 4, 8,192
    positions) stand in the code and not in the file; newer files name the first two.

    References
    ----------
    ``apply_scaling`` and ``ModelArgs`` of meta-llama/llama-models.

    Examples
    --------
    >>> as_published({"dim": 4096, "n_heads": 32, "use_scaled_rope": True})["rope_scaling"]["factor"]
    8.0
    """
    if "model_type" in values or not {"dim", "n_heads"} <= set(values):
        return values
    named = {"model_type": META_TYPE, **values}
    if values.get("use_scaled_rope") is not True:
        return {name: value for name, value in named.items() if name != "use_scaled_rope"}
    rest = {name: value for name, value in named.items() if name not in _SCALED}
    return {
        **rest,
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": _or(values.get("rope_scaling_factor"), 8.0),
            "low_freq_factor": 1.0,
            "high_freq_factor": _or(values.get("rope_high_freq_factor"), 4.0),
            "original_max_position_embeddings": 8192,
        },
    }


_SCALED = ("use_scaled_rope", "rope_scaling_factor", "rope_high_freq_factor")


def _or(value: Any, usual: float) -> Any:
    return usual if value is None else value
