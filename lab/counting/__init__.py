"""Parameters and bytes of a model, part by part.

Read ``parts`` first (what a part is, and its bytes), then the families (``architectures``, ``llama``,
``stack``, ``mixture``, ``encoders``), ``models`` (published ones), ``config`` (your own, from
its config.json) and ``vocabulary`` (padding, and widths that must agree).
"""

from __future__ import annotations

from lab.counting.architectures import BERT, GPT2
from lab.counting.config import MODEL_TYPES, Reading, from_config, from_config_text, read_config
from lab.counting.encoders import T5, ModernBERT
from lab.counting.llama import Llama
from lab.counting.memory import SequenceMemory, sequence_memory
from lab.counting.mixture import Latent, Mixture
from lab.counting.models import MODELS, Model
from lab.counting.parts import DTYPES, LETTERS, Architecture, Part, byte_count, check_size
from lab.counting.stack import Stack
from lab.counting.vocabulary import PaddedVocabulary, check_dimension, padded_vocabulary, phantom_mass

__all__ = [
    "BERT",
    "DTYPES",
    "GPT2",
    "LETTERS",
    "MODELS",
    "MODEL_TYPES",
    "T5",
    "Architecture",
    "Latent",
    "Llama",
    "Mixture",
    "Model",
    "ModernBERT",
    "PaddedVocabulary",
    "Part",
    "Reading",
    "SequenceMemory",
    "Stack",
    "byte_count",
    "check_dimension",
    "check_size",
    "from_config",
    "from_config_text",
    "padded_vocabulary",
    "phantom_mass",
    "read_config",
    "sequence_memory",
]
