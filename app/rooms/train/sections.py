"""The heading and the finding of each view below the first."""

from __future__ import annotations

from app.kit.html import Markup, dims, join, number, tag
from app.kit.matrix import error, verdict
from app.kit.shares import percent
from app.rooms.train.compute import RowsShown, View
from app.rooms.train.model import criterion, start
from app.rooms.train.plots import CLASS_COLOURS
from app.rooms.train.stage import fixed, signed, title_of
from app.rooms.train.work import Record
from lab.geometry import spearman
from lab.training import CLASSES


def section(title: Markup | str, words: Markup | str) -> Markup:
    """A heading with its sentence."""
    return tag("div", tag("h2", title), tag("p", words), class_="lab-train-section")


def comparison(view: View) -> Markup:
    """What the table is."""
    seeds = len(view.runs.seeds)
    return section(
        "What each scheme ends at",
        f"Held-out loss (cross-entropy) in nats per character, {seeds} seeds each. Models of one seed begin "
        "with the same weights and see the same batches, so differences are taken seed by seed. A "
        f"difference is noise {criterion(view.chosen)}.",
    )


def comparison_finding(view: View) -> Markup:
    """What the table allows to say, and what not."""
    aware = [row for row in view.comparisons if row.difference < 0 and not row.noise]
    if not aware:
        return verdict("No scheme differs from no position by more than noise.")
    gains = [-row.difference for row in aware]
    means = [row.mean for row in aware]
    names = ", ".join(title_of(row.scheme) for row in aware)
    said = (
        f"{names} beat no position by {fixed(min(gains))} to {fixed(max(gains))}. Among themselves they lie "
        f"within {fixed(max(means) - min(means))}, and their order depends on starting sizes, rate and "
        "steps: another setting may turn it."
    )
    raw = view.mean_of("raw")
    if raw.difference > 0 and not raw.noise:
        said += f" The raw index does harm: {signed(raw.difference)}."
    return verdict(said)


def inside(view: View) -> Markup:
    """Loss by position in the window."""
    return section(
        "Where in the window",
        f"The same held-out windows of {view.config.T}, position by position. At position 1 nothing stands "
        "before the character, so no scheme can help there. Bumps that all curves share are the text's own.",
    )


def blindness(view: View) -> Markup:
    """Why a model without positions is neither lost nor blind."""
    base, none = view.runs.baselines, view.mean_of("none")
    places = view.by_position.mean[view.runs.schemes.index("none")]
    best = int(places.argmin()) + 1
    frequency = base.uniform - base.unigram
    first = (
        f"Without positions the loss is {fixed(none.mean)}, {fixed(base.uniform - none.mean)} below uniform. "
        f"Of that, {fixed(frequency)} is won by knowing which characters are frequent, which needs no order "
        f"at all; the pair of neighbours, the bigram, is worth {fixed(base.unigram - base.bigram)} more."
    )
    second = (
        "And it is not blind to order altogether. The causal mask lets a position see only what stands "
        "before it, and each position knows which character is its own. What one layer loses is the order "
        "of the earlier ones: reversing them changes the next character's logits by "
        f"{number(view.one_layer.change)}, with two layers by {number(view.two_layers.change)}. So it is "
        f"best at position {best}, {fixed(float(places.min()))}, and later, with more behind it in no order, "
        f"{fixed(float(places[-1]))}."
    )
    return join([verdict(first), verdict(second)])


def reversal(view: View) -> Markup:
    """What the panel of the reversal shows."""
    return section(
        "Does the order of what came before count?",
        "One window of random characters, and the same with all but its last one reversed, through the "
        "untrained model of your scheme, layers, width and seed.",
    )


def beyond(view: View) -> Markup:
    """Train short, test long."""
    runs = view.runs
    return section(
        "Train short, test long",
        Markup(
            "Trained on windows of {}, tested to position {}. The same {:,} characters are scored in every "
            "bin, each time with more text before them; the line marks where training ended."
        ).format(dims(("T", view.config.T)), int(runs.long_edges[-1]), runs.about["long_characters"]),
    )


