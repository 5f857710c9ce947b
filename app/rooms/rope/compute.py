"""State and view of the room `rope`: everything the figures show, computed by the lab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from app.kit import budget
from app.rooms.rope import parts
from app.rooms.rope.parts import Curve, Heads, Setting, Storage, Window
from lab import rope_study
from lab.positions import Rope
from lab.positions.rope import Pairing

WIDTHS = (2, 4, 8, 16, 32, 64, 128)
BASES = (100, 1_000, 10_000, 100_000, 500_000, 1_000_000, 10_000_000)
REACHES = (32, 128, 512, 2_048)
VIEWS = ("all", "hands", "pairs", "average", "heads", "layouts", "storage")
HEADS = ("all", *(str(head) for head in range(9)))


class State(param.Parameterized):
    """What a reader can set."""

    turn = param.Selector(default="theta", objects=["theta", "base"], label="Angles from")
    theta = param.Number(
        default=0.5,
        bounds=(0.0, 3.2),
        step=0.05,
        label="θ, radians per position",
        doc="Angle of the only pair.",
    )
    base = param.Selector(default=10_000, objects=list(BASES), label="Base")
    d = param.Selector(default=8, objects=list(WIDTHS), label="Head width d")
    q = param.String(default="", label="q")
    k = param.String(default="", label="k")
    seed = param.Integer(default=0, bounds=(0, 9_999), label="Seed of the draws")
    m = param.Integer(default=3, bounds=(0, parts.FARTHEST), label="m, position of q")
    n = param.Integer(default=1, bounds=(0, parts.FARTHEST), label="n, position of k")
    move = param.Selector(default=0, objects=list(parts.MOVES), label="Move both by")
    pairing = param.Selector(
        default="interleaved", objects=["interleaved", "half"], label="Pairs of dimensions"
    )
    precision = param.Selector(default="float64", objects=list(parts.PRECISIONS), label="Positions stored in")
    reach = param.Selector(default=32, objects=list(REACHES), label="Distances drawn")
    a = param.String(default="people", label="Word a, the query")
    b = param.String(default="water", label="Word b, the key")
    head = param.Selector(default="all", objects=list(HEADS), label="Head")
    view = param.Selector(default="all", objects=list(VIEWS), label="Show")


DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn; parts that did not change are the same objects as before."""

    setting: Setting
    m: int
    n: int
    move: int
    precision: str
    stored: tuple[int, int]
    """Places of q and k before the move, as they are stored."""
    stored_moved: tuple[int, int]
    here: rope_study.Meeting
    moved: rope_study.Meeting
    difference: float
    """Change of the score by this move."""
    largest: float
    """Largest change of the score by any of the moves on offer."""
    terms: tuple[float, ...]
    """Products of q with k turned by n - m alone, number by number: they add up to the score, (d,)."""
    norms: tuple[float, float, float, float]
    """Norm of q before and after turning, then of k."""
    window: Window
    curve: Curve
    average: rope_study.Average
    storage: Storage
    heads: Heads
    head: str
    shown: str
    """The view that is shown, or "all"."""

    @property
    def rope(self) -> Rope:
        """The head that turns q and k."""
        return self.setting.rope

    @property
    def angled(self) -> bool:
        """Whether the hands of the first pair have an angle: a vector of zeros points nowhere."""
        return bool(self.moved.angled[0])

    @property
    def several(self) -> bool:
        """Whether there is more than one pair."""
        return len(self.here.pairs) > 1

    def shows(self, name: str) -> bool:
        """Whether a view is on the page: the chosen one, or all that have something to show."""
        return self.shown in ("all", name) and (self.several or name != "layouts" or self.shown == name)

    @property
    def distance(self) -> int:
        """Place of q less place of k."""
        return self.m - self.n

    @property
    def places(self) -> tuple[int, int]:
        """Places of q and k after the move."""
        return self.m + self.move, self.n + self.move

    @property
    def exact(self) -> bool:
        """Whether places are stored without loss."""
        return self.stored == (self.m, self.n) and self.stored_moved == self.places


def cost(**state: Any) -> budget.Cost:
    """All other bounds hold the sizes small, their products too."""
    return budget.typed(*(state[name] for name in ("q", "k", "a", "b")))


def compute(
    *,
    turn: str,
    theta: float,
    base: float,
    d: int,
    q: str,
    k: str,
    seed: int,
    m: int,
    n: int,
    move: int,
    pairing: Pairing,
    precision: str,
    reach: int,
    a: str,
    b: str,
    head: str,
    view: str,
) -> View:
    """Turn q and k to their places and score them; draw the score at each distance and what bears on it.

    Raises
    ------
    ValueError
        If q or k is typed with a part that is no number or with another width than the head's, or a word
        is not among the tokens of the pack.
    """
    setting = parts.setting_of(turn, theta, base, d, pairing, seed, q, k)
    kind = parts.PRECISIONS[precision]
    places = rope_study.stored_positions([m, n, m + move, n + move], kind).tolist()
    here, moved = (
        rope_study.meet(setting.rope, setting.q, setting.k, *pair) for pair in (places[:2], places[2:])
    )
    window = parts.window_of(m - n, reach)
    norms = (parts.norm(setting.q), parts.norm(moved.q), parts.norm(setting.k), parts.norm(moved.k))
    return View(
        setting=setting,
        m=m,
        n=n,
        move=move,
        precision=precision,
        stored=(places[0], places[1]),
        stored_moved=(places[2], places[3]),
        here=here,
        moved=moved,
        difference=abs(moved.score - here.score),
        largest=parts.largest_change(setting, m, n, kind),
        terms=rope_study.terms(setting.rope, setting.q, setting.k, places[2] - places[3]),
        norms=norms,
        window=window,
        curve=parts.curve_of(setting, window),
        average=parts.average_of(setting.turn, setting.theta, setting.base, setting.d, seed, window),
        storage=parts.storage_of(setting, m - n),
        heads=parts.heads_of(a, b),
        head=head,
        shown=view,
    )
