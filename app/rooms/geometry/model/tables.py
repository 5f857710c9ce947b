"""The tables of the room, and the words that stand for empty fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from app.kit.given import GIVEN
from app.rooms.geometry.model.study import TableStudy
from app.rooms.geometry.model.vectors import cosine_error
from app.rooms.geometry.words import WORDS
from lab.data import SmolLM2, smollm2
from lab.vocab import (
    CHAPTER_VECTORS,
    COURSE_VECTORS,
    FINANCE,
    RUNNING,
    Table,
    Vocabulary,
    Words,
    minilm_table,
    show_token,
)

OWN = "own"
TABLES = {
    "animals": "cat, dog, car",
    "chapter": "cat, dog, car in four dimensions",
    "finance": "Five finance tokens",
    "running": "Twelve course tokens",
    "minilm": "MiniLM, 8,944 of 30,522 rows",
    "smollm2": "SmolLM2, 1,500 of 49,152 rows",
    OWN: "Your own table",
}
_LOADERS: dict[str, Callable[[], Table]] = {
    "animals": lambda: COURSE_VECTORS,
    "chapter": lambda: CHAPTER_VECTORS,
    "finance": lambda: FINANCE,
    "running": lambda: RUNNING,
    "minilm": minilm_table,
    "smollm2": lambda: _smollm2_table(smollm2()),
}
HANDMADE = ("animals", "chapter", "finance", "running")
"""Tables that somebody wrote down; the others were trained."""
ROUNDINGS = {"minilm": 1, "smollm2": 2}
"""How often the numbers of a stored table were rounded to 8 bits."""
SMALL = 12
"""Rows up to which a table is shown whole."""
_WORDS = {"finance": ("save", "invest", "spend"), "running": (" cat", " dog", " roof")}
_REAL_WORDS = {"angle": ("bank", "money", "river"), "analogy": ("man", "king", "woman")}
_ANIMALS = ("cat", "dog", "car")
_MAPPED = "cat bank king monday three paris"
MOST_MAPPED = 24


def study_of(key: str, own: TableStudy | None, page: TableStudy | None = None) -> TableStudy:
    """A table by its key; a reader's own belongs to her session alone, and ``page`` is the teacher's.

    Raises
    ------
    ValueError
        If her own is asked for and none was loaded.
    DataMissing
        If the file of a real table is not there (yet).
    """
    if key == GIVEN and page is not None:
        return page
    if key != OWN:
        return _shipped(key)
    if own is None:
        raise ValueError(WORDS.raw("table.absent"))
    return own


@lru_cache
def _shipped(key: str) -> TableStudy:
    return TableStudy(_LOADERS[key]())


def _smollm2_table(pack: SmolLM2) -> Table:
    vocabulary = Vocabulary(pack.tokens)
    return Table(
        name="SmolLM2, 1,500 rows",
        vocabulary=vocabulary,
        tokenizer=Words(vocabulary),
        E=pack.embeddings,
        P=None,
        position_origin=0,
        note=WORDS.say("table.smollm2", rows=len(vocabulary), full=pack.full_vocabulary),
        example=" the people",
        full=pack.full_vocabulary,
    )


def about(key: str, study: TableStudy) -> str:
    """What a table holds and what it leaves out."""
    roundings = ROUNDINGS.get(key)
    off = WORDS.say("table.rounded", error=_error(study, roundings)) if roundings else ""
    return f"{study.table.note} {off}".strip()


@lru_cache(maxsize=4)
def _error(study: TableStudy, roundings: int) -> float:
    return cosine_error(study.table.E, roundings)


def usual_words(key: str, look: str, study: TableStudy) -> tuple[str, str, str]:
    """The three words that stand for empty fields."""
    if key in _WORDS:
        return _WORDS[key]
    for words in (() if key in HANDMADE else _REAL_WORDS.get(look, ()), _ANIMALS):
        if len(words) == 3 and all(study.has(word) for word in words):
            return words[0], words[1], words[2]
    ids = study.words if len(study.words) > 2 else range(study.V)
    first = [study.tokens[int(i)] for i in ids[:3]]
    return first[0], first[1], first[-1]


def mapped_words(text: str, study: TableStudy) -> tuple[str, ...]:
    """The words of the map: those that were typed, or an example.

    Raises
    ------
    ValueError
        If there are too many.
    """
    if text.strip():
        words = tuple(dict.fromkeys(text.replace(",", " ").split()))
        if len(words) > MOST_MAPPED:
            raise ValueError(WORDS.say("map.many", typed=len(words), most=MOST_MAPPED))
        return words
    if study.V <= SMALL:
        return tuple(show_token(token) for token in study.tokens)
    return tuple(word for word in _MAPPED.split() if study.has(word)) or tuple(
        study.names(study.words[:6] if len(study.words) > 2 else range(6))
    )
