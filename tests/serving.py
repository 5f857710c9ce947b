"""The served lab, for as long as a test or a benchmark asks it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
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


class Lab:
    """A lab served by ``python -m app.serve``, from its start until it is stopped.

    Parameters
    ----------
    *options : str
        More options of the command line.
    port : int, optional
        A free one if none is given.
    command : sequence of str
        What starts it.
    cwd : Path
        Where the lab's sources are.
    python : str
        The interpreter.
    warm : bool
        Whether to open a page before any test does: the first one takes seconds.
    **environment : str
        Added to the environment.
    """

    def __init__(
        self,
        *options: str,
        port: int | None = None,
        command: Sequence[str] = ("app.serve",),
        cwd: Path = ROOT,
        python: str = sys.executable,
        warm: bool = True,
        **environment: str,
    ) -> None:
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}/main"
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._said = ""
        self.process = subprocess.Popen(
            [python, "-m", *command, "--port", str(self.port), *options],
            cwd=cwd,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
            stdout=self._log,
            stderr=self._log,
        )
        try:
            _await(f"http://127.0.0.1:{self.port}/assets/icons/lab.svg", self.process)
            if warm:
                _await(self.address, self.process)
        except RuntimeError as reason:
            self.kill()
            raise RuntimeError(f"{reason}:\n{self.log()[-2000:]}") from None

    def stop(self) -> None:
        """End it as a service manager does."""
        self.process.terminate()
        self._ended()

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self._ended()

    def log(self) -> str:
        """What it has said until now, or until its end."""
        if not self._log.closed:
            self._log.seek(0)
            self._said = self._log.read()
        return self._said

    def _ended(self) -> None:
        self.process.wait(timeout=20)
        self.log()
        self._log.close()


@contextmanager
def served(*options: str, **environment: str) -> Iterator[str]:
    """The address of a lab that is served for as long as the block runs.

    Raises
    ------
    AssertionError
        At the end, if the server logged an exception.
    """
    lab = Lab(*options, **environment)
    try:
        yield lab.address
    finally:
        lab.stop()
    if faults(lab.log()):
        raise AssertionError(f"the server raised an exception nobody handled:\n{lab.log()[-4000:]}")


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
            raise RuntimeError(f"the server ended with {process.returncode} before it answered")
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            continue
    raise RuntimeError(f"{address} did not answer within {seconds:.0f} s")
