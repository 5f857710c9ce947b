"""How methods look: a colour for each family, a dash for each member; the facts and tables in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from app.kit.html import Markup, counted, escape, join, number, tag
from app.kit.shares import percent
from app.kit.words import Words
from app.rooms.context.methods import Method
from app.rooms.context.model import Stage
from app.rooms.context.overlay import Stroke
from lab.context_extension import EXTENSIONS

WORDS = Words(__file__)
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
SAID = {"factor": "factor", "trained": "trained length", "base": "base", "d": "d"}
DARKEST = 0.3
"""How strong the last band is shaded; the first is not."""
STROKES = {key: Stroke(made.title, *LOOKS.get(key, FALLBACK)) for key, made in EXTENSIONS.items()}


def shades(method: Method) -> dict[str, float]:
    """The strength of each band that has any pairs, from the fastest pairs to the slowest."""
    last = max(len(method.counts) - 1, 1)
    return {name: DARKEST * place / last for place, name in enumerate(method.counts)}


def legend(stage: Stage) -> Markup:
    """The methods with their lines, the chosen one strong."""
    return _legend(tuple(stage.methods), stage.key)


@lru_cache(maxsize=64)
def _legend(keys: tuple[str, ...], chosen: str) -> Markup:
    names = {key: tag("b" if key == chosen else "span", STROKES[key].title) for key in keys}
    drawn = (tag("span", _line(key), name) for key, name in names.items())
    return tag("p", join(drawn), class_="lab-context-legend")


def _line(key: str) -> Markup:
    colour, dash = LOOKS.get(key, FALLBACK)
    return tag("i", style=f"border-top-color: var(--{colour}); border-top-style: {dash}", aria_hidden="true")


def refusals(stage: Stage) -> Markup:
    """Why methods are missing from the figure."""
    return join(
        tag("p", WORDS.say("any.refused", title=method.title, error=method.error), class_="lab-note")
        for method in stage.refused
    )


def bands(stage: Stage) -> Markup:
    """The bands of the chosen method with their shading and how many pairs are in each."""
    method, shaded = stage.chosen, "background: color-mix(in srgb, var(--dim-d) {:.0%}, var(--paper))"
    parts = [
        tag("span", tag("i", style=shaded.format(shade), aria_hidden="true"), f"{method.counts[name]} {name}")
        for name, shade in shades(method).items()
    ]
    said = tag("b", f"{method.title}, {counted(stage.core.pairs, 'pair')}:")
    return tag("p", said, join(parts), class_="lab-context-legend lab-context-bands")


def facts(stage: Stage) -> Markup:
    """What the chosen method costs and buys, beside plain RoPE."""
    method, plain, core = stage.chosen, stage.plain, stage.core
    cells = [
        ("new angles", percent(stage.new.total), f"plain RoPE: {percent(stage.new_plain.total)}"),
        ("neighbours apart", number(method.neighbours), f"plain RoPE: {number(plain.neighbours)}"),
        ("cos and sin", f"× {number(method.multiplier)}", "the multiplier m"),
        ("scores", f"× {number(method.gain)}", "the logit gain m²"),
    ]
    # written directly, as the tables are: names and numbers of our own
    written = "".join(
        f"<div><dt>{name}</dt><dd><b>{value}</b><span>{under}</span></dd></div>"
        for name, value, under in cells
    )
    label = WORDS.say("any.window", title=method.title, trained=core.trained, window=core.window)
    return tag("dl", Markup(written), class_="lab-context-facts", aria_label=label)


def mismatch(stage: Stage) -> str:
    """A sentence where the model is used for another window than its factor makes; else nothing."""
    core = stage.core
    if abs(core.window - core.trained * core.factor) < 1:
        return ""
    windows = number(core.window / core.trained, 2)
    times = "as long as" if windows == "1" else f"{windows} times"
    return WORDS.say("any.mismatch", stage, times=times)


def head(says: str, title: str = "") -> Markup:
    """A sentence over a part of a figure, with a heading where there is one."""
    return tag("div", tag("h3", title) if title else "", tag("p", says), class_="lab-context-head")


def note(says: str) -> Markup:
    """A sentence below a table."""
    return tag("p", says, class_="lab-note lab-context-note")


def table(
    stage: Stage, columns: Sequence[str], rows: Mapping[str, Sequence[Markup | str]], label: str
) -> Markup:
    """One row per method, the chosen one marked; wider than the page it scrolls."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    # written directly: a slider redraws a hundred cells at each of its steps
    marked = ' class="lab-marked"'
    body = "".join(
        f"<tr{marked if key == stage.key else ''}>{_row_head(key)}"
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for key, cells in rows.items()
    )
    return Markup(
        '<div class="lab-scroll" tabindex="0" role="region" aria-label="{}">'
        '<table class="lab-context-table"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(label, Markup(heads), Markup(body))


@lru_cache
def _row_head(key: str) -> Markup:
    return tag("th", _line(key), STROKES[key].title, scope="row")


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
    if 0 < value < 1 and abs(1 / value - round(1 / value)) < 1e-9:
        return f"1/{round(1 / value):,}"
    return number(value, 4)


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
    return {value: times(value) for value in inside}


def wave(positions: float) -> str:
    """A wavelength in positions."""
    return number(positions, 2 if positions < 1000 else 0)


def model(stage: Stage) -> Markup:
    """The model's own numbers, what was changed, how its JSON was read, and the source."""
    rope, now, own = stage.rope, stage.core._asdict(), stage.own._asdict()
    stretch = f", factor {number(own['factor'])}" if own["factor"] > 1 else ""
    changed = [stage.chosen.title] if stage.key != rope.extension.key else []
    changed += [f"{said} {number(now[name])}" for name, said in SAID.items() if now[name] != own[name]]
    notes = [WORDS.say("model.partial", stage)] if rope.width != rope.d else []
    notes += [f"{_sentence(one)}." for one in rope.notes]
    lines = [
        tag("p", WORDS.say("model.said", stage, title=_sentence(rope.title), stretch=stretch)),
        tag("p", "Changed here: ", tag("b", ", ".join(changed)), ".") if changed else "",
        tag("p", " ".join(notes)) if notes else "",
        tag("p", WORDS.say("model.source", stage)),
    ]
    return join(lines)


def _sentence(text: str) -> str:
    # the name of a field or of a model type keeps its letters
    first = text.split(" ", 1)[0]
    return text if "_" in first or any(sign.isdigit() for sign in first) else text[0].upper() + text[1:]
