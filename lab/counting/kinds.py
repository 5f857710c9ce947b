"""What model types of one family do without saying so in their config.json."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from typing import Any, Literal

from lab.counting.config_fields import HEADS, Fields
from lab.counting.llama import Llama
from lab.counting.mixture import Latent, Mixture
from lab.counting.parts import Architecture
from lab.counting.stack import Stack


def has_head(fields: Fields) -> bool:
    """Whether the class that a config names has an output layer; true where it names none."""
    return fields.ending((*HEADS, "Model")) != "Model"


@dataclass(frozen=True)
class LlamaKind:
    """What a model type of the Llama family does without saying so in its config."""

    tied: bool = False
    grouped: bool = True
    """Whether a config that names no key and value heads is incomplete."""
    own_head_width: bool = False
    """Whether the head width is not D / heads unless the config says so."""
    qkv_bias: bool | None = False
    """None: the field attention_bias decides, for all four matrices."""
    mlp_bias: bool | None = False
    qk_norm: bool = False
    wide_qk_norm: bool = False
    norms_per_layer: int = 2
    bias_field: str = "attention_bias"
    output_bias: bool = True
    """Whether the matrix after the heads shares the biases that the field switches."""
    norm_bias: bool = False
    plain: tuple[str, ...] = ()
    """Fields that must be false: what they switch on is not counted here."""

    def sizes(self, fields: Fields) -> Llama:
        """Read all that a Llama without experts has."""
        for name in self.plain:
            fields.refuse_unless(name, False, "what it switches on is not counted here")
        biased = self.qkv_bias is None and fields.flag(self.bias_field, False)
        head_width = fields.size("head_width") if self.own_head_width else fields.optional_size("head_width")
        mixed = fields.optional_size("expert_width") if fields.optional_size("mlp_width") is None else None
        return Llama(
            V=fields.size("V"),
            D=fields.size("D"),
            layers=fields.size("layers"),
            heads=fields.size("heads"),
            kv_heads=fields.size("kv_heads") if self.grouped else fields.optional_size("kv_heads"),
            head_width=head_width,
            mlp_width=mixed or fields.size("mlp_width"),
            qkv_bias=biased or bool(self.qkv_bias),
            output_bias=biased and self.output_bias,
            mlp_bias=self.mlp_bias is None and fields.flag("mlp_bias", False),
            qk_norm=self.qk_norm,
            wide_qk_norm=self.wide_qk_norm,
            norms_per_layer=self.norms_per_layer,
            norm_bias=self.norm_bias,
            tied=fields.flag("tie_word_embeddings", self.tied),
            head=has_head(fields),
        )

    def __call__(self, fields: Fields) -> Architecture:
        """Read a model of this kind."""
        return self.sizes(fields)


@dataclass(frozen=True)
class MixtureKind(LlamaKind):
    """The same for a model type whose layers hold experts."""

    shared_gate: bool = False
    mlp_is_expert: bool = False
    """Whether the field of the MLP's width gives that of an expert."""

    def __call__(self, fields: Fields) -> Architecture:
        """Read a model of this kind."""
        fields.refuse_unless("decoder_sparse_step", 1, "experts in some layers only are not counted here")
        fields.refuse_unless("mlp_only_layers", [], "experts in some layers only are not counted here")
        fields.refuse_unless("moe_layer_freq", 1, "experts in some layers only are not counted here")
        plain = self.sizes(fields)
        width = plain.mlp_width if self.mlp_is_expert else fields.size("expert_width")
        return Mixture(**_values(plain), **self.experts(fields, width))

    def experts(self, fields: Fields, width: int) -> dict[str, Any]:
        """Read the experts, the shared ones with them."""
        shared = fields.number("shared_expert_intermediate_size", 0)
        return {
            "experts": fields.size("experts"),
            "active": fields.size("active"),
            "expert_width": width,
            "shared_width": shared or fields.number("n_shared_experts", 0) * width,
            "shared_gate": self.shared_gate,
            "dense_layers": fields.number("first_k_dense_replace", 0),
        }


