"""Configurations as their publishers wrote them, cut down to the fields that the lab reads."""

from __future__ import annotations

from typing import Any

_GPT2 = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "vocab_size": 50257,
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_positions": 1024,
    "n_ctx": 1024,
}
_BERT = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "vocab_size": 30522,
    "hidden_size": 384,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}
_LLAMA_31 = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 128256,
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
}
_QWEN2 = {
    "model_type": "qwen2",
    "vocab_size": 151936,
    "hidden_size": 896,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "intermediate_size": 4864,
    "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
    "rope_theta": 1000000.0,
    "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"},
}
_GEMMA = {
    "model_type": "gemma",
    "vocab_size": 256000,
    "hidden_size": 2048,
    "num_hidden_layers": 18,
    "num_attention_heads": 8,
    "num_key_value_heads": 1,
    "head_dim": 256,
    "intermediate_size": 16384,
    "max_position_embeddings": 8192,
}
_DISTILBERT = {
    "model_type": "distilbert",
    "vocab_size": 30522,
    "dim": 768,
    "n_layers": 6,
    "n_heads": 12,
    "hidden_dim": 3072,
    "max_position_embeddings": 512,
}
_LLAMA_2 = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "max_position_embeddings": 4096,
    "rope_scaling": None,
}
_GPT_OSS = {
    "head_dim": 64,
    "hidden_size": 2880,
    "num_attention_heads": 64,
    "max_position_embeddings": 131072,
    "rope_theta": 150000,
    "rope_scaling": {
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "factor": 32.0,
        "original_max_position_embeddings": 4096,
        "rope_type": "yarn",
        "truncate": False,
    },
}
_LINEAR = {
    "head_dim": 128,
    "max_position_embeddings": 16384,
    "rope_scaling": {"type": "linear", "factor": 4.0},
}
_DYNAMIC = {
    "head_dim": 64,
    "max_position_embeddings": 2048,
    "rope_scaling": {"type": "dynamic", "factor": 2.0},
}
_LONG = {
    "hidden_size": 96,
    "num_attention_heads": 8,
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
    "rope_theta": 10000.0,
    "rope_scaling": {
        "type": "longrope",
        "short_factor": [1.0, 1.05, 1.1, 1.2, 1.3, 1.4],
        "long_factor": [1.0, 1.5, 4.0, 16.0, 30.0, 40.0],
    },
}

COUNTED: tuple[dict[str, Any], ...] = (_GPT2, _BERT, _LLAMA_31, _QWEN2, _GEMMA, _DISTILBERT)
ROTATED: tuple[dict[str, Any], ...] = (
    _LLAMA_2,
    _LLAMA_31,
    _QWEN2,
    _GPT_OSS,
    _LINEAR,
    _DYNAMIC,
    _LONG,
    _GEMMA,
    _GPT2,
)
