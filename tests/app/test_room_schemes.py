"""The room `schemes`: what a shift moves, what the comparison computes, and a seventh scheme."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from app.kit import formula as formulas
from app.kit.figure import Figure
from app.kit.html import Markup
from app.kit.schemes import FALLBACK, colour_of
from app.rooms.schemes import ROOM
from app.rooms.schemes.comparison import Comparison
from app.rooms.schemes.model import MOST_WORDS, SPAN, USUAL
from app.rooms.schemes.model.compare import USERS
from lab.notation import FloatArray
from lab.positions import SCHEMES, NoPosition
from lab.positions.base import Enters, signed_positions
from tests.lab import test_positions_contract as contract
from tests.plural import ones

DATA = Path(__file__).resolve().parents[2] / "static" / "data"
RELATIVE = {"none", "rope", "alibi"}


def figure_of(view: Any) -> Figure:
    return next(kind() for kind in ROOM.kinds if kind.view is type(view))


def view_of(show: str = "scores", **changed: Any) -> Any:
    return ROOM.figure(show).viewed({**USUAL, **changed})


def drawn(view: Any) -> Markup:
    """All HTML of a figure's picture."""
    return Markup("").join(part(view) for part in figure_of(view).make() if callable(part))


def shown(view: Any) -> str:
    return str(drawn(view).striptags())


def described(view: Any) -> str:
    return figure_of(view).caption(view)


# scores


def test_a_shift_moves_absolute_scores_and_leaves_the_others() -> None:
    """RoPE, ALiBi and none know distances at most, so their change is rounding, below 1e-12."""
    view = view_of(shift=500)
    for key, change in view.change.items():
        assert change < 1e-12 if key in RELATIVE else change > 1.0
        assert view.stays(key) == (key in RELATIVE)
    assert "Unmoved: No position, RoPE and ALiBi." in described(view)
    for title in ("Raw index", "Sinusoidal", "Learned table"):
        assert f"{title} by up to" in described(view)


def test_all_schemes_are_given_the_same_and_share_one_scale() -> None:
    """Position 0 of a text of one word: RoPE turns by 0, ALiBi's distance is 0, the raw index is 0."""
    view = view_of(text="cat", shift=0)
    single = {key: found.scores.item() for key, found in view.matrices.items()}
    assert single["none"] == single["raw"] == single["rope"] == single["alibi"]
    assert len({single["none"], single["sinusoidal"], single["learned"]}) == 3
    assert shown(view).count("colours end at ±") == 1


def test_equal_words_ask_and_answer_alike_without_positions() -> None:
    """‘the’ stands at places 1 and 4 of the example: rows and columns 1 and 4 are equal under none alone."""
    view = view_of()
    for key, found in view.matrices.items():
        assert np.array_equal(found.scores[0], found.scores[3]) == (key == "none")
        assert np.array_equal(found.scores[:, 0], found.scores[:, 3]) == (key == "none")


def test_the_learned_table_ends_and_says_so() -> None:
    """Five words from 1,019 stand at the last rows, up to 1,023; from 1,020 the fifth asks for row 1,024."""
    last, beyond = view_of(shift=1019), view_of(shift=1020)
    assert last.matrices["learned"].scores is not None
    assert beyond.matrices["learned"].scores is None
    message = "position 1024 has no row: the table was trained for 1024 positions, 0 to 1023"
    assert message in shown(beyond)
    assert "Learned table has no row for these positions." in described(beyond)
    assert r"\text{does not exist}" in "".join(one.filled for one in figure_of(beyond).formula(beyond))


def test_curves_follow_the_distance() -> None:
    """None is flat; ALiBi's head 3 of 8 has slope 1/8: 64 positions lower it by 8."""
    view = view_of(shift=0)
    flat, alibi = (view.lines[key].scores[0] for key in ("none", "alibi"))
    np.testing.assert_allclose(np.ptp(flat), 0.0, atol=1e-12)
    assert alibi[0] - alibi[SPAN] == pytest.approx(8.0, abs=1e-12)
    assert "raw" in view.outside
    low, high = view.still.frame
    assert -12 <= low < high <= 12


def test_the_colours_do_not_follow_the_shift() -> None:
    """The scale is that of the first positions, so a matrix that stays keeps its colours."""
    assert view_of(shift=0).still is view_of(shift=300).still
    assert "Beyond it: Raw index, up to" in shown(view_of(shift=300))


def test_a_long_text_says_what_it_leaves_out() -> None:
    view = view_of(text=" ".join(f"w{i}" for i in range(15)))
    assert view.still.probe.T == MOST_WORDS
    assert "Left out: 3. A matrix holds 12 words." in shown(view)