@dataclass(frozen=True)
class LatentKind(MixtureKind):
    """The DeepSeek models."""

    def __call__(self, fields: Fields) -> Architecture:
        """Read a model of this kind."""
        fields.refuse_unless("moe_layer_freq", 1, "experts in some layers only are not counted here")
        if fields.number("num_nextn_predict_layers", 0):
            fields.notes.append("layers that predict later tokens are in the file, not in the count")
        sizes = _values(self.sizes(fields))
        nope, rope = fields.size("nope_width"), fields.size("rope_width")
        sizes["head_width"] = nope + rope
        return Latent(
            **sizes,
            **self.experts(fields, fields.size("expert_width")),
            q_rank=fields.nullable_size("q_rank"),
            kv_rank=fields.size("kv_rank"),
            nope_width=nope,
            rope_width=rope,
            value_width=fields.size("value_width"),
        )


def _values(model: Llama) -> dict[str, Any]:
    return {field.name: getattr(model, field.name) for field in dataclass_fields(model)}


@dataclass(frozen=True)
class StackKind:
    """What a model type of layer norms and a plain MLP does without saying so in its config."""

    tied: bool = False
    biases: bool | str = True
    """A field's name where the config decides."""
    norms_per_layer: int = 2
    embedding_norm: bool = False
    scheme: Literal["rotary", "learned", "alibi"] = "rotary"
    offset: int = 0
    """Rows of the position table that the config does not count."""
    head_bias: bool = False
    plain: tuple[str, ...] = ()
    """Fields that must be false: what they switch on is not counted here."""

    def __call__(self, fields: Fields) -> Architecture:
        """Read a model of this kind."""
        return self.stack(fields)

    def stack(self, fields: Fields, **changed: Any) -> Stack:
        """Read the sizes; ``changed`` overrides what the config decides by fields of its own."""
        for name in self.plain:
            fields.refuse_unless(name, False, "what it switches on is not counted here")
        learned = self.scheme == "learned"
        sizes: dict[str, Any] = {
            "V": fields.size("V"),
            "D": fields.size("D"),
            "layers": fields.size("layers"),
            "heads": fields.size("heads"),
            "mlp_width": fields.optional_size("mlp_width"),
            "kv_heads": fields.optional_size("kv_heads"),
            "biases": fields.flag(self.biases, True) if isinstance(self.biases, str) else self.biases,
            "norms_per_layer": self.norms_per_layer,
            "embedding_norm": self.embedding_norm,
            "scheme": self.scheme,
            "max_positions": fields.size("max_positions") + self.offset if learned else None,
            "head_bias": self.head_bias,
            "tied": fields.flag("tie_word_embeddings", self.tied),
            "head": has_head(fields),
        }
        return Stack(**{**sizes, **changed})


class OptKind(StackKind):
    """OPT: learned positions with two rows more than the config counts."""

    def __call__(self, fields: Fields) -> Architecture:
        """Read a model of this kind."""
        fields.refuse_unless("do_layer_norm_before", True, "the 350M model has other norms")
        fields.refuse_unless("word_embed_proj_dim", fields.size("D"), "a narrower table has projections")
        fields.refuse_unless("enable_bias", True, "biases are counted")
        fields.refuse_unless("layer_norm_elementwise_affine", True, "gains are counted")
        return self.stack(fields)


class FalconKind(StackKind):
    """Falcon: its flags decide on heads, norms, biases and the scheme."""

    def __call__(self, fields: Fields) -> Architecture:
        """Read a model of this kind."""
        alibi = fields.flag("alibi", False)
        newer = fields.flag("new_decoder_architecture", False)
        if newer:
            heads = fields.number("num_kv_heads", 0) or fields.number("n_head_kv", 0) or fields.size("heads")
            norms = fields.number("num_ln_in_parallel_attn", 2)
        else:
            heads = 1 if fields.flag("multi_query", True) else fields.size("heads")
            norms = 1 if fields.flag("parallel_attn", True) else 2
        return self.stack(
            fields,
            kv_heads=heads,
            norms_per_layer=norms,
            biases=fields.flag("bias", False),
            scheme="alibi" if alibi else "rotary",
        )
