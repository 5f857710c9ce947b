"""Published models, and the totals that their files hold."""

from __future__ import annotations

from dataclasses import dataclass

from lab.counting.architectures import BERT, GPT2
from lab.counting.encoders import T5, ModernBERT
from lab.counting.llama import Llama
from lab.counting.mixture import Latent, Mixture
from lab.counting.parts import Architecture
from lab.counting.stack import Stack


@dataclass(frozen=True)
class Model:
    """A published model: its sizes, and its total to compare with."""

    title: str
    published: int
    """Parameters that the named class of transformers reports (``num_parameters()``), a tied table once.
    Files may hold more: a BERT file adds an id for each position, 512 numbers that are no parameters."""
    source: str
    """Model repository and class."""
    architecture: Architecture
    skipped: int = 0
    """Rows of the position table before that of the first token: no token ever stands there."""


def _gpt2(D: int, layers: int, heads: int) -> GPT2:
    return GPT2(V=50_257, D=D, layers=layers, heads=heads, max_positions=1024)


def _bert(D: int, layers: int, heads: int) -> BERT:
    return BERT(V=30_522, D=D, layers=layers, heads=heads, max_positions=512)


MODELS: dict[str, Model] = {
    "gpt2": Model("GPT-2 small", 124_439_808, "openai-community/gpt2, GPT2LMHeadModel", _gpt2(768, 12, 12)),
    "gpt2-medium": Model(
        "GPT-2 medium", 354_823_168, "openai-community/gpt2-medium, GPT2LMHeadModel", _gpt2(1024, 24, 16)
    ),
    "gpt2-large": Model(
        "GPT-2 large", 774_030_080, "openai-community/gpt2-large, GPT2LMHeadModel", _gpt2(1280, 36, 20)
    ),
    "gpt2-xl": Model(
        "GPT-2 XL", 1_557_611_200, "openai-community/gpt2-xl, GPT2LMHeadModel", _gpt2(1600, 48, 25)
    ),
    "bert-base": Model(
        "BERT base", 109_482_240, "google-bert/bert-base-uncased, BertModel", _bert(768, 12, 12)
    ),
    "bert-large": Model(
        "BERT large", 335_141_888, "google-bert/bert-large-uncased, BertModel", _bert(1024, 24, 16)
    ),
    "distilbert": Model(
        "DistilBERT base",
        66_362_880,
        "distilbert/distilbert-base-uncased, DistilBertModel",
        BERT(V=30_522, D=768, layers=6, heads=12, max_positions=512, token_types=0, pooler=False),
    ),
    "roberta-base": Model(
        "RoBERTa base",
        124_645_632,
        "FacebookAI/roberta-base, RobertaModel",
        BERT(V=50_265, D=768, layers=12, heads=12, max_positions=514, token_types=1),
        skipped=2,
    ),
    "minilm-l6": Model(
        "MiniLM-L6", 22_713_216, "sentence-transformers/all-MiniLM-L6-v2, BertModel", _bert(384, 6, 12)
    ),
    "bge-small": Model("bge-small", 33_360_000, "BAAI/bge-small-en-v1.5, BertModel", _bert(384, 12, 12)),
    "smollm2-135m": Model(
        "SmolLM2 135M",
        134_515_008,
        "HuggingFaceTB/SmolLM2-135M, LlamaForCausalLM",
        Llama(V=49_152, D=576, layers=30, heads=9, kv_heads=3, mlp_width=1536),
    ),
    "llama-2-7b": Model(
        "Llama 2 7B",
        6_738_415_616,
        "meta-llama/Llama-2-7b-hf, LlamaForCausalLM",
        Llama(V=32_000, D=4096, layers=32, heads=32, mlp_width=11_008, tied=False),
    ),
    "llama-2-70b": Model(
        "Llama 2 70B",
        68_976_648_192,
        "meta-llama/Llama-2-70b-hf, LlamaForCausalLM",
        Llama(V=32_000, D=8192, layers=80, heads=64, kv_heads=8, mlp_width=28_672, tied=False),
    ),
    "llama-3-8b": Model(
        "Llama 3 8B",
        8_030_261_248,
        "meta-llama/Meta-Llama-3-8B, LlamaForCausalLM",
        Llama(V=128_256, D=4096, layers=32, heads=32, kv_heads=8, mlp_width=14_336, tied=False),
    ),
    "llama-3.2-1b": Model(
        "Llama 3.2 1B",
        1_235_814_400,
        "meta-llama/Llama-3.2-1B, LlamaForCausalLM",
        Llama(V=128_256, D=2048, layers=16, heads=32, kv_heads=8, mlp_width=8192),
    ),
    "mistral-7b": Model(
        "Mistral 7B",
        7_241_732_096,
        "mistralai/Mistral-7B-v0.1, MistralForCausalLM",
        Llama(V=32_000, D=4096, layers=32, heads=32, kv_heads=8, mlp_width=14_336, tied=False),
    ),
    "qwen2.5-0.5b": Model(
        "Qwen2.5 0.5B",
        494_032_768,
        "Qwen/Qwen2.5-0.5B, Qwen2ForCausalLM",
        Llama(V=151_936, D=896, layers=24, heads=14, kv_heads=2, mlp_width=4864, qkv_bias=True),
    ),
    "qwen2.5-7b": Model(
        "Qwen2.5 7B",
        7_615_616_512,
        "Qwen/Qwen2.5-7B, Qwen2ForCausalLM",
        Llama(
            V=152_064,
            D=3584,
            layers=28,
            heads=28,
            kv_heads=4,
            mlp_width=18_944,
            qkv_bias=True,
            tied=False,
        ),
    ),
    "qwen3-0.6b": Model(
        "Qwen3 0.6B",
        596_049_920,
        "Qwen/Qwen3-0.6B, Qwen3ForCausalLM",
        Llama(
            V=151_936,
            D=1024,
            layers=28,
            heads=16,
            kv_heads=8,
            head_width=128,
            mlp_width=3072,
            qk_norm=True,
        ),
    ),
    "gemma-2b": Model(
        "Gemma 2B",
        2_506_172_416,
        "google/gemma-2b, GemmaForCausalLM",
        Llama(V=256_000, D=2048, layers=18, heads=8, kv_heads=1, head_width=256, mlp_width=16_384),
    ),
    "phi-3-mini": Model(
        "Phi-3 mini",
        3_821_079_552,
        "microsoft/Phi-3-mini-4k-instruct, Phi3ForCausalLM",
        Llama(V=32_064, D=3072, layers=32, heads=32, mlp_width=8192, tied=False),
    ),
    "gemma-2-2b": Model(
        "Gemma 2 2B",
        2_614_341_888,
        "google/gemma-2-2b, Gemma2ForCausalLM",
        Llama(
            V=256_000,
            D=2304,
            layers=26,
            heads=8,
            kv_heads=4,
            head_width=256,
            mlp_width=9216,
            norms_per_layer=4,
        ),
    ),
    "gemma-3-1b": Model(
        "Gemma 3 1B",
        999_885_952,
        "google/gemma-3-1b-it, Gemma3ForCausalLM",
        Llama(
            V=262_144,
            D=1152,
            layers=26,
            heads=4,
            kv_heads=1,
            head_width=256,
            mlp_width=6912,
            norms_per_layer=4,
            qk_norm=True,
        ),
    ),
    "pythia-70m": Model(
        "Pythia 70M",
        70_426_624,
        "EleutherAI/pythia-70m, GPTNeoXForCausalLM",
        Stack(V=50_304, D=512, layers=6, heads=8, tied=False),
    ),
    "olmo-1b": Model(
        "OLMo 1B",
        1_176_764_416,
        "allenai/OLMo-1B-hf, OlmoForCausalLM",
        Llama(V=50_304, D=2048, layers=16, heads=16, mlp_width=8192, norms_per_layer=0),
    ),
    "olmo-2-7b": Model(
        "OLMo 2 7B",
        7_298_617_344,
        "allenai/OLMo-2-1124-7B, Olmo2ForCausalLM",
        Llama(V=100_352, D=4096, layers=32, heads=32, mlp_width=11_008, wide_qk_norm=True, tied=False),
    ),
    "opt-125m": Model(
        "OPT 125M",
        125_239_296,
        "facebook/opt-125m, OPTForCausalLM",
        Stack(V=50_272, D=768, layers=12, heads=12, scheme="learned", max_positions=2050),
        skipped=2,
    ),
    "bloom-560m": Model(
        "BLOOM 560M",
        559_214_592,
        "bigscience/bloom-560m, BloomForCausalLM",
        Stack(V=250_880, D=1024, layers=24, heads=16, embedding_norm=True, scheme="alibi"),
    ),
    "t5-small": Model(
        "T5 small",
        60_506_624,
        "google-t5/t5-small, T5ForConditionalGeneration",
        T5(V=32_128, D=512, layers=6, heads=8, head_width=64, mlp_width=2048),
    ),
    "phi-2": Model(
        "Phi-2",
        2_779_683_840,
        "microsoft/phi-2, PhiForCausalLM",
        Stack(V=51_200, D=2560, layers=32, heads=32, norms_per_layer=1, head_bias=True, tied=False),
    ),
    "falcon-7b": Model(
        "Falcon 7B",
        6_921_720_704,
        "tiiuae/falcon-7b, FalconForCausalLM",
        Stack(V=65_024, D=4544, layers=32, heads=71, kv_heads=1, biases=False, norms_per_layer=1),
    ),
    "modernbert-base": Model(
        "ModernBERT base",
        149_655_232,
        "answerdotai/ModernBERT-base, ModernBertForMaskedLM",
        ModernBERT(V=50_368, D=768, layers=22, heads=12, mlp_width=1152, masked_lm=True),
    ),
    "mixtral-8x7b": Model(
        "Mixtral 8x7B",
        46_702_792_704,
        "mistralai/Mixtral-8x7B-v0.1, MixtralForCausalLM",
        Mixture(
            V=32_000,
            D=4096,
            layers=32,
            heads=32,
            kv_heads=8,
            mlp_width=14_336,
            experts=8,
            active=2,
            expert_width=14_336,
            tied=False,
        ),
    ),
    "qwen3-30b-a3b": Model(
        "Qwen3 30B-A3B",
        30_532_122_624,
        "Qwen/Qwen3-30B-A3B, Qwen3MoeForCausalLM",
        Mixture(
            V=151_936,
            D=2048,
            layers=48,
            heads=32,
            kv_heads=4,
            head_width=128,
            mlp_width=6144,
            experts=128,
            active=8,
            expert_width=768,
            qk_norm=True,
            tied=False,
        ),
    ),
    "deepseek-v3": Model(
        "DeepSeek-V3",
        671_026_404_352,
        "deepseek-ai/DeepSeek-V3, DeepseekV3ForCausalLM",
        Latent(
            V=129_280,
            D=7168,
            layers=61,
            heads=128,
            mlp_width=18_432,
            experts=256,
            active=8,
            expert_width=2048,
            shared_width=2048,
            dense_layers=3,
            q_rank=1536,
            kv_rank=512,
            nope_width=128,
            rope_width=64,
            value_width=128,
            tied=False,
        ),
    ),
}
"""Published models by key."""
