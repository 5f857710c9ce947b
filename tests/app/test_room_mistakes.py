"""The room `mistakes`: the numbers of the cases as a reader sees them, and every way into a mistake."""

from __future__ import annotations

import html
import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.kit import formula
from app.kit.html import Markup, join
from app.rooms.mistakes import ROOM, quiz
from app.rooms.mistakes.model import ANY, RIGHT, WRONG, Run, Seen, chosen, fitting
from app.rooms.mistakes.rows import read_ids
from app.rooms.mistakes.state import DEFAULTS
from app.rooms.mistakes.versus import DOTTED, VersusBars, VersusCurves, even_steps
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, SYMPTOMS
from tests.golden import case, entry
from tests.plural import ones

CHANGED: dict[str, dict[str, Any]] = {
    "twice": {"m": 12},
    "cache": {"prompt": 30},
    "padding": {"scheme": "rope"},
    "pad_value": {"pad": "own"},
    "stale": {"cached_at": 3000},
    "gradient": {"ids": "4 4, 4 1"},
    "packed": {"first": 2},
    "longer": {"length": 551},
}
"""Another setting of each number that belongs to a mistake."""
STATES = [{"mistake": key} for key in MISTAKES] + [{"mistake": key, **more} for key, more in CHANGED.items()]


class Made(NamedTuple):
    """A mistake in one state: its figure, and what the figure makes of it."""

    figure: Any
    view: Seen

    @property
    def run(self) -> Run:
        return self.view.run

    @property
    def parts(self) -> list[Markup]:
        """What stands on the page in HTML, from top to bottom."""
        return [part(self.view) for part in self.figure.make() if callable(part)]

    @property
    def text(self) -> str:
        """All of it that a reader sees, tags left out, under the head of the figure."""
        return join([self.figure.title, self.figure.lead, *self.parts], " ").striptags()

    @property
    def reads(self) -> dict[str, str]:
        """The numbers that are read off, by name."""
        return {name: value for _, name, value, _ in self.figure.reads(self.view)}

    @property
    def caption(self) -> str:
        return self.figure.caption(self.view)

    @property
    def filled(self) -> str:
        """The first equation with the present numbers."""
        return self.figure.formula(self.view)[0].filled

    @property
    def caught(self) -> bool:
        """Whether the test fails the wrong version."""
        return not self.run.verdicts[WRONG].passed


def make(mistake: str, **changed: Any) -> Made:
    values = {**DEFAULTS, "mistake": mistake, **changed}
    (key,) = ROOM.opened(values)
    figure = ROOM.figure(key)
    return Made(figure, figure.viewed(values))


# the numbers of the cases


def test_rope_01_layouts_mixed() -> None:
    """Distance 7 − 2 = 5 scores −1.142699 with the pairs as trained, −1.429814 with them mixed."""
    view = make("layout")
    values = entry("rope.layout_conversion.d8")["values"]
    right, wrong = values["score_interleaved"], values["score_half_split_without_permute"]
    assert (f"{right:.6f}", f"{wrong:.6f}") == ("-1.142699", "-1.429814")
    assert list(view.reads.values()) == ["−1.142699", "−1.429814", "0.287115"]
    assert "At distance 5 the score is −1.429814 where −1.142699 is right." in view.caption


def test_rope_04_partial_rotation() -> None:
    """x = 1 … 8 at position 3: pair 1 turns by 3 · 10000^(−2/4) = .03, wrongly by 3 · 10000^(−2/8) = .3:
    2 cos .03 − 4 sin .03 = 1.879118 against 2 cos .3 − 4 sin .3 = .728592."""
    text = make("partial").text
    for printed in ("1.879118", "−2.828857", "4.058191", "0.728592", "4.412386"):
        assert printed in text
    # both are printed for dimension 0, and differ in the last digit of the case by rounding alone
    assert "-1.413352,1.879118,-2.828857,4.058191,5,6,7,8" in case("rope-04")["expected"]
    np.testing.assert_allclose(
        make("partial").run.outputs[WRONG][3],
        [-1.413353, 0.728592, -2.828857, 4.412386, 5, 6, 7, 8],
        rtol=0,
        atol=1.5e-6,
    )


