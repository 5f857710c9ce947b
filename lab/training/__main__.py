"""Command line: make the stored runs, or train one model and print how it goes.

python -m lab.training runs --out static/data/train_runs.npz
python -m lab.training one --scheme alibi --seed 3
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lab.positions import SCHEMES
from lab.training.archive import save_runs
from lab.training.baselines import compare
from lab.training.config import SAMPLES, TrainingConfig
from lab.training.corpus import shakespeare_corpus
from lab.training.evaluation import evaluate
from lab.training.run import train
from lab.training.stored import DEFAULT_PATH, StoredRuns, make_runs
from lab.training.text import sample


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.training", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("runs", help="train every scheme with several seeds and store the runs")
    runs.add_argument("--out", default=str(DEFAULT_PATH), help="file to write (default: %(default)s)")
    runs.add_argument("--seeds", type=int, default=8, help="how many, from 0 (default: %(default)s)")
    runs.add_argument("--steps", type=int, default=1000, help="updates of a run (default: %(default)s)")
    one = commands.add_parser("one", help="train one model on the plays")
    one.add_argument("--scheme", default="rope", choices=list(SCHEMES))
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--steps", type=int, default=1000)
    one.add_argument("--layers", type=int, default=1, choices=(1, 2))
    one.add_argument("--tied", action="store_true", help="use E as the output matrix")
    options = parser.parse_args(argv)
    try:
        return _runs(options) if options.command == "runs" else _one(options)
    except ValueError as error:
        parser.error(str(error))


def _runs(options: argparse.Namespace) -> int:
    config = TrainingConfig(steps=options.steps)
    stored = make_runs(config, shakespeare_corpus(), list(SCHEMES), range(options.seeds), print)
    save_runs(stored, options.out)
    _summarise(stored)
    return 0


def _summarise(stored: StoredRuns) -> None:
    base = stored.baselines
    print(f"uniform {base.uniform:.3f}  unigram {base.unigram:.3f}  bigram {base.bigram:.3f}")
    if len(stored.seeds) < 2:
        return
    for row in compare(stored.by_scheme()):
        verdict = " noise" if row.noise else ""
        spread = f"{row.mean:.3f} +- {row.sd:.3f}"
        print(f"{row.scheme:<11}{spread}  to none {row.difference:+.3f} +- {row.difference_sd:.3f}{verdict}")


def _one(options: argparse.Namespace) -> int:
    corpus = shakespeare_corpus()
    config = TrainingConfig(
        scheme=options.scheme,
        seed=options.seed,
        steps=options.steps,
        layers=options.layers,
        tied=options.tied,
    )
    run = train(config, corpus)
    for step in run:
        if step.step % 100 == 0 or step.diverged:
            print(f"step {step.step:>6}  loss {step.loss:.3f}  rate {step.learning_rate:.4f}")
    print(f"held-out {evaluate(run.model, corpus).loss:.4f}")
    print(sample(run.model, corpus, config.generator(SAMPLES)))
    return 1 if run.diverged else 0


if __name__ == "__main__":
    raise SystemExit(main())
