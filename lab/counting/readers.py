"""From the fields of a config.json to a family with its sizes: one reader for each model type."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.counting.architectures import BERT, GPT2
from lab.counting.config_fields import Fields
from lab.counting.encoders import T5, ModernBERT
from lab.counting.kinds import FalconKind, LatentKind, LlamaKind, MixtureKind, OptKind, StackKind, has_head
from lab.counting.parts import Architecture

CLASS_SIZES: Mapping[str, Mapping[str, int]] = {
    "gemma3_text": {
        "vocab_size": 262_208,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
    },
    "llama": {
        "vocab_size": 32_000,
        "hidden_size": 4096,
        "intermediate_size": 11_008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
    },
}
"""Sizes that the text part of a larger file leaves to the configuration classes of transformers 5.24."""


def _gpt2(fields: Fields) -> Architecture:
    fields.refuse_unless("add_cross_attention", False, "cross-attention has matrices of its own")
    return GPT2(
        V=fields.size("V"),
        D=fields.size("D"),
        layers=fields.size("layers"),
        heads=fields.size("heads"),
        max_positions=fields.size("max_positions"),
        mlp_width=fields.optional_size("mlp_width"),
        tied=fields.flag("tie_word_embeddings", True),
        head=has_head(fields),
    )


def _bert(fields: Fields, *, distilled: bool = False) -> Architecture:
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


def _distilbert(fields: Fields) -> Architecture:
    return _bert(fields, distilled=True)


def _t5(fields: Fields) -> Architecture:
    if fields.ending(("ForConditionalGeneration", "WithLMHeadModel")) == "":
        fields.notes.append("counted with its output layer")
    return T5(
        V=fields.size("V"),
        D=fields.size("D"),
        layers=fields.size("layers"),
        decoder_layers=fields.optional_size("decoder_layers"),
        heads=fields.size("heads"),
        head_width=fields.size("head_width"),
        mlp_width=fields.size("mlp_width"),
        gated=fields.text("feed_forward_proj", "relu").startswith("gated"),
        buckets=fields.size("buckets", 32),
        tied=fields.flag("tie_word_embeddings", True),
    )


def _modernbert(fields: Fields) -> Architecture:
    for name in ("attention_bias", "mlp_bias", "norm_bias"):
        fields.refuse_unless(name, False, "biases are not counted for this type")
    return ModernBERT(
        V=fields.size("V"),
        D=fields.size("D"),
        layers=fields.size("layers"),
        heads=fields.size("heads"),
        mlp_width=fields.size("mlp_width"),
        masked_lm=fields.ending(("ForMaskedLM", "Model")) == "ForMaskedLM",
        tied=fields.flag("tie_word_embeddings", True),
    )


_QWEN2 = LlamaKind(qkv_bias=True)
_QWEN3 = LlamaKind(own_head_width=True, qkv_bias=None, qk_norm=True)
_LLAMA = LlamaKind(grouped=False, qkv_bias=None, mlp_bias=None)

READERS: dict[str, Callable[[Fields], Architecture]] = {
    "bert": _bert,
    "bloom": StackKind(tied=True, embedding_norm=True, scheme="alibi"),
    "camembert": _bert,
    "cohere": LlamaKind(tied=True, qkv_bias=None, norms_per_layer=1, plain=("use_qk_norm",)),
    "deepseek_v2": LatentKind(grouped=False, qkv_bias=None),
    "deepseek_v3": LatentKind(grouped=False, qkv_bias=None),
    "distilbert": _distilbert,
    "falcon": FalconKind(tied=True),
    "gemma": LlamaKind(tied=True, own_head_width=True, qkv_bias=None),
    "gemma2": LlamaKind(tied=True, own_head_width=True, qkv_bias=None, norms_per_layer=4),
    "gemma3_text": LlamaKind(tied=True, own_head_width=True, qkv_bias=None, qk_norm=True, norms_per_layer=4),
    "glm4": LlamaKind(own_head_width=True, qkv_bias=None, output_bias=False, norms_per_layer=4),
    "gpt2": _gpt2,
    "gpt_neox": StackKind(biases="attention_bias"),
    "granite": _LLAMA,
    "llama": _LLAMA,
    "ministral3": LlamaKind(own_head_width=True),
    "mistral": LlamaKind(),
    "mixtral": MixtureKind(mlp_is_expert=True),
    "modernbert": _modernbert,
    "olmo": LlamaKind(grouped=False, qkv_bias=None, norms_per_layer=0),
    "olmo2": LlamaKind(grouped=False, qkv_bias=None, wide_qk_norm=True),
    "olmoe": MixtureKind(grouped=False, qkv_bias=None, wide_qk_norm=True, mlp_is_expert=True),
    "opt": OptKind(tied=True, scheme="learned", offset=2),
    "phi": StackKind(norms_per_layer=1, head_bias=True, plain=("qk_layernorm",)),
    "phi3": LlamaKind(grouped=False),
    "qwen2": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen2_moe": MixtureKind(qkv_bias=True, shared_gate=True),
    "qwen2_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_moe": MixtureKind(own_head_width=True, qkv_bias=None, qk_norm=True),
    "qwen3_vl_text": _QWEN3,
    "roberta": _bert,
    "smollm3": LlamaKind(grouped=False, tied=True, qkv_bias=None, mlp_bias=None),
    "stablelm": LlamaKind(
        grouped=False,
        qkv_bias=None,
        bias_field="use_qkv_bias",
        output_bias=False,
        norm_bias=True,
        plain=("qk_layernorm", "use_parallel_residual"),
    ),
    "starcoder2": StackKind(tied=True, biases="use_bias"),
    "t5": _t5,
    "xlm-roberta": _bert,
}
"""By ``model_type``."""
