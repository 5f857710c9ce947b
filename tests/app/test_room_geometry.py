"""The room `geometry`: the numbers a reader can check, every look at every table, her own table, nonsense."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.kit import formula, numbers, url
from app.kit.html import Markup
from app.rooms.geometry import ROOM
from app.rooms.geometry.figures import FIGURES, allowed
from app.rooms.geometry.figures.analogy import Analogy
from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.model.tables import HANDMADE, OWN, TABLES, about, study_of
from app.rooms.geometry.pictures.wordmap import WordMap, text_width
from app.rooms.geometry.state import LOOKS, State
from app.rooms.geometry.walk import CHANGED, STATIONS
from lab.geometry import UNDEFINED, spearman
from lab.own_table import read_own_table
from tests.app.chosen import FilePage
from tests.golden import HERE as GOLDEN

START: dict[str, Any] = {name: item.default for name, item in url.settings(State).items()}


def test_a_map_of_one_word_or_without_neighbours_says_so() -> None:
    one = caption(table="minilm", look="map", words="cat")
    assert one.startswith("1 word and ")
    assert "of its neighbours" in one
    assert "add words" in one
    none = caption(table="minilm", look="map", words="cat dog car", around=0)
    assert none.startswith("3 words, seen along")
    assert "eighbours" not in none


def test_a_small_correlation_is_no_power_of_ten() -> None:
    """-0.0049 beside 0.05 is 0 to two digits."""
    view = seen(table="smollm2", look="rarity")
    assert "e-" not in figure(view).caption(view)
    assert "e−" not in figure(view).caption(view)
    assert "e-" not in figure(view).formula(view)[0].filled


@pytest.fixture(scope="module")
def real_room() -> Any:
    return ROOM("?table=minilm&look=near")


def seen(own: TableStudy | None = None, **changed: Any) -> Any:
    """The view of the figure that is looked at."""
    made: Any = ROOM.figure(changed.get("look", "angle"))
    made.own = own
    return made.viewed({**START, **changed})


def figure(view: Any) -> Any:
    made: Any = ROOM.figure(view.key)
    made.own = view.s.own
    return made


def caption(**changed: Any) -> str:
    view = seen(**changed)
    return str(figure(view).caption(view))


def shown(view: Any) -> str:
    """All that the figure says in HTML, beside its caption."""
    made = figure(view)
    parts = [part(view) for part in made.make() if callable(part)]
    made.draw(view)
    listed = made.list.pane.object if hasattr(made, "list") else ""
    return Markup(f"{listed}{''.join(parts)}").striptags()


def code(**changed: Any) -> str:
    view = seen(**changed)
    return str(figure(view).code(view.s))


def ran(**changed: Any) -> Any:
    """What the code of a state gives."""
    names: dict[str, Any] = {}
    exec(compile(code(**changed), "code", "exec"), names)
    return names["result"]


def answer(**changed: Any) -> Any:
    view = seen(**changed)
    return figure(view).code_answer(view)


def test_the_arithmetic_of_the_course_vectors() -> None:
    """cat·dog = .81 + .42 + .03 = 1.26 over 1.145 × 1.122 is .981; cat·car = -.18 - .07 + .08 = -.17 over
    1.145 × .831 is -.179."""
    first, second = seen().found
    np.testing.assert_allclose([first.cosine, second.cosine], [0.981, -0.179], atol=5e-4)
    said = shown(seen())
    assert "0.81 + 0.42 + 0.03 = 1.26" in said
    assert "−0.18 − 0.07 + 0.08 = −0.17" in said
    assert "1.26 / 1.285 = 0.981" in said
    assert "−0.17 / 0.951 = −0.179" in said
    assert "alive" in said
    assert "11.3°" in said


def test_the_chapters_own_vectors_can_be_chosen() -> None:
    """cat·dog = .56 + .42 + .02 + .02 = 1.02 over 1.025 × 1.015; cat·car = -.4 + .18 + .09 - .08 = -.21."""
    first, second = seen(table="chapter").found
    np.testing.assert_allclose(first.products, [0.56, 0.42, 0.02, 0.02])
    np.testing.assert_allclose([first.dot, second.dot], [1.02, -0.21])
    np.testing.assert_allclose([first.norm_a, first.norm_b], [1.05**0.5, 1.03**0.5])
    np.testing.assert_allclose([first.cosine, second.cosine], [0.9808, -0.1791], atol=5e-5)


@pytest.mark.parametrize("table", HANDMADE)
def test_a_table_made_by_hand_is_called_so(table: str) -> None:
    view = seen(table=table)
    for said in (shown(view), figure(view).caption(view), about(table, view.study)):
        assert "by hand" in said.lower()


@pytest.mark.parametrize(("table", "a", "b"), [("minilm", "cat", "dog"), ("smollm2", "people", "time")])
def test_meaning_is_spread_in_a_trained_table(table: str, a: str, b: str) -> None:
    """No dimension has a tenth of the dot product; half of it takes dozens; by hand one of three has most."""
    view = seen(table=table, a=a, b=b)
    sizes = np.sort(np.abs(view.found[0].products))[::-1]
    heavy = view.heavy
    assert heavy.share == pytest.approx(sizes[0] / sizes.sum())
    assert heavy.share < 0.1
    assert sizes[: heavy.half].sum() >= sizes.sum() / 2 > sizes[: heavy.half - 1].sum()
    assert heavy.half > 30
    for said in (shown(view), figure(view).caption(view)):
        assert f"{heavy.half} of {view.D} dimensions" in said
        assert "by hand" not in said
    unit = view.study.unit[:, heavy.first]
    ids = [view.study.find(word) for word in view.heavy_words]
    assert len(ids) == 6
    assert (np.diff(unit[ids]) <= 0).all()
    others = np.setdiff1d(view.study.words, ids)
    assert unit[ids].min() >= np.nanmax(unit[others])


def test_what_a_reduced_table_leaves_out_is_said_where_words_are_chosen() -> None:
    for table, numbers_said in (("minilm", ("8,944", "30,522")), ("smollm2", ("1,500", "49,152"))):
        room = ROOM(f"?table={table}&look=near&a=people")
        note = str(room._fields["table"].note.pane.object)
        for number in numbers_said:
            assert number in TABLES[table]
            assert number in note
        assert numbers_said[1] in shown(room.view["near"])
        assert "letters" in note or table == "minilm"
        assert "8 bits" in note or "int8" in note
        with pytest.raises(ValueError, match=numbers_said[1]):
            seen(table=table, look="near", a="kittyx")


def test_one_hot_rows_have_cosine_0() -> None:
    """Two different ones share no 1, so every product is 0."""
    np.testing.assert_array_equal(seen().one_hot, np.eye(3))
    assert "always have cosine 0" in caption()


def test_the_finance_table() -> None:
    first, second = seen(table="finance").found
    np.testing.assert_allclose([first.cosine, second.cosine], [0.92, -0.88], atol=5e-4)


@pytest.mark.parametrize("zero", ["[0]", "[0, 0, 0]", "[-0 0 0.0]"])
def test_a_zero_vector_has_no_cosine_and_it_is_said(zero: str) -> None:
    view = seen(c=zero)
    assert view.found[1].cosine is None
    assert UNDEFINED in shown(view)
    assert UNDEFINED in figure(view).caption(view)
    assert "undefined" in formula.show(figure(view).formula(view))
    assert UNDEFINED in str(numbers.show(figure(view).numbers(view)))


def nearest(word: str, k: int) -> dict[str, float]:
    made = seen(table="minilm", look="near", a=word, k=k)
    return dict(zip(made.tokens, made.found.cosines.round(2).tolist(), strict=True))


def test_cats_neighbours() -> None:
    """Measured on the shipped table; kitty is not in it."""
    assert nearest("cat", 3) == pytest.approx({"cats": 0.82, "kitten": 0.56, "dog": 0.42})
    with pytest.raises(ValueError, match=r"‘kitty’ is not one of the 8,944 rows.*kitten"):
        seen(table="minilm", look="near", a="kitty")


def test_bank_leans_to_money_and_river_is_near_too() -> None:
    first, second = seen(table="minilm").found
    np.testing.assert_allclose([first.cosine, second.cosine], [0.397, 0.255], atol=5e-4)


def test_antonyms_are_close() -> None:
    first, _ = seen(table="minilm", a="good", b="bad").found
    np.testing.assert_allclose(first.cosine, 0.533, atol=5e-4)


def test_king_comes_first_and_queen_once_the_inputs_are_left_out() -> None:
    view = seen(table="minilm", look="analogy")
    assert view.study.names(view.everyone.ids[:2]) == ["king", "queen"]
    assert view.study.names(view.others.ids[:1]) == ["queen"]
    assert view.found is view.everyone
    assert "input b" in shown(view)
    left_out = seen(table="minilm", look="analogy", exclude=True)
    assert left_out.found is left_out.others
    assert "input b" not in shown(left_out)
    for one in (view, left_out):
        assert "input ‘king’ (0.649) comes first; only once" in Analogy().caption(one)


def test_length_against_rarity_has_three_answers() -> None:
    """-.36 over all words, +.51 over the 1,000 commonest, -.84 over means of a hundred."""
    view = seen(table="minilm", look="rarity")
    said = figure(view).caption(view)
    for value in ("−0.36 over all 8,003", "0.51 over the 1,000", "−0.84 over the means of 100"):
        assert value in said
    found = view.found
    assert spearman(np.arange(len(found.norms)), found.norms) == pytest.approx(found.all_words)


def test_random_pairs_raw_and_centred() -> None:
    minilm, smollm2 = (seen(table=key, look="pairs").found for key in ("minilm", "smollm2"))
    np.testing.assert_allclose([minilm.raw.mean(), minilm.raw.std()], [0.009, 0.070], atol=4e-3)
    np.testing.assert_allclose([smollm2.raw.mean(), smollm2.centred.mean()], [0.158, 0], atol=8e-3)


def test_word_and_place_are_read_back_from_their_sum() -> None:
    made = seen(table="minilm", look="sums")
    assert made.read == (True, True)
    assert made.found.distance == 0
    np.testing.assert_allclose(made.cosines.mean(), 0, atol=2e-3)
    np.testing.assert_allclose(made.cosines.std(), 0.029, atol=1e-3)
    assert not all(seen(table="minilm", look="sums", noise=3.0).read)


def test_sums_of_the_course_table_coincide() -> None:
    """␣cat at 1, <|endoftext|> at 2 and ␣dog at 7 are [1, -.5, 0, -.5]; 66 of 96 sums are different."""
    view = seen(table="running", look="sums", place=1)
    assert view.distinct == 66
    said = shown(view)
    assert "3 pairs give this very vector" in said
    assert "‘<|endoftext|>’ at 2" in Markup(said).unescape()


@pytest.mark.parametrize(("place", "clamped"), [(0, 1), (1, 1), (8, 8), (77, 8)])
def test_a_place_beyond_the_table_is_its_last(place: int, clamped: int) -> None:
    """The course counts its eight places from 1."""
    made = seen(table="running", look="sums", place=place)
    assert made.place == clamped
    said = shown(seen(table="running", look="sums", place=place))
    assert f"P[{clamped}]" in said
    beyond = f"Position {place} is not among all 8 positions, counted from 1; {clamped} is." in said
    assert beyond == (place != clamped)


def test_the_map_keeps_its_shares_and_its_sign() -> None:
    made = seen(table="minilm", look="map")
    assert len(made.drawn) == 30
    np.testing.assert_allclose(made.found.explained.sum(), 0.266, atol=2e-3)
    largest = np.abs(made.found.components).argmax(axis=1)
    assert (made.found.components[[0, 1], largest] > 0).all()


def test_what_rounding_leaves_of_a_right_angle_is_nothing() -> None:
    """car·dog = -.35 + .21 + .18 - .04 = 0; single precision leaves 1.5e-8 of it."""
    view = seen(table="chapter", look="near", a="car")
    assert 0 < abs(float(view.found.cosines[0])) < 1e-6
    filled = figure(view).formula(view)[0].filled
    for said in (shown(view), figure(view).caption(view), filled):
        assert not re.search(r"\de[-−]", said)
    assert filled.endswith("= 0")


def test_a_plane_that_keeps_all_is_no_finding() -> None:
    """Three points lie in one plane whatever they are: nothing is lost, and nothing can be far apart."""
    three = shown(seen(table="minilm", look="map", words="cat dog car", around=0))
    assert "100 % of the variance" in three
    assert "three points" in three
    assert "far apart in the rest" not in three
    many = shown(seen(table="minilm", look="map"))
    assert "far apart in the rest" in many
    assert "three points" not in many


@pytest.mark.parametrize(("words", "count"), [("cat dog car", 3), ("cat, dog, cat, car", 3)])
def test_the_words_of_the_map_are_a_readers(words: str, count: int) -> None:
    assert len(seen(table="minilm", look="map", words=words, around=0).drawn) == count


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"look": "analogy"}, "needs three words and an answer"),
        ({"look": "pairs"}, "too few pairs"),
        ({"look": "rarity", "table": "running"}, "needs 200 words; this table has 10"),
        ({"look": "sums", "table": "smollm2"}, "no position rows"),
        ({"look": "map", "table": "minilm", "words": "cat dog", "around": 0}, "at least 3 different words"),
        ({"look": "map", "table": "minilm", "words": "cat kitty dog"}, "kitty"),
        ({"look": "map", "words": " ".join(f"w{i}" for i in range(25))}, "25 words"),
        ({"look": "analogy", "table": "minilm", "b": "man"}, "is no step at all"),
        ({"look": "analogy", "table": "minilm", "a": "[0]"}, "no row here"),
        ({"look": "near", "a": "[0]"}, "undefined"),
        ({"a": "[1, 2]"}, "3 numbers"),
        ({"a": "lion"}, "They are: cat, dog, car"),
        ({"table": OWN}, "Choose its file again"),
    ],
)
def test_what_cannot_be_looked_at_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        seen(**changed)


ALLOWED = {
    "animals": ["angle", "near", "map"],
    "chapter": ["angle", "near", "map"],
    "finance": ["angle", "near", "map", "analogy"],
    "running": ["angle", "near", "map", "analogy", "sums"],
    "minilm": ["angle", "near", "map", "analogy", "pairs", "rarity", "sums"],
    "smollm2": ["angle", "near", "map", "analogy", "pairs", "rarity"],
}


def test_a_table_offers_the_looks_it_has_the_rows_for() -> None:
    assert {key: allowed(study_of(key, None)) for key in ALLOWED} == ALLOWED
    assert [*ALLOWED, OWN] == list(TABLES)


@pytest.mark.parametrize(("table", "key"), [(table, key) for table in ALLOWED for key in ALLOWED[table]])
def test_every_look_at_every_table_can_be_told_and_reproduced(table: str, key: str) -> None:
    view = seen(table=table, look=key)
    made = figure(view)
    said = made.caption(view)
    assert said.endswith(".")
    assert len(said) < 700
    assert "<merror" not in formula.show(made.formula(view))
    for listed in made.numbers(view):
        assert listed.rows
        assert all(len(row) == len(listed.columns) for row in listed.rows), listed.title
    np.testing.assert_allclose(ran(table=table, look=key), made.code_answer(view), rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize(
    "changed",
    [
        {"table": "minilm", "look": "sums", "noise": 1.5, "seed": 3, "place": 70},
        {"table": "minilm", "look": "analogy", "exclude": True, "k": 3},
        {"table": "smollm2", "look": "pairs", "seed": 9},
        {"table": "minilm", "look": "near", "a": "bank"},
        {"look": "near", "a": "[1, 0, 0]"},
        {"a": "[1, 2, 3]", "c": "[0.5]"},
    ],
)
def test_the_code_follows_the_settings(changed: dict[str, Any]) -> None:
    np.testing.assert_allclose(ran(**changed), answer(**changed), rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("name", STATIONS)
def test_every_station_of_the_walk_can_be_seen(name: str, real_room: Any) -> None:
    real_room.apply(STATIONS[name])
    assert real_room._walk.select.value == name
    assert not real_room._error.pane.visible
    assert len(name) <= 24


def test_the_walk_goes_there_and_back() -> None:
    room = ROOM()
    assert (room._walk.back.disabled, room._walk.next.disabled) == (True, False)
    for values in list(STATIONS.values())[1:4]:
        room._walk.next.clicks += 1
        assert (room.state.table, room.state.look) == (values["table"], values.get("look", "angle"))
    assert room.state.look == "near"
    room.state.a = "dog"
    assert room._walk.select.value == CHANGED
    room._walk.select.value = "A vector of zeros"
    assert (room.state.table, room.state.c) == ("animals", "[0]")
    assert room._walk.next.disabled
    room._walk.back.clicks += 1
    assert room.state.table == "finance"


def test_the_first_view_needs_no_file() -> None:
    assert ROOM.data == ()
    assert START["table"] == "animals"


def test_only_the_controls_that_matter_are_shown() -> None:
    room = ROOM("?table=minilm&look=sums")
    assert visible(room) == {"table", "look", "a", "place", "noise", "seed"}
    assert [key for key, place in room._places.items() if place.column.visible] == ["sums"]
    room._fields["look"].widget.value = "map"
    assert visible(room) == {"table", "look", "words", "around"}
    assert [key for key, place in room._places.items() if place.column.visible] == ["map"]


def visible(room: Any) -> set[str]:
    return {name for name, field in room._fields.items() if field.pane.visible}


def test_another_table_drops_the_look_and_the_words_it_cannot_have() -> None:
    room = ROOM("?table=minilm&look=sums&a=bank&b=dog")
    room._fields["table"].widget.value = "animals"
    assert (room.state.look, room.state.a, room.state.b) == ("angle", "", "dog")
    assert not room._error.pane.visible
    assert list(room._fields["look"].widget.options.values()) == ["angle", "near", "map"]


def test_suggestions_are_the_words_of_the_table_the_shortest_first() -> None:
    room = ROOM("?table=minilm&look=near")
    offered = room._fields["a"].pane.options
    assert len(offered) == 8944
    kings = [word for word in offered if word.startswith("king")]
    assert kings[:2] == ["king", "kings"]
    assert room._fields["a"].pane.placeholder == "cat"
    room._fields["a"].pane.value = "king"
    assert room.state.a == "king"
    # Panel's own field would take the first word of the list here
    assert room._fields["a"].pane._process_property_change({"value": ""}) == {"value": ""}


def test_an_unknown_word_keeps_the_last_picture() -> None:
    room = ROOM("?table=minilm&look=near")
    before = room.view
    room.state.a = "kitty"
    assert room.view is before
    assert "kitten" in room._error.pane.object


@pytest.mark.parametrize(
    "text",
    ["<img src=x onerror=alert(1)>", "x" * 10_000, "\x00\x1b[31m", "[<b>]", "قطة", "🙂", "[" * 99],
)
def test_nonsense_is_refused_and_never_html(text: str, real_room: Any) -> None:
    for key in ("angle", "near", "map", "analogy", "sums"):
        real_room.apply({"table": "minilm", "look": key, "a": text, "words": text})
        said = real_room._error.pane.object
        assert real_room._error.pane.visible
        assert "<img" not in said
        assert "<b>" not in said
        assert "\x1b" not in said


def upload(room: Any, *files: tuple[str, bytes]) -> None:
    FilePage(room._tables._files).choose(*files)


TEXT = b"cat 0.9 0.7 0.1\ndog 0.9 0.6 0.3\n<b>x</b> -0.2 -0.1 0.8\npad 0 0 0\n"


def table_of(room: Any) -> TableStudy:
    study: TableStudy = next(iter(room.view.values())).study
    return study


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def test_a_readers_own_table() -> None:
    room = ROOM()
    assert OWN not in room._fields["table"].widget.options.values()
    upload(room, ("mine.txt", TEXT))
    assert room.state.table == OWN
    assert room._fields["table"].widget.value == OWN
    assert table_of(room).V == 4
    assert "mine.txt" in room._tables._said.pane.object
    written = "".join(str(pane.pane.object) for pane, _ in room._places["angle"]._saying)
    assert "&lt;b&gt;x&lt;/b&gt;" in written
    assert "<b>x</b>" not in written
    assert "NaN" in written  # pad is a row of zeros
    room._fields["look"].widget.value = "near"
    assert room.view["near"].tokens == ["dog", "<b>x</b>"]


def test_a_second_file_takes_the_place_of_the_first() -> None:
    room = ROOM()
    upload(room, ("one.txt", TEXT))
    first = room.view
    upload(room, ("two.npz", npz(E=np.eye(5, 4), tokens=np.array(list("abcde")))))
    assert room.view is not first
    assert table_of(room).V == 5
    # row 4 of the identity's 5 × 4 part is zero: it has no cosine, and the others are at right angles
    assert room.view["angle"].found[0].cosine == 0


def test_a_bad_file_is_named_and_changes_nothing() -> None:
    room = ROOM()
    before = room.view
    upload(room, ("mine.txt", b"cat 1 2\ndog 1\n"))
    assert "line 2" in room._tables._said.pane.object
    assert (room.view, room.state.table) == (before, "animals")


def test_a_checkpoint_says_what_was_read_and_gives_other_rows() -> None:
    room = ROOM()
    tables = room._tables
    assert not tables._more.visible
    upload(room, ("tiny-q8_0.gguf", (GOLDEN / "checkpoints" / "tiny-q8_0.gguf").read_bytes()))
    assert table_of(room).V == 12
    assert room.view["angle"].picks[0].name == "␣the"
    assert "tiny-q8_0.gguf" in tables._said.pane.object
    for word in ("token_embd.weight", "Q8_0", "8.5 bits"):
        assert word in room._fields["table"].note.pane.object
    # one table, read whole: there is nothing to choose
    assert not tables._more.visible
    upload(room, ("tiny.safetensors", (GOLDEN / "checkpoints" / "tiny.safetensors").read_bytes()))
    assert tables._more.visible
    assert list(tables._tensor.options.values()) == ["model.embed_tokens.weight", "lm_head.weight"]
    before = table_of(room).table.E
    page = FilePage(tables._files)
    page.turn, page.contents = 1, [(GOLDEN / "checkpoints" / "tiny.safetensors").read_bytes()]
    tables._tensor.value = "lm_head.weight"
    tables._first.value = 2
    tables._again.clicks += 1
    page.answer()
    after = table_of(room).table
    np.testing.assert_array_equal(after.E, before[::-1][2:])
    assert after.vocabulary.tokens[0] == "#2"
    assert "Rows 2 to 11 of 12" in room._fields["table"].note.pane.object
    # a row that is not there is refused, and the table stays
    tables._first.value = 12
    tables._again.clicks += 1
    assert "row 12" in tables._said.pane.object
    assert table_of(room).table is after
    # the page has another file now, so rows of the first are no longer offered
    upload(room, ("other.safetensors", b"no header"))
    assert table_of(room).table is after
    assert not tables._more.visible
    tables._again.clicks += 1
    assert table_of(room).table is after


def test_an_own_table_is_in_no_address_and_in_no_other_session() -> None:
    room = ROOM()
    upload(room, ("mine.txt", TEXT))
    query, left_out = url.write(room.state)
    assert (query, left_out) == ("table=own", ())
    other = ROOM(f"?{query}&k=3")
    assert (other.state.table, other.state.k) == ("animals", 3)
    assert "Choose its file again" in other._notice.pane.object


def test_an_own_table_allows_every_look_it_has_the_rows_for() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["".join(chr(97 + int(d)) for d in f"{i:03}") for i in range(300)])
    E, P = rng.standard_normal((300, 16)), 0.1 * rng.standard_normal((20, 16))
    study = TableStudy(read_own_table({"t.npz": npz(E=E, P=P, tokens=words)}))
    assert allowed(study) == list(LOOKS)
    for key in LOOKS:
        own: dict[str, Any] = {"table": OWN, "look": key, "own": study}
        assert caption(**own)
        assert "np.load" in code(**own)
        assert shown(seen(**own))


def test_the_code_of_an_own_table_opens_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the panel shows reproduces the figure where the file lies; a table of 12 rows is written out."""
    numbers_of = [[i % 5 + 1, i % 3 - 1, i * 0.25] for i in range(20)]
    content = "".join(f"w{chr(97 + i)} {a} {b} {c}\n" for i, (a, b, c) in enumerate(numbers_of))
    (tmp_path / "mine.txt").write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    study = TableStudy(read_own_table({"mine.txt": content.encode()}))
    own: dict[str, Any] = {"table": OWN, "look": "near", "a": "wc", "own": study}
    np.testing.assert_allclose(ran(**own), answer(**own), rtol=1e-6)


