"""What stands between the pictures of the room `gradient`: notes, and the small example."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise

from app.kit.html import EMPTY, Markup, counted, dims, join, number, shorten, tag, visible
from app.kit.matrix import equation, error, matrix, verdict
from app.rooms.gradient.compute import View
from app.rooms.gradient.run import (
    COMPARED,
    COMPARED_WIDTH,
    FOLLOWED_EACH,
    SINGLE_ROWS,
    TIED_TOKENS,
    Picture,
    Run,
)
from lab import zipf
from lab.gradient_study import LEARNING_RATES, WAYS, WayTimes

HUGE = 1e9
"""Steps from which a wait is written as a power of ten."""
CHANCE = 3.0
"""Standard errors beyond which a step's rows differ from the closed form by more than chance."""
SHORT = {"sgd": "SGD", "momentum": "momentum", "adam": "Adam", "adamw": "AdamW", "lazy_adam": "lazy Adam"}


def why_moved(view: View) -> str:
    """Which rows these are."""
    if view.tied:
        return "all: the output layer reaches them"
    if view.rule.key == "adamw":
        return "all: weight decay needs no gradient"
    return "all that were ever seen" if view.rule.moves_unseen else "those with a gradient"


def short(key: str) -> str:
    """The name of a rule inside a sentence."""
    return SHORT[key]


def binning(view: View) -> Markup:
    """How rows of the table became rows of the picture."""
    edges = view.picture.edges.tolist()
    scale = tag(
        "span",
        "none ",
        tag("i", "", class_="lab-grad-scale"),
        " all of a bin's rows move",
        class_="lab-grad-key",
    )
    if view.picture.single:
        said = f"One row each, ranks {edges[0] + 1:,} to {edges[-1]:,}; filled where it moves."
        return tag("p", said, class_="lab-note")
    alone = next((k for k in range(len(edges) - 1) if edges[k + 1] - edges[k] > 1), len(edges) - 1)
    said = (
        f"{len(edges) - 1} bins, even on a logarithmic axis as far as whole ranks can be: ranks 1 to "
        f"{alone} have a bin each, the last bin holds ranks {edges[-2] + 1:,} to {edges[-1]:,}. "
    )
    return tag("p", said, scale, class_="lab-note")


def names(run: Run, picture: Picture) -> list[str]:
    """What each row of the picture holds."""
    edges = picture.edges.tolist()
    return [
        named_rank(run, low + 1) if high - low == 1 else f"ranks {low + 1:,} to {high:,}"
        for low, high in pairwise(edges)
    ]


def named_rank(run: Run, rank: int) -> str:
    """A rank with its word, where there are words."""
    return f"rank {rank:,} {visible(run.words[rank - 1], 14)}" if run.words else f"rank {rank:,}"


def ticks(run: Run, picture: Picture) -> Mapping[float, str]:
    """Words on the axis: powers of ten and the last rank, or every single row."""
    edges = picture.edges.tolist()
    if picture.single:
        every = range(len(edges) - 1) if len(edges) <= SINGLE_ROWS + 1 else range(0, len(edges) - 1, 4)
        return {float(k): shorten(named_rank(run, edges[k] + 1)[5:], 16) for k in every}
    last = edges[-1]
    decades = [10**k for k in range(7) if 10**k <= last / 1.6]
    return {float(bisect_right(edges, rank - 1) - 1): f"{rank:,}" for rank in [*decades, last]}


def source_note(view: View) -> Markup:
    """What the closed form says of a real text, and how far it is off."""
    run = view.run
    if view.source == "zipf":
        return EMPTY
    fit = zipf.fit_exponent(run.p * len(run.words))
    mean = float(run.touched.mean())
    more = "fewer" if run.shortfall >= 0 else "more"
    what, digits = "Real passages" if view.length > 1 else "Single words", 0 if run.expected >= 100 else 1
    return verdict(
        f"{what}: a step touches {number(mean, digits)} rows on average, {abs(run.shortfall):.1%} {more} "
        f"than the {number(run.expected, digits)} that the closed form expects of independent words, "
        f"{_why_fewer(view)}. V = {run.V:,} is the text's own, and its ranks {fit.first} "
        f"to {fit.last:,} fall with exponent {number(fit.exponent, 2)}: s and V at the side belong to the "
        "law.",
    )


def _why_fewer(view: View) -> str:
    # a count of rows varies by no more than its root, a mean over steps by less
    error = (view.run.expected * view.run.steps) ** -0.5
    if view.length > 1 and view.run.shortfall > CHANCE * error:
        return "because words of a passage come in clusters"
    return "which is chance"


