"""What the gradient does to the rows of a table: which move, how far, and what finding out costs.

Read ``moves`` first (which rows a step moves, and how many have been seen), then ``pull`` (rows that learn
under each optimizer), ``tied`` (a table that is the output layer too) and ``ways`` (the same gradient
computed in several ways, and their time).
"""

from __future__ import annotations

from lab.gradient_study.moves import (
    GROUPS,
    expected_growth,
    generator,
    moved_matrix,
    moved_rows,
    seen_matrix,
    touched_rows,
)
from lab.gradient_study.pull import (
    LEARNING_RATES,
    RankMeans,
    RowHistory,
    count_rows,
    follow,
    followed_rows,
    mean_by_rank,
    norm_range,
)
from lab.gradient_study.tied import TiedNorms, tied_norms
from lab.gradient_study.ways import (
    LOOKUPS,
    WAYS,
    WayTimes,
    assign_add,
    largest_difference,
    random_gradient,
    time_lookups,
    time_ways,
)

__all__ = [
    "GROUPS",
    "LEARNING_RATES",
    "LOOKUPS",
    "WAYS",
    "RankMeans",
    "RowHistory",
    "TiedNorms",
    "WayTimes",
    "assign_add",
    "count_rows",
    "expected_growth",
    "follow",
    "followed_rows",
    "generator",
    "largest_difference",
    "mean_by_rank",
    "moved_matrix",
    "moved_rows",
    "norm_range",
    "random_gradient",
    "seen_matrix",
    "tied_norms",
    "time_lookups",
    "time_ways",
    "touched_rows",
]
