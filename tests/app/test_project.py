"""The project's own files: the README tells the truth, the image is started as it says."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import tomllib
from pathlib import Path

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
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {item.split(">")[0].split("=")[0].lower() for item in wanted}
    assert names <= pinned


def test_the_image_serves_on_all_interfaces_for_the_origins_it_is_given() -> None:
    """Docker runs CMD in the exec form: its shell line must come out as one `panel serve` call."""
    source = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    command = json.loads(source[source.rindex("CMD [") + 4 :].replace("\\\n", ""))
    line = command[-1].replace("exec python", "echo python")
    done = subprocess.run(
        [*command[:-1], line],
        env={**os.environ, "PORT": "5006", "ALLOWED_ORIGINS": "lab.example.org,localhost:5006,*"},
        capture_output=True,
        text=True,
        check=True,
    )
    serve = "python -m panel serve app/main.py --address 0.0.0.0 --port 5006 --static-dirs assets=static"
    serve += " --websocket-max-message-size 80000000"
    origins = ("lab.example.org", "localhost:5006", "*")
    allowed = [f"--allow-websocket-origin={origin}" for origin in origins]
    assert done.stdout.split() == [*serve.split(), *allowed]
    assert "USER reader" in source
    assert "HEALTHCHECK" in source
