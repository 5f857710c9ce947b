"""Where a run of one's own is: its progress, and what it has come to."""

from __future__ import annotations

from typing import Any

from app.kit.html import Markup, tag
from app.kit.matrix import verdict
from app.rooms.train.history import finished
from app.rooms.train.live import LiveRun, Phase
from app.rooms.train.look import WORDS, settings
from app.rooms.train.model.stored import Losses, title_of
from app.rooms.train.work import Record


def _say(name: str, view: Any = None, **more: Any) -> str:
    return WORDS.say(f"run.{name}", view, **more)


def progress(live: LiveRun) -> Markup:
    """The bar and its words."""
    part = 1.0 if live.phase is Phase.FINISHED else live.record.part if live.record else 0.0
    return tag(
        "div",
        tag("span", tag("i", style=f"width:{part:.1%}"), class_="lab-train-track", aria_hidden="true"),
        tag("span", _progress(live, live.record)),
        class_="lab-train-progress",
        role="progressbar",
        aria_valuemin="0",
        aria_valuemax="100",
        aria_valuenow=f"{part * 100:.0f}",
        aria_label="Progress of your run",
    )


def _progress(live: LiveRun, record: Record | None) -> str:
    if record is None:
        return _say("idle")
    if live.phase is Phase.WAITING:
        return _say("queued")
    doing = _say("measuring") if record.measuring else _say("step", record)
    if live.phase is not Phase.TRAINING or live.seconds_left is None:
        return _say("step", record) if live.phase is not Phase.TRAINING else doing
    seconds = live.seconds_left
    time = (
        _say("seconds", n=max(1, round(seconds))) if seconds < 90 else _say("minutes", n=round(seconds / 60))
    )
    return _say("left", doing=doing, time=time)


def headline(view: Losses, live: LiveRun, limit: int) -> Markup:
    """Where the run of one's own is, in a sentence."""
    record = live.record
    if live.phase is Phase.FAILED:
        return verdict(_say("failed", reason=live.error), "bad")
    if record is None:
        other = settings(view.config, view.runs.config)
        said = _say("other" if other else "ready", view, settings=other)
        return verdict(said, "warn" if other else "")
    if live.phase is Phase.WAITING and live.ahead:
        others = live.ahead - 1
        turn = _say("ahead", others=others) if others else _say("next")
        return verdict(_say("wait", limit=limit, turn=turn), "warn")
    who = _who(view, record)
    if record.diverged:
        return verdict(_say("diverged", record.diverged, who=who), "bad")
    if live.phase is Phase.FINISHED and record.evaluation:
        return verdict(_result(view, record, who), "good")
    if live.phase in (Phase.PAUSED, Phase.STOPPED):
        return verdict(_say(live.phase.value, record, who=who))
    if record.curve:
        return verdict(_say("training", who=who, loss=record.curve[-1]))
    return verdict(_say("begins", who=who))


def _who(view: Losses, record: Record) -> str:
    config, text = record.config, _say("text") if record.own_text else ""
    other = settings(config, view.runs.config)
    return f"{title_of(config.scheme)}, seed {config.seed}{text}{f' ({other})' if other else ''}"


def _result(view: Losses, record: Record, who: str) -> str:
    done = finished(record)
    loss, losses = done.held_out or 0.0, record.run.losses if record.run else ()
    against = ""
    gap = done.difference_to_none(view.runs)
    if gap is not None and done.config.scheme != "none":
        against = f" {_say('below' if gap < 0 else 'above', gap=abs(gap))}"
    elif not done.compares_with(view.runs):
        against = _say("strange" if done.own_text else "unlike")
    last = max(1, len(losses) // 10)
    # far below the held-out text, the last batches were learned by heart
    batches = float(sum(losses[-last:])) / last
    below = (record.baselines or view.base).uniform - loss
    named = {"who": who, "loss": loss, "below": below, "against": against}
    return _say("result", **named, last=last, batches=batches, gap=loss - batches)
