"""What all figures of the room share: its sentences, how it prints a loss, and the runs of its reader."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from app.kit.figure import Figure, Snapshot
from app.kit.html import minus
from app.kit.schemes import colour_of
from app.kit.words import Words
from app.rooms.train.history import OwnRuns, is_like
from app.rooms.train.model.stored import Stored
from lab.positions import SCHEMES
from lab.training import Comparison, TrainingConfig

SERIES = {key: (str(scheme.title), colour_of(key)) for key, scheme in SCHEMES.items()}
OWN = {"own": ("your run", "ink")}
SET = ("steps", "layers", "tied", "D", "embedding_sd", "learning_rate")
"""What a reader may set of a run beside its scheme and its seed."""


def fixed(value: float) -> str:
    """A loss: always three decimals."""
    return minus(f"{value:.3f}")


def signed(value: float) -> str:
    """A difference of losses with its sign; what rounds to nothing has none.

    >>> signed(0.25), signed(-0.0006), signed(-0.0004)
    ('+0.250', '−0.001', '0.000')
    """
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else minus(text)


class LossWords(Words):
    """Sentences that say losses: ``{x:loss}`` with three decimals, ``{x:signed}`` with its sign too."""

    def format_field(self, value: Any, spec: str) -> str:
        """One value as the page says it."""
        kinds = {"loss": fixed, "signed": signed}
        return kinds[spec](float(value)) if spec in kinds else super().format_field(value, spec)


WORDS = LossWords(__file__)


class TrainFigure(Figure):
    """A figure of the stored runs, and of a reader's own run over them."""

    words = WORDS
    view: ClassVar[type[Stored]]
    own = OwnRuns()
    """Those of the room that the figure stands in; without one nobody has trained."""

    def compute(self, s: Snapshot) -> Any:
        return self.view(s, self.own)


def worth(row: Comparison) -> str:
    """What the difference of a scheme to no position is worth, in a word."""
    if row.scheme == "none":
        return "reference"
    return "noise" if row.noise else "better" if row.difference < 0 else "worse"


def settings(config: TrainingConfig, other: TrainingConfig) -> str:
    """What differs from another configuration beside scheme and seed, in words."""
    said = [_setting(config, name) for name in SET if getattr(config, name) != getattr(other, name)]
    if not is_like(replace(config, **{name: getattr(other, name) for name in SET}), other):
        said.append(WORDS.raw("settings.others"))
    return ", ".join(said)


def whole(config: TrainingConfig) -> str:
    """All that `settings` may name, in words."""
    return ", ".join(_setting(config, name) for name in SET)


def _setting(config: TrainingConfig, name: str) -> str:
    return WORDS.say("settings.untied" if name == "tied" and not config.tied else f"settings.{name}", config)