@pytest.mark.parametrize("text", [" ", "\t \n", "\u3000"])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="This text has no words"):
        view_of(text=text)


def test_what_a_reader_types_stays_text() -> None:
    view = view_of(text="<script>alert(1)</script> \u202eabc")
    assert "<script>" not in drawn(view)
    assert "\u202e" not in drawn(view)
    assert "⟨202E⟩abc" in drawn(view)
    compile(figure_of(view).code(view_of(text="'\"\\ \u202e").s), "code", "exec")


def test_a_head_beyond_the_last_is_the_last() -> None:
    room = ROOM("?head=20&H=4")
    assert (room.state.head, room.view["scores"].head) == (4, 4)
    room.state.H = 2
    assert room.state.head == 2
    assert "head=2" in room._address.value


def test_a_shift_between_the_stops_is_kept() -> None:
    room = ROOM("?shift=137")
    field: Any = room._fields["shift"]
    assert room.state.shift == 137
    assert field.stops[field.widget.value] == 137
    room.state.shift = 138
    assert field.stops[field.widget.value] == 138
    field.widget.value = 0
    assert room.state.shift == 0


# comparison


def test_the_comparison_is_computed() -> None:
    """A table of 1,024 rows of width 32 has 32,768 numbers."""
    view = view_of(show="compare", D=32, shift=500)
    said = shown(view)
    assert "32,768" in said
    assert "refused position 1024 has no row" in said
    assert {row.key for row in view.rows if row.kind == "absolute"} == set(SCHEMES) - RELATIVE
    for row in view.rows:
        assert (row.change < 1e-12) == (row.key in RELATIVE)
        assert all(use.model in said and use.source in said for use in row.users)


def test_the_raw_index_takes_the_row() -> None:
    """4,000 in each of 16 entries is 16,000 long; a row of variance 1 about 4: 99.97 % or more."""
    view = view_of(show="compare")
    assert view.shares["raw"].position == pytest.approx(4000 * 80**0.5)
    assert view.shares["raw"].share > 0.9995
    assert view.shares["sinusoidal"].position == pytest.approx(40**0.5)
    assert "of the row is position" in shown(view)


def test_the_drawing_puts_each_scheme_where_its_hook_acts() -> None:
    drawn = Comparison().stations(view_of(show="compare")).split('class="lab-entry-station"')[1:]
    rows, turns, biases = (Markup(part).striptags() for part in drawn)
    assert all(title in rows for title in ("Raw index", "Sinusoidal", "Learned table"))
    assert "RoPE" in turns
    assert "ALiBi" in biases.split("Nowhere:")[0]
    assert "No position" in biases.split("Nowhere:")[1]


def test_a_shift_of_zero_compares_by_one() -> None:
    view = view_of(show="compare", shift=0)
    assert view.shift == 1
    assert all((row.change or 0) > 0 for row in view.rows if row.kind == "absolute")


def test_the_index_appended_stands_beside_the_index_added() -> None:
    """4,000 in one component of five tokens is 4,000 √5 = 8,944.3 long, in all 16 four times as much."""
    view = view_of(show="compare")
    assert view.appended.position == pytest.approx(4000 * 5**0.5)
    assert view.shares["raw"].position == pytest.approx(4 * view.appended.position)
    assert view.appended.token == view.shares["raw"].token
    said = shown(view)
    for number in ("8,944.3", "component 17", "all 16"):
        assert number in said
    assert any(row[0] == "Raw index, appended" for row in figure_of(view).numbers(view)[1].rows)


def test_what_is_added_enters_once_and_the_others_in_every_layer() -> None:
    said = shown(view_of(show="compare"))
    assert said.count("token rows, once") == 3
    assert "q and k, in every layer" in said
    assert "scores, in every layer" in said


def test_models_of_today_are_named_with_a_source() -> None:
    said = shown(view_of(show="compare"))
    for model in ("Qwen", "Mistral", "Gemma", "DeepSeek", "Llama"):
        assert model in said
    assert all(use.source for uses in USERS.values() for use in uses)


@pytest.mark.parametrize("show", ["scores", "compare", "slopes"])
def test_one_is_no_plural(show: str) -> None:
    """One word, one head, one position further: no ‘1 positions later’ and no ‘1 heads’."""
    view = view_of(show=show, text="cat", shift=1, H=1, head=1)
    said = [shown(view), described(view), *(one.says for one in figure_of(view).formula(view))]
    said += [table.title for table in figure_of(view).numbers(view)]
    assert not ones(" ".join(said))


# slopes and real tables


