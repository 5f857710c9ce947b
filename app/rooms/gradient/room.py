"""Which rows of E learn? A run of batches as unequal as words are, and the rows they touch, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import param

from app.kit import controls, fields, picture
from app.kit.figure import Snapshot
from app.kit.given import GIVEN, own_choice
from app.kit.html import Markup
from app.kit.questions import asked
from app.kit.room import Room
from app.rooms.gradient.dial import Dial, Played
from app.rooms.gradient.learn import ByRank, OneRow, TiedTable
from app.rooms.gradient.model import WORDS, answers
from app.rooms.gradient.model.run import picture_of, run_of
from app.rooms.gradient.model.views import EXAMPLE
from app.rooms.gradient.own import PARTS, first_length, own_of
from app.rooms.gradient.rows import Rows, Seen
from app.rooms.gradient.ways import Repeats, Ways
from lab.row_optimizers import ROW_OPTIMIZERS

CLOSER = {"rank": "By rank", "row": "One row", "tied": "Tied table", "ways": "Several ways"}
SOURCES = {"zipf": "Zipf's law", "shakespeare": "Shakespeare"}
SUBSAMPLES = {0.0: "all kept", 1e-3: "t = 0.001", 1e-4: "t = 0.0001", 1e-5: "t = 0.00001"}
"""Thresholds of word2vec's subsampling, and what they are called; its authors took the last."""
PRESETS = (100, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 50_257, 64_000, 100_000, 128_000)
ZOOMS = (0, *(digit * 10**k for k in range(5) for digit in (1, 2, 5)), 100_000)
EXPONENTS = tuple(k / 20 for k in range(41))


class State(param.Parameterized):
    """What a reader can set."""

    step = param.Integer(default=60, bounds=(1, 60), label="Step shown")
    source = param.Selector(default="zipf", objects=list(SOURCES), label="Tokens from")
    exponent = param.Number(default=1.0, bounds=(0.0, None), label="Exponent s")
    V = param.Integer(default=50_257, bounds=(2, 128_000), label="V, rows of the table")
    batch = param.Integer(default=8, bounds=(1, 16), label="Sequences")
    length = param.Integer(default=500, bounds=(1, 1024), label="Tokens in each")
    subsample = param.Selector(default=0.0, objects=list(SUBSAMPLES), label="Frequent words")
    steps = param.Integer(default=30, bounds=(2, 60), label="Steps of the run")
    optimizer = param.Selector(default="sgd", objects=list(ROW_OPTIMIZERS), label="Optimizer")
    tied = param.Boolean(default=False, label="Tied output layer")
    zoom = param.Integer(default=0, bounds=(0, 128_000), label="Single rows from rank (0 for all)")
    closer = param.Selector(default="rank", objects=list(CLOSER), label="Look closer")
    row = param.Integer(default=5_000, bounds=(1, 128_000), label="Rank of the row to follow")
    ids = param.String(default=EXAMPLE, label="Row ids")
    seed = param.Integer(default=0, bounds=(0, 9_999), label="Seed")
    own = param.Parameter(default=None, precedence=-1, doc="The teacher's counts, or her text.")


class GradientRoom(Room):
    """The sparse gradient of a table under Zipf's law."""

    key, place, words = "gradient", "gradient", WORDS
    first = ("step", "optimizer", "V")
    State = State
    kinds = (Rows, Seen, ByRank, OneRow, TiedTable, Repeats, Ways)
    tabs, above = "closer", ("rows", "seen")
    fields: ClassVar = {
        "step": Played,
        "source": partial(own_choice, labels=SOURCES, of="own", kind=controls.segmented),
        "exponent": partial(Dial, values=EXPONENTS, law=True, step=0.05),
        "V": partial(Dial, values=PRESETS, law=True, step=1_000),
        **dict.fromkeys(("batch", "length", "steps", "row", "seed"), fields.of(controls.number)),
        "subsample": fields.choices(SUBSAMPLES),
        "optimizer": fields.choices({key: rule.title for key, rule in ROW_OPTIMIZERS.items()}),
        "zoom": partial(Dial, values=ZOOMS),
        "closer": fields.tabs(CLOSER),
    }
    asked = (
        asked(WORDS, "moved", answers.moved, answers.ONE, "rows"),
        asked(WORDS, "adam", answers.adam, answers.ADAM, "rows"),
        asked(WORDS, "rare", answers.rare, answers.RARE, "row"),
        asked(WORDS, "tied", answers.tied, answers.TIED, "tied"),
        asked(WORDS, "wrong", answers.wrong, answers.TWICE, "repeats"),
        asked(WORDS, "text", answers.text, answers.TEXT, "rows"),
    )

    always = ("wrong",)
    given = PARTS

    @classmethod
    def take(cls, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Her counts, or the words of her text."""
        return own_of(data)

    @classmethod
    def begins(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Her tokens are chosen, and of a short text short passages."""
        return {"source": GIVEN, "length": first_length(data["own"])} if data else {}

    @classmethod
    def opened(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The tab of the ways begins with a few ids to try them on."""
        keys = super().opened(values)
        return (*cls.above, Repeats.key, Ways.key) if Ways.key in keys else keys

    @classmethod
    def picture(cls) -> Markup:
        """A small true picture for the start page: which of 40 rows 26 steps of 24 tokens touch."""
        small = Snapshot({**answers.USUAL, "V": 40, "batch": 1, "length": 24, "steps": 26})
        return picture.matrix(picture_of(run_of(small), "sgd", False, 0).shares[:16])
