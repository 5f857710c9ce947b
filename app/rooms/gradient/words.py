"""What the room `gradient` says beside its figures: caption, numbers, formula, code, questions."""

from __future__ import annotations

from typing import Any

from app.kit.formula import Formula, decimal
from app.kit.html import counted, number
from app.kit.numbers import Table
from app.rooms.gradient.compute import View
from app.rooms.gradient.questions import questions
from app.rooms.gradient.run import edges_of, words_of_shakespeare
from app.rooms.gradient.stage import named_rank, names, short, why_moved
from lab.gradient_study import LEARNING_RATES
from lab.row_optimizers import ROW_OPTIMIZERS

__all__ = ["code", "code_answer", "describe", "formula", "numbers", "questions"]


def describe(view: View) -> str:
    """The caption: what the figure shows, with its numbers."""
    run = view.run
    drawn = "passages of Shakespeare" if run.words else f"Zipf's law with s = {number(view.exponent)}"
    if run.thinned:
        drawn += f", subsampled with t = {number(run.thinned.threshold, 5)},"
    moved = int(view.moved[view.step - 1])
    return (
        f"Step {view.step} of {run.steps}: {counted(run.N, 'token')} of {drawn} "
        f"{'touches' if run.N == 1 else 'touch'} {view.touched:,} of {run.V:,} rows, where the closed form "
        f"expects {number(run.expected, 0)}; {short(view.rule.key)} moves {counted(moved, 'row')}, "
        f"{why_moved(view)}. So far {counted(view.seen, 'row')} {'has' if view.seen == 1 else 'have'} been "
        f"seen and {run.V - view.seen:,} never."
    )


def numbers(view: View) -> list[Table]:
    """The tables behind the figures."""
    run = view.run
    steps = [
        [step, int(run.touched[step - 1]), int(run.seen[step - 1]), float(run.growth[step - 1]), int(moved)]
        for step, moved in enumerate(view.moved.tolist(), start=1)
    ]
    shown = view.picture.shares[:, view.step - 1].tolist()
    tables = [
        Table(
            "Rows by step",
            [
                "step",
                "touched by the input" if view.tied else "with a gradient",
                "seen so far",
                "expected so far",
                "moved",
            ],
            steps,
        ),
        Table(
            f"Share of rows that move in step {view.step}",
            ["rows", "share"],
            [[name, share] for name, share in zip(names(run, view.picture), shown, strict=True)],
        ),
    ]
    return [*tables, *_closer(view)]


UNSEEN = "none yet"
"""In place of the mean gradient of rows that had none."""


def _closer(view: View) -> list[Table]:
    only = ", input part only" if view.tied else ""
    if view.sample is not None and view.means is not None:
        norms, *others = (part.tolist() for part in view.means)
        parts = [view.sample.ranks.tolist(), [UNSEEN if v != v else v for v in norms], *others]
        columns = ["middle rank", "mean gradient norm", "moved", "left to go"]
        return [Table(f"By rank after step {view.step}{only}", columns, list(zip(*parts, strict=True)))]
    if view.followed is not None:
        row = view.followed
        title = f"{named_rank(view.run, row.rank).capitalize()}: distance from its start{only}"
        paths = [
            range(1, view.run.steps + 1),
            row.counts.tolist(),
            *(path.tolist() for path in row.moved.values()),
        ]
        return [Table(title, ["step", "occurrences", *map(short, row.moved)], list(zip(*paths, strict=True)))]
    if view.tied_norms is not None:
        norms = [view.tied_norms.input_part.tolist(), view.tied_norms.output_part.tolist()]
        ranks = range(1, len(norms[0]) + 1)
        columns = ["rank", "input part", "output part"]
        return [Table("Tied table: norms of both parts", columns, list(zip(ranks, *norms, strict=True)))]
    sums = [view.toy.summed.tolist(), view.toy.wrong.tolist()]
    rows = list(zip(range(len(sums[0])), *sums, strict=True))
    return [Table("The typed ids", ["row", "summed", "grad[ids] += 1"], rows)]


