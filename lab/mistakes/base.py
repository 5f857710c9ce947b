"""What a mistake is made of, and how its detector is kept: as the text that runs and that a reader sees."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lab.notation import FloatArray, readonly

Inputs = Mapping[str, Any]
Function = Callable[[Inputs], FloatArray]


class DetectorFailed(ValueError):
    """A detector found the mistake; the message says where and by how much."""


class Verdict(NamedTuple):
    """What a detector said of one version."""

    passed: bool
    message: str
    """What it found, empty where it passed."""


class Detector:
    """A small test of one function, kept as source text and compiled once.

    The site ships compiled modules only, so ``inspect`` finds no source there. The text itself is therefore
    the definition: what a reader sees is what runs, everywhere, and no copy beside it can go stale.

    Parameters
    ----------
    source : str
        A module that defines ``detect(function, inputs)``, which raises ``DetectorFailed`` on a wrong
        version.

    Raises
    ------
    ValueError
        If the text is not Python or defines no ``detect``.

    Examples
    --------
    >>> positive = Detector('''
    ... from lab.mistakes.base import DetectorFailed
    ...
    ... def detect(function, inputs):
    ...     if function(inputs) <= 0:
    ...         raise DetectorFailed("not above 0")
    ... ''')
    >>> positive.verdict(lambda inputs: inputs["x"], {"x": -1})
    Verdict(passed=False, message='not above 0')
    """

    def __init__(self, source: str) -> None:
        self.source = textwrap.dedent(source).strip() + "\n"
        namespace: dict[str, Any] = {}
        try:
            exec(compile(self.source, "<detector>", "exec", dont_inherit=True), namespace)
        except SyntaxError as error:
            raise ValueError(f"the detector is not Python: {error}") from error
        detect = namespace.get("detect")
        if not callable(detect):
            raise ValueError("a detector's source must define detect(function, inputs)")
        self._detect: Callable[[Function, Inputs], None] = detect

    def __call__(self, function: Function, inputs: Inputs) -> None:
        """Test one version.

        Raises
        ------
        DetectorFailed
            If it shows the mistake.
        """
        self._detect(function, inputs)

    def verdict(self, function: Function, inputs: Inputs) -> Verdict:
        """Test one version and say what was found, without raising."""
        try:
            self(function, inputs)
        except DetectorFailed as failure:
            return Verdict(False, str(failure))
        return Verdict(True, "")


@dataclass(frozen=True, kw_only=True, eq=False)
class Mistake:
    """A mistake to be made on purpose.

    Attributes
    ----------
    key, title : str
        Name in addresses, and in prose.
    symptom_tags : tuple of str
        Keys of ``SYMPTOM_SENTENCES`` that fit.
    why : str
        What goes wrong, in a few sentences.
    source : str
        Where it is described, or the method it breaks.
    witness : callable
        Returns inputs on which it shows.
    right, wrong : callable
        The two versions: inputs -> array of the same shape.
    others : mapping
        More versions by name, some wrong, some that only look it.
    detector : Detector
        Passes the right version and fails the wrong one.
    stays_right : mapping
        What a reader might check instead and find in order: sentence -> inputs -> True on the wrong version.

    Examples
    --------
    >>> from lab.mistakes import MISTAKES
    >>> mistake = MISTAKES["gradient"]
    >>> mistake.wrong(mistake.witness())[:, 0], mistake.right(mistake.witness())[:, 0]
    (array([1., 1., 1., 0.]), array([2., 2., 1., 0.]))
    >>> mistake.detector.verdict(mistake.wrong, mistake.witness()).passed
    False
    """

    key: str
    title: str
    symptom_tags: tuple[str, ...]
    why: str
    source: str
    witness: Callable[[], Inputs]
    right: Function
    wrong: Function
    detector: Detector
    stays_right: Mapping[str, Callable[[Inputs], bool]]
    others: Mapping[str, Function] = field(default_factory=dict)


def freeze(**values: Any) -> Inputs:
    """Return inputs by name, their arrays read-only.

    Examples
    --------
    >>> freeze(ids=np.array([0, 1]))["ids"].flags.writeable
    False
    """
    for value in values.values():
        if isinstance(value, np.ndarray):
            readonly(value)
    return MappingProxyType(values)


def close(a: FloatArray, b: FloatArray) -> bool:
    """Say whether two arrays agree but for rounding.

    Examples
    --------
    >>> close(np.array([1.0]), np.array([1.0 + 1e-12]))
    True
    """
    return bool(np.allclose(a, b, rtol=0, atol=1e-9))
