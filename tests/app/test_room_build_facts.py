"""The room `build`: what the course says of E, P and X, each with the number that shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.kit.html import Markup
from app.rooms.build import ROOM, facts
from app.rooms.build.compute import EXAMPLES, STEPS, View, compute
from app.rooms.build.stage import stage, tokens
from app.rooms.build.words import _DEFAULTS
from lab.positions import SCHEMES


def build(**changed: Any) -> View:
    return compute(**{**_DEFAULTS, **changed})


def shown(view: View) -> str:
    return Markup(tokens(view) + stage(view)).striptags()


def test_rows_of_the_toy_tables_add_up_to_0_and_so_do_those_of_x() -> None:
    """Every row of E and of P adds up to 0 by hand, so each row of X has mean 0."""
    view = build(step=6)
    np.testing.assert_array_equal(view.table.E.sum(axis=1), 0)
    assert view.table.P is not None
    np.testing.assert_array_equal(view.table.P.sum(axis=1), 0)
    np.testing.assert_array_equal(view.means, 0)
    assert "every row of X has mean 0" in shown(view)


def test_a_raw_index_is_the_mean_of_its_row() -> None:
    """E's rows have mean 0, so the means are the positions 0 to 4, and a LayerNorm subtracts them."""
    view = build(scheme="raw", step=6)
    np.testing.assert_allclose(view.means, [0, 1, 2, 3, 4], atol=1e-15)
    assert "Means of the rows of X: 0 to 4" in shown(view)
    centred = view.X - view.X.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centred, build(scheme="none").X, atol=1e-15)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_mean_0_is_said_where_every_mean_is_0_alone(example: str, scheme: str) -> None:
    view = build(example=example, scheme=scheme, step=6)
    zero = np.abs(view.X.mean(axis=1)).max() < 1e-12
    assert ("add up to 0" in facts.means(view)) == zero


def test_the_batch_axis_is_the_shape_of_one_text() -> None:
    view = build(step=6)
    assert view.batch == (1, 5, 4)
    assert "(1, 5, 4)" in shown(view)
    assert build(example="own").batch == (1, 6, 384)


def test_the_mean_of_the_rows_is_one_vector_as_wide_as_a_row() -> None:
    """A sentence embedding pools rows: column means of X of the running example, by hand [-.1,.1,-.2,.2]."""
    view = build(step=6)
    np.testing.assert_allclose(view.pooled, [-0.1, 0.1, -0.2, 0.2], atol=1e-15)
    assert "[−0.1, 0.1, −0.2, 0.2]" in shown(view)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_row_is_drowned_only_where_something_is_added(example: str, scheme: str, scale: bool) -> None:
    view = build(example=example, scheme=scheme, scale=scale, step=5)
    said = facts.sizes(view).striptags()
    assert ("the token drowns" in said) == (view.added is not None)
    assert ("multiplied by √D" in said) == scale
    if view.added is not None:
        long = np.linalg.norm(view.rows.astype(float), axis=1).mean()
        assert facts.number(float(long)) in said
        assert "16 times as long" in said


def test_what_a_model_does_beside_the_sum_is_said_where_its_words_are_chosen() -> None:
    """MiniLM reduces 30,522 rows to 8,944: cat is row 2836 of these and 4937 of the model's own."""
    for step in range(1, len(STEPS) + 1):
        said = shown(build(example="own", step=step))
        for fact in ("8,944", "30,522", "2836", "4937", "[CLS]", "segment row", "normalises"):
            assert fact in said
    view = build(example="own")
    assert view.full_ids[1] == 4937
    assert ROOM.numbers(view)[0].rows[1][-1] == 4937
    assert build().full_ids == ()


def test_ids_of_gpt2_are_an_input() -> None:
    """464, 3797, 3332 is ‘The cat sat’: rows of 50,257 numbers of which 50,256 are 0."""
    view = build(example="ids", step=3)
    assert view.ids.tolist() == [464, 3797, 3332]
    assert view.tokens == ["The", " cat", " sat"]
    assert "50,257 numbers: one 1, at the token's id, and 50,256 zeros" in shown(view)
    assert (view.one_hot, view.cosines, view.batch) == (None, None, (1, 3, 4))
    assert view.lookup_equals_product
    assert build(example="ids", text="The cat sat").ids.tolist() == [464, 3797, 3332]
    assert build(example="ids", text="[50256; 0]").ids.tolist() == [50256, 0]


@pytest.mark.parametrize("text", ["50257", "-1", "1.5", "dog", "4,096 x", "9" * 5000, "²", "<b>"])
def test_what_is_no_id_names_the_way_out(text: str) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 50,256"):
        build(example="ids", text=text)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_code_gives_x_to_the_last_bit(example: str, scheme: str, scale: bool) -> None:
    """Also as float32 where the page is: the code once went on in float64."""
    state = {**_DEFAULTS, "example": example, "scheme": scheme, "scale": scale}
    names: dict[str, Any] = {}
    exec(ROOM.code(**state), names)
    view = compute(**state)
    assert names["result"].dtype == view.X.dtype
    np.testing.assert_array_equal(names["result"], ROOM.code_answer(view))
    assert names["batch"].shape == view.batch


def test_a_text_that_was_cut_off_is_counted_whole() -> None:
    """551 words of four characters are 551 tokens, of which X holds 512."""
    view = build(example="own", text="the " * 551, step=1)
    assert "2,204 characters into 551 tokens" in shown(view)
    assert "551 tokens, of which the first 512 are kept" in ROOM.describe(view)
    assert "kept" not in ROOM.describe(build(step=1))


def test_a_swap_goes_when_the_text_becomes_too_short_for_it() -> None:
    """Places 2 and 5 of five tokens; of two tokens neither chooser shows place 5 any more."""
    room = ROOM("?swap=2,5&step=6")
    room.state.text = "the cat"
    assert room.state.swap is None
    assert [place.value for place in room._places] == [0, 0]
    assert "There is no place 5 to swap: the text has places 1 to 2." in room._notice.pane.object
    assert room.view.swap is None
    assert not room._error.pane.visible
    assert "swap" not in room._address.value
