"""What the room `rope` says beside its figures: caption, numbers, formula."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import number, vector
from app.kit.numbers import Cell, Table
from app.rooms.rope import sections
from app.rooms.rope.compute import View
from app.rooms.rope.parts import BLOCK, DRAWS, FIRST, norm
from app.rooms.rope.quiz import questions
from app.rooms.rope.source import code, code_answer
from app.rooms.rope.stage import tiny
from lab.positions.precision import Precision, cast_positions, count_distinct
from lab.rope_study import other_layout, rotation_error

__all__ = ["code", "code_answer", "describe", "formula", "numbers", "questions"]

LISTED = (*range(1, 17), 32, 64, 128, 256, 512, 1_024, 1_536, 2_047)
"""Distances of the real heads in the table of numbers."""
PROBES = (256, 257, 258, 259, 2_049, 65_519, 65_520)
"""Positions whose stored form is listed."""
FORMATS: tuple[Precision, ...] = ("float32", "float16", "bfloat16")
DIGITS = 2
"""Decimals of a real head's score: its root mean square error is .03 to .1."""
TERMS = 4
"""Terms of a sum that are written out."""


def describe(view: View) -> str:
    """The caption: the positions, the angle, the score, and what moving both does."""
    if view.shown in sections.SENTENCES and view.shown != "pairs":
        return sections.SENTENCES[view.shown](view)
    m, n = view.places
    said = (
        f"q at position {number(m)} and k at position {number(n)} are {number(abs(view.distance))} apart: "
        f"{_met(view)}, and the score is {number(view.moved.score)}."
    )
    if view.move:
        said += f" Before both moved by {number(view.move)} it was {number(view.here.score)}."
    if not view.exact:
        stored = view.stored_moved
        said += (
            f" Stored in {view.precision} the positions are {number(stored[0])} and {number(stored[1])}: for "
            f"the program the distance is {number(stored[0] - stored[1])}."
        )
    if not view.window.start <= 0 < view.window.stop:
        said += (
            f" Drawn are distances {number(view.window.start)} to {number(view.window.stop - 1)} around it."
        )
    return said


def _met(view: View) -> str:
    met = view.moved
    lost = int((~met.angled).sum())
    if view.several:
        pairs = len(met.pairs)
        without = f", {lost} of them with no angle, as a hand has no length" if lost else ""
        return f"{pairs} pairs of hands meet, each at its own angle{without}"
    if lost:
        return "a vector of zeros points nowhere, so the hands have no angle"
    return f"the angle between the hands is {number(float(met.between[0]))} rad"


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    return [
        _places(view),
        _pairs(view),
        _vectors(view),
        _by_distance(view),
        _real(view),
        _survival(),
        _storage(view),
    ]


def _places(view: View) -> Table:
    rows: list[list[Cell]] = []
    for name, places, stored, met in (
        ("given", (view.m, view.n), view.stored, view.here),
        ("both moved", view.places, view.stored_moved, view.moved),
    ):
        rows.append([name, *places, *stored, stored[0] - stored[1], met.score])
    rows.append(["change", "", "", "", "", "", view.difference])
    rows.append(["largest change of any move", "", "", "", "", "", view.largest])
    return Table("Positions", ["", "q at", "k at", "q stored", "k stored", "distance", "score"], rows)


def _pairs(view: View) -> Table:
    met, rope = view.moved, view.rope
    columns = {
        "θ": rope.inv_freq.tolist(),
        "period": rope.wavelengths.tolist(),
        "q angle": _angled(met.q_angles, met.q_lengths > 0),
        "k angle": _angled(met.k_angles, met.k_lengths > 0),
        "k to q": _angled(met.between, met.angled),
        "q length": met.q_lengths.tolist(),
        "k length": met.k_lengths.tolist(),
        "adds": met.pairs.tolist(),
    }
    rows: list[list[Cell]] = [
        [pair, *values] for pair, values in enumerate(zip(*columns.values(), strict=True))
    ]
    return Table("Pairs, angles in radians", ["pair", *columns], rows)


def _angled(angles: Any, defined: Any) -> list[Cell]:
    listed = zip(angles.tolist(), defined.tolist(), strict=True)
    return [angle if has_angle else "none" for angle, has_angle in listed]


def _vectors(view: View) -> Table:
    rope, (other, _) = view.rope, other_layout(view.rope)
    rows: list[list[Cell]] = []
    for name, given, place in zip(
        ("q", "k"), (view.setting.q, view.setting.k), view.stored_moved, strict=True
    ):
        rows.append([name, "as given", norm(given), *given])
        for head in (rope, other):
            turned = head.rotate([given], [place])[0].tolist()
            rows.append([f"{name} turned to {place}", head.pairing, norm(turned), *turned])
    return Table("Vectors", ["", "layout", "norm", *(f"x{j}" for j in range(1, rope.d + 1))], rows)


