"""A notebook of few lines: a page that hosts widgets, and the kernel behind it in a thread."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import comm
import tornado.httpserver
import tornado.netutil
import tornado.web
import tornado.websocket
from comm.base_comm import BaseComm

Result = TypeVar("Result")
PAGE = Path(__file__).with_name("notebook.html")


class Told(BaseComm):
    """A widget's line to its pages: it keeps what it was told, and passes it on."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.told: list[tuple[dict[str, Any], list[bytes]]] = []
        self.pass_on: Callable[[str, dict[str, Any], list[bytes]], None] | None = None
        super().__init__(*arguments, **options)

    def publish_msg(self, msg_type: str, data: Any = None, *_: Any, buffers: Any = None, **__: Any) -> None:
        """Take what a widget says."""
        said = [bytes(buffer) for buffer in buffers or []]
        self.told.append((data, said))
        if self.pass_on and msg_type == "comm_msg":
            self.pass_on(self.comm_id, data, said)

    def hear(self, data: dict[str, Any]) -> None:
        """Tell the widget what a page says."""
        self.handle_msg({"content": {"data": data}, "buffers": []})

    def custom(self, kind: str) -> list[tuple[dict[str, Any], list[bytes]]]:
        """What was said of a kind in messages of the widget's own."""
        said = ((data["content"], buffers) for data, buffers in self.told if data.get("method") == "custom")
        return [(content, buffers) for content, buffers in said if content["type"] == kind]


def tell_all(monkeypatch: Any) -> None:
    """Have widgets speak through `Told` from now on."""
    monkeypatch.setattr(comm, "create_comm", Told)


class Host:
    """Serves the page, and runs the widgets in one thread, as a kernel does."""

    def __init__(self) -> None:
        self.widgets: dict[str, Any] = {}
        self._sockets: set[tornado.websocket.WebSocketHandler] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.origin = self.run(self._listen)

    def run(self, act: Callable[[], Result]) -> Result:
        """Do something in the kernel's thread."""

        async def call() -> Result:
            return act()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(60)

    def show(self, make: Callable[[], Any]) -> Any:
        """Make a widget that the page shows when it is opened."""

        def made() -> Any:
            widget = make()
            widget.comm.pass_on = self._tell
            self.widgets[widget.comm.comm_id] = widget
            return widget

        return self.run(made)

    def close(self) -> None:
        """Close the widgets and stop serving."""

        def stop() -> None:
            for widget in self.widgets.values():
                widget.close()
            for socket in list(self._sockets):
                socket.close()
            self._server.stop()

        self.run(stop)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _listen(self) -> str:
        handlers = [("/", _Page), ("/models", _Models), ("/socket", _Socket)]
        application = tornado.web.Application([(path, each, {"host": self}) for path, each in handlers])
        self._server = tornado.httpserver.HTTPServer(application)
        sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
        self._server.add_sockets(sockets)
        return f"http://127.0.0.1:{sockets[0].getsockname()[1]}"

    def _tell(self, key: str, data: dict[str, Any], buffers: list[bytes]) -> None:
        written = [base64.b64encode(buffer).decode() for buffer in buffers]
        for socket in self._sockets:
            socket.write_message(json.dumps({"id": key, "data": data, "buffers": written}))


class _Page(tornado.web.RequestHandler):
    def initialize(self, host: Host) -> None:
        self.host = host

    def get(self) -> None:
        self.finish(PAGE.read_text(encoding="utf-8"))


class _Models(_Page):
    def get(self) -> None:
        states = {key: widget.get_state() for key, widget in self.host.widgets.items()}
        self.finish(json.dumps(states, default=str))


class _Socket(tornado.websocket.WebSocketHandler):
    def initialize(self, host: Host) -> None:
        self.host = host

    def open(self, *_: str) -> None:
        self.host._sockets.add(self)

    def on_close(self) -> None:
        self.host._sockets.discard(self)

    def on_message(self, message: str | bytes) -> None:
        said = json.loads(message)
        widget = self.host.widgets[said["id"]]
        if widget.comm is not None:
            widget.comm.hear(said["data"])
