"""What the equations of several figures of the room `gradient` share, and the names of the rules."""

from __future__ import annotations

from app.kit.formula import Formula
from app.kit.html import number
from app.rooms.gradient.model import WORDS
from app.rooms.gradient.model.pull import LEARNING_RATES
from app.rooms.gradient.model.run import Run
from lab.row_optimizers import ROW_OPTIMIZERS

SHORT = {"sgd": "SGD", "momentum": "momentum", "adam": "Adam", "adamw": "AdamW", "lazy_adam": "lazy Adam"}
"""The name of a rule inside a sentence."""
_RULES = {
    "sgd": r"E_v \leftarrow E_v - \eta\, g_v",
    "momentum": r"u_v \leftarrow \mu u_v + g_v \qquad E_v \leftarrow E_v - \eta\, u_v",
    "adam": r"m_v \leftarrow \beta_1 m_v + (1 - \beta_1) g_v \qquad "
    r"E_v \leftarrow E_v - \eta\, \hat m_v / (\sqrt{\hat s_v} + \epsilon)",
    "adamw": r"E \leftarrow (1 - \eta\lambda) E \qquad \text{then Adam}",
    "lazy_adam": r"\text{Adam, only for } v \in \mathrm{ids}",
}
_WHERE_TIED = {"adamw": "decays", "lazy_adam": "whole"}
"""What is said of these rules where every row has a gradient."""


def gradient(tied: bool, filled: str = "") -> Formula:
    """The gradient of a row, with the output layer's part where the table is tied."""
    output = r" + \sum_{t} (\pi_{t,v} - y_{t,v})\, h_t" if tied else ""
    whole = r" + (\pi - y)^{\top} h" if tied else ""
    return Formula(
        rf"\frac{{\partial L}}{{\partial E_v}} = \sum_{{t\,:\,\mathrm{{id}}_t = v}} G_t{output}"
        rf"\qquad \frac{{\partial L}}{{\partial E}} = \mathrm{{onehot}}(\mathrm{{ids}})^{{\top}} G{whole}",
        filled,
        WORDS.raw("formula.both" if tied else "formula.empty"),
    )


def shares(run: Run) -> str:
    """Where p_i comes from."""
    share = r"\mathrm{count}_i / \mathrm{total}" if run.source.counted else "i^{-s}"
    if not run.s.subsample:
        return rf"\qquad p_i {'=' if run.source.counted else chr(92) + 'propto'} {share}"
    return rf"\qquad f_i \propto {share} \qquad p_i \propto f_i \min\left(1, \sqrt{{t / f_i}}\right)"


def rule(key: str, tied: bool, filled: str = "") -> Formula:
    """The update of a rule with its rate, and what it does to a row without a gradient."""
    latex, said = _RULES[key], key
    if tied:
        said = _WHERE_TIED.get(key, "tied")
        latex = r"\text{Adam, only for rows with a gradient}" if key == "lazy_adam" else latex
    title, rate = ROW_OPTIMIZERS[key].title, number(LEARNING_RATES[key])
    return Formula(latex, rf"\eta = {rate}{filled}", f"{title}. {WORDS.raw(f'rule.{said}')}")
