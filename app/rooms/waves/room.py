"""What is a sinusoidal position made of? Waves across positions, a clock for each pair, a rotation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import param

from app.kit import controls, fields, picture
from app.kit.clocks import Clock, Hand, clocks, degrees
from app.kit.figure import Figure, Snapshot
from app.kit.figures import Curves
from app.kit.formula import Formula, decimal, row
from app.kit.html import Markup, dims, join, number, tag, vector
from app.kit.matrix import matrix
from app.kit.numbers import Table
from app.kit.questions import asked
from app.kit.room import Room
from app.kit.words import Words, tiny
from app.rooms.waves import model
from app.rooms.waves.model import EXACT, FARTHEST, PE, Layout, Waves, columns_of, error, period
from app.rooms.waves.window import WindowHeatmap
from lab.positions.sinusoidal import LAYOUTS

WORDS = Words(__file__)
VARIANTS = {"interleaved": "Interleaved (the paper)", "concatenated": "Concatenated"}
NAMED_ROWS, MOST_COLUMNS = 16, 12
"""Rows of the heatmap that are named, and columns of a matrix that are shown."""
NAMED_PAIRS, MOST_CLOCKS = 8, 64
"""Clocks with all their numbers, and clocks at all; of more pairs some are shown, from the fastest on."""
MOST_CELLS = 8192
"""Entries of the whole table that the numbers still list; a larger one is left to the code."""
ENDS = (511, 2_047, 8_191, 32_767, FARTHEST)
"""Ends of the slider: it reaches farther only where the position already is."""


class State(param.Parameterized):
    """What a reader can set."""

    position = param.Integer(default=7, bounds=(0, FARTHEST), label="Position p")
    shift = param.Integer(default=3, bounds=(-64, 64), label="Shift k", doc="Positions from p to p + k.")
    d = param.Integer(default=8, bounds=(2, 512), label="Width D")
    base = param.Number(default=10_000.0, bounds=(2.0, 1_000_000.0), label="Base b")
    variant = param.Selector(default="interleaved", objects=list(LAYOUTS), label="Variant")
    length = param.Integer(default=64, bounds=(8, 512), label="Positions shown T")


class WavesFigure(Figure):
    """What all figures of this room share."""

    words, view = WORDS, Waves
    uses: ClassVar[tuple[str, ...]] = ("position", "shift", "d", "base", "variant", "length")

    def source(self, s: Snapshot, ends: str) -> str:
        """Code with the rows as a function, and what one figure makes of them."""
        return _ROWS.format(D=s.d, b=repr(s.base), layout=_LAYOUT[s.variant]) + ends + "\n"


class Rows(WavesFigure):
    """The table around the cursor, and one clock for each pair."""

    key = "rows"

    def make(self) -> Sequence[Any]:
        self.map = WindowHeatmap(
            label="The rows PE(p), one position per column",
            x="position p",
            y="column",
            height=250,
            tips=("column", "position"),
        )
        self.here, self.ahead = self.map.mark(x=0, colour="ink"), self.map.mark(x=0, colour="ink-soft")
        self.here.update(line_dash="solid", line_width=2)
        self.ahead.line_width = 2
        return self.map, self.faces, self.note

    def draw(self, view: Waves) -> None:
        self.here.location, self.ahead.location = view.p, view.p + view.k
        if not self.changed("table", view.D, view.s.base, view.s.variant, view.first, view.T):
            return
        self.map.set_window(view.table.T, view.first, 1.0)
        if view.D <= NAMED_ROWS:
            self.map.words("y", view.columns)
        else:
            self.map.places("y")

    def faces(self, view: Waves) -> Markup:
        """One clock per pair: the hand at p, dashed at p + k, the turn between them shaded."""
        step = max((view.pairs - 1) / (MOST_CLOCKS - 1), 1)
        size = 88 if view.pairs <= NAMED_PAIRS else 60 if view.pairs <= 20 else 40
        shown = [_face(view, round(at * step), size) for at in range(min(view.pairs, MOST_CLOCKS))]
        return clocks(shown, f"One clock per pair, at position {number(view.p)}")

    def note(self, view: Waves) -> Markup:
        """What the clocks show."""
        said = self.say("clocks", p=view.p, q=view.p + view.k)
        more = "" if view.pairs <= NAMED_PAIRS else self.say("numbers")
        some = self.say("some", view, most=MOST_CLOCKS) if view.pairs > MOST_CLOCKS else ""
        return tag("p", " ".join(filter(None, (said, more, some))), class_="lab-note")

    def caption(self, view: Waves) -> str:
        name = "caption" if view.pairs > 1 else "one"
        return self.say(name, view, far=PE(FARTHEST), farthest=FARTHEST)

    def numbers(self, view: Waves) -> list[Table]:
        scheme, w = view.scheme, view.scheme.frequencies
        sines = view.row[scheme.sine_columns].tolist()
        cosines = [*view.row[scheme.cosine_columns].tolist(), "trimmed"]
        listed = zip(
            w.tolist(), scheme.wavelengths.tolist(), (view.p * w).tolist(), sines, cosines, strict=False
        )
        names = ["pair", "frequency", "wavelength", "angle at p", "sine", "cosine"]
        pairs = Table(
            f"Pairs at position {number(view.p)}", names, [[i, *one] for i, one in enumerate(listed)]
        )
        if view.table.size > MOST_CELLS:
            return [pairs]
        rows = [[p, *line] for p, line in zip(view.shown, view.table.tolist(), strict=True)]
        return [pairs, Table("Rows shown", ["position", *view.columns], rows)]

    def formula(self, view: Waves) -> tuple[Formula, ...]:
        pair, w, a, b = _pair(view)
        paper = view.s.variant != "tensor2tensor"
        rule = r"-2i/\dim{D}" if paper else r"-i/\max(\lfloor \dim{D}/2 \rfloor - 1,\ 1)"
        angle = rf"({view.p} \cdot {decimal(w)})"
        sine, cosine = decimal(float(view.row[a])), decimal(float(view.row[b]))
        return (
            Formula(
                rf"\sin(p\,w_i),\; \cos(p\,w_i) \quad\text{{for each pair }} i, \qquad w_i = b^{{{rule}}}",
                rf"i = {pair}:\; \sin{angle} = {sine},\quad \cos{angle} = {cosine}",
                self.say("origin", source=view.scheme.source if paper else self.say("t2t")),
            ),
        )

    def code(self, s: Snapshot) -> str:
        view = Waves(s)
        return self.source(s, f"result = PE(np.arange({view.first}, {view.last + 1}))  # (T, D)")

    def code_answer(self, view: Waves) -> Any:
        return view.table


def _pair(view: Waves) -> tuple[int, float, int, int]:
    """A pair to show numbers of: its index, its frequency, its two columns."""
    scheme = view.scheme
    i = min(1, len(scheme.cosine_columns) - 1)
    return i, float(scheme.frequencies[i]), int(scheme.sine_columns[i]), int(scheme.cosine_columns[i])


def _face(view: Waves, pair: int, size: int) -> Clock:
    w = float(view.scheme.frequencies[pair])
    angle, turned = view.p * w, (view.p + view.k) * w
    # pairs are shades of one colour, none so pale that its hand is lost
    strength = 1 - 0.5 * pair / max(view.last_pair, 1)
    hands = (
        Hand(turned, "ink-soft", 0.8, dashed=True, name=f"position {number(view.p + view.k)}"),
        Hand(angle, "dim-d", strength, name=f"position {number(view.p)}"),
    )
    lines: tuple[Markup | str, ...] = (f"pair {pair}" if size > 40 else f"{pair}",)
    if view.pairs <= NAMED_PAIRS:
        partner = pair < len(view.scheme.cosine_columns)
        cosine = f"cos {number(math.cos(angle))}" if partner else "no cosine"
        length = period(float(view.scheme.wavelengths[pair]))
        lines += (degrees(angle), f"sin {number(math.sin(angle))}", cosine, f"period {length}")
    return Clock(hands, lines, size=size, arc=(angle, turned))


class Rotation(WavesFigure):
    """PE(p), PE(p) M and PE(p + k), and M itself where it is small."""

    key = "rotation"

    def make(self) -> Sequence[Any]:
        return (self.matrices,)

    def matrices(self, view: Waves) -> Markup:
        """The rows and their difference, and M."""
        off = view.ahead - view.turned
        # rounding would print as 1.1e-16 and hide that it is nothing
        rows = [view.row, view.turned, view.ahead, off * (abs(off) > view.rounding)]
        few, half, scheme = view.D <= MOST_COLUMNS, MOST_COLUMNS // 2, view.scheme
        whole = sorted([*scheme.sine_columns[:half].tolist(), *scheme.cosine_columns[:half].tolist()])
        chosen = list(range(view.D)) if few else whole
        table = matrix(
            [[float(line[column]) for column in chosen] for line in rows],
            title=f"{view.PE}, turned by k = {number(view.k)}, is {view.PE_ahead}",
            under=join([dims(("D", view.D)), "" if few else f", {len(chosen)} of {view.D} columns"]),
            rows=[view.PE, f"{view.PE} M", view.PE_ahead, "difference"],
            columns=[view.columns[column] for column in chosen],
            strongest=1.0,
        )
        named: dict[str, Any] = {"rows": view.columns, "columns": view.columns, "strongest": 1.0}
        m = matrix(view.matrix, title=f"M({number(view.k)})", under=self.say("same"), **named) if few else ""
        return tag("div", table, m, class_="lab-even")

    def caption(self, view: Waves) -> str:
        whole = view.scheme.lone_column is None or view.lone_error < view.rounding
        return self.say("caption" if whole else "lone", view, worst=error(view.error, view.rounding))

    def numbers(self, view: Waves) -> list[Table]:
        columns = (view.row, view.turned, view.ahead, view.ahead - view.turned)
        rows = [list(line) for line in zip(view.columns, *(one.tolist() for one in columns), strict=True)]
        names = ["column", "PE(p)", "PE(p) M", "PE(p + k)", "difference"]
        return [Table("A step of k as a rotation", names, rows)]

    def formula(self, view: Waves) -> tuple[Formula, ...]:
        pair, _, a, b = _pair(view)
        ahead, here = (row(vector([float(of[a]), float(of[b])])) for of in (view.ahead, view.row))
        lines = r" \\ ".join(" & ".join(decimal(float(view.matrix[i, j])) for j in (a, b)) for i in (a, b))
        return (
            Formula(
                r"\left[\sin w(p+k),\ \cos w(p+k)\right] = \left[\sin wp,\ \cos wp\right]"
                r"\begin{bmatrix} \cos kw & -\sin kw \\ \sin kw & \cos kw \end{bmatrix}",
                rf"{ahead} = {here} \begin{{bmatrix}} {lines} \end{{bmatrix}}",
                self.say("formula", view, pair=pair),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return self.source(s, _TURN.format(p=s.position, k=s.shift))

    def code_answer(self, view: Waves) -> Any:
        return [view.turned, view.ahead]


class Dots(WavesFigure):
    """The dot product of two rows against their distance, from p and from 0."""

    key = "dots"

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            {"zero": ("from position 0", "scheme-none"), "here": ("from position p", "scheme-sinusoidal")},
            dashes={"here": "dashed"},
            label="Dot product of two rows against their distance",
            x="distance",
            y="dot product",
            x_range=(0, 1),
            y_range=(0, 1),
            height=240,
        )
        self.distance = self.curves.mark(x=0)
        self.curves.figure.legend[0].update(orientation="horizontal", spacing=16)
        return (self.curves,)

    def draw(self, view: Waves) -> None:
        distances, here, zero = list(range(view.T)), view.dots, view.dots_from_zero
        self.curves.set("zero", distances, zero)
        self.curves.set("here", distances, here)
        self.curves.set_x(0, view.T - 1)
        # room for the legend above the highest value, which is that at distance 0
        top = float(zero[0])
        self.curves.set_y(min(0.0, float(here.min()), float(zero.min())) - 0.05 * top, 1.3 * top)
        self.distance.location = abs(view.k)

    def caption(self, view: Waves) -> str:
        rounding = view.rounding * view.pairs
        whole = view.scheme.lone_column is None
        name = "caption" if whole else "same" if view.gap < rounding else "lone"
        return self.say(name, view, worst=error(view.gap, rounding), distance=abs(view.k))

    def numbers(self, view: Waves) -> list[Table]:
        both = zip(view.dots.tolist(), view.dots_from_zero.tolist(), strict=True)
        rows = [[distance, *values] for distance, values in enumerate(both)]
        return [Table("Dot product against distance", ["distance", "from p", "from 0"], rows)]

    def formula(self, view: Waves) -> tuple[Formula, ...]:
        terms = (view.k * view.scheme.frequencies).tolist()
        whole = view.scheme.lone_column is None
        summed = " + ".join(rf"\cos({decimal(term)})" for term in terms[:4])
        named = summed + (r" + \ldots" if len(terms) > 4 else "")
        if not whole:
            named = rf"PE_{{{view.p}}} \cdot PE_{{{view.p + view.k}}}"
        general = r"PE_p \cdot PE_{p+k} = \sum_i \cos(k\,w_i)"
        says = self.say("even" if whole else "trimmed")
        return (Formula(general, rf"{named} = {decimal(view.dot, 5)}", says),)

    def code(self, s: Snapshot) -> str:
        ends = "result = PE(np.arange(p, p + T)) @ PE([p])[0]  # (T,)"
        return self.source(s, f"p, T = {s.position}, {s.length}\n{ends}")

    def code_answer(self, view: Waves) -> Any:
        return view.dots


class Wavelengths(WavesFigure):
    """Wavelength of each pair, the paper's and tensor2tensor's."""

    key = "wavelengths"
    uses = ("d", "base", "variant", "length")

    def make(self) -> Sequence[Any]:
        self.curves = Curves(
            {"paper": ("the paper's", "dim-d"), "other": ("tensor2tensor", "scheme-none")},
            points=True,
            label="Wavelength of each pair",
            x="pair",
            y="positions",
            y_type="log",
            height=240,
        )
        self.shown = self.curves.mark(y=1)
        self.curves.places("x")
        # the curves rise to the right
        self.curves.figure.legend[0].location = "top_left"
        return (self.curves,)

    def draw(self, view: Waves) -> None:
        for key, lengths in zip(("paper", "other"), view.both_wavelengths, strict=True):
            self.curves.set(key, list(range(len(lengths))), lengths)
        self.shown.location = view.T

    def caption(self, view: Waves) -> str:
        turned = int((view.scheme.wavelengths <= view.T).sum())
        kind = "pairs" if view.scheme.lone_column is None else "frequencies"
        drift = "; the others only drift" if turned < view.pairs else ""
        return self.say("caption" if view.pairs > 1 else "one", view, turned=turned, kind=kind, drift=drift)

    def numbers(self, view: Waves) -> list[Table]:
        paper, other = (lengths.tolist() for lengths in view.both_wavelengths)
        rows = [[i, *both] for i, both in enumerate(zip(paper, [*other, "none"], strict=False))]
        return [Table("Wavelengths in positions", ["pair", "the paper's", "tensor2tensor"], rows)]

    def formula(self, view: Waves) -> tuple[Formula, ...]:
        lengths = view.scheme.wavelengths.tolist()
        filled = r",\quad ".join(
            rf"\lambda_{{{i}}} = {decimal(lengths[i], 2 if lengths[i] < 1000 else 0)}"
            for i in sorted({0, view.last_pair})
        )
        says = self.say("geometric" if view.pairs > 1 else "single")
        return (Formula(r"\lambda_i = \frac{2\pi}{w_i}", filled, says),)

    def code(self, s: Snapshot) -> str:
        return self.source(s, "result = 2 * np.pi / w  # positions, (pairs,)")

    def code_answer(self, view: Waves) -> Any:
        return view.scheme.wavelengths


class Layouts(WavesFigure):
    """The row at the cursor in each variant."""

    key = "layouts"
    uses = ("position", "d", "base", "variant")

    def make(self) -> Sequence[Any]:
        return (
            lambda view: tag("div", join(self.one(view, one) for one in view.layouts), class_="lab-even"),
        )

    def one(self, view: Waves, layout: Layout) -> Markup:
        """One variant."""
        variant, w = layout.scheme.variant, layout.scheme.frequencies.tolist()
        shown = min(view.D, MOST_COLUMNS)
        left_out = f"first {shown} of {view.D} columns · " if shown < view.D else ""
        listed = ", ".join([*map(tiny, w[:4]), *["…"] * (len(w) > 4)])
        return matrix(
            [layout.row.tolist()[:shown]],
            title=f"{variant}{' (chosen)' if variant == view.s.variant else ''}",
            under=self.say("under", left_out=left_out, listed=listed),
            columns=columns_of(layout.scheme)[:shown],
            strongest=1.0,
        )

    def caption(self, view: Waves) -> str:
        paper, other = (view.layouts[index].scheme.frequencies.tolist() for index in (0, 2))
        pair = next(
            (i for i, (a, b) in enumerate(zip(paper, other, strict=False)) if abs(a - b) > EXACT), None
        )
        if pair is not None:
            said = self.say("another", pair=pair, other=other[pair], paper=paper[pair])
        elif len(other) < len(paper):
            said = self.say("fewer", count=len(other), paper=len(paper))
        else:
            said = self.say("equal")
        return self.say("caption", worst=error(view.permutation_gap), other=said, rule=self.rule(view))

    def rule(self, view: Waves) -> str:
        """Both rules for an odd width, and which one is at work."""
        trim, pad = view.odd[0].scheme, view.odd[2].scheme
        sizes = {"sines": len(trim.sine_columns), "cosines": len(trim.cosine_columns)}
        rules = self.say("rules", **sizes, pad=len(pad.sine_columns))
        chosen = "trim the last cosine" if view.scheme.odd_rule == "trim" else "pad with a zero"
        return self.say("odd" if view.D == trim.D else "even", view, odd=trim.D, rules=rules, chosen=chosen)

    def numbers(self, view: Waves) -> list[Table]:
        names = ["variant", *(f"column {column}" for column in range(view.D))]
        rows = [[one.scheme.variant, *one.row.tolist()] for one in view.layouts]
        return [Table(f"The row at position {number(view.p)}", names, rows)]

    def formula(self, view: Waves) -> tuple[Formula, ...]:
        paper, other = (view.layouts[index].scheme.frequencies for index in (0, 2))
        i = min(1, len(other) - 1)
        return (
            Formula(
                r"w_i = b^{-2i/\dim{D}}, \qquad w_i' = b^{-i/\max(\lfloor \dim{D}/2 \rfloor - 1,\ 1)}",
                rf"w_{{{i}}} = {decimal(float(paper[i]))}, \quad w_{{{i}}}' = {decimal(float(other[i]))}",
                self.say("formula", t2t=WORDS.raw("rows.t2t")),
            ),
        )

    def code(self, s: Snapshot) -> str:
        return self.source(s, f"result = PE([{s.position}])[0]  # (D,)")

    def code_answer(self, view: Waves) -> Any:
        return view.row


_ROWS = """import numpy as np

