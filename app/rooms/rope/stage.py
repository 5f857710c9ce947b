"""The hands, the readout beside them, and the bars of the pairs, in HTML."""

from __future__ import annotations

import math

from app.kit.clocks import Clock, Hand, clocks
from app.kit.html import Markup, join, minus, number, tag
from app.kit.matrix import verdict
from app.rooms.rope.compute import View
from app.rooms.rope.parts import MOVES
from lab.rope_study import Meeting

ROUNDING, TURNED = 1e-12, 1e-15
"""What float64 may leave of a difference that is 0 for vectors of norm 1, and more for each radian turned."""
NAMED = 8
"""Up to so many bars carry their number."""


def hands(view: View) -> Markup:
    """One clock a pair with the hands of q and k, and the scores before and after the move."""
    shown, pairs = view.curve.shown, len(view.here.pairs)
    size = 176 if len(shown) == 1 else 88
    faces = [_clock(view, pair, place, size) for place, pair in enumerate(shown)]
    key = [
        tag("span", tag("i", class_="lab-rope-q"), "q"),
        tag("span", tag("i", class_="lab-rope-k"), "k"),
        tag("span", tag("i", class_="lab-rope-angle"), "angle from k to q"),
    ]
    if len(shown) < pairs:
        key.append(tag("span", f"{len(shown)} of {pairs} pairs, from the fastest to the slowest"))
    drawn = clocks(faces, "Clocks, one per pair, with the hands of q and k")
    left = tag("div", drawn, tag("p", join(key), class_="lab-rope-key"))
    return tag("div", left, readout(view), class_="lab-rope" if view.several else "lab-rope lab-rope-one")


def shade(place: int, count: int) -> float:
    """How strong a pair is drawn: the fastest fully, the slowest least."""
    return 1.0 - 0.6 * place / max(count - 1, 1)


def _clock(view: View, pair: int, place: int, size: int) -> Clock:
    met = view.moved
    between, k_angle = float(met.between[pair]), float(met.k_angles[pair])
    q_length, k_length = float(met.q_lengths[pair]), float(met.k_lengths[pair])
    ghosts = _hands(view.here, pair, 0.22) if view.move and not view.several else ()
    adds = number(float(met.pairs[pair]))
    angle = f"{number(math.degrees(between), 1)}°" if met.angled[pair] else "no angle"
    summed = (angle, f"adds {adds}")
    if met.angled[pair] and not view.several:
        summed = (f"{number(q_length * k_length)} · cos {angle}", f"= {adds}")
    return Clock(
        hands=(*ghosts, *_hands(met, pair, shade(place, len(view.curve.shown)))),
        lines=(
            f"pair {pair}",
            f"θ = {number(float(view.rope.inv_freq[pair]))}",
            *summed,
        ),
        size=size,
        arc=(k_angle, k_angle + between),
    )


def _hands(met: Meeting, pair: int, strength: float) -> tuple[Hand, Hand]:
    # each face to its own scale: lengths of pairs differ so much that short hands would show no angle
    q_length, k_length = float(met.q_lengths[pair]), float(met.k_lengths[pair])
    longest = max(q_length, k_length) or 1.0
    return (
        Hand(float(met.k_angles[pair]), "ink", min(1.0, strength * 1.4), k_length / longest, True, "k"),
        Hand(float(met.q_angles[pair]), "dim-d", strength, q_length / longest, False, "q"),
    )


def readout(view: View) -> Markup:
    """Positions, distance and score as given and after the move, and the difference of the two."""
    change = tag(
        "td", tiny(view.difference), class_="lab-good" if is_rounding(view.difference, view) else "lab-bad"
    )
    rows = [
        _row("given", (view.m, view.n), view.stored, view.here),
    ]
    if view.move:
        rows += [
            _row(f"both + {number(view.move)}", view.places, view.stored_moved, view.moved),
            tag("tr", tag("th", "change", scope="row"), *(tag("td") for _ in range(3)), change),
        ]
    names = ("", "q at", "k at", "apart", "score")
    head = tag("tr", join(tag("th", name, scope="col") if name else tag("td") for name in names))
    table = tag("table", tag("thead", head), tag("tbody", join(rows)))
    before_q, after_q, before_k, after_k = (number(norm) for norm in view.norms)
    norms = f"Turning keeps norms: |q| {before_q} → {after_q}, |k| {before_k} → {after_k}."
    return tag("div", table, stays(view), tag("p", norms), class_="lab-rope-readout")


def _row(name: str, places: tuple[int, int], stored: tuple[int, int], met: Meeting) -> Markup:
    cells = [
        tag("td", number(place), tag("i", f"→ {number(kept)}") if place != kept else "")
        for place, kept in zip(places, stored, strict=True)
    ]
    distance = tag("td", number(stored[0] - stored[1]))
    return tag("tr", tag("th", name, scope="row"), *cells, distance, tag("td", tag("b", number(met.score))))


def tiny(value: float) -> str:
    """A difference: its power of ten where it is rounding, since 1.1e−16 is not 0.

    >>> tiny(0.0), tiny(1.11e-16), tiny(0.25)
    ('0', '1.1e−16', '0.25')
    """
    return minus(f"{value:.1e}") if 0 < value < 1e-3 else number(value)


def is_rounding(value: float, view: View) -> bool:
    """Whether a difference is what float64 leaves of 0 at the size of these vectors."""
    farthest = max(view.m, view.n) + MOVES[-1]
    turned = TURNED * farthest * float(view.rope.inv_freq.max())
    return bool(value <= (ROUNDING + turned) * view.norms[0] * view.norms[2])


def stays(view: View) -> Markup:
    """Whether the score survives every move on offer."""
    if is_rounding(view.largest, view):
        most = f"{len(MOVES)} moves up to {MOVES[-1]:,}"
        return verdict(f"The score stays: {most} change it by at most {tiny(view.largest)}.", "good")
    said = f"In {view.precision} positions round: {len(MOVES)} moves change the score by up to"
    return verdict(f"{said} {tiny(view.largest)}.", "bad")


def bars(view: View) -> Markup:
    """The contribution of every pair at the present distance, as signed bars."""
    values = view.moved.pairs.tolist()
    top = max(abs(value) for value in values) or 1.0
    # 64 of them at each step of a slider: numbers need no escaping, so they are written as they are
    drawn = "".join(_bar(pair, value, top, len(values)) for pair, value in enumerate(values))
    largest, smallest = number(max(values)), number(min(values))
    said = f"Contributions of {len(values)} pairs; the largest is {largest}, the smallest {smallest}"
    width = f"max-width:{min(720, 76 * len(values))}px"
    return tag("div", Markup(drawn), class_="lab-rope-bars", style=width, role="img", aria_label=said)


def _bar(pair: int, value: float, top: float, count: int) -> str:
    name = f"<b>{number(value, 2)}</b>" if count <= NAMED else ""
    return (
        f'<span class="{"lab-up" if value >= 0 else "lab-down"}" title="pair {pair}: {number(value)}">'
        f'<i style="--h:{abs(value) / top:.4f};--s:{shade(pair, count):.0%}"></i>{name}</span>'
    )
