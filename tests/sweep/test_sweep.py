"""Each room over states drawn from its State: always the same ones. `make sweep N=2000` draws more."""

from __future__ import annotations

import pytest

from app.rooms import NAMES
from tests.sweep.hunt import Hunt

EXAMPLES = 25


@pytest.mark.parametrize("key", NAMES)
def test_every_state_of_a_room_keeps_the_contract(key: str) -> None:
    hunt = Hunt(key)
    found = [str(caught) for caught in hunt.run(EXAMPLES, seeded=1)]
    assert not found, "\n".join(found)
    assert hunt.refused < hunt.drawn
