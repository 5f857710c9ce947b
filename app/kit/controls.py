"""Controls: one function for each kind, bound both ways to a parameter of the State.

Choices of up to four short words are segmented controls made of real radio buttons, so that arrow keys
and screen readers work; longer ones are native selects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn
import param

from app.kit.number_field import NumberField
from app.kit.panes import Pane
from app.kit.radios import Radios


def label_of(parameter: param.Parameter) -> str:
    """The words beside a control: the parameter's label."""
    return str(parameter.label)


def select(parameter: param.Parameter, labels: Mapping[Any, str] | None = None) -> pn.widgets.Select:
    """A native select; ``labels`` gives the words for each value."""
    options = _options(parameter, labels)
    return pn.widgets.Select.from_param(parameter, options=options, **style("lab-select"))


def segmented(parameter: param.Parameter, labels: Mapping[Any, str] | None = None) -> pn.Column:
    """Two to four choices side by side."""
    name = label_of(parameter)
    group = Radios.from_param(
        parameter,
        options=_options(parameter, labels),
        inline=True,
        label=name,
        tags=[f"label:{name}"],
        **style("lab-segmented"),
    )
    return labelled(name, group)


def tabs(parameter: param.Selector, labels: Mapping[Any, str]) -> Radios:
    """What is shown, as tabs."""
    made: Radios = Radios.from_param(
        parameter,
        options=_options(parameter, labels),
        inline=True,
        css_classes=["lab-tabs"],
        margin=0,
        tags=[f"label:{label_of(parameter)}"],
    )
    return made


def switch(parameter: param.Boolean, off: str = "off", on: str = "on") -> pn.Column:
    """A boolean as two words side by side."""
    name = label_of(parameter)
    group = Radios(
        options={off: False, on: True},
        value=getattr(parameter.owner, parameter.name),
        inline=True,
        label=name,
        tags=[f"label:{name}"],
        **style("lab-segmented"),
    )
    _bind(group, parameter)
    return labelled(name, group)


def slider(parameter: param.Number, **options: Any) -> pn.widgets.Widget:
    """A slider over the parameter's bounds; keyboard arrows move it by one step."""
    kind = pn.widgets.IntSlider if isinstance(parameter, param.Integer) else pn.widgets.FloatSlider
    return kind.from_param(parameter, **options, **style("lab-slider"))


def choice_slider(parameter: param.Selector, **options: Any) -> pn.widgets.DiscreteSlider:
    """A slider over a list of values, for quantities on a logarithmic scale."""
    return pn.widgets.DiscreteSlider.from_param(parameter, **options, **style("lab-slider"))


def number(parameter: param.Number, **options: Any) -> NumberField:
    """A field for a number, as people write numbers."""
    return NumberField.bound(parameter, **options, **style("lab-field lab-number"))


def text(parameter: param.String, placeholder: str = "") -> pn.widgets.TextInput:
    """A field for text, taken over with Enter or on leaving it.

    Taking each key over would write older text back into the field while the reader types on.
    """
    return pn.widgets.TextInput.from_param(
        parameter, placeholder=placeholder, max_length=200_000, **style("lab-field")
    )


def button(name: str, action: Callable[[], None], css: str = "") -> pn.widgets.Button:
    """A button."""
    widget = pn.widgets.Button(label=name, **style(f"lab-button {css}"))
    widget.on_click(lambda _: action())
    return widget


def group(title: str, *items: Any) -> pn.Column:
    """Controls that belong together, under a heading."""
    head = Pane(f"<h2>{title}</h2>", css_classes=["lab-group"], margin=0)
    return pn.Column(head, *items, margin=0, sizing_mode="stretch_width")


def labelled(name: str, widget: Any) -> pn.Column:
    """A widget under a visible label; the widget names itself to screen readers."""
    head = Pane(f'<span aria-hidden="true">{name}</span>', css_classes=["lab-label"], margin=0)
    return pn.Column(head, widget, margin=0, sizing_mode="stretch_width", css_classes=["lab-labelled"])


def _options(parameter: param.Parameter, labels: Mapping[Any, str] | None) -> dict[str, Any]:
    values: Sequence[Any] = list(parameter.objects)
    return {(labels or {}).get(value, str(value)): value for value in values}


def _bind(widget: Any, parameter: param.Parameter) -> None:
    owner, name = parameter.owner, parameter.name
    widget.param.watch(lambda event: setattr(owner, name, event.new), "value")
    owner.param.watch(lambda event: setattr(widget, "value", event.new), name)


def style(css: str) -> dict[str, Any]:
    """What every control has: its classes, the width of its column, no margin."""
    return {"css_classes": css.split(), "sizing_mode": "stretch_width", "margin": 0}


def encodable(text: str) -> str:
    """Typed text as an address can hold it, blank text as none: half a surrogate pair has no code."""
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else ""
