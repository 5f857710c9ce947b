"""The room `order`: the one number, the mask that breaks it, packed documents, and every way to type "
"nonsense."""

from __future__ import annotations

import ast
import html
from typing import Any

import numpy as np
import pytest
from bokeh.models import Range1d

from app.kit.html import Markup, number
from app.kit.shares import percent
from app.rooms.order import ROOM
from app.rooms.order.model import BOUNDARY, MOST_TOKENS, USUAL, Documents, Orders, parse_order
from app.rooms.order.own import DRAWN
from app.rooms.order.source import _literal
from lab.positions import SCHEMES

D, HEADS = DRAWN.D, DRAWN.H
PLACED = [key for key in SCHEMES if key != "none"]


def view(key: str, **changed: Any) -> Any:
    """A figure's view of a state."""
    return ROOM.figure(key).viewed({**USUAL, **changed})


def order(**changed: Any) -> Orders:
    return view("swap", **changed)


def packed(**changed: Any) -> Documents:
    return view("packed", **changed)


def shown(**changed: Any) -> str:
    """All that the room's figures say of a state."""
    return page(**changed).striptags()


def page(**changed: Any) -> Markup:
    said = []
    for kind in ROOM.kinds:
        figure, of = kind(), view(kind.key, **changed)
        said += [part(of) for part in figure.make() if callable(part)]
        said.append(Markup.escape(figure.caption(of)))
    return Markup(" ").join(said)


def ran(key: str, **changed: Any) -> dict[str, Any]:
    """The names that a figure's code leaves."""
    names: dict[str, Any] = {}
    figure = ROOM.figure(key)
    exec(figure.code(figure.snapshot({**USUAL, **changed})), names)
    return names


def test_without_positions_and_mask_the_difference_is_0() -> None:
    """Each output is an average over all tokens with weights that depend on the two tokens alone."""
    for permutation in ("3,2,1", "2,1,3", "3,1,2"):
        view = order(permutation=permutation)
        assert view.found.gap < 1e-12
        assert view.mean_gap < 1e-12
        assert view.blind
    assert "cannot see the order" in shown()


@pytest.mark.parametrize("scheme", PLACED)
def test_with_any_scheme_it_is_not(scheme: str) -> None:
    assert order(scheme=scheme, order="swap").found.gap > 1e-3
    assert "are two sentences now" in shown(scheme=scheme, order="swap")


def test_the_causal_mask_alone_breaks_it() -> None:
    """‘man’ last reads three words; first, in ‘man bites dog’, it reads itself alone."""
    view = order(mask=True)
    assert view.found.gap > 0.1
    assert "The mask alone breaks the symmetry" in shown(mask=True)
    np.testing.assert_array_equal(view.after.weights[:, 0], [[1.0, 0.0, 0.0]] * HEADS)


def test_alibi_without_a_mask_is_blind_to_the_mirror_image() -> None:
    """Its bias is -slope |m - n|, and reversing the text keeps every |m - n|."""
    assert order(scheme="alibi").blind
    assert "a mirror image keeps every distance" in shown(scheme="alibi")
    assert not order(scheme="alibi", mask=True).blind


def test_weights_of_the_permuted_text_are_the_permuted_weights() -> None:
    """P A Pᵀ, head by head."""
    view = order(permutation="3,1,2")
    rows = view.order
    np.testing.assert_allclose(view.after.weights, view.before.weights[:, rows][:, :, rows], atol=1e-14)
    assert view.tokens == ("man", "dog", "bites")


def test_an_order_that_moves_nothing_says_so() -> None:
    assert "moves no token" in shown(permutation="1 2 3", scheme="rope")
    assert "moves no token" in shown(text="dog")


def test_equal_words_may_trade_places_unseen() -> None:
    """Under the causal mask a text of one word repeated has one output throughout."""
    assert "as far as this layer can see" in shown(text="no no no", mask=True)


def test_a_marked_first_token_tells_the_place() -> None:
    """Uniform causal attention averages t tokens at place t, one of which holds 1: 1/t."""
    made = view("marked", places=64)
    np.testing.assert_allclose(made.causal, 1 / np.arange(1, 65), rtol=1e-14)
    np.testing.assert_allclose(made.unmasked, np.full(64, 1 / 64), rtol=1e-14)


@pytest.mark.parametrize("restart", [False, True])
def test_packed_documents_attend_across_the_join_unless_masked(restart: bool) -> None:
    state = {"mask": True, "restart": restart, "scheme": "rope"}
    assert packed(**state).across_second > 0.1
    assert packed(**state).change > 0.1
    assert "of its attention to what stands in front of it" in shown(**state)
    masked = packed(**state, separate=True)
    assert masked.across_second == 0
    assert masked.change < 1e-12
    assert "the largest change is 0" in shown(**state, separate=True)


