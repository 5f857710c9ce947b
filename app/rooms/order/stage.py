"""The pictures of the room `order`, in HTML."""

from __future__ import annotations

from app.kit.html import Markup, dims, join, minus, number, shorten, tag, visible
from app.kit.matrix import Chip, chips, equation, matrix, verdict
from app.kit.shares import percent
from app.rooms.order.compute import BOUNDARY, EXACT, HEADS, D, View
from lab.attention import Attention

HEAD_LIMIT = 8


def headline(view: View) -> Markup:
    """The one number, large, and what it is."""
    measured = f"{view.found.gap:.1e}, rounding of float64" if view.found.gap > 0 else "exactly"
    shown = "0" if view.blind else number(view.found.gap)
    said = minus(f"below 1e-12: {measured}") if view.blind else f"over all {HEADS} heads"
    return tag(
        "div",
        tag("b", shown, class_="lab-figure-number"),
        tag(
            "span",
            tag("span", "largest difference between f(Px), permuted before attention, and P f(x), after it"),
            tag("span", said),
        ),
        class_="lab-headline",
    )


def panels(view: View) -> Markup:
    """The two orders side by side: tokens, attention weights, outputs."""
    strongest = float(max(abs(view.before.output).max(), abs(view.after.output).max())) or 1.0
    places = [f"was {place + 1}" for place in view.order.tolist()]
    return tag(
        "div",
        _panel("x, as written", "f(x)", view, view.words, [], view.before, strongest),
        _panel("Px, permuted", "f(Px)", view, view.permuted, places, view.after, strongest),
        class_="lab-panels",
    )


