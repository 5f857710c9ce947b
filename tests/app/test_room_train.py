"""The room `train`: its numbers against the stored file, what it says of them, and a reader's own text."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.kit import url
from app.rooms.train import ROOM
from app.rooms.train.history import Finished, OwnRuns, is_like
from app.rooms.train.look import settings, signed, whole, worth
from app.rooms.train.losses import DOTS, batches, batches_a_dot
from app.rooms.train.model.rows import MOST_ROWS, TENTHS, RowsShown, alike
from app.rooms.train.model.stored import middles
from app.rooms.train.own import OwnText
from app.rooms.train.room import WIDTHS, TrainRoom, printed
from lab.data import data_path
from lab.training import Corpus, character_class, compare
from lab.training.corpus import MAX_BYTES

DEFAULTS = {name: item.default for name, item in url.settings(ROOM.State).items()}


def described(**changed: Any) -> str:
    """The caption of the figure that leads."""
    return ROOM.figure("losses").caption(viewed(**changed)["losses"])


def viewed(**changed: Any) -> dict[str, Any]:
    """The views of all figures in a state."""
    return ROOM.viewed({**DEFAULTS, **changed})


def figure(key: str, **runs: Any) -> Any:
    """A figure whose reader has made these runs."""
    made: Any = ROOM.figure(key)
    made.own = OwnRuns(**runs)
    return made


def html(room: TrainRoom, key: str) -> str:
    """What a figure says beside its pictures, caption and all."""
    place = room._places[key]
    parts = (*(pane for pane, _ in place._saying), place._caption)
    return "".join(str(part.pane.object) for part in parts)


@pytest.fixture(scope="module")
def views() -> dict[str, Any]:
    return viewed()


@pytest.fixture(scope="module")
def view(views: dict[str, Any]) -> Any:
    """The figure that leads; all figures see the same stored runs."""
    return views["losses"]


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(data_path("train_runs")) as pack:
        return {name: pack[name] for name in pack.files if name != "meta"}


def test_the_table_is_taken_from_the_file(view: Any, stored: dict[str, np.ndarray]) -> None:
    """Mean and sd over seeds, and the mean of the differences to none of the same seed."""
    losses = stored["held_out"].astype(float)
    difference = losses - losses[view.runs.schemes.index("none")]
    for index, row in enumerate(view.comparisons):
        assert row.scheme == view.runs.schemes[index]
        assert row.seeds == losses.shape[1] >= 5
        assert row.mean == pytest.approx(losses[index].mean(), abs=1e-9)
        assert row.sd == pytest.approx(losses[index].std(ddof=1), abs=1e-9)
        assert row.difference == pytest.approx(difference[index].mean(), abs=1e-9)
    assert len(view.comparisons) == 6


def test_curves_are_means_with_the_lowest_and_highest_seed(
    views: dict[str, Any], stored: dict[str, np.ndarray]
) -> None:
    for spans, losses in (
        (views["losses"].spans, stored["curve"]),
        (views["positions"].spans, stored["by_position"]),
        (views["beyond"].spans, stored["long_loss"]),
    ):
        np.testing.assert_allclose(spans.mean, losses.mean(axis=1), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(spans.low, losses.min(axis=1))
        np.testing.assert_array_equal(spans.high, losses.max(axis=1))
        assert len(spans.x) == losses.shape[2]
    curve = views["losses"].spans
    assert curve.x[0] == 0
    assert curve.x[-1] == views["losses"].runs.config.steps
    assert views["positions"].spans.x == tuple(range(1, 33))


def test_untrained_the_loss_is_near_ln_V_and_rows_begin_with_the_chosen_spread(view: Any) -> None:
    """ln 66 = 4.190 for the 66 characters of the plays; rows of E are drawn with standard deviation 1."""
    uniform = math.log(66)
    assert view.runs.baselines.uniform == pytest.approx(uniform)
    assert abs(view.untrained - uniform).max() < 0.1
    E_sd = float(view.runs.E[0].astype(float).std())
    assert E_sd == pytest.approx(view.runs.config.embedding_sd, abs=0.05)
    assert f"(measured {E_sd:.3f})" in html(ROOM(), "rows")


def test_none_beats_what_frequencies_alone_can_reach(view: Any) -> None:
    base, none = view.runs.baselines, view.mean_of("none")
    assert none.mean < base.bigram < base.unigram < base.uniform
    for scheme in ("sinusoidal", "learned", "rope", "alibi"):
        assert view.mean_of(scheme).difference < -0.1
        assert worth(view.mean_of(scheme)) == "better"
    assert worth(view.mean_of("raw")) == "worse"
    assert worth(replace(view.mean_of("raw"), limit=1.0)) == "noise"


def test_middles_of_bins_are_positions_counted_from_one() -> None:
    """Positions 0 to 7 are 1 to 8 counted from 1, their middle is 4.5; 8 to 15 are 9 to 16, 12.5."""
    assert middles(np.array([0, 8, 16])) == [4.5, 12.5]


def test_the_caption_has_the_numbers_of_the_chosen_scheme(view: Any) -> None:
    rope, base = view.mean_of("rope"), view.runs.baselines
    said = ROOM.figure("losses").caption(view)
    for number in (rope.mean, rope.sd, -rope.difference, base.uniform, base.unigram, base.bigram):
        assert f"{number:.3f}" in said
    assert "RoPE ends at" in said
    assert "below uniform" in described(scheme="none")
    assert "above no position" in described(scheme="raw")


def test_learned_positions_show_their_own_refusal() -> None:
    said = html(ROOM(), "beyond")
    assert "position 32 has no row: the table was trained for 32 positions" in said
    assert said.count("lab-error") == 1
    # no other scheme refuses, and each has a last loss
    for title in ("No position", "Raw index", "Sinusoidal", "RoPE", "ALiBi"):
        assert f"{title} 2." in said


def test_what_is_said_of_blindness_is_computed(views: dict[str, Any]) -> None:
    one, two = views["positions"].changes
    assert one.change < 1e-12
    assert two.change > 1e-3
    said = html(ROOM(), "positions")
    assert "logits by 0," in said
    assert f"{two.change:.3f}" in said
    base, none = views["positions"].base, views["positions"].none.mean
    for number in (none, base.uniform - none, base.uniform - base.unigram, base.unigram - base.bigram):
        assert f"{number:.3f}" in said


def test_nothing_is_claimed_of_frequent_and_rare_rows(views: dict[str, Any]) -> None:
    said = ROOM.figure("movement").caption(views["movement"])
    assert "no rule is read from it" in said
    still = ROOM.figure("movement").caption(viewed(moment=0)["movement"])
    assert "nothing has moved yet" in still


def test_characters_of_one_frequency_have_no_rank_correlation(views: dict[str, Any]) -> None:
    shown = views["movement"].shown
    equal = replace(shown, occurrences=np.full_like(shown.occurrences, 1500))
    said = figure("movement").finding("Your run", equal)
    assert "1,500 times" in said
    assert "all characters occur equally often" in said
    assert "no rank correlation" in said
    assert "nothing has moved" not in said


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    assert [signed(value) for value in (-0.0004, 0.0, 0.0004, -0.0006, 0.25)] == [
        "0.000",
        "0.000",
        "0.000",
        "−0.001",
        "+0.250",
    ]


def test_levels_closer_than_a_line_share_a_label() -> None:
    spread = figure("losses").spread()
    spread.set_y(0.0, 1.0)
    spread.set_levels([(0.693, "uniform 0.693"), (0.692, "unigram 0.692"), (0.1, "bigram 0.1")])
    assert spread.levels.data["word"] == ["uniform 0.693 and unigram 0.692", "", "bigram 0.1"]
    assert spread.levels.data["y"] == [0.693, 0.692, 0.1]
    # one above the frame takes no other's words along
    spread.set_y(0.0, 0.6925)
    spread.set_levels([(0.693, "uniform 0.693"), (0.692, "unigram 0.692")])
    assert spread.levels.data["word"] == ["uniform 0.693", "unigram 0.692"]


def test_the_file_button_stays_in_its_column(own: OwnText) -> None:
    """A field that does not stretch is 300 pixels wide, hidden or not, and its column with it."""
    for pane in own._upload.pane:
        assert pane.sizing_mode == "stretch_width"


def test_the_moment_picks_the_copy_of_the_rows(views: dict[str, Any], stored: dict[str, np.ndarray]) -> None:
    for moment in (0, 4, TENTHS):
        for table in ("output", "E"):
            shown = viewed(moment=moment, rows=table)["movement"].shown
            assert shown.steps == stored["row_steps"][moment] == 100 * moment
            before, now = (stored[table][at].astype(float) for at in (0, moment))
            np.testing.assert_allclose(
                shown.movement.moved, np.linalg.norm(now - before, axis=1), rtol=1e-5, atol=1e-6
            )
    shown = views["rows"].shown
    before, now = shown.same_class
    assert now.share > before.share + 0.3
    assert shown.classes == tuple(character_class(token) for token in views["rows"].runs.tokens)


def test_a_run_under_way_shows_its_last_copy() -> None:
    rng = np.random.default_rng(0)
    copies = [rng.normal(size=(4, 6)) for _ in range(3)]
    counts = np.array([5, 4, 3, 0])
    shown = RowsShown(copies, copies, [0, 10, 20], TENTHS, tuple("abA."), counts)
    assert (shown.copy, shown.steps) == (2, 20)
    assert RowsShown(copies, copies, [0, 10, 20], 1, tuple("abA."), counts).steps == 10
    many = [rng.normal(size=(4, 6)) for _ in range(12)]
    assert RowsShown(many, many, list(range(12)), TENTHS, tuple("abA."), counts).copy == 11
    assert RowsShown(many, many, list(range(12)), 0, tuple("abA."), counts).copy == 0


def test_of_many_characters_the_commonest_are_shown() -> None:
    """A text of 3,000 different characters: 400 rows, since every row is compared with every other."""
    rng = np.random.default_rng(0)
    V = 3_000
    copies = [rng.normal(size=(V, 4)) for _ in range(2)]
    counts = rng.integers(0, 500, size=V)
    tokens = tuple(chr(0x4E00 + at) for at in range(V))
    shown = RowsShown(copies, copies, [0, 10], TENTHS, tokens, counts)
    assert len(shown.tokens) == len(shown.classes) == MOST_ROWS
    assert shown.maps.scores.shape == (2, MOST_ROWS, 2)
    least = np.sort(counts)[-MOST_ROWS]
    assert (shown.movement.counts >= least).all()
    assert [counts[tokens.index(sign)] for sign in shown.tokens] == shown.movement.counts.tolist()
    said = ROOM.figure("rows").caption(_with_rows(shown))
    assert f"{MOST_ROWS} commonest of its 3,000" in said
    few = RowsShown([copies[0][:9]] * 2, [copies[0][:9]] * 2, [0, 10], TENTHS, tokens[:9], counts[:9])
    assert len(few.tokens) == 9
    assert "commonest" not in ROOM.figure("rows").caption(_with_rows(few))


def _with_rows(shown: RowsShown) -> Any:
    view = ROOM.figure("rows").viewed(DEFAULTS)
    view.__dict__["shown"] = shown
    return view


def test_only_scheme_and_seed_may_differ_for_losses_to_compare(view: Any) -> None:
    config = view.runs.config
    assert view.like_stored
    assert is_like(replace(config, scheme="alibi", seed=77, snapshot_every=5), config)
    for changed in ({"steps": 900}, {"layers": 2}, {"tied": True}, {"learning_rate": 0.1}, {"T": 16}):
        assert not is_like(replace(config, **changed), config), changed
    assert settings(replace(config, steps=20, layers=2, tied=True, learning_rate=10.0), config) == (
        "20 steps, 2 layers, tied, rate 10"
    )
    assert settings(replace(config, T=16), config) == "other sizes"
    for changed in ({"D": 96}, {"embedding_sd": 0.02}):
        assert not is_like(replace(config, **changed), config), changed
        assert settings(replace(config, **changed), config) not in ("", "other sizes")


OTHER = [{"layers": 2}, {"tied": True}, {"rate": 0.001}, {"steps": 200}, {"width": 96}, {"start": 0.02}]


@pytest.mark.parametrize("changed", [*OTHER, {key: value for one in OTHER for key, value in one.items()}])
def test_stored_numbers_are_called_so_where_the_settings_are_others(
    changed: dict[str, Any], view: Any
) -> None:
    """The figures keep the stored runs: caption and headline name what differs."""
    other = viewed(**changed)["losses"]
    assert not other.like_stored
    caption = ROOM.figure("losses").caption
    differs = settings(other.config, view.runs.config)
    assert differs
    assert differs in caption(other)
    assert whole(view.runs.config) in caption(other)
    assert whole(view.runs.config) not in caption(view)
    room = ROOM("&".join(f"{name}={str(value).lower()}" for name, value in changed.items()))
    assert differs in str(room._headline.pane.object)


def test_show_me_of_every_question_changes_what_is_drawn() -> None:
    """What a question settles is seen: some figure is drawn anew with other content."""

    def drawn(room: TrainRoom) -> list[Any]:
        figures = {key: place.figure for key, place in room._places.items()}
        pages = [html(room, key) for key in figures]
        return [*pages, figures["rows"].now.source.data, figures["positions"].curves._lines]

    room = ROOM()
    for scheme in ("learned", "none", "alibi"):
        for number, question in enumerate(ROOM.asked):
            room.apply({"scheme": scheme})
            before, values = [str(part) for part in drawn(room)], room.values()
            room.apply(question.show)
            changes = room.values() != values
            assert ([str(part) for part in drawn(room)] != before) is changes, number


def test_the_order_of_earlier_characters_is_drawn_for_the_settings() -> None:
    one, two, rope = (
        viewed(**changed)["order"]
        for changed in ({"scheme": "none"}, {"scheme": "none", "layers": 2}, {"scheme": "rope"})
    )
    assert one.found.same
    assert one.found.change < 1e-12
    assert not two.found.same
    assert two.found.change > 1e-3
    assert rope.found.change > 1e-3
    assert viewed(seed=5)["order"].found.largest != rope.found.largest
    order = figure("order")
    assert order.logits(one) != order.logits(two)
    assert len({order.caption(view) for view in (one, two, rope)}) == 3


def test_the_sizes_are_those_of_the_model_that_starts(view: Any) -> None:
    """66 characters: E and output 66 x 48, then 48 x (3 + 1) x 48 and twice 48 x 96."""
    assert view.parameters == 2 * 66 * 48 + 4 * 48 * 48 + 2 * 48 * 96 == 24_768
    wide = viewed(width=96, layers=2, tied=True)["losses"]
    assert wide.parameters == 66 * 96 + 2 * (4 * 96 * 96 + 2 * 96 * 192)
    assert "24,768" in html(ROOM(), "losses")
    for width in WIDTHS:
        for scheme in view.runs.schemes:
            state = {**DEFAULTS, "width": width, "scheme": scheme}
            assert ROOM.figure("losses").viewed(state).parameters > 0


def test_both_ends_come_to_agree_on_what_is_alike(
    views: dict[str, Any], stored: dict[str, np.ndarray]
) -> None:
    """Nothing ties E and the output matrix here; their likeness rises from chance, and is small."""
    start, end = views["rows"].shown.alike
    assert start == pytest.approx(alike(stored["E"][0], stored["output"][0]), abs=1e-9)
    assert abs(start) < 0.05 < 0.1 < end < 0.2


def test_the_criterion_is_that_of_eight_seeds_and_five_comparisons(view: Any) -> None:
    """Student's t, 7 degrees of freedom, two-sided, .05 / 5 = .01: 3.499 in any table."""
    assert view.chosen.quantile == pytest.approx(3.499, abs=5e-4)
    assert view.chosen.limit == pytest.approx(
        max(0.01, 3.49948 * view.chosen.difference_sd / math.sqrt(8)), abs=1e-6
    )
    losses = {key: view.runs.by_scheme()[key].astype(float) for key in ("sinusoidal", "learned")}
    row = compare(losses, "sinusoidal")[1]
    assert row.difference == pytest.approx(0.0148, abs=1e-4)
    assert row.noise


