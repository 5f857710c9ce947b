"""The pictures of the room `waves` that are HTML: clocks, rows, the rotation, the layouts."""

from __future__ import annotations

import math

from app.kit.clocks import Clock, Hand, clocks, degrees
from app.kit.html import Markup, counted, dims, join, number, tag
from app.kit.matrix import matrix, verdict
from app.rooms.waves.compute import EXACT, FARTHEST, Layout, View

MOST_COLUMNS = 12
NAMED_PAIRS = 8
"""Clocks with all their numbers; more pairs get smaller faces."""
MOST_CLOCKS = 64
"""Of more pairs so many are shown, from the fastest to the slowest."""


def said(error: float, rounding: float = EXACT) -> str:
    """An error that is rounding, as 0 with what was measured."""
    if error == 0:
        return "exactly 0"
    return f"{number(error)}" if error >= rounding else f"0 (measured {number_of(error)})"


def number_of(value: float) -> str:
    """A tiny number with its exponent, where `number` would print 0."""
    return f"{value:.1e}".replace("-", "−") if 0 < value < 1e-3 else number(value)


def period(value: float) -> str:
    """A wavelength: two decimals while they matter."""
    return number(value, 2 if value < 1000 else 0)


def PE(position: int) -> str:
    """The name of a row.

    >>> PE(-3), PE(100_000)
    ('PE(−3)', 'PE(100,000)')
    """
    return f"PE({number(position)})"


def faces(view: View) -> Markup:
    """One clock per pair: the hand at p, dashed at p + k, the turn between them shaded."""
    few = view.pairs <= NAMED_PAIRS
    size = 88 if few else 60 if view.pairs <= 20 else 40
    frequencies, wavelengths = view.scheme.frequencies.tolist(), view.scheme.wavelengths.tolist()
    partners = len(view.scheme.cosine_columns)
    shown = []
    for pair in shown_pairs(view):
        frequency, wavelength = frequencies[pair], wavelengths[pair]
        angle, turn = view.position * frequency, view.shift * frequency
        # pairs are shades of one colour, none so pale that its hand is lost
        strength = 1 - 0.5 * pair / max(view.pairs - 1, 1)
        hands = (
            Hand(
                angle + turn,
                "ink-soft",
                0.8,
                dashed=True,
                name=f"position {number(view.position + view.shift)}",
            ),
            Hand(angle, "dim-d", strength, name=f"position {number(view.position)}"),
        )
        lines: tuple[Markup | str, ...] = (f"pair {pair}" if size > 40 else f"{pair}",)
        if few:
            cosine = f"cos {number(math.cos(angle))}" if pair < partners else "no cosine"
            lines += (
                degrees(angle),
                f"sin {number(math.sin(angle))}",
                cosine,
                f"period {period(wavelength)}",
            )
        shown.append(Clock(hands, lines, size=size, arc=(angle, angle + turn)))
    return clocks(shown, f"One clock per pair, at position {number(view.position)}")


def shown_pairs(view: View) -> list[int]:
    """The pairs that get a clock."""
    if view.pairs <= MOST_CLOCKS:
        return list(range(view.pairs))
    return [round(place * (view.pairs - 1) / (MOST_CLOCKS - 1)) for place in range(MOST_CLOCKS)]


def cursor(view: View) -> Markup:
    """What the clocks show."""
    return tag(
        "p",
        "Each pair is a clock: its hand stands at p · w, and ends at (cos, sin). Solid: position "
        f"{number(view.position)}; dashed: {number(view.position + view.shift)}. "
        + ("" if view.pairs <= NAMED_PAIRS else "Angles, sines and cosines are under “Numbers”.")
        + (f" {MOST_CLOCKS} of {view.pairs} pairs are shown." if view.pairs > MOST_CLOCKS else ""),
        class_="lab-note",
    )


def bounded(view: View) -> Markup:
    """How far from 0 a row goes, however far the position is."""
    return verdict(
        f"{PE(view.position)} is {number(view.length)} long, {PE(FARTHEST)} {number(view.far_length)}, and "
        f"no number of it is beyond {number(view.far_largest)}: sines stay between −1 and 1, where the index "
        f"itself would be {FARTHEST:,}."
    )


def rotation(view: View) -> Markup:
    """PE(p), PE(p) M, PE(p + k) and their difference, and M itself where it is small."""
    p, k = view.position, view.shift
    ahead = PE(p + k)
    rows = [view.row, view.turned, view.shifted, view.shifted - view.turned]
    # rounding would print as 1.1e-16 and hide that it is nothing
    rows[3] = rows[3] * (abs(rows[3]) > view.rounding)
    chosen = _chosen(view)
    columns = view.variant.columns
    left_out = f", {len(chosen)} of {view.D} columns" if len(chosen) < view.D else ""
    table = matrix(
        [[float(row[column]) for column in chosen] for row in rows],
        title=f"{PE(p)}, turned by k = {number(k)}, is {ahead}",
        under=join([dims(("D", view.D)), left_out]),
        rows=[PE(p), f"{PE(p)} M", ahead, "difference"],
        columns=[columns[column] for column in chosen],
        strongest=1.0,
    )
    if view.D > MOST_COLUMNS:
        return tag("div", table, class_="lab-even")
    turning = matrix(
        view.matrix,
        title=f"M({number(k)})",
        under="the same for every p: one small rotation per pair",
        rows=columns,
        columns=columns,
        strongest=1.0,
    )
    return tag("div", table, turning, class_="lab-even")


