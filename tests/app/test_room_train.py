"""The room `train`: its numbers against the stored file, what it says of them, and a reader's own text."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.rooms.train import ROOM, TrainRoom, model, quiz, sections, stage, words
from app.rooms.train.compute import MOST_ROWS, TENTHS, WIDTHS, View, compute, is_like, middles, rows_shown
from app.rooms.train.history import Finished, settings, whole
from app.rooms.train.own import OwnText
from app.rooms.train.plots import DOTS, Losses, batches, batches_a_dot
from lab.data import data_path
from lab.run_study import alike
from lab.training import Corpus, character_class, compare
from lab.training.corpus import MAX_BYTES

DEFAULTS = quiz.DEFAULTS


@pytest.fixture(scope="module")
def view() -> View:
    return compute(**DEFAULTS)


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(data_path("train_runs")) as pack:
        return {name: pack[name] for name in pack.files if name != "meta"}


def test_the_table_is_taken_from_the_file(view: View, stored: dict[str, np.ndarray]) -> None:
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


def test_curves_are_means_with_the_lowest_and_highest_seed(view: View, stored: dict[str, np.ndarray]) -> None:
    for spans, losses in (
        (view.curve, stored["curve"]),
        (view.by_position, stored["by_position"]),
        (view.long, stored["long_loss"]),
    ):
        np.testing.assert_allclose(spans.mean, losses.mean(axis=1), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(spans.low, losses.min(axis=1))
        np.testing.assert_array_equal(spans.high, losses.max(axis=1))
        assert len(spans.x) == losses.shape[2]
    assert view.curve.x[0] == 0
    assert view.curve.x[-1] == view.runs.config.steps
    assert view.by_position.x == tuple(range(1, 33))


def test_untrained_the_loss_is_near_ln_V_and_rows_begin_with_the_chosen_spread(view: View) -> None:
    """ln 66 = 4.190 for the 66 characters of the plays; rows of E are drawn with standard deviation 1."""
    uniform = math.log(66)
    assert view.runs.baselines.uniform == pytest.approx(uniform)
    assert abs(view.untrained - uniform).max() < 0.1
    assert view.E_sd == pytest.approx(view.runs.config.embedding_sd, abs=0.05)


def test_none_beats_what_frequencies_alone_can_reach(view: View) -> None:
    base, none = view.runs.baselines, view.mean_of("none")
    assert none.mean < base.bigram < base.unigram < base.uniform
    for scheme in ("sinusoidal", "learned", "rope", "alibi"):
        assert view.mean_of(scheme).difference < -0.1
        assert stage.verdict_of(view.mean_of(scheme)) == "better"
    assert stage.verdict_of(view.mean_of("raw")) == "worse"
    assert stage.verdict_of(replace(view.mean_of("raw"), limit=1.0)) == "noise"


def test_middles_of_bins_are_places_counted_from_one() -> None:
    """Positions 0 to 7 are places 1 to 8, their middle is 4.5; 8 to 15 are 9 to 16, 12.5."""
    assert middles(np.array([0, 8, 16])) == [4.5, 12.5]


def test_the_caption_has_the_numbers_of_the_chosen_scheme(view: View) -> None:
    rope, base = view.mean_of("rope"), view.runs.baselines
    said = words.describe(view)
    for number in (rope.mean, rope.sd, -rope.difference, base.uniform, base.unigram, base.bigram):
        assert f"{number:.3f}" in said
    assert "RoPE ends at" in said
    none = words.describe(compute(**{**DEFAULTS, "scheme": "none"}))
    assert "below uniform" in none
    raw = words.describe(compute(**{**DEFAULTS, "scheme": "raw"}))
    assert "above no position" in raw


def test_learned_positions_show_their_own_refusal(view: View) -> None:
    said = sections.beyond_finding(view, None)
    assert "position 32 has no row: the table was trained for 32 positions" in said
    assert said.count("lab-error") == 1
    # no other scheme refuses, and each has a last loss
    for title in ("No position", "Raw index", "Sinusoidal", "RoPE", "ALiBi"):
        assert f"{title} 2." in said


def test_what_is_said_of_blindness_is_computed(view: View) -> None:
    assert view.one_layer.change < 1e-12
    assert view.two_layers.change > 1e-3
    said = sections.blindness(view)
    assert "logits by 0," in said
    assert f"{view.two_layers.change:.3f}" in said


def test_nothing_is_claimed_of_frequent_and_rare_rows(view: View) -> None:
    said = sections.movement_finding("This run", view.shown)
    assert "no rule is read from it" in said
    still = sections.movement_finding("This run", compute(**{**DEFAULTS, "moment": 0}).shown)
    assert "nothing has moved yet" in still


def test_characters_of_one_frequency_have_no_rank_correlation(view: View) -> None:
    equal = replace(view.shown.movement, counts=np.full_like(view.shown.movement.counts, 1500))
    said = sections.movement_finding("Your run", replace(view.shown, movement=equal))
    assert "all characters occur equally often, so there is no rank correlation" in said
    assert "nothing has moved" not in said


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    assert [stage.signed(value) for value in (-0.0004, 0.0, 0.0004, -0.0006, 0.25)] == [
        "0.000",
        "0.000",
        "0.000",
        "−0.001",
        "+0.250",
    ]


def test_levels_closer_than_a_line_share_a_label() -> None:
    spread = Losses().spread
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


def test_the_moment_picks_the_copy_of_the_rows(view: View, stored: dict[str, np.ndarray]) -> None:
    for moment in (0, 4, TENTHS):
        for table in ("output", "E"):
            shown = compute(**{**DEFAULTS, "moment": moment, "rows": table}).shown
            assert shown.steps == stored["row_steps"][moment] == 100 * moment
            before, now = (stored[table][at].astype(float) for at in (0, moment))
            np.testing.assert_allclose(
                shown.movement.moved, np.linalg.norm(now - before, axis=1), rtol=1e-5, atol=1e-6
            )
    assert view.shown.now.share > view.shown.before.share + 0.3
    assert view.shown.classes == tuple(character_class(token) for token in view.runs.tokens)


def test_a_run_under_way_shows_its_last_copy() -> None:
    rng = np.random.default_rng(0)
    copies = [rng.normal(size=(4, 6)) for _ in range(3)]
    counts = np.array([5, 4, 3, 0])
    shown = rows_shown(copies, copies, [0, 10, 20], TENTHS, tuple("abA."), counts)
    assert (shown.copy, shown.steps) == (2, 20)
    assert rows_shown(copies, copies, [0, 10, 20], 1, tuple("abA."), counts).steps == 10
    many = [rng.normal(size=(4, 6)) for _ in range(12)]
    assert rows_shown(many, many, list(range(12)), TENTHS, tuple("abA."), counts).copy == 11
    assert rows_shown(many, many, list(range(12)), 0, tuple("abA."), counts).copy == 0


def test_of_many_characters_the_commonest_are_shown() -> None:
    """A text of 3,000 different characters: 400 rows, since every row is compared with every other."""
    rng = np.random.default_rng(0)
    V = 3_000
    copies = [rng.normal(size=(V, 4)) for _ in range(2)]
    counts = rng.integers(0, 500, size=V)
    tokens = tuple(chr(0x4E00 + at) for at in range(V))
    shown = rows_shown(copies, copies, [0, 10], TENTHS, tokens, counts)
    assert len(shown.tokens) == len(shown.classes) == MOST_ROWS
    assert shown.left_out == V - MOST_ROWS
    least = np.sort(counts)[-MOST_ROWS]
    assert (shown.movement.counts >= least).all()
    assert [counts[tokens.index(sign)] for sign in shown.tokens] == shown.movement.counts.tolist()
    assert f"{MOST_ROWS} commonest of its 3,000" in sections.rows_finding("Your run", shown)
    few = rows_shown([copies[0][:9]] * 2, [copies[0][:9]] * 2, [0, 10], TENTHS, tokens[:9], counts[:9])
    assert few.left_out == 0
    assert "commonest" not in sections.rows_finding("Your run", few)


def test_only_scheme_and_seed_may_differ_for_losses_to_compare(view: View) -> None:
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
    changed: dict[str, Any], view: View
) -> None:
    """The figures keep the stored runs: caption and headline name what differs."""
    other = compute(**{**DEFAULTS, **changed})
    assert not other.like_stored
    differs = settings(other.config, view.runs.config)
    assert differs
    assert differs in words.describe(other)
    assert whole(view.runs.config) in words.describe(other)
    assert whole(view.runs.config) not in words.describe(view)
    room = ROOM("&".join(f"{name}={str(value).lower()}" for name, value in changed.items()))
    assert differs in str(room._html["headline"].pane.object)


def test_show_me_of_every_question_changes_what_is_drawn() -> None:
    """What a question settles is seen: some figure is drawn anew with other content."""

    def drawn(room: TrainRoom) -> list[Any]:
        pages = [str(made.pane.object) for made in room._html.values()]
        return [*pages, room._rows.now.source.data, room._places.inside._lines]

    room = ROOM()
    for scheme in ("learned", "none", "alibi"):
        for number, question in enumerate(quiz.questions()):
            room.apply({"scheme": scheme})
            before, values = [str(part) for part in drawn(room)], room.values()
            room.apply(question.show)
            changes = room.values() != values
            assert ([str(part) for part in drawn(room)] != before) is changes, number


def test_the_order_of_earlier_characters_is_drawn_for_the_settings() -> None:
    one, two, rope = (
        compute(**{**DEFAULTS, **changed})
        for changed in ({"scheme": "none"}, {"scheme": "none", "layers": 2}, {"scheme": "rope"})
    )
    assert one.order.same
    assert one.order.change < 1e-12
    assert not two.order.same
    assert two.order.change > 1e-3
    assert rope.order.change > 1e-3
    assert compute(**{**DEFAULTS, "seed": 5}).order.largest != rope.order.largest
    assert model.order(one) != model.order(two)


def test_the_sizes_are_those_of_the_model_that_starts(view: View) -> None:
    """66 characters: E and output 66 x 48, then 48 x (3 + 1) x 48 and twice 48 x 96."""
    assert view.parameters == 2 * 66 * 48 + 4 * 48 * 48 + 2 * 48 * 96 == 24_768
    wide = compute(**{**DEFAULTS, "width": 96, "layers": 2, "tied": True})
    assert wide.parameters == 66 * 96 + 2 * (4 * 96 * 96 + 2 * 96 * 192)
    assert "24,768" in model.model(view)
    for width in WIDTHS:
        for scheme in view.runs.schemes:
            assert compute(**{**DEFAULTS, "width": width, "scheme": scheme}).parameters > 0


def test_both_ends_come_to_agree_on_what_is_alike(view: View, stored: dict[str, np.ndarray]) -> None:
    """Nothing ties E and the output matrix here; their likeness rises from chance, and is small."""
    start, end = view.shown.alike
    assert start == pytest.approx(alike(stored["E"][0], stored["output"][0]), abs=1e-9)
    assert abs(start) < 0.05 < 0.1 < end < 0.2


def test_the_criterion_is_that_of_eight_seeds_and_five_comparisons(view: View) -> None:
    """Student's t, 7 degrees of freedom, two-sided, .05 / 5 = .01: 3.499 in any table."""
    assert view.chosen.quantile == pytest.approx(3.499, abs=5e-4)
    assert view.chosen.limit == pytest.approx(
        max(0.01, 3.49948 * view.chosen.difference_sd / math.sqrt(8)), abs=1e-6
    )
    losses = {key: view.runs.by_scheme()[key].astype(float) for key in ("sinusoidal", "learned")}
    row = compare(losses, "sinusoidal")[1]
    assert row.difference == pytest.approx(0.0148, abs=1e-4)
    assert row.noise


