"""Predict, then check: the questions of the room `rope`, answered by the lab."""

from __future__ import annotations

from typing import Any

from app.kit.html import number
from app.kit.questions import Question
from app.rooms.rope.compute import DEFAULTS, View, compute
from app.rooms.rope.parts import FIRST
from app.rooms.rope.stage import tiny
from lab.positions.precision import count_distinct
from lab.rope_study import rotation_error

FAR = {"theta": 1.0, "m": 3, "n": 1, "move": 500}
LAYOUTS = {"turn": "base", "d": 8, "m": 7, "n": 2}
HALVES = {"m": 7, "n": 6, "move": 250, "precision": "bfloat16"}
SLOW = {"turn": "base", "d": 64, "reach": 512}
SURVIVORS = (4_096, 2_048, 769, 256)


def questions() -> tuple[Question, ...]:
    """Predict, then check."""
    return (
        Question(
            "q and k turn, each by its own position. Which identity leaves only the offset in their product?",
            (
                "cos² + sin² = 1: a turn keeps norms",
                "R_mᵀ R_n = R_(n−m): back by m and forward by n is one turn by n − m",
                "R_m R_n = R_(m+n): two turns add up",
            ),
            _identity,
            FAR,
        ),
        Question(
            "θ = 1, q at position 3 and k at position 1. Both move on by 500. What does the score do?",
            ("It falls, 500 is far", "It stays the same", "It changes sign, the hands have turned on"),
            _moved,
            FAR,
        ),
        Question(
            "A checkpoint with interleaved pairs runs in code that pairs halves. Which test notices?",
            (
                "Norms before and after turning",
                "The score of two tokens at the same position",
                "The score of two tokens at different positions",
            ),
            _layouts,
            LAYOUTS,
        ),
        Question(
            "Positions are stored in bfloat16. How many of the first 4,096 stay distinct?",
            tuple(f"{count:,}" for count in SURVIVORS),
            _distinct,
            HALVES,
        ),
        Question(
            "One given q and k with 32 pairs: does their score fall with every step of distance?",
            ("Yes, RoPE forgets steadily", "No: only the average over equal vectors falls, and in waves"),
            _falls,
            SLOW,
        ),
    )


def _view(values: dict[str, Any]) -> View:
    return compute(**{**DEFAULTS, **values})


def _identity() -> tuple[int, str]:
    view = _view(FAR)
    m, n = view.stored_moved
    back, on = rotation_error(view.rope, m, n), rotation_error(view.rope, -m, n)
    # R_m is the transpose of R_(−m), so the third option is the second with −m: true, but its offset is m + n
    said = (
        f"At m = {m}, n = {n} the matrices of the second differ by at most {tiny(back)}. The other two hold "
        f"too (the third to {tiny(on)}), but norms say nothing of positions, and a sum is no distance."
    )
    return (1 if back < 1e-9 else 2), said


def _moved() -> tuple[int, str]:
    view = _view(FAR)
    said = (
        f"It is {number(view.here.score)} at ({view.m}, {view.n}) and {number(view.moved.score)} at "
        f"{view.places}: a difference of {tiny(view.difference)}. Both hands turned by the same 500 radians."
    )
    return (1 if view.difference < 1e-12 else 0), said


def _layouts() -> tuple[int, str]:
    view = _view(LAYOUTS)
    apart = abs(view.curve.layouts.own - view.curve.layouts.other)
    here, there = float(apart[0]), float(apart[view.distance])
    said = (
        f"Both layouts keep norms, and at one position their scores differ by {tiny(here)}. At distance "
        f"{view.distance} they differ by {number(there)}."
    )
    return (2 if here < 1e-12 < there else 1), said


def _distinct() -> tuple[int, str]:
    kept, exact = count_distinct(FIRST, "bfloat16"), count_distinct(257, "bfloat16")
    said = (
        f"{kept}: all {exact} positions from 0 to 256, then 128 in each doubling. Beyond 256 neighbours "
        "share one, and the score cannot tell them apart."
    )
    return SURVIVORS.index(kept), said


def _falls() -> tuple[int, str]:
    view = _view(SLOW)
    total, expected = view.curve.total, view.average.expected
    rises = int((total[1:] > total[:-1]).sum())
    said = (
        f"Between distance 0 and {len(total) - 1} this score rises {rises} times. The average over k = q "
        f"goes from {number(float(expected[0]), 1)} to {number(float(expected[-1]), 1)}, not steadily either."
    )
    return (1 if rises else 0), said