def test_slopes_of_twelve_heads() -> None:
    """Case alibi-01: the ninth head starts a second list at 2^(-1/2)."""
    view = view_of(show="slopes", H=12)
    assert view.table.released[8] == pytest.approx(2**-0.5)
    assert "0.707107" in shown(view)
    assert "must not be sorted" in shown(view)
    assert "Both rules give the same slopes" in shown(view_of(show="slopes", H=64))


@pytest.mark.parametrize("H", range(1, 65))
def test_slopes_for_every_number_of_heads(H: int) -> None:
    view = view_of(show="slopes", H=H)
    assert len(view.table.released) == H
    power_of_two = H & (H - 1) == 0
    assert view.table.agree == power_of_two


def test_real_tables() -> None:
    whisper = view_of(show="tables")
    assert "The distance explains 77 % of the cosine's variance" in shown(whisper)
    assert "breaks at row 224 of 448: cosine 0.29 with the row before and 0.31" in shown(whisper)
    assert "Row 0 is the longest" in shown(whisper)
    assert "here it hardly shows" in shown(whisper)
    minilm = view_of(show="tables", table="minilm")
    assert "length 0.73 and cosine 0.69 with their neighbours, where 0.48 and 0.85" in shown(minilm)
    assert "unlike the rest" in shown(minilm)
    assert "49 %" in shown(minilm)
    assert "Row 0 is the longest, 2.36 against a median of 0.48." in shown(minilm)
    computed = shown(view_of(show="tables", table="sinusoidal"))
    assert "100 %" in computed
    assert "none stands out" in computed
    assert "Neighbours are alike everywhere" in computed


def test_a_place_beyond_the_table_is_its_last_row() -> None:
    room = ROOM("?show=tables&table=minilm&place=500")
    assert room.state.place == 500
    room.state.table = "whisper"
    assert room.state.place == 447
    assert len(room.view["tables"].from_place) == 1


def test_a_table_is_drawn_when_it_is_shown_and_once() -> None:
    room = ROOM()
    tables: Any = room._places["tables"]
    assert len(tables._picture) == 0
    room.state.show = "tables"
    heat = tables.figure.cosines.source
    image = heat.data["image"][0]
    assert image.shape == (448, 448)
    room.state.place = 7
    assert heat.data["image"][0] is image


# everything a section says


OTHER = {"shift": 1500, "H": 12, "head": 12, "D": 4, "d": 16}


@pytest.mark.parametrize("show", ROOM.keys())
@pytest.mark.parametrize("changed", [{}, OTHER, {"H": 1, "d": 2, "table": "minilm"}])
def test_every_section_says_what_the_lab_computes(
    show: str, changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = view_of(show, **changed)
    assert described(view).endswith(".")
    assert "<merror" not in formulas.show(figure_of(view).formula(view))
    for table in figure_of(view).numbers(view):
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}
    monkeypatch.chdir(DATA.parents[1])
    found: dict[str, Any] = {}
    exec(figure_of(view).code(view.s), found)
    answer = np.asarray(figure_of(view).code_answer(view), dtype=float)
    np.testing.assert_allclose(found["result"], answer, rtol=1e-9, atol=1e-9)


def test_the_questions_are_answered_by_the_lab() -> None:
    answers = [question.answer() for question in ROOM.asked]
    assert [right for right, _ in answers] == [1, 0, 1, 3, 1, 1]
    assert "position 1024 has no row" in answers[1][1]


def test_only_the_controls_of_a_section_are_shown() -> None:
    room = ROOM("?show=slopes")

    def visible() -> list[str]:
        return [name for name, field in room._fields.items() if field.pane.visible and name != "show"]

    assert visible() == ["H", "head"]
    room.state.show = "compare"
    assert visible() == ["text", "shift", "H", "head", "D", "d", "seed"]
    room.state.show = "tables"
    assert visible() == ["table", "place"]
    assert all(field.pane in room.controls for name, field in room._fields.items() if name != "show")


@pytest.mark.parametrize("show", ROOM.keys())
def test_only_the_open_figure_is_made(show: str) -> None:
    room = ROOM(f"?show={show}")
    assert [key for key, place in room._places.items() if place.column.visible] == [show]
    assert [key for key, place in room._places.items() if len(place._picture)] == [show]


def test_what_is_behind_a_closed_tab_waits_until_it_is_opened() -> None:
    room = ROOM()
    room.state.show = "slopes"
    room.state.param.update(H=12, shift=700)
    assert room._sight.placeholder == ""
    assert room._places["scores"].shown.view.s.shift == 16
    room.state.show = "scores"
    assert room._places["scores"].shown.view.s.shift == 700


