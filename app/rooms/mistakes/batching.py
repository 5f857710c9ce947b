"""Mistakes made where sequences share a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.kit.html import Markup, join, number, tag
from app.kit.matrix import matrix, verdict
from app.kit.numbers import Table
from app.kit.shares import percent
from app.rooms.mistakes.mistake import SHARED, Curve, MistakeFigure, six
from app.rooms.mistakes.model import RIGHT, WRONG, Seen, largest
from app.rooms.mistakes.rows import LARGEST_ID
from app.rooms.mistakes.state import PACKED
from app.rooms.mistakes.versus import COLOURS
from lab.mistakes import Inputs
from lab.mistakes.batching import attend_packed
from lab.notation import check_ids
from lab.packing import attention_across, pack
from lab.positions.learned import fairseq_positions, mask_positions

NO_MASK, NEITHER = "right positions, no mask", "neither"
NO_MASK_PACKED, RUN_ON = "positions begin again, no mask", "masked, positions run on"
MOST_PADDING = 8
LIMIT = 512
FAIRSEQ_PAD = 1


class Padding(Curve):
    """Left padding without positions, or without a mask."""

    key, start = "padding", 2
    uses = (*SHARED, "scheme")
    law = r"p_t = \sum_{s \leq t} \mathrm{mask}_s - 1"

    def inputs(self, s: Any) -> Mapping[str, Any]:
        """The same prompt in a model with learned positions or with RoPE."""
        made = self.mistake.witness()
        return {"model": made["model" if s.scheme == "learned" else "rope_model"]}

    def along(self, inputs: Inputs) -> Any:
        return range(MOST_PADDING + 1)

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """The largest change of a logit behind padding of every length."""
        return [self.change(inputs, version, pads) for pads in self.along(inputs)]

    def change(self, inputs: Inputs, version: str, pads: int) -> float:
        """How much a version changes the last logits, at most."""
        alone = inputs["model"].logits(inputs["ids"])[-1]
        return largest(self.made({**inputs, "pads": pads}, version) - alone)

    def facts(self, view: Seen) -> Mapping[str, Any]:
        named = {"no_mask": NO_MASK, "neither": NEITHER}
        changes = {name: self.change(view.inputs, version, int(view.x)) for name, version in named.items()}
        return {**changes, "ids": ", ".join(map(str, view.inputs["ids"].tolist()))}

    def mask(self, view: Seen) -> list[int]:
        """1 for each token of the prompt, 0 for the padding before it."""
        return [0] * int(view.x) + [1] * len(view.inputs["ids"])

    def detail(self, view: Seen) -> Markup:
        """Mask and positions of the padded prompt; fairseq's way to count."""
        pads, mask = int(view.x), self.mask(view)
        right, wrong = mask_positions(mask).tolist(), list(range(len(mask)))
        told = matrix(
            [mask, right, wrong],
            title=self.say("small", view),
            under=self.say("under"),
            rows=("mask", "positions, right", "positions, wrong"),
            columns=["pad"] * pads + list(map(str, view.inputs["ids"].tolist())),
            marked_cells=[(2, j) for j in range(pads, len(mask)) if right[j] != wrong[j]],
            signed=False,
        )
        ids = [[FAIRSEQ_PAD] * 2 + [7, 8, 9], [7, 8, 9] + [FAIRSEQ_PAD] * 2]
        rows = int(fairseq_positions([7] * LIMIT, FAIRSEQ_PAD).max()) + 1
        numbered = {"ids": ids, "positions": fairseq_positions(ids, FAIRSEQ_PAD).tolist()}
        note = self.words.say("padding.fairseq", pad=FAIRSEQ_PAD, limit=LIMIT, rows=rows, **numbered)
        return join([told, verdict(note)])

    def says(self, view: Seen) -> str:
        return self.say("caption" if view.wrong else "same", view)

    def filled(self, view: Seen) -> str:
        mask, pads = self.mask(view), int(view.x)
        shown = ["–"] * pads + list(map(str, mask_positions(mask).tolist()[pads:]))
        return rf"\mathrm{{mask}} = [{', '.join(map(str, mask))}] \;\to\; p = [{', '.join(shown)}]"

    def lines(self, s: Any) -> str:
        return _model(s.scheme) + _PADDING


