"""The room `rope`: every number a reader can check by hand, and every way to type nonsense."""

from __future__ import annotations

import contextlib
import math
import re
from typing import Any

import numpy as np
import panel as pn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit import url
from app.kit.html import Markup
from app.kit.numbers import Table
from app.rooms.rope import ROOM
from app.rooms.rope.hands import shade
from app.rooms.rope.model.headed import window_of
from app.rooms.rope.model.typed import numbers_of
from app.rooms.rope.model.views import DRAWS, MOVES, shown_pairs
from app.rooms.rope.room import VIEWS
from app.rooms.rope.storage import Bands
from tests.golden import PRINTED_ATOL, ROTATION_ATOL, entry

KEYS = ROOM.keys()
DEFAULTS = {name: item.default for name, item in url.settings(ROOM.State).items()}
EIGHT = {"turn": "base", "d": 8, "m": 7, "n": 2}
COUNTING = "1, 2, 3, 4, 5, 6, 7, 8"


def rope(key: str = "hands", **changed: Any) -> Any:
    """What a figure shows of a state."""
    return ROOM.figure(key).viewed({**DEFAULTS, **changed})


def caption(key: str = "hands", **changed: Any) -> str:
    return ROOM.figure(key).caption(rope(key, **changed))


def said(key: str = "hands", **changed: Any) -> str:
    """All that a figure says in its picture and below it."""
    figure, view = ROOM.figure(key), rope(key, **changed)
    parts = [part(view) for part in figure.make() if callable(part)]
    return Markup("").join([*parts, " ", figure.caption(view)]).striptags()


def table(title: str, key: str = "hands", **changed: Any) -> Table:
    tables = ROOM.figure(key).numbers(rope(key, **changed))
    return next(one for one in tables if one.title.startswith(title))


@pytest.mark.parametrize(
    ("theta", "m", "n", "move", "wanted"),
    [(0.5, 3, 1, 7, 0.540), (0.5, 4, 1, 0, 0.071), (1.0, 3, 1, 500, -0.416)],
)
def test_equal_unit_vectors_score_the_cosine(theta: float, m: int, n: int, move: int, wanted: float) -> None:
    """q = k = [1, 0]: cos((m - n) theta). cos 1 = .540 at (3, 1) and (10, 8), cos 1.5 = .071 at (4, 1), and
    cos 2 = -.416 at (3, 1) and (503, 501)."""
    view = rope(theta=theta, m=m, n=n, move=move)
    assert view.here.score == pytest.approx(wanted, abs=5e-4)
    assert view.moved.score == pytest.approx(wanted, abs=5e-4)
    assert view.difference < 1e-12
    assert view.places == (m + move, n + move)


def test_a_key_ahead_of_its_query() -> None:
    """q = (1, .5), k = (.8, .2), theta .5: .9 cos((m-n)/2) + (1*.2 - .5*.8) sin((m-n)/2).

    Two positions ahead: .9 cos 1 + .2 sin 1 = .655 at (1, 3) and (11, 13); at the same one .8 + .1 = .9.
    """
    view = rope("score", q="1, .5", k="(.8 .2)", m=1, n=3, move=10)
    assert (view.here.score, view.moved.score) == pytest.approx((0.6546, 0.6546), abs=5e-5)
    assert view.difference < 1e-12
    assert rope(q="1, .5", k=".8, .2", m=4, n=4).here.score == pytest.approx(0.9)
    # the curve runs towards keys ahead, and the marked distance is on it
    assert view.window == range(-31, 1)
    place = view.distance - view.window.start
    assert view.curve.total[place] == pytest.approx(view.moved.score, abs=1e-12)


def test_turning_keeps_norms() -> None:
    """|(1, .5)| = sqrt(1.25) = 1.118 and |(.8, .2)| = sqrt(.68) = .825, before and after."""
    changed = {"q": "1, .5", "k": ".8, .2", "move": 20}
    assert rope(**changed).norms == pytest.approx((1.25**0.5, 1.25**0.5, 0.68**0.5, 0.68**0.5), abs=1e-12)
    assert "|q| 1.118 → 1.118, |k| 0.825 → 0.825" in said(**changed)


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from([{"theta": 0.5}, {"theta": 2.75}, {"turn": "base", "d": 8}, {"turn": "base", "d": 32}]),
    st.sampled_from(MOVES),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_moving_both_leaves_the_score(head: dict[str, Any], move: int, m: int, n: int) -> None:
    view = rope(**head, move=move, m=m, n=n)
    assert view.difference < 1e-12
    assert view.largest < 1e-12
    assert "The score stays" in said(**head, move=move, m=m, n=n)


