"""State and view of the room `geometry`: a table, a way to look at it, and what is seen."""

from __future__ import annotations

from dataclasses import dataclass

import param

from app.rooms.geometry.looks import LOOKS, Look
from app.rooms.geometry.looks.near import MOST
from app.rooms.geometry.tables import TABLES, Asked, default_words, mapped_words, study_of
from lab.table_study import TableStudy

LAST_PLACE = 77
"""Of the places whose sums with all of MiniLM's tokens are compared; see `lab.table_study.SumReader`."""


class State(param.Parameterized):
    """What a reader can set. A table of her own is no part of it: an address cannot carry a file."""

    table = param.Selector(default="animals", objects=list(TABLES), label="Table")
    look = param.Selector(default="angle", objects=list(LOOKS), label="Look at")
    a = param.String(default="", label="Word")
    b = param.String(default="", label="Second word")
    c = param.String(default="", label="Third word")
    words = param.String(default="", label="Words on the map")
    around = param.Integer(default=4, bounds=(0, 12), label="Neighbours of each")
    k = param.Integer(default=10, bounds=(1, MOST), label="Rows in the list")
    exclude = param.Boolean(default=False, label="Leave the inputs out")
    place = param.Integer(default=5, bounds=(0, LAST_PLACE), label="Position")
    noise = param.Number(default=0.0, bounds=(0.0, 3.0), step=0.1, label="Noise, share of x")
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed")


@dataclass(frozen=True, eq=False)
class View:
    """Exactly what is drawn."""

    table: str
    look: str
    asked: Asked
    shown: Look


def looks_of(study: TableStudy) -> list[str]:
    """The looks that a table allows."""
    return [key for key, look in LOOKS.items() if not look.refusal(study)]


def compute(
    *,
    table: str,
    look: str,
    a: str,
    b: str,
    c: str,
    words: str,
    around: int,
    k: int,
    exclude: bool,
    place: int,
    noise: float,
    seed: int,
    own: TableStudy | None = None,
) -> View:
    """Look at a table.

    Parameters
    ----------
    own : TableStudy, optional
        The reader's own table, for ``table="own"``.

    Raises
    ------
    ValueError
        If the table cannot be looked at so, a word is not in it, or numbers that were typed do not fit.
    DataMissing
        If the file of a real table is not there (yet).
    """
    study = study_of(table, own)
    kind = LOOKS[look]
    if reason := kind.refusal(study):
        raise ValueError(reason)
    first, second, third = default_words(table, look, study)
    asked = Asked(
        key=table,
        study=study,
        a=a.strip() or first,
        b=b.strip() or second,
        c=c.strip() or third,
        words=mapped_words(words, study) if look == "map" else (),
        around=around,
        k=k,
        exclude=exclude,
        place=place,
        noise=noise,
        seed=seed,
    )
    return View(table, look, asked, kind.of(asked))
