"""The State of a room behind one guarded path: whatever changes it, and from wherever, goes this way.

A change is brought within the limits that values set each other, and shown; what fails, for whatever reason,
changes nothing that is shown: it stays, dimmed, at the last state that worked, a sentence says what happened,
and the next change goes on. Address and notices belong to the state that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import panel as pn
import param

from app.kit import guard, url
from app.kit.document import together
from app.kit.given import beginning
from app.kit.html import join, tag
from app.kit.matrix import error
from app.kit.panes import Html
from app.kit.spec import Reader, Spec

_UNCHANGED = "The figure still shows the settings before."
# the page decides what an address is for: its own bar, an event of the element, or nothing
_TELL = "window.EmbeddingLab?.onQuery?.(widget, cb_obj.value)"


@dataclass(frozen=True)
class Shown:
    """What is on screen, all of one state: its values, and the views of its figures by key."""

    values: Mapping[str, Any]
    views: Mapping[str, Any]


class Guarded:
    """A State that an address, controls, the socket and questions may change."""

    State: type[param.Parameterized]
    given: ClassVar[Mapping[str, Reader]] = {}
    """How a teacher's own data are read, by the State's parameter that holds them: one without an address,
    of negative precedence."""

    def __init__(self, query: str, widget_id: str, spec: Spec, figures: tuple[str, ...]) -> None:
        data, misfits = self.take(spec.data)
        if begins := self.begins(data):
            self.State = beginning(self.State, begins)
        # the address has the last word: a reader may have changed what the specification began with
        parsed = url.parse(query, self.State, figures, spec.options)
        self.spec = spec
        self.options = parsed.options
        self.state = self.State(**data)
        guard.watch(self)
        self._notices = [*spec.problems, *misfits, *parsed.notices]
        self._on_screen: Shown | None = None
        self._settling = False
        self._by_page = False
        self._locked: frozenset[str] = spec.lock
        self._ready = self._restore({**spec.values, **parsed.values})
        self._notice = Html(role="status", css="lab-notices")
        self._error = Html(role="alert", css="lab-errors")
        self._address = pn.widgets.TextInput(value="", visible=False, max_length=url.LONGEST_QUERY)
        self._address.jscallback(args={"widget": widget_id}, value=_TELL)

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What the parts of a teacher's data make together: values for the State, which no address has.

        The place for what depends on two parts at once, such as a table and its tokens: what does not fit is
        left out, and a sentence says so.
        """
        return dict(data), ()

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """What settings begin with on a page with these data: as their defaults, no address says them."""
        return {}

    @classmethod
    def normalise(cls, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The values brought within each other's limits, and a sentence for each that had to move.

        The place for what depends on two settings at once, such as a head beyond the last. Controls, State
        and address follow, before anything is computed.
        """
        return dict(values), ()

    def first_views(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The views that a page begins with.

        Raises
        ------
        ValueError
            If the values do not fit together, or cost too much.
        """
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def refresh(self) -> None:
        """Show the present state, or say why it cannot be shown."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def dim(self, stale: bool) -> None:
        """Dim what shows another state than the controls, or no longer."""
        raise NotImplementedError(type(self).__name__)  # pragma: no cover

    def values(self) -> dict[str, Any]:
        """The State's values, by name."""
        names = (*url.settings(self.State), *url.given(self.State))
        return {name: getattr(self.state, name) for name in names}

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set several values at once. The rest returns to its default, and no lock holds."""
        defaults = {name: item.default for name, item in url.settings(self.State).items()}
        self.set_from_page({**defaults, **values})

    def refuse(self, reason: Exception) -> None:
        """Say why a change came to nothing. What is shown stays, dimmed, all of the state before."""
        said = guard.sentence_of(reason)
        with together():
            self._error.set(error(f"{said} {_UNCHANGED}" if self._on_screen else said))
            self.dim(True)
            self._write_notices()

    def say(self, sentence: str) -> None:
        """Say a sentence above the figures, in place of those before, until the next change."""
        self._notices[:] = [sentence]
        self._write_notices()

    def _listen(self) -> None:
        self.state.param.watch(self._changed, list(url.settings(self.State)))

    def set_from_page(self, values: Mapping[str, Any]) -> None:
        """Set several values for the page around; the rest stays, and no lock holds."""
        self._by_page = True
        try:
            self.state.param.update(**values)
        finally:
            self._by_page = False

    def _changed(self, *events: param.parameterized.Event) -> None:
        if self._settling:
            return
        self._notices.clear()
        held = (
            {} if self._by_page else {event.name: event.old for event in events if event.name in self._locked}
        )
        if held:
            # what a control cannot do, no message to a server does either
            self._settling = True
            try:
                self.state.param.update(**held)
            finally:
                self._settling = False
            labels = ", ".join(str(self.State.param[name].label) for name in held)
            self._notices.append(f"{labels}: locked on this page.")
        self.refresh()

    def _settle(self) -> dict[str, Any]:
        values = self.values()
        settled, notices = type(self).normalise(values)
        moved = {name: value for name, value in settled.items() if value != values[name]}
        if moved:
            self._settling = True
            try:
                self.state.param.update(**moved)
            finally:
                self._settling = False
        self._notices.extend(notice for notice in notices if notice not in self._notices)
        return settled

    def _restore(self, values: Mapping[str, Any]) -> Shown | None:
        # each value is good by itself; what only fails with the others (a head beyond the last) is dropped
        kept = dict(values)
        while True:
            shown, reason = self._attempt(kept)
            if not reason or not kept:
                break
            for name, why in self._culprits(kept, reason).items():
                source = "specification" if self.spec.values.get(name) == kept[name] else "address"
                self._notices.append(f"The {source} sets {name}, but: {why} {name} is at its default.")
                del kept[name]
        self.state.param.update(**kept)
        return shown

    def _attempt(self, changes: Mapping[str, Any]) -> tuple[Shown | None, str]:
        """The views with these values beside the defaults, or why there are none."""
        try:
            values, _ = type(self).normalise({**self.values(), **changes})
            return Shown(values, self.first_views(values)), ""
        except OSError:
            # a file that is missing is no fault of the address: the room says so, and it may come back
            return None, ""
        except Exception as reason:
            return None, guard.sentence_of(reason)

    def _culprits(self, kept: Mapping[str, Any], reason: str) -> dict[str, str]:
        for name in reversed(list(kept)):
            if not self._attempt({**kept, name: self._default(name)})[1]:
                return {name: reason}
        alone = {name: why for name in kept if (why := self._attempt({name: kept[name]})[1])}
        return alone or dict.fromkeys(kept, reason)

    def _default(self, name: str) -> Any:
        return self.State.param[name].default

    def _write_address(self) -> None:
        query, left_out = url.write(self.state)
        self._address.value = query
        if left_out:
            self._notices.append(
                f"{', '.join(left_out)} is too long for an address: a copied link leaves it out."
            )

    def _write_notices(self) -> None:
        self._notice.set(join(tag("p", notice) for notice in self._notices))