def test_the_layouts_of_rope_01() -> None:
    """d = 8, base 10,000, q and k from seed 0, (7, 2): -1.142699 interleaved, -1.429814 in halves."""
    values = entry("rope.layout_conversion.d8")["values"]
    own, other = values["score_interleaved"], values["score_half_split_without_permute"]
    for pairing, wanted in (("interleaved", (own, other)), ("half", (other, own))):
        view = rope("layouts", **EIGHT, pairing=pairing)
        found = view.layouts
        got = [float(row[5]) for row in (found.own, found.other, found.reconciled)]
        assert got == view.at == pytest.approx([*wanted, wanted[0]], abs=PRINTED_ATOL)
        assert rope(**EIGHT, pairing=pairing).moved.score == pytest.approx(wanted[0], abs=PRINTED_ATOL)
    assert "gives −1.142699" in caption("layouts", **EIGHT)
    assert "give −1.429814" in caption("layouts", **EIGHT)


def test_the_turned_vectors_of_rope_02() -> None:
    """x = 1..8 at position 10 under both layouts; the norm of both is sqrt(204) = 14.282857."""
    found = table("Vectors", turn="base", q=COUNTING, m=10, n=10)
    rows = {(row[0], row[1]): row[2:] for row in found.rows}
    half = [1.881034, -3.968221, 2.286179, 3.919801, -4.739378, 4.924756, 7.264529, 8.039599]
    interleaved = [0.248971, -2.222164, -1.744977, 4.685622, 4.37602, 6.469192, 6.919652, 8.069599]
    for pairing, wanted in (("half", half), ("interleaved", interleaved)):
        assert rows["q turned to 10", pairing] == pytest.approx([14.282857, *wanted], abs=ROTATION_ATOL)


def test_positions_collide_in_half_precision() -> None:
    """Case rope-06: 769 of the first 4,096 survive bfloat16; case rope-08: 6,145 of 32,768 survive float16.

    bfloat16 keeps 0 to 256 and 128 of each doubling; float16 0 to 2,048 and every other one up to 4,096.
    """
    assert rope("storage").survive == {"bfloat16": 769, "float16": 3_073}
    rows = {row[0]: row[1:] for row in table("Positions that stay apart", "storage").rows}
    assert rows["bfloat16"][:6] == [769, 257 + 7 * 128, 256, 256, 258, 260]
    assert rows["float16"][1] == 6_145
    assert rows["float16"][-2:] == [65_504, math.inf]
    assert rows["float32"][:2] == [4_096, 32_768]
    assert "bfloat16 keeps 769 apart" in caption("storage")


def test_a_stored_position_changes_the_score() -> None:
    """256 and 257 are both 256 in bfloat16: at distance 0 the score is 1 in place of cos .5 = .878."""
    changed = {"m": 7, "n": 6, "move": 250, "precision": "bfloat16"}
    view = rope(**changed)
    assert (view.stored, view.stored_moved) == ((7, 6), (256, 256))
    assert (view.here.score, view.moved.score) == pytest.approx((0.8776, 1.0), abs=5e-5)
    assert not view.exact
    assert "257→ 256" in said(**changed)
    assert "positions round" in said(**changed)
    for key in ("hands", "score"):
        assert "for the program the distance is 0" in caption(key, **changed)
    assert rope(m=7, n=6, move=250, precision="float16").exact


