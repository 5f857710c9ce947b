"""Controls by the names of the State: which kind a setting has, and how it follows the state.

A setting that follows others is `Derived`: its control shows the value in effect, which the room's
`effective` says, and a reader who brings it back to the usual one gives it up again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import panel as pn
import param
from bokeh.models import CustomJSTickFormatter

from app.kit import controls
from app.kit.controls import encodable, style
from app.kit.html import number

FEW = 4
"""Choices that stand side by side."""


class Field:
    """A control on the page, and how it follows the state."""

    def __init__(self, pane: Any) -> None:
        self.pane = pane

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show a value; ``shown`` are those of all settings, for limits that follow another one."""


def field_of(state: param.Parameterized, name: str, special: Mapping[str, Callable[..., Field]]) -> Field:
    """The control of a setting: the room's own kind, or the usual one."""
    parameter = state.param[name]
    if name in special:
        return special[name](parameter)
    if isinstance(parameter, param.Boolean):
        return Field(controls.switch(parameter))
    if isinstance(parameter, param.Selector):
        return choice(parameter)
    if isinstance(parameter, param.String):
        return Field(controls.text(parameter))
    return Field(controls.slider(parameter))


def choice(parameter: param.Selector, labels: Mapping[Any, str] | None = None) -> Field:
    """A few short choices side by side, more as a list."""
    make = controls.segmented if len(list(parameter.objects)) <= FEW else controls.select
    return Field(make(parameter, labels))


def choices(labels: Mapping[Any, str], kind: Callable[..., Any] = controls.select) -> Callable[..., Field]:
    """The kind of a setting whose values have these names."""
    return lambda parameter: Field(kind(parameter, labels))


def tabs(labels: Mapping[Any, str]) -> Callable[..., Field]:
    """The kind of the setting that chooses a figure."""
    return lambda parameter: Field(controls.tabs(parameter, labels))


def of(kind: Callable[..., Any], **options: Any) -> Callable[..., Field]:
    """The kind of a setting by the control that makes it: ``of(controls.number, step=5)``."""
    return lambda parameter: Field(kind(parameter, **options))


class Typed(Field):
    """A field for text that, while it is empty, shows in its place what is read instead."""

    def __init__(self, parameter: param.String, read: Callable[[Mapping[str, Any]], str]) -> None:
        super().__init__(controls.text(parameter))
        self._read = read

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show what is read."""
        self.pane.placeholder = self._read(shown)


class Growing(Field):
    """A slider that reaches farther only where the value already is, with a field for any value.

    Parameters
    ----------
    parameter : param.Number
    ends : sequence of float
        Ends of the slider, the last that of the parameter.
    label : str
        Of the field.
    """

    def __init__(self, parameter: param.Number, ends: Sequence[float], label: str) -> None:
        self._ends = ends
        self._slider = controls.slider(parameter, end=ends[0], format="0,0")
        typed = controls.number(parameter, label=label)
        super().__init__(pn.Column(self._slider, typed, margin=0, css_classes=["lab-both"]))

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Move the end."""
        self._slider.end = next(end for end in self._ends if end >= value)


def growing(ends: Sequence[float], label: str) -> Callable[..., Field]:
    """The kind `Growing` with these ends."""
    return partial(Growing, ends=ends, label=label)


class Within(Field):
    """A slider whose end is another value: no head beyond the last."""

    def __init__(self, parameter: param.Number, last: Callable[[Mapping[str, Any]], int]) -> None:
        self._last = last
        self._slider = controls.slider(parameter)
        super().__init__(self._slider)

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Move the end; where there is one value alone, nothing can be moved."""
        last = self._last(shown)
        self._slider.param.update(end=max(last, 1), disabled=last == 0)


class Derived(Field):
    """A control that shows the value in effect; what a reader sets is said to ``change``.

    The room puts its `changes` there; without a room it is the setting itself.
    """

    def __init__(self, parameter: param.Parameter, widget: Any) -> None:
        super().__init__(widget)
        self.widget = widget
        self.change: Callable[[Any], Any] = partial(setattr, parameter.owner, parameter.name)
        self._following = False
        widget.param.watch(self._moved, "value")

    def follow(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show a value, which is no change of the reader's."""
        self._following = True
        try:
            self.show(value, shown)
        finally:
            self._following = False

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Put a value into the widget."""
        self.widget.value = value

    def meant(self, value: Any) -> Any:
        """The value of the setting that one of the widget's stands for."""
        return value

    def _moved(self, event: Any) -> None:
        if not self._following:
            self.change(self.meant(event.new))


class Listed(Derived):
    """A list; ``offered`` gives its options by name, which may follow the state."""

    def __init__(
        self, parameter: param.Parameter, offered: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    ) -> None:
        self._offered = offered
        super().__init__(
            parameter, pn.widgets.Select(label=controls.label_of(parameter), **style("lab-select"))
        )

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Offer what is offered now, one of it chosen."""
        options = dict(self._offered(shown))
        if options != self.widget.options:
            self.widget.options = options
        self.widget.value = value


class Reach(Derived):
    """A slider over whole numbers whose start, end and step follow the state."""

    def __init__(
        self, parameter: param.Integer, reach: Callable[[Mapping[str, Any]], Mapping[str, int]]
    ) -> None:
        self._reach = reach
        label = controls.label_of(parameter)
        options = {"start": 1, "end": 2, "value": 2, "format": "0,0"}
        super().__init__(parameter, pn.widgets.IntSlider(label=label, **options, **style("lab-slider")))

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Stand at a value, within its limits of now."""
        reach = self._reach(shown)
        if any(getattr(self.widget, name) != limit for name, limit in reach.items()):
            self.widget.param.update(**reach, value=value)
        self.widget.value = value


class Draft(Derived):
    """A field for a long text, which stays in it while the setting is empty: it can be taken up again."""

    def __init__(self, parameter: param.String, placeholder: str) -> None:
        widget = pn.widgets.TextAreaInput(
            label=controls.label_of(parameter),
            placeholder=placeholder,
            max_length=200_000,
            rows=4,
            **style("lab-field lab-draft"),
        )
        super().__init__(parameter, widget)

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Show a text; none leaves the field as it is."""
        if value.strip():
            self.widget.value = value

    def meant(self, value: Any) -> str:
        """The text as an address can hold it."""
        return encodable(value or "")


class Stops(Derived):
    """A slider over stops, for quantities on no even scale; a value that is none of them becomes one."""

    def __init__(self, parameter: param.Parameter, stops: Sequence[float]) -> None:
        self._usual, self.stops = tuple(stops), list(stops)
        self._named = CustomJSTickFormatter(args={"names": self._names()}, code="return names[tick]")
        slider = pn.widgets.IntSlider(
            label=controls.label_of(parameter),
            start=0,
            end=len(stops) - 1,
            value=0,
            format=self._named,
            **style("lab-slider"),
        )
        super().__init__(parameter, slider)

    def show(self, value: Any, shown: Mapping[str, Any]) -> None:
        """Stand at a value."""
        stops = list(self._usual) if value in self._usual else sorted({*self._usual, value})
        if stops != self.stops:
            self.stops = stops
            self._named.args = {"names": self._names()}
            self.widget.end = len(stops) - 1
        self.widget.value = stops.index(value)

    def meant(self, value: Any) -> float:
        """The stop at a place of the slider."""
        return self.stops[int(value)]

    def _names(self) -> list[str]:
        return [number(value) for value in self.stops]