def test_a_run_is_held_against_none_of_its_own_seed(view: Any) -> None:
    config = replace(view.runs.config, scheme="rope", seed=3)
    run = Finished(config, own_text=False, steps=1000, held_out=2.0, reason="")
    none = float(view.runs.held_out[0, view.runs.seeds.index(3)])
    assert run.difference_to_none(view.runs) == pytest.approx(2.0 - none)
    assert replace(run, config=replace(config, seed=99)).difference_to_none(view.runs) is None
    assert replace(run, own_text=True).difference_to_none(view.runs) is None
    assert replace(run, held_out=None).difference_to_none(view.runs) is None
    assert replace(run, config=replace(config, layers=2)).difference_to_none(view.runs) is None


def test_the_table_holds_runs_that_compare_and_the_list_the_others(view: Any) -> None:
    config = replace(view.runs.config, scheme="alibi", seed=12)
    good = Finished(config, False, 1000, 2.25, "")
    other = Finished(replace(config, layers=2), False, 1000, 2.2, "")
    broken = Finished(config, False, 3, None, "the loss is not finite")
    made = figure("comparison", ended=(good, other, broken))
    view = made.viewed(DEFAULTS)
    assert made.table(view).count("Yours: ALiBi, seed 12") == 1
    listed = made.history(view)
    assert "ALiBi, seed 12 (2 layers): 2.200" in listed
    assert "ALiBi, seed 12: the loss is not finite, after 3 steps" in listed
    made = figure("comparison", ended=(good,))
    assert made.history(made.viewed(DEFAULTS)) == ""


