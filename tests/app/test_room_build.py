"""The room `build`: every number a reader can check by hand, and every way to type nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.kit.figure import Snapshot
from app.kit.html import Markup
from app.rooms.build import ROOM
from app.rooms.build.model import USUAL, Built
from app.rooms.build.room import STEPS
from lab.geometry import cosine

START: dict[str, Any] = {**USUAL, "step": 5}


def build(**changed: Any) -> Built:
    """X and all that leads to it."""
    return Built(Snapshot({**START, **changed}))


def written(**changed: Any) -> str:
    """The HTML of all figures that are open in a state."""
    room = ROOM()
    room.apply(changed)
    assert not room._error.pane.visible, room._error.pane.object
    return "".join(str(part) for key in room.view for part in room._places[key].shown.html)


def shown(**changed: Any) -> str:
    """The same as words."""
    return Markup(written(**changed)).striptags()


def said(**changed: Any) -> list[str]:
    """The captions of all figures that are open in a state."""
    views = ROOM.viewed({**START, **changed})
    return [ROOM.figure(key).caption(view) for key, view in views.items()]


def test_ids_of_the_running_example() -> None:
    """Greedy longest match: the | ␣cat | ␣climb | ed | ␣the are entries 0, 2, 4, 5 and 1."""
    assert build().ids.tolist() == [0, 2, 4, 5, 1]


def test_x_of_the_running_example() -> None:
    """E[ids] + P, by hand: ␣cat [1,-.5,0,-.5] + P_2 [.5,0,-.5,0] = [1.5,-.5,-.5,-.5], and so on."""
    expected = [
        [-0.5, -0.5, 0, 1],
        [1.5, -0.5, -0.5, -0.5],
        [-0.5, 1.5, 0, -1],
        [-0.5, 0.5, 0, 0],
        [-0.5, -0.5, -0.5, 1.5],
    ]
    np.testing.assert_array_equal(build().X, expected)


def test_a_swap_without_positions_only_trades_two_rows() -> None:
    """Rows depend on the token alone, so a swap permutes them and changes no number."""
    state: dict[str, Any] = {"scheme": "none", "swap": (2, 3)}
    view = build(**state)
    assert view.difference == 0
    np.testing.assert_array_equal(view.after, view.X[[0, 2, 1, 3, 4]])
    for step in (5, 6):
        assert "only trades two rows of X; no number changes" in shown(**state, step=step)


def test_a_swap_with_learned_positions_changes_the_rows() -> None:
    """␣cat at position 3: [1,-.5,0,-.5] + P_3 [0,.5,0,-.5] = [1,0,0,-1]; at position 2 it was another row."""
    view = build(swap=(2, 3))
    assert view.after is not None
    np.testing.assert_array_equal(view.after[2], [1, 0, 0, -1])
    assert view.difference == 0.5
    for step in (5, 6):
        assert "‘␣cat’ at position 3 is [1, 0, 0, −1]" in shown(swap=(2, 3), step=step)


def test_sinusoidal_rows_of_width_4_count_from_0() -> None:
    """sin p, cos p, sin p/100, cos p/100 for p = 0, 1, 2, 3."""
    view = build(scheme="sinusoidal")
    expected = [
        [0, 1, 0, 1],
        [0.841, 0.540, 0.010, 1.000],
        [0.909, -0.416, 0.020, 1.000],
        [0.141, -0.990, 0.030, 1.000],
    ]
    assert view.added is not None
    np.testing.assert_allclose(view.added[:4], expected, atol=5e-4)
    assert "counted from 0" in shown(scheme="sinusoidal")
    assert "counted from 1" in shown()


def test_one_hot_times_the_table() -> None:
    """one-hot(2) has its 1 in column 2, so the product is row 2: [.5, .9, -.2]."""
    view = build(example="onehot", scheme="none")
    assert view.ids.tolist() == [2]
    np.testing.assert_array_equal(view.X, [[0.5, 0.9, -0.2]])
    assert view.lookup_equals_product


def test_the_finance_tokens() -> None:
    """save invest fund are ids 1, 2, 4; the angles of the chosen rows are .92 and -.88 as cosines."""
    view = build(example="finance", scheme="none")
    E = view.table.E
    assert view.ids.tolist() == [1, 2, 4]
    assert cosine(E[1], E[2]) == pytest.approx(0.92, abs=5e-4)
    assert cosine(E[1], E[0]) == pytest.approx(-0.88, abs=5e-4)
    words = shown(example="finance", step=4)
    assert "cos(save, invest) = 0.92" in words
    assert "cos(spend, save) = −0.88" in words
    tables = ROOM.figure("lookup").numbers(view)
    table = next(table for table in tables if table.title.startswith("Cosines"))
    assert table.rows[1][3] == pytest.approx(0.92, abs=5e-4)


def test_the_scale_is_the_root_of_the_width() -> None:
    """√4 = 2 doubles each row; √512 = 22.627, said as 22.6."""
    view = build(scale=True, scheme="none")
    np.testing.assert_array_equal(view.X, 2 * view.table.E[view.ids])
    assert "22.6" in shown(scale=True, scheme="none")


def test_arithmetic_on_ids_means_nothing() -> None:
    """(464 + 3332) / 2 = 1898, some other token; here (0 + 2) / 2 = 1 is ␣the."""
    words = shown(step=2)
    assert "the mean of 464 and 3332 is 1898" in words
    assert "the mean of 0 and 2 is 1, ‘␣the’, some other token" in words


def test_one_hot_rows_of_different_tokens_are_orthogonal() -> None:
    view = build()
    assert view.one_hot is not None
    np.testing.assert_array_equal(view.one_hot @ view.one_hot.T, np.eye(5))
    assert "agree bit for bit on all 5 tokens" in shown(step=3)


def test_the_same_id_gets_the_same_row_wherever_it_stands() -> None:
    text = "the cat climbed the cat"
    view = build(text=text)
    assert view.repeated == (2, 6)
    np.testing.assert_array_equal(view.rows[1], view.rows[5])
    assert "gets the same row at each of them" in shown(text=text, step=4)


@pytest.mark.parametrize(
    ("scheme", "words"),
    [
        ("none", "Nothing is added anywhere"),
        ("rope", "turns queries and keys"),
        ("alibi", "by distance instead"),
    ],
)
def test_a_scheme_that_adds_nothing_says_where_it_acts(scheme: str, words: str) -> None:
    view = build(scheme=scheme)
    assert view.added is None
    np.testing.assert_array_equal(view.X, view.rows)
    assert words in shown(scheme=scheme)


def test_the_width_stays_the_same_on_the_residual_stream() -> None:
    assert "its width stays D = 4" in shown(step=6)


def test_own_text_through_the_real_table() -> None:
    """Pieces carry ## and the words they come from; a word of the table is one piece."""
    state = {"example": "own", "text": "The cat unembedded the zyzzyva."}
    view = build(**state)
    assert view.X.shape == (len(view.ids), 384)
    tokens = [piece.token for piece in view.pieces]
    assert tokens[:2] == ["the", "cat"]
    assert any(token.startswith("##") for token in tokens)
    for step in range(1, 7):
        assert "word piece" in shown(**state, step=step)


