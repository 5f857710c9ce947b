"""What does distance between rows mean? Angles by hand, then a real table, then a reader's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn
from bokeh.models import Range1d

from app.kit import controls, picture
from app.kit.arrows import Arrow, arrows
from app.kit.cloud import Cloud
from app.kit.figures import Curves
from app.kit.html import Markup, join, tag
from app.kit.panes import Html
from app.kit.plot import Plot
from app.kit.room import Room
from app.kit.search import Search
from app.kit.wordmap import WordMap
from app.rooms.geometry import words
from app.rooms.geometry.compute import State, View, compute, looks_of
from app.rooms.geometry.examples import EXAMPLES
from app.rooms.geometry.looks import LOOKS
from app.rooms.geometry.own import OwnTables
from app.rooms.geometry.questions import questions
from app.rooms.geometry.tables import OWN, TABLES, study_of
from lab.table_study import TableStudy, angle_between
from lab.vocab import COURSE_VECTORS, Table

CHANGED = "Your own choice"
"""What the walk says when the state is none of its stations."""
WORD_FIELDS = ("a", "b", "c")


class GeometryRoom(Room):
    """Rows of a table as directions: their angles, neighbours, sums and differences."""

    key = "geometry"
    title = "What does distance between rows mean?"
    lead = (
        "A row of E is an arrow in D dimensions. The angle between two arrows is all that “similar” means; "
        "see how far that carries, and where it misleads."
    )
    place = "E"
    State = State
    compute = staticmethod(compute)
    describe = staticmethod(words.describe)
    numbers = staticmethod(words.numbers)
    formula = staticmethod(words.formula)
    code = staticmethod(words.code)
    code_answer = staticmethod(words.code_answer)
    questions = staticmethod(questions)

    @classmethod
    def picture(cls) -> Markup:
        """The two angles of the first view."""
        words, E = COURSE_VECTORS.vocabulary.tokens, COURSE_VECTORS.E
        width = picture.WIDTH / 2
        drawn = []
        for place in (1, 2):
            angle = angle_between(E[0], E[place])
            pair = Arrow(words[0], angle.norm_a), Arrow(words[place], angle.norm_b, "ink")
            side = arrows(*pair, angle.degrees)
            drawn.append(tag("svg", side, x=(place - 1) * width, width=width, height=picture.HEIGHT))
        return picture.svg(join(drawn))

    def build(self) -> None:
        """Make the controls and the figures."""
        state = self.state.param
        self._following = False
        self._walk = self._select("A walk through the room", list(EXAMPLES), self._walked)
        self._back = controls.button("Back", lambda: self._step(-1))
        self._next = controls.button("Next", lambda: self._step(1), "lab-primary")
        self._table = self._select("Table", {TABLES[key]: key for key in TABLES if key != OWN}, self._tabled)
        self._look = self._select("Look at", {look.title: key for key, look in LOOKS.items()}, self._looked)
        self._about = Html(css="lab-note")
        self._tables = OwnTables(self, self._take_own)
        self._search = {name: Search(state[name]) for name in WORD_FIELDS}
        self._fields = {
            **{name: search.widget for name, search in self._search.items()},
            "words": controls.text(state.words),
            "around": controls.slider(state.around),
            "k": controls.slider(state.k),
            "exclude": controls.switch(state.exclude, "no", "yes"),
            "place": controls.slider(state.place),
            "noise": controls.slider(state.noise),
            "seed": controls.number(state.seed),
        }
        self.controls = [
            self._walk,
            pn.Row(self._back, self._next, css_classes=["lab-steps"], margin=0),
            self._table,
            self._about.pane,
            self._look,
            *self._fields.values(),
            self._tables.pane,
        ]
        self._stage, self._beside, self._under = Html(), Html(), Html()
        self._canvases = _canvases()
        panes = [made.pane for made in self._canvases.values()]
        self._both = pn.Column(self._beside.pane, *panes, margin=0, sizing_mode="stretch_width")
        self.figures = [self._stage.pane, self._both, self._under.pane]

    def draw(self, view: View) -> None:
        """Show the look, and only the controls that matter to it."""
        self._follow(view)
        self._about.set(words.about(view))
        look = view.shown
        self._stage.set(look.stage())
        self._beside.set(look.beside())
        self._under.set(look.under())
        self._both.css_classes = ["lab-two"] if look.figure and self._beside.pane.visible else []
        for name, made in self._canvases.items():
            made.pane.visible = name == look.figure
        if look.figure:
            look.draw(self._canvases[look.figure])

    def values(self) -> dict[str, Any]:
        """The State's values, and the reader's own table, which no address can carry."""
        return {**super().values(), "own": self._own}

    # a class attribute, because the first state is checked before anything is built
    _own: TableStudy | None = None

    def _take_own(self, table: Table) -> None:
        self._own = TableStudy(table)
        before = self.view
        self._choose(OWN)
        if self.view is before:
            # another file under the same settings is no change of the State
            self.refresh()

    def _follow(self, view: View) -> None:
        """Bring the selects up to date without taking that for a choice of the reader's."""
        study, look = view.asked.study, view.shown
        station = next((name for name, values in EXAMPLES.items() if self._is(values)), CHANGED)
        stations = [*EXAMPLES, CHANGED] if station == CHANGED else list(EXAMPLES)
        tables = {title: key for key, title in TABLES.items() if key != OWN or self._own}
        looks = {LOOKS[key].title: key for key in looks_of(study)}
        self._following = True
        for select, options, value in (
            (self._walk, {name: name for name in stations}, station),
            (self._table, tables, view.table),
            (self._look, looks, view.look),
        ):
            if select.options != options:
                select.param.update(options=options, value=value)
            select.value = value
        self._following = False
        place = list(EXAMPLES).index(station) if station in EXAMPLES else None
        self._back.disabled, self._next.disabled = place == 0, place == len(EXAMPLES) - 1
        for name, field in self._fields.items():
            field.visible = name in look.controls
        for name, search in self._search.items():
            search.offer(study.spellings, getattr(view.asked, name))
            search.widget.label = look.labels.get(name, "")
        self._fields["words"].placeholder = " ".join(view.asked.words)

    def _is(self, values: Mapping[str, Any]) -> bool:
        mine = super().values()
        return all(mine[name] == values.get(name, self._default(name)) for name in mine)

    def _step(self, steps: int) -> None:
        names = list(EXAMPLES)
        here = names.index(self._walk.value) if self._walk.value in EXAMPLES else -1
        self.apply(EXAMPLES[names[min(max(here + steps, 0), len(names) - 1)]])

    def _walked(self, name: str) -> None:
        if name in EXAMPLES:
            self.apply(EXAMPLES[name])

    def _tabled(self, key: str) -> None:
        self._choose(key)

    def _looked(self, key: str) -> None:
        self.state.look = key

    def _choose(self, key: str) -> None:
        """Go to a table: a look it does not allow gives way to the angles, a word it lacks to an example."""
        changes: dict[str, Any] = {"table": key}
        try:
            study = study_of(key, self._own)
        except FileNotFoundError:
            self.state.param.update(**changes)
            return
        if self.state.look not in looks_of(study):
            changes["look"] = "angle"
        for name in (*WORD_FIELDS, "words"):
            if not all(study.has(word) for word in getattr(self.state, name).split()):
                changes[name] = ""
        self.state.param.update(**changes)

    def _select(self, label: str, options: Any, chosen: Any) -> pn.widgets.Select:
        select = pn.widgets.Select(
            label=label, options=options, css_classes=["lab-select"], margin=0, sizing_mode="stretch_width"
        )

        def changed(event: Any) -> None:
            if not self._following:
                chosen(event.new)

        select.param.watch(changed, "value")
        return select


def _canvases() -> dict[str, Plot]:
    """The pictures on a canvas, one of which is shown at a time."""
    return {
        "map": WordMap(label="Words on a plane", x="", y="", height=440),
        "pairs": Curves(
            {"raw": ("rows as they are", "ink-soft"), "centred": ("mean row taken away", "accent")},
            label="Cosines of random pairs",
            **_ranges(),
            x="cosine",
            y="share of the pairs",
            height=320,
        ),
        "cloud": Cloud(
            dots="a word",
            line="mean of 100 words",
            label="Length of a row against the rank of its word",
            x="rank in the vocabulary",
            y="length of the row",
            height=380,
        ),
        "places": Curves(
            {"distance": ("distance", "accent")},
            label="Distance of the nearest sum at each position",
            **_ranges(),
            x="position",
            y="distance from x",
            height=320,
        ),
    }


def _ranges() -> dict[str, Range1d]:
    """Ranges that the looks set: Bokeh's own complain about a picture that has no data yet."""
    return {"x_range": Range1d(0, 1), "y_range": Range1d(0, 1)}


ROOM = GeometryRoom
