"""Serve the lab: ``python -m app.serve``, which is `panel serve` with the lab's own settings.

Options that are not listed here go to `panel serve` as they are, such as ``--num-procs 2``.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import MutableMapping, Sequence
from pathlib import Path

from lab.places import STATIC

MAIN = Path(__file__).with_name("main.py")
PORT = 5006
LARGEST_MESSAGE = 13_000_000
"""Bytes: a pasted text of two million signs, each escaped. Files come in parts of at most 1 MB."""
KEY = "BOKEH_SECRET_KEY"
SIGN = "BOKEH_SIGN_SESSIONS"


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until the process is ended."""
    sign_sessions(os.environ)
    # Bokeh reads the key when it is imported
    from panel.command import main as panel

    from app import hardening, prompt

    sys.argv = command(arguments)
    hardening.install()
    prompt.install()
    panel()


def sign_sessions(environment: MutableMapping[str, str]) -> None:
    """Have ids of sessions signed, with a key of this process where none is configured.

    A key that is configured holds for several machines behind one address, and beyond a restart.
    """
    if not environment.get(KEY):
        environment[KEY] = secrets.token_urlsafe(32)
    environment[SIGN] = "yes"


def command(arguments: Sequence[str] | None = None) -> list[str]:
    """The command line of `panel serve` for the lab's own.

    >>> command(["--port", "8000"])[-4:]
    ['--allow-websocket-origin', 'localhost:8000', '--allow-websocket-origin', '127.0.0.1:8000']
    """
    parser = argparse.ArgumentParser(prog="python -m app.serve", description=__doc__.split(":")[0] + ".")
    parser.add_argument("--port", type=int, default=PORT, help=f"default {PORT}")
    parser.add_argument(
        "--address",
        default="localhost",
        help="localhost is this machine alone (the default), 0.0.0.0 is whoever can reach it",
    )
    parser.add_argument(
        "--origins",
        default="",
        help="the hosts readers come from, as they type them, with commas between: host:port, or * for any",
    )
    options, rest = parser.parse_known_args(arguments)
    origins = [origin.strip() for origin in options.origins.split(",") if origin.strip()]
    line = ["panel", "serve", str(MAIN), *rest, "--static-dirs", f"assets={STATIC}"]
    line += ["--port", str(options.port), "--address", options.address, "--session-ids", "signed"]
    line += ["--websocket-max-message-size", str(LARGEST_MESSAGE)]
    for origin in origins or [f"localhost:{options.port}", f"127.0.0.1:{options.port}"]:
        line += ["--allow-websocket-origin", origin]
    return line


if __name__ == "__main__":
    main()