def test_nine_tokens_with_eight_learned_rows_are_refused_with_the_limit() -> None:
    with pytest.raises(ValueError, match="8"):
        build(text="the cat climbed the roof the cat climbed")


def test_a_word_outside_the_table_lists_the_tokens_there_are() -> None:
    with pytest.raises(ValueError, match="zebra") as refused:
        build(text="the zebra")
    assert "<|endoftext|>" in str(refused.value)


def test_a_long_own_text_says_how_many_tokens_were_dropped() -> None:
    """len-01: 551 pieces, limit 512, 39 dropped."""
    view = build(example="own", text="the " * 551)
    assert (len(view.ids), view.dropped) == (512, 39)
    assert "39 of 551 tokens dropped" in shown(example="own", text="the " * 551)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000,
        "the cat " * 1_250,
        "\x00\x1b[31m cat",
        "<img src=x onerror=alert(1)>",
        "<pad> [CLS] ##s",
        "🙂 👩‍👩‍👧 cat",
        "قطة على السطح",
        "猫が好き",
        "\ud800 cat",
    ],
)
@pytest.mark.parametrize("step", range(1, len(STEPS) + 1))
def test_any_text_becomes_x_and_never_html(text: str, step: int) -> None:
    view = build(example="own", text=text)
    assert np.isfinite(view.X).all()
    assert len(view.ids) == len(view.X) > 0
    html = written(example="own", text=text, step=step)
    assert "<img" not in html
    assert "<pad>" not in html
    assert all(caption.endswith(".") for caption in said(example="own", text=text, step=step))


