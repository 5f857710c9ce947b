"""What a served lab refuses or keeps short: sessions of others, stale scripts, long lines in its log."""

from __future__ import annotations

import logging
import traceback
from typing import Any
from urllib.parse import parse_qsl, urlencode

from bokeh.server.session import ServerSession
from bokeh.server.views.session_handler import SessionHandler
from panel.io.server import AuthenticatedStaticFileHandler
from tornado.web import Finish

from app.kit.html import Markup, tag

GIVEN = ("bokeh-session-id", "bokeh-token")
"""Arguments of an address with which it names the session to join."""
HEADER = "Bokeh-Session-Id"
LONGEST_RECORD = 4000
"""Characters of one record in the log, and of its traceback."""

_get_session = SessionHandler.get_session


def install() -> None:
    """Do so for every request from now on."""
    SessionHandler.get_session = _get_own_session
    AuthenticatedStaticFileHandler.set_extra_headers = _ask_each_time
    logging.setLogRecordFactory(ShortRecord)


def joins(query: str) -> bool:
    """Whether the query of an address names the session to join.

    Whoever sends such a link has the session's id too: they could read what is typed there, and change the
    page. A signature is no help, since a sender can have one for a session of their own.
    """
    return any(name in GIVEN for name, _ in parse_qsl(query, keep_blank_values=True))


async def _get_own_session(self: SessionHandler) -> ServerSession:
    given = not self.request.arguments.keys().isdisjoint(GIVEN) or HEADER in self.request.headers
    if given or joins(self.request.query):
        self.set_status(403)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(str(_refusal(self.request.path, self.request.query)))
        raise Finish
    return await _get_session(self)


def _refusal(path: str, query: str) -> Markup:
    kept = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name not in GIVEN]
    address = f"{path}?{urlencode(kept)}" if kept else path
    return Markup("<!DOCTYPE html>") + tag(
        "html",
        tag("title", "Embedding Lab"),
        tag("h1", "This link belongs to another reader's session"),
        tag("p", "Whoever sent it could see what you type and change what you see. It is not opened."),
        tag("p", tag("a", "Open the lab in a session of your own", href=address)),
        lang="en",
    )


def _ask_each_time(self: AuthenticatedStaticFileHandler, path: str) -> None:
    # a browser keeps the file, and asks whether it is still the same: after an update no old script
    # runs in a new page
    self.set_header("Cache-Control", "no-cache")


class ShortRecord(logging.LogRecord):
    """A record of the log that does not repeat megabytes which somebody sent."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self.exc_info and self.exc_info[0] is not None:
            self.exc_text = shortened("".join(traceback.format_exception(*self.exc_info)).rstrip("\n"))

    def getMessage(self) -> str:
        """The message, its middle left out where it is long."""
        return shortened(super().getMessage())


def shortened(text: str, limit: int = LONGEST_RECORD) -> str:
    """The two ends of a text that is longer than ``limit``.

    >>> shortened("abcdefghij", 4)
    'ab … 6 characters left out … ij'
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} … {len(text) - 2 * half} characters left out … {text[-half:]}"
