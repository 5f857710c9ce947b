"""Mistakes in stretching a window: YaRN's factor twice, and no stretch at all."""

from __future__ import annotations

import numpy as np

from lab.context_extension import Linear, unseen_angles, yarn_multiplier
from lab.mistakes.base import Detector, Inputs, Mistake, close, freeze
from lab.notation import FloatArray
from lab.positions import Rope
from lab.positions.rope import plain_frequencies
from lab.query_key import draw_q_k

# YaRN's factor applied twice


def _yarn_witness() -> Inputs:
    q, k = draw_q_k(8, seed=0)
    return freeze(q=q, k=k, factors=2.0 ** np.arange(8), distances=np.arange(33))


def _multipliers(inputs: Inputs) -> FloatArray:
    return np.array([yarn_multiplier(float(factor)) for factor in inputs["factors"]])


def _logarithm_twice(inputs: Inputs) -> FloatArray:
    return np.array([yarn_multiplier(float(s), mscale=yarn_multiplier(float(s))) for s in inputs["factors"]])


def _squared(inputs: Inputs) -> FloatArray:
    squares: FloatArray = _multipliers(inputs) ** 2
    return squares


def _scores_scale(inputs: Inputs) -> bool:
    last = float(_squared(inputs)[-1])
    scaled = Rope(8, pairing="half", extension=lambda d, base: (plain_frequencies(d, base)[0], last))
    q, k, distances = inputs["q"], inputs["k"], inputs["distances"]
    plain = Rope(8, pairing="half").total_by_distance(q, k, distances)
    got = scaled.total_by_distance(q, k, distances)
    return bool((np.argsort(got) == np.argsort(plain)).all())


YARN_TWICE = Mistake(
    key="yarn_factor",
    title="YaRN's factor applied twice, or squared",
    symptom_tags=("sharp", "limit"),
    why=(
        "The factor 0.1 ln s + 1 multiplies cos and sin, so it is in q and in k: scores grow by its square "
        "already. Squaring it first, or putting it through the formula a second time, sharpens attention "
        "beyond what was trained. Always say which number is meant, the multiplier or the gain of the "
        "logits."
    ),
    source="Peng et al. 2023, arXiv:2309.00071, equation 22",
    witness=_yarn_witness,
    right=_multipliers,
    wrong=_squared,
    others={"put through the formula twice": _logarithm_twice},
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed
        from lab.positions import Rope
        from lab.positions.rope import plain_frequencies


        def detect(multiplier, inputs):
            q = inputs["q"]
            for s, m in zip(inputs["factors"], multiplier(inputs), strict=True):
                rope = Rope(len(q), extension=lambda d, base, m=m: (plain_frequencies(d, base)[0], m))
                gain = rope.score_by_distance(q, q, [0]).total[0] / (q @ q)
                wanted = (0.1 * np.log(s) + 1) ** 2
                if not np.isclose(gain, wanted, rtol=1e-9, atol=0):
                    raise DetectorFailed(
                        f"factor {s:g}: the logits grow {gain:.4f} times, not {wanted:.4f}"
                    )
        """
    ),
    stays_right={
        "factor 1 is right": lambda i: bool(_squared({**i, "factors": [1.0]})[0] == 1.0),
        "keys come in the right order of their scores": _scores_scale,
    },
)


# longer than trained


def _long_witness() -> Inputs:
    return freeze(d=64, base=10_000.0, trained=512, length=2048)


def _angles(inputs: Inputs, factor: float, length: int) -> FloatArray:
    rope = Rope(inputs["d"], inputs["base"], extension=Linear(factor=factor))
    return rope.pair_angles(np.arange(length))


def _long_right(inputs: Inputs) -> FloatArray:
    return _angles(inputs, max(1.0, inputs["length"] / inputs["trained"]), inputs["length"])


def _long_wrong(inputs: Inputs) -> FloatArray:
    return _angles(inputs, 1.0, inputs["length"])


LONGER = Mistake(
    key="longer",
    title="Longer than trained",
    symptom_tags=("limit", "drift"),
    why=(
        "A table of learned positions ends and says so. RoPE goes on without an error, into angles that "
        "slow pairs never reached in training. Stretch the window, or cut the text and say how much was "
        "cut. A larger configured length is no evidence that a model reads that far."
    ),
    source="Chen et al. 2023, arXiv:2306.15595, section 2.3",
    witness=_long_witness,
    right=_long_right,
    wrong=_long_wrong,
    others={"cut at the trained length, silently": lambda i: _angles(i, 1.0, min(i["trained"], i["length"]))},
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(angles_of, inputs):
            angles, T, trained = angles_of(inputs), inputs["length"], inputs["trained"]
            if len(angles) < T:
                raise DetectorFailed(f"{T - len(angles):,} of {T:,} tokens dropped, and nothing said so")
            theta = inputs["base"] ** (-2 * np.arange(inputs["d"] // 2) / inputs["d"])
            turned = trained * theta >= 2 * np.pi
            # a pair that never completed a turn has met the angles below trained * theta only
            new = (angles % (2 * np.pi) >= trained * theta * (1 - 1e-12)) & ~turned
            if new.any():
                first = new.any(axis=1).argmax()
                raise DetectorFailed(
                    f"from position {first:,} on, {new.any(axis=0).sum()} of {len(theta)} pairs reach "
                    "angles never met in training"
                )
        """
    ),
    stays_right={
        "no error is raised, every angle is a number": lambda i: bool(np.isfinite(_long_wrong(i)).all()),
        "inside the trained window every angle is as trained": lambda i: close(
            _long_wrong(i)[: i["trained"]], _angles(i, 1.0, i["trained"])
        ),
        "the fast pairs meet nothing new": lambda i: bool(
            unseen_angles([1.0], [1.0], i["trained"], i["length"]).total == 0
        ),
    },
)
