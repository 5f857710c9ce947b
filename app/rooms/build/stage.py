"""The picture of each step, in HTML."""

from __future__ import annotations

from app.kit.html import Markup, counted, dims, join, number, tag, vector, visible
from app.kit.matrix import Chip, chips, equation, fits, matrix, verdict
from app.rooms.build import facts
from app.rooms.build.compute import View
from app.rooms.build.matrices import labels, lookup_table, picked, strongest_of, swapped_labels, x_matrix

MOST_CHIPS = 80
ENTERS = {
    None: "Nothing is added anywhere: without positions or a causal mask, attention sees a set of tokens.",
    "qk": "Nothing is added here. {title} turns queries and keys inside each attention head instead.",
    "scores": "Nothing is added here. {title} lowers the attention scores by distance instead.",
}


def tokens(view: View) -> Markup:
    """The text as token chips; ids and places join from step 2 on."""
    swapped = view.swap.places if view.swap else ()
    several = _words_in_pieces(view)
    shown = [
        Chip(
            piece.token,
            piece.id if view.step > 1 else None,
            place if view.step > 1 else None,
            place in swapped,
            "not in the table" if piece.unknown else "word piece" if piece.word in several else "",
        )
        for place, piece in enumerate(view.pieces[:MOST_CHIPS], start=1)
    ]
    parts = [chips(shown), facts.about(view)]
    if len(view.pieces) > MOST_CHIPS:
        parts.append(_note(f"The first {MOST_CHIPS} of {len(view.pieces):,} tokens are shown as chips."))
    if view.dropped:
        parts.append(
            verdict(f"{view.dropped:,} of {view.total:,} tokens dropped: X holds at most 512 rows.", "warn")
        )
    unknown = [piece.text for piece in view.pieces if piece.unknown]
    if unknown:
        listed = ", ".join(visible(word, 24) for word in list(dict.fromkeys(unknown))[:6])
        parts.append(_note(f"Not in the reduced table, so they share the row of [UNK]: {listed}."))
    if view.removed:
        parts.append(
            _note(f"Left out, since they carry no token: {counted(len(view.removed), 'control character')}.")
        )
    return join(parts)


def stage(view: View) -> Markup:
    """The picture of the present step under the tokens."""
    small = fits(len(view.ids), max(view.table.D, 1))
    drawn = (_text, _ids, _one_hot, _rows, _add, _x)[view.step - 1]
    return drawn(view, small)


def _text(view: View, small: bool) -> Markup:
    words = len({piece.word for piece in view.pieces})
    if view.example == "ids":
        return verdict(
            f"These {counted(len(view.ids), 'id')} came from a tokenizer: GPT-2's makes 464, 3797, 3332 of "
            "‘The cat sat’. A model is given nothing else of a text."
        )
    length, pieces = counted(len(view.text), "character"), counted(view.total, "token")
    # words are counted where all of the text was kept
    of = "" if view.dropped else f", {counted(words, 'word')},"
    cut = f"The tokenizer cuts {length}{of} into {pieces}."
    if view.example != "running":
        return verdict(cut)
    space = (
        "␣ is a space that belongs to the token after it: ‘the’ and ‘␣the’ are two entries of the vocabulary."
    )
    return verdict(f"{cut} {space}")


def _ids(view: View, small: bool) -> Markup:
    first, second = (list(dict.fromkeys(view.ids.tolist())) * 2)[:2]
    mean = view.mean_id
    if first == second:
        said = "An id is a name, not a quantity."
    else:
        whole = mean == int(mean)
        other = (
            f"‘{visible(view.table.vocabulary.tokens[int(mean)])}’, some other token" if whole else "no token"
        )
        said = (
            f"An id is a name, not a quantity: the mean of {first} and {second} is {number(mean)}, {other}."
        )
    # ids of 'The' and ' sat' in GPT-2's vocabulary
    gpt = (464 + 3332) / 2
    return join(
        [
            equation(Markup(_vector_row("ids", view))),
            verdict(
                f"{said} In GPT-2's vocabulary the mean of 464 and 3332 is "
                f"{number(gpt, 0).replace(',', '')}, some other token."
            ),
        ]
    )


def _vector_row(title: str, view: View) -> Markup:
    return tag(
        "p",
        tag("b", f"{title} "),
        tag(
            "code",
            f"[{', '.join(str(i) for i in view.ids.tolist()[:60])}{', …' if len(view.ids) > 60 else ''}]",
        ),
    )


def _one_hot(view: View, small: bool) -> Markup:
    V = len(view.table.vocabulary)
    if view.one_hot is None or not small:
        said = (
            f"Each one-hot row holds {V:,} numbers: one 1, at the token's id, and {V - 1:,} zeros. "
            "That is why nobody multiplies: picking the row gives the same."
        )
        return join([verdict(said), _same(view)])
    left = matrix(
        view.one_hot,
        title="one-hot(ids)",
        under=dims(("T", len(view.ids)), ("V", V)),
        rows=labels(view),
        columns=[str(i) for i in range(V)],
        signed=False,
    )
    return join([equation(left, "×", lookup_table(view), "=", picked(view)), _orthogonal(view), _same(view)])


def _orthogonal(view: View) -> Markup:
    different = len(set(view.ids.tolist()))
    if different < 2:
        return Markup("")
    return verdict(
        "Rows of different tokens have dot product 0: one-hot vectors are all orthogonal, so no two tokens "
        "are alike. Only the rows of E can be."
    )


