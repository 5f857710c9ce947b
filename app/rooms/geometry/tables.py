"""The tables of the room, and what is asked of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.table_study import Pick, TableStudy, smollm2_table
from lab.vocab import CHAPTER_VECTORS, COURSE_VECTORS, FINANCE, RUNNING, Table, minilm_table, show_token

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
    "smollm2": smollm2_table,
}
HANDMADE = ("animals", "chapter", "finance", "running")
"""Tables that somebody wrote down; the others were trained."""
ROUNDINGS = {"minilm": 1, "smollm2": 2}
"""How often the numbers of a stored table were rounded to 8 bits."""
SMALL = 12
"""Rows up to which a table is shown whole."""
_WORDS = {
    "finance": ("save", "invest", "spend"),
    "running": (" cat", " dog", " roof"),
}
_REAL_WORDS = {"angle": ("bank", "money", "river"), "analogy": ("man", "king", "woman")}
_MAPPED = "cat bank king monday three paris"
MOST_MAPPED = 24


_studies: dict[str, TableStudy] = {}


def study_of(key: str, own: TableStudy | None) -> TableStudy:
    """The study of a table by its key; a reader's own belongs to her session alone.

    Raises
    ------
    ValueError
        If her own is asked for and none was loaded.
    """
    if key == OWN:
        if own is None:
            raise ValueError(
                "No table of your own is loaded here: an address does not carry it. Choose its file again."
            )
        return own
    if key not in _studies:
        _studies[key] = TableStudy(_LOADERS[key]())
    return _studies[key]


@dataclass(frozen=True, eq=False)
class Asked:
    """What a look is asked: a table and the words, with every default filled in."""

    key: str
    study: TableStudy
    a: str
    b: str
    c: str
    words: tuple[str, ...]
    around: int
    k: int
    exclude: bool
    place: int
    noise: float
    seed: int

    def picks(self) -> tuple[Pick, Pick, Pick]:
        """The three vectors."""
        return self.study.pick(self.a), self.study.pick(self.b), self.study.pick(self.c)

    def row(self, word: str) -> Pick:
        """A row of the table.

        Raises
        ------
        ValueError
            If it is no word of it, or numbers were typed.
        """
        picked = self.study.pick(word)
        if picked.id is None:
            raise ValueError("Numbers have an angle, but no row here. Type a word of the table.")
        return picked


def default_words(key: str, look: str, study: TableStudy) -> tuple[str, str, str]:
    """The three words that stand for empty fields."""
    if key in _WORDS:
        return _WORDS[key]
    wanted = _REAL_WORDS.get(look, ()) if key in ("minilm", "smollm2", OWN) else ()
    for words in (wanted, ("cat", "dog", "car")):
        if len(words) == 3 and all(study.has(word) for word in words):
            return words[0], words[1], words[2]
    ids = study.words if len(study.words) > 2 else range(study.V)
    first = [study.table.vocabulary.tokens[int(i)] for i in ids[:3]]
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
            raise ValueError(f"{len(words)} words were typed; a map of up to {MOST_MAPPED} can be read.")
        return words
    if study.V <= SMALL:
        return tuple(show_token(token) for token in study.table.vocabulary)
    return tuple(word for word in _MAPPED.split() if study.has(word)) or tuple(
        study.names(study.words[:6] if len(study.words) > 2 else range(6))
    )
