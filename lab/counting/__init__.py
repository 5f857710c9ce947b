"""Parameters and bytes of a model, part by part.

Read ``parts`` first (what a part is, and its bytes), then ``architectures`` (three families), ``models``
(published ones), ``config`` (your own, from its config.json) and ``vocabulary`` (padding, and widths that
must agree).
"""

from __future__ import annotations

from lab.counting.architectures import BERT, GPT2, Llama
from lab.counting.config import MODEL_TYPES, from_config, from_config_text
from lab.counting.models import MODELS, Model
from lab.counting.parts import DTYPES, LETTERS, Architecture, Part, byte_count
from lab.counting.vocabulary import PaddedVocabulary, check_dimension, padded_vocabulary, phantom_mass

__all__ = [
    "BERT",
    "DTYPES",
    "GPT2",
    "LETTERS",
    "MODELS",
    "MODEL_TYPES",
    "Architecture",
    "Llama",
    "Model",
    "PaddedVocabulary",
    "Part",
    "byte_count",
    "check_dimension",
    "from_config",
    "from_config_text",
    "padded_vocabulary",
    "phantom_mass",
]
