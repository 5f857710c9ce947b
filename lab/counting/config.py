"""Reads the sizes of a model from its config.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.counting.architectures import BERT, GPT2, Llama
from lab.counting.parts import LIMITS, Architecture
from lab.json_text import read_json

# every name that a field goes by, the present one first
_NAMES: dict[str, tuple[str, ...]] = {
    "V": ("vocab_size",),
    "D": ("hidden_size", "n_embd", "dim"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "max_positions": ("max_position_embeddings", "n_positions", "n_ctx"),
    "mlp_width": ("intermediate_size", "n_inner", "hidden_dim"),
    "kv_heads": ("num_key_value_heads",),
    "head_width": ("head_dim",),
    "token_types": ("type_vocab_size",),
}

_HEADS = ("ForCausalLM", "LMHeadModel")


def from_config(config: Mapping[str, Any]) -> Architecture:
    """Return the architecture that a config.json describes.

    Parameters
    ----------
    config : mapping
        The file as Python objects. ``model_type`` must be one of ``MODEL_TYPES``; sizes are found under their
        present names and under older ones (``n_embd``, ``n_layer``, ``dim``, ...); null counts as missing.
        Fields that add no parameter are not looked at.

    Returns
    -------
    Architecture
        GPT2, BERT or Llama. The field ``architectures`` decides whether an output layer or a pooler is there;
        without it a decoder has its output layer, and an encoder its pooler and no output layer.

    Raises
    ------
    ValueError
        If the model type, the class or a setting is one whose parameters are not known here, a size is
        missing, or a value is not what its field needs. The message names the field and what is accepted.

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
    if not isinstance(config, Mapping):
        raise ValueError(f"a config must be an object of names and values; got {_show(config)}")
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in _READERS:
        raise ValueError(f"model_type must be one of {', '.join(MODEL_TYPES)}; got {_show(kind)}")
    return _READERS[kind](_Fields(config))


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
    >>> from_config_text('{"model_type": "t5"}')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: model_type must be one of bert, ...; got 't5'
    """
    return from_config(read_json(text))


class _Fields:
    """A config's values, each checked when it is asked for."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config

    def size(self, field: str, default: int | None = None, *, least: int = 1) -> int:
        found = self.optional_size(field, least=least)
        if found is None and default is None:
            first, *others = _NAMES[field]
            raise ValueError(f"the config has no {first}" + (f" (or {', '.join(others)})" if others else ""))
        return default if found is None and default is not None else int(found or 0)

    def optional_size(self, field: str, *, least: int = 1) -> int | None:
        most = LIMITS[field]
        given = {name: self._config[name] for name in _NAMES[field] if self._config.get(name) is not None}
        for name, value in given.items():
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or not least <= value <= most:
                raise ValueError(
                    f"{name} must be a whole number from {least} to {most:,}; got {_show(value)}"
                )
        if len(set(given.values())) > 1:
            raise ValueError(
                "these fields are names of one size and disagree: "
                + ", ".join(f"{name} {value}" for name, value in given.items())
            )
        return next(iter(given.values()), None)

    def flag(self, name: str, default: bool) -> bool:
        value = self._config.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false; got {_show(value)}")
        return value

    def refuse_unless(self, name: str, accepted: Any, why: str) -> None:
        value = self._config.get(name)
        if value is not None and value != accepted:
            raise ValueError(f"{name} must be {_show(accepted)} or missing, for {why}; got {_show(value)}")

    def ending(self, accepted: tuple[str, ...]) -> str:
        """Return which of the endings the class has, or "" if the config names no class."""
        value = self._config.get("architectures")
        if value is None or value == []:
            return ""
        if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
            raise ValueError(f"architectures must be a list of one class name; got {_show(value)}")
        for ending in accepted:
            # BertLMHeadModel and GPT2DoubleHeadsModel are no plain models
            if value[0].endswith(ending) and not (ending == "Model" and "Head" in value[0]):
                return ending
        raise ValueError(
            f"architectures names {_show(value[0])}, whose head is not counted here; accepted are classes "
            f"that end in {', '.join(accepted)}. Take the field out to count the model alone"
        )


