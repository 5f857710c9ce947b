"""Mistakes in turning queries and keys: the layout of pairs, twice, over the wrong width."""

from __future__ import annotations

import numpy as np

from lab.mistakes.base import Detector, Inputs, Mistake, close, freeze
from lab.notation import FloatArray, IntArray
from lab.positions import Rope
from lab.positions.rope import half_permutation, plain_frequencies
from lab.query_key import draw_q_k, scores_at

HALF = Rope(8, pairing="half")


def _norms_kept(rope: Rope, x: FloatArray, pos: IntArray) -> bool:
    rows = np.broadcast_to(x, (len(pos), rope.d))
    return close(np.linalg.norm(rope.rotate(rows, pos), axis=1), np.linalg.norm(rows, axis=1))


# pair layouts mixed


def _layout_witness() -> Inputs:
    q, k = draw_q_k(8, seed=0)
    return freeze(q=q, k=k, base=10_000.0, distances=np.arange(33))


def _layout_right(inputs: Inputs) -> FloatArray:
    order = half_permutation(HALF.d)
    return HALF.total_by_distance(inputs["q"][order], inputs["k"][order], inputs["distances"])


def _layout_wrong(inputs: Inputs) -> FloatArray:
    return HALF.total_by_distance(inputs["q"], inputs["k"], inputs["distances"])


def _layout_shift(inputs: Inputs) -> bool:
    moved = [scores_at(HALF, inputs["q"], inputs["k"], [m + 7], [m + 2])[0] for m in (0, 100, 10_000)]
    return close(np.array(moved), np.full(3, moved[0]))


LAYOUT = Mistake(
    key="layout",
    title="Pair layouts mixed",
    symptom_tags=("drift", "checkpoint"),
    why=(
        "One family of code turns dimensions 2i and 2i + 1 together, another i and i + d/2. Each is right "
        "for weights trained with it. A checkpoint of one in code of the other turns pairs that never "
        "belonged together; the rows of Wq and Wk have to be permuted first."
    ),
    source="Su et al. 2021, arXiv:2104.09864, equation 15, against the layout of GPT-NeoX",
    witness=_layout_witness,
    right=_layout_right,
    wrong=_layout_wrong,
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(scores, inputs):
            # the weights were trained with pairs (2i, 2i + 1), one complex number each
            q = inputs["q"][0::2] + 1j * inputs["q"][1::2]
            k = inputs["k"][0::2] + 1j * inputs["k"][1::2]
            theta = inputs["base"] ** (-np.arange(len(q)) / len(q))
            turns = np.exp(1j * np.outer(inputs["distances"], theta))
            wanted = (turns * q * k.conj()).sum(axis=1).real
            gap = np.abs(scores(inputs) - wanted).max()
            if gap > 1e-9:
                raise DetectorFailed(f"scores miss the trained layout by up to {gap:.3f}")
        """
    ),
    stays_right={
        "turned vectors keep their length": lambda i: _norms_kept(HALF, i["q"], i["distances"]),
        "position 0 leaves a vector as it is": lambda i: close(HALF.rotate([i["q"]], [0])[0], i["q"]),
        "distance 0 has the right score": lambda i: close(_layout_wrong(i)[:1], _layout_right(i)[:1]),
        "moving q and k together changes no score": _layout_shift,
    },
)


# key rotated twice


def _twice_witness() -> Inputs:
    q, k = draw_q_k(8, seed=0)
    return freeze(q=q, k=k, q_pos=np.full(8, 7), k_pos=np.arange(8))


def _rotated(x: FloatArray, pos: IntArray, times: int) -> FloatArray:
    rows: FloatArray = np.broadcast_to(x, (len(pos), len(x)))
    for _ in range(times):
        rows = HALF.rotate(rows, pos)
    return rows


def _scores_after(inputs: Inputs, q_times: int, k_times: int) -> FloatArray:
    q = _rotated(inputs["q"], inputs["q_pos"], q_times)
    k = _rotated(inputs["k"], inputs["k_pos"], k_times)
    scores: FloatArray = (q * k).sum(axis=-1)
    return scores


TWICE = Mistake(
    key="twice",
    title="Key rotated twice",
    symptom_tags=("drift", "cache"),
    why=(
        "A key that is rotated when it enters the cache and again when it is read stands at 2n: R(n) R(n) = "
        "R(2n). The score then belongs to the offset m − 2n, and changes when the whole text moves."
    ),
    source="Su et al. 2021, arXiv:2104.09864, equation 16",
    witness=_twice_witness,
    right=lambda inputs: _scores_after(inputs, 1, 1),
    wrong=lambda inputs: _scores_after(inputs, 1, 2),
    others={"query and key both twice": lambda inputs: _scores_after(inputs, 2, 2)},
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed
        from lab.positions import Rope


        def detect(scores, inputs):
            # turning the query by the distance says the same as turning both
            away = inputs["q_pos"] - inputs["k_pos"]
            q = np.tile(inputs["q"], (len(away), 1))
            wanted = Rope(q.shape[1], pairing="half").rotate(q, away) @ inputs["k"]
            gap = np.abs(scores(inputs) - wanted)
            if gap.max() > 1e-9:
                n = inputs["k_pos"][gap.argmax()]
                raise DetectorFailed(f"the score of the key at {n} is off by {gap.max():.3f}")
        """
    ),
    stays_right={
        "the twice-turned key keeps its length": lambda i: close(
            np.linalg.norm(_rotated(i["k"], i["k_pos"], 2), axis=1),
            np.full(len(i["k_pos"]), np.linalg.norm(i["k"])),
        ),
        "the key at position 0 has the right score": lambda i: close(
            _scores_after(i, 1, 2)[i["k_pos"] == 0], _scores_after(i, 1, 1)[i["k_pos"] == 0]
        ),
        "with both turned twice, scores still depend only on the offset": lambda i: close(
            _scores_after(i, 2, 2),
            _scores_after({**i, "q_pos": i["q_pos"] + 9, "k_pos": i["k_pos"] + 9}, 2, 2),
        ),
    },
)


