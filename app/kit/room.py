"""A room of figures: the State's one guarded path, and which figures are made, computed and drawn when.

A change is brought within the values' limits, then every figure in sight that reads one of them is computed,
and all of them change together or none does. A figure that has not been seen costs nothing; one that was
scrolled away follows as soon as the page is at rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import panel as pn

from app.kit import guard, hidden, url
from app.kit.document import together
from app.kit.fields import Derived, Field, field_of
from app.kit.figure import Figure
from app.kit.guarded import Shown
from app.kit.hidden import UNSEEN, without_controls
from app.kit.html import EMPTY, Markup
from app.kit.lesson import Lesson
from app.kit.panes import Html
from app.kit.place import Place, Prepared
from app.kit.remote import Remote
from app.kit.sheet import install
from app.kit.words import Words

install()

SIGHT = "sight"
"""Tag of the hidden field in which the page says which figures are in sight."""


class Room(Lesson):
    """Base of a room of figures: a State, its figures in reading order, its questions.

    ``fields`` says how a setting is controlled where its kind does not say so by itself, ``beside`` with
    which figure a control stands where another reads the setting too ("": beside all), ``tabs`` names the
    setting that chooses one figure of several, and ``above`` the figures that are open above its tabs
    whichever it chooses. Where settings follow others, `effective` says what their controls show, `unused`
    which do nothing, and `changes` what a reader's change of one sets.
    """

    key: ClassVar[str]
    place: ClassVar[str]
    """Where the room stands on the path across the top: one of shell.PATH."""
    data: ClassVar[tuple[str, ...]] = ()
    """Files of static/data that the default state needs."""
    words: ClassVar[Words]
    """The room's sentences; its title and lead are the first of them."""
    fields: ClassVar[Mapping[str, Callable[..., Field]]] = {}
    tabs: ClassVar[str] = ""
    above: ClassVar[tuple[str, ...]] = ()
    beside: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "words" in cls.__dict__:
            cls.title, cls.lead = cls.words.raw("title"), cls.words.raw("lead")

    # functions of the State, for all figures that are open in it

    @classmethod
    def opened(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The figures that are open in a state: all, or those above the tabs and the one whose tab is."""
        return (*cls.above, values[cls.tabs]) if cls.tabs else cls.keys()

    @classmethod
    def figure(cls, key: str) -> Figure:
        """A figure by its key, without a page."""
        return next(kind() for kind in cls.kinds if kind.key == key)

    @classmethod
    def for_figure(cls, figure: str) -> dict[str, Any]:
        """Settings that a figure by itself begins with, where they are not the defaults."""
        return {}

    @classmethod
    def viewed(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The views of all figures that are open."""
        return {key: cls.figure(key).viewed(values) for key in cls.opened(values)}

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page, as HTML or SVG."""
        raise NotImplementedError(cls.__name__)  # pragma: no cover

    # one page

    def __init__(self, query: str = "", widget_id: str = "page", spec: str = "") -> None:
        super().__init__(query, widget_id, self.read_spec(spec), self.keys())
        self.remote = Remote(self, widget_id)
        self.build()
        self.layout = self._lay_out()
        self._listen()
        self.refresh()

    @property
    def view(self) -> Mapping[str, Any] | None:
        """The views on screen by figure; None before the first that could be made."""
        return self._on_screen.views if self._on_screen else None

    def effective(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the controls show: for a setting that follows others the value in effect.

        Beside them may stand what limits a control, and as ``usual`` the values that nobody has to ask for.
        """
        return dict(values)

    def changes(self, name: str, value: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
        """What a reader's change of one control sets: the default again where the value is the usual one."""
        usual = shown.get("usual", {})
        return {name: self._default(name) if name in usual and value == usual[name] else value}

    def first_views(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The views that a page begins with: the first figure's, or all where no page says what it shows."""
        keys = self._keys_open(values) if pn.state.curdoc is None else self._keys_open(values)[:1]
        return {key: self.figure(key).viewed(values) for key in keys}

    def build(self) -> None:
        """Make the controls and the places of the figures."""
        alone = self.options.figure
        kinds = [kind for kind in self.kinds if kind.key == alone] if alone else list(self.kinds)
        self._fields: dict[str, Field] = {}
        own = self._controls_of(kinds)
        self._hidden = self.options.hide | ({"controls"} if self.spec.controls == () else set())
        alternate = bool(self.tabs) and not self.above
        self._places = {
            kind.key: Place(
                kind(), own[kind.key], self._hidden, at == 0 or alternate, self._reopened, self._said(at)
            )
            for at, kind in enumerate(kinds)
        }
        # a page that is not there cannot say what is in sight: then everything is
        live = pn.state.curdoc is not None
        self._seen = set() if live else set(self._places)
        self._turns = itertools.count(1)
        self._sight = pn.widgets.TextInput(value="", placeholder="", visible=False, tags=[UNSEEN, SIGHT])
        self._sight.jscallback(placeholder=_LATER)
        self._sight.param.watch(self._scrolled, "value")
        self.figures = [place.column for place in self._places.values()]
        if self.tabs and not alone:
            self.figures.insert(len(self.above), self._fields[self.tabs].pane)
        self._asking = self._ask(alone)

    def _controls_of(self, kinds: list[type[Figure]]) -> dict[str, list[Any]]:
        """A control stands beside the one figure that reads its setting, or beside all of them."""
        own: dict[str, list[Any]] = {kind.key: [] for kind in kinds}
        self.controls: list[Any] = []
        self._in_effect: Mapping[str, Any] = {}
        self._aside = Html(css="lab-aside")
        wanted = self.spec.controls
        settings = list(url.settings(self.State))
        compact = self.options.embed and len(kinds) == 1
        order = wanted or (self.first if compact else ())
        for name in dict.fromkeys([*order, *settings]):
            readers = [kind.key for kind in kinds if name in kind.controlled()]
            if not readers and name != self.tabs:
                continue
            field = self._fields[name] = field_of(self.state, name, self.fields)
            if isinstance(field, Derived):
                field.change = partial(self._change, name)
            if name != self.tabs and (wanted is None or name in wanted):
                at = self.beside.get(name, readers[0] if len(readers) == 1 else "")
                place = kinds[0].key if compact else at if len(kinds) > 1 else ""
                own.get(place, self.controls).append(field.pane)
        return own

    def _change(self, name: str, value: Any) -> None:
        self.state.param.update(**self.changes(name, value, self._in_effect))

    def refresh(self) -> None:
        """Bring every figure in sight to the present state, all of them or none."""
        try:
            values = self._settle()
            shown = self.effective(values)
            places = [place for place in self._in_sight(values) if place.due(values)]
            ready, self._ready = self._ready, None
            views = ready.views if ready and ready.values == values else {}
            prepared = [(place, place.prepare(values, views.get(place.figure.key))) for place in places]
        except Exception as reason:
            self.refuse(reason)
            return
        before = [(place, place.shown) for place in places]
        with together():
            try:
                self._follow(values, shown)
                for place, content in prepared:
                    place.show(content)
            except Exception as reason:
                for place, earlier in before:
                    self._put_back(place, earlier)
                self.refuse(reason)
                return
            shown_now = {place.figure.key: place.shown for place in self._open(values) if place.shown}
            self._aside.set(next(iter(shown_now.values())).aside)
            before_now, self._on_screen = (
                self._on_screen,
                Shown(values, {key: one.view for key, one in shown_now.items()}),
            )
            self._error.set(EMPTY)
            self.dim(False)
            self._write_address()
            self._write_notices()
            self._wait_for_rest(values)
            if before_now is not None and before_now.values != values:
                self.remote.tell(
                    "change", state=self.remote.state(), by="page" if self._by_page else "reader"
                )

    def _in_sight(self, values: Mapping[str, Any]) -> list[Place]:
        first, *others = self._open(values)
        return [first, *(place for place in others if place.figure.key in self._seen)]

    def _keys_open(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        # a figure that stands alone is open whatever the tabs say
        return (self.options.figure,) if self.options.figure else self.opened(values)

    def _open(self, values: Mapping[str, Any]) -> list[Place]:
        return [self._places[key] for key in self._keys_open(values)]

    def _follow(self, values: Mapping[str, Any], shown: Mapping[str, Any]) -> None:
        opened = self._open(values)
        for place in self._places.values():
            place.turn(place in opened)
        read = {name for place in opened for name in place.figure.controlled()}
        needed = {self.tabs, *read} - set(self.unused(shown))
        self._in_effect = shown
        for name, field in self._fields.items():
            field.pane.visible = name in needed
            field.follow(shown[name], shown)
            if name in self._locked:
                hidden.lock(field.pane, True)

    def _scrolled(self, event: Any) -> None:
        """The page says what is in sight; after a ``+`` it is at rest, and what has waited follows."""
        if self._on_screen is None:
            return
        keys, _, rests = event.new.partition("+")
        self._seen = set(keys.split(",")) & set(self._places)
        values = self._on_screen.values
        wanted = [place for place in self._open(values) if rests and place.shown]
        self._bring_up([*self._in_sight(values), *wanted], values)

    def follow(self) -> None:
        """Bring the figures in sight up to what they follow beside the State; others wait until they are."""
        if self._on_screen is not None:
            values = self._on_screen.values
            self._bring_up([one for one in self._open(values) if one.figure.key in self._seen], values)

    def _bring_up(self, places: list[Place], values: Mapping[str, Any]) -> None:
        for place in filter(lambda one: one.due(values), dict.fromkeys(places)):
            try:
                prepared = place.prepare(values)
                with together():
                    place.show(prepared)
                    place.stale(False)
            except Exception as reason:
                place.fail(guard.sentence_of(reason))

    def _wait_for_rest(self, values: Mapping[str, Any]) -> None:
        waits = [place for place in self._open(values) if place.shown and place.due(values)]
        for place in waits:
            place.stale(True)
        if waits:
            self._sight.placeholder = str(next(self._turns))

    def _put_back(self, place: Place, earlier: Prepared | None) -> None:
        try:
            place.back_to(earlier)
        except Exception as reason:
            guard.sentence_of(reason)

    def _reopened(self, place: Place) -> None:
        if self._on_screen is None:
            return
        try:
            place.open(self._on_screen.values)
        except Exception as reason:
            place.fail(guard.sentence_of(reason))

    def dim(self, stale: bool) -> None:
        """Dim every figure, or none."""
        for place in self._places.values():
            place.stale(stale)

    def _lay_out(self) -> pn.Column:
        bare = "controls" in self._hidden
        if bare:
            self.figures = [figure for figure in self.figures if without_controls(figure)]
        first, last = ([self._asking], []) if self.spec.question else ([], [self._asking])
        aside = [] if self.controls or bare else [self._aside.pane]
        figures = [*first, *self.figures, *aside, *last]
        parts: list[Any] = [self._notice.pane, self._error.pane, *figures, self._address]
        main = pn.Column(
            *(part for part in (*parts, self._sight, *self.remote.parts) if part is not None),
            css_classes=["lab-main"],
            margin=0,
        )
        parts = [self._head(), main]
        if self.controls and not bare:
            beside = [*self.controls, self._aside.pane]
            parts.insert(1, pn.Column(*beside, css_classes=["lab-controls"], margin=0))
        classes = ["lab-room", "lab-alone" if len(parts) == 2 else "lab-beside"]
        return pn.Column(*parts, css_classes=classes, sizing_mode="stretch_width", margin=0)


# what was scrolled away follows when nothing has changed for a moment
_LATER = """
clearTimeout(cb_obj.lab_later);
const keys = cb_obj.value.split("+")[0];
cb_obj.lab_later = setTimeout(() => (cb_obj.value = `${keys}+${cb_obj.placeholder}`), 400);
"""
