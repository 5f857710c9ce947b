"""A reader without a browser: Bokeh's protocol over a websocket, message by message."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar
from urllib.parse import urlsplit

from bokeh.protocol import Protocol
from bokeh.protocol.message import Message
from bokeh.protocol.receiver import Receiver
from bokeh.util.token import generate_jwt_token, generate_session_id
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

Result = TypeVar("Result")
PATIENCE = 60.0


class Wire:
    """One open connection."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self._socket = socket
        self._receiver = Receiver(Protocol())
        self._turns = count(1)
        self.closed = False

    async def hear(self) -> Message[Any]:
        """The next message.

        Raises
        ------
        ConnectionError
            If the server closed the connection instead.
        """
        while True:
            fragment = await asyncio.wait_for(self._socket.read_message(), PATIENCE)
            if fragment is None:
                self.closed = True
                raise ConnectionError(f"closed with {self._socket.close_code}")
            message = await self._receiver.consume(fragment)
            if message is not None:
                return message

    async def document(self) -> dict[str, Any]:
        """The session's document as JSON."""
        answer = await self._ask("PULL-DOC-REQ", {})
        document: dict[str, Any] = json.loads(answer.content_json)["doc"]
        return document

    async def change(self, model: str, attribute: str, value: Any) -> str:
        """Set a property of a model; returns the kind of the answer, "OK" or "ERROR"."""
        event = {"kind": "ModelChanged", "model": {"id": model}, "attr": attribute, "new": value}
        answer = await self._ask("PATCH-DOC", {"events": [event]})
        return str(answer.msgtype)

    async def _ask(self, kind: str, content: dict[str, Any]) -> Message[Any]:
        # by hand, since Bokeh makes patches from live events alone; what the server sends before is let go
        header = {"msgid": f"{next(self._turns)}", "msgtype": kind}
        for fragment in (header, {}, content):
            await self._socket.write_message(json.dumps(fragment))
        while True:
            answer = await self.hear()
            if answer.header.get("reqid") == header["msgid"]:
                return answer


def connected(address: str, token: str, talk: Callable[[Wire], Awaitable[Result]], query: str = "") -> Result:
    """Connect with a page's token, and give what ``talk`` gives with the connection.

    Raises
    ------
    ConnectionError
        If the server does not take the connection.
    """

    async def run() -> Result:
        parts = urlsplit(address)
        request = HTTPRequest(
            f"ws://{parts.netloc}{parts.path}/ws?{query}",
            headers={"Origin": f"{parts.scheme}://{parts.netloc}"},
        )
        socket = await websocket_connect(request, subprotocols=["bokeh", token], max_message_size=80_000_000)
        wire = Wire(socket)
        try:
            acknowledged = await wire.hear()
            if acknowledged.msgtype != "ACK":
                raise ConnectionError(f"the server says {acknowledged.msgtype}")
            return await talk(wire)
        finally:
            socket.close()
            with suppress(ConnectionError):
                while not wire.closed:
                    await wire.hear()

    return asyncio.run(run())


def fresh_token(key: bytes, signed: bool = True) -> str:
    """A token of a session that no page has made."""
    session = generate_session_id(secret_key=key, signed=signed)
    payload: dict[str, Any] = {"headers": {}, "cookies": {}, "arguments": {}}
    return generate_jwt_token(session, secret_key=key, signed=signed, extra_payload=payload)


def models(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All models that a document defines."""
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "attributes" in node and "id" in node:
                found.append(node)
            node = list(node.values())
        if isinstance(node, list):
            for part in node:
                walk(part)

    walk(document)
    return found


def model(document: dict[str, Any], css: str) -> dict[str, Any]:
    """The first model of a document that has this class."""
    return next(made for made in models(document) if css in made["attributes"].get("css_classes", ()))


def text(document: dict[str, Any], css: str) -> str:
    """What the first pane with this class says; a pane's text is HTML that Panel has escaped once more."""
    return re.sub("<[^>]*>", " ", html.unescape(model(document, css)["attributes"]["text"])).strip()
