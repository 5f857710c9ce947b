"""Architectures read from config.json, and what is refused by name."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.counting import MODEL_TYPES, MODELS, from_config, from_config_text, read_config

GPT2_CONFIG = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "vocab_size": 50257,
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_positions": 1024,
    "n_ctx": 1024,
}
BERT_CONFIG = {
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
LLAMA_CONFIG = {
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
}
QWEN2_CONFIG = {
    "model_type": "qwen2",
    "vocab_size": 151936,
    "hidden_size": 896,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "intermediate_size": 4864,
    "tie_word_embeddings": True,
}


@pytest.mark.parametrize(
    ("config", "key"),
    [
        (GPT2_CONFIG, "gpt2"),
        (BERT_CONFIG, "bge-small"),
        (LLAMA_CONFIG, "llama-3-8b"),
        (QWEN2_CONFIG, "qwen2.5-0.5b"),
        (
            LLAMA_CONFIG
            | {
                "model_type": "mistral",
                "architectures": ["MistralForCausalLM"],
                "vocab_size": 32000,
                "head_dim": None,
            },
            "mistral-7b",
        ),
        (
            QWEN2_CONFIG
            | {
                "model_type": "qwen3",
                "hidden_size": 1024,
                "num_hidden_layers": 28,
                "num_attention_heads": 16,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "intermediate_size": 3072,
            },
            "qwen3-0.6b",
        ),
        (
            {
                "model_type": "distilbert",
                "vocab_size": 30522,
                "dim": 768,
                "n_layers": 6,
                "n_heads": 12,
                "hidden_dim": 3072,
                "max_position_embeddings": 512,
            },
            "distilbert",
        ),
        (
            {
                "model_type": "gemma",
                "vocab_size": 256000,
                "hidden_size": 2048,
                "num_hidden_layers": 18,
                "num_attention_heads": 8,
                "num_key_value_heads": 1,
                "head_dim": 256,
                "intermediate_size": 16384,
            },
            "gemma-2b",
        ),
        (
            BERT_CONFIG
            | {
                "model_type": "roberta",
                "architectures": ["RobertaModel"],
                "vocab_size": 50265,
                "hidden_size": 768,
                "intermediate_size": 3072,
                "max_position_embeddings": 514,
                "type_vocab_size": 1,
            },
            "roberta-base",
        ),
        (
            {
                "model_type": "phi3",
                "vocab_size": 32064,
                "hidden_size": 3072,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "intermediate_size": 8192,
            },
            "phi-3-mini",
        ),
    ],
)
def test_configs_of_published_models(config, key):
    assert from_config(config).parameters == MODELS[key].published
    assert from_config_text(json.dumps(config)) == from_config(config)


def test_old_and_new_names_are_the_same():
    new = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
    old = {
        key: value
        for key, value in GPT2_CONFIG.items()
        if key not in ("n_embd", "n_layer", "n_head", "n_ctx")
    }
    assert from_config(old | new) == from_config(GPT2_CONFIG)
    with pytest.raises(ValueError, match=r"disagree: hidden_size 512, n_embd 768"):
        from_config(GPT2_CONFIG | {"hidden_size": 512})


def test_the_class_decides_about_the_head():
    base = from_config(LLAMA_CONFIG | {"architectures": ["LlamaModel"]})
    assert base.parameters == 8_030_261_248 - 128_256 * 4096
    masked = BERT_CONFIG | {
        "architectures": ["BertForMaskedLM"],
        "hidden_size": 768,
        "intermediate_size": 3072,
    }
    assert from_config(masked).parameters == 109_514_298
    for name in ("BertForSequenceClassification", "BertLMHeadModel", "BertForPreTraining"):
        with pytest.raises(ValueError, match=f"architectures names ‘{name}’"):
            from_config(BERT_CONFIG | {"architectures": [name]})
    with pytest.raises(ValueError, match="GPT2DoubleHeadsModel"):
        from_config(GPT2_CONFIG | {"architectures": ["GPT2DoubleHeadsModel"]})


@pytest.mark.parametrize(
    ("changed", "skipped"),
    [
        ({}, 0),
        ({"model_type": "roberta"}, 2),
        ({"model_type": "camembert", "pad_token_id": None}, 2),
        ({"model_type": "xlm-roberta", "pad_token_id": 0}, 1),
        ({"model_type": "roberta", "pad_token_id": 5}, 6),
        ({"model_type": "roberta", "pad_token_id": -1}, 2),
        ({"model_type": "bert", "pad_token_id": 5}, 0),
    ],
)
def test_rows_before_the_first_token_s(changed, skipped):
    """RoBERTa and its kin number positions from behind the padding id, 1 where the file says none."""
    sizes = {"vocab_size": 100, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    more = {"intermediate_size": 16, "max_position_embeddings": 9, "type_vocab_size": 1}
    config = {"model_type": "bert", **sizes, **more}
    assert read_config({**config, **changed}).skipped == skipped


def test_published_models_skip_the_same_rows():
    """OPT's table has two rows more than positions; of 514 rows RoBERTa's tokens use 512."""
    skipping = {key: model.skipped for key, model in MODELS.items() if model.skipped}
    assert skipping == {"roberta-base": 2, "opt-125m": 2}
    opt = {
        "model_type": "opt", "vocab_size": 50_272, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "ffn_dim": 3072, "max_position_embeddings": 2048,
        "word_embed_proj_dim": 768,
    }  # fmt: skip
    found = read_config(opt)
    assert (found.skipped, found.architecture.max_positions) == (2, 2050)


def test_llama_biases_are_read():
    """attention_bias: 4 x 4,096 minus the narrower k and v, in each layer; mlp_bias: 2 F + D."""
    biased = from_config(LLAMA_CONFIG | {"attention_bias": True, "mlp_bias": True})
    assert biased.parameters - 8_030_261_248 == 32 * (2 * 4096 + 2 * 1024 + 2 * 14_336 + 4096)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocab_size": True}, "vocab_size must be a whole number from 1 to .*; got true"),
        ({"vocab_size": "50257"}, "vocab_size must be .*; got ‘50257’"),
        ({"n_embd": -768}, "n_embd must be .*; got −768"),
        ({"n_layer": 12.0}, r"n_layer must be .*; got 12\.0"),
        ({"n_head": 0}, "n_head must be .*; got 0"),
        ({"n_layer": 10**9}, "n_layer must be a whole number from 1 to 10,000; got 1,000,000,000"),
        ({"vocab_size": 10**5000}, "vocab_size must be .*; got a number of more than 15 digits"),
        ({"vocab_size": float("nan")}, "vocab_size must be .*; got NaN"),
        ({"n_positions": [1024]}, r"n_positions must be .*; got ‘\[1024\]’"),
        ({"n_embd": None}, r"the config has no hidden_size \(or n_embd, .*dim\)"),
        ({"n_embd": 770}, "770 is not divisible by 12"),
        ({"tie_word_embeddings": 1}, "tie_word_embeddings must be true or false; got 1"),
        ({"add_cross_attention": True}, "add_cross_attention must be false or missing"),
        ({"model_type": "mamba"}, "model_type must be one of bert, .*; got ‘mamba’"),
        ({"model_type": None}, "model_type must be one of .*; got null"),
        ({"model_type": ["gpt2"]}, "model_type must be one of"),
        ({"architectures": "GPT2LMHeadModel"}, "architectures must be a list of one class name"),
        ({"architectures": ["A" * 1000]}, "architectures names ‘AAA.*…’, whose head"),
    ],
)
def test_configs_that_are_refused_by_name(change, message):
    with pytest.raises(ValueError, match=message):
        from_config(GPT2_CONFIG | change)


def test_settings_with_tables_of_their_own_are_refused():
    with pytest.raises(ValueError, match="position_embedding_type must be ‘absolute’"):
        from_config(BERT_CONFIG | {"position_embedding_type": "relative_key"})
    for field in ("num_key_value_heads", "intermediate_size"):
        with pytest.raises(ValueError, match=f"the config has no {field}"):
            from_config({key: value for key, value in QWEN2_CONFIG.items() if key != field})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing was pasted"),
        ('{"vocab_size": 1,\n oops}', "at line 2, column 2"),
        ("[1, 2]", "must be an object"),
        ('"gpt2"', "must be an object"),
        ('{"vocab_size": NaN}', "‘NaN’ is not a number"),
        (
            '{"model_type": "gpt2", "vocab_size": ' + "9" * 5000 + "}",
            "vocab_size must be a whole number from 1 to .*; got an infinite number",
        ),
        ("[" * 100_000, "nested more than 100 deep"),
        (" " * 1_000_001, "1,000,001"),
    ],
)
def test_texts_that_are_no_config(text, message):
    with pytest.raises(ValueError, match=message):
        from_config_text(text)


@given(
    kind=st.sampled_from(MODEL_TYPES),
    config=st.dictionaries(
        st.sampled_from(sorted({*GPT2_CONFIG, *BERT_CONFIG, *LLAMA_CONFIG, "head_dim", "n_inner"})),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers())
        ),
    ),
)
@settings(deadline=None, max_examples=40)
def test_any_config_is_read_or_refused(kind, config):
    """Nothing but a ValueError comes out of a config that cannot be read."""
    try:
        model = from_config(config | {"model_type": kind})
    except ValueError:
        return
    assert model.parameters > 0
