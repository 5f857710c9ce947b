"""The comparison of the schemes, each cell found out by calling them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from app.rooms.schemes.model.probe import Answer, Probe, largest_change, score_by_distance, score_matrix
from lab.positions import NoPosition

Kind = Literal["absolute", "relative", "blind"]

ROUNDING = 1e-9
"""A change below this share of the largest score is rounding and no change."""


class Use(NamedTuple):
    """A model that is built with a scheme, and where that is written."""

    model: str
    source: str


USERS: Mapping[str, tuple[Use, ...]] = {
    "none": (
        Use("SmolLM3, every fourth layer", "its config.json, no_rope_layer_interval = 4"),
        Use("models trained for study", "Kazemnejad et al. 2023, arXiv:2305.19466"),
    ),
    "sinusoidal": (
        Use("the first Transformer", "Vaswani et al. 2017, arXiv:1706.03762, section 3.5"),
        Use("Whisper's encoder", "Radford et al. 2022, arXiv:2212.04356, section 2.2"),
    ),
    "learned": (
        Use("BERT and MiniLM", "Devlin et al. 2018, arXiv:1810.04805, section 3"),
        Use("GPT-2", "Radford et al. 2019, and its released code"),
        Use("Whisper's decoder", "Radford et al. 2022, arXiv:2212.04356, section 2.2"),
    ),
    "rope": (
        Use("Llama", "Touvron et al. 2023, arXiv:2302.13971, section 2.2"),
        Use("GPT-NeoX-20B", "Black et al. 2022, arXiv:2204.06745"),
        Use("Qwen", "Bai et al. 2023, arXiv:2309.16609, section 2.3"),
        Use("Mistral 7B", "its config.json, rope_theta = 10,000"),
        Use("Gemma", "Gemma Team 2024, arXiv:2403.08295, section 2"),
        Use("DeepSeek-V2 and V3, on a part of q and k", "arXiv:2405.04434, section 2.1.3"),
        Use("SmolLM2", "its config.json, rope_theta = 100,000"),
    ),
    "alibi": (
        Use("BLOOM", "BigScience 2022, arXiv:2211.05100"),
        Use("MPT-7B", "its model card"),
    ),
}
"""Who uses a scheme, by its key. A scheme without an entry has no model named for it."""


@dataclass(frozen=True, eq=False)
class Row:
    """One scheme in the comparison.

    Attributes
    ----------
    parameters : int
        Trainable numbers the scheme adds.
    acts_on : tuple of str
        Those of ``input``, ``qk`` and ``scores`` that its hooks change.
    moved : Answer
        The scores with the whole sequence moved, or the refusal.
    change : float or None
        Largest change of a score when the whole sequence moves; None where the scheme refused.
    change_by_one : float
        The same for a move by one position.
    by_distance : float
        Highest minus lowest score of the same two tokens over the distances of the probe.
    kind : {"absolute", "relative", "blind"}
        A score that a move changes knows absolute positions; one that only distance changes knows relative
        ones; one that neither changes is blind to position.
    beyond : Answer
        The scores of a text that starts at the first position never trained, or the refusal.
    users : tuple of Use
    """

    key: str
    title: str
    parameters: int
    acts_on: tuple[str, ...]
    moved: Answer
    change: float | None
    change_by_one: float
    by_distance: float
    kind: Kind
    beyond: Answer
    users: tuple[Use, ...]


@dataclass(frozen=True)
class InputShare:
    """How much of a token's row is its position; norms are over all rows of the probe.

    Attributes
    ----------
    token, position : float
        Norm of the token rows, and of what the scheme adds to them.
    share : float
        ``position / (position + token)``.
    error : str
        The refusal, where there is no such position; the numbers are then 0.
    """

    token: float
    position: float
    share: float
    error: str = ""


def acts_on(scheme: NoPosition, *, D: int, H: int, d: int) -> tuple[str, ...]:
    """Return what a scheme changes, found out by calling each hook on rows of ones.

    Parameters
    ----------
    D, H, d : int
        The sizes it was built for.

    Examples
    --------
    >>> from lab.positions import Alibi, Rope
    >>> acts_on(Rope(4), D=8, H=1, d=4), acts_on(Alibi([0.5]), D=8, H=1, d=4)
    (('qk',), ('scores',))
    """
    positions, x, qk = np.array([1, 2]), np.ones((2, D)), np.ones((H, 2, d))
    changes = {
        "input": not np.array_equal(scheme.add_to_input(x, positions), x),
        "qk": not np.array_equal(scheme.rotate(qk, positions), qk),
        "scores": bool(np.any(scheme.bias(positions, positions))),
    }
    return tuple(place for place, changed in changes.items() if changed)


def compare(probe: Probe, shift: int, head: int = 0, span: int = 64) -> tuple[Row, ...]:
    """Compare all schemes of a probe.

    Parameters
    ----------
    shift : int
        Positions by which the whole sequence moves.
    head : int
        The head whose scores are compared, counted from 0.
    span : int
        Distances 0 .. span are tried for ``by_distance``.

    Returns
    -------
    tuple of Row
        In the order of the probe's schemes.

    Examples
    --------
    >>> from app.rooms.schemes.model.compare import make_probe
    >>> rows = compare(make_probe(["a", "b"], D=8, H=2, d=4, seed=0, trained=128), shift=7)
    >>> [(row.key, row.kind) for row in rows[3:]]
    [('learned', 'absolute'), ('rope', 'relative'), ('alibi', 'relative')]
    """
    return tuple(_row(probe, key, shift, head, span) for key in probe.schemes)


def _row(probe: Probe, key: str, shift: int, head: int, span: int) -> Row:
    scheme = probe.schemes[key]
    still, by_one = (score_matrix(probe, key, move, head) for move in (0, 1))
    moved = score_matrix(probe, key, shift, head)
    line = score_by_distance(probe, key, span, head=head)
    change_by_one = largest_change(still, by_one) or 0.0
    by_distance = 0.0 if line.scores is None else float(np.ptp(line.scores))
    rounding = ROUNDING * max(still.largest, line.largest, 1.0)
    kind: Kind = "absolute" if change_by_one > rounding else "relative" if by_distance > rounding else "blind"
    return Row(
        key=key,
        title=scheme.title,
        parameters=sum(int(array.size) for array in scheme.params().values()),
        acts_on=acts_on(scheme, D=probe.x.shape[1], H=probe.H, d=probe.d),
        moved=moved,
        change=largest_change(still, moved),
        change_by_one=change_by_one,
        by_distance=by_distance,
        kind=kind,
        beyond=score_matrix(probe, key, probe.trained, head),
        users=USERS.get(key, ()),
    )


def input_share(probe: Probe, key: str, position: int) -> InputShare:
    """Return how large the position is beside the token when every token stands at ``position``.

    Examples
    --------
    >>> from app.rooms.schemes.model.compare import make_probe
    >>> probe = make_probe(["a"], D=4, H=1, d=2, seed=0, trained=8)
    >>> input_share(probe, "raw", 4000).share > 0.999, input_share(probe, "rope", 4000).share
    (True, 0.0)
    """
    token = float(np.linalg.norm(probe.x))
    try:
        added = probe.schemes[key].add_to_input(probe.x, np.full(probe.T, position)) - probe.x
    except ValueError as refusal:
        return InputShare(token, 0.0, 0.0, str(refusal))
    size = float(np.linalg.norm(added))
    return InputShare(token, size, size / (size + token))