def test_rope_05_key_rotated_twice() -> None:
    """m = 7, n = 2: offsets 7 − 2 = 5, 7 − 4 = 3 and 14 − 4 = 10."""
    view = make("twice")
    assert view.reads == {"rotated once": "−1.429814", "key twice": "−3.723953", "both twice": "−2.852279"}
    offsets = [note for *_, note in view.figure.reads(view.view)]
    assert offsets == [f"the score of offset {offset}" for offset in (5, 3, 10)]


def test_pos_01_left_padding() -> None:
    """Two of padding before [3, 4, 5]: 0, 1, 2 by the mask, 2, 3, 4 without it; under RoPE both serve."""
    learned, rope = make("padding"), make("padding", scheme="rope")
    assert learned.reads["right"] == rope.reads["right"] == rope.reads["no positions"] == "0"
    assert min(float(learned.reads[name]) for name in ("no positions", "no mask", "neither")) > 0.01
    assert float(rope.reads["no mask"]) > 0.01
    assert learned.caught
    assert not rope.caught
    assert "with these numbers both do the same" in rope.text
    assert r"[0, 0, 1, 1, 1] \;\to\; p = [–, –, 0, 1, 2]" in learned.filled


def test_pos_03_fairseq() -> None:
    """Padding id 1: the first token stands at 2, so 512 tokens end at 513 and need 514 rows."""
    assert (
        "stand at [1, 1, 2, 3, 4] and [7, 8, 9, 1, 1] at [2, 3, 4, 1, 1], so 512 tokens need 514 rows"
        in make("padding").text
    )


def test_pos_06_cache_off_by_one() -> None:
    """After a prompt of 9: distance 9 − 8 = 1 scores −2.514775, 10 − 8 = 2 −3.619648, 10 − 9 = 1 again."""
    view = make("cache")
    late = {"right": "−2.514775", "query one late": "−3.619648", "both one late": "−2.514775"}
    assert view.reads == late
    assert "right091011wrong0101112" in view.figure.detail(view.view).striptags().replace(" ", "")


def test_pad_01_padding_by_value() -> None:
    """Ids [5, 6, 0, 0, 0] of length 3: the 6 and the first 0 are targets, by value the 6 alone."""
    view = make("pad_value")
    assert view.run.right[0].tolist() == [1, 1, 0, 0]
    assert view.run.wrong[0].tolist() == [1, 0, 0, 0]
    assert "sequence 1: its end token does not count" in view.text
    assert "0 of 3 ends" in view.text
    own = make("pad_value", pad="own")
    assert own.figure.names(own.view)[0] == "5 6 0 11 11"
    assert not own.caught


def test_ctx_01_and_02_yarn() -> None:
    """.1 ln 32 + 1 = 1.346574, twice through the formula 1.466687, 8.9 % more; at 64 1.415888, 1.588851 and
    12.2 %; at 128 1.4852, squared 2.2058, and the logits grow by the squares, 2.2058 and 4.8657."""
    at = {factor: make("yarn_factor", at=factor).text for factor in (32, 64, 128)}
    for factor, printed in (
        (32, ("1.346574", "1.466687", "8.9 % more")),
        (64, ("1.415888", "1.588851", "12.2 % more")),
        (128, ("1.485203", "2.205828", "logits are multiplied by 2.2058", "logits are multiplied by 4.8657")),
    ):
        for number in printed:
            assert number in at[factor], (factor, number)


def test_ctx_06_stale_keys() -> None:
    """The key at 100 cached at 2,049: base 10,000 (2 · 2049/2048 − 1)^(8/6) = 10,013.023, now 43,267.487."""
    view = make("stale")
    assert list(view.reads.values()) == ["−0.72559", "−1.553644", "43,267.487", "10,013.023"]
    assert not make("stale", cached_at=4096).caught


def test_emb_07_repeats() -> None:
    """Rows 0 and 1 are used twice, row 2 once: 2, 2, 1; += gives 1, 1, 1."""
    view = make("gradient")
    assert view.run.right.tolist() == [2, 2, 1, 0]
    assert view.run.wrong.tolist() == [1, 1, 1, 0]
    assert "give the rows 2, 2, 1, 0; grad[ids] += G gives 1, 1, 1, 0" in view.caption
    assert not make("gradient", ids="3 1 0").caught