def test_dots_are_means_of_batches_and_end_with_the_last_ones() -> None:
    """1,000 steps make 200 dots of 5 batches: the first stands at step 3 with the mean of steps 1 to 5."""
    losses = np.arange(1.0, 1001.0)
    x, y = batches(losses, 1000)
    assert batches_a_dot(1000) == 5
    assert len(x) == DOTS
    assert (x[0], y[0]) == (3.0, 3.0)
    assert (x[-1], y[-1]) == (998.0, 998.0)
    x, y = batches(losses[:7], 1000)
    assert list(zip(x, y, strict=True)) == [(3.0, 3.0), (6.0, 6.0), (7.0, 7.0)]
    x, y = batches(np.array([4.0, np.inf, np.nan]), 1000)
    assert (x, y) == ([1.0], [4.0])


def test_samples_are_printed_safely() -> None:
    said = printed("<b>\nto be\t\x00")
    assert "&lt;b&gt;" in said
    assert "<i>↵</i> to be␉␀" in said


@pytest.fixture
def own() -> OwnText:
    made = OwnText()
    made._choice.source = "own"
    return made


def said_of(own: OwnText) -> str:
    return str(own._said.pane.object)


def test_own_text_is_missing_until_it_is_given(own: OwnText) -> None:
    with pytest.raises(ValueError, match="paste at least 2,000 characters, or choose a file"):
        own.loader()
    own._choice.source = "plays"
    assert own.loader()().V == 66


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("too short", "the text has 9 characters; training needs at least 2,000: add more"),
        ("a" * 3000, "over and over; training needs two different characters"),
        ("ab" * 1_000_001, "at most 2,000,000 are taken"),
        ("ab" * 2000 + "\ud800", "half of a surrogate pair"),
    ],
)
def test_a_text_that_cannot_be_trained_on_is_refused_in_words(own: OwnText, text: str, words: str) -> None:
    own._choice.text = text
    assert words in said_of(own).replace("&#39;", "'")
    with pytest.raises(ValueError, match="no text of your own yet"):
        own.loader()


