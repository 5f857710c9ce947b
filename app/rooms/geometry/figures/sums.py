"""Token row plus position row: can both be read back from the sum?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import panel as pn
from bokeh.models import Range1d

from app.kit.figures import Curves
from app.kit.formula import Formula, decimal, text
from app.kit.given import GIVEN
from app.kit.html import Markup, join, number, shorten, tag
from app.kit.matrix import verdict
from app.kit.numbers import Cell, Table
from app.kit.panes import Html
from app.rooms.geometry.figures.base import GeometryFigure, short
from app.rooms.geometry.model.measured import LISTED, Sums
from app.rooms.geometry.model.tables import SMALL
from app.rooms.geometry.pictures.ranking import Ranked, ranking

TWINS = 3
"""Sums that coincide with this one, of which so many are named."""


class WordAndPosition(GeometryFigure):
    """One sum, perhaps disturbed, and what it is nearest to."""

    key, view, begins = "sums", Sums, "minilm"
    uses = ("table", "a", "place", "noise", "seed")

    def make(self) -> Sequence[Any]:
        self.list = Html()
        self.curve = Curves(
            {"distance": ("distance", "accent")},
            label="Distance of the nearest sum at each position",
            x="position",
            y="distance from x",
            height=320,
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
        )
        both = [self.list.pane, self.curve.pane]
        beside = pn.Column(*both, margin=0, sizing_mode="stretch_width", css_classes=["lab-two"])
        return self.result, beside, self.angles

    def draw(self, view: Sums) -> None:
        self.list.set(self.ranked(view))
        distances, first = view.found.by_place, view.origin
        self.curve.set("distance", list(range(first, first + view.places)), distances)
        self.curve.set_x(first - 0.5, first + view.places - 0.5)
        self.curve.set_y(0, 1.1 * float(distances.max()))

    def result(self, view: Sums) -> Markup:
        """What went in, what came back, and whether that is right."""
        noise = f" {self.say('noise', view)}" if view.s.noise else ""
        back = self.say("back", view, token=_token(view, view.found.token))
        line = tag(
            "p",
            tag(
                "span", f"{self.say('sum', view, token=_token(view, view.token[1]))}{noise}", class_="lab-box"
            ),
            tag("span", "→", class_="lab-sign lab-small", aria_hidden="true"),
            tag("span", back, class_="lab-box"),
            class_="lab-stream",
        )
        good = all(view.read) and not view.found.twins
        said = [line, verdict(self.verdict(view), "good" if good else "warn")]
        if view.s.place != view.place:
            said.append(verdict(self.say("beyond", view, searched=self.searched(view)), "warn"))
        return join(said)

    def verdict(self, view: Sums) -> str:
        """Whether token and position can be read back."""
        found = view.found
        if found.twins and not view.s.noise:
            named = (f"{_token(view, i)} at {at + view.origin}" for i, at in found.twins[:TWINS])
            distinct = number(view.distinct) if view.distinct else "some"
            count, others = len(found.twins) + 1, ", ".join(named)
            return self.say("twins", view, count=count, others=others, different=distinct)
        few = self.say("few", view) if view.distinct else ""
        if all(view.read):
            return self.say("both", view, few=few).strip()
        parts = zip(("the token", "the position"), view.read, strict=True)
        wrong = " and ".join(name for name, right in parts if not right)
        return self.say("wrong", wrong=wrong, few=few).strip()

    def searched(self, view: Sums) -> str:
        """Which positions are compared."""
        return self.say("first" if view.places < view.all_places else "all", view)

    def ranked(self, view: Sums) -> Markup:
        """The nearest sums, one for each token."""
        nearest = list(_nearest(view))
        longest = max(distance for *_, distance in nearest) or 1.0
        entries = [
            Ranked(view.study.name(i), distance, distance / longest, f"position {place}", i == view.token[1])
            for i, place, distance in nearest
        ]
        return ranking(entries, title=self.say("list"), under=self.say("shorter"), rows=LISTED)

    def angles(self, view: Sums) -> Markup:
        """Why it works: token rows and position rows are nearly at right angles."""
        mean, (E, P, median) = round(float(view.cosines.mean()), 3), view.norms
        sd, pairs = float(view.cosines.std()), len(view.cosines)
        return verdict(self.say("angles", view, mean=mean, sd=sd, pairs=pairs, E=E, P=P, median=median))

    def caption(self, view: Sums) -> str:
        token, back = (_token(view, i) for i in (view.token[1], view.found.token))
        return self.say("caption", view, token=token, back=back, searched=self.searched(view))

    def numbers(self, view: Sums) -> list[Table]:
        tokens: list[list[Cell]] = [
            [view.study.name(i), place, distance] for i, place, distance in _nearest(view)
        ]
        places = [[at, value] for at, value in enumerate(view.found.by_place.tolist(), start=view.origin)]
        cosines = view.cosines
        tables = [
            Table("Nearest sums by token", ["token", "position", "distance"], tokens),
            Table("Nearest sum at each position", ["position", "distance"], places),
            Table(
                "Cosine of token rows with position rows",
                ["pairs", "mean", "standard deviation"],
                [[len(cosines), float(cosines.mean()), float(cosines.std())]],
            ),
        ]
        if view.found.twins:
            twins = [[view.study.name(i), place + view.origin] for i, place in view.found.twins]
            tables.append(Table("Other sums that are the same vector", ["token", "position"], twins))
        return tables

    def formula(self, view: Sums) -> tuple[Formula, ...]:
        token = text(shorten(view.study.name(view.found.token), 16))
        distance, runner_up = decimal(view.found.distance), decimal(view.found.runner_up)
        return (
            Formula(
                r"(\hat{t}, \hat{p}) = \underset{t,\,p}{\mathrm{argmin}}\; \lVert x - E_t - P_p \rVert"
                r"\qquad E \in \mathbb{R}^{\dim{V} \times \dim{D}},\; P \in "
                r"\mathbb{R}^{\dim{T} \times \dim{D}}",
                rf"\hat{{t}} = {token},\; \hat{{p}} = {view.found_place}:\; {distance},\;"
                rf" \text{{next: }} {runner_up}",
                self.say("formula"),
            ),
        )

    def steps(self, view: Sums) -> str:
        if view.s.table == "minilm":
            rows = f"pack.positions[:{view.places}]"
        elif view.V <= SMALL or view.s.table == GIVEN:
            rows = f"np.array({view.study.P.tolist()})"
        else:
            rows = f'np.load("positions.npy").astype(np.float32)[:{view.places}]'
        return _CODE.format(
            rows=rows,
            token=view.study.tokens[view.token[1]],
            at=view.at,
            noise=_NOISE.format(seed=view.s.seed, share=view.s.noise) if view.s.noise else "",
            origin=view.origin,
        )

    def code_answer(self, view: Sums) -> Any:
        return view.found.by_place


def _token(view: Sums, i: int) -> str:
    return f"‘{short(view.study.name(i), 20)}’"


def _nearest(view: Sums) -> Iterable[tuple[int, int, float]]:
    """Token, position and distance of the nearest sums."""
    found = view.found
    places = (found.token_places + view.origin).tolist()
    return zip(found.tokens.tolist(), places, found.token_distances.tolist(), strict=True)


_NOISE = """noise = np.random.default_rng({seed}).standard_normal(x.shape)
x = x + noise * ({share} * np.linalg.norm(x) / np.linalg.norm(noise))
"""
_CODE = """P = {rows}
x = E[tokens.index({token!r})] + P[{at}]
{noise}distances = np.array([np.linalg.norm(x - p - E, axis=1) for p in P])  # (T, V)
place, token = np.unravel_index(distances.argmin(), distances.shape)
print(tokens[token], place + {origin})
result = distances.min(axis=1)"""
