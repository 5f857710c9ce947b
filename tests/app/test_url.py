"""The address: each parameter read and refused by itself, nothing lost on the way there and back."""

from __future__ import annotations

import param
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kit import url


class State(param.Parameterized):
    words = param.String(default="", label="Words")
    count = param.Integer(default=3, bounds=(1, 9), label="Count")
    free = param.Integer(default=0, label="Free")
    base = param.Number(default=1e4, bounds=(1.0, None), label="Base")
    layout = param.Selector(default="half", objects=["half", "interleaved"], label="Layout")
    on = param.Boolean(default=False, label="On")
    swap = param.NumericTuple(default=None, length=2, allow_None=True, label="Swap")
    hidden = param.Integer(default=1, precedence=-1)


def test_good_values_are_read_by_their_own_type() -> None:
    parsed = url.parse("?words=123&count=5&base=5e5&layout=interleaved&on=true&swap=2,3", State)
    assert parsed.notices == ()
    assert parsed.values == {
        "words": "123",
        "count": 5,
        "base": 5e5,
        "layout": "interleaved",
        "on": True,
        "swap": (2, 3),
    }


@pytest.mark.parametrize(
    "text", ["123", "true", "1e5", "[1]", "NaN", "a & b = c # d", "␣ x", "ä漢字🙂", "<img src=x>"]
)
def test_text_comes_back_as_text(text: str) -> None:
    """ui-05: text that parses as JSON was refused or turned into a number."""
    query, left_out = url.write(State(words=text))
    assert left_out == ()
    assert url.parse(query, State).values == {"words": text}


@pytest.mark.parametrize(
    ("query", "name", "reason"),
    [
        ("count=99", "count=99", "from 1 to 9"),
        ("count=2.5", "count=2.5", "a whole number"),
        ("count=x", "count=x", "a whole number"),
        ("free=" + "9" * 309, "free=999", f"{url.EXACT:,}"),
        (f"free={-url.EXACT - 1}", "free=-", f"{url.EXACT:,}"),
        ("base=inf", "base=inf", "a finite number"),
        ("base=nan", "base=nan", "a finite number"),
        ("base=0", "base=0", "at least 1"),
        ("layout=inter", "layout=inter", "one of half, interleaved"),
        ("on=perhaps", "on=perhaps", "true or false"),
        ("swap=1", "swap=1", "2 numbers"),
        ("swap=a,b", "swap=a,b", "a whole number"),
        ("nosuch=1", "nosuch=1", "no setting of that name"),
        ("hidden=2", "hidden=2", "no setting of that name"),
        ("count=2&count=3", "count=3", "given 2 times"),
        ("embed=maybe", "embed=maybe", "true or false"),
        ("hide=walls", "hide=walls", "a list of controls"),
        ("theme=blue", "theme=blue", "light, dark or auto"),
    ],
)
def test_a_bad_value_is_named_and_disturbs_no_other(query: str, name: str, reason: str) -> None:
    """ui-05: one bad value dropped every value of the call. Here the good one beside it stays."""
    parsed = url.parse(f"words=kept&{query}", State)
    assert parsed.values == {"words": "kept"}
    assert len(parsed.notices) == 1
    assert name in parsed.notices[0]
    assert reason in parsed.notices[0]


class Rates(param.Parameterized):
    rate = param.Selector(default=0.01, objects=[0.01, 10.0], label="Rate")
    size = param.Selector(default=8, objects=[8, 64], label="Size")
    kind = param.Selector(default="1.0", objects=["1.0", "1", True], label="Kind")


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("rate=10", {"rate": 10.0}),
        ("rate=10.0", {"rate": 10.0}),
        ("rate=1e1", {"rate": 10.0}),
        ("rate=1e-2", {"rate": 0.01}),
        ("size=64.0", {"size": 64}),
        ("rate=11", {}),
        ("rate=nan", {}),
        ("rate=ten", {}),
        ("kind=1", {"kind": "1"}),
        ("kind=1e0", {}),
    ],
)
def test_a_number_among_choices_is_read_as_a_number(query: str, values: dict[str, object]) -> None:
    """The control shows 10 where the choice is 10.0; a choice that is a text is that text alone."""
    parsed = url.parse(query, Rates)
    assert parsed.values == values
    assert len(parsed.notices) == (not values)


def test_ten_thousand_characters_are_refused_as_a_whole() -> None:
    parsed = url.parse("words=" + "x" * 10_000, State)
    assert parsed.values == {}
    assert "10,006 characters" in parsed.notices[0]


def test_a_notice_is_short_and_shows_control_characters() -> None:
    notice = url.parse("count=%00%1b" + "y" * 300, State).notices[0]
    assert "␀␛" in notice
    assert len(notice) < 200


def test_only_what_differs_from_the_default_is_written() -> None:
    assert url.write(State())[0] == ""
    assert url.write(State(count=4))[0] == "count=4"


def test_a_text_too_long_for_an_address_is_left_out_and_named() -> None:
    assert url.write(State(words="ä" * 500, count=4)) == ("count=4", ("words",))


def test_half_a_surrogate_pair_does_not_break_the_address() -> None:
    assert url.write(State(words="a\ud800b"))[0] == "words=a%3Fb"


def test_the_options_of_the_page() -> None:
    parsed = url.parse("embed=1&hide=controls,code&theme=dark&room=build", State)
    assert parsed.options == url.Options(embed=True, hide=frozenset({"controls", "code"}), theme="dark")
    assert parsed.values == {}


@settings(deadline=None, max_examples=50)
@given(
    words=st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    count=st.integers(1, 9),
    base=st.floats(1, 1e12),
    on=st.booleans(),
    swap=st.none() | st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
)
def test_every_state_survives_its_address(
    words: str, count: int, base: float, on: bool, swap: tuple[int, int] | None
) -> None:
    state = State(words=words, count=count, base=base, on=on, swap=swap)
    restored = State(**url.parse(url.write(state)[0], State).values)
    for name in url.settings(State):
        assert getattr(restored, name) == getattr(state, name)
