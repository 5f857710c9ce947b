"""Adam over one flat vector, and the learning rate of each step."""

from __future__ import annotations

import math

import numpy as np

from lab.notation import Array
from lab.training.config import TrainingConfig

ADAM_EPS = 1e-8


def learning_rate(config: TrainingConfig, step: int) -> float:
    """Return the rate of update ``step``, counted from 1: a line up, then a cosine down.

    References
    ----------
    Loshchilov and Hutter 2017, arXiv:1608.03983, equation 5, without restarts.

    Examples
    --------
    >>> config = TrainingConfig(steps=100)
    >>> [round(learning_rate(config, step), 4) for step in (1, 20, 60, 100)]
    [0.0005, 0.01, 0.0055, 0.001]
    """
    if step <= config.warmup:
        return config.learning_rate * step / config.warmup
    # the last step ends the cosine; a run no longer than its warm-up never begins it
    done = (step - config.warmup) / (config.steps - config.warmup)
    cosine = (1 + math.cos(math.pi * done)) / 2
    return config.learning_rate * (config.final_rate + (1 - config.final_rate) * cosine)


class Adam:
    """Adam with bias correction, updating a vector in place.

    Every entry moves at every step while its average of gradients is not 0: also the row of a character
    that the batch did not hold.

    References
    ----------
    Kingma and Ba 2015, arXiv:1412.6980, algorithm 1.

    Examples
    --------
    >>> x = np.array([1.0, -2.0])
    >>> Adam(x, beta1=0.9, beta2=0.99).update(np.array([0.5, -30.0]), rate=0.01)
    >>> x.round(6)  # the first step has the size of the rate, whatever the gradient's
    array([ 0.99, -1.99])
    """

    def __init__(self, parameters: Array, *, beta1: float, beta2: float) -> None:
        self._parameters = parameters
        self._beta1, self._beta2 = beta1, beta2
        self._mean = np.zeros_like(parameters)
        self._square = np.zeros_like(parameters)
        self._work = np.empty_like(parameters)
        self._step = 0

    def update(self, gradient: Array, rate: float) -> None:
        """Take one step against the gradient."""
        self._step += 1
        work = self._work
        np.multiply(gradient, 1 - self._beta1, out=work)
        self._mean *= self._beta1
        self._mean += work
        np.multiply(gradient, gradient, out=work)
        work *= 1 - self._beta2
        self._square *= self._beta2
        self._square += work
        correction = math.sqrt(1 - self._beta2**self._step)
        np.sqrt(self._square, out=work)
        # both averages start at 0: the corrections are folded into the two numbers below, eps included
        work += ADAM_EPS * correction
        np.divide(self._mean, work, out=work)
        work *= rate * correction / (1 - self._beta1**self._step)
        self._parameters -= work
