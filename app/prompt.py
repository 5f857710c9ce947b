"""Answers of `panel serve` leave at once.

Panel waits 50 ms whether more changes of a widget come. Bokeh sends a message as several small frames, and
the system keeps the second back until the page has confirmed the first (Nagle's algorithm): up to 40 ms.
Either takes as long as the answer itself.
"""

from __future__ import annotations

from bokeh.server.views.ws import WSHandler

from app.compat import gather_for, leave_nothing_unsent

TOGETHER = 10
"""Milliseconds in which changes of a widget are put together; those that come during an answer are too."""

_opened = WSHandler.open


def _open(self: WSHandler) -> None:
    self.set_nodelay(True)
    _opened(self)


def install() -> None:
    """Do so for every connection that opens from now on."""
    gather_for(TOGETHER)
    leave_nothing_unsent()
    WSHandler.open = _open