def _gpt2(fields: _Fields) -> Architecture:
    fields.refuse_unless("add_cross_attention", False, "cross-attention has matrices of its own")
    return GPT2(
        V=fields.size("V"),
        D=fields.size("D"),
        layers=fields.size("layers"),
        heads=fields.size("heads"),
        max_positions=fields.size("max_positions"),
        mlp_width=fields.optional_size("mlp_width"),
        tied=fields.flag("tie_word_embeddings", True),
        head=fields.ending((*_HEADS, "Model")) != "Model",
    )


def _bert(fields: _Fields, *, distilled: bool = False) -> Architecture:
    fields.refuse_unless("add_cross_attention", False, "cross-attention has matrices of its own")
    fields.refuse_unless("position_embedding_type", "absolute", "relative positions have tables of their own")
    masked_lm = fields.ending(("ForMaskedLM", "Model")) == "ForMaskedLM"
    return BERT(
        V=fields.size("V"),
        D=fields.size("D"),
        layers=fields.size("layers"),
        heads=fields.size("heads"),
        max_positions=fields.size("max_positions"),
        token_types=0 if distilled else fields.size("token_types", least=0),
        mlp_width=fields.size("mlp_width"),
        pooler=not distilled and not masked_lm,
        masked_lm=masked_lm,
        tied=fields.flag("tie_word_embeddings", True),
    )


def _distilbert(fields: _Fields) -> Architecture:
    return _bert(fields, distilled=True)


@dataclass(frozen=True)
class _LlamaKind:
    """What a model type does without saying so in its config."""

    tied: bool = False
    grouped: bool = True
    """Whether a config that names no key and value heads is incomplete."""
    own_head_width: bool = False
    """Whether the head width is not D / heads unless the config says so."""
    qkv_bias: bool | None = False
    """None: the field attention_bias decides, for all four matrices."""
    mlp_bias: bool | None = False
    qk_norm: bool = False

    def __call__(self, fields: _Fields) -> Architecture:
        biased = self.qkv_bias is None and fields.flag("attention_bias", False)
        head_width = fields.size("head_width") if self.own_head_width else fields.optional_size("head_width")
        return Llama(
            V=fields.size("V"),
            D=fields.size("D"),
            layers=fields.size("layers"),
            heads=fields.size("heads"),
            kv_heads=fields.size("kv_heads") if self.grouped else fields.optional_size("kv_heads"),
            head_width=head_width,
            mlp_width=fields.size("mlp_width"),
            qkv_bias=biased or bool(self.qkv_bias),
            output_bias=biased,
            mlp_bias=self.mlp_bias is None and fields.flag("mlp_bias", False),
            qk_norm=self.qk_norm,
            tied=fields.flag("tie_word_embeddings", self.tied),
            head=fields.ending((*_HEADS, "Model")) != "Model",
        )


_READERS: dict[str, Callable[[_Fields], Architecture]] = {
    "bert": _bert,
    "camembert": _bert,
    "distilbert": _distilbert,
    "gemma": _LlamaKind(tied=True, own_head_width=True, qkv_bias=None),
    "gpt2": _gpt2,
    "llama": _LlamaKind(grouped=False, qkv_bias=None, mlp_bias=None),
    "mistral": _LlamaKind(),
    "phi3": _LlamaKind(grouped=False),
    "qwen2": _LlamaKind(qkv_bias=True),
    "qwen3": _LlamaKind(own_head_width=True, qkv_bias=None, qk_norm=True),
    "roberta": _bert,
    "xlm-roberta": _bert,
}

MODEL_TYPES: tuple[str, ...] = tuple(_READERS)
"""Model types whose parameters are counted exactly."""


def _show(value: Any) -> str:
    """Return a value for a message; a number of thousands of digits cannot be printed at all."""
    if isinstance(value, int) and abs(value) > 10**15:
        return "a number of more than 15 digits"
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
