"""The room `gradient`: every number a reader can check by hand, and what its controls do."""

from __future__ import annotations

import re
import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import panel as pn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.html import Markup
from app.kit.shares import percent
from app.rooms.gradient import ROOM
from app.rooms.gradient.model.answers import USUAL
from app.rooms.gradient.model.run import SINGLE_ROWS, edges_of
from app.rooms.gradient.model.views import toy_of
from app.rooms.gradient.model.ways import time_ways
from app.rooms.gradient.room import CLOSER
from app.rooms.gradient.rows import names, ticks
from lab import zipf
from lab.row_optimizers import ROW_OPTIMIZERS
from tests.plural import ones

SMALL: dict[str, Any] = {"V": 90, "batch": 2, "length": 10, "steps": 6}


def viewed(key: str = "rows", **changed: Any) -> Any:
    return ROOM.figure(key).viewed({**USUAL, **changed})


def small(key: str = "rows", **changed: Any) -> Any:
    return viewed(key, **{**SMALL, **changed})


def shown(key: str, view: Any) -> str:
    """All that stands in a figure's picture as HTML, and its caption."""
    figure = ROOM.figure(key)
    parts = [part(view) for part in figure.make() if callable(part)]
    whole = Markup(" ").join([*parts, Markup.escape(figure.caption(view))])
    return " ".join(whole.replace("<", Markup(" <")).striptags().split())


def said(key: str, **changed: Any) -> str:
    return shown(key, viewed(key, **changed))


def formulas(key: str, **changed: Any) -> Any:
    return ROOM.figure(key).formula(viewed(key, **changed))


@pytest.fixture(scope="module")
def shared() -> Any:
    """One room for tests that only set its state: making its figures costs most of a test."""
    return ROOM()


def test_a_page_begins_with_the_usual_values(shared: Any) -> None:
    shared.apply({})
    assert shared.values() == USUAL


def test_four_thousand_tokens_touch_fewer_rows_than_tokens() -> None:
    """8 x 500 = 4,000 tokens; the sum of 1 - (1 - p_i)^4000 over 50,257 ranks with s = 1 is 1,890.7."""
    view = viewed(step=1)
    assert view.run.N == 4_000
    assert view.run.V == 50_257
    assert view.run.expected == pytest.approx(1_890.7, abs=0.05)
    assert view.touched == len(set(view.run.ids[0].tolist())) < 4_000
    # one step is within five standard deviations, of which one is below the root of the mean
    assert abs(view.touched - view.run.expected) < 5 * view.run.expected**0.5
    assert "1,891 expected, at most 4,000" in shown("rows", view)
    assert "1,891" in ROOM.figure("rows").caption(view)


def test_seen_rows_follow_the_closed_form() -> None:
    """After 30 steps of 4,000 tokens the same sum with N = 120,000 is 21,968.3."""
    view = viewed("seen")
    assert view.run.growth[-1] == pytest.approx(21_968.3, abs=0.1)
    assert view.seen == len(set(view.run.ids.ravel().tolist()))
    assert view.seen == pytest.approx(view.run.growth[-1], rel=0.02)
    assert "21,968" in shown("seen", view)
    assert f"{50_257 - view.seen:,}" in shown("seen", view)


def test_repeats_are_summed() -> None:
    """Case emb-07: ids 0 0 1 1 2 of ones give 2, 2, 1; `+=` keeps one of each and gives 1, 1, 1."""
    view = viewed("repeats")
    assert view.toy.ids == (0, 0, 1, 1, 2)
    np.testing.assert_array_equal(view.toy.summed, [2, 2, 1])
    np.testing.assert_array_equal(view.toy.wrong, [1, 1, 1])
    assert "all give 2, 2, 1" in shown("repeats", view)
    assert "gives 1, 1, 1" in shown("repeats", view)
    assert "No id is repeated" in said("repeats", ids="2 0 1")
    assert r"(2, 2, 1)" in formulas("repeats")[0].filled


def test_the_ways_agree_up_to_rounding() -> None:
    view = viewed("ways")
    assert view.difference < 1e-4
    rows = ROOM.figure("ways").numbers(view)[0].rows
    assert max(float(row[1]) for row in rows) <= view.difference


def test_the_bytes_of_both_forms() -> None:
    """Whole: 50,257 x 768 x 4 = 154,389,504. Rows: each 768 x 4 + 8 = 3,080."""
    view = viewed()
    assert view.bytes.dense == 154_389_504
    assert view.bytes.sparse == 3_080 * view.touched
    assert "154.4 MB whole" in shown("rows", view)


def test_passages_touch_fewer_rows_than_independent_words() -> None:
    """Measured here: some 8 % fewer rows a step of 8 passages of 500 words, since words come in clusters."""
    view = viewed(source="shakespeare")
    assert view.run.V == len(view.run.words) == 11_243
    assert 0.06 < view.run.shortfall < 0.11
    assert f"{percent(view.run.shortfall)} fewer" in shown("rows", view)
    assert abs(viewed().run.shortfall) < 0.01


@pytest.mark.parametrize("key", ROW_OPTIMIZERS)
def test_which_rows_each_rule_moves(key: str) -> None:
    """Case emb-03: SGD and lazy Adam the rows of the step, momentum and Adam all seen, weight decay all."""
    view = viewed(optimizer=key, step=7)
    expected = {"sgd": view.touched, "lazy_adam": view.touched, "adamw": view.run.V}.get(key, view.seen)
    assert view.moved[view.step - 1] == view.now == expected
    width = view.picture.edges[1:] - view.picture.edges[:-1]
    np.testing.assert_allclose((width[:, None] * view.picture.shares).sum(axis=0), view.moved)


def test_one_row_stands_still_or_moves_on() -> None:
    """Between two steps with its token: no change under SGD and lazy Adam, some under the others."""
    view = viewed("row")
    row = view.row
    assert view.rank == 5_000
    seen = np.flatnonzero(row.counts)
    assert 1 <= seen[0] < len(row.counts) - 1
    quiet = np.setdiff1d(np.arange(seen[0] + 1, len(row.counts)), seen)
    for key, path in row.moved.items():
        change = np.abs(np.diff(path, prepend=0.0))
        assert (change[quiet] > 0).all() == ROW_OPTIMIZERS[key].moves_unseen
        assert (path[: seen[0]] == 0).all() == (key != "adamw")


def test_a_tied_table_moves_everywhere() -> None:
    view = viewed(tied=True)
    assert (view.moved == view.run.V).all()
    assert (view.picture.shares == 1).all()
    tied = viewed("tied")
    assert (tied.norms.output_part > 0).all()
    assert (tied.norms.input_part > 0).sum() < 128
    assert "output part 256" in shown("tied", tied)
    assert "201,028,000" in shown("tied", tied)


def test_of_a_tied_table_some_figures_show_the_input_alone() -> None:
    """Its gradient is dense, 50,257 x 768 x 4 = 154.4 MB, and no row of it is 0."""
    text = said("rows", tied=True)
    assert "gradient, whole: the output layer fills it 154.4 MB 6 MB from the input" in text
    assert "touched only" not in text
    for key in ("rank", "row"):
        figure = ROOM.figure(key)
        alone, whole = (viewed(key, tied=tied) for tied in (True, False))
        assert "the input part alone" in figure.caption(alone)
        assert "Input part only" in shown(key, alone)
        assert "input part" not in shown(key, whole).lower()
        assert "input part only" in figure.numbers(alone)[-1].title
        assert "input part only" not in figure.numbers(whole)[-1].title
    assert "its gradient is 0" not in formulas("rows", tied=True)[0].says
    assert "its gradient is 0" in formulas("rows")[0].says
    room = ROOM("?tied=1&closer=row")
    pane = room._places["row"]._saying[0][0].pane
    assert "Input part only" in pane.object
    room.state.tied = False
    assert not pane.visible
    assert "input part alone" not in room._places["row"]._caption.pane.object
    for key in ROW_OPTIMIZERS:
        rule = formulas("rows", tied=True, optimizer=key)[-1].says
        assert "output layer tied" in rule
        assert "stays where it is" not in rule


@pytest.mark.parametrize(
    ("exponent", "words"),
    [
        (1.0, "one step in 143 is expected"),
        (3.0, "one step in about 10 to the power of 11 is expected"),
        (30.0, "one step in about 10 to the power of 137 is expected"),
        (90.0, "it is practically never expected"),
    ],
)
def test_a_long_wait_is_no_row_of_digits(exponent: float, words: str) -> None:
    assert words in said("row", exponent=exponent, row=50_000)


def test_chance_is_not_called_clusters() -> None:
    """16 single words of a text are drawn independently: what they miss of the closed form is chance."""
    single = said("rows", source="shakespeare", batch=16, length=1)
    assert "Single words: a step touches 15." in single
    assert "no more than chance" in single
    assert "clusters" not in single
    assert "because words of a passage come in clusters" in said("rows", source="shakespeare")


def test_one_token_is_one_row() -> None:
    """1 x 1 token: one row of 768 x 4 + 8 bytes = 3.1 kB, and 50,256 of 50,257 are not quite all."""
    view = viewed(batch=1, length=1, step=1)
    text = shown("rows", view)
    for words in ("row gets a gradient", "row moves under SGD", "3.1 kB", "99.998 % of the table"):
        assert words in text
    assert "1 token from Zipf's law with s = 1 touches 1 of" in text
    assert "Seen so far: 1 row." in text
    assert "more than 1 row." in ROOM.figure("rows").formula(view)[1].says


@pytest.mark.parametrize("subsample", [0.0, 1e-5])
def test_a_step_of_one_token_touches_one_row_by_necessity(subsample: float) -> None:
    """No closed form, no chance, no ‘1 rows’: a step of one token touches exactly one row."""
    view = viewed(source="shakespeare", batch=1, length=1, subsample=subsample)
    assert view.run.shortfall == pytest.approx(0.0, abs=1e-9)
    note = ROOM.figure("rows").of_text(view.run)  # type: ignore[attr-defined]
    assert "exactly 1 row" in note
    assert "chance" not in note
    assert "%" not in note
    assert not ones(note)


@given(
    st.sampled_from(["zipf", "shakespeare"]),
    st.sampled_from([1, 2, 3, 16]),
    st.sampled_from([1, 2, 7, 500, 1024]),
    st.sampled_from([2, 3, 60]),
    st.sampled_from([0.0, 1e-3, 1e-5]),
    st.integers(0, 50),
)
@settings(deadline=None, max_examples=25)
def test_no_share_of_nothing_is_printed(
    source: str, batch: int, length: int, steps: int, t: float, seed: int
) -> None:
    state = {"source": source, "batch": batch, "length": length, "steps": steps, "seed": seed, "V": 300}
    for key in ("rows", "seen", "rank"):
        text = said(key, **state, subsample=t, step=60)
        assert not ones(text), text
        assert "0.0%" not in text
        assert not re.search(r"(?<![.\d])0 % (fewer|more)", text), text
        assert "NaN" not in text


def test_subsampling_by_hand() -> None:
    """t = .001: a row of share p is kept with sqrt(.001 / p). Rank 1 of 50,257 has 1 / 11.402 = .0877."""
    view = viewed(subsample=1e-3)
    run = view.run
    p = zipf.probabilities(50_257, 1.0)
    kept = p * np.minimum(1, np.sqrt(1e-3 / p))
    assert (run.plain[0], run.p[0]) == pytest.approx((0.0877, kept[0] / kept.sum()), abs=1e-4)
    assert run.dropped == pytest.approx(1 - kept.sum())
    assert run.expected_plain == pytest.approx(1_890.7, abs=0.05)
    assert run.expected == pytest.approx(float((1 - (1 - kept / kept.sum()) ** 4000).sum()), rel=1e-9)
    assert run.expected > run.expected_plain
    assert abs(view.touched - run.expected) < 5 * run.expected**0.5
    assert percent(run.dropped) in shown("rows", view)
    assert "Subsampling" not in said("rows")


def test_a_subsampled_text_is_held_against_its_own_counts() -> None:
    """What chance has left is another text: the closed form of single words is met within chance."""
    view = viewed(source="shakespeare", subsample=1e-5, batch=16, length=1, steps=60)
    run = view.run
    assert run.p.sum() == pytest.approx(1.0)
    error = (run.expected * run.steps) ** -0.5
    assert abs(run.shortfall) < 4 * error
    np.testing.assert_allclose(run.growth[0], run.expected, rtol=1e-9)
    # the fit is that of the whole text
    exponent = re.search(r"fall with exponent ([\d.]+)", said("rows", source="shakespeare"))
    assert exponent
    assert exponent.group() in shown("rows", view)


def test_one_hot_rows_are_almost_all_zeros() -> None:
    """GPT-2's table: each one-hot row has 50,257 numbers, 50,256 of them 0."""
    for number in ("50,256 zeros", "201,028,000", "sparse=True"):
        assert number in said("ways")


def test_ways_that_agree_are_not_said_to_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    view = viewed("ways")
    for off in (0.0, 1e-6):
        monkeypatch.setattr(type(view), "difference", off)
        assert ("differ by at most" in shown("ways", view)) == (off > 0)


def test_rows_never_seen_are_called_undertrained() -> None:
    view = small("rank", step=1)
    assert f"{view.run.V - view.seen} rows of 90 have never had a gradient" in shown("rank", view)
    assert "undertrained" not in shown("rank", small("rank", V=2, length=200))
    assert "undertrained" not in shown("rank", small("rank", tied=True, step=1))


def test_the_largest_run_stays_small_in_memory() -> None:
    """A million tokens over 128,000 rows: all bounds at once, in every figure."""
    tracemalloc.start()
    try:
        for closer in CLOSER:
            most = {"V": 128_000, "batch": 16, "length": 1024, "steps": 60, "seed": 77}
            views = ROOM.viewed({**USUAL, **most, "closer": closer, "optimizer": "adam"})
            for key, view in views.items():
                ROOM.figure(key).numbers(view)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_the_legend_of_one_row_stands_off_its_lines() -> None:
    figure = ROOM("?closer=row")._places["row"].figure.curves.figure
    assert figure.legend[0] in figure.above


def test_no_direction_is_claimed_under_adam() -> None:
    for key in ROW_OPTIMIZERS:
        assert ("not a law" in said("rank", optimizer=key)) == ("adam" in key)


def test_every_row_is_in_one_bin_and_the_binning_is_stated() -> None:
    view = viewed()
    edges = view.picture.edges.tolist()
    assert (edges[0], edges[-1], len(edges)) == (0, 50_257, 65)
    text = shown("rows", view)
    alone = sum(b - a == 1 for a, b in pairwise(edges))
    assert "64 bins, even on a logarithmic axis as far as whole ranks can be" in text
    assert f"anks 1 to {alone} have" in text
    assert f"ranks {edges[-2] + 1:,} to 50,257" in text
    named = names(view.run, view.picture)
    assert (named[0], named[-1]) == ("rank 1", f"ranks {edges[-2] + 1:,} to 50,257")
    marked = list(ticks(view.run, view.picture).values())
    assert marked == ["1", "10", "100", "1,000", "10,000", "50,257"]


@pytest.mark.parametrize(
    ("V", "zoom", "first", "last"),
    [
        (50_257, 1, 1, SINGLE_ROWS),
        (50_257, 100, 100, 99 + SINGLE_ROWS),
        (1_000, 128_000, 1_001 - SINGLE_ROWS, 1_000),
        (5, 3, 1, 5),
    ],
)
def test_zoomed_in_each_row_is_a_row(V: int, zoom: int, first: int, last: int) -> None:
    """From the rank asked for, but never beyond the last rows of the table."""
    edges = edges_of(V, zoom)
    assert (edges[0] + 1, edges[-1]) == (first, last)
    assert (edges[1:] - edges[:-1] == 1).all()


def test_zoomed_in_the_picture_says_who_moved() -> None:
    view = viewed(zoom=200, step=4, source="shakespeare")
    drawn = set(view.run.ids[3].tolist())
    inside = [float(row in drawn) for row in range(199, 199 + SINGLE_ROWS)]
    np.testing.assert_array_equal(view.picture.shares[:, 3], inside)
    assert names(view.run, view.picture)[0] == f"rank 200 {view.run.words[199]}"
    assert "One row each, ranks 200 to 217" in shown("rows", view)


def test_a_step_beyond_the_run_is_its_last() -> None:
    assert small(step=60).step == 6
    assert small(step=3).step == 3


def test_a_row_beyond_the_table_is_its_last() -> None:
    assert small("row").rank == 90


def test_playing_draws_the_run_once() -> None:
    """A step of the animation shares run, picture, sample and followed row with the step before."""
    first, second = viewed(step=3), viewed(step=4)
    assert first.run is second.run
    assert first.picture is second.picture
    for key, part in (("rank", "sample"), ("row", "row"), ("ways", "gradients")):
        first, second = viewed(key, step=3), viewed(key, step=4)
        assert getattr(first, part) is getattr(second, part)


def test_only_the_open_part_is_computed() -> None:
    opened = {"rank": ["rank"], "row": ["row"], "tied": ["tied"], "ways": ["repeats", "ways"]}
    for closer, keys in opened.items():
        views = ROOM.viewed({**USUAL, **SMALL, "closer": closer})
        assert list(views) == ["rows", "seen", *keys]
        assert all(ROOM.figure(key).numbers(view) for key, view in views.items())
        # not what the rows alone do not need
        assert not {"growth", "plain"} & set(vars(small(seed=1, step=2).run))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "1 to 12"),
        (" , ", "1 to 12"),
        ("0 " * 13, "1 to 12"),
        ("0 -1", "‘-1’"),
        ("12", "‘12’"),
        ("1.5", "‘1.5’"),
        ("<u>", "‘<u>’"),
        ("{run}", "‘{run}’"),
        ("٣", "‘٣’"),
        ("9" * 5_000, "0 to 11"),
    ],
)
def test_ids_that_cannot_be_read_are_refused_beside_their_field(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="Row ids") as refused:
        toy_of(text)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 120
    view = viewed("repeats", ids=text)
    assert view.toy.ids == (0, 0, 1, 1, 2)
    drawn = ROOM.figure("repeats").product(view)  # type: ignore[attr-defined]
    assert "<u>" not in drawn
    assert words in drawn.unescape()


@pytest.mark.parametrize("text", ["[0, 0, 1]", "0;0;1", "  0 0\t1 ", "(0,0,1)"])
def test_ids_may_be_written_as_one_likes(text: str) -> None:
    np.testing.assert_array_equal(toy_of(text).summed, [2, 1])


@pytest.mark.parametrize(
    "changed",
    [
        {"V": 2, "batch": 1, "length": 1, "steps": 2},
        {"V": 2, "exponent": 1e6},
        {"exponent": 0.0, "V": 128_000, "zoom": 127_999},
        {"V": 65, "row": 128_000},
        {"source": "shakespeare", "batch": 1, "length": 1, "steps": 2},
        {"source": "shakespeare", "V": 2, "exponent": 7.0, "zoom": 11_243},
    ],
)
def test_the_corners_of_the_settings_can_be_drawn(shared: Any, changed: dict[str, Any]) -> None:
    shared.apply(changed)
    for closer in CLOSER:
        shared.state.closer = closer
        assert not shared._error.pane.visible
        assert closer in shared.view
        for key, view in shared.view.items():
            assert ROOM.figure(key).caption(view)
            assert ROOM.figure(key).formula(view)


def test_a_text_keeps_its_own_law() -> None:
    run = viewed(source="shakespeare").run
    assert viewed(source="shakespeare", V=100, exponent=0.3).run is run


@pytest.mark.parametrize("key", ROOM.keys())
@pytest.mark.parametrize(
    "changed",
    [
        {"optimizer": "adam"},
        {"optimizer": "adamw"},
        {"tied": True, "ids": "3, 0 3"},
        {"exponent": 0.0, "seed": 3},
        {"zoom": 7, "optimizer": "lazy_adam", "step": 3},
        {"source": "shakespeare", "steps": 3, "optimizer": "momentum"},
        {"source": "shakespeare", "subsample": 1e-4, "steps": 4},
        {"source": "zipf", "subsample": 1e-4, "V": 2_000, "steps": 4},
    ],
)
def test_the_code_gives_the_figure(key: str, changed: dict[str, Any]) -> None:
    """The picture is equal to the last bit."""
    figure, view = ROOM.figure(key), small(key, **changed)
    scope: dict[str, Any] = {}
    exec(figure.code(view.s), scope)  # our own snippet
    if key in ("rows", "seen", "repeats", "ways"):
        np.testing.assert_array_equal(scope["result"], figure.code_answer(view))
    else:
        np.testing.assert_allclose(scope["result"], figure.code_answer(view), rtol=1e-9, atol=1e-12)


def test_the_closed_form_is_the_one_of_the_lab() -> None:
    run = small().run
    assert run.expected == zipf.expected_distinct(zipf.probabilities(90, 1.0), 20)


def test_questions_are_answered_by_what_the_lab_finds() -> None:
    """Rows of the step; all seen so far; no gradient in most steps; all by tying; 1, 1, 1; the draws."""
    assert [question.answer()[0] for question in ROOM.asked] == [2, 1, 1, 1, 1, 1]
    assert f"{USUAL['steps']} steps" in ROOM.asked[1].prompt
    assert f"rank {ROOM.asked[2].show['row']:,}" in ROOM.asked[2].prompt


# what the controls do


def test_the_player_follows_the_picture_and_sets_the_step() -> None:
    room = ROOM("?step=3")
    player = room._fields["step"].player  # type: ignore[attr-defined]
    assert (player.slider.value, player.slider.end) == (3, 30)
    player.slider.value = 5
    assert room.state.step == 5
    assert player._drawn.data["step"] == [5]
    assert room._places["rows"].figure.map._cover.left == 5.5
    room.state.steps = 4
    assert (player.slider.value, player.slider.end, room.state.step) == (4, 4, 5)


def test_other_controls_answer_while_a_run_is_played() -> None:
    """A step that is drawn lets the next one come, whatever else was set meanwhile."""
    room = ROOM("?step=3&V=100")
    player = room._fields["step"].player  # type: ignore[attr-defined]
    player.slider.value = 4
    room.state.optimizer = "adam"
    assert player._drawn.data["step"] == [4]
    player.slider.value = 5
    assert player._drawn.data["step"] == [5]
    assert room.view["rows"].rule.key == "adam"
    room.state.closer = "tied"
    player.slider.value = 6
    assert player._drawn.data["step"] == [6] == [room.view["rows"].step]


def test_nothing_plays_by_itself(shared: Any) -> None:
    shared.apply({})
    assert shared.view["rows"].step == shared.view["rows"].run.steps
    assert shared._fields["step"].player.button.label == "Play"


def test_a_dial_slides_over_stops_and_takes_any_value() -> None:
    room = ROOM("?V=12345")
    dial: Any = room._fields["V"]
    assert room.state.V == dial.field.value == 12_345
    assert dial._values[dial.widget.value] in (8_000, 16_000)
    dial.widget.value = len(dial._values) - 1
    assert room.state.V == dial.field.value == 128_000
    dial.field.value = 777
    assert room.view["rows"].run.V == 777
    room.state.source = "shakespeare"
    assert dial.field.disabled
    assert dial.widget.disabled
    zoom: Any = room._fields["zoom"]
    assert not zoom.field.disabled


def test_the_picture_is_assigned_when_it_changes_and_only_then(shared: Any) -> None:
    drawn = shared._places["rows"].figure.map
    shared.apply({"step": 2})
    image = drawn.source.data
    shared.state.step = 3
    assert drawn.source.data is image
    shared.state.optimizer = "adam"
    assert drawn.source.data is not image
    assert drawn.figure.title.text == "Rows moved by Adam"


def test_one_part_is_open_at_a_time(shared: Any) -> None:
    opened = {"tied": ["tied"], "ways": ["repeats", "ways"], "rank": ["rank"]}
    for closer, keys in opened.items():
        shared.apply({"closer": closer})
        visible = [key for key, place in shared._places.items() if place.column.visible]
        assert visible == ["rows", "seen", *keys]


def test_times_are_measured_on_the_button_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def timed(ways: Any, vocabularies: Any, **sizes: Any) -> Any:
        calls.append(sizes)
        return time_ways(ways, vocabularies, tokens=4, width=2)

    monkeypatch.setattr("app.rooms.gradient.ways.time_ways", timed)
    monkeypatch.setattr("app.rooms.gradient.ways.TIMED", (10, 20))
    room = ROOM("?closer=ways")
    ways: Any = room._places["ways"].figure
    room.state.step = 2
    assert not calls
    assert not ways.times.visible
    ways.measure()
    assert len(calls) == 2
    assert ways.times.visible
    assert "Measured just now" in ways.measured.pane.object
    assert "E[ids], rows copied" in ways.measured.pane.object


def test_hidden_controls_hide_those_of_the_figures_too(shared: Any) -> None:
    shared.apply({"closer": "ways"})
    room = ROOM("?hide=controls&closer=ways")
    assert len(room._places["ways"]._picture) == len(shared._places["ways"]._picture) - 1
    assert shared._places["repeats"].column.select(pn.widgets.TextInput)
    assert not room._places["repeats"].column.select(pn.widgets.TextInput)


@pytest.mark.parametrize("key", ROOM.keys())
def test_a_figure_alone_has_the_controls_it_uses(key: str) -> None:
    room = ROOM(f"?figure={key}&closer=rank")
    assert list(room._places) == list(room.view) == [key]
    assert set(room._fields) - {"closer"} == set(ROOM.figure(key).uses) - {"own"}
    assert room.figures == [room._places[key].column]