def _chosen(view: View) -> list[int]:
    """The columns shown: whole pairs, in the order of the table."""
    if view.D <= MOST_COLUMNS:
        return list(range(view.D))
    pairs = range(MOST_COLUMNS // 2)
    scheme = view.scheme
    return sorted(
        int(columns[pair]) for columns in (scheme.sine_columns, scheme.cosine_columns) for pair in pairs
    )


def rotation_finding(view: View) -> Markup:
    """The error of the identity, over all positions shown."""
    last = view.first + view.T - 1
    where = f"Over positions {number(view.first)} to {number(last)}"
    good = f"{where} the largest error is {said(view.error, view.rounding)}: one matrix serves every p."
    lone = view.scheme.lone_column
    if lone is None or view.lone_error < view.rounding:
        return verdict(good, "good")
    pair = view.pairs - 1
    error = said(view.error, view.rounding)
    return verdict(
        f"In the columns that form pairs the largest error is {error}. Not so in the last sine: its "
        f"cosine was trimmed, and sin(w(p + k)) needs cos(wp). Column sin {pair} is off by up to "
        f"{number_of(view.lone_error)}.",
        "warn",
    )


def dot_finding(view: View) -> Markup:
    """What the dot product knows."""
    p, k, ahead = view.position, view.shift, view.position + view.shift
    rounding = view.rounding * view.pairs
    value = f"{PE(p)} · {PE(ahead)} = {number(view.dot, 5)}"
    if view.scheme.lone_column is None:
        gap = said(view.dot_gap, rounding)
        return verdict(
            f"{value}. The curve from p and the curve from 0 differ by at most {gap}: the dot product "
            f"knows the distance {abs(k)} and nothing else, not even its direction.",
            "good",
        )
    if view.dot_gap < rounding:
        return verdict(f"{value}. The curve from p is the curve from 0 here: move p, and the two part.")
    return verdict(
        f"{value}. The curve from p and the curve from 0 differ by up to {number_of(view.dot_gap)}: without "
        "its cosine the last sine lets the dot product depend on the position too.",
        "warn",
    )


def wavelength_finding(view: View) -> Markup:
    """How many pairs complete a turn within the positions shown."""
    lengths = view.scheme.wavelengths.tolist()
    turned = sum(length <= view.T for length in lengths)
    if len(lengths) == 1:
        return verdict(f"The one period is {period(lengths[0])} positions.")
    kind = "pairs" if view.scheme.lone_column is None else "frequencies"
    drift = "; the others only drift" if turned < len(lengths) else ""
    return verdict(
        f"The shortest period is {period(lengths[0])} positions, the longest {period(lengths[-1])}. "
        f"{turned} of {len(lengths)} {kind} complete a turn within {view.T} positions{drift}."
    )


def layouts(view: View) -> Markup:
    """The row at the cursor in each variant."""
    return tag("div", join(_layout(view, layout) for layout in view.layouts), class_="lab-even")


def _layout(view: View, layout: Layout) -> Markup:
    shown = min(view.D, MOST_COLUMNS)
    left_out = f"first {shown} of {view.D} columns · " if shown < view.D else ""
    frequencies = ", ".join(number_of(w) for w in layout.scheme.frequencies.tolist()[:4])
    more = ", …" if len(layout.scheme.frequencies) > 4 else ""
    return matrix(
        [layout.row.tolist()[:shown]],
        title=f"{layout.key}{' (chosen)' if layout.key == view.scheme.variant else ''}",
        under=f"{left_out}frequencies {frequencies}{more}",
        columns=layout.columns[:shown],
        strongest=1.0,
    )


def layouts_finding(view: View) -> Markup:
    """Which variants are the same code."""
    paper, other = (view.layouts[index].scheme.frequencies.tolist() for index in (0, 2))
    same = (
        f"Concatenated is the paper's row in another order, largest difference {said(view.permutation_gap)}."
    )
    pair = next((i for i, (a, b) in enumerate(zip(paper, other, strict=False)) if abs(a - b) > EXACT), None)
    if len(other) < len(paper) and pair is None:
        return verdict(
            f"{same} tensor2tensor has {counted(len(other), 'frequency', 'frequencies')} here, the paper's "
            f"layouts {len(paper)}: they keep a last sine without its cosine."
        )
    if pair is None:
        return verdict(f"{same} At this width tensor2tensor has the same frequencies too.")
    return verdict(
        f"{same} tensor2tensor is another code: pair {pair} turns by {number_of(other[pair])} per position, "
        f"in the paper's by {number_of(paper[pair])}. No permutation of columns makes up for that."
    )


def odd_finding(view: View) -> Markup:
    """Both rules for an odd width, and which one is at work."""
    D = view.odd[0].scheme.D
    trim, pad = (layout.scheme for layout in (view.odd[0], view.odd[2]))
    rules = (
        f"The paper's layouts keep {len(trim.sine_columns)} sines and trim to "
        f"{counted(len(trim.cosine_columns), 'cosine')}; tensor2tensor keeps {len(pad.sine_columns)} of each "
        "and pads with a column of zeros."
    )
    if view.D != D:
        return verdict(
            f"D = {view.D} is even: every sine has its cosine. At D = {D} two rules are in use. {rules}"
        )
    chosen = "trim the last cosine" if view.scheme.odd_rule == "trim" else "pad with a zero"
    return verdict(f"D = {D} is odd. {rules} Chosen here, with {view.scheme.variant}: {chosen}.", "warn")