def _panel(
    title: str,
    output: str,
    view: View,
    words: tuple[str, ...],
    notes: list[str],
    attention: Attention,
    strongest: float,
) -> Markup:
    shown = [
        Chip(word, place=place, note=notes[place - 1] if notes else "")
        for place, word in enumerate(words, start=1)
    ]
    labels = [shorten(visible(word), HEAD_LIMIT) for word in words]
    T = len(words)
    return tag(
        "section",
        tag("h2", title),
        chips(shown, f"Tokens, {title}"),
        matrix(
            attention.weights[view.head - 1],
            title=f"Attention weights, head {view.head}",
            under=join([dims(("T", T), ("T", T)), ", each row adds up to 1"]),
            rows=labels,
            columns=labels,
            strongest=1.0,
            signed=False,
            digits=3 if T <= 6 else 2,
        ),
        matrix(
            attention.output[:, view.columns],
            title=f"{output}, head {view.head}",
            under=dims(("T", T), ("d", D // HEADS)),
            rows=labels,
            strongest=strongest,
        ),
    )


def comparison(view: View) -> Markup:
    """f(Px) minus P f(x), row by row, for the head shown."""
    after, moved = view.found.after[:, view.columns], view.found.moved[:, view.columns]
    top = float(max(abs(after).max(), abs(moved).max())) or 1.0
    labels = [shorten(visible(word), HEAD_LIMIT) for word in view.permuted]
    difference = after - moved
    # rounding would print as 1.1e-16 in every cell and hide that it is nothing
    difference = difference * (abs(difference) > EXACT)
    return equation(
        matrix(after, title="f(Px)", under="permute, then attend", rows=labels, strongest=top),
        "−",
        matrix(moved, title="P f(x)", under="attend, then permute", rows=labels, strongest=top),
        "=",
        matrix(difference, title="difference", under="on the same colour scale", rows=labels, strongest=top),
        shared=True,
    )


def finding(view: View) -> Markup:
    """What the number says of this layer and this order, and what it is for one that reads in order."""
    return join([_of_attention(view), _of_recurrence(view)])


def _of_recurrence(view: View) -> Markup:
    if not view.moved:
        return Markup("")
    return verdict(
        f"A recurrent layer on the same rows differs by {number(view.recurrent_gap)}: its state holds all "
        "that came before, so it needs no positions. But it has to read token after token; attention reads "
        "all at once."
    )


def _of_attention(view: View) -> Markup:
    there, back = _quoted(view.words), _quoted(view.permuted)
    same = view.words == view.permuted
    if not view.moved:
        return verdict("This order moves no token: there is nothing to notice. Choose another.")
    if view.blind and view.scheme.enters is None and not view.causal:
        sets = (
            "Only equal words have traded places."
            if same
            else f"To this layer {there} and {back} are one set of words: it cannot see the order."
        )
        said = f"Each word gets the same output wherever it stands, and the average stays the same. {sets}"
        return verdict(said, "warn")
    if view.blind:
        return verdict(_blind_all_the_same(view), "warn")
    reasons = []
    if view.scheme.enters is not None:
        reasons.append(f"{_name(view)} tells the layer {_TOLD[view.scheme.enters]}.")
    if view.causal:
        alone = (
            "The mask alone breaks the symmetry: a" if view.scheme.enters is None else "The mask does too: a"
        )
        reasons.append(
            f"{alone} token reads only itself and those before it, so its output depends on who they are."
        )
    reasons.append(
        "Only equal words have traded places: the sentence is the same, but position decides what each gets."
        if same
        else f"{there} and {back} are two sentences now."
    )
    return verdict(" ".join(reasons), "good")


_TOLD = {
    "input": "where each token stands",
    "qk": "how far apart two tokens stand, and which comes first",
    "scores": "how far apart two tokens stand",
}


def _blind_all_the_same(view: View) -> str:
    if view.mirrored and view.scheme.enters == "scores" and not view.causal:
        return (
            f"Blind to this order all the same. {_name(view)} takes off the same for the word before as for "
            "the word after, and a mirror image keeps every distance. Its causal mask gives it the "
            "direction: switch it on, or choose an order that is no mirror image."
        )
    return "Blind to this order: the tokens that moved are alike in all that this layer can see."


def _name(view: View) -> str:
    return view.scheme.title


def _quoted(words: tuple[str, ...]) -> str:
    return f"‘{visible(' '.join(words), 48)}’"


def packed(view: View) -> Markup:
    """Attention weights of two documents in one sequence, the cells across the join outlined."""
    shown = view.packed
    T = len(shown.words)
    labels = [
        f"{shorten(visible(word), HEAD_LIMIT)} {position}"
        for word, position in zip(shown.words, shown.pos.tolist(), strict=True)
    ]
    numbers = shown.documents.tolist()
    across = {
        (t, s) for t in range(T) for s in range(T) if numbers[t] != numbers[s] and (s < t or not view.causal)
    }
    return matrix(
        shown.weights,
        title=f"Attention weights, head {view.head}",
        under="each token with its position; outlined: across the join",
        rows=labels,
        columns=[shorten(visible(word), 6) for word in shown.words],
        strongest=1.0,
        signed=False,
        marked_cells=across,
    )


def packed_finding(view: View) -> Markup:
    """How much the second document sees of the first, and what that does to its outputs."""
    shown = view.packed
    change = "0" if shown.change < EXACT else number(shown.change)
    second = _quoted(shown.words[shown.first :])
    if shown.across_second > 0:
        said = f"{second} gives {percent(shown.across_second)} of its attention to what stands in front of it"
        stops = f" {_boundary(shown.to_boundary)}" if shown.to_boundary is not None else ""
        return verdict(
            f"{said}; its outputs differ by up to {change} from those it has alone.{stops}", "warn"
        )
    said = f"{second} gives nothing to what stands in front of it"
    if shown.change < EXACT:
        return verdict(f"{said}, and its outputs are those it has alone: the largest change is 0.", "good")
    return verdict(
        f"{said}, but its outputs still differ by up to {change} from those it has alone: its positions "
        f"begin at {shown.pos.tolist()[shown.first]}, and {_name(view)} adds them to the input.",
        "warn",
    )


def _boundary(share: float) -> str:
    return (
        f"{BOUNDARY} takes {percent(share)} of it and stops nothing: it is a token like any other, which "
        "training can teach a model to heed. Only the mask makes sure."
    )


def marked_finding(view: View) -> Markup:
    """What uniform attention makes of a mark on the first token."""
    T = len(view.marked)
    return verdict(
        "Queries of 0 attend to all they see alike, and only token 1 carries a 1. Causal: the output of "
        f"token t is 1/t, {number(float(view.marked[1]))} for token 2 and {number(float(view.marked[-1]))} "
        f"for token {T}, so each position can be read off. Without the mask every token holds 1/{T} = "
        f"{number(float(view.unmasked[0]))}."
    )