def test_questions_have_the_measured_answers() -> None:
    right = [question.options[question.answer()[0]] for question in ROOM.asked]
    assert right == [
        "0, whatever the two tokens are",
        "Much the same way, near .5",
        "money, but river is near too",
        "king",
        "That says nothing: random pairs have about that on average",
        "It depends: it rises among the commonest words and falls over all",
        "Not here: both can be read back from the sum",
        "No, some pairs give the same vector",
        "Undefined",
    ]


def test_labels_are_placed_anew_when_the_width_changes() -> None:
    """None covers another at 640 pixels; at 250 fewer fit, and the title counts the rest."""
    room = ROOM("?table=minilm&look=map")
    made = room._places["map"].figure.map
    assert isinstance(made, WordMap)
    wide = len(made.labels.data["x"]) + len(made.strong.data["x"])
    made._resized("inner_width", None, 250)
    narrow = len(made.labels.data["x"]) + len(made.strong.data["x"])
    assert narrow < wide
    assert f"30 rows · {30 - narrow} labels on hover" in made.figure.title.text
    # the two axes keep one scale
    x, y = made.figure.x_range, made.figure.y_range
    height = made._inner["inner_height"]
    np.testing.assert_allclose((x.end - x.start) / 250, (y.end - y.start) / height)
    assert text_width("mw") > text_width("il")


