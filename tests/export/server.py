"""A file server for tests: it counts, delays and fails requests as it is told."""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class SiteServer:
    """Serves folders under paths of one port of this machine.

    Parameters
    ----------
    folders : dict
        From a path ("/" or "/some/where/") to the folder that lies there.
    open_to_all : bool
        Whether pages of other origins may read the files, as public hosts allow.
    headers : dict, optional
        Sent with every answer.
    types : dict, optional
        The type that files of an ending are sent as.
    """

    def __init__(
        self,
        folders: dict[str, Path],
        *,
        open_to_all: bool = False,
        headers: dict[str, str] | None = None,
        types: dict[str, str] | None = None,
    ) -> None:
        self.folders = dict(sorted(folders.items(), key=lambda item: -len(item[0])))
        self.headers = dict(headers or {})
        if open_to_all:
            self.headers["Access-Control-Allow-Origin"] = "*"
        self.types = dict(types or {})
        self.replaced: dict[str, tuple[str, bytes]] = {}
        self.requests: list[str] = []
        self._failing: dict[str, int] = {}
        self._damaged: set[str] = set()
        self._spoiled: dict[str, int | None] = {}
        self._held: dict[str, threading.Event] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, site=self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        """Stop serving; whatever is held is let go."""
        for gate in self._held.values():
            gate.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @contextmanager
    def failing(self, pattern: str, status: int = 404) -> Iterator[None]:
        """Answer requests whose path matches with an error."""
        self._failing[pattern] = status
        try:
            yield
        finally:
            del self._failing[pattern]

    @contextmanager
    def holding(self, pattern: str) -> Iterator[None]:
        """Let requests whose path matches wait until the end of the block."""
        gate = self._held[pattern] = threading.Event()
        try:
            yield
        finally:
            gate.set()
            del self._held[pattern]

    @contextmanager
    def damaging(self, pattern: str) -> Iterator[None]:
        """Send only the first half of files whose path matches."""
        self._damaged.add(pattern)
        try:
            yield
        finally:
            self._damaged.discard(pattern)

    @contextmanager
    def replacing(self, pattern: str, content: bytes, kind: str = "text/html") -> Iterator[None]:
        """Answer requests whose path matches with something else, as a network that wants a sign-in does."""
        self.replaced[pattern] = (kind, content)
        try:
            yield
        finally:
            del self.replaced[pattern]

    def replacement(self, path: str) -> tuple[str, bytes] | None:
        """What comes in the place of a path."""
        path = path.partition("?")[0]
        return next((put for pattern, put in self.replaced.items() if fnmatch.fnmatch(path, pattern)), None)

    @contextmanager
    def spoiling(self, pattern: str, times: int | None = None) -> Iterator[None]:
        """Change 64 bytes in the middle of files whose path matches, the first ``times`` times each."""
        self._spoiled[pattern] = times
        try:
            yield
        finally:
            del self._spoiled[pattern]

    def spoiled(self, path: str) -> bool:
        """Whether a path, just asked for, is to arrive with other bytes."""
        path = path.partition("?")[0]
        return any(
            fnmatch.fnmatch(path, pattern) and (times is None or self.requests.count(path) <= times)
            for pattern, times in list(self._spoiled.items())
        )

    def damaged(self, path: str) -> bool:
        """Whether a path is to arrive in half."""
        return any(fnmatch.fnmatch(path, pattern) for pattern in self._damaged)

    def count(self, pattern: str) -> int:
        """How many requests came for a path that matches."""
        return sum(fnmatch.fnmatch(path, pattern) for path in list(self.requests))

    def status(self, path: str) -> int:
        """Wait where a path is held; the status it gets."""
        self.requests.append(path)
        for pattern, gate in list(self._held.items()):
            if fnmatch.fnmatch(path, pattern):
                gate.wait(60)
        return next((code for pattern, code in self._failing.items() if fnmatch.fnmatch(path, pattern)), 200)

    def locate(self, path: str) -> str:
        """The file at a path."""
        for prefix, folder in self.folders.items():
            if path.startswith(prefix):
                return str(folder / path.removeprefix(prefix))
        return str(Path("/nonexistent"))


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".wasm": "application/wasm",
        ".mjs": "text/javascript",
    }

    def __init__(self, *arguments: Any, site: SiteServer, **options: Any) -> None:
        self.site = site
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        # a page that is left, or a download that is given up, closes its connections
        with suppress(ConnectionError):
            self._answer()

    def _answer(self) -> None:
        status = self.site.status(self.path.partition("?")[0])
        if status != 200:
            self.send_error(status)
        elif replaced := self.site.replacement(self.path):
            kind, content = replaced
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)
        elif self.site.damaged(self.path):
            content = self._read()
            self._send(content[: len(content) // 2])
        elif self.site.spoiled(self.path):
            content = self._read()
            middle = len(content) // 2
            self._send(content[:middle] + bytes(64) + content[middle + 64 :])
        else:
            super().do_GET()

    def _read(self) -> bytes:
        return Path(self.translate_path(self.path)).read_bytes()

    def _send(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(self.path))
        # a browser may keep it, as it keeps what came right
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(content)

    def guess_type(self, path: Any) -> str:
        return self.site.types.get(Path(path).suffix) or super().guess_type(path)

    def translate_path(self, path: str) -> str:
        return self.site.locate(path.partition("?")[0].partition("#")[0])

    def end_headers(self) -> None:
        for name, value in self.site.headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass
