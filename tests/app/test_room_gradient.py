"""The room `gradient`: every number a reader can check by hand, and what its controls do."""

from __future__ import annotations

import contextlib
import re
import tracemalloc
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit.assets import STATIC
from app.kit.html import Markup
from app.kit.shares import percent
from app.rooms.gradient import ROOM, stage, ways
from app.rooms.gradient.compute import CLOSER, State, View, compute, toy_of
from app.rooms.gradient.facts import facts
from app.rooms.gradient.run import SINGLE_ROWS, edges_of
from lab import zipf
from lab.gradient_study import time_ways
from lab.row_optimizers import ROW_OPTIMIZERS
from tests.plural import ones

START = {name: State.param[name].default for name in State.param if name != "name"}


def gradient(**changed: Any) -> View:
    return compute(**{**START, **changed})


def small(**changed: Any) -> View:
    return gradient(**{"V": 90, "batch": 2, "length": 10, "steps": 6, **changed})


@pytest.fixture(scope="module")
def shared() -> Any:
    """One room for tests that only set its state: making its figures costs most of a test."""
    return ROOM()


def said(markup: Markup) -> str:
    return " ".join(markup.striptags().split())


def test_four_thousand_tokens_touch_fewer_rows_than_tokens() -> None:
    """8 x 500 = 4,000 tokens; the sum of 1 - (1 - p_i)^4000 over 50,257 ranks with s = 1 is 1,890.7."""
    view = gradient(step=1)
    assert view.run.N == 4_000
    assert view.run.V == 50_257
    assert view.run.expected == pytest.approx(1_890.7, abs=0.05)
    assert view.touched == len(set(view.run.ids[0].tolist())) < 4_000
    # one step is within five standard deviations, of which one is below the root of the mean
    assert abs(view.touched - view.run.expected) < 5 * view.run.expected**0.5
    assert "1,891 expected, at most 4,000" in said(facts(view))
    assert "1,891" in ROOM.describe(view)


def test_seen_rows_follow_the_closed_form() -> None:
    """After 30 steps of 4,000 tokens the same sum with N = 120,000 is 21,968.3."""
    view = gradient()
    assert view.run.growth[-1] == pytest.approx(21_968.3, abs=0.1)
    assert view.seen == len(set(view.run.ids.ravel().tolist()))
    assert view.seen == pytest.approx(view.run.growth[-1], rel=0.02)


def test_repeats_are_summed() -> None:
    """Case emb-07: ids 0 0 1 1 2 of ones give 2, 2, 1; `+=` keeps one of each and gives 1, 1, 1."""
    view = gradient(closer="ways")
    assert view.toy.ids == (0, 0, 1, 1, 2)
    np.testing.assert_array_equal(view.toy.summed, [2, 2, 1])
    np.testing.assert_array_equal(view.toy.wrong, [1, 1, 1])
    shown = said(ways.toy(view))
    assert "all give 2, 2, 1" in shown
    assert "gives 1, 1, 1" in shown


def test_the_ways_agree_up_to_rounding() -> None:
    assert gradient(closer="ways").difference < 1e-4


def test_the_bytes_of_both_forms() -> None:
    """Whole: 50,257 x 768 x 4 = 154,389,504. Rows: each 768 x 4 + 8 = 3,080."""
    view = gradient()
    assert view.bytes.dense == 154_389_504
    assert view.bytes.sparse == 3_080 * view.touched
    assert "154.4 MB whole" in said(facts(view))


def test_passages_touch_fewer_rows_than_independent_words() -> None:
    """Measured here: some 8 % fewer rows a step of 8 passages of 500 words, since words come in clusters."""
    view = gradient(source="shakespeare")
    assert view.run.V == len(view.run.words) == 11_243
    assert 0.06 < view.run.shortfall < 0.11
    assert f"{percent(view.run.shortfall)} fewer" in said(stage.source_note(view))
    assert abs(gradient().run.shortfall) < 0.01


@pytest.mark.parametrize("key", ROW_OPTIMIZERS)
def test_which_rows_each_rule_moves(key: str) -> None:
    """Case emb-03: SGD and lazy Adam the rows of the step, momentum and Adam all seen, weight decay all."""
    view = gradient(optimizer=key, step=7)
    expected = {"sgd": view.touched, "lazy_adam": view.touched, "adamw": view.run.V}.get(key, view.seen)
    assert view.moved[view.step - 1] == expected
    width = view.picture.edges[1:] - view.picture.edges[:-1]
    np.testing.assert_allclose((width[:, None] * view.picture.shares).sum(axis=0), view.moved)


def test_one_row_stands_still_or_moves_on() -> None:
    """Between two steps with its token: no change under SGD and lazy Adam, some under the others."""
    row = gradient(closer="row").followed
    assert row is not None
    assert row.rank == 5_000
    seen = np.flatnonzero(row.counts)
    assert 1 <= seen[0] < len(row.counts) - 1
    quiet = np.setdiff1d(np.arange(seen[0] + 1, len(row.counts)), seen)
    for key, path in row.moved.items():
        change = np.abs(np.diff(path, prepend=0.0))
        assert (change[quiet] > 0).all() == ROW_OPTIMIZERS[key].moves_unseen
        assert (path[: seen[0]] == 0).all() == (key != "adamw")


def test_a_tied_table_moves_everywhere() -> None:
    view = gradient(tied=True, closer="tied")
    assert (view.moved == view.run.V).all()
    assert (view.picture.shares == 1).all()
    assert view.tied_norms is not None
    assert (view.tied_norms.output_part > 0).all()
    assert (view.tied_norms.input_part > 0).sum() < 128
    assert "output part 256" in said(stage.tied(view))


def test_of_a_tied_table_some_parts_show_the_input_alone() -> None:
    """Its gradient is dense, 50,257 x 768 x 4 = 154.4 MB, and no row of it is 0."""
    shown = said(facts(gradient(tied=True)))
    assert "gradient, whole: the output layer fills it154.4 MB6 MB from the input" in shown
    assert "touched only" not in shown
    for closer, written in (("rank", stage.by_rank), ("row", stage.one_row)):
        alone, whole = (gradient(closer=closer, tied=tied) for tied in (True, False))
        assert "the input part alone" in said(written(alone))
        assert "input part" not in said(written(whole))
        assert "its gradient is 0" not in ROOM.formula(alone)[0].says
        assert "its gradient is 0" in ROOM.formula(whole)[0].says
        assert "input part only" in ROOM.numbers(alone)[-1].title
    room = ROOM("?tied=1&closer=row")
    assert "input part only" in room._heads["row"].pane.object
    room.state.tied = False
    assert "input part only" not in room._heads["row"].pane.object
    assert "alone:" not in room._row.pane.object
    for key in ROW_OPTIMIZERS:
        rule = ROOM.formula(gradient(tied=True, optimizer=key))[-1].says
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
    assert words in said(stage.one_row(gradient(exponent=exponent, row=50_000, closer="row")))


def test_chance_is_not_called_clusters() -> None:
    """16 single words of a text are drawn independently: what they miss of the closed form is chance."""
    single = said(stage.source_note(gradient(source="shakespeare", batch=16, length=1)))
    assert "Single words: a step touches 15." in single
    assert "no more than chance" in single
    assert "clusters" not in single
    assert "because words of a passage come in clusters" in said(
        stage.source_note(gradient(source="shakespeare"))
    )


def test_one_token_is_one_row() -> None:
    """1 x 1 token: one row of 768 x 4 + 8 bytes = 3.1 kB, and 50,256 of 50,257 are not quite all."""
    view = gradient(batch=1, length=1, step=1)
    tiles = said(facts(view))
    for words in ("row gets a gradient", "row moves under SGD", "3.1 kB"):
        assert words in tiles
    assert "99.998 % of the table" in tiles
    assert "1 token of Zipf's law with s = 1 touches 1 of" in ROOM.describe(view)
    assert "So far 1 row has been seen" in ROOM.describe(view)
    assert "more than 1 row." in ROOM.formula(view)[1].says


