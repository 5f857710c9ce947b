"""Servers that people really have, as programs of their own on this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NGINX = """
daemon off; error_log stderr; pid {work}/nginx.pid; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  include /etc/nginx/mime.types; default_type application/octet-stream; gzip on; access_log off;
  client_body_temp_path {work}/a; proxy_temp_path {work}/b; fastcgi_temp_path {work}/c;
  uwsgi_temp_path {work}/d; scgi_temp_path {work}/e;
  server {{
    listen 127.0.0.1:{port}; root {site};
    add_header X-Content-Type-Options nosniff;
  }}
}}
"""


def nginx_path() -> str | None:
    """Where nginx is, if it is installed."""
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


@contextmanager
def nginx(site: Path, work: Path) -> Iterator[str]:
    """Debian's nginx with its own table of types, compressing, `nosniff` on; yields the origin."""
    port = free_port()
    settings = work / "nginx.conf"
    settings.write_text(NGINX.format(work=work, port=port, site=site))
    # its worker is another user's, who has to come to the files
    for folder in (site, *site.parents):
        if folder.owner() == Path.home().owner() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    with _running([str(nginx_path()), "-c", str(settings), "-p", str(work)], port) as origin:
        yield origin


@contextmanager
def plain_python(site: Path) -> Iterator[str]:
    """``python -m http.server``; yields the origin."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "http.server",
        str(port),
        "--bind",
        "127.0.0.1",
        "--directory",
        str(site),
    ]
    with _running(command, port) as origin:
        yield origin


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(command: list[str], port: int) -> Iterator[str]:
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if program.poll() is not None or time.monotonic() > limit:
                    raise
        yield f"http://127.0.0.1:{port}"
    finally:
        program.terminate()
        program.wait()
