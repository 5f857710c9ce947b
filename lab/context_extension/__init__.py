"""Ways to stretch the window of a RoPE model, behind one interface: ``(d, base) -> (inv_freq, factor)``.

Another one is one file with a subclass of ``NoExtension``, and its name in ``EXTENSIONS``.
"""

from __future__ import annotations

from lab.context_extension.base import NoExtension, count_bands
from lab.context_extension.config import from_config
from lab.context_extension.config_fields import parse
from lab.context_extension.config_lengths import READINGS
from lab.context_extension.config_schemes import NoRotation
from lab.context_extension.config_text import is_fragment
from lab.context_extension.interpolation import Linear
from lab.context_extension.llama3 import Llama3
from lab.context_extension.longrope import LongRope
from lab.context_extension.measures import (
    block_mean,
    logit_gain,
    neighbour_angle,
    neighbour_distance,
    ratio,
    wavelengths,
)
from lab.context_extension.ntk import DynamicNtk, LargerBase, Ntk
from lab.context_extension.presets import PRESETS, ModelRope
from lab.context_extension.unseen import UnseenAngles, turns_counted, unseen_angles
from lab.context_extension.yarn import Yarn, yarn_multiplier

EXTENSIONS: dict[str, type[NoExtension]] = {
    extension.key: extension
    for extension in (NoExtension, Linear, Ntk, DynamicNtk, Yarn, Llama3, LongRope, LargerBase)
}

__all__ = [
    "EXTENSIONS",
    "PRESETS",
    "READINGS",
    "DynamicNtk",
    "LargerBase",
    "Linear",
    "Llama3",
    "LongRope",
    "ModelRope",
    "NoExtension",
    "NoRotation",
    "Ntk",
    "UnseenAngles",
    "Yarn",
    "block_mean",
    "count_bands",
    "from_config",
    "is_fragment",
    "logit_gain",
    "neighbour_angle",
    "neighbour_distance",
    "parse",
    "ratio",
    "turns_counted",
    "unseen_angles",
    "wavelengths",
    "yarn_multiplier",
]
