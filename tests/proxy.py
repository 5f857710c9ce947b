"""A proxy for tests, between a page and its server: it refuses, cuts and holds connections as it is told."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress

REFUSAL = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
UPGRADE = re.compile(rb"^upgrade: *websocket", re.IGNORECASE | re.MULTILINE)


class Proxy:
    """Passes bytes on between any port of this machine and one of its own.

    ``websockets`` says whether connections that ask to become a websocket are passed on ("pass"), answered
    with an error ("refuse"), or never answered ("ignore").
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self.websockets = "pass"
        self._open = threading.Event()
        self._open.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """Pass nothing on, as a network without reception."""
        self._open.clear()

    def let_go(self) -> None:
        """Pass on what was held, and what comes."""
        self._open.set()

    def cut(self) -> None:
        """End all connections."""
        sockets, self._sockets = self._sockets, []
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def close(self) -> None:
        """End everything."""
        self.let_go()
        # a listener that is closed alone would wait for one more connection
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._sockets.append(near)
                threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with suppress(OSError):
            head = near.recv(65536)
            if UPGRADE.search(head) and self.websockets != "pass":
                if self.websockets == "refuse":
                    near.sendall(REFUSAL)
                    near.shutdown(socket.SHUT_RDWR)
                return
            far = socket.create_connection(("127.0.0.1", self._target))
            self._sockets.append(far)
            threading.Thread(target=self._pump, args=(far, near), daemon=True).start()
            self._pass_on(head, far)
            self._pump(near, far)
        # the server is not there, or has gone
        with suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._pass_on(data, target)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def _pass_on(self, data: bytes, target: socket.socket) -> None:
        self._open.wait()
        target.sendall(data)