def test_positions_restart_or_run_on() -> None:
    """Three words and two: 0 1 2 3 4, or 0 1 2 0 1."""
    assert packed().packed.pos.tolist() == [0, 1, 2, 3, 4]
    assert packed(restart=True).packed.pos.tolist() == [0, 1, 2, 0, 1]


def test_masked_documents_still_change_where_positions_run_on_in_the_input() -> None:
    state = {"scheme": "sinusoidal", "separate": True}
    running = packed(**state)
    assert running.across_second == 0
    assert running.change > 1e-3
    assert "its positions begin at 3" in shown(**state)
    assert packed(**state, restart=True).change < 1e-12


def test_orders_as_readers_write_them() -> None:
    for text in ("3,1,2", "3 1 2", "312", " 3; 1;2 "):
        assert parse_order(text, 3) == [2, 0, 1]
    assert order(order="swap").order.tolist() == [1, 0, 2]
    assert order(order="shuffle", seed=5).order.tolist() == order(order="shuffle", seed=5).order.tolist()


@pytest.mark.parametrize(
    "text", ["1,1,2", "0,1,2", "1,2", "1,2,3,4", "four", "1.5,2,3", "-1,2,3", ",", "１²3"]
)
def test_an_order_that_is_none_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="Write each of 1 to 3 once, such as 3,2,1"):
        order(permutation=text)


def test_texts_that_do_not_fit_say_the_limit() -> None:
    with pytest.raises(ValueError, match=r"9 words; this picture takes at most 8. Leave out 1"):
        order(text="a b c d e f g h i")
    with pytest.raises(ValueError, match="The second document has 5 words"):
        packed(second="a b c d e")
    for text in ("   ", "\n\t"):
        with pytest.raises(ValueError, match="holds no word"):
            order(text=text)
    with pytest.raises(ValueError, match="The second document holds no word"):
        packed(second="")


def test_what_is_typed_is_shown_as_text() -> None:
    said = page(text='<img/src=x onerror=alert(1)> "\u202e \ud800 \x00', second="<b>")
    assert "<img" not in said
    assert "<b>'" not in said
    assert "\u202e" not in said
    said.encode()
    for key in ("swap", "rows", "packed"):
        figure = ROOM.figure(key)
        ast.parse(figure.code(figure.snapshot({**USUAL, "text": '"""\n\ud800 \\'})))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("mask", [False, True])
def test_the_code_gives_the_figure(scheme: str, mask: bool) -> None:
    state = {"scheme": scheme, "mask": mask, "seed": 3, "text": "a b a c", "order": "shuffle"}
    for kind in ROOM.kinds:
        answer = kind().code_answer(view(kind.key, **state))
        np.testing.assert_allclose(ran(kind.key, **state)["result"], answer, rtol=0, atol=1e-12)
    gap = order(**state).found.gap
    assert ran("swap", **state)["gap"] == ran("rows", **state)["gap"] == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("restart", [False, True])