# partial rotation over the wrong width


def _partial_witness() -> Inputs:
    return freeze(x=np.arange(1.0, 9.0), pos=np.arange(65), d=8, rotary_dim=4, base=10_000.0)


def _partly_turned(inputs: Inputs, exponent_width: int) -> FloatArray:
    def frequencies(width: int, base: float) -> tuple[FloatArray, float]:
        return plain_frequencies(exponent_width, base)[0][: width // 2], 1.0

    d, rotary = inputs["d"], inputs["rotary_dim"]
    rope = Rope(d, inputs["base"], pairing="half", rotary_dim=rotary, extension=frequencies)
    return rope.rotate(np.broadcast_to(inputs["x"], (len(inputs["pos"]), d)), inputs["pos"])


def _partial_right(inputs: Inputs) -> FloatArray:
    return _partly_turned(inputs, inputs["rotary_dim"])


def _partial_wrong(inputs: Inputs) -> FloatArray:
    return _partly_turned(inputs, inputs["d"])


PARTIAL = Mistake(
    key="partial",
    title="Partial rotation over the wrong width",
    symptom_tags=("drift", "checkpoint"),
    why=(
        "Where only the first rotary_dim dimensions of a head turn, the exponent runs over rotary_dim: "
        "base^(−2i/rotary_dim). With the head width in its place every pair but the first turns too fast."
    ),
    source="GPT-J and GPT-NeoX turn a part of each head; frequencies as in arXiv:2104.09864, section 3.2.2",
    witness=_partial_witness,
    right=_partial_right,
    wrong=_partial_wrong,
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(rotate, inputs):
            half = inputs["rotary_dim"] // 2
            before, after = rotate({**inputs, "pos": np.array([0, 1])})
            pairs = [row[:half] + 1j * row[half : 2 * half] for row in (before, after)]
            angle = np.angle(pairs[1] / pairs[0])
            wanted = inputs["base"] ** (-np.arange(half) / half)
            if not np.allclose(angle, wanted, rtol=1e-9, atol=0):
                i = np.abs(angle - wanted).argmax()
                raise DetectorFailed(
                    f"pair {i} turns {angle[i]:.4f} per position, trained was {wanted[i]:.4f}"
                )
        """
    ),
    stays_right={
        "the first pair is right": lambda i: close(
            _partial_wrong(i)[:, [0, 2]], _partial_right(i)[:, [0, 2]]
        ),
        "the dimensions that do not turn pass through": lambda i: close(
            _partial_wrong(i)[:, 4:], np.broadcast_to(i["x"][4:], (len(i["pos"]), 4))
        ),
        "turned vectors keep their length": lambda i: close(
            np.linalg.norm(_partial_wrong(i), axis=1), np.full(len(i["pos"]), np.linalg.norm(i["x"]))
        ),
        "position 0 leaves a vector as it is": lambda i: close(_partial_wrong({**i, "pos": [0]})[0], i["x"]),
    },
)