@pytest.mark.parametrize("subsample", [0.0, 1e-5])
def test_a_step_of_one_token_touches_one_row_by_necessity(subsample: float) -> None:
    """No closed form, no chance, no ‘1 rows’: a step of one token touches exactly one row."""
    view = gradient(source="shakespeare", batch=1, length=1, subsample=subsample)
    assert view.run.shortfall == pytest.approx(0.0, abs=1e-9)
    note = said(stage.source_note(view)).split("Subsampling")[0]
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
    view = gradient(
        source=source, batch=batch, length=length, steps=steps, seed=seed, subsample=t, V=300, step=60
    )
    page = [said(stage.source_note(view)), said(facts(view)), ROOM.describe(view), said(stage.by_rank(view))]
    for text in page:
        assert not ones(text), text
        assert "0.0%" not in text
        assert not re.search(r"(?<![.\d])0 % (fewer|more)", text), text
        assert "NaN" not in text


def test_subsampling_by_hand() -> None:
    """t = .001: a row of share p is kept with sqrt(.001 / p). Rank 1 of 50,257 has 1 / 11.402 = .0877."""
    view = gradient(subsample=1e-3)
    thinned = view.run.thinned
    assert thinned is not None
    p = zipf.probabilities(50_257, 1.0)
    kept = p * np.minimum(1, np.sqrt(1e-3 / p))
    assert thinned.first == pytest.approx((0.0877, kept[0] / kept.sum()), abs=1e-4)
    assert thinned.dropped == pytest.approx(1 - kept.sum())
    assert thinned.expected == pytest.approx(1_890.7, abs=0.05)
    assert view.run.expected == pytest.approx(float((1 - (1 - kept / kept.sum()) ** 4000).sum()), rel=1e-9)
    assert view.run.expected > thinned.expected
    assert abs(view.touched - view.run.expected) < 5 * view.run.expected**0.5
    assert gradient().run.thinned is None


def test_a_subsampled_text_is_held_against_its_own_counts() -> None:
    """What chance has left is another text: the closed form of single words is met within chance."""
    view = gradient(source="shakespeare", subsample=1e-5, batch=16, length=1, steps=60)
    run = view.run
    assert run.p.sum() == pytest.approx(1.0)
    error = (run.expected * run.steps) ** -0.5
    assert abs(run.shortfall) < 4 * error
    np.testing.assert_allclose(run.growth[0], run.expected, rtol=1e-9)
    # the fit is that of the whole text
    whole = said(stage.source_note(gradient(source="shakespeare")))
    exponent = re.search(r"fall with exponent ([\d.]+)", whole)
    assert exponent
    assert exponent.group() in said(stage.source_note(view))


@pytest.mark.parametrize("source", ["zipf", "shakespeare"])
def test_the_code_subsamples_as_the_room_does(source: str) -> None:
    state = {**START, "source": source, "subsample": 1e-4, "V": 2_000, "steps": 4}
    scope: dict[str, Any] = {}
    with contextlib.chdir(STATIC.parent):
        exec(ROOM.code(**state), scope)
    np.testing.assert_allclose(scope["result"], ROOM.code_answer(compute(**state)))


def test_one_hot_rows_are_almost_all_zeros() -> None:
    """GPT-2's table: each one-hot row has 50,257 numbers, 50,256 of them 0."""
    note = said(ways.ways(gradient(closer="ways")))
    for number in ("50,256 zeros", "201,028,000", "sparse=True"):
        assert number in note


def test_ways_that_agree_are_not_said_to_differ() -> None:
    view = replace(gradient(closer="ways"), difference=0.0)
    assert "differ" not in said(ways.ways(view))
    assert "differ by at most" in said(ways.ways(replace(view, difference=1e-6)))


def test_rows_never_seen_are_called_undertrained() -> None:
    view = small(step=1)
    never = view.run.V - view.seen
    assert f"{never} rows of 90 have never had a gradient" in said(stage.by_rank(view))
    assert "undertrained" not in said(stage.by_rank(small(V=2, length=200)))
    assert "undertrained" not in said(stage.by_rank(small(tied=True, step=1)))