@pytest.mark.parametrize("text", ["   ", "\n\t", "\u200b"])
def test_a_text_without_a_token_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="no token"):
        build(example="own", text=text)


@pytest.mark.parametrize("swap", [(0, 1), (2, 6), (-1, 2)])
def test_a_swap_outside_the_text_names_the_positions_there_are(swap: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="positions 1 to 5"):
        _ = build(swap=swap).positions


@pytest.mark.parametrize("swap", [None, (2, 2), (1, 2), (2, 3)])
@pytest.mark.parametrize("example", ["running", "onehot", "finance", "own"])
@pytest.mark.parametrize("scheme", ["none", "raw", "sinusoidal", "learned", "rope", "alibi"])
def test_every_step_of_every_example_can_be_drawn(example: str, scheme: str, swap: Any) -> None:
    if example == "onehot":
        swap = None
    room = ROOM()
    for step in range(1, len(STEPS) + 1):
        room.apply({"example": example, "scheme": scheme, "swap": swap, "step": step})
        assert not room._error.pane.visible
        assert tuple(room.view) == list(STEPS.values())[step - 1]
        assert all(room._places[key].shown.html for key in room.view)


def test_a_bad_address_keeps_what_can_be_kept() -> None:
    room = ROOM("?scheme=sinusoidal&swap=99,1&step=77")
    assert room.state.scheme == "sinusoidal"
    assert room.state.swap is None
    assert room.state.step == 5
    notices = room._notice.pane.object
    assert "There is no position 99" in notices
    assert "step=77" in notices


def test_two_bad_values_fall_back_together_and_the_good_one_stays() -> None:
    room = ROOM("?text=zebra&swap=99,1&scheme=sinusoidal")
    assert (room.state.text, room.state.swap, room.state.scheme) == ("", None, "sinusoidal")
    notices = room._notice.pane.object
    assert "zebra" in notices
    assert "There is no position 99" in notices


def test_a_refused_text_keeps_the_last_picture_and_says_why() -> None:
    room = ROOM()
    before = room.view
    room.state.text = "the zebra"
    assert room.view is before
    assert "zebra" in room._error.pane.object
    assert "lab-stale" in room._places["sum"]._picture.css_classes
    room.state.text = "the dog"
    assert not room._error.pane.visible
    assert "lab-stale" not in room._places["sum"]._picture.css_classes


def test_the_controls_follow_the_state_and_set_it() -> None:
    """ui-03: presets and addresses must recompute though nobody touched a slider."""
    room = ROOM("?swap=2,3")
    first, second = room._fields["swap"].lists
    steps = room._fields["step"]
    assert (first.value, second.value) == (2, 3)
    first.value = 1
    assert room.state.swap == (1, 3)
    second.value = 0
    assert room.state.swap is None
    assert first.value == 1
    second.value = 2
    assert room.state.swap == (1, 2)
    room.apply({"step": 6})
    assert (room.state.swap, first.value, second.value) == (None, 0, 0)
    steps.next.clicks += 1
    assert room.state.step == 6
    steps.back.clicks += 1
    assert room.state.step == 5
    assert list(room.view) == ["sum"]
    assert "Step 5 of 6" in steps.pane[0][0].object


def test_more_tokens_than_learned_rows_are_counted_as_the_page_counts() -> None:
    with pytest.raises(
        ValueError, match=r"has 10 tokens, but the learned table has rows for 8 positions\. Shorten"
    ):
        build(text="the cat climbed the cat climbed the cat")
    # all tokens are counted, not those that could be kept
    with pytest.raises(ValueError, match=r"has 601 tokens"):
        build(text="the" + " cat" * 600)
    assert "1 word, into 1 token." in shown(text="the", step=1)
