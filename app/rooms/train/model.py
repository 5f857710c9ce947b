"""What is trained: its sizes, whose numbers the stored figures show, and whether its order counts."""

from __future__ import annotations

from app.kit.html import Markup, counted, dims, join, number, tag, visible
from app.kit.matrix import matrix, verdict
from app.rooms.train.compute import View
from app.rooms.train.history import settings, whole
from app.rooms.train.stage import title_of
from lab.training import Comparison


def criterion(row: Comparison) -> str:
    """When a difference is noise, in words."""
    one = row.comparisons == 1
    of = "one comparison" if one else f"each of {row.comparisons} comparisons made at once"
    return (
        f"below .01 nats, or below {number(row.quantile, 2)} of its standard errors (Student’s t for "
        f"{row.seeds} seeds, {counted(row.seeds - 1, 'degree')} of freedom, at a level of .05"
        f"{'' if one else f' / {row.comparisons}'} for {of})"
    )


def theirs(view: View) -> str:
    """Whose numbers the stored figures show, where the settings are other ones; else nothing."""
    if view.like_stored:
        return ""
    return (
        f"Not your settings ({settings(view.config, view.runs.config)}): the stored runs have "
        f"{whole(view.runs.config)}. "
    )


def model(view: View) -> Markup:
    """The sizes of the model that Start trains, and what they say of its capacity."""
    config, V = view.config, len(view.runs.tokens)
    head = f"{config.H} heads of {config.D // config.H}"
    said = join(
        [
            f"The model: {counted(view.parameters, 'number')} to train. E has ",
            dims(("V", V), ("D", config.D)),
            f"; {counted(config.layers, 'layer')} with {head} and an MLP of {config.mlp * config.D}; windows "
            "of ",
            dims(("T", config.T)),
            f" characters, {config.batch} per batch, from seven plays of Shakespeare. Too narrow, and it "
            "cannot hold what the text has; too wide for a short text, and it learns that text by heart: "
            "then the loss of the batches falls below the held-out loss.",
        ]
    )
    return tag("p", said, class_="lab-note")


def start(view: View) -> str:
    """Why the rows of E begin as large as they do."""
    D, sd = view.config.D, view.config.embedding_sd
    sinusoid, usual = (D / 2) ** 0.5, 0.02 * D**0.5
    own = f"about {number(sd * D**0.5, 2)} long" if sd != 0.02 else "so here"
    return (
        f"Rows of E often begin with standard deviation .02 (GPT): at D = {D} a row is then about "
        f"{number(usual, 2)} long and drowns in a sinusoid of length {number(sinusoid, 2)}, until training "
        f"has made it longer. The stored runs begin with 1 (measured {number(view.E_sd)}); yours with "
        f"{number(sd)}, {own}."
    )


def order(view: View) -> Markup:
    """Logits of the untrained model, before and after the earlier characters are reversed."""
    found, tokens = view.order, view.runs.tokens
    rows = [[float(logits[v]) for v in found.top] for logits in (found.before, found.after)]
    rows.append([after - before for before, after in zip(*rows, strict=True)])
    drawn = matrix(
        rows,
        title=f"Logits of the next character: {title_of(view.config.scheme)}, "
        f"{counted(view.config.layers, 'layer')}",
        under=f"the {len(found.top)} largest, untrained, seed {view.config.seed}",
        rows=["text as it is", "earlier ones reversed", "change"],
        columns=[visible(tokens[v]) for v in found.top],
        marked_rows=[2],
    )
    return join([drawn, verdict(_order(view), "" if found.same else "good")])


def _order(view: View) -> str:
    found, layers = view.order, view.config.layers
    change = f"the largest change of any logit is {number(found.change)}, of up to {number(found.largest, 2)}"
    if view.config.scheme != "none":
        return f"With a scheme the order counts: {change}."
    if found.same:
        return (
            f"Nothing changes ({change}): one causal layer adds up what stands before as a set, and a set "
            "has no order."
        )
    return (
        f"With {layers} layers {change}: the second reads rows that were made of different beginnings, so "
        "order comes in through the causal mask."
    )