@pytest.mark.parametrize("figure", ROOM.keys())
@pytest.mark.parametrize("show", ROOM.keys())
def test_a_figure_alone_does_not_follow_what_is_shown(figure: str, show: str) -> None:
    query = "shift=300&H=4&head=9&table=whisper&place=500"
    room = ROOM(f"?figure={figure}&show={show}&{query}")
    assert list(room._places) == [figure]
    place = room._places[figure]
    assert place.column.visible
    caption = ROOM.figure(figure).caption(view_of(figure, shift=300, H=4, head=4))
    assert str(Markup(place._caption.pane.object).striptags()) == caption
    uses = ROOM.figure(figure).uses
    assert [name for name, field in room._fields.items() if field.pane.visible] == [
        name for name in room._fields if name in (*uses, "show")
    ]
    assert room.state.place == (447 if figure == "tables" else 500)
    assert ("its last one, 447," in room._notice.pane.object) == (figure == "tables")


def test_the_usual_values_are_those_of_the_state() -> None:
    assert ROOM().values() == {"show": "scores", **USUAL}


# a seventh scheme: one class, one entry


class LogIndex(NoPosition):
    """Adds the logarithm of the place to each entry."""

    key: ClassVar[str] = "log"
    title: ClassVar[str] = "Log index"
    formula: ClassVar[str] = r"X_{p,c} = E_{t_p,c} + \ln(1 + p)"
    source: ClassVar[str] = "made for this test"
    enters: ClassVar[Enters] = "input"

    def add_to_input(self, x: Any, pos: Any) -> FloatArray:
        rows = super().add_to_input(x, pos)
        added = np.log1p(signed_positions(pos))[:, None]
        return rows + added.astype(rows.dtype)


@pytest.fixture
def seventh(monkeypatch: pytest.MonkeyPatch) -> LogIndex:
    monkeypatch.setitem(SCHEMES, "log", LogIndex)
    return LogIndex()


def test_a_seventh_scheme_is_in_the_room(seventh: LogIndex) -> None:
    """It moves by ln(1 + p) a place, so its scores are absolute; its row is one line of the registry."""
    room = ROOM("?shift=300")
    view, figure = room.view["scores"], room._places["scores"].figure
    assert list(view.matrices) == list(SCHEMES)
    assert "Log index" in shown(view)
    assert "7 schemes" in described(view)
    assert len(figure.curves.sources["log"].data["y"]) == SPAN + 1
    assert any(one.latex == LogIndex.formula for one in figure.formula(view))
    assert any("Log index" in table.title for table in figure.numbers(view))
    assert "# Log index: its rule is not written out here" in figure.code(figure.snapshot(room.values()))


def test_a_seventh_scheme_is_in_the_comparison(seventh: LogIndex) -> None:
    row = view_of(show="compare").rows[-1]
    assert (row.key, row.parameters, row.acts_on, row.kind) == ("log", 0, ("input",), "absolute")
    said = shown(view_of(show="compare"))
    assert said.count("Log index") >= 3
    assert "no model named here" in said


def test_a_seventh_scheme_has_a_colour(seventh: LogIndex) -> None:
    assert colour_of("log") == FALLBACK[0]
    assert [colour_of(key) for key in SCHEMES][:6] == [f"scheme-{key}" for key in list(SCHEMES)[:6]]


def test_a_seventh_scheme_meets_the_contract(seventh: LogIndex) -> None:
    """What holds for every scheme of the registry is asked of it in the same words."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((3, contract.T, contract.D))
    qk = rng.standard_normal((2, contract.H, contract.T, contract.d))
    weights = rng.standard_normal((3, contract.D, contract.H * contract.d))
    contract.test_the_description_is_complete(seventh)
    contract.test_only_the_declared_hook_acts(seventh, x, qk)
    contract.test_shapes_and_types(seventh, x, qk)
    contract.test_inputs_are_not_written_to(seventh, x, qk)
    contract.test_a_batch_is_its_sequences_one_by_one(seventh, x, qk)
    contract.test_positions_are_explicit(seventh, x, qk)
    contract.test_unsigned_positions_mean_the_same(seventh, x, qk)
    for shift in (1, 7, 50):
        contract.test_a_shared_shift_leaves_relative_schemes_alone(seventh, x, weights, shift)
    contract.test_what_is_computed_has_no_limit("log", x)
    contract.test_parameters_and_their_gradient_match(seventh, x)
    contract.test_shapes_that_do_not_fit(seventh, x, qk)


def test_no_answers_of_six_are_kept_for_seven(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(view_of().matrices) == 6
    with monkeypatch.context() as patched:
        patched.setitem(SCHEMES, "log", LogIndex)
        assert len(view_of().matrices) == 7
    assert len(view_of().matrices) == 6