def test_a_run_is_held_against_none_of_its_own_seed(view: View) -> None:
    config = replace(view.runs.config, scheme="rope", seed=3)
    run = Finished(config, own_text=False, steps=1000, held_out=2.0, reason="")
    none = float(view.runs.held_out[0, view.runs.seeds.index(3)])
    assert run.difference_to_none(view) == pytest.approx(2.0 - none)
    assert replace(run, config=replace(config, seed=99)).difference_to_none(view) is None
    assert replace(run, own_text=True).difference_to_none(view) is None
    assert replace(run, held_out=None).difference_to_none(view) is None
    assert replace(run, config=replace(config, layers=2)).difference_to_none(view) is None


def test_the_table_holds_runs_that_compare_and_the_list_the_others(view: View) -> None:
    config = replace(view.runs.config, scheme="alibi", seed=12)
    good = Finished(config, False, 1000, 2.25, "")
    other = Finished(replace(config, layers=2), False, 1000, 2.2, "")
    broken = Finished(config, False, 3, None, "the loss is not finite")
    assert stage.table(view, [good, other, broken]).count("Yours: ALiBi, seed 12") == 1
    listed = stage.history(view, [good, other, broken], None)
    assert "ALiBi, seed 12 (2 layers): 2.200" in listed
    assert "ALiBi, seed 12: the loss is not finite, after 3 steps" in listed
    assert stage.history(view, [good], None) == ""


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
    said = stage.printed("<b>\nto be\t\x00")
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
    assert room.values() == DEFAULTS
    assert "text" not in room.values()


