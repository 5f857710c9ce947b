"""The room `build`: what the course says of E, P and X, each with the number that shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.kit.html import number
from app.rooms.build import ROOM
from app.rooms.build.room import EXAMPLES, STEPS
from lab.positions import SCHEMES
from tests.app.test_room_build import START, build, said, shown


def test_rows_of_the_toy_tables_add_up_to_0_and_so_do_those_of_x() -> None:
    """Every row of E and of P adds up to 0 by hand, so each row of X has mean 0."""
    view = build()
    np.testing.assert_array_equal(view.table.E.sum(axis=1), 0)
    assert view.table.P is not None
    np.testing.assert_array_equal(view.table.P.sum(axis=1), 0)
    np.testing.assert_array_equal(view.means, 0)
    assert "every row of X has mean 0" in shown(step=6)


def test_a_raw_index_is_the_mean_of_its_row() -> None:
    """E's rows have mean 0, so the means are the positions 0 to 4, and a LayerNorm subtracts them."""
    view = build(scheme="raw")
    np.testing.assert_allclose(view.means, [0, 1, 2, 3, 4], atol=1e-15)
    assert "Means of the rows of X: 0 to 4" in shown(scheme="raw", step=6)
    centred = view.X - view.X.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centred, build(scheme="none").X, atol=1e-15)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_mean_0_is_said_where_every_mean_is_0_alone(example: str, scheme: str) -> None:
    view = build(example=example, scheme=scheme)
    zero = np.abs(view.X.mean(axis=1)).max() < 1e-12
    assert view.centred == zero
    assert ("used here add up to 0" in shown(example=example, scheme=scheme, step=6)) == zero


def test_the_batch_axis_is_the_shape_of_one_text() -> None:
    assert "(1, 5, 4)" in shown(step=6)
    assert "(1, 5, 4)" in said(step=6)[1]
    assert "(1, 6, 384)" in said(step=6, example="own")[1]


def test_the_mean_of_the_rows_is_one_vector_as_wide_as_a_row() -> None:
    """A sentence embedding pools rows: column means of X of the running example, by hand [-.1,.1,-.2,.2]."""
    view = build()
    np.testing.assert_allclose(view.pooled, [-0.1, 0.1, -0.2, 0.2], atol=1e-15)
    assert "[−0.1, 0.1, −0.2, 0.2]" in shown(step=6)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_row_is_drowned_only_where_something_is_added(example: str, scheme: str, scale: bool) -> None:
    view = build(example=example, scheme=scheme, scale=scale)
    words = shown(example=example, scheme=scheme, scale=scale)
    assert ("the token drowns" in words) == (view.added is not None)
    assert ("multiplied by √D" in words) == scale
    if view.added is not None:
        long = np.linalg.norm(view.rows.astype(float), axis=1).mean()
        assert f"{number(float(long))} long" in words
        assert "16 times as long" in words


def test_what_a_model_does_beside_the_sum_is_said_where_its_words_are_chosen() -> None:
    """MiniLM reduces 30,522 rows to 8,944: cat is row 2836 of these and 4937 of the model's own."""
    for step in range(1, len(STEPS) + 1):
        words = shown(example="own", step=step)
        for fact in ("8,944", "30,522", "2836", "4937", "[CLS]", "segment row", "normalises"):
            assert fact in words
    view = build(example="own")
    assert view.full_ids[1] == 4937
    for key in ("text", "ids", "onehot", "lookup", "sum"):
        assert ROOM.figure(key).numbers(view)[0].rows[1][-1] == 4937
    assert build().full_ids == ()


def test_ids_of_gpt2_are_an_input() -> None:
    """464, 3797, 3332 is ‘The cat sat’: rows of 50,257 numbers of which 50,256 are 0."""
    view = build(example="ids")
    assert view.ids.tolist() == [464, 3797, 3332]
    assert [piece.token for piece in view.pieces] == ["The", " cat", " sat"]
    assert "50,257 numbers: one 1, at the token’s id, and 50,256 zeros" in shown(example="ids", step=3)
    assert (view.one_hot, view.cosines, view.X.shape) == (None, None, (3, 4))
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
    state = {**START, "example": example, "scheme": scheme, "scale": scale, "swap": None}
    view = build(**state)
    names: dict[str, Any] = {}
    first = ROOM.figure(ROOM.opened(state)[0])
    exec(first.code(first.snapshot(state)), names)
    assert names["result"].dtype == view.X.dtype
    np.testing.assert_array_equal(names["result"], view.X)
    batch = ROOM.figure("batch")
    exec(batch.code(batch.snapshot(state)), names)
    assert names["batch"].shape == (1, *view.X.shape)
    np.testing.assert_array_equal(names["batch"][0], view.X)
    np.testing.assert_array_equal(names["means"][0], view.means)


def test_a_text_that_was_cut_off_is_counted_whole() -> None:
    """551 words of four characters are 551 tokens, of which X holds 512."""
    long = {"example": "own", "text": "the " * 551, "step": 1}
    assert "2,204 characters into 551 tokens" in shown(**long)
    assert "551 tokens, of which the first 512 are kept" in said(**long)[0]
    assert "kept" not in said(step=1)[0]


def test_a_swap_goes_when_the_text_becomes_too_short_for_it() -> None:
    """Positions 2 and 5 of five tokens; of two tokens neither list shows position 5 any more."""
    room = ROOM("?swap=2,5&step=6")
    room.state.text = "the cat"
    assert room.state.swap is None
    assert [one.value for one in room._fields["swap"].lists] == [0, 0]
    assert "There is no position 5 to swap: the text has positions 1 to 2." in room._notice.pane.object
    assert room.view["swap"].positions == ()
    assert not room._error.pane.visible
    assert "swap" not in room._address.value