def test_len_01_cut_silently() -> None:
    """551 − 512 = 39."""
    text = make("longer").text
    assert "“39 of 551 tokens dropped, and nothing said so”" in text
    assert "“39 of 551 tokens dropped”" in text
    assert not make("longer", length=512).caught


def test_the_slow_pairs_never_turned_round() -> None:
    """512 · 10000^(−2i/64) falls below 2π from i = 16 on: 512 · 10000^(−1/2) = 5.12."""
    filled = make("longer").filled
    assert filled == r"L\,\theta_{16} = 512 \cdot 10{,}000^{-32/64} = 5.12 < 2\pi"


def test_the_raw_index_swamps_the_token() -> None:
    """4,000 in each of 16 dimensions: √16 · 4,000 = 16,000, where a token is 3.7 long."""
    assert r"4{,}000 \cdot \sqrt{16} = 16{,}000" in make("raw").filled
    assert make("raw").reads["wrong, position 4,000"].startswith("0.9999999")


def test_a_packed_document_reads_the_one_before_it() -> None:
    """Four tokens, then three: their keys are places 4 to 6, and the rest of each row is the other's."""
    view = make("packed")
    # documents are counted from 1, as the words beside count them
    assert "document 2 changes by" in view.text
    assert "A document of 6 and one of 1 token share" in make("packed", first=6).caption
    across = 100 * view.run.wrong[4:, :4].sum(axis=1).mean()
    assert view.reads["read across"] == f"{across:.0f} %"
    assert not view.run.right[4:, :4].any()
    # 3 × 4 cells let through what the right mask does not, and are outlined
    assert str(view.figure.matrices(view.view)).count(' m"') == 12


# every mistake alike


@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(map(str, state.values())))
class TestEveryMistake:
    def test_the_snippet_gives_the_figure(self, state: dict[str, Any]) -> None:
        figure, view = make(**state)
        names: dict[str, Any] = {}
        exec(figure.code(figure.snapshot({**DEFAULTS, **state})), names)
        np.testing.assert_allclose(names["result"], figure.code_answer(view), rtol=1e-9, atol=1e-9)

    def test_the_page_says_it_all(self, state: dict[str, Any]) -> None:
        made = make(**state)
        figure, view, text = made.figure, made.view, made.text
        assert MISTAKES[state["mistake"]].title in text
        assert MISTAKES[state["mistake"]].why in text
        assert figure.say("picture", view) in text
        assert "def detect(" in text
        for name, said in made.run.verdicts.items():
            assert f"{name}: {said.message or 'passes'}" in text
        assert list(made.run.stays.values()) == [True] * len(made.run.stays)
        assert any(sign.isdigit() for sign in made.caption)
        assert made.caption.endswith(".")
        formulas = figure.formula(view)
        assert "<merror" not in formula.show(formulas)
        assert all(one.filled for one in formulas)
        for table in figure.numbers(view):
            assert all(len(row) == len(table.columns) for row in table.rows)

    def test_its_picture_can_be_drawn(self, state: dict[str, Any]) -> None:
        figure, view = make(**state)
        run = view.run
        assert run.right.shape == run.wrong.shape
        assert run.x.shape == run.right.shape[-1:]
        if run.right.ndim == 2:
            assert len(figure.names(view)) == len(run.right)
        for array in (run.x, run.right, run.wrong):
            assert np.isfinite(array).all()
            assert not array.flags.writeable
        assert all(figure.say(name, view) for name in ("picture", "x", "y"))

    def test_both_versions_can_be_put_forward(self, state: dict[str, Any]) -> None:
        right, wrong = make(**state, version=RIGHT), make(**state)
        assert right.run is wrong.run
        assert "The test passes the right version." in right.text
        assert ("The test fails the wrong version:" in wrong.text) is wrong.caught


