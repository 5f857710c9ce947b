"""The several ways of one gradient: the small example, how far they are apart, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.kit.html import EMPTY, Markup, counted, dims, join, number, tag
from app.kit.matrix import equation, error, matrix, verdict
from app.rooms.gradient.compute import WIDTH, View
from app.rooms.gradient.run import COMPARED, COMPARED_WIDTH
from lab.gradient_study import LOOKUPS, WAYS, WayTimes


def toy(view: View) -> Markup:
    """The typed ids: one-hot transposed times a column of ones, and what `+=` makes of it."""
    small = view.toy
    V = len(small.summed)
    rows = [f"row {row}" for row in range(V)]
    made = equation(
        matrix(
            small.one_hot.T,
            title="one-hotᵀ",
            under=dims(("V", V), ("T", len(small.ids))),
            rows=rows,
            columns=[str(one) for one in small.ids],
            signed=False,
        ),
        "×",
        matrix([[1.0]] * len(small.ids), title="G", under="ones", signed=False),
        "=",
        matrix(
            [[v] for v in small.summed.tolist()], title="dE", under="repeats summed", rows=rows, signed=False
        ),
    )
    wrong = small.wrong.tolist()
    listed = ", ".join(number(v) for v in small.summed.tolist())
    lost = wrong != small.summed.tolist()
    said = f"Sorting, scatter-add and the product all give {listed}. "
    if lost:
        said += (
            f"‘grad[ids] += G’ gives {', '.join(number(v) for v in wrong)}: it reads each row once and "
            "keeps one of its repeats."
        )
    else:
        said += "No id is repeated, so even ‘grad[ids] += G’ is right here: type one twice."
    refused = error(view.refused) if view.refused else EMPTY
    return join([refused, made, verdict(said, "warn" if lost else "")])


def ways(view: View) -> Markup:
    """How far the ways are apart on the step shown, and what the one-hot matrix is made of."""
    run = view.run
    tokens = counted(min(COMPARED, run.N), "token")
    said = f"On the first {tokens} of the run, each with {COMPARED_WIDTH} random numbers in float32, "
    if view.difference:
        most = number(view.difference)
        apart = f"the ways differ by at most {most}: they add the same terms in different orders."
    else:
        apart = "the ways agree bit for bit."
    ones = (
        f"As one-hot rows the tokens of a step are {run.N:,} × {run.V:,} = {run.N * run.V:,} numbers, of "
        f"which {run.N:,} are 1: each row holds {counted(run.V - 1, 'zero')} and a single 1. The lookup and "
        "the sorted sum never touch the zeros. PyTorch keeps the gradient as ids and rows alone under ",
    )
    sparse = tag("code", f"nn.Embedding({run.V}, {WIDTH}, sparse=True)")
    rest = "; by default it is a whole table, and optimizers such as Adam refuse the sparse form."
    return join([verdict(said + apart), tag("p", *ones, sparse, rest, class_="lab-note")])


def measured(
    times: Mapping[str, Sequence[WayTimes]], vocabularies: Sequence[int], tokens: int, width: int
) -> Markup:
    """The times forward and backward as a table."""
    head = tag(
        "tr",
        tag("th", "milliseconds", scope="col"),
        *(tag("th", f"V = {V:,}", scope="col") for V in vocabularies),
    )
    named = [(LOOKUPS[way.key][0], way) for way in times["lookups"]]
    named += [(WAYS[way.key][0], way) for way in times["times"]]
    body = join(
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(tag("td", "left out" if s != s else number(1e3 * s, 2)) for s in way.seconds.tolist()),
        )
        for name, way in named
    )
    return join(
        [
            tag(
                "div",
                tag("table", tag("thead", head), tag("tbody", body), class_="lab-grad-times"),
                class_="lab-scroll",
                tabindex="0",
                role="region",
                aria_label="Measured times",
            ),
            tag(
                "p",
                f"Measured just now by the Python that draws this page: {tokens} tokens of the law with s = "
                f"1, D = {width}, float32, medians. Another machine gives other numbers; which curve rises "
                "with V stays. A product is left out where its one-hot matrix would not fit.",
                class_="lab-note",
            ),
        ]
    )
