"""Writes tests/golden/checkpoints with the formats' own packages, which the lab does not use.

Run with gguf 0.19.0, safetensors 0.8.0 and NumPy in an environment of its own:
``python tests/golden/make_checkpoints.py``. Blocks are random bits under small scales, so that every bit of
every layout counts; their numbers are what ``gguf.quants.dequantize`` gives.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

HERE = Path(__file__).with_name("checkpoints")
SCALES = {
    "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,),
    "Q2_K": (80, 82), "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,),
}  # fmt: skip
"""Where the float16 scales of a block stand."""


def blocks() -> None:
    rng = np.random.default_rng(0)
    arrays = {}
    for name, places in SCALES.items():
        kind = Type[name]
        _, size = GGML_QUANT_SIZES[kind]
        raw = rng.integers(0, 256, (6, size), dtype=np.uint8)
        for place in places:
            scale = rng.normal(0, 0.02, (6, 1)).astype(np.float16)
            raw[:, place : place + 2] = scale.view(np.uint8)
        arrays[f"{name}_bytes"] = raw
        arrays[f"{name}_values"] = dequantize(raw, kind).astype(np.float32)
    np.savez_compressed(HERE / "blocks.npz", **arrays)


def rows() -> np.ndarray:
    return np.random.default_rng(1).normal(0, 0.05, (12, 64)).astype(np.float32)


TOKENS = ["<unk>", "<s>", "</s>", "<0x0A>", "▁the", "▁cat", "s", "▁roof", "▁", "ed", "▁dog", "."]
TYPES = [2, 3, 3, 6, 1, 1, 1, 1, 1, 1, 1, 1]


def gguf_files() -> None:
    for name in ("F32", "F16", "BF16", "Q8_0", "Q4_0"):
        writer = GGUFWriter(HERE / f"tiny-{name.lower()}.gguf", "llama")
        writer.add_name("Tiny")
        writer.add_block_count(1)
        writer.add_tokenizer_model("llama")
        writer.add_token_list(TOKENS)
        writer.add_token_scores([0.0] * len(TOKENS))
        writer.add_token_types(TYPES)
        writer.add_token_merges(["t h", "th e"])
        writer.add_tensor("output_norm.weight", np.ones(64, dtype=np.float32))
        kind = Type[name]
        writer.add_tensor("token_embd.weight", quantize(rows(), kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def safetensors_files() -> None:
    E = rows()
    tensors = {
        "model.norm.weight": np.ones(64, dtype=np.float16),
        "model.embed_tokens.weight": E.astype(np.float16),
        "lm_head.weight": E[::-1].astype(np.float16).copy(),
    }
    save_file(tensors, HERE / "tiny.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    blocks()
    gguf_files()
    safetensors_files()
    E16 = {
        kind: dequantize(quantize(rows(), Type[kind]), Type[kind]) for kind in ("F16", "BF16", "Q8_0", "Q4_0")
    }
    np.savez_compressed(HERE / "rows.npz", F32=rows(), **E16)
