"""Predict, then check: the questions of the room `context`, answered by the lab."""

from __future__ import annotations

from typing import Any

from app.kit.html import number
from app.kit.questions import Question
from app.kit.shares import percent
from app.rooms.context.compute import compute
from app.rooms.context.setting import DEFAULTS

MOVED = {"method": "linear", "position": 12_000, "pair": 0}
PLAIN = {"show": "angles", "method": "none", "overlay": "one"}
SHARP = {"show": "scores", "method": "yarn"}
GAIN = {"show": "scores", "method": "yarn", "factor": 128.0, "overlay": "one"}
LLAMA = {"model": "llama-3.1-8b", "overlay": "one"}
NTK = {"show": "angles", "method": "ntk"}
UNSTRETCHED = {"factor": 1.0}
KEPT = (23, 29, 35)


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    return (
        Question(
            "16,384 positions out of 4,096 by position interpolation: how is position 12,000 turned?",
            ("As 12,000 always was", "As 3,000 was in training", "As 48,000 would be"),
            _moved,
            MOVED,
        ),
        Question(
            "A model trained on 4,096 positions is configured for 16,384, and nothing else changes. Why is "
            "that no evidence that it works there?",
            (
                "It is: beyond its length a RoPE model raises an error",
                "RoPE turns to any position: scores come out, from angles no training ever met",
                "Scores beyond the trained length are all 0",
            ),
            _configured,
            PLAIN,
        ),
        Question(
            "Stretched 4 times, which method keeps neighbours as sharp as plain RoPE has them?",
            (
                "Position interpolation: it treats all pairs alike",
                "NTK-aware: it leaves pair 0 alone",
                "YaRN: it leaves all fast pairs alone",
            ),
            _sharp,
            SHARP,
        ),
        Question(
            "YaRN at factor 128 multiplies cos and sin by 1.4852. By what do the logits grow?",
            ("1.4852", "2.2058", "128"),
            _gain,
            GAIN,
        ),
        Question(
            "How many of the 64 pairs of Llama 3.1 8B turn as before its extension?",
            tuple(str(count) for count in KEPT),
            _kept,
            LLAMA,
        ),
        Question(
            "NTK-aware divides the last pair by just the factor. Are all angles of the long window known?",
            (
                "Yes, that is what the factor is for",
                "No: slow pairs before the last are divided by less, and meet new ones",
            ),
            _ntk,
            NTK,
        ),
        Question(
            "Factor 1: which methods differ from plain RoPE?",
            ("None", "Those with lists or ramps: YaRN, Llama 3, LongRoPE", "Those that change the base"),
            _unstretched,
            UNSTRETCHED,
        ),
    )


def _view(values: dict[str, Any]) -> Any:
    return compute(**{**DEFAULTS, **values})


def _moved() -> tuple[int, str]:
    view = _view(MOVED)
    turned = view.setting.position * view.chosen.ratio
    low, high = float(turned.min()), float(turned.max())
    right = 1 if abs(high - 3000) < 1e-6 and abs(low - 3000) < 1e-6 else 0
    said = f"In every pair the angle is that of position {number(low)}: each frequency is divided by 4."
    return right, said


def _configured() -> tuple[int, str]:
    view, scored = _view(PLAIN), _view({**PLAIN, "show": "scores"})
    far = scored.lines["none"].far
    finite = bool((abs(far) < float("inf")).all())
    pairs = int((view.new.first >= 0).sum())
    said = (
        f"All {number(scored.reach)} distances get a score, and no error. But {pairs} of {view.core.pairs} "
        f"pairs stand at new angles, {percent(view.new.total)} of all: nobody trained heads to read them. "
        "Only a test at that length can tell."
    )
    return (1 if finite and view.new.total > 0 and abs(far).max() > 0 else 0), said


def _sharp() -> tuple[int, str]:
    view = _view(SHARP)
    plain = view.plain.neighbours
    shares = [view.methods[key].neighbours / plain for key in ("linear", "ntk", "yarn")]
    listed = ", ".join(
        f"{view.methods[key].title} {percent(share)}"
        for key, share in zip(("linear", "ntk", "yarn"), shares, strict=True)
    )
    said = (
        f"Of plain RoPE's step between neighbours is left: {listed}. Fast pairs carry that step, and YaRN "
        "and Llama 3 keep them."
    )
    return shares.index(max(shares)), said


def _gain() -> tuple[int, str]:
    method = _view(GAIN).chosen
    m, squared = f"{method.multiplier:.4f}", f"{method.gain:.4f}"
    said = f"{m} is in q and in k, so it stands twice in their product: {m}² = {squared}."
    return ("1.4852", "2.2058", "128").index(squared), said


def _kept() -> tuple[int, str]:
    counts = _view(LLAMA).chosen.counts
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    return KEPT.index(
        counts["unchanged"]
    ), f"{listed}: wavelengths below 2,048 stay, above 8,192 are divided by 8."


def _ntk() -> tuple[int, str]:
    view = _view(NTK)
    new, plain = view.new, view.new_plain
    said = (
        f"{percent(new.total)} of the angles are new, in {int((new.first >= 0).sum())} pairs; plain RoPE has "
        f"{percent(plain.total)}. The last pair itself meets none."
    )
    return (1 if new.total > 0 and new.share[-1] == 0 else 0), said


def _unstretched() -> tuple[int, str]:
    view = _view(UNSTRETCHED)
    apart = [method.title for method in view.methods.values() if not (method.ratio == 1).all()]
    multiplied = [method.title for method in view.methods.values() if method.multiplier != 1]
    said = (
        f"All {len(view.methods)} give the very frequencies of plain RoPE, and none multiplies cos and sin."
        if not apart and not multiplied
        else f"These differ: {', '.join(apart + multiplied)}."
    )
    return (0 if not apart and not multiplied else 1), said