def section(title: str, says: str, *, input_only: bool = False) -> Markup:
    """A heading with its sentence; of a tied table some parts show the input's gradient alone."""
    if input_only:
        title, says = (
            f"{title}: input part only",
            f"{says} The output layer's part, on every row, is left out.",
        )
    return tag("div", tag("h2", title), tag("p", says))


def by_rank(view: View) -> Markup:
    """What the two pictures by rank were made from, and what they measured."""
    means, rate = view.means, number(LEARNING_RATES[view.rule.key])
    if means is None:
        return EMPTY
    after = "From the input part alone: after" if view.tied else "After"
    said = (
        f"{after} step {view.step} under {short(view.rule.key)} (rate {rate}) the most frequent row has "
        f"moved {number(means.moved[0], 4)} and has {number(means.left[0], 2)} of its way left; the rarest "
        f"bin has moved {number(means.moved[-1], 4)} and has {number(means.left[-1], 2)} left."
    )
    if view.rule.key in ("adam", "adamw", "lazy_adam"):
        said += (
            " Adam divides the size of a gradient away, so frequent rows need not move farther than rare "
            "ones: this is one measurement, not a law."
        )
    return join([verdict(said), tag("p", _stand_in(view), class_="lab-note")])


def _stand_in(view: View) -> str:
    return (
        "A stand-in for a model: each token pulls its row towards a point of the row's own, one unit away, "
        f"with noise as long as the pull; the loss is the mean over the tokens. At most {FOLLOWED_EACH} "
        "rows of each bin are followed. A bin none of which has been seen yet has no norm."
    )


def one_row(view: View) -> Markup:
    """The followed row, in numbers."""
    row = view.followed
    if row is None:
        return EMPTY
    often = int((row.counts > 0).sum())
    times = f"{often} of {view.run.steps} steps" if often else f"none of the {view.run.steps} steps"
    moved = join(
        (join([tag("b", number(float(path[-1]), 4)), f" {short(key)}"]) for key, path in row.moved.items()),
        ", ",
    )
    after, more = "After", ""
    if view.tied:
        after = "From the input part alone, after"
        more = " The output part, left out here, moves it in every step under every rule."
    return verdict(
        join(
            [
                f"{named_rank(view.run, row.rank).capitalize()} occurs in {times}; {_expected(row.wait)}. "
                f"{after} the last step it has moved by ",
                moved,
                ". Between its steps SGD and lazy Adam leave it alone, momentum and Adam go on from "
                "memory, and the decay of AdamW moves it from the first step. Sizes of different rules do "
                f"not compare: their rates differ.{more}",
            ]
        )
    )


def _expected(wait: float) -> str:
    if wait == float("inf"):
        return "it is practically never expected"
    steps = number(wait, 1) if wait < HUGE else f"{wait:.1e}"
    return f"one step in {steps} is expected"


def tied(view: View) -> Markup:
    """Both parts of a tied table's gradient, counted."""
    norms = view.tied_norms
    if norms is None:
        return EMPTY
    V = len(norms.input_part)
    fed, pushed = int((norms.input_part > 0).sum()), int((norms.output_part > 0).sum())
    return verdict(
        f"Of {V} rows the input part reaches {fed}, the output part {pushed}: the softmax gives every "
        f"token some probability (here at most {number(norms.largest_share)}), and each row is pushed by "
        f"its share. Drawn for a table of {V} rows and {TIED_TOKENS} tokens of its own: logits of the "
        "whole table would be N × V numbers."
    )


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
    """How far the ways are apart on the step shown."""
    tokens = min(COMPARED, view.run.N)
    return verdict(
        f"On the first {counted(tokens, 'token')} of the run, each with {COMPARED_WIDTH} random numbers in "
        f"float32, the ways differ by at most {number(view.difference)}: they add the same terms, the "
        "product in another order."
    )


def measured(times: Sequence[WayTimes], vocabularies: Sequence[int], tokens: int, width: int) -> Markup:
    """The times as a table."""
    head = tag(
        "tr",
        tag("th", "milliseconds", scope="col"),
        *(tag("th", f"V = {V:,}", scope="col") for V in vocabularies),
    )
    body = join(
        tag(
            "tr",
            tag("th", WAYS[way.key][0], scope="row"),
            *(tag("td", "left out" if s != s else number(1e3 * s, 2)) for s in way.seconds.tolist()),
        )
        for way in times
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
                f"Measured just now by the Python that draws this page: {tokens} tokens of the law with s "
                f"= 1, D = {width}, float32, medians. Another machine gives other numbers; which curve "
                "rises with V stays. The product is left out where its one-hot matrix would not fit.",
                class_="lab-note",
            ),
        ]
    )
