"""One table looked at in seven ways: what the room about distance shows, computed."""

from lab.table_study.angle import Angle, Planar, angle_between, parallelogram
from lab.table_study.dimensions import Spread, cosine_error, largest_words, spread
from lab.table_study.pairs import PairStudy, histogram, study_pairs
from lab.table_study.rarity import BIN, Rarity, study_rarity
from lab.table_study.sums import Reading, SumReader, count_distinct_sums, disturb, token_place_cosines
from lab.table_study.table import Pick, TableStudy, smollm2_table

__all__ = [
    "BIN",
    "Angle",
    "PairStudy",
    "Pick",
    "Planar",
    "Rarity",
    "Reading",
    "Spread",
    "SumReader",
    "TableStudy",
    "angle_between",
    "cosine_error",
    "count_distinct_sums",
    "disturb",
    "histogram",
    "largest_words",
    "parallelogram",
    "smollm2_table",
    "spread",
    "study_pairs",
    "study_rarity",
    "token_place_cosines",
]
