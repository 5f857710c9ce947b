"""The tiny character model: forward and backward by hand, under any position scheme."""

from lab.transformer.model import Transformer
from lab.transformer.parameters import ModelConfig, Parameters, initial_parameters, parameter_count
from lab.transformer.window import Window

__all__ = ["ModelConfig", "Parameters", "Transformer", "Window", "initial_parameters", "parameter_count"]
