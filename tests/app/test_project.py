"""The project's own files: the README tells the truth, the image is started as it says."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

from app import serve

ROOT = Path(__file__).resolve().parents[2]


def test_the_lines_in_the_readme_give_their_output() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_every_file_the_readme_names_exists() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {
        word.strip("`,.;:()")
        for word in text.split()
        if word.startswith(("`lab/", "`app/", "`static/", "`tests/"))
    }
    assert named
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_pins_cover_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().split()}
    extras = project["optional-dependencies"]
    wanted = [one for one in (*project["dependencies"], *extras["app"], *extras["dev"]) if "[" not in one]
    names = {item.split(">")[0].split("=")[0].lower() for item in wanted}
    assert names <= pinned


def test_the_image_serves_on_all_interfaces_for_the_origins_it_is_given() -> None:
    """Docker runs CMD in the exec form: its shell line must come out as one call of `app.serve`."""
    source = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    command = json.loads(source[source.rindex("CMD [") + 4 :])
    line = command[-1].replace("exec python", "printf '%s\\n'")
    done = subprocess.run(
        [*command[:-1], line],
        env={**os.environ, "PORT": "5006", "ALLOWED_ORIGINS": "lab.example.org, localhost:5006,*"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    module, name, *options = done.stdout.splitlines()
    assert (module, name) == ("-m", "app.serve")
    served = serve.command(options)
    allowed = [word for before, word in pairwise(served) if before == "--allow-websocket-origin"]
    assert allowed == ["lab.example.org", "localhost:5006", "*"]
    assert served[served.index("--address") + 1] == "0.0.0.0"
    assert served[served.index("--port") + 1] == "5006"
    assert "USER reader" in source
    assert "HEALTHCHECK" in source
