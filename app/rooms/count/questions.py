"""The questions of the room `count`; the lab answers."""

from __future__ import annotations

from typing import Any

from app.kit.questions import Question
from app.kit.shares import percent
from app.kit.url import settings
from app.rooms.count.compute import State, View, compute

DEFAULTS: dict[str, Any] = {name: parameter.default for name, parameter in settings(State).items()}


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    small: dict[str, Any] = {"preset": "gpt2"}
    large = {"preset": "llama-3-8b"}
    half = {"preset": "minilm-l6"}
    untied = {"preset": "gpt2", "tied": False}
    moved = {"preset": "bge-small", "dimension": 768}
    return (
        Question(
            "MiniLM-L6 is bge-small with half the layers. What becomes of the table's share?",
            ("It halves too", "It stays", "It grows"),
            lambda: _half(half),
            half,
        ),
        Question(
            "What share of GPT-2 small is its token table?",
            ("About 3 %", "About 15 %", "About 31 %", "About 62 %"),
            lambda: _share(small),
            small,
        ),
        Question(
            "The table of Llama 3 8B has over 13 times as many numbers. Is its share of the model larger?",
            ("Larger", "About the same", "Smaller"),
            lambda: _large(small, large),
            large,
        ),
        Question(
            "Untie the output layer of GPT-2 small. What grows?",
            (
                "The memory and the work for each token",
                "The memory alone",
                "The work for each token alone",
            ),
            lambda: _untie(untied),
            untied,
        ),
        Question(
            "GPT-2's table is padded to 50,304 rows. Real logits lie at −2, those of the 47 padding rows "
            "at 0. What do these get?",
            ("Nothing: they are no tokens", "Their share of the rows, 0.09 %", "Several times that"),
            _phantoms,
            {"multiple": 64, "logit": -2.0},
        ),
        Question(
            "A store was filled by a model of width 768. Now bge-small sends a vector. What should it do?",
            ("Fill the vector up with zeros", "Cut its own vectors to fit", "Refuse"),
            lambda: _store(moved),
            moved,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**DEFAULTS, **values})


def _share(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    options = (0.03, 0.15, 0.31, 0.62)
    right = min(range(len(options)), key=lambda index: abs(options[index] - view.share))
    model = view.model
    product = f"{model.V:,} × {model.D:,} = {model.table_parameters:,}"
    return right, f"{product} of {view.parameters:,}: {percent(view.share)}."


def _large(small: dict[str, Any], large: dict[str, Any]) -> tuple[int, str]:
    a, b = _view(small), _view(large)
    right = 1 if abs(a.share - b.share) < 0.02 else 0 if b.share > a.share else 2
    said = (
        f"{percent(b.share)} against {percent(a.share)}. The table grows with D, the layers with D² and with "
        f"their number: {b.model.layers} layers of width {b.model.D:,} outgrow it."
    )
    return right, said


def _half(values: dict[str, Any]) -> tuple[int, str]:
    before, after = _view({"preset": "bge-small"}), _view(values)
    right = 1 if abs(before.share - after.share) < 0.02 else 2 if after.share > before.share else 0
    said = (
        f"The table stays at {after.model.table_parameters:,}, the rest shrinks: {percent(before.share)} of "
        f"{before.parameters:,} become {percent(after.share)} of {after.parameters:,}."
    )
    return right, said


def _untie(values: dict[str, Any]) -> tuple[int, str]:
    untied = _view(values)
    tied = _view({})
    memory = untied.parameters > tied.parameters
    work = untied.model.output_flops > tied.model.output_flops
    said = (
        f"From {tied.parameters:,} to {untied.parameters:,} parameters; the logits of a token take "
        f"{untied.model.output_flops:,} operations either way."
    )
    return (0 if memory and work else 1 if memory else 2), said


def _phantoms() -> tuple[int, str]:
    view = _view({})
    share, mass = view.padded.phantoms / view.padded.rows, view.mass or 0.0
    right = 0 if mass == 0 else 2 if mass > 2 * share else 1
    return right, f"{100 * mass:.4f} % of the softmax, {mass / share:.1f} times their share of the rows."


def _store(values: dict[str, Any]) -> tuple[int, str]:
    view = _view(values)
    said = (
        f"The vector has {view.model.D:,} numbers, the store {view.dimension:,}: two models' numbers mean "
        "different things, so a cut or padded vector would find something, but nothing that means the same."
    )
    return (2 if view.refusal else 0), said
