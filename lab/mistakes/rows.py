"""Mistakes in the rows themselves: a gradient that forgets repeats, and the raw index added."""

from __future__ import annotations

import numpy as np

from lab.embedding import dense_gradient
from lab.mistakes.base import Detector, Inputs, Mistake, close, freeze
from lab.notation import FloatArray
from lab.positions import RawIndex, Sinusoidal

# grad[ids] += G


def _gradient_witness() -> Inputs:
    return freeze(ids=np.array([0, 0, 1, 1, 2]), G=np.ones((5, 2)), V=4)


def _gradient_right(inputs: Inputs) -> FloatArray:
    return dense_gradient(inputs["ids"], inputs["G"], inputs["V"])


def _gradient_wrong(inputs: Inputs) -> FloatArray:
    grad = np.zeros((inputs["V"], inputs["G"].shape[1]))
    grad[inputs["ids"]] += inputs["G"]
    return grad


def _distinct_ids(inputs: Inputs) -> bool:
    once = {**inputs, "ids": np.unique(inputs["ids"])}
    once["G"] = inputs["G"][: len(once["ids"])]
    return close(_gradient_wrong(once), _gradient_right(once))


GRADIENT = Mistake(
    key="gradient",
    title="grad[ids] += G",
    symptom_tags=("frequent", "learns"),
    why=(
        "NumPy reads the rows once, adds, and writes them back: of several uses of a row only the last one "
        "counts. Frequent tokens learn as slowly as rare ones. np.add.at, or sorting and summing, adds them "
        "all."
    ),
    source="NumPy's buffered indexing; the gradient is one_hot(ids)ᵀ G",
    witness=_gradient_witness,
    right=_gradient_right,
    wrong=_gradient_wrong,
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(gradient, inputs):
            # a lookup is a product with one-hot rows, so its gradient is the transposed product
            one_hot = np.eye(inputs["V"])[inputs["ids"]]
            wanted = one_hot.T @ inputs["G"]
            gap = np.abs(gradient(inputs) - wanted)
            if gap.max() > 1e-9:
                row = gap.max(axis=1).argmax()
                uses = int((inputs["ids"] == row).sum())
                raise DetectorFailed(
                    f"row {row} is used {uses} times; its gradient is off by {gap.max():.3f}"
                )
        """
    ),
    stays_right={
        "where no id comes twice the gradient is right": _distinct_ids,
        "rows that were not seen stay at 0": lambda i: (
            not np.delete(_gradient_wrong(i), np.unique(i["ids"]), axis=0).any()
        ),
        "rows that were seen move": lambda i: bool(_gradient_wrong(i)[np.unique(i["ids"])].any(axis=1).all()),
    },
)


# the raw index added


def _raw_witness() -> Inputs:
    tokens = np.random.default_rng(0).standard_normal((2, 16))
    return freeze(tokens=tokens, pos=np.array([0, 1, 3, 10, 30, 100, 300, 1000, 4000]))


def _at_positions(inputs: Inputs, scheme: RawIndex | Sinusoidal) -> FloatArray:
    pos = inputs["pos"]
    repeated = np.repeat(inputs["tokens"][:, None], len(pos), axis=1)  # (2, D) -> (2, T, D)
    return scheme.add_to_input(repeated, pos)


def _raw_right(inputs: Inputs) -> FloatArray:
    return _at_positions(inputs, Sinusoidal(inputs["tokens"].shape[1]))


def _raw_wrong(inputs: Inputs) -> FloatArray:
    return _at_positions(inputs, RawIndex())


RAW = Mistake(
    key="raw",
    title="Raw index added",
    symptom_tags=("drift", "learns", "limit"),
    why=(
        "Adding the position itself tells the order, but its norm grows without bound while token rows keep "
        "theirs. At position 4,000 every row points the same way and the word is lost in it."
    ),
    source="the first idea, which bounded schemes answer: Vaswani et al. 2017, arXiv:1706.03762, section 3.5",
    witness=_raw_witness,
    right=_raw_right,
    wrong=_raw_wrong,
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(add_position, inputs):
            # two different tokens must stay two different directions at every position
            a, b = add_position(inputs)
            lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
            cosine = (a * b).sum(axis=1) / lengths
            if cosine.max() > 0.9:
                first = (cosine > 0.9).argmax()
                raise DetectorFailed(
                    f"two different tokens have cosine {cosine[first]:.3f} "
                    f"at position {inputs['pos'][first]:,}"
                )
        """
    ),
    stays_right={
        "position 0 leaves a row as it is": lambda i: close(
            _raw_wrong({**i, "pos": np.array([0])})[:, 0], i["tokens"]
        ),
        "no two positions give the same row": lambda i: (
            len(np.unique(_raw_wrong(i)[0], axis=0)) == len(i["pos"])
        ),
        "the difference of two tokens is the same everywhere": lambda i: close(
            _raw_wrong(i)[0] - _raw_wrong(i)[1],
            np.broadcast_to(i["tokens"][0] - i["tokens"][1], _raw_wrong(i)[0].shape),
        ),
    },
)
