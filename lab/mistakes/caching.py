"""Mistakes in decoding with cached keys: positions off by one, and keys of an earlier base."""

from __future__ import annotations

import numpy as np

from lab.context_extension import DynamicNtk
from lab.mistakes.base import Detector, Inputs, Mistake, close, freeze
from lab.notation import FloatArray, IntArray
from lab.positions import Rope
from lab.query_key import draw_q_k, scores_at

HALF = Rope(8, pairing="half")

# cache position off by one


def past_lengths(prompt: int, steps: int, late: int = 0) -> IntArray:
    """Return how many tokens the cache is said to hold before the prompt and before each token after it.

    Parameters
    ----------
    prompt, steps : int
        Tokens of the prompt, and tokens decoded one by one.
    late : int
        By how much the count is off once there is a cache.

    Examples
    --------
    >>> past_lengths(9, 3), past_lengths(9, 3, late=1)
    (array([ 0,  9, 10, 11]), array([ 0, 10, 11, 12]))
    """
    return np.concatenate([[0], prompt + late + np.arange(steps)])


def _cache_witness() -> Inputs:
    q, k = draw_q_k(8, seed=0)
    return freeze(q=q, k=k, prompt=9, steps=16)


def _decode(inputs: Inputs, q_late: int, k_late: int) -> FloatArray:
    decoded = past_lengths(inputs["prompt"], inputs["steps"], q_late)[1:]
    last_key = np.full(len(decoded), inputs["prompt"] - 1 + k_late)
    return scores_at(HALF, inputs["q"], inputs["k"], decoded, last_key)


def _lengths_before_and_after(x: FloatArray, pos: IntArray) -> tuple[FloatArray, FloatArray]:
    rows = np.broadcast_to(x, (len(pos), len(x)))
    return np.linalg.norm(rows, axis=1), np.linalg.norm(HALF.rotate(rows, pos), axis=1)


CACHE = Mistake(
    key="cache",
    title="Cache position off by one",
    symptom_tags=("cache", "drift"),
    why=(
        "After a prompt of 9 tokens the next one stands at position 9. Counted as 10, it is one step too "
        "far from every cached key. If the keys are late by one as well, all distances are right again: "
        "scores cannot show it, a table of learned positions can."
    ),
    source="decoding with a key cache; only the distance counts, arXiv:2104.09864, equation 16",
    witness=_cache_witness,
    right=lambda inputs: _decode(inputs, 0, 0),
    wrong=lambda inputs: _decode(inputs, 1, 0),
    others={"queries and keys both one late: invisible to scores": lambda inputs: _decode(inputs, 1, 1)},
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed
        from lab.positions import Rope


        def detect(decode, inputs):
            # cached decoding must equal one pass over the whole sequence
            prompt, T = inputs["prompt"], inputs["prompt"] + inputs["steps"]
            rope = Rope(len(inputs["q"]), pairing="half")
            q = rope.rotate(np.tile(inputs["q"], (T, 1)), np.arange(T))
            k = rope.rotate(np.tile(inputs["k"], (T, 1)), np.arange(T))
            wanted = q[prompt:] @ k[prompt - 1]
            gap = np.abs(decode(inputs) - wanted)
            if gap.max() > 1e-9:
                raise DetectorFailed(
                    f"decoding differs from the full pass by up to {gap.max():.3f}, "
                    f"first at position {prompt + (gap > 1e-9).argmax():,}"
                )
        """
    ),
    stays_right={
        "positions go up by one per token": lambda i: bool(
            (np.diff(past_lengths(i["prompt"], i["steps"], 1)[1:]) == 1).all()
        ),
        "turned queries keep their length": lambda i: close(
            *_lengths_before_and_after(i["q"], past_lengths(i["prompt"], i["steps"], 1))
        ),
        "with the keys one late too, every score is right": lambda i: close(
            _decode(i, 1, 1), _decode(i, 0, 0)
        ),
    },
)


# dynamic NTK with stale keys


def _stale_witness() -> Inputs:
    q, k = draw_q_k(8, seed=0)
    return freeze(
        q=q,
        k=k,
        factor=2.0,
        trained=2048,
        cached_at=2049,
        length=4096,
        q_pos=4095,
        k_pos=np.arange(0, 2049, 4),
    )


def _dynamic(inputs: Inputs, length: int) -> Rope:
    extension = DynamicNtk(factor=inputs["factor"], trained=inputs["trained"], length=length)
    return Rope(len(inputs["q"]), pairing="half", extension=extension)


def _score_keys(inputs: Inputs, key_length: int) -> FloatArray:
    keys = np.broadcast_to(inputs["k"], (len(inputs["k_pos"]), len(inputs["k"])))
    k = _dynamic(inputs, key_length).rotate(keys, inputs["k_pos"])
    q = _dynamic(inputs, inputs["length"]).rotate([inputs["q"]], [inputs["q_pos"]])[0]
    scores: FloatArray = k @ q
    return scores


def _stale_right(inputs: Inputs) -> FloatArray:
    return _score_keys(inputs, inputs["length"])


def _stale_wrong(inputs: Inputs) -> FloatArray:
    return _score_keys(inputs, inputs["cached_at"])


def _within_training(inputs: Inputs) -> bool:
    short = {**inputs, "length": inputs["trained"], "cached_at": 100, "q_pos": inputs["trained"] - 1}
    return close(_stale_wrong(short), _stale_right(short))


STALE = Mistake(
    key="stale",
    title="Dynamic NTK with stale keys",
    symptom_tags=("limit", "cache", "drift"),
    why=(
        "Dynamic NTK changes the base as the text grows past the trained length. A key that was rotated and "
        "cached under an earlier base does not fit a query under the present one. Cache keys unrotated, or "
        "rotate all of them again."
    ),
    source="Peng et al. 2023, arXiv:2309.00071, section 3.3, on caching",
    witness=_stale_witness,
    right=_stale_right,
    wrong=_stale_wrong,
    detector=Detector(
        """
        import numpy as np

        from lab.context_extension import DynamicNtk
        from lab.mistakes.base import DetectorFailed
        from lab.positions import Rope


        def detect(cached_scores, inputs):
            # cached decoding must equal a full recomputation at the present length
            now = DynamicNtk(
                factor=inputs["factor"], trained=inputs["trained"], length=inputs["length"]
            )
            rope = Rope(len(inputs["q"]), pairing="half", extension=now)
            away = inputs["q_pos"] - inputs["k_pos"]
            wanted = rope.score_by_distance(inputs["q"], inputs["k"], away).total
            gap = np.abs(cached_scores(inputs) - wanted)
            if gap.max() > 1e-9:
                n = inputs["k_pos"][gap.argmax()]
                raise DetectorFailed(f"the cached key at {n:,} scores {gap.max():.3f} off")
        """
    ),
    stays_right={
        "up to the trained length every score is right": _within_training,
        "the key at position 0 has the right score": lambda i: close(
            _stale_wrong({**i, "k_pos": np.array([0])}), _stale_right({**i, "k_pos": np.array([0])})
        ),
        "the fastest pair keeps its frequency": lambda i: bool(
            _dynamic(i, i["cached_at"]).inv_freq[0] == _dynamic(i, i["length"]).inv_freq[0]
        ),
    },
)