def beyond_finding(view: View, record: Record | None) -> Markup:
    """How each scheme fares, and the error of the one that has no rows."""
    runs = view.runs
    inside_bins = [i for i, edge in enumerate(runs.long_edges[1:].tolist()) if edge <= view.config.T]
    last = inside_bins[-1]
    said = []
    for index, key in enumerate(runs.schemes):
        losses = view.long.mean[index]
        if losses[-1] == losses[-1]:
            said.append(f"{title_of(key)} {fixed(float(losses[last]))} → {fixed(float(losses[-1]))}")
    found = [verdict(f"From the last trained bin to the last bin: {'; '.join(said)}.")]
    for key, message in runs.refusals.items():
        found += [tag("p", f"{title_of(key)} does not get there. Its own error:"), error(message)]
    if record and record.own_text:
        said_own = (
            "Your run read another text than the stored ones: it is drawn neither here nor place by place."
        )
        found.append(tag("p", said_own, class_="lab-note"))
    elif record and record.long:
        characters = record.long.characters
        found.append(
            tag(
                "p",
                f"Your run is scored on {characters:,} characters a bin, not "
                f"{runs.about['long_characters']:,}: read its shape, not its height.",
                class_="lab-note",
            )
        )
    if record and record.long_refusal:
        found.append(
            tag("p", f"Your run was not tested beyond its window: {record.long_refusal}.", class_="lab-note")
        )
    return join(found)


def rows(view: View) -> Markup:
    """Where the character rows went."""
    kinds = (
        tag("span", kind, class_="lab-scheme", style=f"--c:var(--{CLASS_COLOURS[kind]})") for kind in CLASSES
    )
    return join(
        [
            section(
                "Where the character rows went",
                "One point per character, on the two directions in which the rows differ most at the end of "
                "the run. Rows begin at random: what gathers was gathered by the gradient. " + start(view),
            ),
            tag("p", join(kinds, " "), class_="lab-legend"),
        ]
    )


def rows_finding(whose: str, shown: RowsShown) -> Markup:
    """How far the classes have come apart, in one number."""
    if shown.left_out:
        all_of = len(shown.tokens) + shown.left_out
        whose = f"{whose}, the {len(shown.tokens)} commonest of its {all_of:,} characters"
    return verdict(
        f"{whose}: the nearest row belongs to a character of the same class for "
        f"{percent(shown.before.share)} of the characters before training and {percent(shown.now.share)} "
        f"after {shown.steps:,} steps; by chance it would be {percent(shown.now.chance)}. The map holds "
        f"{percent(float(shown.maps.explained.sum()))} of the variance, the nearest row is found in all of "
        "it. Which characters are alike, E and the output matrix agree with a correlation of "
        f"{fixed(shown.alike[0])} before training and {fixed(shown.alike[1])} now: both ends read and write "
        "the same D directions, which is why one matrix can serve as both (tied)."
    )


def movement(view: View) -> Markup:
    """How far rows of frequent and rare characters went."""
    return section(
        "Frequent and rare characters",
        "Length of each row and its distance from its start, against how often its character occurs in "
        "training.",
    )


def movement_finding(whose: str, shown: RowsShown) -> Markup:
    """The measurement, and that it is one run's."""
    found = shown.movement
    if shown.copy == 0:
        return verdict(f"{whose}: nothing has moved yet.")
    if len(set(found.counts.tolist())) < 2:
        return verdict(
            f"{whose}: all characters occur equally often, so there is no rank correlation of count and "
            "distance."
        )
    way, length = (spearman(found.counts, values) for values in (found.moved, found.norm_after))
    return verdict(
        f"{whose}: rank correlation of count and distance {signed(way)}, of count and length "
        f"{signed(length)}. Adam divides each gradient by its own size, so rare rows may step as far as "
        "frequent ones. This is the measurement of one table in one run; the other table shows another, and "
        "no rule is read from it."
    )
