"""What a reader can set, and how the controls follow the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
import param

from app.compat import Radios, Suggesting
from app.kit import controls, fields
from app.kit.given import GIVEN
from app.kit.html import tag
from app.kit.panes import Html
from app.rooms.geometry.figures import KINDS
from app.rooms.geometry.figures.near import MOST
from app.rooms.geometry.model.tables import OWN, TABLES, about
from app.rooms.geometry.words import WORDS

LOOKS = {kind.key: WORDS.raw(f"{kind.key}.tab") for kind in KINDS}
LAST_PLACE = 77
"""Of the positions whose sums with all of MiniLM's tokens are compared; see `SumReader`."""
SUGGESTED = 8


class State(param.Parameterized):
    """What a reader can set. A table of her own is no part of it: an address cannot carry a file."""

    table = param.Selector(default="animals", objects=list(TABLES), label="Table")
    look = param.Selector(default="angle", objects=list(LOOKS), label="Look at")
    a = param.String(default="", label="Word")
    b = param.String(default="", label="Second word")
    c = param.String(default="", label="Third word")
    words = param.String(default="", label="Words on the map")
    around = param.Integer(default=4, bounds=(0, 12), label="Neighbours of each")
    k = param.Integer(default=10, bounds=(1, MOST), label="Rows in the list")
    exclude = param.Boolean(default=False, label="Leave the inputs out")
    place = param.Integer(default=5, bounds=(0, LAST_PLACE), label="Position")
    noise = param.Number(default=0.0, bounds=(0.0, 3.0), step=0.1, label="Noise, share of x")
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed")
    page = param.Parameter(default=None, precedence=-1, doc="The teacher's table.")


DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}


def _offered(shown: Mapping[str, Any]) -> Mapping[str, str]:
    own = shown["own"] or shown["table"] == OWN
    page = shown["page"]
    given = {page.table.name: GIVEN} if page else {}
    return {**given, **{title: key for key, title in TABLES.items() if key != OWN or own}}


class TableField(fields.Listed):
    """The tables, and what the chosen one holds and leaves out."""

    def __init__(self, parameter: param.Parameter) -> None:
        super().__init__(parameter, _offered)
        self.note = Html(css="lab-note")
        self.pane = pn.Column(
            self.widget, self.note.pane, margin=0, sizing_mode="stretch_width", css_classes=["lab-own"]
        )

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Offer the tables that there are; of one that cannot be shown nothing is said."""
        super().show(value, shown)
        if "study" in shown:
            self.note.set(tag("p", about(value, shown["study"]), class_="lab-note"))


class LookField(fields.Derived):
    """A tab for each figure that the table has the rows for."""

    def __init__(self, parameter: param.Parameter) -> None:
        options = {title: key for key, title in LOOKS.items()}
        value = getattr(parameter.owner, parameter.name)
        tags = [f"label:{controls.label_of(parameter)}"]
        tabs = Radios(
            options=options, value=value, inline=True, css_classes=["lab-tabs"], margin=0, tags=tags
        )
        super().__init__(parameter, tabs)

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Offer what the table allows."""
        options = {LOOKS[key]: key for key in shown["looks"]}
        if options != self.widget.options:
            self.widget.param.update(options=options, value=value)
        self.widget.value = value


class Word(fields.Field):
    """A field that suggests the table's words while one is typed; any other text may be entered too.

    Suggestions start with what was typed and keep the order they are given in, the shortest first: a word
    typed in full then comes before longer ones that begin with it, and Enter takes the word itself.
    """

    def __init__(self, parameter: param.String) -> None:
        self._name, self._known = parameter.name, ()
        super().__init__(
            Suggesting.from_param(
                parameter,
                max_completions=SUGGESTED,
                options=[],
                restrict=False,
                case_sensitive=False,
                min_characters=2,
                search_strategy="starts_with",
                **controls.style("lab-field lab-search"),
            )
        )

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Take the name that the figure gives it; the words are sent only when they are others."""
        changed = {"placeholder": shown["placeholders"][self._name]}
        if label := shown["labels"].get(self._name):
            changed["label"] = label
        spellings = shown["study"].spellings
        if spellings is not self._known:
            self._known = spellings
            changed["options"] = list(spellings)
        self.pane.param.update(**changed)


CONTROLS: Mapping[str, Callable[..., fields.Field]] = {
    "table": TableField,
    "look": LookField,
    **dict.fromkeys("abc", Word),
    "words": lambda parameter: fields.Typed(parameter, lambda shown: shown["placeholders"]["words"]),
    "exclude": fields.of(controls.switch, off="no", on="yes"),
    "seed": fields.of(controls.number),
}
