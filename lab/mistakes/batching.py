"""Mistakes made where sequences of unequal length share a batch: padding and packing."""

from __future__ import annotations

import numpy as np

from lab.attention import BoolArray, causal_mask
from lab.mistakes.base import Detector, Inputs, Mistake, close, freeze
from lab.mistakes.tiny import TinyModel
from lab.notation import FloatArray
from lab.packing import pack, packed_mask
from lab.positions.learned import mask_positions

# left padding without positions, and without mask


def _padding_witness() -> Inputs:
    return freeze(
        model=TinyModel.draw("learned", seed=0),
        rope_model=TinyModel.draw("rope", seed=0),
        ids=np.array([3, 4, 5]),
        pads=2,
        pad_id=0,
    )


def _padded_logits(inputs: Inputs, *, count_tokens: bool, hide_pads: bool) -> FloatArray:
    ids = np.concatenate([np.full(inputs["pads"], inputs["pad_id"]), inputs["ids"]])
    indices = np.arange(len(ids))
    real = indices >= inputs["pads"]
    pos = mask_positions(real) if count_tokens else indices
    mask = causal_mask(indices, indices)
    last: FloatArray = inputs["model"].logits(ids, pos, mask & real if hide_pads else mask)[-1]
    return last


def _padding_right(inputs: Inputs) -> FloatArray:
    return _padded_logits(inputs, count_tokens=True, hide_pads=True)


def _padding_wrong(inputs: Inputs) -> FloatArray:
    return _padded_logits(inputs, count_tokens=False, hide_pads=True)


def _rope_shift_cancels(inputs: Inputs) -> bool:
    rope = {**inputs, "model": inputs["rope_model"]}
    return close(_padding_wrong(rope), rope["model"].logits(inputs["ids"])[-1])