def formula(view: View) -> tuple[Formula, ...]:
    """The gradient of a row, how many rows are expected to have one, and the rule."""
    run, toy = view.run, view.toy
    N = rf"{run.N:,}".replace(",", "{,}")
    V = rf"{run.V:,}".replace(",", "{,}")
    sums = ", ".join(number(v) for v in toy.summed.tolist())
    output = r" + \sum_{t} (\pi_{t,v} - y_{t,v})\, h_t" if view.tied else ""
    whole = r" + (\pi - y)^{\top} h" if view.tied else ""
    empty = "A row that no token picked has an empty sum: its gradient is 0. Repeats add up."
    if view.tied:
        empty = (
            "For a row that no token picked the first sum, the input part, is empty. The second is the "
            "output part: probability less target, times the last hidden vector; it reaches every row. The "
            "numbers are the input part's."
        )
    gradient = Formula(
        rf"\frac{{\partial L}}{{\partial E_v}} = \sum_{{t\,:\,\mathrm{{id}}_t = v}} G_t{output}"
        rf"\qquad \frac{{\partial L}}{{\partial E}} = \mathrm{{onehot}}(\mathrm{{ids}})^{{\top}} G{whole}",
        rf"\mathrm{{ids}} = ({', '.join(map(str, toy.ids))}),\; G_t = 1 \quad\Rightarrow\quad ({sums})",
        empty,
    )
    rows = Formula(
        r"\mathbb{E}[\mathrm{rows}] = \sum_{i=1}^{\dim{V}} 1 - (1 - p_i)^{N}" + _shares(view),
        rf"\sum_{{i=1}}^{{{V}}} 1 - (1 - p_i)^{{{N}}} = {_latex(run.expected)} "
        rf"\qquad p_1 = {_latex(run.p[0], 4)}",
        f"For independent tokens. {'The input of no step' if view.tied else 'No step'} can touch more than "
        f"{counted(min(run.N, run.V), 'row')}.",
    )
    return gradient, rows, _rule(view)


def _shares(view: View) -> str:
    share = r"\mathrm{count}_i / \mathrm{total}" if view.run.words else "i^{-s}"
    if view.run.thinned is None:
        return rf"\qquad p_i {'=' if view.run.words else chr(92) + 'propto'} {share}"
    return rf"\qquad f_i \propto {share} \qquad p_i \propto f_i \min\left(1, \sqrt{{t / f_i}}\right)"


def _latex(value: float, digits: int = 1) -> str:
    return decimal(value, digits)


_RULES = {
    "sgd": (r"E_v \leftarrow E_v - \eta\, g_v", "A row without a gradient stays where it is."),
    "momentum": (
        r"u_v \leftarrow \mu u_v + g_v \qquad E_v \leftarrow E_v - \eta\, u_v",
        "Where g_v is 0 the velocity u_v fades by μ = 0.9 a step and still moves the row.",
    ),
    "adam": (
        r"m_v \leftarrow \beta_1 m_v + (1 - \beta_1) g_v \qquad "
        r"E_v \leftarrow E_v - \eta\, \hat m_v / (\sqrt{\hat s_v} + \epsilon)",
        "Where g_v is 0 the mean m_v fades by β₁ = 0.9, the mean square s_v only by 0.999: the row moves on.",
    ),
    "adamw": (
        r"E \leftarrow (1 - \eta\lambda) E \qquad \text{then Adam}",
        "The decay shrinks every row at every step; it asks for no gradient.",
    ),
    "lazy_adam": (
        r"\text{Adam, only for } v \in \mathrm{ids}",
        "Rows that are not in the step keep their memory and their place. It is another rule than Adam.",
    ),
}


_TIED = "With the output layer tied no g_v is 0: every row moves in every step."
_TIED_RULES = {
    "adamw": (_RULES["adamw"][0], f"The decay shrinks every row at every step. {_TIED}"),
    "lazy_adam": (
        r"\text{Adam, only for rows with a gradient}",
        "With the output layer tied these are all rows: it is then Adam itself.",
    ),
}


def _rule(view: View) -> Formula:
    latex, says = _RULES[view.rule.key]
    if view.tied:
        latex, says = _TIED_RULES.get(view.rule.key, (latex, _TIED))
    filled = rf"\eta = {number(LEARNING_RATES[view.rule.key])}"
    row = view.followed
    if row is not None:
        moved = float(row.moved[view.rule.key][-1])
        part = ", input part only" if view.tied else ""
        filled += (
            rf": \quad \lVert E_{{{row.rank}}} - E_{{{row.rank}}}^{{\mathrm{{start}}}} \rVert = "
            rf"{_latex(moved, 4)} \text{{ after {view.run.steps} steps{part}}}"
        )
    return Formula(latex, filled, f"{ROW_OPTIMIZERS[view.rule.key].title}. {says}")