def _by_distance(view: View) -> Table:
    curve, average = view.curve, view.average
    columns = {
        "distance": curve.distances,
        "score": curve.total,
        "other layout": curve.layouts.other,
        "other, permuted": curve.layouts.reconciled,
        "k = q, mean": average.alike,
        "k = q, expected": average.expected,
        "k on its own, mean": average.apart,
        **{f"pair {pair}": heights for pair, heights in zip(curve.shown, curve.pairs, strict=True)},
    }
    listed = zip(*(values.tolist() for values in columns.values()), strict=True)
    return Table(f"By distance; means of {DRAWS} draws", list(columns), [list(values) for values in listed])


def _real(view: View) -> Table:
    heads = view.heads
    scores = heads.scores.T[[distance - 1 for distance in LISTED]].tolist()  # (9, 2047) -> (24, 9)
    # no more digits than the quantised weights bear
    rows: list[list[Cell]] = [
        [distance, *(round(value, DIGITS) for value in values)]
        for distance, values in zip(LISTED, scores, strict=True)
    ]
    rows.append(["error", *(round(error, DIGITS) for error in heads.errors.tolist())])
    title = (
        f"Real heads, ‘{heads.a}’ to ‘{heads.b}’: {len(LISTED)} of 2,047 distances, the code gives all; last "
        "row: root mean square error"
    )
    return Table(title, ["distance", *(f"head {head}" for head in range(len(heads.scores)))], rows)


def _survival() -> Table:
    rows: list[list[Cell]] = [
        [
            kind,
            count_distinct(FIRST, kind),
            count_distinct(32_768, kind),
            *cast_positions(PROBES, kind).tolist(),
        ]
        for kind in FORMATS
    ]
    columns = [
        "stored in",
        f"apart of {FIRST:,}",
        "apart of 32,768",
        *(f"{position:,} is" for position in PROBES),
    ]
    return Table("Positions that stay apart", columns, rows)


def _storage(view: View) -> Table:
    found = view.storage
    ends = {
        f"{kind} {name}": rows[kind].tolist()
        for kind in found.lowest
        for name, rows in (("lowest", found.lowest), ("highest", found.highest))
    }
    listed = zip(*ends.values(), strict=True)
    rows = [[BLOCK * block, found.exact, *values] for block, values in enumerate(listed)]
    title = f"Score at distance {number(view.distance)} while both positions move, {BLOCK} neighbours per row"
    return Table(title, ["from position", "exact", *ends], rows)


def formula(view: View) -> tuple[Formula, ...]:
    """The identity, the sum over pairs and the angles, each with the present numbers."""
    m, n = view.stored_moved
    identity = Formula(
        r"(R_m q) \cdot (R_n k) = q^{\top} R_m^{\top} R_n\, k = q^{\top} R_{n-m}\, k",
        rf"(R_{{{m}}}\, q) \cdot (R_{{{n}}}\, k) = q^{{\top}} R_{{{n - m}}}\, k = {_added(view)}",
        "Turning back by m and forward by n is one turn by n − m; here the two matrices differ by at most "
        f"{tiny(rotation_error(view.rope, m, n))}. Su et al. 2021, equations 14 to 16.",
    )
    return identity, _sum(view), _angles(view)


def _added(view: View) -> str:
    # number by number: q_1 times the first number of the turned k, and so on
    shown = [_tex(term) for term in view.terms[:TERMS]]
    more = r" + \ldots" if len(view.terms) > TERMS else ""
    return f"{' + '.join(shown)}{more} = {_tex(view.moved.score)}"


def _sum(view: View) -> Formula:
    met = view.moved
    terms = " + ".join(
        rf"{_tex(float(met.q_lengths[i] * met.k_lengths[i]))}\, \cos({_tex(float(met.between[i]))})"
        if met.angled[i]
        else "0"
        for i in range(min(TERMS, len(met.pairs)))
    )
    more = r" + \ldots" if len(met.pairs) > TERMS else ""
    return Formula(
        r"\mathrm{score} = \sum_{i=0}^{\dim{d}/2-1} |q_i|\, |k_i|"
        r" \cos\left(\varphi_i + (m - n)\, \theta_i\right)",
        rf"{_tex(met.score)} = {terms}{more}",
        "Hands q_i and k_i of pair i; φ_i is the angle from k_i to q_i when both stand at one position. No "
        "position enters on its own, only m − n.",
    )


def _angles(view: View) -> Formula:
    rope = view.rope
    few = row(vector(rope.inv_freq.tolist(), 4, most=6))
    if not view.several and view.setting.turn == "theta":
        return Formula(r"\theta_0 = \theta", rf"\theta_0 = {few}", "One pair, its angle chosen directly.")
    return Formula(
        r"\theta_i = \mathrm{base}^{-2i/\dim{d}}",
        rf"\theta = {int(rope.base)}^{{-2i/{rope.d}}} = {few}",
        "Pair 0 turns by 1 radian per position, each next pair by the same factor less.",
    )


def _tex(value: float) -> str:
    # 1.2e−16 becomes a power of ten
    digits, mark, power = number(value).partition("e")
    return rf"{row(digits)} \cdot 10^{{{int(power.replace('−', '-'))}}}" if mark else row(digits)