def test_own_text_is_taken_and_described(own: OwnText) -> None:
    own._choice.text = "to be, or not to be. " * 200 + "Z"
    said = said_of(own)
    assert "10 different characters" in said
    assert "not part of the link" in said
    assert "Only in the held-out part, so never learned: Z" in said
    assert own.loader()().V == 10
    # a second text that is refused leaves no older one in its place
    own._choice.text = "short"
    with pytest.raises(ValueError, match="no text of your own"):
        own.loader()


def test_a_file_is_checked_as_a_text_is(own: OwnText) -> None:
    own._from_file("<poem>.txt", b"\xff" * 3000)
    assert "byte 0 of the file (0xff) is not UTF-8" in said_of(own)
    assert "<poem>" not in said_of(own)
    own._from_file("poem.txt", b"\xef\xbb\xbf" + b"to be, or not. " * 200)
    assert own.loader()().V == 9


def test_it_opens_whatever_the_address_says() -> None:
    room = ROOM("steps=999999&rate=7&layers=3&seed=-1&scheme=magic&text=hello")
    assert len(room._notices) == 6
    assert room.values() == {**DEFAULTS, "page": None}
    assert "text" not in room.values()


def test_the_page_says_what_start_would_do() -> None:
    room = ROOM("scheme=alibi&seed=5&steps=200")
    said = str(room._headline.pane.object)
    assert "Start trains ALiBi with seed 5 for 200 steps" in said
    assert f"{room.view['losses'].runs.held_out.size} runs made before" in said
    assert room._go.label == "Start"
    assert room._stop.disabled


