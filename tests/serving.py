"""The lab behind `panel serve`, for as long as a test or a benchmark asks it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT = ("tornado.websocket.WebSocketClosedError", "tornado.iostream.StreamClosedError")
"""How a trace ends when a reader has closed the page while a message to it was on its way: no fault."""


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
    if faults(said):
        raise AssertionError(f"the server raised an exception nobody handled:\n{said[-4000:]}")


def faults(log: str) -> list[str]:
    """The last line of each trace in a server's log, but for those of readers who left.

    >>> faults("Traceback (most recent call last):\\n  File \\"a.py\\"\\nValueError: no\\n2026 done")
    ['ValueError: no']
    """
    # a trace is indented but for its first line and its last
    ends = re.findall(r"^Traceback .*\n(?:[ \t].*\n|\n)*(\S.*)", log, flags=re.MULTILINE)
    return [end for end in ends if not end.startswith(LEFT)]


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