def test_the_score_along_the_first_positions() -> None:
    """At distance 2 and theta .5 the exact score is cos 1; bands hold it, and open at 256 and at 2,048."""
    view = rope("storage")
    assert view.exact == pytest.approx(math.cos(1.0))
    for kind, first in (("bfloat16", 256), ("float16", 2_048)):
        lowest, highest = view.ends[kind]
        width = highest - lowest
        assert (lowest <= view.exact + 1e-12).all()
        # the block before holds a query at 256 + 1 already: distance 2 is not exact there
        np.testing.assert_array_less(width[: first // 32 - 1], 1e-12)
        assert width[first // 32] > 0.5
    assert 0 < view.wrong["float16"] < view.wrong["bfloat16"] < 4_096


def test_pairs_add_up_and_keep_their_shade() -> None:
    view = rope("pairs", **EIGHT)
    assert view.moved.pairs.sum() == pytest.approx(view.moved.score)
    assert view.shown == (0, 1, 2, 3)
    np.testing.assert_allclose(view.shares.sum(axis=0), view.curve.total, rtol=0, atol=1e-12)
    assert "0.264 − 0.302 + 1.213 − 2.317 = −1.143" in caption("pairs", **EIGHT)
    assert [shade(place, 4) for place in range(4)] == pytest.approx([1.0, 0.8, 0.6, 0.4])


def test_of_many_pairs_some_are_shown_from_the_fastest_to_the_slowest() -> None:
    """Each line is the share of its own pair: the place n = m gives q_i . k_i of just these dimensions."""
    assert shown_pairs(64) == (0, 21, 42, 63)
    changed = {"turn": "base", "d": 128, "m": 5, "n": 5, "pairing": "half"}
    view = rope("pairs", **changed)
    q, k = np.array(view.setting.q), np.array(view.setting.k)
    wanted = [q[i] * k[i] + q[i + 64] * k[i + 64] for i in (0, 21, 42, 63)]
    np.testing.assert_allclose(view.shares[:, 0], wanted, rtol=0, atol=1e-12)
    assert "4 of 64 pairs" in said(**changed)


def test_the_average_is_that_of_equal_vectors() -> None:
    """k = q tends to 2 sum_i cos(w_i distance): 2 pairs of d = 4 give 4 at distance 0."""
    average = rope("average", turn="base", d=4).average
    assert average.draws == DRAWS
    wanted = [2 * (math.cos(t) + math.cos(0.01 * t)) for t in range(32)]
    np.testing.assert_allclose(average.expected, wanted, rtol=0, atol=1e-12)
    assert abs(average.apart).max() < 5 * average.error


def test_real_heads_out_to_2047() -> None:
    """Nine heads, distances 1 to 2,047; the last heads of ' people' and ' water' in the table of numbers."""
    heads = rope("heads")
    assert (heads.a, heads.b, heads.scores.shape) == (" people", " water", (9, 2_047))
    np.testing.assert_array_equal(heads.distances, np.arange(1, 2_048))
    assert np.isfinite(heads.scores).all()
    rows = table("Real heads", "heads").rows
    assert rows[-2] == [2_047, *(round(score, 2) for score in heads.scores[:, -1].tolist())]
    assert rows[-1] == ["error", *(round(error, 2) for error in heads.errors.tolist())]
    assert 0.03 < heads.errors.min() < heads.errors.max() < 0.1


@pytest.mark.parametrize(("m", "n", "place"), [(1, 0, 0), (9, 0, 8), (200, 0, 199), (4, 4, 0), (0, 700, 699)])
def test_the_head_that_is_said_to_score_highest_does(m: int, n: int, place: int) -> None:
    scores = rope("heads", m=m, n=n).scores[:, place]
    named = re.search(r"head (\d) scores highest, (−?\d[\d.]*\d)", caption("heads", m=m, n=n))
    assert named
    assert scores[int(named.group(1))] == scores.max() > np.median(scores)
    assert float(named.group(2).replace("−", "-")) == pytest.approx(scores.max(), abs=0.051)
    assert "quantised twice" in caption("heads")


def test_any_word_of_the_pack_may_be_typed() -> None:
    assert rope("heads", a="␣students", b="school").a == " students"
    assert "‘␣students’ looks back at ‘␣school’" in said("heads", a="␣students", b="school")
    same = rope("heads", a="students", b="school", m=9)
    assert same.scores[:, 7] == pytest.approx(rope("heads", a=" students", b=" school").scores[:, 7])


@pytest.mark.parametrize(
    ("distance", "reach", "window"),
    [
        (0, 32, (0, 32)),
        (31, 32, (0, 32)),
        (32, 32, (16, 48)),
        (-32, 32, (-47, -15)),
        (2_047, 2_048, (0, 2_048)),
    ],
)
def test_the_marked_distance_is_always_drawn(distance: int, reach: int, window: tuple[int, int]) -> None:
    found = window_of(distance, reach)
    assert found == range(*window)
    assert distance in found
    assert len(found) == reach


def test_a_window_that_was_moved_says_so() -> None:
    view = rope("score", m=100, n=1)
    assert view.curve.distances[[0, -1]].tolist() == [83, 114]
    assert "83 to 114, lie around it" in caption("score", m=100, n=1)
    assert "lie around it" not in caption("score")


def refusal(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ROOM.viewed({**DEFAULTS, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"q": "1"}, r"q holds 1 number\. RoPE turns pairs"),
        ({"q": "1, 2, 3"}, r"q holds 3 numbers\. RoPE turns pairs"),
        ({"k": "[]"}, "k holds 0 numbers"),
        ({"k": "1, x"}, "k holds ‘x’, which is no number"),
        ({"q": "1, nan"}, "q holds ‘nan’; every number must be finite"),
        ({"q": "1, -inf"}, "q holds ‘-inf’; every number must be finite"),
        ({"q": "1e9, 1"}, "keep each number within ±1,000,000"),
        ({"q": "1 " * 5_000}, "q holds 5,000 numbers; at most 128"),
        ({"q": "1, " + "9" * 9_999}, "q holds ‘9+…’; every number must be finite"),
        ({"q": "<b>, \x00"}, "q holds ‘<b>’, which is no number"),
        ({"q": "1,2,3,4"}, "q holds 4 numbers, but the head is 2 wide. One angle turns one pair"),
        ({"turn": "base", "k": "1, 2"}, "k holds 2 numbers, but the head is 8 wide. Type 8, set d to 2"),
        ({"a": "cat"}, "Word a: ‘cat’ is not among the pack's 1,500 tokens. Near it: .*␣car"),
        ({"b": ""}, "Word b: Type a word"),
    ],
)
def test_nonsense_is_named_with_the_way_out(changed: dict[str, Any], message: str) -> None:
    refusal(changed, message)


@pytest.mark.parametrize("key", KEYS)
def test_only_what_reads_a_vector_refuses_it(key: str) -> None:
    """The mean is drawn, and real heads have queries of their own: both go on."""
    if key in ("average", "heads"):
        assert caption(key, q="1, x")
    else:
        with pytest.raises(ValueError, match="which is no number"):
            rope(key, q="1, x")


@pytest.mark.parametrize("text", ["1, .5", "[1; 0.5]", " 1   .5 ", "(1,0.5)", "1.0,\n5e-1", "1,0.5,"])
def test_numbers_may_be_typed_in_many_ways(text: str) -> None:
    assert numbers_of("q", text) == (1.0, 0.5)


def test_a_typeset_minus_is_a_minus() -> None:
    assert numbers_of("q", "−1, -2") == (-1.0, -2.0)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=40))
