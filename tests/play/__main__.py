"""`make play SECONDS=600 [SEED=1] [DOOR=served|built]`: a reader who does anything at all."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.chromium import launch, watched_page
from tests.play.doors import Door, built, served
from tests.play.player import Player


@contextmanager
def opened(name: str) -> Iterator[Door]:
    """A door by its name; the site is built unless EMBEDDING_LAB_SITE names one that is there."""
    if name == "served":
        with served() as door:
            yield door
        return
    with tempfile.TemporaryDirectory() as folder:
        site = Path(os.environ.get("EMBEDDING_LAB_SITE") or f"{folder}/dist")
        if not site.exists():
            subprocess.run([sys.executable, "-m", "app.export", "--quiet", "--out", str(site)], check=True)
        with built(site) as door:
            yield door


def main(arguments: list[str]) -> int:
    """Play in one door or in both; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="make play", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="in each door")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other moves")
    parser.add_argument("--door", choices=["served", "built", ""], default="")
    options = parser.parse_args(arguments)
    found = 0
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for name in [options.door] if options.door else ["served", "built"]:
            with opened(name) as door, watched_page(browser, f"{door.origin}/") as watched:
                player = Player(watched, door, options.seed)
                player.play(options.seconds)
                print(player.report(), flush=True)
                found += len(player.findings)
        browser.close()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
