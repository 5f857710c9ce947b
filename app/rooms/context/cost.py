"""What a picture of the room `context` costs: known before anything large is computed."""

from __future__ import annotations

from typing import Any

from app.kit.budget import Cost
from app.rooms.context import heads
from app.rooms.context.methods import PLAIN, Core, method_of
from app.rooms.context.setting import Setting
from lab.context_extension import EXTENSIONS, turns_counted
from lab.context_extension.unseen import WIDEST

TOUCHES = 12
"""Numbers that each counted turn of a pair touches."""
LARGE_LISTS = 8
"""Lists as long as the turns of one pair that stand side by side."""


def cost(**state: Any) -> Cost:
    """Turns of slow pairs in the window, over all methods whose new angles are counted.

    A picture of scores takes as much whatever the window is: a point for each of 200 blocks of distance.
    """
    setting = Setting.of(**state)
    core = heads.core_of(setting.core.factor) if setting.show == "heads" else setting.core
    if max(core.trained, core.window) > WIDEST:
        return Cost()  # which the lab refuses by itself, in words of its own
    counted = {PLAIN, setting.method}
    if setting.show == "angles" and setting.overlay == "all":
        counted |= set(EXTENSIONS)
    turns = [_turns(core, key) for key in counted]
    longest = max(most for _, most in turns)
    return Cost(
        operations=TOUCHES * sum(total for total, _ in turns),
        bytes=8 * LARGE_LISTS * longest,
        lower="the factor or the head width d, or draw one method and plain",
    )


def _turns(core: Core, key: str) -> tuple[float, float]:
    """All turns that a method's new angles take to count, and the most of one pair."""
    method = method_of(core, key)
    if method.error:
        return 0.0, 0.0
    turns = turns_counted(method.inv_freq, method_of(core, PLAIN).inv_freq, core.trained, core.window)
    return float(turns.sum()), float(turns.max())
