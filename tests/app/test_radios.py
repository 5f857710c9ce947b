"""A group of radio buttons shows the choice it holds, whatever happens to its list."""

from __future__ import annotations

import pytest

from app.kit.radios import Radios
from app.rooms import ROOMS


@pytest.mark.parametrize("options", [["c"], ["a", "c"], ["c", "b", "a", "d"], {"see": "c", "be": "b"}])
def test_the_chosen_one_moves_with_its_list(options: list[str] | dict[str, str]) -> None:
    made = Radios(options=["a", "b", "c", "d"], value="c")
    model = made.get_root()
    made.options = options
    assert model.active == made.values.index("c")
    assert model.labels == made.labels


def test_a_list_without_the_chosen_one_leaves_none() -> None:
    made = Radios(options=["a", "b"], value="b")
    model = made.get_root()
    made.options = ["a"]
    assert made.value is None
    assert model.active is None


def test_a_symptom_keeps_the_mistake_that_shows_it() -> None:
    room = ROOMS["mistakes"]("")
    titles = room._fields["mistake"].widget
    models = room.layout.get_root()
    listed = next(
        one for one in models.select({"type": type(titles._widget_type())}) if "Mistake" in str(one.tags)
    )
    place = titles.values.index("raw")
    # as a click on the page does
    titles._process_events({"active": place})
    listed.active = place
    room.state.symptom = "limit"
    assert next(iter(room.view)) == "raw"
    assert listed.labels[listed.active] == titles.labels[titles.values.index("raw")]