def test_every_mistake_has_a_figure_and_its_numbers_are_used() -> None:
    assert list(ROOM.keys()) == list(MISTAKES)
    assert {kind.key for kind in ROOM.kinds if kind.own()} == set(CHANGED)
    used = [name for kind in ROOM.kinds for name in kind.uses]
    assert {*used, "mistake"} == set(DEFAULTS)


def test_every_picture_shows_its_mistake() -> None:
    for key in MISTAKES:
        run = make(key).run
        assert np.abs(run.right - run.wrong).max() > 1e-3


def test_a_number_of_one_mistake_changes_no_other() -> None:
    assert make("layout", ids="nonsense", m=31).run is make("layout").run


def test_the_cursor_takes_the_nearest_place() -> None:
    assert make("yarn_factor", at=100).view.x == 128
    assert make("layout", at=4000).view.index == 32
    assert make("twice", m=3, at=30).view.index == 3
    assert make("layout", at=7).run is make("layout").run


def test_yarn_squared_multiplies_the_logits_by_the_fourth_power() -> None:
    """1.4852 is in q and in k: 2.2058; squared it is 2.2058, and 4.8657 in the product."""
    run = make("yarn_factor").run
    assert run.x[-1] == 128
    np.testing.assert_allclose([run.right[-1], run.wrong[-1]], [2.2058, 4.8657], rtol=0, atol=1e-4)


def test_new_angles_begin_at_the_trained_length() -> None:
    """d = 64, base 10,000, trained 512: pairs 16 to 31 of 32 are new from there on, none before."""
    run = make("longer").run
    np.testing.assert_array_equal(run.wrong[run.x < 512], np.zeros(16))
    assert run.wrong[16] == 0.5
    np.testing.assert_array_equal(run.right, np.zeros(64))


def test_under_the_raw_index_two_tokens_become_one() -> None:
    run = make("raw").run
    assert run.wrong[-1] > 0.999999
    assert run.right.max() < 0.9


# from what is seen to what was done


def test_a_symptom_leads_to_the_mistakes_that_fit() -> None:
    room = ROOM()
    for tag, sentence in SYMPTOM_SENTENCES.items():
        made = make("layout", symptom=tag)
        key, fits = made.figure.key, SYMPTOMS[sentence]
        assert key in fits
        assert made.view.rivals == [one for one in fits if one != key]
        for rival in made.view.rivals:
            assert MISTAKES[rival].title in made.figure.rivals(made.view).striptags()
        room.apply({"symptom": tag})
        assert list(titles(room).options.values()) == list(fits)
        assert sentence in room._fields["mistake"]._counted.pane.object
    assert fitting("batch") == ("padding", "packed")
    assert chosen("limit", "longer") == "longer"
    assert set(fitting(ANY)) == set(MISTAKES)
    assert not make("layout").view.rivals


def titles(room: Any) -> Any:
    return room._fields["mistake"].widget


def opened(room: Any) -> tuple[str, Any]:
    """The key of the figure that is open, and its view; it is the only one on the page."""
    (key,) = [key for key, place in room._places.items() if place.column.visible]
    assert list(room.view) == [key]
    return key, room.view[key]


def test_choosing_on_the_page() -> None:
    room = ROOM()
    room.layout.get_root()
    symptom, cursor = room._fields["symptom"].widget, room._fields["at"].widget
    symptom.value = "batch"
    assert room.state.mistake == opened(room)[0] == "padding"
    assert list(titles(room).options.values()) == ["padding", "packed"]
    cursor.value = 6
    assert (room.state.at, opened(room)[1].index) == (6, 6)
    titles(room).value = "packed"
    assert (room.state.mistake, room.state.at) == ("packed", None)
    assert opened(room)[0] == "packed"
    assert not cursor.visible
    symptom.value = ANY
    assert room.state.mistake == "packed"
    titles(room).value = "yarn_factor"
    assert cursor.visible
    assert cursor.value == 5
    assert cursor.label == "Factor of the window"
    titles(room).value = "gradient"
    assert isinstance(room._places["gradient"].figure.bars, VersusBars)
    assert room._fields["ids"].pane.visible
    assert not room._fields["m"].pane.visible
    assert not cursor.visible
    room.state.ids = "1 x"
    assert "no id of this table" in room._error.pane.object
    room.state.ids = "1 1"
    assert opened(room)[1].run.right.tolist() == [0, 2, 0]
    assert not room._error.pane.visible


