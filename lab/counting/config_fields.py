"""The values of a config.json, each checked when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.counting.parts import LIMITS
from lab.given import given

NAMES: dict[str, tuple[str, ...]] = {
    "V": ("vocab_size",),
    "D": ("hidden_size", "n_embd", "n_embed", "d_model", "dim"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
    "max_positions": ("max_position_embeddings", "n_positions", "n_ctx"),
    "mlp_width": ("intermediate_size", "n_inner", "hidden_dim", "ffn_dim", "d_ff"),
    "kv_heads": ("num_key_value_heads",),
    "head_width": ("head_dim", "d_kv"),
    "token_types": ("type_vocab_size",),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts"),
    "active": ("num_experts_per_tok",),
    "expert_width": ("moe_intermediate_size",),
    "q_rank": ("q_lora_rank",),
    "kv_rank": ("kv_lora_rank",),
    "nope_width": ("qk_nope_head_dim",),
    "rope_width": ("qk_rope_head_dim",),
    "value_width": ("v_head_dim",),
    "buckets": ("relative_attention_num_buckets",),
    "decoder_layers": ("num_decoder_layers",),
}
"""Every name that a field goes by, the present one first."""

HEADS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
"""Endings of the classes of decoders with an output layer."""


class Fields:
    """A config's values, each checked when it is asked for.

    Parameters
    ----------
    config : mapping
        The file, or the text part of one.
    notes : list of str
        What a reader should know about how the values were read; readers add to it.

    Examples
    --------
    >>> Fields({"n_embd": 768}, []).size("D")
    768
    """

    def __init__(self, config: Mapping[str, Any], notes: list[str]) -> None:
        self._config = config
        self.notes = notes

    def number(self, name: str, default: int) -> int:
        """Return a whole number of at least 0 under just this name."""
        value = self._config.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10_000_000:
            raise ValueError(f"{name} must be a whole number from 0 to 10,000,000; got {given(value)}")
        return value

    def text(self, name: str, default: str) -> str:
        """Return a text under just this name."""
        value = self._config.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ValueError(f"{name} must be text; got {given(value)}")
        return value

    def size(self, field: str, default: int | None = None, *, least: int = 1) -> int:
        """Return a size by the lab's name for it, under any of its names in the file."""
        found = self.optional_size(field, least=least)
        if found is None and default is None:
            first, *others = NAMES[field]
            raise ValueError(f"the config has no {first}" + (f" (or {', '.join(others)})" if others else ""))
        return default if found is None and default is not None else int(found or 0)

    def optional_size(self, field: str, *, least: int = 1) -> int | None:
        """Return a size that may be missing."""
        most = LIMITS[field]
        stated = {name: self._config[name] for name in NAMES[field] if self._config.get(name) is not None}
        for name, value in stated.items():
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or not least <= value <= most:
                raise ValueError(
                    f"{name} must be a whole number from {least} to {most:,}; got {given(value)}"
                )
        if len(set(stated.values())) > 1:
            raise ValueError(
                "these fields are names of one size and disagree: "
                + ", ".join(f"{name} {value:,}" for name, value in stated.items())
            )
        return next(iter(stated.values()), None)

    def nullable_size(self, field: str) -> int | None:
        """Return a size that the file must name, if only to say by null that there is none."""
        if not any(name in self._config for name in NAMES[field]):
            raise ValueError(f"the config has no {NAMES[field][0]}; null stands for none")
        return self.optional_size(field)

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false."""
        value = self._config.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false; got {given(value)}")
        return value

    def refuse_unless(self, name: str, accepted: Any, why: str) -> None:
        """Refuse a setting whose parameters are not counted here."""
        value = self._config.get(name)
        if value is not None and value != accepted:
            raise ValueError(f"{name} must be {given(accepted)} or missing, for {why}; got {given(value)}")

    def ending(self, accepted: tuple[str, ...]) -> str:
        """Return which of the endings the class has, or "" if the config names no class."""
        value = self._config.get("architectures")
        if value is None or value == []:
            return ""
        if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
            raise ValueError(f"architectures must be a list of one class name; got {given(value)}")
        for ending in accepted:
            # BertLMHeadModel and GPT2DoubleHeadsModel are no plain models
            if value[0].endswith(ending) and not (ending == "Model" and "Head" in value[0]):
                return ending
        raise ValueError(
            f"architectures names {given(value[0])}, whose head is not counted here; accepted are classes "
            f"that end in {', '.join(accepted)}. Take the field out to count the model alone"
        )