def test_the_largest_run_stays_small_in_memory() -> None:
    """A million tokens over 128,000 rows: all bounds at once, in every part."""
    tracemalloc.start()
    try:
        for closer in CLOSER:
            most = {"V": 128_000, "batch": 16, "length": 1024, "steps": 60, "seed": 77}
            gradient(**most, closer=closer, optimizer="adam")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_the_legend_of_one_row_stands_off_its_lines() -> None:
    room = ROOM("?closer=row")
    figure = room._plots["row"].figure
    assert figure.legend[0] in figure.above


def test_no_direction_is_claimed_under_adam() -> None:
    for key in ("adam", "adamw", "lazy_adam"):
        assert "one measurement, not a law" in said(stage.by_rank(gradient(optimizer=key)))
    assert "not a law" not in said(stage.by_rank(gradient()))


def test_every_row_is_in_one_bin_and_the_binning_is_stated() -> None:
    view = gradient()
    edges = view.picture.edges.tolist()
    assert (edges[0], edges[-1], len(edges)) == (0, 50_257, 65)
    note = said(stage.binning(view))
    alone = sum(b - a == 1 for a, b in pairwise(edges))
    assert (
        f"64 bins, even on a logarithmic axis as far as whole ranks can be: ranks 1 to {alone} have" in note
    )
    assert f"ranks {edges[-2] + 1:,} to 50,257" in note
    names = stage.names(view.run, view.picture)
    assert names[0] == "rank 1"
    assert names[-1] == f"ranks {edges[-2] + 1:,} to 50,257"
    assert list(stage.ticks(view.run, view.picture).values()) == [
        "1",
        "10",
        "100",
        "1,000",
        "10,000",
        "50,257",
    ]


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
    view = gradient(zoom=200, step=4, source="shakespeare")
    drawn = set(view.run.ids[3].tolist())
    inside = [float(row in drawn) for row in range(199, 199 + SINGLE_ROWS)]
    np.testing.assert_array_equal(view.picture.shares[:, 3], inside)
    assert stage.names(view.run, view.picture)[0] == f"rank 200 {view.run.words[199]}"


def test_a_step_beyond_the_run_is_its_last() -> None:
    assert small(step=60).step == 6
    assert small(step=3).step == 3


def test_a_row_beyond_the_table_is_its_last() -> None:
    followed = small(closer="row").followed
    assert followed is not None
    assert followed.rank == 90


def test_playing_draws_the_run_once() -> None:
    """A step of the animation shares run, picture and sample with the step before."""
    first, second = gradient(step=3), gradient(step=4)
    assert first.run is second.run
    assert first.picture is second.picture
    assert first.sample is second.sample


def test_only_the_open_part_is_computed() -> None:
    for closer in ("rank", "row", "tied", "ways"):
        view = small(closer=closer)
        parts = {
            "rank": view.sample,
            "row": view.followed,
            "tied": view.tied_norms,
            "ways": view.difference or None,
        }
        assert [key for key, part in parts.items() if part is not None] in ([closer], [])
        assert ROOM.numbers(view)


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
        ("٣", "‘٣’"),
        ("9" * 5_000, "0 to 11"),
    ],
)
def test_ids_that_cannot_be_read_are_refused_beside_their_field(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="Row ids") as refused:
        toy_of(text)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 120
    view = small(closer="ways", ids=text)
    assert view.toy.ids == (0, 0, 1, 1, 2)
    assert "<u>" not in ways.toy(view)
    assert words in ways.toy(view).unescape()


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
    for closer in ("rank", "row", "tied", "ways"):
        shared.state.closer = closer
        assert not shared._error.pane.visible
        assert shared.view.closer == closer
        assert ROOM.describe(shared.view)
        assert ROOM.formula(shared.view)


def test_a_text_keeps_its_own_law() -> None:
    run = gradient(source="shakespeare").run
    assert gradient(source="shakespeare", V=100, exponent=0.3).run is run