def test_any_text_is_numbers_or_a_refusal(text: str) -> None:
    with contextlib.suppress(ValueError):
        values = numbers_of("q", text)
        assert len(values) % 2 == 0
        assert all(math.isfinite(value) for value in values)


CORNERS: list[dict[str, Any]] = [
    {"q": "0, 0", "k": "0, 0"},
    {"theta": 0.0},
    {"theta": 3.2, "m": 0, "n": 2_047},
    {"q": "1000000, -1000000", "k": "1e-9, 0", "move": 1_000},
    {"turn": "base", "d": 2, "base": 100},
    {"turn": "base", "d": 128, "base": 10_000_000, "reach": 2_048, "m": 2_047, "precision": "float16"},
]


@pytest.mark.parametrize("query", [*(f"view={view}" for view in VIEWS), *(f"figure={key}" for key in KEYS)])
def test_corners_can_be_drawn(query: str) -> None:
    room = ROOM(f"?{query}")
    for changed in CORNERS:
        room.state.param.update(**{**DEFAULTS, "view": room.state.view, **changed})
        assert not room._error.pane.visible
        for key in room.view:
            assert "nan" not in said(key, **changed).lower().split()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"q": "1, .5", "k": ".8, .2", "m": 1, "n": 3, "move": 10},
        {**EIGHT, "pairing": "half", "seed": 3},
        {"turn": "base", "d": 8, "q": COUNTING, "m": 300, "n": 1, "precision": "bfloat16"},
        {"a": "king", "b": " The"},
    ],
)
def test_the_code_gives_the_figure(key: str, changed: dict[str, Any]) -> None:
    figure, names = ROOM.figure(key), {}
    exec(compile(figure.code(figure.snapshot({**DEFAULTS, **changed})), key, "exec"), names)
    wanted = np.asarray(figure.code_answer(rope(key, **changed)))
    np.testing.assert_allclose(names["result"], wanted, rtol=1e-6, atol=1e-9)


