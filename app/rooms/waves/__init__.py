"""What is a sinusoidal position made of? Waves across positions, a clock for each pair, a rotation."""

from __future__ import annotations

from typing import Any

from app.kit import controls, picture
from app.kit.figures import Curves
from app.kit.html import Markup
from app.kit.panes import Html, section
from app.kit.room import Room
from app.kit.window import WindowHeatmap
from app.rooms.waves import stage, words
from app.rooms.waves.compute import FARTHEST, NEAREST, VARIANTS, State, View, compute

NAMED_ROWS = 16
"""Rows of the heatmap that are named by their column; more are numbered."""

ENDS = (NEAREST, 2_047, 8_191, 32_767, FARTHEST)
"""Ends of the slider: it reaches farther only where the position already is."""

HTML = ("clocks", "cursor", "bounded", "rotation", "rotated", "dot", "wavelength", "layouts", "same", "odd")


class WavesRoom(Room):
    """The sinusoidal table and what its pairs do."""

    key = "waves"
    title = "What is a sinusoidal position made of?"
    lead = (
        "Of clocks: each pair of columns is a hand with a speed of its own. "
        "A step of k positions turns every hand by a fixed angle, wherever it starts."
    )
    place = "X"
    State = State
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(words.questions)

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the sines of the first three pairs."""
        view = compute(**{**words.DEFAULTS, "base": 100.0})
        table = view.table
        return picture.curves([(table[:, 4], "ink-soft"), (table[:, 2], "dim-T"), (table[:, 0], "dim-d")])

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._position = controls.slider(state.position, end=NEAREST, format="0,0")
        self.controls = [
            self._position,
            controls.number(state.position, label=f"Any p up to {FARTHEST:,}"),
            controls.slider(state.shift),
            controls.slider(state.d),
            controls.number(state.base),
            controls.select(state.variant, VARIANTS),
            controls.slider(state.length),
        ]
        self._map = WindowHeatmap(
            label="The rows PE(p), one position per column",
            x="position p",
            y="column",
            height=250,
            tips=("column", "position"),
        )
        self._here = self._map.mark(x=0, colour="ink")
        self._ahead = self._map.mark(x=0, colour="ink-soft")
        self._here.update(line_dash="solid", line_width=2)
        self._ahead.line_width = 2
        self._build_curves()
        self._html = {name: Html() for name in HTML}
        self.figures = self._lay_figures()
        self._drawn: tuple[Any, ...] = ()

    def _lay_figures(self) -> list[Any]:
        pane = {name: made.pane for name, made in self._html.items()}
        return [
            self._map.pane,
            pane["clocks"],
            pane["cursor"],
            pane["bounded"],
            section(
                "A step of k is a rotation",
                "One fixed matrix takes the pairs of PE(p) to those of PE(p + k), whatever p is.",
            ),
            pane["rotation"],
            pane["rotated"],
            section(
                "Dot product against distance",
                "How alike two rows are depends only on the distance between them.",
            ),
            self._dots.pane,
            pane["dot"],
            section(
                "Wavelengths", "Positions until a pair is back where it was; dashed: the positions shown."
            ),
            self._waves.pane,
            pane["wavelength"],
            section("Three layouts, two rules for an odd width", "All three are in use under the same name."),
            pane["layouts"],
            pane["same"],
            pane["odd"],
        ]

    def _build_curves(self) -> None:
        self._dots = Curves(
            {"zero": ("from position 0", "scheme-none"), "here": ("from position p", "scheme-sinusoidal")},
            dashes={"here": "dashed"},
            label="Dot product of two rows against their distance",
            x="distance",
            y="dot product",
            x_range=(0, 1),
            y_range=(0, 1),
            height=240,
        )
        self._distance = self._dots.mark(x=0)
        self._dots.figure.legend[0].update(orientation="horizontal", spacing=16)
        self._waves = Curves(
            {"paper": ("the paper's", "dim-d"), "other": ("tensor2tensor", "scheme-none")},
            points=True,
            label="Wavelength of each pair",
            x="pair",
            y="positions",
            y_type="log",
            height=240,
        )
        self._shown = self._waves.mark(y=1)
        self._waves.places("x")
        # the curves rise to the right
        self._waves.figure.legend[0].location = "top_left"

    def draw(self, view: View) -> None:
        """Show the table around the cursor, its clocks, and what a shift does."""
        self._position.end = next(end for end in ENDS if end >= view.position)
        self._draw_map(view)
        self._draw_curves(view)
        drawn = {
            "clocks": stage.faces(view),
            "cursor": stage.cursor(view),
            "bounded": stage.bounded(view),
            "rotation": stage.rotation(view),
            "rotated": stage.rotation_finding(view),
            "dot": stage.dot_finding(view),
            "wavelength": stage.wavelength_finding(view),
            "layouts": stage.layouts(view),
            "same": stage.layouts_finding(view),
            "odd": stage.odd_finding(view),
        }
        for name, markup in drawn.items():
            self._html[name].set(markup)

    def _draw_map(self, view: View) -> None:
        self._here.location = view.position
        self._ahead.location = view.position + view.shift
        table = (view.D, view.scheme.base, view.scheme.variant, view.first, view.T)
        if table == self._drawn:
            return
        self._drawn = table
        self._map.set_window(view.table.T, view.first, 1.0)
        if view.D <= NAMED_ROWS:
            self._map.words("y", view.variant.columns)
        else:
            self._map.places("y")

    def _draw_curves(self, view: View) -> None:
        distances = list(range(view.T))
        self._dots.set("zero", distances, view.dots_from_zero)
        self._dots.set("here", distances, view.dots)
        self._dots.set_x(0, view.T - 1)
        # room for the legend above the highest value, which is that at distance 0
        top = float(view.dots_from_zero[0])
        low = min(0.0, float(view.dots.min()), float(view.dots_from_zero.min()))
        self._dots.set_y(low - 0.05 * top, 1.3 * top)
        self._distance.location = abs(view.shift)
        for key, layout in (("paper", view.layouts[0]), ("other", view.layouts[2])):
            lengths = layout.scheme.wavelengths
            self._waves.set(key, list(range(len(lengths))), lengths)
        self._shown.location = view.T


ROOM = WavesRoom
