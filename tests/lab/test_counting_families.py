"""Families beyond GPT-2, BERT and Llama: each against a total that its published file holds."""

from __future__ import annotations

import dataclasses

import pytest

from lab.counting import MODELS, Latent, Llama, Mixture, Stack, from_config, read_config, sequence_memory

SIZES = {
    "gemma2": {
        "vocab_size": 256000, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
    },
    "gemma3_text": {
        "vocab_size": 262144, "hidden_size": 1152, "intermediate_size": 6912, "num_hidden_layers": 26,
        "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
    },
    "gpt_neox": {
        "vocab_size": 50304, "hidden_size": 512, "intermediate_size": 2048, "num_hidden_layers": 6,
        "num_attention_heads": 8,
    },
    "olmo": {
        "vocab_size": 50304, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
        "num_attention_heads": 16, "num_key_value_heads": 16, "tie_word_embeddings": True,
    },
    "olmo2": {
        "vocab_size": 100352, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32,
    },
    "opt": {
        "vocab_size": 50272, "hidden_size": 768, "ffn_dim": 3072, "num_hidden_layers": 12,
        "num_attention_heads": 12, "max_position_embeddings": 2048, "word_embed_proj_dim": 768,
    },
    "bloom": {"vocab_size": 250880, "hidden_size": 1024, "n_layer": 24, "n_head": 16},
    "t5": {
        "vocab_size": 32128, "d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6, "num_heads": 8,
        "relative_attention_num_buckets": 32,
    },
    "phi": {
        "vocab_size": 51200, "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32,
        "num_attention_heads": 32,
    },
    "falcon": {
        "vocab_size": 65024, "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
        "multi_query": True, "parallel_attn": True, "bias": False, "new_decoder_architecture": False,
        "alibi": False, "num_kv_heads": 71,
    },
    "modernbert": {
        "vocab_size": 50368, "hidden_size": 768, "intermediate_size": 1152, "num_hidden_layers": 22,
        "num_attention_heads": 12, "architectures": ["ModernBertForMaskedLM"],
    },
    "mixtral": {
        "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 8,
        "num_experts_per_tok": 2,
    },
    "deepseek_v3": {
        "vocab_size": 129280, "hidden_size": 7168, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128,
        "num_key_value_heads": 128, "n_shared_experts": 1, "n_routed_experts": 256, "kv_lora_rank": 512,
        "q_lora_rank": 1536, "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1,
        "num_nextn_predict_layers": 1,
    },
    "qwen3_moe": {
        "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768,
        "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
        "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
    },
    "qwen2_moe": {
        "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 5632, "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632, "num_hidden_layers": 24, "num_attention_heads": 16,
        "num_key_value_heads": 16, "num_experts": 60, "num_experts_per_tok": 4, "decoder_sparse_step": 1,
    },
    "deepseek_v2": {
        "vocab_size": 102400, "hidden_size": 2048, "intermediate_size": 10944,
        "moe_intermediate_size": 1408, "num_hidden_layers": 27, "num_attention_heads": 16,
        "num_key_value_heads": 16, "n_shared_experts": 2, "n_routed_experts": 64, "kv_lora_rank": 512,
        "q_lora_rank": None, "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128,
        "num_experts_per_tok": 6, "first_k_dense_replace": 1,
    },
    "stablelm": {
        "vocab_size": 50304, "hidden_size": 2560, "intermediate_size": 6912, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32, "use_qkv_bias": False,
    },
    "starcoder2": {
        "vocab_size": 49152, "hidden_size": 3072, "intermediate_size": 12288, "num_hidden_layers": 30,
        "num_attention_heads": 24, "num_key_value_heads": 2, "use_bias": True,
    },
    "glm4": {
        "vocab_size": 151552, "hidden_size": 4096, "intermediate_size": 13696, "num_hidden_layers": 40,
        "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "attention_bias": True,
    },
    "cohere": {
        "vocab_size": 256000, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8,
    },
    "olmoe": {
        "vocab_size": 50304, "hidden_size": 2048, "intermediate_size": 1024, "num_hidden_layers": 16,
        "num_attention_heads": 16, "num_key_value_heads": 16, "num_experts": 64, "num_experts_per_tok": 8,
    },
}  # fmt: skip
"""Sizes as the published config.json has them, by model type."""

