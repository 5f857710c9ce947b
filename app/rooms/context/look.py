"""How methods look: a colour for each family, a dash for each member; the facts and tables in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from app.kit.html import Markup, counted, escape, join, number, tag
from app.kit.overlay import Stroke
from app.kit.shares import percent
from app.rooms.context.methods import Method
from app.rooms.context.setting import Stage
from lab.context_extension import EXTENSIONS

# what slows all pairs alike, what changes the base, and what treats pairs by their speed
LOOKS = {
    "none": ("ink-soft", "solid"),
    "linear": ("scheme-raw", "solid"),
    "ntk": ("scheme-sinusoidal", "solid"),
    "dynamic": ("scheme-sinusoidal", "dashed"),
    "yarn": ("scheme-rope", "solid"),
    "llama3": ("scheme-learned", "solid"),
    "longrope": ("scheme-alibi", "solid"),
    "base": ("scheme-sinusoidal", "dotted"),
}
FALLBACK = ("accent", "solid")
LIGHTEST, DARKEST = 0.0, 0.3
"""How strong the first and the last band are shaded."""

STROKES = {key: Stroke(made.title, *LOOKS.get(key, FALLBACK)) for key, made in EXTENSIONS.items()}


def shade(place: int, count: int) -> float:
    """The strength of a band's shading, from the fastest pairs to the slowest.

    >>> shade(0, 3), shade(2, 3)
    (0.0, 0.3)
    """
    return LIGHTEST + (DARKEST - LIGHTEST) * place / max(count - 1, 1)


def shades(method: Method) -> dict[str, float]:
    """The strength of each band that has any pairs."""
    present = list(method.counts)
    return {name: shade(place, len(present)) for place, name in enumerate(present)}


def legend(stage: Stage) -> Markup:
    """The methods with their lines, the chosen one strong."""
    return _legend(tuple(stage.methods), stage.setting.method)


@lru_cache(maxsize=64)
def _legend(keys: tuple[str, ...], chosen: str) -> Markup:
    drawn = (
        tag(
            "span",
            tag("i", style=_line(key), aria_hidden="true"),
            tag("b" if key == chosen else "span", EXTENSIONS[key].title),
        )
        for key in keys
    )
    return tag("p", join(drawn), class_="lab-context-legend")


def refusals(stage: Stage) -> Markup:
    """Why methods are missing from the figure."""
    return join(
        tag("p", f"{method.title} is not drawn: {method.error}.", class_="lab-note")
        for method in stage.refused
    )


def _line(key: str) -> str:
    colour, dash = LOOKS.get(key, FALLBACK)
    return f"border-top-color: var(--{colour}); border-top-style: {dash}"


def bands(stage: Stage) -> Markup:
    """The bands of the chosen method with their shading and how many pairs are in each."""
    method = stage.chosen
    parts = [
        tag("span", tag("i", style=_shading(strength), aria_hidden="true"), f"{method.counts[name]} {name}")
        for name, strength in shades(method).items()
    ]
    said = tag("b", f"{method.title}, {counted(stage.core.pairs, 'pair')}:")
    return tag("p", said, join(parts), class_="lab-context-legend lab-context-bands")


def _shading(strength: float) -> str:
    return f"background: color-mix(in srgb, var(--dim-d) {strength:.0%}, var(--paper))"


def facts(stage: Stage) -> Markup:
    """What the chosen method costs and buys, beside plain RoPE."""
    method, plain = stage.chosen, stage.plain
    fastest = f"plain RoPE: {number(plain.neighbours)}"
    cells = [
        ("new angles", percent(stage.new.total), f"plain RoPE: {percent(stage.new_plain.total)}"),
        ("neighbours apart", number(method.neighbours), fastest),
        ("cos and sin", f"× {number(method.multiplier)}", "the multiplier m"),
        ("scores", f"× {number(method.gain)}", "the logit gain m²"),
    ]
    # written directly, as the tables are: names and numbers of our own
    written = "".join(
        f"<div><dt>{name}</dt><dd><b>{value}</b><span>{under}</span></dd></div>"
        for name, value, under in cells
    )
    return tag(
        "dl", Markup(written), class_="lab-context-facts", aria_label=f"{method.title}, {_window(stage)}"
    )


def _window(stage: Stage) -> str:
    return f"{counted(stage.core.trained, 'trained position')}, used for {number(stage.core.window)}"


def mismatch(stage: Stage) -> str:
    """A sentence where the model is used for another window than its factor makes; else nothing."""
    core = stage.core
    if not stage.mismatch:
        return ""
    windows = number(core.window / core.trained, 2)
    long = "as long as" if windows == "1" else f"{windows} times"
    return f" The factor is {number(core.factor)}, though the window is {long} the trained one."


def head(title: str, says: str) -> Markup:
    """The heading of a figure with its sentence."""
    return tag("div", tag("h2", title), tag("p", says), class_="lab-context-head")


def table(
    stage: Stage, columns: Sequence[str], rows: dict[str, Sequence[Markup | str]], label: str
) -> Markup:
    """One row a method, the chosen one marked; wider than the page it scrolls."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    # written directly: a slider redraws a hundred cells at each of its steps
    body = "".join(
        f"<tr{_MARKED if key == stage.setting.method else ''}>{_row_head(key)}"
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for key, cells in rows.items()
    )
    return Markup(
        '<div class="lab-scroll" tabindex="0" role="region" aria-label="{}">'
        '<table class="lab-context-table"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(label, Markup(heads), Markup(body))


_MARKED = ' class="lab-marked"'


@lru_cache
def _row_head(key: str) -> Markup:
    line = tag("i", style=_line(key), aria_hidden="true")
    return tag("th", line, EXTENSIONS[key].title, scope="row")


def bar(share: float, words: str) -> Markup:
    """A number over a bar of its share."""
    width = 100 * min(max(share, 0.0), 1.0)
    return Markup('{}<i style="width: {}%" class="lab-context-bar" aria-hidden="true"></i>').format(
        words, f"{width:.1f}"
    )


def times(value: float) -> str:
    """A factor of a window or a frequency.

    >>> times(0.25), times(1.0), times(1/3)
    ('1/4', '1', '1/3')
    """
    if value > 0 and value < 1 and abs(1 / value - round(1 / value)) < 1e-9:
        return f"1/{round(1 / value):,}"
    return number(value, 4)
