"""NumPy code that gives the table of schemes from the stored runs."""

from __future__ import annotations

from typing import Any

from app.rooms.train.compute import View, compute


def code(**state: Any) -> str:
    """NumPy code whose ``result`` is mean, sd and difference to none of each scheme."""
    view = compute(**state)
    schemes = ", ".join(view.runs.schemes)
    chosen = view.runs.schemes.index(view.config.scheme)
    return "\n".join(
        [
            "import numpy as np",
            "",
            'pack = np.load("static/data/train_runs.npz")  # of the lab, its provenance beside it',
            f"# schemes: {schemes}",
            'held_out = pack["held_out"].astype(np.float64)  # (S, R): schemes by seeds, nats per character',
            'uniform = np.log(pack["E"].shape[1])  # ln V',
            "",
            "difference = held_out - held_out[0]  # to none, seed by seed",
            "standard_error = difference.std(axis=1, ddof=1) / np.sqrt(held_out.shape[1])",
            f"t = {view.chosen.quantile!r}  # Student's, {view.chosen.seeds - 1} degrees of freedom, "
            f"two-sided, at .05 / {view.chosen.comparisons}",
            "noise = np.abs(difference.mean(axis=1)) < np.maximum(0.01, t * standard_error)",
            "",
            f"below_uniform = uniform - held_out[{chosen}].mean()  # {view.config.scheme}",
            "result = np.stack(  # (S, 4)",
            "    [",
            "        held_out.mean(axis=1),",
            "        held_out.std(axis=1, ddof=1),",
            "        difference.mean(axis=1),",
            "        difference.std(axis=1, ddof=1),",
            "    ],",
            "    axis=1,",
            ")",
            "",
        ]
    )


def code_answer(view: View) -> Any:
    """What ``result`` must equal."""
    return [[row.mean, row.sd, row.difference, row.difference_sd] for row in view.comparisons]