def test_the_line_is_read_where_the_cursor_stands() -> None:
    room = ROOM("mistake=yarn_factor")
    curves = room._places["yarn_factor"].figure.curves
    assert curves.cursor.data["x"] == [5]
    room._fields["at"].widget.value = 2
    assert room.state.at == 4
    assert curves.cursor.data["x"] == [2]
    room.state.version = RIGHT
    assert curves._lines[RIGHT].glyph.line_width > curves._lines[WRONG].glyph.line_width
    # another mistake is read off where it is best seen
    titles(room).value = "layout"
    assert room.state.at is None
    assert room._fields["at"].widget.value == 5


def test_an_address_leads_there_too() -> None:
    room = ROOM("symptom=endless&at=3")
    assert opened(room)[0] == "pad_value"
    assert titles(room).value == "pad_value"
    assert room._address.value == "symptom=endless&at=3"
    wrong = ROOM("mistake=gradient&ids=99&at=-1")
    notices = wrong._notice.pane.object
    assert "99" in notices
    assert "at=" in notices
    assert wrong.state.ids == DEFAULTS["ids"]
    assert opened(wrong)[0] == "gradient"


@pytest.mark.parametrize("key", MISTAKES)
def test_a_mistake_alone_has_its_own_controls(key: str) -> None:
    room = ROOM(f"figure={key}")
    assert list(room._places) == [key]
    on_page = room.layout.select()
    shown = {name for name, one in room._fields.items() if one.pane in on_page and one.pane.visible}
    assert shown == set(room.figure(key).uses) - {"symptom"}
    caption = room._places[key].figure.caption(room.view[key])
    assert caption in html.unescape(room._places[key]._caption.pane.object)


def test_hidden_controls_take_the_list_with_them() -> None:
    room = ROOM("mistake=twice&hide=controls")
    shown = room.layout.select()
    assert titles(room) not in shown
    assert room._fields["version"].pane not in shown
    assert opened(room)[0] == "twice"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one token id"),
        (" , ", "at least one token id"),
        ("1 <b>", "‘<b>’ is no id"),
        ("-1", "is no id"),
        ("12", "from 0 to 11"),
        ("1.5", "is no id"),
        ("٣", "is no id"),
        ("²", "is no id"),
        ("9" * 5000, "is no id"),
        ("1 " * 25, "at most 24"),
    ],
)
def test_ids_that_are_none_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_ids(text)
    assert read_ids("0, 11 3") == [0, 11, 3]


def test_what_a_reader_types_is_escaped() -> None:
    room = ROOM()
    room.apply({"mistake": "gradient", "ids": "<script>"})
    assert "&lt;script&gt;" in room._error.pane.object
    assert "<script>" not in room._error.pane.object


# questions


def test_questions_are_answered_by_the_lab() -> None:
    answers = [question.options[question.answer()[0]] for question in quiz.QUESTIONS]
    assert answers == [
        "Scores that belong to another distance, and change when the whole text moves",
        "Nothing",
        "Neither: every score is right",
        "It never stops",
        "4.9 times",
        "No error; some pairs meet angles they never met in training",
        "Up to the trained length",
        "1, 1, 1",
    ]


def test_what_settles_a_question_is_what_it_is_about() -> None:
    for question in quiz.QUESTIONS:
        views = ROOM.viewed({**DEFAULTS, **question.show})
        assert next(iter(views)) == question.show["mistake"] == question.figure


# the pictures


def test_uneven_places_are_drawn_at_even_steps() -> None:
    assert even_steps(np.array([1.0, 2.0, 4.0])) == [0, 1, 2]
    assert even_steps(np.array([4.0, 12.0, 20.0])) == [4, 12, 20]
    assert even_steps(np.array([7.0])) == [7]


