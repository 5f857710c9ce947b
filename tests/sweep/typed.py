"""What readers type into the fields of text: words of the tables, numbers, configurations, and nonsense."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from app.rooms.geometry.model.tables import TABLES, study_of
from lab.data import smollm2
from lab.vocab import COURSES
from tests.sweep.configs import COUNTED, ROTATED

Text = st.SearchStrategy[str]
State = Mapping[str, Any]

NONSENSE = st.one_of(
    st.sampled_from(
        [
            " ",
            "\t\n",
            "<b>x</b>",
            "</script><script>alert(1)</script>",
            "&amp; & &lt;",
            "‮abc",
            "a\N{ZERO WIDTH SPACE}b",
            "e\u0301",
            "👩‍👩‍👧",
            "中文 字",
            "İstanbul",
            "x" * 500,
            "word " * 600,
            "a\x00b",
            "0",
            "1e999",
            "nan, 1",
            "{}",
            "[]",
            "null",
            "‘",
            "%s {0}",
            r"\frac{1}{2} a_b^c$#~",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
WORDS = (
    "cat",
    "dog",
    "bank",
    "king",
    "Paris",
    "not",
    "good",
    "3",
    "the",
    "running",
    "it's",
    "naïve",
    "a",
    "!",
)


def words(among: tuple[str, ...], low: int, high: int) -> Text:
    """Some words with spaces between them."""
    return st.lists(st.sampled_from(among), min_size=low, max_size=high).map(" ".join)


SENTENCES = words(WORDS, 1, 14)
NUMBERS = st.one_of(
    st.sampled_from(["0", "1", "-1", "−1", "0.5", ".5", "1e-9", "1e-300", "1e6", "-1e6", "1000001", "0.1"]),
    st.integers(-9, 9).map(str),
    st.floats(-10, 10).map(lambda value: f"{value:.3g}"),
)
FEW = st.one_of(st.integers(-3, 3).map(str), st.sampled_from(["0.5", "-.25", "1e-6", "1e5", "−2"]))


def vector(length: int) -> Text:
    """Numbers with commas between them."""
    return st.lists(NUMBERS, min_size=length, max_size=length).map(", ".join)


def _vector(state: State) -> Text:
    width = int(state.get("d") or 8)
    zeros = st.sampled_from([", ".join(["0"] * width), ", ".join(["1", "0"] * (width // 2)), "[1, 0]", "0,0"])
    return st.one_of(_even(state), zeros, vector(width), vector(2), vector(3), NONSENSE)


def _even(state: State) -> Text:
    # one angle turns one pair
    width = 2 if state["turn"] == "theta" else int(state["d"])
    return st.lists(FEW, min_size=width, max_size=width).map(", ".join)


def _ids(largest: int, most: int) -> Text:
    ids = st.integers(0, largest).map(str)
    return st.one_of(
        st.lists(ids, min_size=1, max_size=most).map(" ".join),
        st.lists(ids, min_size=2, max_size=most + 3).map(", ".join),
        st.sampled_from(["0", f"{largest}", f"{largest + 1}", "-1", "1.5", "[0, 1]", "0 0 0 0"]),
        NONSENSE,
    )


def _order(state: State) -> Text:
    T = max(len((state["text"] or "a b c").split()), 1)
    orders = st.permutations(range(1, min(T, 9) + 1))
    return st.one_of(
        orders.map(lambda places: ",".join(map(str, places))),
        orders.map(lambda places: "".join(map(str, places))),
        st.sampled_from(["1", "1,1", "0,1", "3,2,1", "2 1"]),
        NONSENSE,
    )


@lru_cache(maxsize=1)
def _tokens() -> tuple[str, ...]:
    return tuple(smollm2().tokens)


def _real_word(_: State) -> Text:
    return st.one_of(st.sampled_from(_tokens()), st.sampled_from(["people", "water", "zebrafish"]), NONSENSE)


def _build_text(state: State) -> Text:
    if state["example"] == "own":
        return st.one_of(SENTENCES, words(WORDS, 500, 530), NONSENSE)
    if state["example"] not in COURSES:
        return st.one_of(_ids(50_256, 12), NONSENSE)
    tokens = tuple(COURSES[state["example"]].vocabulary.tokens)
    some = st.lists(st.sampled_from(tokens), min_size=1, max_size=10)
    return st.one_of(some.map("".join), some.map(" ".join), SENTENCES, NONSENSE)


def _course_word(state: State) -> Text:
    key = state["table"] if state["table"] in TABLES and state["table"] != "own" else "animals"
    return st.one_of(_word_of(key), SENTENCES, NONSENSE)


@lru_cache(maxsize=8)
def _word_of(key: str) -> Text:
    study = study_of(key, None)
    tokens = st.sampled_from(tuple(study.table.vocabulary.tokens))
    shown = st.sampled_from(tuple(study.spellings[:2000]))
    width = study.D if study.D < 20 else 3
    return st.one_of(tokens, shown, vector(width), st.just(", ".join(["0"] * width)))


def _course_words(state: State) -> Text:
    key = state["table"] if state["table"] != "own" else "animals"
    some = st.lists(_word_of(key), min_size=1, max_size=30)
    return st.one_of(some.map(" ".join), some.map(", ".join), NONSENSE)


_WRONG = st.sampled_from(
    [None, 0, -1, 1, 2.5, 1e308, 10**400, "x", "8", True, [], {}, [1.0, 2.0], float("nan")]
)


@st.composite
def _config(draw: st.DrawFn, known: tuple[dict[str, Any], ...]) -> str:
    config: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(known))))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        parts = [config, *(part for part in config.values() if isinstance(part, dict))]
        part = draw(st.sampled_from(parts))
        if not part:
            break
        name = draw(st.sampled_from(sorted(part)))
        if draw(st.booleans()):
            part[name] = draw(_WRONG)
        else:
            del part[name]
    if draw(st.integers(0, 5)) == 0:
        config = {"model_type": "unknown", "text_config": config}
    text = json.dumps(config, indent=draw(st.sampled_from([None, 2])))
    return draw(st.sampled_from([text, text, text, f"\ufeff{text}", text[:-3], f"[{text}]"]))


NAMED: Mapping[str, Callable[[State], Text]] = {
    "build.text": _build_text,
    "order.text": lambda _: st.one_of(words(WORDS, 1, 9), NONSENSE),
    "order.permutation": _order,
    "order.second": lambda _: st.one_of(words(WORDS, 1, 5), NONSENSE),
    "schemes.text": lambda _: st.one_of(words(WORDS, 1, 15), NONSENSE),
    "rope.q": _vector,
    "rope.k": _vector,
    "rope.a": _real_word,
    "rope.b": _real_word,
    "context.a": _real_word,
    "context.b": _real_word,
    "context.config": lambda _: st.one_of(_config(ROTATED), NONSENSE),
    "count.config": lambda _: st.one_of(_config(COUNTED), NONSENSE),
    "gradient.ids": lambda _: _ids(11, 12),
    "mistakes.ids": lambda _: _ids(11, 24),
    "geometry.a": _course_word,
    "geometry.b": _course_word,
    "geometry.c": _course_word,
    "geometry.words": _course_words,
}
"""Strategies by room and setting, from what has been drawn of the state so far."""


def _in_order(state: State) -> Text:
    T = max(len((state["text"] or "a b c").split()), 1)
    return st.permutations(range(1, T + 1)).map(lambda places: ",".join(map(str, places)))


def _in_table(state: State) -> Text:
    if state["example"] == "own":
        return SENTENCES
    if state["example"] not in COURSES:
        return st.lists(st.integers(0, 50_256).map(str), min_size=1, max_size=12).map(" ".join)
    tokens = tuple(COURSES[state["example"]].vocabulary.tokens)
    between = " " if not any(" " in token for token in tokens) else ""
    return st.lists(st.sampled_from(tokens), min_size=1, max_size=10).map(between.join)


def _of_table(state: State) -> Text:
    return _word_of(state["table"] if state["table"] != "own" else "animals")


def _written(known: tuple[dict[str, Any], ...]) -> Text:
    return st.one_of(st.just(""), st.sampled_from(known).map(json.dumps))


TAME: Mapping[str, Callable[[State], Text]] = {
    "build.text": _in_table,
    "order.text": lambda _: words(WORDS, 1, 8),
    "order.permutation": _in_order,
    "order.second": lambda _: words(WORDS, 1, 4),
    "schemes.text": lambda _: words(WORDS, 1, 15),
    "rope.q": _even,
    "rope.k": _even,
    "rope.a": lambda _: st.sampled_from(_tokens()),
    "rope.b": lambda _: st.sampled_from(_tokens()),
    "context.a": lambda _: st.sampled_from(_tokens()),
    "context.b": lambda _: st.sampled_from(_tokens()),
    "context.config": lambda _: _written(ROTATED),
    "count.config": lambda _: _written(COUNTED),
    "gradient.ids": lambda _: st.lists(st.integers(0, 11).map(str), min_size=1, max_size=12).map(" ".join),
    "mistakes.ids": lambda _: st.lists(st.integers(0, 11).map(str), min_size=1, max_size=24).map(" ".join),
    "geometry.a": _of_table,
    "geometry.b": _of_table,
    "geometry.c": _of_table,
}
"""The same where the field takes what is typed: a refused text hides what the other settings do."""


def text(key: str, name: str, state: State, *, tame: bool = False) -> Text:
    """What a reader may type in a field; one without a strategy of its own gets words and nonsense.

    ``tame`` draws only what the field takes by itself.
    """
    place = f"{key}.{name}"
    if tame:
        return TAME[place](state) if place in TAME else st.just("")
    made = NAMED.get(place)
    return st.one_of(st.just(""), made(state) if made else st.one_of(SENTENCES, NONSENSE))
