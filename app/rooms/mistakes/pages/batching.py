"""Pages of the mistakes made where sequences share a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.kit.formula import Formula
from app.kit.html import Markup, counted, join, number
from app.kit.matrix import matrix, verdict
from app.kit.shares import percent
from app.rooms.mistakes.pages.base import RIGHT, WRONG, Page, Reading, Run, at_cursor, latex
from app.rooms.mistakes.pages.snippets import model_code
from app.rooms.mistakes.state import LARGEST_ID, PACKED
from lab.notation import check_ids
from lab.packing import attention_across, pack
from lab.positions.learned import fairseq_positions, mask_positions

NO_MASK, NEITHER = "right positions, no mask", "neither"
NO_MASK_PACKED, RUN_ON = "positions begin again, no mask", "masked, positions run on"
LIMIT = 512
FAIRSEQ_PAD = 1


class Padding(Page):
    """Left padding without positions, or without a mask."""

    key = "padding"
    uses = ("scheme",)
    cursor = "length"
    slider = "Padding in front, in tokens"
    what = "largest change of a logit"
    start = 2

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """The same prompt in a model with learned positions or with RoPE."""
        made = self.witness()
        return {"model": made["model" if numbers["scheme"] == "learned" else "rope_model"]}

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """The largest change of a logit in every version."""
        pads = int(run.symptom.x[place])
        inputs = {**run.inputs, "pads": pads}
        alone = run.inputs["model"].logits(run.inputs["ids"])[-1]
        named = (
            ("right", RIGHT, "positions counted from the mask"),
            ("no positions", WRONG, "mask right, padding counted"),
            ("no mask", NO_MASK, "positions right, padding seen"),
            ("neither", NEITHER, "padding counted and seen"),
        )
        made = []
        for name, version, note in named:
            change = float(abs(run.version(version)(inputs) - alone).max())
            # sums in another order differ in their last bit
            made.append(Reading(name, number(change if change > 1e-12 else 0.0, 3), note, version))
        return made

    def detail(self, run: Run, place: int) -> Markup:
        """Mask and positions of the padded prompt; fairseq's way to count."""
        pads, ids = int(run.symptom.x[place]), run.inputs["ids"].tolist()
        mask = [0] * pads + [1] * len(ids)
        rows = [mask, mask_positions(mask).tolist(), list(range(len(mask)))]
        told = matrix(
            rows,
            title=f"The prompt {', '.join(map(str, ids))} behind its padding",
            under="positions of padding do not matter where the mask is right",
            rows=("mask", "positions, right", "positions, wrong"),
            columns=["pad"] * pads + [str(i) for i in ids],
            marked_cells=[(2, j) for j in range(pads, len(mask)) if rows[1][j] != rows[2][j]],
            signed=False,
        )
        behind = [[FAIRSEQ_PAD] * 2 + [7, 8, 9], [7, 8, 9] + [FAIRSEQ_PAD] * 2]
        numbered = fairseq_positions(behind, FAIRSEQ_PAD).tolist()
        needed = int(fairseq_positions([7] * LIMIT, FAIRSEQ_PAD).max()) + 1
        note = (
            f"Read a checkpoint’s own rule first. fairseq and RoBERTa count from the padding id, here "
            f"{FAIRSEQ_PAD}: the ids {behind[0]} stand at {numbered[0]} and {behind[1]} at {numbered[1]}, so "
            f"{LIMIT} tokens need {needed} rows."
        )
        return join([told, verdict(note)])

    def says(self, run: Run, place: int) -> str:
        """What the padding in front does to the logits."""
        _, wrong = at_cursor(run, place)
        change = f"changes a logit by up to {number(wrong)}" if wrong > 1e-12 else "changes no logit"
        return (
            f"Padding of length {number(run.symptom.x[place])} in front of the prompt, counted as positions, "
            f"{change}; counted from the mask it changes none."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """Positions out of the mask."""
        pads = int(run.symptom.x[place])
        mask = [0] * pads + [1] * len(run.inputs["ids"])
        shown = ["–"] * pads + [str(p) for p in mask_positions(mask).tolist()[pads:]]
        return (
            Formula(
                r"p_t = \sum_{s \leq t} \mathrm{mask}_s - 1",
                rf"\mathrm{{mask}} = [{', '.join(map(str, mask))}] \;\to\; p = [{', '.join(shown)}]",
                "Where the mask is 0 the position does not matter: no query looks there.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """The last logits behind padding of every length."""
        return (
            model_code(numbers["scheme"])
            + """
def last_logits(pads, count_tokens):
    ids = np.array([0] * pads + [3, 4, 5])
    places = np.arange(len(ids))
    real = places >= pads
    pos = np.maximum(np.cumsum(real) - 1, 0) if count_tokens else places
    mask = (places <= places[:, None]) & real
    return block(ids, pos, mask)[0][-1] @ E.T


alone = last_logits(0, True)
right, wrong = (
    np.array([np.abs(last_logits(pads, count) - alone).max() for pads in range(9)])
    for count in (True, False)
)
"""
        )


class PadValue(Page):
    """Padding masked by value, where pad is the end token."""

    key = "pad_value"
    uses = ("pad",)

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """The same sequences, padded with the end token or with a token that stands nowhere else."""
        if numbers["pad"] == "end":
            return {}
        made = self.witness()
        rows = [
            [token if place < length else LARGEST_ID for place, token in enumerate(row)]
            for row, length in zip(made["ids"].tolist(), made["lengths"].tolist(), strict=True)
        ]
        return {"ids": check_ids(rows, LARGEST_ID + 1), "pad_id": LARGEST_ID}

    @staticmethod
    def _ends(run: Run, values: Any) -> int:
        return sum(int(values[i, n - 2]) for i, n in enumerate(run.inputs["lengths"].tolist()))

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """How many targets count, and how many of them are ends."""
        sequences = len(run.inputs["ids"])
        return [
            Reading(
                f"{version}, targets that count",
                number(float(run.values(version).sum())),
                f"{self._ends(run, run.values(version))} of {sequences} ends",
                version,
            )
            for version in (RIGHT, WRONG)
        ]

    def says(self, run: Run, place: int) -> str:
        """How many ends the loss sees."""
        sequences = len(run.inputs["ids"])
        wrong, right = (self._ends(run, run.values(version)) for version in (WRONG, RIGHT))
        return (
            f"Masked by value, the end counts in the loss in {wrong} of {sequences} sequences; masked by "
            f"length, in {right}."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """The weight of a target."""
        counted = [
            rf"[{', '.join(number(w) for w in run.values(version)[0].tolist())}]"
            for version in (RIGHT, WRONG)
        ]
        return (
            Formula(
                r"w_t = [\, t < n \,], \qquad \text{not} \quad w_t = [\, \mathrm{id}_t \neq \mathrm{pad} \,]",
                rf"\text{{sequence 1, }} n = {run.inputs['lengths'][0]}\text{{: }} w = {counted[0]}, \qquad "
                rf"\text{{by value }} {counted[1]}",
                "n is the length with the end token. The first token is no target.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Weights by length and by value."""
        run = {**self.witness(), **self.inputs(**numbers)}
        return f"""ids = np.array({run["ids"].tolist()})
lengths, pad = np.array({run["lengths"].tolist()}), {run["pad_id"]}
targets = np.arange(1, ids.shape[1])
right = (targets < lengths[:, None]).astype(float)  # (B,) -> (B, T - 1)
wrong = (ids[:, 1:] != pad).astype(float)
"""


class Packed(Page):
    """Packed documents without a reset."""

    key = "packed"
    uses = ("first",)

    def inputs(self, **numbers: Any) -> Mapping[str, Any]:
        """Seven tokens cut into two documents at another place."""
        first = numbers["first"]
        ids = check_ids(range(1, PACKED + 1), LARGEST_ID + 1)
        return {"documents": (ids[:first], ids[first:])}

    def reads(self, run: Run, place: int) -> Sequence[Reading]:
        """The largest change of a logit of the second document, and what it reads of the first."""
        lengths = [len(document) for document in run.inputs["documents"]]
        right = run.values(RIGHT)
        across = attention_across([run.symptom.wrong], pack(lengths, restart=True).documents)[0]
        made = [
            Reading(
                name,
                number(float(abs(run.values(version) - right).max())),
                "largest change of a logit",
                version,
            )
            for name, version in (
                ("neither reset", WRONG),
                ("no mask", NO_MASK_PACKED),
                ("positions run on", RUN_ON),
            )
        ]
        share = float(across[lengths[0] :].mean())
        return [
            *made,
            Reading("read across", percent(share), "of document 2’s attention, this head"),
        ]

    def says(self, run: Run, place: int) -> str:
        """What the second document reads, and what that changes."""
        first, second = (len(document) for document in run.inputs["documents"])
        change = float(abs(run.values(WRONG) - run.values(RIGHT)).max())
        return (
            f"A document of {first} and one of {counted(second, 'token')} share a sequence: without a reset "
            f"the second reads the first, and a logit changes by up to {number(change)}."
        )

    def formula(self, run: Run, place: int) -> tuple[Formula, ...]:
        """Who may see whom, and where each stands."""
        lengths = [len(document) for document in run.inputs["documents"]]
        restart, run_on = (pack(lengths, restart=on).pos.tolist() for on in (True, False))
        t, s = sum(lengths) - 1, 0
        seen = float(run.symptom.wrong[t, s])
        return (
            Formula(
                r"M_{t,s} = [\, s \leq t \,] \, [\, \mathrm{doc}_s = \mathrm{doc}_t \,], \qquad "
                r"p_t = t - \mathrm{start}(\mathrm{doc}_t)",
                rf"p = [{', '.join(map(str, restart))}] \quad \text{{not}} \quad "
                rf"[{', '.join(map(str, run_on))}], \qquad A_{{{t},{s}}} = 0 \quad \text{{not}} \quad "
                rf"{latex(seen)}",
                "t and s are positions in the packed sequence, from 0.",
            ),
        )

    def code(self, **numbers: Any) -> str:
        """Attention weights of the first head with both resets, and with none."""
        first = numbers["first"]
        return (
            model_code("learned")
            + f"""
ids = np.arange(1, {PACKED + 1})
document = np.repeat([0, 1], [{first}, {PACKED - first}])
places = np.arange({PACKED})
restarted = np.concatenate([np.arange({first}), np.arange({PACKED - first})])
causal = places <= places[:, None]
right = block(ids, restarted, causal & (document == document[:, None]))[1][0]
wrong = block(ids, places, causal)[1][0]
"""
        )
