"""Predict, then check: what distance between rows means, and what it does not."""

from __future__ import annotations

from typing import Any

from app.kit.html import number
from app.kit.questions import Question
from app.rooms.geometry.compute import State, View, compute
from app.rooms.geometry.looks.analogy import AnalogyLook
from app.rooms.geometry.looks.angle import AngleLook
from app.rooms.geometry.looks.pairs import PairsLook
from app.rooms.geometry.looks.rarity import RarityLook
from app.rooms.geometry.looks.sums import SumsLook
from lab.geometry import UNDEFINED

_DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}

_OPPOSITES = {"table": "minilm", "a": "good", "b": "bad", "c": "excellent"}
_BANK = {"table": "minilm", "a": "bank", "b": "money", "c": "river"}
_KING = {"table": "minilm", "look": "analogy", "a": "man", "b": "king", "c": "woman"}
_PAIRS = {"table": "smollm2", "look": "pairs"}
_RARE = {"table": "minilm", "look": "rarity"}
_SUM = {"table": "minilm", "look": "sums", "a": "cat", "place": 5}
_COURSE = {"table": "running", "look": "sums", "a": "cat", "place": 1}
_ZERO = {"a": "cat", "b": "dog", "c": "[0]"}


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    return (
        Question(
            "cat and dog as one-hot rows of length V: what is their cosine?",
            ("1, both hold a single 1", "0, whatever the two tokens are", "It depends on their ids"),
            _one_hot,
            {"a": "cat", "b": "dog", "c": "car"},
        ),
        Question(
            "good and bad mean opposite things. In MiniLM's table, where do their rows point?",
            ("Opposite ways, the cosine is near −1", "At right angles, near 0", "Much the same way, near .5"),
            _opposites,
            _OPPOSITES,
        ),
        Question(
            "bank has one row for both of its senses. Which word is nearer to it?",
            ("money, and river is no nearer than a random word", "money, but river is near too", "river"),
            _bank,
            _BANK,
        ),
        Question(
            "king − man + woman: which of the 8,944 rows is nearest?",
            ("queen", "king", "woman"),
            _king,
            _KING,
        ),
        Question(
            "Two of SmolLM2's rows have cosine .16. Are the two words related?",
            (
                "Yes, random rows have cosine 0",
                "That says nothing: random pairs have about that on average",
                "No, related words have cosines above .9",
            ),
            _random,
            _PAIRS,
        ),
        Question(
            "Do rarer words have shorter rows in MiniLM's table?",
            (
                "Yes: the rank correlation is about −.84",
                "No: there is no correlation",
                "It depends: it rises among the commonest words and falls over all",
            ),
            _rare,
            _RARE,
        ),
        Question(
            "A position row is added to a token row, not appended. Is what either said lost?",
            (
                "Yes, a sum cannot be taken apart",
                "Not here: both can be read back from the sum",
                "The token survives, the position does not",
            ),
            _sum,
            _SUM,
        ),
        Question(
            "The course's table has 12 tokens and 8 positions in 4 dimensions. Are its 96 sums all "
            "different?",
            ("Yes, all 96", "No, some pairs give the same vector", "No, all positions give the same vector"),
            _course,
            _COURSE,
        ),
        Question(
            "What is the cosine of cat with a row of zeros, such as an untrained padding row?",
            ("0", "1", "Undefined"),
            _zero,
            _ZERO,
        ),
    )


def _shown(values: dict[str, Any]) -> Any:
    view: View = compute(**{**_DEFAULTS, **values})
    return view.shown


def _one_hot() -> tuple[int, str]:
    look: AngleLook = _shown({})
    value = float(look.one_hot[0, 1])
    return (1 if value == 0 else 0), (
        f"It is {number(value)}: the ones stand in different columns, so every product is 0. As rows of E "
        f"their cosine is {number(look.angles[0].cosine or 0.0)}: nearness has to be learned."
    )


def _cosines(values: dict[str, Any]) -> tuple[float, float]:
    look: AngleLook = _shown(values)
    return look.angles[0].cosine or 0.0, look.angles[1].cosine or 0.0


def _opposites() -> tuple[int, str]:
    bad, excellent = _cosines(_OPPOSITES)
    right = 2 if bad > 0.25 else 1 if bad > -0.5 else 0
    return right, (
        f"cos(good, bad) = {number(bad)}, close to cos(good, excellent) = {number(excellent)}. A small "
        "angle does not tell opposite from alike."
    )


def _bank() -> tuple[int, str]:
    money, river = _cosines(_BANK)
    pairs: PairsLook = _shown({"table": "minilm", "look": "pairs"})
    usual, spread = float(pairs.found.raw.mean()), float(pairs.found.raw.std())
    right = 2 if river > money else 1 if river > usual + 2 * spread else 0
    return right, (
        f"cos(bank, money) = {number(money)} and cos(bank, river) = {number(river)}; a random pair has "
        f"{number(usual, 2)} ± {number(spread, 2)}. One row serves both senses; which is meant, only the "
        "context tells, and the context comes after the lookup."
    )


def _king() -> tuple[int, str]:
    look: AnalogyLook = _shown(_KING)
    study = look.asked.study
    first, left = study.name(int(look.everyone.ids[0])), study.name(int(look.others.ids[0]))
    right = {"queen": 0, "king": 1, "woman": 2}[first]
    return right, (
        f"{first} comes first, with {number(float(look.everyone.cosines[0]))}. {left} wins once the three "
        f"inputs are left out, with {number(float(look.others.cosines[0]))}."
    )


def _random() -> tuple[int, str]:
    look: PairsLook = _shown(_PAIRS)
    mean, centred = float(look.found.raw.mean()), float(look.found.centred.mean())
    return (1 if mean > 0.1 else 0), (
        f"{look.found.pairs:,} random pairs have {number(mean)} on average, {number(centred)} once the mean "
        "row is taken away. A cosine is read against what random pairs of the same table give."
    )


def _rare() -> tuple[int, str]:
    look: RarityLook = _shown(_RARE)
    found = look.found
    right = 2 if found.commonest > 0.1 and found.all_words < -0.1 else 0 if found.all_words < -0.8 else 1
    return right, (
        f"{number(found.commonest, 2)} over the {found.first:,} commonest, {number(found.all_words, 2)} over "
        f"all {len(found.ids):,}, and {number(found.of_means, 2)} only for means of a hundred words."
    )


def _sum() -> tuple[int, str]:
    look: SumsLook = _shown(_SUM)
    token, place = look.read
    right = 1 if token and place else 2 if token else 0
    return right, (
        f"Of {look.sums:,} sums the nearest is cat at position {look.found.place}, "
        f"{number(look.found.distance)} away; the next is {number(look.found.runner_up)} away. With "
        f"{look.asked.study.D} dimensions there is room."
    )


def _course() -> tuple[int, str]:
    look: SumsLook = _shown(_COURSE)
    distinct = look.distinct or 0
    right = 0 if distinct == look.sums else 2 if distinct == look.asked.study.V else 1
    return right, (
        f"Only {distinct} of {look.sums} sums are different. Four dimensions of round numbers are too few; "
        "nothing in the addition itself forbids coincidences."
    )


def _zero() -> tuple[int, str]:
    look: AngleLook = _shown(_ZERO)
    value = look.angles[1].cosine
    said = UNDEFINED if value is None else number(value)
    return (2 if value is None else 0), f"It is {said}: the lengths' product is 0, and 0 / 0 is no number."