def test_the_right_answers() -> None:
    """The identity; it stays; two tokens at different positions; 769; only the average falls."""
    asked = ROOM.asked
    assert [question.answer()[0] for question in asked] == [1, 1, 2, 2, 1]
    assert "−0.416 at (3, 1) and −0.416 at (503, 501)" in asked[1].answer()[1]
    assert asked[3].options[2] == "769"


def filled(key: str, **changed: Any) -> list[str]:
    return [one.filled for one in ROOM.figure(key).formula(rope(key, **changed))]


def test_formulas_hold_the_present_numbers() -> None:
    identity, angles = filled("hands", **EIGHT)
    assert identity.endswith("= {-1.143}")
    assert angles == r"\theta = 10000^{-2i/8} = [1, 0.1, 0.01, 0.001]"
    assert filled("score", **EIGHT)[0].startswith("{-1.143} = 0.264")
    assert filled("pairs", **EIGHT)[0].endswith("s_{3} = {-2.317}")
    assert filled("layouts", **EIGHT) == ["{-1.142699} = {-1.142699}"]
    # 2 (cos 15.5 + … ) over one pair: 2 cos 15.5
    assert filled("average")[0].endswith(f"= {{{2 * math.cos(15.5):.3f}}}")
    assert filled("storage") == [r"q^{\top} R_{-2}\, k = 0.54"]


def test_only_what_changed_is_drawn_again() -> None:
    """Moving both changes the hands and the marks; curves and their sources stay the same objects."""
    room = ROOM("?turn=base")
    plots = {
        key: place.figure.plot for key, place in room._places.items() if key in ("score", "pairs", "heads")
    }
    before = {key: plot.lines.data for key, plot in plots.items()}
    marks = plots["score"].marks.data
    room.state.move = 7
    assert all(plots[key].lines.data is data for key, data in before.items())
    assert plots["score"].marks.data is not marks
    assert plots["score"].marks.data["word"] == ["q at 10", "k at 8"]
    room.state.seed = 5
    assert plots["score"].lines.data is not before["score"]
    assert plots["heads"].lines.data is before["heads"]


def controls(room: Any) -> set[str]:
    return {name for name, field in room._fields.items() if field.pane.visible}


def opened(room: Any) -> list[str]:
    return [key for key, place in room._places.items() if place.column.visible]


def test_controls_follow_the_way_angles_are_made() -> None:
    room = ROOM()
    assert "theta" in controls(room)
    assert not {"base", "d", "pairing"} & controls(room)
    assert "layouts" not in opened(room)
    assert room._fields["q"].pane.placeholder == "1, 0"
    room.state.turn = "base"
    assert {"base", "d", "pairing"} <= controls(room)
    assert "theta" not in controls(room)
    assert opened(room) == list(KEYS)
    assert room._fields["q"].pane.placeholder == "drawn"
    room.state.d = 2
    assert "layouts" not in opened(room)


@pytest.mark.parametrize(
    ("view", "without"),
    [
        ("hands", {"a", "b", "head"}),
        ("pairs", {"a", "b", "head"}),
        ("average", {"q", "k", "m", "n", "move", "pairing", "precision", "a", "b", "head"}),
        ("layouts", {"move", "precision", "a", "b", "head"}),
        ("storage", {"move", "precision", "reach", "a", "b", "head"}),
        ("heads", set(DEFAULTS) - {"m", "n", "a", "b", "head", "view"}),
    ],
)
def test_a_view_has_the_controls_that_do_something(view: str, without: set[str]) -> None:
    assert controls(ROOM(f"?turn=base&view={view}")) == set(DEFAULTS) - {"theta"} - without


