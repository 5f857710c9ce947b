"""Training the character model one step at a time, and measuring what position is worth."""

from lab.training.archive import load_runs, save_runs
from lab.training.baselines import Baselines, Comparison, baselines, compare
from lab.training.config import TrainingConfig
from lab.training.corpus import Corpus, shakespeare_corpus
from lab.training.evaluation import (
    Evaluation,
    LongTest,
    evaluate,
    evaluating,
    finish,
    measuring_long,
    train_short_test_long,
)
from lab.training.optimiser import Adam, learning_rate
from lab.training.run import Diverged, Run, Snapshot, Step, train
from lab.training.stored import StoredRuns, make_runs
from lab.training.text import CLASSES, RowMovement, character_class, row_movement, sample, sampling

__all__ = [
    "CLASSES",
    "Adam",
    "Baselines",
    "Comparison",
    "Corpus",
    "Diverged",
    "Evaluation",
    "LongTest",
    "RowMovement",
    "Run",
    "Snapshot",
    "Step",
    "StoredRuns",
    "TrainingConfig",
    "baselines",
    "character_class",
    "compare",
    "evaluate",
    "evaluating",
    "finish",
    "learning_rate",
    "load_runs",
    "make_runs",
    "measuring_long",
    "row_movement",
    "sample",
    "sampling",
    "save_runs",
    "shakespeare_corpus",
    "train",
    "train_short_test_long",
]
