"""The served lab of the player's own tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.play.doors import Door, served


@pytest.fixture(scope="module")
def lab_for_play() -> Iterator[Door]:
    with served() as door:
        yield door