@pytest.mark.parametrize("key", KEYS)
def test_a_figure_alone_has_the_controls_it_uses(key: str) -> None:
    room = ROOM(f"?turn=base&figure={key}")
    assert controls(room) <= set(ROOM.figure(key).uses)
    assert next(iter(room.view)) == key


def test_a_slider_reaches_as_far_as_the_figure_or_the_position() -> None:
    room = ROOM()
    m, n = (room._fields[name].pane for name in "mn")
    assert m.end == 32
    room.state.reach = 512
    assert (m.end, n.end) == (512, 512)
    room.apply({"m": 600})
    assert (m.end, m.value, n.end) == (2_047, 600, 32)


def test_sliders_over_lists_set_and_follow_the_state() -> None:
    room = ROOM("?turn=base")
    for name, value, after in (("base", 500_000, 1_000_000), ("d", 64, 128), ("reach", 512, 2_048)):
        slider = room._fields[name].pane
        room.state.param.update(**{name: value})
        assert slider.value == value
        slider.value = after
        assert getattr(room.state, name) == after
    assert list(room._fields["base"].pane.options)[2] == "10,000"
    assert not room._error.pane.visible


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "all"])
def test_a_view_can_be_shown_alone(view: str) -> None:
    room = ROOM(f"?turn=base&view={view}")
    shown = ["hands", "score"] if view == "hands" else [view]
    assert opened(room) == shown
    assert list(room.view) == shown
    for key in shown:
        assert room._places[key]._caption.pane.object.count("<p>") == 1


def test_a_picture_of_one_pair_shows_no_other() -> None:
    room = ROOM("?view=layouts")
    assert not room._places["layouts"].figure.plot.pane.visible
    assert "1 pair" in caption("layouts")
    room.state.turn = "base"
    assert room._places["layouts"].figure.plot.pane.visible


def test_hidden_controls_hide_the_words_too() -> None:
    for query, there in (("", True), ("?hide=controls", False)):
        place = ROOM(query)._places["heads"]
        labels = {widget.label for widget in place.column.select(pn.widgets.TextInput)}
        assert ("Word a, the query" in labels) == there


@pytest.mark.parametrize(("query", "words"), [("a=cat", "Near it"), ("q=1,x", "which is no number")])
def test_a_bad_address_keeps_what_can_be_kept(query: str, words: str) -> None:
    room = ROOM(f"?theta=1&m=5&move=21&{query}")
    assert (room.state.theta, room.state.m, room.state.move) == (1.0, 5, 0)
    assert (room.state.a, room.state.q) == ("people", "")
    notices = room._notice.pane.object
    assert words in notices
    assert "move=21" in notices


def test_a_refused_vector_keeps_the_last_picture_and_says_why() -> None:
    room = ROOM()
    before = room.view
    room.state.q = "<img src=x>, 1"
    assert room.view is before
    assert "<img" not in room._error.pane.object
    assert "lab-stale" in room._places["hands"]._picture.css_classes
    room.state.q = "1, 1"
    assert not room._error.pane.visible
    assert room.view["hands"].moved.score == pytest.approx(math.cos(1) - math.sin(1))


def test_advice_is_not_what_the_reader_has_done() -> None:
    assert "Raise d to see" in caption("pairs", turn="base", d=2)
    assert "Take the angles from base and d to see" in caption("pairs")
    assert "keeps swinging" in caption("average")
    assert "keeps swinging" not in caption("average", theta=0.0)
    assert "in place of −2,046" in caption("heads", m=1, n=2047)


def test_no_code_reads_a_file_that_a_reader_does_not_have() -> None:
    for key in KEYS:
        figure = ROOM.figure(key)
        code = figure.code(figure.snapshot(DEFAULTS))
        assert ("from lab.data import smollm2" in code) == (key == "heads")
        assert "static" not in code