class Matrices(MistakeFigure):
    """A mistake that is read off two small matrices."""

    def names(self, view: Seen) -> list[str]:
        """What their rows are called."""
        raise NotImplementedError(self.key)  # pragma: no cover

    def picture(self) -> Sequence[Any]:
        return (self.matrices,)

    def head(self, view: Seen) -> Markup:
        """What they show; each matrix carries its name."""
        return tag("p", tag("b", self.say("picture", view)))

    def matrices(self, view: Seen) -> Markup:
        """Both versions on one colour scale, the chosen one put forward."""
        right, wrong = view.run.right, view.run.wrong
        named: dict[str, Any] = {
            "under": f"{self.say('y')} down, {self.say('x')} across",
            "rows": self.names(view),
            "columns": list(map(number, view.run.x)),
            "strongest": max(float(right.max()), float(wrong.max())),
        }
        # what one version lets through and the other does not
        differ = list(zip(*((right == 0) != (wrong == 0)).nonzero(), strict=True))
        shown = (
            matrix(right, title=RIGHT, digits=2, signed=False, **named),
            matrix(wrong, title=WRONG, digits=2, signed=False, marked_cells=differ, **named),
        )
        parts = (
            tag("div", one, class_=None if name == view.version else "lab-mistakes-behind")
            for name, one in zip(COLOURS, shown, strict=True)
        )
        return tag("div", *parts, class_="lab-mistakes-two")

    def table(self, view: Seen) -> list[Table]:
        names, columns = self.names(view), [self.say("y"), *map(number, view.run.x)]
        return [
            Table(
                f"{self.say('picture', view)}: {version}",
                columns,
                [[name, *row] for name, row in zip(names, values.tolist(), strict=True)],
            )
            for version, values in ((RIGHT, view.run.right), (WRONG, view.run.wrong))
        ]


class PadValue(Matrices):
    """Padding masked by value, where pad is the end token."""

    key, uses = "pad_value", (*Matrices.uses, "pad")
    law = r"w_t = [\, t < n \,], \qquad \text{not} \quad w_t = [\, \mathrm{id}_t \neq \mathrm{pad} \,]"

    def inputs(self, s: Any) -> Mapping[str, Any]:
        """The same sequences, padded with the end token or with a token that is nowhere else."""
        if s.pad == "end":
            return {}
        made = self.mistake.witness()
        rows = [
            [token if index < length else LARGEST_ID for index, token in enumerate(row)]
            for row, length in zip(made["ids"].tolist(), made["lengths"].tolist(), strict=True)
        ]
        return {"ids": check_ids(rows, LARGEST_ID + 1), "pad_id": LARGEST_ID}

    def along(self, inputs: Inputs) -> Any:
        return range(1, inputs["ids"].shape[1])

    def names(self, view: Seen) -> list[str]:
        return [" ".join(map(str, row)) for row in view.inputs["ids"].tolist()]

    def facts(self, view: Seen) -> Mapping[str, Any]:
        shown, ends = (view.run.right, view.run.wrong), list(enumerate(view.inputs["lengths"].tolist()))
        counted, by_value = (float(weights.sum()) for weights in shown)
        right, wrong = (sum(int(weights[row, n - 2]) for row, n in ends) for weights in shown)
        return {"counted": counted, "by_value": by_value, "right": right, "wrong": wrong, "all": len(ends)}

    def filled(self, view: Seen) -> str:
        counted, by_value = (", ".join(map(number, w[0].tolist())) for w in (view.run.right, view.run.wrong))
        return (
            rf"\text{{sequence 1, }} n = {view.inputs['lengths'][0]}\text{{: }} w = [{counted}], \qquad "
            rf"\text{{by value }} [{by_value}]"
        )

    def lines(self, s: Any) -> str:
        made = {**self.mistake.witness(), **self.inputs(s)}
        return _PAD_VALUE.format(
            ids=made["ids"].tolist(), lengths=made["lengths"].tolist(), pad=made["pad_id"]
        )