def test_stored_samples_stand_in_until_a_run_writes_its_own(view: Any) -> None:
    said = html(ROOM("scheme=none"), "samples")
    assert "stored run of No position, seed 0" in said
    for step in view.runs.samples["none"]:
        assert f"after {step:,}" in said


DRAWN = {
    "scheme": {"losses", "samples", "comparison", "positions", "order", "beyond"},
    "rows": {"rows", "movement"},
    "moment": {"rows", "movement"},
    "close": {"losses"},
    "steps": {"losses"},
}


@pytest.mark.parametrize("name", DRAWN)
def test_what_a_control_does_not_change_is_not_drawn_again(name: str, monkeypatch: Any) -> None:
    """A page of eight figures redraws what changed: the stored curves are assigned once."""
    room = ROOM("")
    drawn: set[str] = set()
    curves = [room._places[key].figure.curves for key in ("losses", "positions", "beyond")]
    for key, place in room._places.items():
        monkeypatch.setattr(place.figure, "draw", _counting(place.figure.draw, key, drawn))
    for spread in curves:
        monkeypatch.setattr(spread, "set", lambda *_: pytest.fail("stored curves are drawn again"))
    values = {"scheme": "alibi", "rows": "E", "moment": 3, "close": True, "steps": 40}
    setattr(room.state, name, values[name])
    assert drawn == DRAWN[name]


def _counting(draw: Any, key: str, drawn: set[str]) -> Any:
    def count(view: Any) -> None:
        drawn.add(key)
        draw(view)

    return count


def test_the_largest_text_is_what_the_corpus_takes() -> None:
    assert Corpus.from_text("ab" * (MAX_BYTES // 2)).V == 2