def _same(view: View) -> Markup:
    words = "the first " if view.compared < len(view.ids) else "all " if view.compared > 1 else ""
    words += counted(view.compared, "token")
    if view.lookup_equals_product:
        return verdict(f"Lookup and one-hot product agree bit for bit on {words}.", "good")
    return verdict(f"Lookup and one-hot product differ on {words}.", "bad")


def _rows(view: View, small: bool) -> Markup:
    if not small:
        return join([_same(view), _again(view), _rescaled(view)])
    figure = equation(lookup_table(view), "→", picked(view)) if view.listed else picked(view)
    return join([figure, _same(view), _again(view), _alike(view), _rescaled(view)])


def _again(view: View) -> Markup:
    if not view.repeated:
        return verdict("No token occurs twice here. Where one does, both places get the same row.")
    token = visible(view.tokens[view.repeated[0] - 1])
    places = " and ".join(str(place) for place in view.repeated[:4])
    return verdict(f"‘{token}’ stands at places {places} and gets the same row at each of them.")


def _alike(view: View) -> Markup:
    if not view.alike:
        return Markup("")
    most, least = (f"cos({visible(a)}, {visible(b)}) = {number(cosine, 2)}" for a, b, cosine in view.alike)
    return verdict(f"Rows of E can be alike, and opposed: in this table at most {most}, at least {least}.")


def _rescaled(view: View) -> Markup:
    return facts.sizes(view) if view.scale != 1.0 else Markup("")


def _add(view: View, small: bool) -> Markup:
    return join(
        [_sum(view) if small else Markup(""), nothing_added(view), swap_verdict(view), facts.sizes(view)]
    )


def _sum(view: View) -> Markup:
    top = strongest_of(view)
    if view.added is None:
        return equation(picked(view, top), "=", x_matrix(view, top), shared=True)
    added = matrix(
        view.added,
        title="P",
        under=f"{view.scheme.title.lower()}, counted from {view.origin}",
        rows=[f"{view.origin + place}" for place in range(len(view.ids))],
        strongest=top,
    )
    return equation(picked(view, top), "+", added, "=", x_matrix(view, top), shared=True)


def nothing_added(view: View) -> Markup:
    """Where the scheme acts, if not on the input."""
    if view.added is not None:
        return Markup("")
    return verdict(ENTERS[view.scheme.enters].format(title=view.scheme.title), "warn")


def _x(view: View, small: bool) -> Markup:
    parts: list[Markup] = []
    if small:
        top = strongest_of(view)
        shown: list[Markup | str] = [x_matrix(view, top)]
        if view.swap:
            first, second = view.swap.places
            changed = [i for i in range(len(view.ids)) if i + 1 in view.swap.places]
            shown.append(
                matrix(
                    view.swap.X,
                    title=f"X, places {first} and {second} swapped",
                    under=dims(("T", len(view.ids)), ("D", view.table.D)),
                    rows=swapped_labels(view),
                    strongest=top,
                    marked_rows=changed,
                )
            )
            shown.append(
                matrix(
                    view.swap.X - view.swap.traded_rows,
                    title="change of the rows",
                    under="from two traded rows of X",
                    rows=swapped_labels(view),
                    strongest=top,
                )
            )
        parts.append(equation(*shown))
    return join([*parts, swap_verdict(view), facts.means(view), residual_stream(view), facts.pooled(view)])


def residual_stream(view: View) -> Markup:
    """Each row is one token's slot: its width stays D through every block."""
    D = view.table.D
    arrow = tag("span", "→", class_="lab-sign lab-small", aria_hidden="true")
    boxes = join(
        (
            tag(
                "span",
                join([tag("b", name), tag("i", dims(("T", len(view.ids)), ("D", D)))]),
                class_="lab-box",
            )
        )
        for name in ("X", "after block 1", "after block 2", "… the last block")
    ).replace(Markup("</span><span"), Markup("</span>") + arrow + Markup("<span"))
    said = f"{facts.stream(view)} {facts.batch(view)}"
    return tag("div", tag("div", Markup(boxes), class_="lab-stream"), verdict(said))


def swap_verdict(view: View) -> Markup:
    """What the swap did to the rows."""
    if view.swap is None:
        return verdict("Swap two places to see whether X notices the order of the tokens.")
    first, second = view.swap.places
    if first == second:
        return verdict(f"Place {first} swapped with itself: nothing moves.")
    if view.ids[first - 1] == view.ids[second - 1]:
        return verdict(f"Places {first} and {second} hold the same token: swapping them changes nothing.")
    if view.swap.difference == 0:
        return verdict(
            f"Swapping places {first} and {second} only trades two rows of X; no number changes. "
            "X is blind to order.",
            "warn",
        )
    token = visible(view.tokens[first - 1])
    return verdict(
        f"Swapping places {first} and {second} changes the rows themselves: ‘{token}’ at place {second} is "
        f"{vector(view.swap.X[second - 1], most=6)}, at place {first} it was "
        f"{vector(view.X[first - 1], most=6)}. Largest change {number(view.swap.difference)}.",
        "good",
    )


def _words_in_pieces(view: View) -> set[int]:
    words = [piece.word for piece in view.pieces if not piece.unknown]
    return {word for word in set(words) if words.count(word) > 1} if view.example == "own" else set()


def _note(words: str) -> Markup:
    return tag("p", words, class_="lab-note")