def test_the_code_of_packed_documents_gives_share_and_change(
    scheme: str, separate: bool, restart: bool
) -> None:
    state = {"scheme": scheme, "separate": separate, "restart": restart, "boundary": True, "mask": True}
    names, made = ran("packed", **state), packed(**state)
    np.testing.assert_allclose(names["result"], made.weights, rtol=0, atol=1e-12)
    assert names["share"] == pytest.approx(made.across_second, abs=1e-12)
    assert names["change"] == pytest.approx(made.change, abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_scheme_written_as_its_numbers_gives_the_same(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheme the room has never heard of is written out as what its hooks return."""
    monkeypatch.setattr("app.rooms.order.source._HOOKS", {})
    state = {"scheme": scheme, "order": "swap", "restart": True}
    for key in ("swap", "rows", "packed"):
        answer = ROOM.figure(key).code_answer(view(key, **state))
        np.testing.assert_allclose(ran(key, **state)["result"], answer, rtol=0, atol=1e-12)
    made = SCHEMES[scheme].build(D=D, H=HEADS, d=D // HEADS, max_positions=12)
    assert bool(_literal(made, 3, DRAWN)) == (made.enters is not None)


def test_the_questions_are_answered_as_taught() -> None:
    """Blind, seen through the mask, 1/5, blind to the mirror image, across the join, input schemes only."""
    assert [question.answer()[0] for question in ROOM.asked] == [1, 1, 1, 1, 1, 0]


def test_a_choice_takes_the_place_of_what_was_typed() -> None:
    room = ROOM("text=a b&permutation=2,1")
    room.state.order = "swap"
    assert (room.state.text, room.state.permutation) == ("a b", "")
    room.state.permutation = "2,1"
    room.state.sentence = "minus"
    assert (room.state.text, room.state.permutation) == ("", "")
    assert room.view["swap"].words == ("3", "minus", "5")


def test_a_refused_order_keeps_the_last_picture() -> None:
    room = ROOM()
    before, picture = room.view, room._places["swap"]._picture
    room.state.permutation = "9"
    assert room.view is before
    assert "lab-stale" in picture.css_classes
    room.state.permutation = ""
    assert "lab-stale" not in picture.css_classes


def test_hidden_controls_are_hidden_in_the_lower_figures_too() -> None:
    def controls(query: str) -> int:
        return len(ROOM(query).layout.select(lambda part: "lab-labelled" in getattr(part, "css_classes", ())))

    assert controls("") == 4
    assert controls("hide=controls") == 0


def test_the_axis_of_the_marked_sequence_follows_its_length() -> None:
    """A DataRange1d keeps its first limits in the browser, so the range must be a fixed one."""
    room = ROOM()
    curves = room._places["marked"].figure.curves
    room.state.places = 20
    axis = curves.figure.x_range
    assert isinstance(axis, Range1d)
    assert (axis.start, axis.end) == (0.5, 20.5)
    assert list(curves.sources["causal"].data["x"]) == list(range(1, 21))


def test_equal_words_that_trade_places_are_no_two_sentences() -> None:
    masked = shown(text="dog bites dog", mask=True)
    assert "two sentences" not in masked
    assert "position decides what each gets" in masked
    assert "one set of words" not in shown(text="dog dog dog")


@pytest.mark.parametrize(
    ("scheme", "told"),
    [("learned", "where each token stands"), ("rope", "which comes first"), ("alibi", "how far apart")],
)
def test_what_a_scheme_tells_is_what_it_knows(scheme: str, told: str) -> None:
    assert told in shown(scheme=scheme, mask=True)


def test_a_recurrent_layer_notices_every_order() -> None:
    """Its state after a token depends on all that came before."""
    for choice in ("reverse", "swap", "shuffle"):
        view = order(order=choice)
        assert view.blind
        assert view.recurrent_gap > 0.1
        assert f"differs by {number(view.recurrent_gap)}" in shown(order=choice)
    assert order(permutation="1,2,3").recurrent_gap == 0


def test_a_boundary_token_alone_stops_nothing() -> None:
    """It takes a position and a share of the attention; only the mask brings the share across to 0."""
    state = {"mask": True, "boundary": True}
    plain, bounded = packed(mask=True), packed(**state)
    assert bounded.tokens[3] == BOUNDARY
    assert bounded.packed.pos.tolist() == [0, 1, 2, 3, 4, 5]
    assert bounded.packed.documents.tolist() == [0, 0, 0, 0, 1, 1]
    assert bounded.across_second > plain.across_second > 0
    share = bounded.to_boundary
    assert share is not None
    assert 0 < share < bounded.across_second
    assert f"{BOUNDARY} takes {percent(share)} of it" in html.unescape(shown(**state))
    masked = packed(**state, separate=True)
    assert masked.across_second == masked.to_boundary == 0
    longest = packed(text="a b c d e f g h", second="i j k l", boundary=True, scheme="learned")
    assert longest.packed.pos.tolist() == list(range(MOST_TOKENS))


def test_one_word_has_one_position() -> None:
    assert "1 token " in shown(text="a")
    with pytest.raises(ValueError, match=r"not an order of 1 position\. Write 1, the only one"):
        order(text="a", permutation="x")


def test_a_mask_that_is_on_is_not_advised() -> None:
    """One word said twice is blind under the mask too: every value is the same."""
    view = order(text="no no", scheme="alibi", mask=True)
    assert view.blind
    assert view.mirrored
    assert "switch it on" not in shown(text="no no", scheme="alibi", mask=True)
    assert "switch it on" in shown(text="no yes", scheme="alibi")


def test_a_whole_state_is_set_as_it_is() -> None:
    """What was typed goes when a reader chooses something else, and stays where the state names both."""
    room = ROOM("text=cat&permutation=1")
    wanted = room.values() | {"sentence": "minus", "order": "shuffle", "text": "man", "permutation": "1"}
    room.apply(wanted)
    assert room.values() == wanted
    room.state.order = "swap"
    assert room.state.permutation == ""


def test_the_row_that_differs_most_is_named() -> None:
    """Under the causal mask ‘man’ reads three words where it stands last, and itself alone where first."""
    gaps = abs(order(mask=True).difference[:, :2]).max(axis=1)
    assert gaps.argmax() == 0
    assert f"differ by up to {number(gaps[0])}, most at position 1: ‘man’, which was at 3" in shown(mask=True)
    assert "the largest difference is 0" in shown()


def test_settings_begin_at_what_is_usual() -> None:
    assert ROOM().values() == USUAL
