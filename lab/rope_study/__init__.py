"""What RoPE does to one query and one key: hands, layouts, averages, stored positions, real heads."""

from __future__ import annotations

from lab.rope_study.average import Average, average_by_distance, mean_pair
from lab.rope_study.hands import (
    Meeting,
    draw_q_k,
    meet,
    one_pair,
    pair_places,
    rotation_error,
    scores_at,
    terms,
)
from lab.rope_study.layouts import Layouts, compare_layouts, other_layout
from lab.rope_study.real_heads import find_token, head_errors, real_scores, score_errors
from lab.rope_study.storage import score_along, stored_positions

__all__ = [
    "Average",
    "Layouts",
    "Meeting",
    "average_by_distance",
    "compare_layouts",
    "draw_q_k",
    "find_token",
    "head_errors",
    "mean_pair",
    "meet",
    "one_pair",
    "other_layout",
    "pair_places",
    "real_scores",
    "rotation_error",
    "score_along",
    "score_errors",
    "scores_at",
    "stored_positions",
    "terms",
]