def test_the_page_says_what_start_would_do() -> None:
    room = ROOM("scheme=alibi&seed=5&steps=200")
    said = str(room._html["headline"].pane.object)
    assert "Start trains ALiBi with seed 5 for 200 steps" in said
    assert f"{room.view.runs.held_out.size} runs made before" in said
    assert room._go.label == "Start"
    assert room._stop.disabled


def shown(room: TrainRoom, part: str) -> str:
    return str(room._html[part].pane.object)


def test_stored_samples_stand_in_until_a_run_writes_its_own(view: View) -> None:
    room = ROOM("scheme=none")
    assert "the stored run of No position, seed 0" in shown(room, "samples")
    for step in view.runs.samples["none"]:
        assert f"after {step:,}" in shown(room, "samples")


@pytest.mark.parametrize("name", ["scheme", "rows", "moment", "close"])
def test_what_a_control_does_not_change_is_not_drawn_again(name: str, monkeypatch: Any) -> None:
    """A page of seven figures redraws what changed: the stored curves are assigned once."""
    room = ROOM("")
    drawn: list[str] = []
    for part in ("_draw_stored", "_draw_table", "_draw_places", "_draw_rows"):
        monkeypatch.setattr(room, part, lambda *_, part=part: drawn.append(part))
    setattr(room.state, name, {"scheme": "alibi", "rows": "E", "moment": 3, "close": True}[name])
    wanted = {"scheme": {"_draw_table"}, "rows": {"_draw_rows"}, "moment": {"_draw_rows"}, "close": set()}
    assert set(drawn) == wanted[name]


def test_the_largest_text_is_what_the_corpus_takes() -> None:
    assert Corpus.from_text("ab" * (MAX_BYTES // 2)).V == 2