def test_the_two_terms_of_the_course() -> None:
    """k = (.8, .2) turned by 1 rad is (.264, .781): 1 · .264 + .5 · .781 = .264 + .391 = .655."""
    for m, n in ((1, 3), (11, 13)):
        changed = {"q": "1, .5", "k": ".8, .2", "m": m, "n": n}
        view = rope(**changed)
        assert view.terms == pytest.approx((0.264, 0.391), abs=5e-4)
        assert sum(view.terms) == pytest.approx(view.moved.score, abs=1e-12)
        assert filled("hands", **changed)[0].endswith("0.264 + 0.391 = 0.655")


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(["interleaved", "half"]),
    st.integers(0, 9_999),
    st.integers(0, 2_000),
    st.integers(0, 2_000),
)
def test_terms_add_up_to_the_score(pairing: str, seed: int, m: int, n: int) -> None:
    """All of the turn left to the key, by the identity R_m^T R_n = R_(n - m)."""
    view = rope(turn="base", pairing=pairing, seed=seed, m=m, n=n)
    assert sum(view.terms) == pytest.approx(view.moved.score, abs=1e-9)


@pytest.mark.parametrize("changed", [{"q": "0, 0"}, {"k": "0, 0"}, {"q": "0, 0", "k": "0, 0"}])
def test_a_vector_of_zeros_has_no_angle(changed: dict[str, Any]) -> None:
    assert not rope(**changed, move=7).moved.angled[0]
    assert "no angle" in caption(**changed, move=7)
    assert "0 rad" not in caption(**changed, move=7)
    assert said(**changed, move=7).count("no angle") > 1
    assert "°" not in said(**changed, move=7)
    pairs = table("Pairs", **changed, move=7)
    cells = dict(zip(pairs.columns, pairs.rows[0], strict=True))
    assert cells["k to q"] == "none"
    assert (cells["q angle"] == "none", cells["k angle"] == "none") == ("q" in changed, "k" in changed)


def test_one_pair_of_zeros_among_others_has_no_angle() -> None:
    changed = {"turn": "base", "d": 4, "q": "0, 0, 1, 2"}
    assert rope(**changed).moved.angled.tolist() == [False, True]
    assert "1 of them with no angle" in caption(**changed)
    assert "cos" not in filled("score", **changed)[0].split("+")[0]


def test_small_vectors_keep_their_angle() -> None:
    """Products of 1e-200 are 0 in float64, the angle between the hands is not."""
    view = rope(q="1e-200, 0", k="1e-200, 0", theta=0.5, m=3, n=1)
    assert float(view.moved.between[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(
    "changed", [{"theta": 3.2}, {"theta": 3.15, "q": "1e6, 1"}, {"turn": "base", "d": 128}]
)
def test_exact_positions_never_round(precision: str, changed: dict[str, Any]) -> None:
    """Angles of 10,000 rad cost float64 some 1e-12: that is no rounding of positions."""
    for m, n in ((2_047, 0), (2_047, 2_046), (3, 2_047)):
        state = {**changed, "m": m, "n": n, "precision": precision, "move": 1_000}
        view = rope(**state)
        assert view.is_rounding(view.largest)
        assert "positions round" not in said(**state)


def test_what_the_pack_leaves_out_is_said_beside_its_words() -> None:
    for fact in ("1,500", "49,152", "letters only", "4 bits"):
        assert fact in said("heads")
    assert "heads" not in opened(ROOM("?view=hands"))


def test_a_move_of_nothing_is_no_row() -> None:
    assert "both + 0" not in said()
    assert "both + 7" in said(move=7)


def test_bands_leave_room_for_their_legend() -> None:
    bands = Bands({"half": ("bfloat16", "warn")}, truth="exact", label="bands")
    # the browser hangs in an area that has no step
    assert len(bands.sources["half"].data["x"]) == 1
    bands.set("half", [0, 32], np.array([-1.0, 0.0]), np.array([1.0, 2.0]))
    bands.set_truth(0.5, 64.0, -1.0, 2.0)
    assert bands.sources["half"].data["high"].tolist() == [1.0, 2.0]
    assert bands.truth.data == {"x": [0.0, 64.0], "y": [0.5, 0.5]}
    assert bands.figure.y_range.start == -1.0
    assert bands.figure.y_range.end == pytest.approx(-1 + 3 / 0.7)
    assert bands.figure.x_range.end == 64.0