D, b = {D}, {b}
{layout}


def PE(pos):
    angle = np.asarray(pos)[:, None] * w  # (T,) -> (T, pairs)
    rows = np.zeros((len(pos), D))
    rows[:, sines] = np.sin(angle)
    rows[:, cosines] = np.cos(angle[:, : len(cosines)])
    return rows


"""
_PAPER = "w = b ** (-2.0 * np.arange((D + 1) // 2) / D)  # an odd width trims the last cosine\n"
_LAYOUT = {
    "interleaved": f"{_PAPER}sines, cosines = np.arange(0, D, 2), np.arange(1, D, 2)",
    "concatenated": f"{_PAPER}sines, cosines = np.split(np.arange(D), [(D + 1) // 2])",
    "tensor2tensor": """half = D // 2  # an odd width leaves its last column zero
w = b ** (-np.arange(half) / max(half - 1, 1))
sines, cosines = np.arange(half), np.arange(half, 2 * half)""",
}
_TURN = """p, k = {p}, {k}
M = np.eye(D)  # turns each pair by its own k w
M[sines, sines] = np.cos(k * w)
turn, paired = (k * w)[: len(cosines)], sines[: len(cosines)]
M[cosines, cosines] = np.cos(turn)
M[cosines, paired], M[paired, cosines] = np.sin(turn), -np.sin(turn)
result = np.stack([PE([p])[0] @ M, PE([p + k])[0]])  # (2, D)"""


class WavesRoom(Room):
    """The sinusoidal table and what its pairs do."""

    key, place, words = "waves", "X", WORDS
    first = ("position", "shift", "d")
    State = State
    kinds = (Rows, Rotation, Dots, Wavelengths, Layouts)
    fields: ClassVar = {
        "position": fields.growing(ENDS, f"Any p up to {FARTHEST:,}"),
        "base": fields.of(controls.number),
        "variant": fields.choices(VARIANTS),
    }
    asked = (
        asked(WORDS, "dot", model.dot, model.FAR_OFF, "dots"),
        asked(WORDS, "period", model.period_of_0, {"d": 4, "length": 16}, "wavelengths"),
        asked(WORDS, "rotation", model.rotation, {"position": 200}, "rotation"),
        asked(
            WORDS,
            "permutation",
            model.permutation,
            {"variant": "tensor2tensor", "d": 4, "position": 1},
            "layouts",
        ),
        asked(WORDS, "odd", model.odd, model.ODD, "rotation"),
    )

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the sines of the first three pairs."""
        table = Waves(Snapshot({**model.USUAL, "base": 100.0})).table
        return picture.curves([(table[:, 4], "ink-soft"), (table[:, 2], "dim-T"), (table[:, 0], "dim-d")])