PADDING = Mistake(
    key="padding",
    title="Left padding without positions, or without a mask",
    symptom_tags=("batch",),
    why=(
        "Shorter prompts of a batch are padded in front. The first real token must still stand at position "
        "0 and the padding must be hidden from attention. With either forgotten, what a model says to a "
        "prompt depends on the longest prompt beside it."
    ),
    source="GPT-2 with learned positions, against position ids counted from the attention mask",
    witness=_padding_witness,
    right=_padding_right,
    wrong=_padding_wrong,
    others={
        "right positions, no mask": lambda i: _padded_logits(i, count_tokens=True, hide_pads=False),
        "neither": lambda i: _padded_logits(i, count_tokens=False, hide_pads=False),
    },
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(last_logits, inputs):
            alone = inputs["model"].logits(inputs["ids"])[-1]
            for pads in (0, 1, inputs["pads"], 7):
                gap = np.abs(last_logits({**inputs, "pads": pads}) - alone).max()
                if gap > 1e-9:
                    raise DetectorFailed(f"padding of length {pads} changes a logit by {gap:.3f}")
        """
    ),
    stays_right={
        "without padding the logits are right": lambda i: close(
            _padding_wrong({**i, "pads": 0}), i["model"].logits(i["ids"])[-1]
        ),
        "under RoPE the same positions change nothing: a shift cancels": _rope_shift_cancels,
        "the right mask alone hides what the padding is": lambda i: close(
            _padding_wrong(i), _padding_wrong({**i, "pad_id": 7})
        ),
    },
)


# padding masked by value, where pad is the end token


def _value_witness() -> Inputs:
    ids = np.array([[5, 6, 0, 0, 0], [7, 8, 9, 4, 0], [3, 0, 0, 0, 0]])
    return freeze(ids=ids, lengths=np.array([3, 5, 2]), pad_id=0)


def _value_right(inputs: Inputs) -> FloatArray:
    targets = np.arange(1, inputs["ids"].shape[1])
    counted: BoolArray = targets < inputs["lengths"][:, None]  # (B,) -> (B, T - 1)
    return counted.astype(np.float64)


def _value_wrong(inputs: Inputs) -> FloatArray:
    counted: BoolArray = inputs["ids"][:, 1:] != inputs["pad_id"]
    return counted.astype(np.float64)


def _no_padding_counts(inputs: Inputs) -> bool:
    return not (_value_wrong(inputs) > _value_right(inputs)).any()


def _inner_targets_count(inputs: Inputs) -> bool:
    targets = np.arange(1, inputs["ids"].shape[1])
    inner = targets < inputs["lengths"][:, None] - 1
    return bool(_value_wrong(inputs)[inner].all())


PAD_VALUE = Mistake(
    key="pad_value",
    title="Padding masked by value, where pad is the end token",
    symptom_tags=("endless",),
    why=(
        "Models without a padding token reuse the end token. Leaving every target of that id out of the loss "
        "also drops the one real end of each text, and the model never learns to stop. Only the length "
        "tells an end from padding."
    ),
    source="decoder-only models that set the padding token to the end token",
    witness=_value_witness,
    right=_value_right,
    wrong=_value_wrong,
    detector=Detector(
        """
        from lab.mistakes.base import DetectorFailed


        def detect(loss_weights, inputs):
            weights = loss_weights(inputs)
            for row, length in enumerate(inputs["lengths"]):
                # the last real target is the end token, at index length - 1
                if weights[row, length - 2] != 1:
                    raise DetectorFailed(f"sequence {row + 1}: its end token does not count")
                if weights[row].sum() != length - 1:
                    raise DetectorFailed(
                        f"sequence {row + 1}: {weights[row].sum():.0f} of {length - 1} targets count"
                    )
        """
    ),
    stays_right={
        "no padding counts": _no_padding_counts,
        "every target before the end counts": _inner_targets_count,
    },
)


# packed documents without a reset


def _packed_witness() -> Inputs:
    return freeze(
        model=TinyModel.draw("learned", seed=0), documents=(np.array([1, 2, 3, 4]), np.array([5, 6, 7]))
    )


def attend_packed(inputs: Inputs, *, restart: bool, separate: bool) -> tuple[FloatArray, FloatArray]:
    """Run documents packed into one sequence; return its logits and the weights of the first head.

    Parameters
    ----------
    inputs : mapping
        A ``model``, and the ``documents`` as arrays of ids.
    restart, separate : bool
        Whether positions begin again in each document, and whether each has a mask of its own.

    Examples
    --------
    >>> logits, weights = attend_packed(PACKED.witness(), restart=True, separate=True)
    >>> logits.shape, weights.shape
    ((7, 12), (7, 7))
    """
    documents = inputs["documents"]
    packed = pack([len(document) for document in documents], restart=restart)
    mask = packed_mask(packed.documents, causal=True, separate=separate)
    ids, model = np.concatenate(documents), inputs["model"]
    return model.logits(ids, packed.pos, mask), model.attend(ids, packed.pos, mask).weights[0]


def _first_document_right(inputs: Inputs) -> bool:
    first = inputs["documents"][0]
    got = attend_packed(inputs, restart=False, separate=False)[0][: len(first)]
    return close(got, inputs["model"].logits(first))


PACKED = Mistake(
    key="packed",
    title="Packed documents without a reset",
    symptom_tags=("batch", "leak"),
    why=(
        "Two documents share a sequence to fill it. Under a causal mask only, the second reads the first, "
        "and its positions go on counting. Each needs a mask of its own, and positions that begin again."
    ),
    source="sequence packing, as in Krell et al. 2021, arXiv:2107.02027",
    witness=_packed_witness,
    right=lambda inputs: attend_packed(inputs, restart=True, separate=True)[0],
    wrong=lambda inputs: attend_packed(inputs, restart=False, separate=False)[0],
    others={
        "positions begin again, no mask": lambda i: attend_packed(i, restart=True, separate=False)[0],
        "masked, positions run on": lambda i: attend_packed(i, restart=False, separate=True)[0],
    },
    detector=Detector(
        """
        import numpy as np

        from lab.mistakes.base import DetectorFailed


        def detect(packed_logits, inputs):
            logits, start = packed_logits(inputs), 0
            for number, document in enumerate(inputs["documents"], start=1):
                alone = inputs["model"].logits(document)
                gap = np.abs(logits[start : start + len(document)] - alone).max()
                if gap > 1e-9:
                    raise DetectorFailed(
                        f"document {number} changes by {gap:.3f} when it is packed behind another"
                    )
                start += len(document)
        """
    ),
    stays_right={
        "the first document is right": _first_document_right,
        "the weights of each query add up to 1": lambda i: close(
            attend_packed(i, restart=False, separate=False)[1].sum(axis=1),
            np.ones(sum(len(document) for document in i["documents"])),
        ),
        "no token sees what comes later": lambda i: (
            not np.triu(attend_packed(i, restart=False, separate=False)[1], 1).any()
        ),
    },
)