def test_two_curves_and_a_cursor() -> None:
    plot = VersusCurves(label="Two lines", x="position", y="score")
    x = np.arange(3.0)
    plot.set(x, x, 2 * x)
    plot.read(2)
    plot.forward("wrong")
    assert dict(plot.cursor.data) == {"x": [2.0], "right": [2.0], "wrong": [4.0]}
    assert plot._lines["wrong"].glyph.line_width > plot._lines["right"].glyph.line_width
    assert plot._lines["wrong"].glyph.line_dash == []
    assert plot._lines["right"].glyph.line_dash != []
    assert plot.figure.y_range.start < 0
    assert plot.figure.y_range.end > 4
    flat = np.zeros(DOTTED + 1)
    plot.set(np.arange(DOTTED + 1.0), flat, flat + 1e-16)
    assert plot.figure.y_range.end == pytest.approx(1.06)
    assert not plot._dots["right"].visible
    dense = np.arange(500.0)
    plot.set(dense, dense, dense)
    plot.forward("right")
    assert plot._lines["wrong"].glyph.line_dash == []
    doubled = 2.0 ** np.arange(8)
    plot.set(doubled, doubled, doubled)
    assert plot.figure.xaxis[0].major_label_overrides[7] == "128"
    plot.set(x, x, x)
    assert plot.figure.xaxis[0].major_label_overrides == {}


def test_bars_and_an_outline() -> None:
    plot = VersusBars(label="Two sets of bars", x="row", y="gradient")
    plot.set(["0", "1"], np.array([2.0, 1.0]), np.array([1.0, 1.0]))
    plot.forward("right")
    assert plot._filled["right"].visible
    assert plot._outlined["wrong"].visible
    assert not plot._filled["wrong"].visible
    assert not plot._outlined["right"].visible
    assert plot.figure.y_range.start == 0


def pages(**changed: Any) -> list[str]:
    """Every sentence, cell and head of a state, each by itself; code and LaTeX left out."""
    made = make(**changed)
    figure, view = made.figure, made.view
    said = [figure.title, figure.lead, made.caption, *(one.says for one in figure.formula(view))]
    for part in (part for part in made.parts if "lab-code" not in part):
        said += re.split(r"<[^>]*>", str(part))
    for table in figure.numbers(view):
        said += [
            table.title,
            *table.columns,
            *(cell for row in table.rows for cell in row if isinstance(cell, str)),
        ]
    return said


@given(
    st.sampled_from(list(MISTAKES)),
    st.sampled_from([None, 0, 1, 2, 31, 500, 512, 2047, 2048, 4096]),
    st.fixed_dictionaries(
        {
            "m": st.sampled_from([1, 2, 7, 32]),
            "prompt": st.sampled_from([1, 2, 9, 64]),
            "scheme": st.sampled_from(["learned", "rope"]),
            "pad": st.sampled_from(["end", "own"]),
            "cached_at": st.sampled_from([2049, 3000, 4096]),
            "ids": st.sampled_from(["0", "0 0", "11", "0 " * 24]),
            "first": st.integers(1, 6),
            "length": st.sampled_from([512, 513, 551, 1024, 4096]),
        }
    ),
)
@example("twice", 2, {"m": 2})
@example("longer", 0, {"length": 512})
@settings(deadline=None, max_examples=120)
def test_numbers_are_written_one_way_in_every_state(mistake: str, at: Any, given_: dict[str, Any]) -> None:
    """A minus is no hyphen, thousands have their sign, one thing is no ‘1 things’, nothing is NaN."""
    for text in pages(mistake=mistake, at=at, **given_):
        assert not re.search(r"(?<![\w\])])-\d", text), text
        bare = re.sub(r"arXiv:[\d.]+|(19|20)\d\d,", "", text)
        assert not re.search(r"(?<![\d.,:/])\d{4,}(?![\d.])", bare), text
        assert not ones(text), text
        assert "NaN" not in text


def test_a_thousand_in_a_formula_is_one_number() -> None:
    """Without braces the sign between thousands is set, and read aloud, as between two numbers."""
    for mistake, at in (("raw", 4000), ("stale", 100)):
        figure, view = make(mistake, at=at)
        for one in figure.formula(view):
            assert not re.search(r"\d,\d{3}", one.filled), one.filled
            assert not re.search(r"(?<![\d.])\d{4,}", one.filled), one.filled
