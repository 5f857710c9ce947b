"""The section `pairs`: what each method does to the frequency and the wavelength of every pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.kit.formula import Formula, numeral
from app.kit.html import Markup, counted, join, number, tag
from app.kit.numbers import Table
from app.kit.overlay import Columns
from app.rooms.context import filled, look, rules
from app.rooms.context.methods import PLAIN
from app.rooms.context.setting import Setting, Stage, stage_of

COLUMNS = ("band", "ratio", "wavelength", "turns in the window")
TIPS = ("pair", "band", "ratio", "wavelength", "turns in training")
"""What the tooltip of a pair says."""


@dataclass(frozen=True, eq=False)
class PairsView(Stage):
    """Ratios and wavelengths of every pair, and one pair looked at."""

    def turns(self, key: str, pair: int, positions: float) -> float:
        """How often a pair turns within some positions."""
        return positions / float(self.methods[key].wavelengths[pair])


def compute(setting: Setting) -> PairsView:
    """Build every method."""
    return PairsView(*stage_of(setting, setting.core))


def top(view: PairsView) -> Markup:
    """The facts, and which lines and bands are drawn."""
    return join([look.facts(view), look.legend(view), look.bands(view)])


def columns(view: PairsView) -> Columns:
    """The bands of the chosen method, and what the tooltip says of each pair."""
    method, strengths = view.chosen, look.shades(view.chosen)
    return Columns(
        zone=method.bands,
        strength=[strengths[name] for name in method.bands],
        tips={
            "pair": [str(pair) for pair in range(view.core.pairs)],
            "band": [f"{name} under {method.title}" for name in method.bands],
            "ratio": [look.times(value) for value in method.ratio.tolist()],
            "wavelength": [
                f"{wave(before)} to {wave(after)}"
                for before, after in zip(
                    view.plain.wavelengths.tolist(), method.wavelengths.tolist(), strict=True
                )
            ],
            "turns in training": [
                number(view.core.trained / length, 2) for length in view.plain.wavelengths.tolist()
            ],
        },
    )


def readout(view: PairsView) -> Markup:
    """The pair that is looked at, under every method that is drawn."""
    pair, core, position = view.pair, view.core, view.setting.position
    rows: dict[str, Any] = {}
    for key, method in view.methods.items():
        ratio = float(method.ratio[pair])
        rows[key] = [
            method.bands[pair],
            look.times(ratio),
            wave(float(method.wavelengths[pair])),
            number(view.turns(key, pair, core.window), 2),
            number(position * ratio, 1),
        ]
    named = f"{number(position)} turns as"
    said = f"In {counted(core.trained, 'position')} of training pair {pair} turned {_times(view)}."
    return join([tag("p", said), look.table(view, (*COLUMNS, named), rows, f"Pair {pair} under each method")])


def _times(view: PairsView) -> str:
    turned = number(view.turns(PLAIN, view.pair, view.core.trained), 2)
    return "once" if turned == "1" else f"{turned} times"


def ticks(lowest: float, highest: float) -> dict[float, str]:
    """Ratios that the axis names: powers of 2, of 4 where they are many, of 10 where those are.

    >>> ticks(0.25, 1.0)
    {1.0: '1', 0.5: '1/2', 0.25: '1/4'}
    """
    for step in (2, 4, 10, 100):
        found = [float(step) ** -power for power in range(-3, 40)]
        inside = [value for value in found if lowest * 0.999 <= value <= highest * 1.001]
        if len(inside) <= 6:
            break
    return {value: look.times(value) for value in inside}


def wave(positions: float) -> str:
    """A wavelength in positions."""
    return number(positions, 2 if positions < 1000 else 0)


def describe(view: PairsView) -> str:
    """The caption: the bands, and where the position that is looked at comes to stand."""
    method, core, setting = view.chosen, view.core, view.setting
    listed = ", ".join(f"{count} {name}" for name, count in method.counts.items())
    ratio = float(method.ratio[view.pair])
    return (
        f"{method.title} on {counted(core.pairs, 'pair')}, base {number(core.base)}, "
        f"{counted(core.trained, 'trained position')} used for {number(core.window)}: {listed}. Pair "
        f"{view.pair} keeps "
        f"{look.times(ratio)} of its frequency: in it, position {number(setting.position)} turns as "
        f"{number(setting.position * ratio, 1)} did.{look.mismatch(view)}"
    )


def numbers(view: PairsView) -> list[Table]:
    """Every pair under every method that is drawn."""
    return [methods(view), _pairs(view), _grid(view, "ratio"), _grid(view, "wavelengths")]


def methods(view: Stage) -> Table:
    """The methods side by side."""
    rows: list[list[str | float]] = [
        [
            method.title,
            _base(method.extension, view),
            method.multiplier,
            method.gain,
            method.neighbours,
            float(method.ratio[-1]),
            float(method.wavelengths[-1]),
            ", ".join(f"{count} {name}" for name, count in method.counts.items()),
        ]
        for method in view.methods.values()
    ]
    names = (
        "base in use",
        "multiplier m of cos and sin",
        "logit gain m²",
        "neighbours apart",
        "last ratio",
        "last wavelength",
    )
    return Table("Methods side by side", ["method", *names, "pairs in each band"], rows)


def _base(extension: Any, view: Stage) -> float:
    # only some methods change the base; the others divide frequencies
    effective = getattr(extension, "effective_base", None)
    return float(effective(view.core.d, view.core.base)) if effective else view.core.base


def _pairs(view: PairsView) -> Table:
    method, plain = view.chosen, view.plain
    listed = zip(
        method.bands,
        plain.inv_freq.tolist(),
        method.inv_freq.tolist(),
        method.ratio.tolist(),
        plain.wavelengths.tolist(),
        method.wavelengths.tolist(),
        strict=True,
    )
    rows: list[list[str | float]] = [[pair, *values] for pair, values in enumerate(listed)]
    names = ["pair", "band", "θ, plain", "θ′", "ratio", "wavelength, plain", "wavelength"]
    return Table(f"Pairs under {method.title}, radians and positions", names, rows)


def _grid(view: PairsView, name: str) -> Table:
    listed = [getattr(method, name).tolist() for method in view.methods.values()]
    rows = [[pair, *values] for pair, values in enumerate(zip(*listed, strict=True))]
    titles = [method.title for method in view.methods.values()]
    said = "Frequency over that of plain RoPE" if name == "ratio" else "Wavelengths in positions"
    return Table(said, ["pair", *titles], rows)


def formula(view: PairsView) -> tuple[Formula, ...]:
    """The method, its multiplier and gain, and the wavelength of the pair that is looked at."""
    pair, method = view.pair, view.chosen
    length = numeral(float(method.wavelengths[pair]))
    waves = Formula(
        r"\lambda_i' = \frac{2 \pi}{\theta_i'}",
        rf"\lambda_{{{pair}}}' = \frac{{2 \pi}}{{{numeral(float(method.inv_freq[pair]))}}} = {length}",
        f"Positions until a pair is back where it was. In training pair {pair} turned {_times(view)}.",
    )
    return filled.method(view), filled.gain(view), waves


def code(setting: Setting) -> str:
    """NumPy code whose ``result`` holds frequencies, ratios and wavelengths, multiplier and gain in front."""
    view = compute(setting)
    return (
        rules.source(view) + "result = np.concatenate([[m, m**2], inv_freq, ratio, 2 * np.pi / inv_freq])\n"
    )


def code_answer(view: PairsView) -> Any:
    """What ``result`` must equal."""
    method = view.chosen
    return [
        method.multiplier,
        method.gain,
        *method.inv_freq.tolist(),
        *method.ratio.tolist(),
        *method.wavelengths.tolist(),
    ]
