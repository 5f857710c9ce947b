"""What does distance between rows mean? Angles by hand, then a real table, then a reader's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from app.kit import picture
from app.kit.given import GIVEN
from app.kit.guarded import Shown
from app.kit.html import Markup, join, tag
from app.kit.room import Room
from app.rooms.geometry.figures import FIGURES, KINDS, GeometryFigure, allowed
from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.model.tables import OWN, mapped_words, study_of, usual_words
from app.rooms.geometry.model.vectors import angle_between
from app.rooms.geometry.own import OwnTables
from app.rooms.geometry.page import PARTS, page_of
from app.rooms.geometry.pictures.arrows import Arrow, arrows
from app.rooms.geometry.quiz import QUESTIONS
from app.rooms.geometry.state import CONTROLS, State
from app.rooms.geometry.walk import Walk
from app.rooms.geometry.words import WORDS
from lab.vocab import COURSE_VECTORS, Table

TYPED = ("a", "b", "c", "words")


class GeometryRoom(Room):
    """Rows of a table as directions: their angles, neighbours, sums and differences."""

    key, place, words = "geometry", "E", WORDS
    first = ("a", "b", "c")
    State, kinds, tabs, fields, asked = State, KINDS, "look", CONTROLS, QUESTIONS
    beside: ClassVar = {"exclude": ""}
    given = PARTS

    _own: TableStudy | None = None
    _walk: Walk | None = None

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: the two angles of the first view."""
        words, E = COURSE_VECTORS.vocabulary.tokens, COURSE_VECTORS.E
        width = picture.WIDTH / 2
        drawn = []
        for place in (1, 2):
            angle = angle_between(E[0], E[place])
            pair = Arrow(words[0], angle.norm_a), Arrow(words[place], angle.norm_b, "ink")
            side = arrows(*pair, angle.degrees)
            drawn.append(tag("svg", side, x=(place - 1) * width, width=width, height=picture.HEIGHT))
        return picture.svg(join(drawn))

    @classmethod
    def for_figure(cls, figure: str) -> dict[str, Any]:
        """A table that has the rows for it."""
        return {"table": FIGURES[figure].begins}

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her table."""
        return page_of(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her table is chosen."""
        return {"table": GIVEN} if data else {}

    def build(self) -> None:
        """Put the walk before the controls, and the reader's own files after them."""
        super().build()
        self._tables = OwnTables(self, self._take_own)
        self.controls.append(self._tables.pane)
        # the stations of the walk are states of the room's own tables
        if not self.options.figure and self.state.page is None:
            self._walk = Walk(self.apply)
            self.controls[:0] = self._walk.panes

    def values(self) -> dict[str, Any]:
        """The State's values; a figure that stands alone is the one that is looked at."""
        values = super().values()
        return {**values, "look": self.options.figure or values["look"]}

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the table offers, and what stands for empty fields."""
        study = study_of(values["table"], self._own, values["page"])
        usual = usual_words(values["table"], values["look"], study)
        return {
            **values,
            "own": self._own,
            "study": study,
            "looks": allowed(study),
            "labels": FIGURES[values["look"]].labels,
            "placeholders": dict(zip(TYPED, (*usual, " ".join(mapped_words("", study))), strict=True)),
        }

    def changes(self, name: str, value: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
        """A look that another table does not allow gives way to the angles, a word it lacks to an example."""
        changed = super().changes(name, value, shown)
        if name != "table":
            return changed
        try:
            study = study_of(value, self._own, self.state.page)
        except FileNotFoundError:
            return changed
        if self.state.look not in allowed(study):
            changed["look"] = self._default("look")
        for typed in TYPED:
            if not all(study.has(word) for word in getattr(self.state, typed).split()):
                changed[typed] = ""
        return changed

    def refuse(self, reason: Exception) -> None:
        """Where a table cannot be shown, the others stay on offer: they are the way out."""
        super().refuse(reason)
        self._fields["table"].follow(self.state.table, {**self.values(), "own": self._own})

    def _follow(self, values: Mapping[str, Any], shown: Mapping[str, Any]) -> None:
        super()._follow(values, shown)
        if self._walk is not None:
            self._walk.follow(values)

    def _restore(self, values: Mapping[str, Any]) -> Shown | None:
        alone, page = self.options.figure, self.state.page
        given = page is not None and alone in allowed(page)
        begins = self.for_figure(alone) if alone and not given else {}
        if alone and page is not None and not given:
            self._notices.append(FIGURES[alone].view.refusal(page))
        return super()._restore({**begins, **values})

    def _take_own(self, table: Table) -> None:
        self._own = TableStudy(table)
        for place in self._places.values():
            cast(GeometryFigure, place.figure).own = self._own
        before = self.view
        self.state.param.update(**self.changes("table", OWN, {}))
        if self.view is before:
            # another file under the same settings is no change of the State
            self.refresh()
