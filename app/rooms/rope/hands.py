"""The first figure of the room `rope`: a clock for each pair, and the scores before and after a move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, ClassVar

from app.kit.budget import Cost, typed
from app.kit.clocks import Clock, Hand, clocks
from app.kit.figure import Figure, Snapshot
from app.kit.formula import Formula, decimal, row
from app.kit.given import GIVEN
from app.kit.html import Markup, join, number, tag, vector
from app.kit.matrix import verdict
from app.kit.numbers import Cell, Table
from app.kit.words import tiny
from app.rooms.rope.model import WORDS
from app.rooms.rope.model.turning import Meeting, other_layout
from app.rooms.rope.model.views import MOVES, Met
from app.rooms.rope.source import code

HEAD = ("turn", "own", "theta", "base", "d")
VECTORS = (*HEAD, "pairing", "q", "k", "seed")
PLACED = (*VECTORS, "m", "n", "move", "precision")
TERMS = 4
"""Terms of a sum that are written out."""


class RopeFigure(Figure):
    """What all figures of this room share."""

    words = WORDS
    draws: ClassVar[str]
    """The part of the view that is drawn: what can be refused is refused while it is computed."""

    def compute(self, s: Snapshot) -> Any:
        view = self.view(s)
        getattr(view, self.draws)
        return view

    def cost(self, s: Snapshot) -> Cost:
        # all other bounds hold the sizes small, their products too
        return typed(*(value for name, value in s if name in ("q", "k", "a", "b")))

    def code(self, s: Snapshot) -> str:
        return code(self.key, self.view(s))

    @classmethod
    def controlled(cls) -> tuple[str, ...]:
        """What is shown is chosen beside every figure."""
        return (*super().controlled(), "view")


class Hands(RopeFigure):
    """The hands of q and k on one clock per pair, and the scores as given and after the move."""

    key, view, draws = "hands", Met, "moved"
    uses = PLACED

    def make(self) -> Sequence[Any]:
        return (self.hands,)

    def hands(self, view: Met) -> Markup:
        """One clock per pair with the hands of q and k, and the scores before and after the move."""
        size = 88 if view.several else 176
        faces = [_clock(view, pair, place, size) for place, pair in enumerate(view.shown)]
        key = [
            tag("span", tag("i", class_="lab-rope-q"), "q"),
            tag("span", tag("i", class_="lab-rope-k"), "k"),
            tag("span", tag("i", class_="lab-rope-angle"), "angle from k to q"),
        ]
        if len(view.shown) < view.pairs:
            key.append(tag("span", self.say("some", view, shown=len(view.shown))))
        drawn = clocks(faces, "Clocks, one per pair, with the hands of q and k")
        left = tag("div", drawn, tag("p", join(key), class_="lab-rope-key"))
        classes = "lab-rope" if view.several else "lab-rope lab-rope-one"
        return tag("div", left, self.readout(view), class_=classes)

    def readout(self, view: Met) -> Markup:
        """Positions, distance and score as given and after the move, and the difference of the two."""
        rows = [_row("given", (view.s.m, view.s.n), view.stored, view.here)]
        if view.s.move:
            kind = "lab-good" if view.is_rounding(view.difference) else "lab-bad"
            change = tag("td", tiny(view.difference), class_=kind)
            rows += [
                _row(f"both + {number(view.s.move)}", view.places, view.stored_moved, view.moved),
                tag("tr", tag("th", "change", scope="row"), *(tag("td") for _ in range(3)), change),
            ]
        names = ("", "q at", "k at", "apart", "score")
        head = tag("tr", join(tag("th", name, scope="col") if name else tag("td") for name in names))
        table = tag("table", tag("thead", head), tag("tbody", join(rows)))
        kind, name = ("good", "stays") if view.is_rounding(view.largest) else ("bad", "rounds")
        said = verdict(self.say(name, view, moves=len(MOVES), farthest=MOVES[-1]), kind)
        return tag("div", table, said, tag("p", self.say("norms", view)), class_="lab-rope-readout")

    def caption(self, view: Met) -> str:
        said = [self.say("caption", view, apart=abs(view.distance), met=self.met(view))]
        said += [self.say("before", view)] if view.s.move else []
        said += [] if view.exact else [self.say("stored", view)]
        return " ".join(said)

    def met(self, view: Met) -> str:
        """How the hands meet."""
        lost = view.pairs - int(view.moved.angled.sum())
        if view.several:
            return self.say("pairs", view) + (self.say("lost", lost=lost) if lost else "")
        return self.say("no angle") if lost else self.say("angle", angle=view.moved.between[0])

    def numbers(self, view: Met) -> list[Table]:
        rows: list[list[Cell]] = [
            [name, *places, *stored, stored[0] - stored[1], met.score]
            for name, places, stored, met in (
                ("given", (view.s.m, view.s.n), view.stored, view.here),
                ("both moved", view.places, view.stored_moved, view.moved),
            )
        ]
        rows.append(["change", *[""] * 5, view.difference])
        rows.append(["largest change of any move", *[""] * 5, view.largest])
        names = ["", "q at", "k at", "q stored", "k stored", "distance", "score"]
        return [Table("Positions", names, rows), pair_table(view), _vectors(view)]

    def formula(self, view: Met) -> tuple[Formula, ...]:
        m, n = view.stored_moved
        # number by number: q_1 times the first number of the turned k, and so on
        terms = added(map(decimal, view.terms.tolist()))
        identity = Formula(
            r"(R_m q) \cdot (R_n k) = q^{\top} R_m^{\top} R_n\, k = q^{\top} R_{n-m}\, k",
            rf"(R_{{{m}}}\, q) \cdot (R_{{{n}}}\, k) = q^{{\top}} R_{{{n - m}}}\, k = {terms} = "
            f"{decimal(view.moved.score)}",
            self.say("identity", view),
        )
        few = row(vector(view.rope.inv_freq.tolist(), 4, most=6))
        if view.rule == "theta":
            return identity, Formula(r"\theta_0 = \theta", rf"\theta_0 = {few}", self.say("chosen"))
        if view.rule == GIVEN:
            listed = r"\theta_0, \ldots, \theta_{\dim{d}/2-1}" if view.several else r"\theta_0"
            return identity, Formula(listed, rf"{listed} = {few}", self.say("given"))
        base = rf"\theta = {view.s.base}^{{-2i/{view.rope.d}}} = {few}"
        return identity, Formula(r"\theta_i = \mathrm{base}^{-2i/\dim{d}}", base, self.say("falling"))

    def code_answer(self, view: Met) -> Any:
        return [view.here.score, view.moved.score]


def added(terms: Iterable[str]) -> str:
    """A sum in LaTeX, of which the first terms are written out."""
    first = list(islice(terms, TERMS + 1))
    return " + ".join([*first[:TERMS], *[r"\ldots"] * (len(first) > TERMS)])


def shade(place: int, count: int) -> float:
    """How strong a pair is drawn: the fastest fully, the slowest least."""
    return 1.0 - 0.6 * place / max(count - 1, 1)


def pair_table(view: Met) -> Table:
    """Angles, lengths and what each pair adds."""
    met = view.moved
    columns: dict[str, list[Cell]] = {
        "θ": view.rope.inv_freq.tolist(),
        "period": view.rope.wavelengths.tolist(),
        "q angle": _angled(met.q_angles, met.q_lengths > 0),
        "k angle": _angled(met.k_angles, met.k_lengths > 0),
        "k to q": _angled(met.between, met.angled),
        "q length": met.q_lengths.tolist(),
        "k length": met.k_lengths.tolist(),
        "adds": met.pairs.tolist(),
    }
    rows = [[pair, *values] for pair, values in enumerate(zip(*columns.values(), strict=True))]
    return Table("Pairs, angles in radians", ["pair", *columns], rows)


def _angled(angles: Any, defined: Any) -> list[Cell]:
    listed = zip(angles.tolist(), defined.tolist(), strict=True)
    return [angle if has_angle else "none" for angle, has_angle in listed]


def _vectors(view: Met) -> Table:
    setting, (other, _) = view.setting, other_layout(view.rope)
    rows: list[list[Cell]] = []
    given = zip(("q", "k"), (setting.q, setting.k), view.stored_moved, strict=True)
    for name, vector_given, place in given:
        rows.append([name, "as given", math.hypot(*vector_given), *vector_given])
        for head in (view.rope, other):
            turned = head.rotate([vector_given], [place])[0].tolist()
            rows.append([f"{name} turned to {place}", head.pairing, math.hypot(*turned), *turned])
    return Table("Vectors", ["", "layout", "norm", *(f"x{j}" for j in range(1, view.rope.d + 1))], rows)


def _clock(view: Met, pair: int, place: int, size: int) -> Clock:
    met = view.moved
    between, k_angle = float(met.between[pair]), float(met.k_angles[pair])
    ghosts = _hands(view.here, pair, 0.22) if view.s.move and not view.several else ()
    adds = number(float(met.pairs[pair]))
    angle = f"{number(math.degrees(between), 1)}°" if met.angled[pair] else "no angle"
    summed = (angle, f"adds {adds}")
    if met.angled[pair] and not view.several:
        lengths = float(met.q_lengths[pair] * met.k_lengths[pair])
        summed = (f"{number(lengths)} · cos {angle}", f"= {adds}")
    return Clock(
        hands=(*ghosts, *_hands(met, pair, shade(place, len(view.shown)))),
        lines=(f"pair {pair}", f"θ = {number(float(view.rope.inv_freq[pair]))}", *summed),
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


def _row(name: str, places: tuple[int, int], stored: tuple[int, int], met: Meeting) -> Markup:
    cells = [
        tag("td", number(place), tag("i", f"→ {number(kept)}") if place != kept else "")
        for place, kept in zip(places, stored, strict=True)
    ]
    distance = tag("td", number(stored[0] - stored[1]))
    return tag("tr", tag("th", name, scope="row"), *cells, distance, tag("td", tag("b", number(met.score))))