@pytest.mark.parametrize(
    "changed",
    [
        {"optimizer": "adam"},
        {"optimizer": "adamw"},
        {"tied": True},
        {"exponent": 0.0, "seed": 3},
        {"zoom": 7, "optimizer": "lazy_adam"},
        {"source": "shakespeare", "steps": 3, "optimizer": "momentum"},
    ],
)
def test_the_code_gives_the_picture(changed: dict[str, Any]) -> None:
    """Run in the folder of the lab, as a reader would; the pictures are equal to the last bit."""
    view = small(**changed)
    state = {**START, "V": 90, "batch": 2, "length": 10, "steps": 6, **changed}
    names: dict[str, Any] = {}
    with contextlib.chdir(STATIC.parent):
        exec(ROOM.code(**state), names)  # our own snippet
    np.testing.assert_array_equal(names["result"], view.picture.shares)


def test_the_closed_form_is_the_one_of_the_lab() -> None:
    run = small().run
    assert run.expected == zipf.expected_distinct(zipf.probabilities(90, 1.0), 20)


def test_questions_are_answered_by_what_the_lab_finds() -> None:
    """Rows of the step; all seen so far; no gradient in most steps; all by tying; 1, 1, 1; the draws."""
    assert [question.answer()[0] for question in ROOM.questions()] == [2, 1, 1, 1, 1, 1]


# what the controls do


def test_the_player_follows_the_picture_and_sets_the_step() -> None:
    room = ROOM("?step=3")
    player = room._player
    assert (player.slider.value, player.slider.end) == (3, 30)
    player.slider.value = 5
    assert room.state.step == 5
    assert player._drawn.data["step"] == [5]
    assert room._map._cover.left == 5.5
    room.state.steps = 4
    assert (player.slider.value, player.slider.end, room.state.step) == (4, 4, 5)


def test_nothing_plays_by_itself(shared: Any) -> None:
    shared.apply({})
    assert shared.view.step == shared.view.run.steps
    assert shared._player.button.label == "Play"


def test_a_dial_slides_over_stops_and_takes_any_value() -> None:
    room = ROOM("?V=12345")
    dial = room._laws[1]
    assert room.state.V == dial.field.value == 12_345
    assert dial._values[dial.slider.value] in (8_000, 16_000)
    dial.slider.value = len(dial._values) - 1
    assert room.state.V == dial.field.value == 128_000
    dial.field.value = 777
    assert room.view.run.V == 777
    room.state.source = "shakespeare"
    assert dial.field.disabled
    assert dial.slider.disabled


def test_the_picture_is_assigned_when_it_changes_and_only_then(shared: Any) -> None:
    room = shared
    room.apply({"step": 2})
    image = room._map.source.data
    room.state.step = 3
    assert room._map.source.data is image
    room.state.optimizer = "adam"
    assert room._map.source.data is not image
    assert room._map.figure.title.text == "Rows moved by Adam"


def test_one_part_is_open_at_a_time(shared: Any) -> None:
    room = shared
    room.apply({"closer": "tied"})
    assert [key for key, part in room._closer.items() if part.visible] == ["tied"]
    room.state.closer = "ways"
    assert [key for key, part in room._closer.items() if part.visible] == ["ways"]


def test_times_are_measured_on_the_button_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def timed(vocabularies: Any, **sizes: Any) -> Any:
        calls.append(sizes)
        return time_ways(vocabularies, tokens=4, width=2)

    monkeypatch.setattr("app.rooms.gradient.time_ways", timed)
    monkeypatch.setattr("app.rooms.gradient.TIMED", (10, 20))
    room = ROOM("?closer=ways")
    room.state.step = 2
    assert not calls
    assert not room._times.visible
    room._measure()
    assert len(calls) == 1
    assert room._times.visible
    assert "Measured just now" in room._measured.pane.object


def test_hidden_controls_hide_those_of_the_parts_too(shared: Any) -> None:
    room = ROOM("?hide=controls&closer=ways")
    assert len(room._closer["ways"]) == len(shared._closer["ways"]) - 2
