"""What a model type does without saying so in its configuration file."""

from __future__ import annotations

from dataclasses import dataclass

CLASSES_SOURCE = "configuration classes of Hugging Face transformers 5.24"


@dataclass(frozen=True)
class ClassFacts:
    """Defaults of a class whose models rotate.

    Parameters
    ----------
    base : float
        Base of the rotation where the file gives none.
    local_base : float, optional
        Base of the sliding layers where they have one of their own.
    share : float
        Part of a head that turns.
    head : int, optional
        Head width of the class, whatever the model's width is; else the width over the heads.
    derived : int, optional
        Head width where the file gives neither the width of the model nor its heads.
    maximum : int, optional
        Positions where the file gives none.
    note : str
        What else a reader should know.

    Examples
    --------
    >>> TYPES["gpt_neox"].share
    0.25
    """

    base: float = 10_000.0
    local_base: float | None = None
    share: float = 1.0
    head: int | None = None
    derived: int | None = None
    maximum: int | None = None
    note: str = ""


_PLAIN = ClassFacts()
_HALF = ClassFacts(share=0.5)
_QUARTER = ClassFacts(share=0.25)
_GEMMA = ClassFacts(head=256, maximum=8192)
_GEMMA3 = ClassFacts(base=1e6, local_base=10_000.0, head=256, maximum=131_072)
_MODERNBERT = ClassFacts(base=160_000.0, local_base=10_000.0, derived=64, maximum=8192)
_LLAMA4 = ClassFacts(
    base=500_000.0, head=128, note="every fourth layer of this type does not rotate, unless the file says so"
)
_NOPE_FULL = "in this type only sliding layers rotate; full layers have no position of their own"
_IMAGES = "text turns as under plain RoPE; the positions of images are not shown"

TYPES: dict[str, ClassFacts] = {
    "apertus": ClassFacts(base=12e6),
    "arcee": _PLAIN,
    "baichuan": _PLAIN,
    "bitnet": ClassFacts(base=500_000.0),
    "chameleon": _PLAIN,
    "chatglm": _HALF,
    "codegen": _PLAIN,
    "cohere": ClassFacts(base=500_000.0),
    "cohere2": ClassFacts(note=_NOPE_FULL),
    "dbrx": _PLAIN,
    "deepseek": _PLAIN,
    "deepseek_v2": _PLAIN,
    "deepseek_v3": _PLAIN,
    "deepseek_v32": _PLAIN,
    "ernie4_5": ClassFacts(base=500_000.0, head=128),
    "ernie4_5_moe": ClassFacts(base=500_000.0),
    "esm": _PLAIN,
    "exaone": ClassFacts(base=500_000.0),
    "exaone4": ClassFacts(note=_NOPE_FULL),
    "falcon": _PLAIN,
    "falcon_h1": _PLAIN,
    "gemma": _GEMMA,
    "gemma2": _GEMMA,
    "gemma3_text": _GEMMA3,
    "gemma3n_text": ClassFacts(base=1e6, local_base=10_000.0, head=256, maximum=32_768),
    "gemma4_text": ClassFacts(base=1e6, local_base=10_000.0, head=256),
    "glm": ClassFacts(share=0.5, head=128),
    "glm4": ClassFacts(share=0.5, head=128),
    "glm4_moe": _HALF,
    "gpt_neox": _QUARTER,
    "gpt_neox_japanese": _PLAIN,
    "gpt_oss": ClassFacts(base=150_000.0, head=64),
    "gptj": _PLAIN,
    "granite": _PLAIN,
    "granitemoe": _PLAIN,
    "granitemoehybrid": _PLAIN,
    "helium": ClassFacts(base=100_000.0, head=128),
    "hunyuan_v1_dense": _PLAIN,
    "internlm": _PLAIN,
    "internlm2": _PLAIN,
    "internlm3": _PLAIN,
    "kimi_k2": _PLAIN,
    "lfm2": ClassFacts(base=1e6),
    "llama": ClassFacts(derived=128, maximum=2048),
    "llama4_text": _LLAMA4,
    "longcat_flash": ClassFacts(base=1e7),
    "minicpm": _PLAIN,
    "minicpm3": _PLAIN,
    "minimax": ClassFacts(base=1e6),
    "minimax_m2": ClassFacts(base=5e6, head=128),
    "ministral": _PLAIN,
    "ministral3": ClassFacts(base=1e6, head=128),
    "mistral": ClassFacts(derived=128),
    "mixtral": ClassFacts(base=1e6),
    "mllama_text_model": ClassFacts(base=500_000.0, derived=128, maximum=131_072),
    "modernbert": _MODERNBERT,
    "modernbert-decoder": _MODERNBERT,
    "mpt": _PLAIN,
    "nemotron": _HALF,
    "nomic_bert": ClassFacts(base=1000.0),
    "olmo": _PLAIN,
    "olmo2": _PLAIN,
    "olmo3": ClassFacts(base=500_000.0),
    "olmoe": _PLAIN,
    "orion": _PLAIN,
    "params.json": _PLAIN,
    "persimmon": _HALF,
    "phi": _HALF,
    "phi-msft": _PLAIN,
    "phi3": _PLAIN,
    "phi3_v": _PLAIN,
    "phimoe": ClassFacts(base=1e6),
    "qwen": _PLAIN,
    "qwen2": ClassFacts(derived=128, maximum=32_768),
    "qwen2_5_vl": ClassFacts(base=1e6, note=_IMAGES),
    "qwen2_5_vl_text": ClassFacts(base=1e6, note=_IMAGES),
    "qwen2_moe": _PLAIN,
    "qwen2_vl": ClassFacts(base=1e6, note=_IMAGES),
    "qwen2_vl_text": ClassFacts(base=1e6, note=_IMAGES),
    "qwen3": ClassFacts(head=128),
    "qwen3_5_text": ClassFacts(share=0.25, head=256),
    "qwen3_moe": _PLAIN,
    "qwen3_next": ClassFacts(share=0.25, head=256),
    "qwen3_vl_text": ClassFacts(base=500_000.0, head=128, note=_IMAGES),
    "recurrent_gemma": _HALF,
    "RefinedWeb": _PLAIN,
    "RefinedWebModel": _PLAIN,
    "seed_oss": ClassFacts(head=128),
    "smollm3": ClassFacts(
        base=2e6, note="every fourth layer of this type does not rotate, unless the file says so"
    ),
    "stablelm": _QUARTER,
    "stablelm_epoch": _QUARTER,
    "starcoder2": _PLAIN,
    "vaultgemma": _GEMMA,
    "zamba2": _PLAIN,
}
"""Model types that rotate, by ``model_type``; the numbers are class defaults (see ``CLASSES_SOURCE``)."""
