"""What stands between the pictures of the room `gradient`."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise

from app.kit.html import EMPTY, Markup, counted, join, number, shorten, tag, visible
from app.kit.matrix import verdict
from app.kit.shares import percent
from app.rooms.gradient.compute import View
from app.rooms.gradient.run import (
    FOLLOWED_EACH,
    SINGLE_ROWS,
    TIED_TOKENS,
    Picture,
    Run,
    words_of_shakespeare,
)
from lab import zipf
from lab.gradient_study import LEARNING_RATES

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
    """What the closed form says of a real text, and what subsampling did to the tokens."""
    return join([_of_text(view), _of_subsampling(view)])


def _of_text(view: View) -> Markup:
    run = view.run
    if view.source == "zipf":
        return EMPTY
    fit = zipf.fit_exponent(words_of_shakespeare().counts)
    what = "Real passages" if view.length > 1 else "Single words"
    return verdict(
        f"{what}: a step touches {_touched(view)}. V = {run.V:,} is the text's own, and its ranks "
        f"{fit.first} to {fit.last:,} fall with exponent {number(fit.exponent, 2)}: s and V at the side "
        "belong to the law."
    )


def _touched(view: View) -> str:
    run = view.run
    if run.N == 1:
        return "exactly 1 row: it holds a single token"
    mean, expected = float(run.touched.mean()), run.expected
    digits = 0 if expected >= 100 else 1
    form = f"{number(expected, digits)} that the closed form expects of independent words"
    if number(mean, digits) == number(expected, digits):
        return f"{number(mean, digits)} rows on average, as many as the {form}"
    more = "fewer" if run.shortfall >= 0 else "more"
    return (
        f"{number(mean, digits)} rows on average, {percent(abs(run.shortfall))} {more} than the {form}, "
        f"{_why_fewer(view)}"
    )


def _why_fewer(view: View) -> str:
    # a count of rows varies by no more than its root, a mean over steps by less
    error = (view.run.expected * view.run.steps) ** -0.5
    if view.length > 1 and view.run.shortfall > CHANCE * error:
        return "because words of a passage come in clusters"
    return "no more than chance would"


def _of_subsampling(view: View) -> Markup:
    run, thinned = view.run, view.run.thinned
    if thinned is None:
        return EMPTY
    before, after = (percent(share) for share in thinned.first)
    said = (
        "Subsampling: a running token whose row has share p is kept with probability √(t/p), t = "
        f"{number(thinned.threshold, 5)} (word2vec). {percent(thinned.dropped)} of the running tokens are "
        f"dropped; the most frequent row has {after} of those kept, in place of {before}."
    )
    if run.N > 1:
        now, plain = (number(rows, 0 if rows >= 100 else 2) for rows in (run.expected, thinned.expected))
        said += f" The rows that {counted(run.N, 'token')} are expected to touch: {now}, in place of {plain}."
    return verdict(said)


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
    return join([verdict(said), _undertrained(view), tag("p", _stand_in(view), class_="lab-note")])


def _undertrained(view: View) -> Markup:
    never = view.run.V - view.seen
    if view.tied or not never:
        return EMPTY
    rows = counted(never, "row")
    kept = "shrinks towards 0 by decay alone" if view.rule.key == "adamw" else "is still what the draw left"
    return verdict(
        f"{rows} of {view.run.V:,} {'has' if never == 1 else 'have'} never had a gradient: such a row "
        f"{kept}. A model that then meets its token reads noise: an undertrained token (Land and Bartolo "
        "2024).",
        "warn",
    )


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
                "memory, and the decay of AdamW moves it from the first step. Distances under different "
                f"rules cannot be compared: their rates differ.{more}",
            ]
        )
    )


def _expected(wait: float) -> str:
    if wait == float("inf"):
        return "it is practically never expected"
    steps = number(wait, 1) if wait < HUGE else f"about 10 to the power of {round(math.log10(wait))}"
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
        "its share. One matrix can be both ends because both speak of one space: E[v] is what token v puts "
        "into the stream of width D, and its logit is the product of that stream with the same row. Drawn "
        f"for a table of {V} rows and {TIED_TOKENS} tokens of its own: logits of the whole table would be "
        f"N × V = {view.run.N * view.run.V:,} numbers."
    )