@pytest.mark.parametrize("key", FIGURES)
def test_a_figure_alone_begins_with_a_table_that_has_the_rows_for_it(key: str) -> None:
    room = ROOM(f"?figure={key}")
    assert not room._error.pane.visible
    assert room._notices == []
    assert list(room.view) == [key]
    assert visible(room) - {"look"} == set(FIGURES[key].uses)
    assert room._walk is None
    assert key in allowed(study_of(room.state.table, None))


def test_a_figure_alone_takes_the_table_of_its_address_and_says_why_it_cannot() -> None:
    assert ROOM("?figure=pairs&table=smollm2").state.table == "smollm2"
    room = ROOM("?figure=pairs&table=finance")
    assert "5 rows have too few pairs" in room._notice.pane.object
    room._fields["table"].widget.value = "minilm"
    assert room.view["pairs"].V == 8944
    assert not room._error.pane.visible


def test_a_figure_alone_takes_a_readers_own_table() -> None:
    room = ROOM("?figure=near")
    upload(room, ("mine.txt", TEXT))
    assert room.view["near"].V == 4
    assert "4 rows" in room._places["near"]._saying[0][0].pane.object
    # the next file is another table under the same settings
    upload(room, ("two.txt", TEXT + b"bird 1 1 1\n"))
    assert room.view["near"].V == 5


def test_two_sessions_do_not_share_a_table_of_ones_own() -> None:
    one, other = ROOM(), ROOM()
    upload(one, ("mine.txt", TEXT))
    other.state.table = OWN
    assert "Choose its file again" in other._error.pane.object
    assert OWN not in ROOM()._fields["table"].widget.options.values()
    # any other table is the way out
    other._fields["table"].widget.value = "finance"
    assert other.view["angle"].V == 5
    assert not other._error.pane.visible
