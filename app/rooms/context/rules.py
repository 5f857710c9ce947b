"""The methods as NumPy code, with the present numbers written into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

from app.rooms.context.setting import Stage

_SAME = "m = 1.0  # cos and sin are not multiplied\n"


def source(stage: Stage) -> str:
    """Code that leaves ``plain``, ``inv_freq``, ``ratio`` and ``m`` of the chosen method."""
    core, method = stage.core, stage.chosen
    extension: Any = method.extension
    written = _RULES.get(method.key)
    rule = written(extension) if written else _given(stage)
    if hasattr(extension, "divisors"):
        rule = f"divisors = {_list(extension.divisors(core.d).tolist())}\n{rule}"
    return (
        "import math\n"
        "\n"
        "import numpy as np\n"
        "\n"
        f"d, base, trained, window = {core.d}, {core.base!r}, {core.trained}, {core.window}\n"
        "pair = np.arange(d // 2)\n"
        "plain = base ** (-2 * pair / d)  # (d / 2,), radians per position\n"
        f"\n# {method.title}: {extension.source}\n"
        f"{rule}"
        "ratio = inv_freq / plain\n"
    )


def _plain(extension: Any) -> str:
    return f"inv_freq = plain\n{_SAME}"


def _linear(extension: Any) -> str:
    return f"inv_freq = plain / {extension.factor!r}\n{_SAME}"


def _ntk(extension: Any) -> str:
    return (
        f"scale = {extension.factor!r}\n"
        "inv_freq = (base * scale ** (d / (d - 2))) ** (-2 * pair / d)\n"
        f"{_SAME}"
    )


def _dynamic(extension: Any) -> str:
    return (
        f"s, length = {extension.factor!r}, {extension.length}  # the present length, in tokens\n"
        "scale = s * max(length, trained) / trained - (s - 1)\n"
        "inv_freq = (base * scale ** (d / (d - 2))) ** (-2 * pair / d)\n"
        f"{_SAME}"
    )


def _yarn(extension: Any) -> str:
    rounded = "low, high = math.floor(low), math.ceil(high)  # whole pairs\n" if extension.truncate else ""
    return (
        f"s, beta_fast, beta_slow = {extension.factor!r}, {extension.beta_fast!r}, {extension.beta_slow!r}\n"
        "low, high = (\n"
        "    d * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(base))\n"
        "    for turns in (beta_fast, beta_slow)\n"
        ")\n"
        f"{rounded}"
        "start, end = max(low, 0), min(high, d - 1)\n"
        "gamma = np.clip((pair - start) / max(end - start, 0.001), 0, 1) if high >= 0 else np.ones(d // 2)\n"
        "inv_freq = (1 - gamma) * plain + gamma * plain / s\n"
        f"m = {_multiplier(extension)}\n"
    )


def _multiplier(extension: Any) -> str:
    if extension.attention_factor is not None:
        return f"{extension.attention_factor!r}  # given"
    above = 1.0 if extension.mscale is None else extension.mscale
    below = extension.mscale_all_dim or 0.0
    rule = "0.1 * math.log(s) + 1" if above == 1 else f"0.1 * {above!r} * math.log(s) + 1"
    return f"({rule}) / (0.1 * {below!r} * math.log(s) + 1)" if below else rule


def _llama3(extension: Any) -> str:
    return (
        f"s = {extension.factor!r}\n"
        f"low, high = {extension.low_freq_factor!r}, {extension.high_freq_factor!r}  # turns in training\n"
        "turns = trained * plain / (2 * np.pi)\n"
        "kept = np.clip((turns - low) / (high - low), 0, 1)\n"
        "inv_freq = kept * plain + (1 - kept) * plain / s\n"
        f"{_SAME}"
    )


def _longrope(extension: Any) -> str:
    m = (
        "m = math.sqrt(1 + math.log(s) / math.log(trained))"
        if extension.given_multiplier is None
        else f"m = {extension.given_multiplier!r}  # given"
    )
    return f"s = {extension.factor!r}\ninv_freq = plain / divisors  # {_named(extension)}\n{m}\n"


def _named(extension: Any) -> str:
    given = extension.long_factor if extension.which == "long" else extension.short_factor
    return f"the {extension.which} list" + ("" if given else " of Phi-3: no formula gives one")


def _larger(extension: Any) -> str:
    new = (
        "new_base = base ** (math.log(s * trained / (2 * math.pi)) / math.log(trained / (2 * math.pi)))\n"
        if extension.new_base is None
        else f"new_base = {extension.new_base!r}  # given\n"
    )
    given = f"s = {extension.factor!r}\n" if extension.new_base is None else ""
    return f"{given}{new}inv_freq = new_base ** (-2 * pair / d)\n{_SAME}"


_RULES: dict[str, Callable[[Any], str]] = {
    "none": _plain,
    "linear": _linear,
    "ntk": _ntk,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "llama3": _llama3,
    "longrope": _longrope,
    "base": _larger,
}


def _given(stage: Stage) -> str:
    # a method of the registry without a rule here: its frequencies are written as they are
    return f"inv_freq = {_list(stage.chosen.inv_freq.tolist())}\nm = {stage.chosen.multiplier!r}\n"


def _list(values: Sequence[float]) -> str:
    rows = fill(", ".join(repr(value) for value in values), 100, break_long_words=False)
    return "np.array([\n    " + rows.replace("\n", "\n    ") + "\n])"
