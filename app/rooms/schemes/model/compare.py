"""Every position scheme asked the same questions: one x, one Wq, one Wk, the hooks and no chain of ifs."""

from app.rooms.schemes.model.appended import Appended, appended_index
from app.rooms.schemes.model.probe import (
    Answer,
    Probe,
    ask,
    largest_change,
    make_probe,
    score_by_distance,
    score_matrix,
    shared_scale,
)
from app.rooms.schemes.model.slopes import SlopeTable, agreeing_head_counts, slope_table
from app.rooms.schemes.model.table import USERS, InputShare, Row, Use, acts_on, compare, input_share
from app.rooms.schemes.model.trained import TABLES, TrainedTable, trained_table

__all__ = [
    "TABLES",
    "USERS",
    "Answer",
    "Appended",
    "InputShare",
    "Probe",
    "Row",
    "SlopeTable",
    "TrainedTable",
    "Use",
    "acts_on",
    "agreeing_head_counts",
    "appended_index",
    "ask",
    "compare",
    "input_share",
    "largest_change",
    "make_probe",
    "score_by_distance",
    "score_matrix",
    "shared_scale",
    "slope_table",
    "trained_table",
]
