"""What the room `order` says beside its figures: caption, numbers, formula, questions."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula, row
from app.kit.html import counted, number, vector, visible
from app.kit.numbers import Table
from app.kit.questions import Question
from app.kit.shares import percent
from app.rooms.order.compute import EXACT, HEADS, D, State, View, compute
from app.rooms.order.source import code, code_answer

__all__ = ["DEFAULTS", "code", "code_answer", "describe", "formula", "numbers", "questions"]

NAMES = (
    "sentence",
    "text",
    "order",
    "permutation",
    "scheme",
    "mask",
    "head",
    "seed",
    "places",
    "second",
    "boundary",
    "separate",
    "restart",
)
DEFAULTS: dict[str, Any] = {name: State.param[name].default for name in NAMES}


def gap_text(view: View) -> str:
    """The one number as it is said: 0 where only rounding is left."""
    return "0" if view.blind else number(view.found.gap)


def describe(view: View) -> str:
    """The caption: what the figure shows, with its numbers."""
    there, back = (visible(" ".join(words), 48) for words in (view.words, view.permuted))
    mask = "a causal mask" if view.causal else "no mask"
    scheme = "no positions" if view.scheme.enters is None else f"positions by {view.scheme.title}"
    return (
        f"‘{there}’ and ‘{back}’ through one layer of {HEADS} heads with {scheme} and {mask}: f(Px) and P "
        f"f(x) differ by at most {gap_text(view)}, their averages over {counted(len(view.words), 'token')} "
        f"by {'0' if view.mean_gap < EXACT else number(view.mean_gap)}. Packed behind the first text, the "
        f"second gives it {percent(view.packed.across_second)} of its attention."
    )


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    order = view.order.tolist()
    tokens = Table(
        "Order",
        ["position", "token", "was at"],
        [[place, view.permuted[place - 1], order[place - 1] + 1] for place in range(1, len(order) + 1)],
    )
    head = view.head - 1
    T = len(view.marked)
    marked = [[t, float(view.marked[t - 1]), float(view.unmasked[t - 1])] for t in range(1, T + 1)]
    gaps = Table(
        "f(Px) against P f(x)",
        ["layer", "largest difference"],
        [
            ["attention", view.found.gap],
            ["attention, mean over the tokens", view.mean_gap],
            ["recurrent", view.recurrent_gap],
        ],
    )
    return [
        tokens,
        gaps,
        _square(f"Attention weights of head {view.head}, as written", view.words, view.before.weights[head]),
        _square(f"Attention weights of head {view.head}, permuted", view.permuted, view.after.weights[head]),
        _outputs("f(Px), all heads", view, view.found.after),
        _outputs("P f(x), all heads", view, view.found.moved),
        _outputs("Difference, all heads", view, view.found.after - view.found.moved),
        _square(f"Two documents, weights of head {view.head}", view.packed.words, view.packed.weights),
        Table(
            "Two documents, tokens",
            ["token", "document", "position", "attention across the join"],
            [
                [word, document + 1, position, share]
                for word, document, position, share in zip(
                    view.packed.words,
                    view.packed.documents.tolist(),
                    view.packed.pos.tolist(),
                    view.packed.across.tolist(),
                    strict=True,
                )
            ],
        ),
        Table("A marked first token", ["token t", "causal mask", "no mask"], marked),
    ]


def _square(title: str, words: tuple[str, ...], weights: Any) -> Table:
    rows = [[word, *line] for word, line in zip(words, weights.tolist(), strict=True)]
    return Table(
        title, ["query", *(f"{visible(word, 16)} {place}" for place, word in enumerate(words, 1))], rows
    )


def _outputs(title: str, view: View, values: Any) -> Table:
    rows = [[word, *line] for word, line in zip(view.permuted, values.tolist(), strict=True)]
    return Table(title, ["token", *(f"y{j}" for j in range(1, D + 1))], rows)


def formula(view: View) -> tuple[Formula, ...]:
    """Equivariance, attention with its masks, and the marked token."""
    last = view.before.weights[view.head - 1, -1]
    T = len(view.words)
    places = len(view.marked)
    return (
        Formula(
            r"f(PX) = P\,f(X) \quad\text{for every permutation } P \text{ of the } \dim{T} \text{ rows}",
            rf"\max \left| f(PX) - P\,f(X) \right| = {_latex(gap_text(view))}",
            "True of any map that treats rows alike: here, of attention without positions and without a "
            "mask.",
        ),
        Formula(
            r"f(X) = \operatorname{softmax}\!\left(\frac{Q K^{\top}}{\sqrt{\dim{d}}} + B + M\right) V"
            r"\qquad Q = X W_q,\; K = X W_k,\; V = X W_v",
            rf"a_{{{T}}} = {row(vector(last, most=12))}",
            f"The weights of the last token in head {view.head}, as written. M hides with minus infinity; B "
            f"is a bias by distance. {view.scheme.title}: {view.scheme.source}.",
        ),
        Formula(
            r"y_t = \frac{1}{t} \sum_{s \le t} x_s = \frac{1}{t}"
            r"\quad\text{where } x_1 = 1,\; x_s = 0 \text{ after it}",
            rf"y_{{{places}}} = \frac{{1}}{{{places}}} = {_latex(number(float(view.marked[-1])))}",
            "Uniform attention under the causal mask turns a mark on the first token into the position: "
            "Haviv et al. 2022, arXiv:2203.16634; Kazemnejad et al. 2023, arXiv:2305.19466.",
        ),
    )


def _latex(value: str) -> str:
    if "e" in value:
        mantissa, exponent = value.replace("−", "-").split("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    return value.replace("−", "-")


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    return (*_about_order(), *_about_packing())


def _about_order() -> tuple[Question, ...]:
    blind = {"scheme": "none", "mask": False, "seed": 1}
    causal = {"scheme": "none", "mask": True}
    mirror = {"scheme": "alibi", "mask": False}
    return (
        Question(
            "Attention without positions and without a mask is equivariant. What becomes of ‘dog bites man’ "
            "when it is written as ‘man bites dog’?",
            (
                "Each word gets another output",
                "Each word keeps its output, at its new position; the average is the same",
                "Only ‘bites’ keeps its output, as it stays in the middle",
            ),
            lambda: _blind(blind),
            blind,
        ),
        Question(
            "Still no positions, but a causal mask: each token reads only itself and what came before. Does "
            "the layer notice the order?",
            ("No, the mask adds no position", "Yes, the mask alone breaks the symmetry"),
            lambda: _causal(causal),
            causal,
        ),
        Question(
            "Only the first token carries a 1, and causal attention is uniform. What does token 5 hold?",
            ("1", "1/5", "1/12, as the sequence has 12 tokens"),
            _marked,
            {"mask": True, "places": 12},
        ),
        Question(
            "ALiBi without a mask reads ‘dog bites man’ backwards. Does it notice?",
            ("Yes, every scheme notices every order", "No, the mirror image keeps every distance"),
            lambda: _mirror(mirror),
            mirror,
        ),
    )


def _about_packing() -> tuple[Question, ...]:
    packed = {"scheme": "rope", "mask": True, "restart": True}
    running = {"scheme": "sinusoidal", "mask": True, "separate": True}
    return (
        Question(
            "Two documents share a sequence, and positions restart at 0 in the second. Does that alone keep "
            "them apart?",
            ("Yes, the second cannot see behind its own position 0", "No, it still attends across the join"),
            lambda: _packed(packed),
            packed,
        ),
        Question(
            "Now a mask keeps the documents apart, but positions run on. Under which scheme does the second "
            "document still get other outputs than alone?",
            (
                "Sinusoidal, added to the input",
                "RoPE, which turns queries and keys",
                "ALiBi, a bias by distance",
            ),
            _running,
            running,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**DEFAULTS, **values})


def _blind(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    said = (
        f"f(Px) and P f(x) differ by {gap_text(view)}, the averages by "
        f"{'0' if view.mean_gap < EXACT else number(view.mean_gap)}: who bites whom is lost."
    )
    return (1 if view.blind else 0), said


def _causal(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    said = (
        f"The difference is {gap_text(view)}. ‘man’ reads all three words where it stands last, and only "
        "itself where it stands first. Decoders without positions learn order from this."
    )
    return (0 if view.blind else 1), said


def _marked() -> tuple[int, str]:
    view = _view({"places": 12})
    fifth = float(view.marked[4])
    candidates = (1.0, 1 / 5, 1 / 12)
    right = min(range(3), key=lambda i: abs(candidates[i] - fifth))
    return right, f"Token 5 averages five tokens, one of which holds 1: {number(fifth)}."


def _mirror(values: dict[str, Any]) -> tuple[int, str]:
    backwards = _view(values)
    swapped, masked = _view({**values, "order": "swap"}), _view({**values, "mask": True})
    said = (
        f"Reversed, the difference is {gap_text(backwards)}: the penalty knows how far, not which way. With "
        f"the first two words swapped it is {gap_text(swapped)}, reversed under the causal mask "
        f"{gap_text(masked)}."
    )
    return (1 if backwards.blind else 0), said


def _packed(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    share = view.packed.across_second
    masked = _view({**values, "separate": True}).packed.across_second
    said = (
        f"The second document gives {percent(share)} of its attention to the first; with the mask "
        f"between documents it is {percent(masked)}. Positions say where a token stands, a mask "
        "says what it may see."
    )
    return (1 if share > 0 else 0), said


def _running() -> tuple[int, str]:
    changes = {
        key: _view({"scheme": key, "mask": True, "separate": True}).packed.change
        for key in ("sinusoidal", "rope", "alibi")
    }
    listed = ", ".join(f"{key} {'0' if v < EXACT else number(v)}" for key, v in changes.items())
    said = f"The largest changes are: {listed}. A shift of all positions cancels where only distance counts."
    return max(range(3), key=list(changes.values()).__getitem__), said
