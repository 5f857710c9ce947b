"""A real Chromium that reaches this machine only, and remembers whatever went wrong on a page."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, Route

ROOT = Path(__file__).resolve().parents[1]
LOCAL = {"127.0.0.1", ""}


@dataclass
class Troubles:
    """What a page did wrong."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        """Refuse every request that leaves this machine, and note it."""

        def guard(route: Route) -> None:
            parts = urlsplit(route.request.url)
            if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in LOCAL:
                self.foreign.append(route.request.url)
                route.abort()
            else:
                route.fallback()

        context.route("**/*", guard)
        context.on("page", self.listen)

    def listen(self, page: Page) -> None:
        """Note exceptions and error messages of a page."""
        page.on("pageerror", lambda error: self.errors.append(f"exception: {error}"))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)

    def check(self) -> None:
        """Fail if anything went wrong.

        Raises
        ------
        AssertionError
            Naming the errors and the foreign requests.
        """
        if self.errors or self.foreign:
            raise AssertionError(
                f"errors on the page: {self.errors}; requests to other hosts: {self.foreign}"
            )


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(**environment: str) -> Iterator[str]:
    """The address of a lab served by `panel serve` for as long as the block runs.

    Raises
    ------
    AssertionError
        At the end, if the server logged an exception.
    """
    port = free_port()
    command = [sys.executable, "-m", "panel", "serve", "app/main.py", "--static-dirs", "assets=static"]
    command += ["--port", str(port), "--allow-websocket-origin", f"127.0.0.1:{port}"]
    address = f"http://127.0.0.1:{port}/main"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
            stdout=log,
            stderr=log,
        )
        try:
            _await(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)
        log.seek(0)
        said = log.read()
    if "Traceback" in said:
        raise AssertionError(f"the server raised an exception nobody handled:\n{said[-4000:]}")


def _await(address: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"panel serve ended with {process.returncode} before it answered")
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            continue
    raise RuntimeError(f"{address} did not answer within {seconds:.0f} s")