PUBLISHED = {
    "gemma2": 2_614_341_888,  # Gemma 2 2B
    "gemma3_text": 999_885_952,  # Gemma 3 1B
    "gpt_neox": 70_426_624,  # Pythia 70M
    "olmo": 1_176_764_416,  # OLMo 1B
    "olmo2": 7_298_617_344,  # OLMo 2 7B
    "opt": 125_239_296,  # OPT 125M
    "bloom": 559_214_592,  # BLOOM 560M
    "t5": 60_506_624,  # T5 small
    "phi": 2_779_683_840,  # Phi-2
    "falcon": 6_921_720_704,  # Falcon 7B
    "modernbert": 149_655_232,  # ModernBERT base
    "mixtral": 46_702_792_704,  # Mixtral 8x7B
    "deepseek_v3": 671_026_404_352,  # DeepSeek-V3
    "qwen3_moe": 30_532_122_624,  # Qwen3 30B-A3B
    "qwen2_moe": 14_315_784_192,  # Qwen1.5 MoE A2.7B
    "deepseek_v2": 15_706_484_224,  # DeepSeek-V2-Lite
    "stablelm": 2_795_443_200,  # StableLM 3B
    "starcoder2": 3_030_371_328,  # StarCoder2 3B
    "glm4": 9_400_279_040,  # GLM-4 9B
    "cohere": 8_028_033_024,  # Aya 23 8B
    "olmoe": 6_919_161_856,  # OLMoE 1B-7B
}
"""What ``num_parameters()`` of transformers 5.24 gives for models built from these sizes."""


@pytest.mark.parametrize("kind", PUBLISHED)
def test_published_totals(kind):
    model = from_config({"model_type": kind, **SIZES[kind]})
    assert model.parameters == PUBLISHED[kind]
    assert sum(part.parameters for part in model.parts()) == model.parameters


@pytest.mark.parametrize(
    ("key", "active"),
    [("mixtral-8x7b", 12_879_925_248), ("qwen3-30b-a3b", 3_353_032_704), ("deepseek-v3", 37_552_282_624)],
)
def test_active_parameters_of_mixtures(key, active):
    """The names say 12.9, 3.3 and 37 billion. Mixtral: 32 layers leave 6 of 8 experts of 3 · 4,096 · 14,336
    numbers idle, 46,702,792,704 − 33,822,867,456.
    """
    model = MODELS[key].architecture
    assert model.active_parameters == active
    assert model.idle_parameters == model.parameters - active
    assert dataclasses.replace(model, active=model.experts).active_parameters == model.parameters


def test_a_dense_model_is_all_active():
    model = MODELS["llama-3-8b"].architecture
    assert model.active_parameters == model.parameters


@pytest.mark.parametrize("key", MODELS)
def test_formulas_are_the_counts(key):
    """Each part's formula, with its numbers in it, is what the part counts."""
    for part in MODELS[key].architecture.parts():
        written = part.numbers.replace(",", "").replace("·", "*").replace("²", "**2").replace("−", "-")
        assert eval(written) == part.parameters, part.name


def test_text_parts_of_larger_files():
    """Gemma 3 4B: what its text_config leaves out the class has, 262,208 rows among it."""
    text = {
        "model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
    }  # fmt: skip
    found = read_config({"model_type": "gemma3", "text_config": text, "vision_config": {"hidden_size": 1152}})
    assert found.architecture.parameters == 3_880_263_168  # of transformers 5.24, from the same file
    assert any("text_config" in note for note in found.notes)
    assert any("num_attention_heads 8" in note for note in found.notes)
    with pytest.raises(ValueError, match="the config has no head_dim"):
        read_config(text)  # a file of this type alone gives them


def test_llava_is_a_llama_7b_in_its_text_part():
    """LLaVA 1.5 7B: a vocabulary of 32,064 on the sizes of Llama 2 7B, 6,738,415,616 + 2 · 64 · 4,096."""
    text = {"model_type": "llama", "max_position_embeddings": 4096, "vocab_size": 32064}
    found = read_config({"model_type": "llava", "text_config": text})
    assert found.architecture.parameters == 6_738_415_616 + 2 * 64 * 4096


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("mixtral", {"num_experts_per_tok": 9}, "9 experts are active, but there are 8"),
        ("mixtral", {"num_local_experts": None}, "the config has no num_local_experts"),
        ("qwen3_moe", {"decoder_sparse_step": 2}, "decoder_sparse_step must be 1"),
        ("qwen3_moe", {"mlp_only_layers": [0]}, r"mlp_only_layers must be ‘\[\]’"),
        ("deepseek_v3", {"first_k_dense_replace": 62}, "62 layers have no experts, but there are 61"),
        ("deepseek_v3", {"kv_lora_rank": None}, "the config has no kv_lora_rank"),
        ("deepseek_v3", {"q_lora_rank": "no"}, "q_lora_rank must be a whole number"),
        ("deepseek_v3", {"n_shared_experts": -1}, "n_shared_experts must be a whole number from 0"),
        ("opt", {"word_embed_proj_dim": 512}, "word_embed_proj_dim must be 768"),
        ("opt", {"do_layer_norm_before": False}, "do_layer_norm_before must be true"),
        ("phi", {"qk_layernorm": True}, "qk_layernorm must be false"),
        ("stablelm", {"use_parallel_residual": True}, "use_parallel_residual must be false"),
        ("falcon", {"bias": 1}, "bias must be true or false"),
        ("falcon", {"num_attention_heads": 70}, "4,544 is not divisible by 70"),
        ("t5", {"feed_forward_proj": 3}, "feed_forward_proj must be text"),
        ("modernbert", {"mlp_bias": True}, "mlp_bias must be false"),
    ],
)
def test_what_is_not_counted_is_refused_by_name(kind, change, message):
    with pytest.raises(ValueError, match=message):
        from_config({"model_type": kind, **SIZES[kind], **change})


def test_a_rank_of_null_is_not_a_missing_one():
    """DeepSeek-V2-Lite says null: its queries come from the row itself; the class would take 1,536."""
    config = {"model_type": "deepseek_v2", **SIZES["deepseek_v2"]}
    del config["q_lora_rank"]
    with pytest.raises(ValueError, match="the config has no q_lora_rank; null stands for none"):
        from_config(config)


def test_sizes_that_contradict_each_other():
    with pytest.raises(ValueError, match="3 query heads do not split evenly over 2 key heads"):
        Stack(V=10, D=6, layers=1, heads=3, kv_heads=2)
    with pytest.raises(ValueError, match="norms_per_layer must be 1 or 2"):
        Stack(V=10, D=6, layers=1, heads=3, norms_per_layer=3)
    with pytest.raises(ValueError, match="a learned table has them"):
        Stack(V=10, D=6, layers=1, heads=3, scheme="learned")
    with pytest.raises(ValueError, match="norms_per_layer must be from 0 to 8"):
        Llama(V=10, D=6, layers=1, heads=3, mlp_width=2, norms_per_layer=9)
    with pytest.raises(ValueError, match="shared_width must be a whole number of at least 0"):
        Mixture(
            V=10, D=6, layers=1, heads=3, mlp_width=2, experts=2, active=1, expert_width=2, shared_width=-1
        )


# memory beside the weights


@pytest.mark.parametrize(
    ("key", "per_token"),
    [
        ("gpt2", 2 * 12 * 768),
        ("llama-2-7b", 2 * 32 * 4096),
        ("llama-3-8b", 2 * 32 * 8 * 128),
        ("falcon-7b", 2 * 32 * 64),
        ("deepseek-v3", 61 * (512 + 64)),
        ("t5-small", 2 * 6 * 512),
    ],
)
def test_keys_and_values(key, per_token):
    """Both, of every layer and key head; one key head in Falcon, one short vector in DeepSeek."""
    model = MODELS[key].architecture
    assert sequence_memory(model, 1).cache == per_token
    assert sequence_memory(model, 1000, batch=3).cache == 3000 * per_token


def test_memory_in_bytes():
    """Llama 3 8B at 8,192 tokens as bfloat16: 65,536 numbers per token are 1 GiB, the scores 4."""
    taken = sequence_memory(MODELS["llama-3-8b"].architecture, 8192)
    assert taken.bytes("cache", "bfloat16") == 2**30
    assert taken.bytes("scores", "bfloat16") == 2**32
    assert taken.rows == 8192 * 33 * 4096
    assert sequence_memory(MODELS["llama-3-8b"].architecture, 8192, batch=2).scores == 2 * taken.scores
    assert sequence_memory(MODELS["bert-base"].architecture, 512).cache == 0


@pytest.mark.parametrize("asked", [(0, 1), (1, 0), (2**24 + 1, 1), (1, 2**16 + 1)])
def test_lengths_that_are_none(asked):
    with pytest.raises(ValueError, match="must be"):
        sequence_memory(MODELS["gpt2"].architecture, *asked)


def test_latent_attention_by_hand():
    """D = 8, 2 heads, ranks 4 and 3, parts 2 + 2, values 5, one layer: 8·4 + 4 + 4·2·4 down and up for the
    queries, 8·(3 + 2) + 3 + 3·2·(2 + 5) for keys and values, 2·5·8 out.
    """
    model = Latent(
        V=10, D=8, layers=1, heads=2, mlp_width=6, experts=2, active=1, expert_width=2, dense_layers=1,
        q_rank=4, kv_rank=3, nope_width=2, rope_width=2, value_width=5,
    )  # fmt: skip
    parts = {part.key: part.parameters for part in model.parts()}
    assert parts["attention"] == 8 * 4 + 4 + 4 * 2 * 4 + 8 * 5 + 3 + 3 * 2 * 7 + 2 * 5 * 8
    assert parts["experts"] == 0
    assert parts["mlp"] == 3 * 8 * 6
