"""Token row plus position row: can both be read back from the sum?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from app.kit.figures import Curves
from app.kit.formula import Formula, decimal, text
from app.kit.html import Markup, join, number, shorten, tag, visible
from app.kit.matrix import verdict
from app.kit.numbers import Cell, Table
from app.kit.ranking import Ranked, ranking
from app.kit.shares import percent
from app.rooms.geometry.looks.base import Look, opening
from app.rooms.geometry.tables import SMALL, Asked
from lab.notation import FloatArray
from lab.table_study import (
    Pick,
    Reading,
    TableStudy,
    count_distinct_sums,
    disturb,
)

LISTED = 6


@dataclass(frozen=True, eq=False)
class SumsLook(Look):
    """One sum, perhaps disturbed, and what it is nearest to."""

    token: Pick
    place: int
    """As the table counts, clamped to its places."""
    places: int
    """How many places are searched."""
    vector: FloatArray
    found: Reading
    cosines: FloatArray
    """Of random pairs of a token row and a position row."""
    norms: tuple[float, float, float]
    """Length of the token row, of the position row, and the median position row's."""
    distinct: int | None
    """Different vectors among all sums, where they are few enough to count."""
    sums: int

    title: ClassVar[str] = "Word + position"
    controls: ClassVar[tuple[str, ...]] = ("a", "place", "noise", "seed")
    labels: ClassVar[dict[str, str]] = {"a": "Word"}
    figure: ClassVar[str] = "places"

    @classmethod
    def refusal(cls, study: TableStudy) -> str:
        """Without positions there is nothing to add."""
        if study.table.P is not None:
            return ""
        return "This table has no position rows. Choose MiniLM or the twelve course tokens."

    @classmethod
    def of(cls, asked: Asked) -> Self:
        """Add, disturb, read back."""
        study, table = asked.study, asked.study.table
        P: Any = table.P
        reader, token = study.reader, asked.row(asked.a)
        places = len(reader.P)
        place = min(max(asked.place - table.position_origin, 0), places - 1)
        i = int(token.id or 0)
        exact = reader.sum_of(i, place)
        vector = disturb(exact, asked.noise, asked.seed)
        return cls(
            asked,
            token,
            place + table.position_origin,
            places,
            vector,
            reader.read(vector, LISTED),
            study.place_cosines,
            (float(study.norms[i]), float((P[place] @ P[place]) ** 0.5), study.place_norm),
            count_distinct_sums(table.E, P) if study.V <= SMALL else None,
            reader.sums,
        )

    @property
    def origin(self) -> int:
        """What this table calls its first place."""
        return self.asked.study.table.position_origin

    @property
    def read(self) -> tuple[bool, bool]:
        """Whether the token, and whether the place, came back right."""
        return self.found.token == self.token.id, self.found.place + self.origin == self.place

    def stage(self) -> Markup:
        """What went in, and what came back."""
        went_in = f"E[{self._name(self.token.name)}] + P[{self.place}]"
        noise = f" + noise of {percent(self.asked.noise)} of its length" if self.asked.noise else ""
        back = (
            f"{self._name(self.asked.study.name(self.found.token))}, position "
            f"{self.found.place + self.origin}"
        )
        line = tag(
            "p",
            tag("span", f"x = {went_in}{noise}", class_="lab-box"),
            tag("span", "→", class_="lab-sign lab-small", aria_hidden="true"),
            tag("span", f"nearest sum: {back}", class_="lab-box"),
            class_="lab-stream",
        )
        said = [line, verdict(self._verdict(), self._kind())]
        if self.asked.place != self.place:
            said.append(
                verdict(
                    f"Position {self.asked.place} is not among {self._searched()}; {self.place} is.", "warn"
                )
            )
        return join(said)

    def draw(self, figure: Curves) -> None:
        """Distance of the nearest sum at each place."""
        figure.set("distance", list(range(self.origin, self.origin + self.places)), self.found.by_place)
        figure.set_x(self.origin - 0.5, self.origin + self.places - 0.5)
        figure.set_y(0, 1.1 * float(self.found.by_place.max()))

    def under(self) -> Markup:
        """Why it works: token rows and position rows are nearly at right angles."""
        mean, sd = float(self.cosines.mean()), float(self.cosines.std())
        E, P, median = self.norms
        return verdict(
            f"A token row and a position row have cosine {number(round(mean, 3))} ± {number(sd)} over "
            f"{len(self.cosines):,} random pairs. This token's row is {number(E)} long, this position's "
            f"{number(P)}, the median position's {number(median)}. Adding instead of appending keeps the "
            f"width at D = {self.asked.study.D}, and costs nothing as long as no two sums coincide."
        )

    def describe(self) -> str:
        """What was read, and how nearly it was something else."""
        token, found = self._name(self.token.name), self.found
        back = f"{self._name(self.asked.study.name(found.token))} at {found.place + self.origin}"
        return (
            f"The row of {token} plus the row of position {self.place}, with noise of "
            f"{percent(self.asked.noise)} of its length, is nearest to the sum of {back}: "
            f"{number(found.distance)} away, the next one {number(found.runner_up)}. {self.sums:,} sums are "
            f"compared, with {self._searched()}."
        )

    def numbers(self) -> list[Table]:
        """Distances by place and by token, cosines."""
        found, study = self.found, self.asked.study
        tokens: list[list[Cell]] = [
            [study.name(i), place + self.origin, value]
            for i, place, value in zip(
                found.tokens.tolist(),
                found.token_places.tolist(),
                found.token_distances.tolist(),
                strict=True,
            )
        ]
        places = [[place, value] for place, value in enumerate(found.by_place.tolist(), start=self.origin)]
        twins: list[list[Cell]] = [[study.name(i), place + self.origin] for i, place in found.twins]
        tables = [
            Table("Nearest sums by token", ["token", "position", "distance"], tokens),
            Table("Nearest sum at each position", ["position", "distance"], places),
            Table(
                "Cosine of token rows with position rows",
                ["pairs", "mean", "standard deviation"],
                [[len(self.cosines), float(self.cosines.mean()), float(self.cosines.std())]],
            ),
        ]
        if twins:
            tables.append(Table("Other sums that are the same vector", ["token", "position"], twins))
        return tables

    def formula(self) -> tuple[Formula, ...]:
        """The search, and its two best answers."""
        return (
            Formula(
                r"(\hat{t}, \hat{p}) = \underset{t,\,p}{\mathrm{argmin}}\; \lVert x - E_t - P_p \rVert"
                r"\qquad E \in \mathbb{R}^{\dim{V} \times \dim{D}},\; P \in "
                r"\mathbb{R}^{\dim{T} \times \dim{D}}",
                rf"\hat{{t}} = {text(shorten(self.asked.study.name(self.found.token), 16))},\; \hat{{p}} = "
                rf"{self.found.place + self.origin}:\; {decimal(self.found.distance)},\;"
                rf" \text{{next: }} {decimal(self.found.runner_up)}",
                "Multiplied out, |x − E − P|² needs two matrix products and no array of all sums.",
            ),
        )

    def code(self) -> list[str]:
        """Distance of the nearest sum at each place."""
        table = self.asked.study.table
        P: Any = table.P
        token = table.vocabulary.tokens[int(self.token.id or 0)]
        if self.asked.key == "minilm":
            rows = [f'P = pack["pos"].astype(np.float32)[:{self.places}]']
        elif self.asked.study.V <= SMALL:
            rows = [f"P = np.array({P.tolist()})"]
        else:
            rows = [f'P = np.load("positions.npy").astype(np.float32)[:{self.places}]']
        noise = (
            [
                f"noise = np.random.default_rng({self.asked.seed}).standard_normal(x.shape)",
                f"x = x + noise * ({self.asked.noise} * np.linalg.norm(x) / np.linalg.norm(noise))",
            ]
            if self.asked.noise
            else []
        )
        return [
            *opening(self.asked),
            *rows,
            f"x = E[tokens.index({token!r})] + P[{self.place - self.origin}]",
            *noise,
            "distances = np.array([np.linalg.norm(x - p - E, axis=1) for p in P])  # (T, V)",
            "place, token = np.unravel_index(distances.argmin(), distances.shape)",
            f"print(tokens[token], place + {self.origin})",
            "result = distances.min(axis=1)",
        ]

    def answer(self) -> Any:
        """Distance of the nearest sum at each place."""
        return self.found.by_place

    def beside(self) -> Markup:
        """The nearest sums, one a token."""
        found, study = self.found, self.asked.study
        longest = float(found.token_distances.max()) or 1.0
        entries = [
            Ranked(
                study.name(i), value, value / longest, f"position {place + self.origin}", i == self.token.id
            )
            for i, place, value in zip(
                found.tokens.tolist(),
                found.token_places.tolist(),
                found.token_distances.tolist(),
                strict=True,
            )
        ]
        return ranking(
            entries, title="nearest sums, by token", under="distance from x; shorter is nearer", rows=LISTED
        )

    def _verdict(self) -> str:
        token, place = self.read
        if self.found.twins and not self.asked.noise:
            others = ", ".join(
                f"{self._name(self.asked.study.name(i))} at {at + self.origin}"
                for i, at in self.found.twins[:3]
            )
            return (
                f"{len(self.found.twins) + 1} pairs give this very vector (also {others}): it cannot be read "
                f"back. Of {self.sums} sums of this small table only {self.distinct or 'some'} are different."
            )
        margin = f"its nearest rival is {number(self.found.runner_up)} away"
        few = f" Of all {self.sums} sums {self.distinct} are different." if self.distinct else ""
        if token and place:
            return (
                f"Both come back: the nearest sum lies {number(self.found.distance)} from x, {margin}.{few}"
            )
        wrong = " and ".join(
            name for name, right in (("the token", token), ("the position", place)) if not right
        )
        return f"Under this noise {wrong} is read wrongly: the nearest sum is another one.{few}"

    def _searched(self) -> str:
        there = 0 if self.asked.study.table.P is None else len(self.asked.study.table.P)
        some = f"the first {self.places} of {there}" if self.places < there else f"all {there}"
        return f"{some} positions, counted from {self.origin}"

    def _kind(self) -> str:
        return "good" if all(self.read) and not self.found.twins else "warn"

    def _name(self, token: str) -> str:
        return f"‘{shorten(visible(token), 20)}’"