class Packed(Matrices):
    """Packed documents without a reset."""

    key, uses = "packed", (*Matrices.uses, "first")
    law = (
        r"M_{t,s} = [\, s \leq t \,] \, [\, \mathrm{doc}_s = \mathrm{doc}_t \,], \qquad "
        r"p_t = t - \mathrm{start}(\mathrm{doc}_t)"
    )

    def inputs(self, s: Any) -> Mapping[str, Any]:
        """Seven tokens as two documents, the first of the length asked for."""
        ids = check_ids(range(1, PACKED + 1), LARGEST_ID + 1)
        return {"documents": (ids[: s.first], ids[s.first :])}

    def along(self, inputs: Inputs) -> Any:
        return range(PACKED)

    def drawn(self, inputs: Inputs, version: str) -> Any:
        """Attention weights of the first head."""
        reset = version == RIGHT
        return attend_packed(inputs, restart=reset, separate=reset)[1]

    def names(self, view: Seen) -> list[str]:
        return list(map(str, range(PACKED)))

    def facts(self, view: Seen) -> Mapping[str, Any]:
        first, outputs = view.s.first, view.run.outputs
        named = {"neither": WRONG, "no_mask": NO_MASK_PACKED, "run_on": RUN_ON}
        changes = {name: largest(outputs[version] - outputs[RIGHT]) for name, version in named.items()}
        documents = pack([first, PACKED - first], restart=True).documents
        across = percent(float(attention_across([view.run.wrong], documents)[0][first:].mean()))
        return {**changes, "first": first, "second": PACKED - first, "across": across}

    def filled(self, view: Seen) -> str:
        lengths, t = [view.s.first, PACKED - view.s.first], PACKED - 1
        restarted, run_on = (
            ", ".join(map(str, pack(lengths, restart=on).pos.tolist())) for on in (True, False)
        )
        return (
            rf"p = [{restarted}] \quad \text{{not}} \quad [{run_on}], \qquad "
            rf"A_{{{t},0}} = 0 \quad \text{{not}} \quad {six(float(view.run.wrong[t, 0]))}"
        )

    def lines(self, s: Any) -> str:
        return _model("learned") + _PACKED.format(T=PACKED, first=s.first, second=PACKED - s.first)


def _model(scheme: str) -> str:
    """NumPy lines of the lab's model of one block."""
    if scheme == "rope":
        return _ROWS + _ROTATE_PAIRS + _BLOCK.format(x="E[ids]", rotate=_ROTATED)
    return _ROWS + _BLOCK.format(x="E[ids] + P[pos]", rotate="")


_ROWS = """D, H, d = 16, 2, 8
E = np.random.default_rng([0, 12]).standard_normal((12, D)) / np.sqrt(D)
Wq, Wk, Wv = np.random.default_rng(0).standard_normal((3, D, D)) / np.sqrt(D)
P = np.random.default_rng(0).spawn(1)[0].standard_normal((64, D))


def heads(x):
    return x.reshape(len(x), H, d).swapaxes(0, 1)  # (T, D) -> (H, T, d)

"""
_ROTATE_PAIRS = """
def rotate(x, pos):  # pairs (2i, 2i + 1) as complex numbers
    turns = np.exp(1j * np.outer(pos, 10_000.0 ** (-np.arange(4) / 4)))
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * turns
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

"""
_ROTATED = "\n    q, k = rotate(q, pos), rotate(k, pos)"
_BLOCK = """
def block(ids, pos, mask):
    x = {x}
    q, k, v = heads(x @ Wq), heads(x @ Wk), heads(x @ Wv){rotate}
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(d), -np.inf)
    weights = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e9))
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)  # padding sees nothing
    return x + (weights @ v).swapaxes(0, 1).reshape(len(x), D), weights

"""
_PADDING = """
def last_logits(pads, count_tokens):
    ids = np.array([0] * pads + [3, 4, 5])
    index = np.arange(len(ids))
    real = index >= pads
    pos = np.maximum(np.cumsum(real) - 1, 0) if count_tokens else index
    mask = (index <= index[:, None]) & real
    return block(ids, pos, mask)[0][-1] @ E.T


alone = last_logits(0, True)
right, wrong = (
    np.array([np.abs(last_logits(pads, count) - alone).max() for pads in range(9)])
    for count in (True, False)
)
"""
_PAD_VALUE = """ids = np.array({ids})
lengths, pad = np.array({lengths}), {pad}
targets = np.arange(1, ids.shape[1])
right = (targets < lengths[:, None]).astype(float)  # (B,) -> (B, T - 1)
wrong = (ids[:, 1:] != pad).astype(float)
"""
_PACKED = """
ids = np.arange(1, {T} + 1)
document = np.repeat([0, 1], [{first}, {second}])
index = np.arange({T})
restarted = np.concatenate([np.arange({first}), np.arange({second})])
causal = index <= index[:, None]
right = block(ids, restarted, causal & (document == document[:, None]))[1][0]
wrong = block(ids, index, causal)[1][0]
"""