def code(**state: Any) -> str:
    """NumPy code whose ``result`` is the picture: the share of each bin's rows that a step moves."""
    lines = _law_code(state) if state["source"] == "zipf" else _text_code(state)
    V = state["V"] if state["source"] == "zipf" else words_of_shakespeare().V
    edges = edges_of(V, state["zoom"]).tolist()
    lines += ["", f"edges = np.array({edges})  # bin k: ids edges[k] to edges[k + 1] - 1", ""]
    return "\n".join([*lines, *_movement(state), ""])


def _law_code(state: dict[str, Any]) -> list[str]:
    return [
        "import numpy as np",
        "",
        f"V, s = {state['V']}, {state['exponent']!r}",
        "p = np.arange(1, V + 1, dtype=float) ** -s",
        "p /= p.sum()",
        *_subsampled_code(state),
        "cumulative = np.cumsum(p)",
        "cumulative /= cumulative[-1]",
        f"steps, N = {state['steps']}, {state['batch']} * {state['length']}",
        f"uniform = np.random.default_rng({state['seed']}).random((steps, N))",
        'ids = np.searchsorted(cumulative, uniform, side="right")  # id 0 is the most frequent token',
    ]


def _subsampled_code(state: dict[str, Any]) -> list[str]:
    if not state["subsample"]:
        return []
    return [
        f"t = {state['subsample']!r}",
        "p *= np.sqrt(t / np.maximum(p, t))  # word2vec's subsampling: min(1, sqrt(t / p)) are kept",
        "p /= p.sum()",
    ]


def _thinned_code(state: dict[str, Any]) -> list[str]:
    if not state["subsample"]:
        return []
    return [
        "f = np.bincount(book, minlength=V) / len(book)",
        f"t = {state['subsample']!r}",
        "keep = np.sqrt(t / np.maximum(f, t))  # word2vec's subsampling: min(1, sqrt(t / f))",
        "book = book[rng.random(len(book)) < keep[book]]",
        f"rng = np.random.default_rng({state['seed']})",
    ]


def _text_code(state: dict[str, Any]) -> list[str]:
    return [
        "import re",
        "from collections import Counter",
        "",
        "import numpy as np",
        "",
        'with open("static/data/shakespeare.txt", encoding="utf-8") as file:',
        "    text = file.read().lower()",
        'found = re.findall(r"[^\\W\\d_]+(?:\'[^\\W\\d_]+)?", text)',
        "ranked = sorted(Counter(found).items(), key=lambda pair: (-pair[1], pair[0]))",
        "row = {word: i for i, (word, _) in enumerate(ranked)}",
        "book, V = np.array([row[word] for word in found]), len(row)",
        f"steps, batch, length = {state['steps']}, {state['batch']}, {state['length']}",
        f"rng = np.random.default_rng({state['seed']})",
        *_thinned_code(state),
        "places = rng.integers(0, len(book) - length + 1, size=(steps, batch))",
        "ids = book[places[..., None] + np.arange(length)].reshape(steps, -1)",
    ]


def _movement(state: dict[str, Any]) -> list[str]:
    rule = ROW_OPTIMIZERS[state["optimizer"]]
    if state["tied"] or rule.key == "adamw":
        why = "the output layer reaches every row" if state["tied"] else "weight decay moves every row"
        return [f"result = np.ones((len(edges) - 1, steps))  # {why}"]
    drawn, why = (
        ("ids[: step + 1]", "its memory moves every row it has seen")
        if rule.moves_unseen
        else ("ids[step]", "only rows with a gradient move")
    )
    return [
        "result = np.empty((len(edges) - 1, steps))",
        "for step in range(steps):",
        f"    rows = np.unique({drawn})  # {short(rule.key)}: {why}",
        "    result[:, step] = np.diff(np.searchsorted(rows, edges)) / np.diff(edges)",
    ]


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return view.picture.shares
