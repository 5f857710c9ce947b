"""The room `rope`: every number a reader can check by hand, and every way to type nonsense."""

from __future__ import annotations

import contextlib
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.html import Markup
from app.rooms.rope import ROOM, sections, stage
from app.rooms.rope.compute import DEFAULTS, VIEWS, View, compute
from app.rooms.rope.parts import DRAWS, MOVES, shown_pairs, window_of
from app.rooms.rope.quiz import questions
from app.rooms.rope.typed import numbers_of
from tests.golden import PRINTED_ATOL, ROTATION_ATOL, entry

DATA = Path(__file__).resolve().parents[2] / "static" / "data"
EIGHT = {"turn": "base", "d": 8, "m": 7, "n": 2}
COUNTING = "1, 2, 3, 4, 5, 6, 7, 8"


def rope(**changed: Any) -> View:
    return compute(**{**DEFAULTS, **changed})


def said(view: View) -> str:
    parts = [stage.hands(view), *(sections.section(view, name) for name in sections.SENTENCES)]
    return Markup("").join(parts).striptags()


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

    Two places ahead: .9 cos 1 + .2 sin 1 = .655 at (1, 3) and (11, 13); at the same place .8 + .1 = .9.
    """
    view = rope(q="1, .5", k="(.8 .2)", m=1, n=3, move=10)
    assert (view.here.score, view.moved.score) == pytest.approx((0.6546, 0.6546), abs=5e-5)
    assert view.difference < 1e-12
    assert rope(q="1, .5", k=".8, .2", m=4, n=4).here.score == pytest.approx(0.9)
    # the curve runs towards keys ahead, and the marked distance is on it
    assert view.window == (-31, 1)
    place = view.distance - view.window.start
    assert view.curve.total[place] == pytest.approx(view.moved.score, abs=1e-12)


def test_turning_keeps_norms() -> None:
    """|(1, .5)| = sqrt(1.25) = 1.118 and |(.8, .2)| = sqrt(.68) = .825, before and after."""
    view = rope(q="1, .5", k=".8, .2", move=20)
    assert view.norms == pytest.approx((1.25**0.5, 1.25**0.5, 0.68**0.5, 0.68**0.5), abs=1e-12)
    assert "|q| 1.118 → 1.118, |k| 0.825 → 0.825" in said(view)


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
    assert "The score stays" in said(view)


def test_the_layouts_of_rope_01() -> None:
    """d = 8, base 10,000, q and k from seed 0, (7, 2): -1.142699 interleaved, -1.429814 in halves."""
    values = entry("rope.layout_conversion.d8")["values"]
    own, other = values["score_interleaved"], values["score_half_split_without_permute"]
    for pairing, wanted in (("interleaved", (own, other)), ("half", (other, own))):
        view = rope(**EIGHT, pairing=pairing)
        layouts = view.curve.layouts
        got = [float(row[5]) for row in (layouts.own, layouts.other, layouts.reconciled)]
        assert got == pytest.approx([*wanted, wanted[0]], abs=PRINTED_ATOL)
        assert view.moved.score == pytest.approx(wanted[0], abs=PRINTED_ATOL)
    assert "gives −1.142699" in said(rope(**EIGHT))
    assert "give −1.429814" in said(rope(**EIGHT))


def test_the_turned_vectors_of_rope_02() -> None:
    """x = 1..8 at place 10 under both layouts; the norm of both is sqrt(204) = 14.282857."""
    view = rope(turn="base", q=COUNTING, m=10, n=10)
    table = next(table for table in ROOM.numbers(view) if table.title == "Vectors")
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    half = [1.881034, -3.968221, 2.286179, 3.919801, -4.739378, 4.924756, 7.264529, 8.039599]
    interleaved = [0.248971, -2.222164, -1.744977, 4.685622, 4.37602, 6.469192, 6.919652, 8.069599]
    for pairing, wanted in (("half", half), ("interleaved", interleaved)):
        assert rows["q turned to 10", pairing] == pytest.approx([14.282857, *wanted], abs=ROTATION_ATOL)


def test_positions_collide_in_half_precision() -> None:
    """Case rope-06: 769 of the first 4,096 survive bfloat16; case rope-08: 6,145 of 32,768 survive float16.

    bfloat16 keeps 0 to 256 and 128 of each doubling; float16 0 to 2,048 and every other place up to 4,096.
    """
    view = rope()
    assert view.storage.survive == {"bfloat16": 769, "float16": 3_073}
    table = next(table for table in ROOM.numbers(view) if table.title == "Positions that stay apart")
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["bfloat16"][:6] == [769, 257 + 7 * 128, 256, 256, 258, 260]
    assert rows["float16"][1] == 6_145
    assert rows["float16"][-2:] == [65_504, math.inf]
    assert "bfloat16 keeps 769 apart" in said(view)


def test_a_stored_place_changes_the_score() -> None:
    """256 and 257 are both 256 in bfloat16: at distance 0 the score is 1 in place of cos .5 = .878."""
    view = rope(m=7, n=6, move=250, precision="bfloat16")
    assert (view.stored, view.stored_moved) == ((7, 6), (256, 256))
    assert (view.here.score, view.moved.score) == pytest.approx((0.8776, 1.0), abs=5e-5)
    assert not view.exact
    assert "257→ 256" in said(view)
    assert "positions round" in said(view)
    assert "for the program the distance is 0" in ROOM.describe(view)
    assert rope(m=7, n=6, move=250, precision="float16").exact


def test_the_score_along_the_first_places() -> None:
    """At distance 2 and theta .5 the exact score is cos 1; bands hold it, and open at 256 and at 2,048."""
    storage = rope().storage
    assert storage.exact == pytest.approx(math.cos(1.0))
    for kind, first in (("bfloat16", 256), ("float16", 2_048)):
        width = storage.highest[kind] - storage.lowest[kind]
        assert (storage.lowest[kind] <= storage.exact + 1e-12).all()
        # the block before holds a query at 256 + 1 already: distance 2 is not exact there
        np.testing.assert_array_less(width[: first // 32 - 1], 1e-12)
        assert width[first // 32] > 0.5
    assert 0 < storage.wrong["float16"] < storage.wrong["bfloat16"] < 4_096


def test_pairs_add_up_and_keep_their_shade() -> None:
    view = rope(**EIGHT)
    assert view.moved.pairs.sum() == pytest.approx(view.moved.score)
    assert view.curve.shown == (0, 1, 2, 3)
    np.testing.assert_allclose(view.curve.pairs.sum(axis=0), view.curve.total, rtol=0, atol=1e-12)
    assert "0.264 − 0.302 + 1.213 − 2.317 = −1.143" in said(view)
    assert [stage.shade(place, 4) for place in range(4)] == pytest.approx([1.0, 0.8, 0.6, 0.4])


def test_of_many_pairs_some_are_shown_from_the_fastest_to_the_slowest() -> None:
    """Each line is the share of its own pair: the place n = m gives q_i . k_i of just these dimensions."""
    assert shown_pairs(64) == (0, 21, 42, 63)
    view = rope(turn="base", d=128, m=5, n=5, pairing="half")
    q, k = np.array(view.setting.q), np.array(view.setting.k)
    wanted = [q[i] * k[i] + q[i + 64] * k[i + 64] for i in (0, 21, 42, 63)]
    np.testing.assert_allclose(view.curve.pairs[:, 0], wanted, rtol=0, atol=1e-12)
    assert "4 of 64 pairs" in said(view)


def test_the_average_is_that_of_equal_vectors() -> None:
    """k = q tends to 2 sum_i cos(w_i distance): 2 pairs of d = 4 give 4 at distance 0."""
    view = rope(turn="base", d=4)
    assert view.average.draws == DRAWS
    wanted = [2 * (math.cos(t) + math.cos(0.01 * t)) for t in range(32)]
    np.testing.assert_allclose(view.average.expected, wanted, rtol=0, atol=1e-12)
    assert abs(view.average.apart).max() < 5 * view.average.error


def test_real_heads_out_to_2047() -> None:
    """Nine heads, distances 1 to 2,047; the last heads of ' people' and ' water' in the table of numbers."""
    heads = rope().heads
    assert (heads.a, heads.b, heads.scores.shape) == (" people", " water", (9, 2_047))
    np.testing.assert_array_equal(heads.distances, np.arange(1, 2_048))
    assert np.isfinite(heads.scores).all()
    table = next(table for table in ROOM.numbers(rope()) if table.title.startswith("Real heads"))
    assert table.rows[-2] == [2_047, *(round(score, 2) for score in heads.scores[:, -1].tolist())]
    assert table.rows[-1] == ["error", *(round(error, 2) for error in heads.errors.tolist())]
    assert 0.03 < heads.errors.min() < heads.errors.max() < 0.1


@pytest.mark.parametrize(("m", "n", "place"), [(1, 0, 0), (9, 0, 8), (200, 0, 199), (4, 4, 0), (0, 700, 699)])
def test_the_head_that_is_said_to_score_highest_does(m: int, n: int, place: int) -> None:
    view = rope(view="heads", m=m, n=n)
    scores = view.heads.scores[:, place]
    named = re.search(r"head (\d) scores highest, (−?\d[\d.]*\d)", sections.heads(view))
    assert named
    assert scores[int(named.group(1))] == scores.max() > np.median(scores)
    assert float(named.group(2).replace("−", "-")) == pytest.approx(scores.max(), abs=0.051)
    assert "quantised twice" in said(rope())


def test_any_word_of_the_pack_may_be_typed() -> None:
    assert rope(a="␣students", b="school").heads.a == " students"
    same = rope(a="students", b="school", m=9).heads
    assert same.scores[:, 7] == pytest.approx(rope(a=" students", b=" school").heads.scores[:, 7])


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
    assert found == window
    assert found.start <= distance < found.stop
    assert found.stop - found.start == reach


def test_a_window_that_was_moved_says_so() -> None:
    view = rope(m=100, n=1)
    assert view.curve.distances[[0, -1]].tolist() == [83, 114]
    assert "Drawn are distances 83 to 114 around it." in ROOM.describe(view)


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
    with pytest.raises(ValueError, match=message):
        rope(**changed)


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


@pytest.mark.parametrize(
    "changed",
    [
        {"q": "0, 0", "k": "0, 0"},
        {"theta": 0.0},
        {"theta": 3.2, "m": 0, "n": 2_047},
        {"q": "1000000, -1000000", "k": "1e-9, 0", "move": 1_000},
        {"turn": "base", "d": 2, "base": 100},
        {"turn": "base", "d": 128, "base": 10_000_000, "reach": 2_048, "m": 2_047, "precision": "float16"},
    ],
)
@pytest.mark.parametrize("view", VIEWS)
def test_corners_can_be_drawn(changed: dict[str, Any], view: str) -> None:
    made = rope(**changed, view=view)
    assert "nan" not in said(made).lower().split()
    room = ROOM()
    room.apply({**changed, "view": view})
    assert not room._error.pane.visible


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"q": "1, .5", "k": ".8, .2", "m": 1, "n": 3, "move": 10},
        {**EIGHT, "pairing": "half", "seed": 3},
        {"turn": "base", "d": 8, "q": COUNTING, "m": 300, "n": 1, "precision": "bfloat16"},
        {"a": "king", "b": " The", "view": "heads"},
    ],
)
def test_the_code_gives_the_figures(changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA.parents[1])
    names: dict[str, Any] = {}
    exec(compile(ROOM.code(**{**DEFAULTS, **changed}), "room", "exec"), names)
    np.testing.assert_allclose(names["result"], ROOM.code_answer(rope(**changed)), rtol=1e-6, atol=1e-9)


def test_the_right_answers() -> None:
    """The identity; it stays; two tokens at different places; 769; only the average falls."""
    asked = questions()
    assert [question.answer()[0] for question in asked] == [1, 1, 2, 2, 1]
    assert "−0.416 at (3, 1) and −0.416 at (503, 501)" in asked[1].answer()[1]
    assert asked[3].options[2] == "769"


def test_formulas_hold_the_present_numbers() -> None:
    identity, total, angles = ROOM.formula(rope(**EIGHT))
    assert identity.filled.endswith("= {-1.143}")
    assert total.filled.startswith("{-1.143} = 0.264")
    assert angles.filled == r"\theta = 10000^{-2i/8} = [1, 0.1, 0.01, 0.001]"


def test_only_what_changed_is_drawn_again() -> None:
    """Moving both places changes the hands and the marks; curves and their sources stay the same objects."""
    room = ROOM("?turn=base")
    sources = {name: getattr(plot, "lines", None) for name, plot in room._plots.items()}
    before = {name: source.data for name, source in sources.items() if source}
    marks = room._plots["curve"].marks.data
    room.state.move = 7
    assert all(sources[name].data is data for name, data in before.items())
    assert room._plots["curve"].marks.data is not marks
    assert room._plots["curve"].marks.data["word"] == ["q at 10", "k at 8"]
    room.state.seed = 5
    assert sources["curve"].data is not before["curve"]
    assert sources["heads"].data is before["heads"]


def test_controls_follow_the_way_angles_are_made() -> None:
    room = ROOM()
    shown = {name for name, control in room._by_name.items() if control.visible}
    assert "theta" in shown
    assert not {"base", "d", "pairing"} & shown
    assert not room._plots["layouts"].pane.visible
    room.state.turn = "base"
    shown = {name for name, control in room._by_name.items() if control.visible}
    assert {"base", "d", "pairing"} <= shown
    assert "theta" not in shown
    assert room._plots["layouts"].pane.visible


def test_a_slider_reaches_as_far_as_the_figure_or_the_place() -> None:
    room = ROOM()
    assert room._m.end == 32
    room.state.reach = 512
    assert (room._m.end, room._n.end) == (512, 512)
    room.apply({"m": 600})
    assert (room._m.end, room._m.value, room._n.end) == (2_047, 600, 32)


@pytest.mark.parametrize("view", VIEWS[1:])
def test_a_view_can_be_shown_alone(view: str) -> None:
    room = ROOM(f"?turn=base&view={view}")
    shown = {name for name, plot in room._plots.items() if plot.pane.visible}
    assert shown == {"hands": {"curve"}}.get(view, {view})
    assert room._words.visible == (view == "heads")
    assert room._caption.pane.object.count("<p>") == 1


def test_hidden_controls_hide_the_words_too() -> None:
    assert ROOM().view.shows("heads")
    assert ROOM()._words.visible
    assert not ROOM("?hide=controls")._words.visible


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
    assert "lab-stale" in room.figures[0].css_classes
    room.state.q = "1, 1"
    assert not room._error.pane.visible
    assert room.view.moved.score == pytest.approx(math.cos(1) - math.sin(1))


def test_advice_is_not_what_the_reader_has_done() -> None:
    assert "Raise d to see" in said(rope(turn="base", d=2))
    assert "Take the angles from base and d to see" in said(rope())
    assert "swings for ever" not in said(rope(theta=0.0))
    assert "in place of −2,046" in said(rope(m=1, n=2047))


def test_the_code_of_the_score_needs_no_file() -> None:
    assert "np.load" not in ROOM.code(**DEFAULTS)
    assert "np.load" in ROOM.code(**{**DEFAULTS, "view": "heads"})


def test_the_two_terms_of_the_course() -> None:
    """k = (.8, .2) turned by 1 rad is (.264, .781): 1 · .264 + .5 · .781 = .264 + .391 = .655."""
    for m, n in ((1, 3), (11, 13)):
        view = rope(q="1, .5", k=".8, .2", m=m, n=n)
        assert view.terms == pytest.approx((0.264, 0.391), abs=5e-4)
        assert sum(view.terms) == pytest.approx(view.moved.score, abs=1e-12)
        assert ROOM.formula(view)[0].filled.endswith("0.264 + 0.391 = 0.655")


@pytest.mark.parametrize("changed", [{"q": "0, 0"}, {"k": "0, 0"}, {"q": "0, 0", "k": "0, 0"}])
def test_a_vector_of_zeros_has_no_angle(changed: dict[str, Any]) -> None:
    view = rope(**changed, move=7)
    assert not view.angled
    assert "no angle" in ROOM.describe(view)
    assert "0 rad" not in ROOM.describe(view)
    assert "no angle" in said(view)
    assert "°" not in said(view)
    pairs = next(table for table in ROOM.numbers(view) if table.title.startswith("Pairs"))
    cells = dict(zip(pairs.columns, pairs.rows[0], strict=True))
    assert cells["k to q"] == "none"
    assert (cells["q angle"] == "none", cells["k angle"] == "none") == ("q" in changed, "k" in changed)


def test_one_pair_of_zeros_among_others_has_no_angle() -> None:
    view = rope(turn="base", d=4, q="0, 0, 1, 2")
    assert view.moved.angled.tolist() == [False, True]
    assert "1 of them with no angle" in ROOM.describe(view)
    assert "cos" not in ROOM.formula(view)[1].filled.split("+")[0]


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
        view = rope(**changed, m=m, n=n, precision=precision, move=1_000)
        assert stage.is_rounding(view.largest, view)
        assert "positions round" not in said(view)


def test_what_the_pack_leaves_out_is_said_beside_its_words() -> None:
    room = ROOM()
    for fact in ("1,500", "49,152", "letters only", "4 bits"):
        assert fact in room._pack.pane.object
    room.state.view = "hands"
    assert not room._words.visible


def test_places_that_did_not_move_stand_once() -> None:
    assert "both + 0" not in said(rope())
    assert "both + 7" in said(rope(move=7))
