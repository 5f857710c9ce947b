"""Predict, then check: what position buys, answered by the stored runs and the lab."""

from __future__ import annotations

from app.kit.html import number
from app.kit.questions import Question
from app.rooms.train.compute import State, View, compute, exact
from app.rooms.train.stage import fixed, signed, title_of
from lab.training import compare
from lab.training.baselines import NOISE

DEFAULTS = {name: State.param[name].default for name in State.param if name != "name"}
NEIGHBOURS = ("alibi", "sinusoidal")
"""Two schemes whose means lie close."""


def questions() -> tuple[Question, ...]:
    """The questions of the room."""
    none = {"scheme": "none"}
    return (
        Question(
            "One causal layer without positions sees the characters before it as a set: it cannot tell in "
            "which order they came. What will it reach?",
            (
                "The loss of a uniform guess, ln V",
                "About the unigram: how frequent each character is",
                "Below even the bigram, which knows the character before",
            ),
            _none,
            none,
        ),
        Question(
            "ALiBi and sinusoidal positions end a few thousandths of a nat apart. Which is better?",
            ("ALiBi", "Sinusoidal", "These runs cannot say: it is noise"),
            _noise,
            {"scheme": "alibi"},
        ),
        Question(
            "Trained on windows of 32, read to position 128: whose loss stays where it was?",
            ("RoPE's", "ALiBi's", "Sinusoidal's", "Learned positions'"),
            _long,
            {"scheme": "alibi"},
        ),
        Question(
            "No positions, one causal layer. The earlier characters of a text are reversed, the last stays. "
            "What happens to the prediction?",
            ("It changes", "Nothing: one layer sees a set", "It becomes uniform"),
            lambda: _reversed(1),
            none,
        ),
        Question(
            "The same with two layers?",
            ("It changes", "Nothing: no position, no order"),
            lambda: _reversed(2),
            {"scheme": "none", "layers": 2},
        ),
        Question(
            "What does an untrained model's loss tell?",
            (
                "Nothing: it is random",
                "That it guesses almost uniformly, ln V, as it should at the start",
                "How good the scheme is",
            ),
            _untrained,
            {"moment": 0},
        ),
    )


def _view() -> View:
    return compute(**DEFAULTS)


def _none() -> tuple[int, str]:
    view = _view()
    base, none = view.runs.baselines, view.mean_of("none").mean
    right = 2 if none < base.bigram else 1 if none < base.unigram else 0
    return right, (
        f"It reaches {fixed(none)}; uniform is {fixed(base.uniform)}, unigram {fixed(base.unigram)}, bigram "
        f"{fixed(base.bigram)}. Frequencies need no order, its own character is known at each position, and "
        "the mask still tells it what came before."
    )


def _noise() -> tuple[int, str]:
    first, second = NEIGHBOURS
    losses = exact(_view().runs)
    pairs = len(losses) * (len(losses) - 1) // 2
    row = compare({key: losses[key] for key in NEIGHBOURS}, first, pairs)[1]
    right = 2 if row.noise else 1 if row.difference < 0 else 0
    return right, (
        f"{title_of(second)} less {title_of(first)}, seed by seed: {signed(row.difference)} ± "
        f"{fixed(row.difference_sd)} over {row.seeds} seeds. Anything below {fixed(row.limit)} is noise: "
        f"{number(NOISE)} nats, or {number(row.quantile, 2)} standard errors, since the pair is one of "
        f"{pairs}."
    )


def _long() -> tuple[int, str]:
    view = _view()
    trained = next(i for i, edge in enumerate(view.runs.long_edges.tolist()) if edge == view.config.T) - 1
    keys = ("rope", "alibi", "sinusoidal", "learned")
    rises = []
    for key in keys:
        losses = view.long.mean[view.runs.schemes.index(key)]
        rises.append(float(losses[-1] - losses[trained]))
    right = min(
        (index for index, rise in enumerate(rises) if rise == rise), key=lambda index: abs(rises[index])
    )
    said = ", ".join(
        f"{title_of(key)} {signed(rise) if rise == rise else 'refuses'}"
        for key, rise in zip(keys, rises, strict=True)
    )
    return right, f"From the last trained bin to the last: {said}."


def _reversed(layers: int) -> tuple[int, str]:
    view = _view()
    found = view.one_layer if layers == 1 else view.two_layers
    same = found.change < 1e-9
    said = (
        f"The largest change of a logit is {number(found.change)}; the largest logit is "
        f"{number(found.largest)}."
    )
    if same:
        return 1, f"{said} Attention without positions adds up a set, and a sum has no order."
    return (
        0,
        f"{said} The second layer reads rows made from different beginnings, so order comes in by the mask.",
    )


def _untrained() -> tuple[int, str]:
    view = _view()
    start, uniform = float(view.untrained.mean()), view.runs.baselines.uniform
    right = 1 if abs(start - uniform) < 0.1 else 0
    return right, (
        f"Over all schemes and seeds it is {fixed(start)}, ln {len(view.runs.tokens)} is {fixed(uniform)}. A "
        "much larger one would mean that the weights begin too large."
    )
