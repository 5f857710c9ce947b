"""Where a run of one's own is: its progress, and what it has come to."""

from __future__ import annotations

from app.kit.html import Markup, counted, tag
from app.kit.matrix import verdict
from app.rooms.train.compute import View
from app.rooms.train.history import Finished, settings
from app.rooms.train.live import LiveRun, Phase
from app.rooms.train.stage import fixed, signed, title_of
from app.rooms.train.work import Record


def progress(live: LiveRun) -> Markup:
    """The bar and its words."""
    record = live.record
    part = record.part if record else 0.0
    if live.phase is Phase.FINISHED:
        part = 1.0
    return tag(
        "div",
        tag("span", tag("i", style=f"width:{part:.1%}"), class_="lab-train-track", aria_hidden="true"),
        tag("span", _said(live, record)),
        class_="lab-train-progress",
        role="progressbar",
        aria_valuemin="0",
        aria_valuemax="100",
        aria_valuenow=f"{part * 100:.0f}",
        aria_label="Progress of your run",
    )


def _said(live: LiveRun, record: Record | None) -> str:
    if record is None:
        return "no run yet"
    if live.phase is Phase.WAITING:
        return "waiting"
    steps = f"step {record.step:,} of {record.config.steps:,}"
    if live.phase is not Phase.TRAINING:
        return steps
    left = live.seconds_left
    words = "measuring the finished model" if record.measuring else steps
    return f"{words} · {_seconds(left)} left" if left is not None else words


def _seconds(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min"


def headline(view: View, live: LiveRun, limit: int) -> Markup:
    """Where the run of one's own is, in a sentence."""
    record = live.record
    if live.phase is Phase.FAILED:
        return verdict(f"Nothing was trained: {live.error}", "bad")
    if record is None:
        other = settings(view.config, view.runs.config)
        said = f"Start trains {_named(view)} for {counted(view.config.steps, 'step')}, here and now"
        stored = f"the {view.runs.held_out.size} runs made before"
        if other:
            return verdict(f"{said} ({other}). Until then you see {stored}, with other settings.", "warn")
        return verdict(f"{said}. Until then you see {stored}.")
    if live.phase is Phase.WAITING and live.ahead:
        others = live.ahead - 1
        ahead = "You are next." if not others else f"{_many(others, 'reader is', 'readers are')} before you."
        trains = _many(limit, "run trains", "runs train")
        return verdict(f"You wait for a free slot: {trains} here at once. {ahead}", "warn")
    return _headline_of(view, live, record)


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _named(view: View) -> str:
    return f"{title_of(view.config.scheme)} with seed {view.config.seed}"


def _headline_of(view: View, live: LiveRun, record: Record) -> Markup:
    who = f"{title_of(record.config.scheme)}, seed {record.config.seed}"
    if record.own_text:
        who += ", on your text"
    other = settings(record.config, view.runs.config)
    who = f"{who} ({other})" if other else who
    if record.diverged:
        found = record.diverged
        return verdict(
            f"{who}: the run diverged at step {found.step:,}: {found.reason}. Its losses stay in the figure; "
            "a smaller learning rate would have held it.",
            "bad",
        )
    if live.phase is Phase.PAUSED:
        taken = counted(record.step, "step")
        return verdict(f"{who}: paused after {taken}. Its slot is free for others meanwhile.")
    if live.phase is Phase.STOPPED:
        taken = counted(record.step, "step")
        return verdict(f"{who}: stopped after {taken}. What it had done stays in the figure.")
    if live.phase is Phase.FINISHED and record.evaluation:
        return _result(view, record, who)
    last = f" Held-out loss so far {fixed(record.curve[-1])}." if record.curve else ""
    return verdict(f"{who}: training.{last}")


def _result(view: View, record: Record, who: str) -> Markup:
    loss = record.evaluation.loss if record.evaluation else 0.0
    base = record.baselines or view.runs.baselines
    below = fixed(base.uniform - loss)
    said = f"{who}: {fixed(loss)} nats per character on held-out text, {below} below uniform"
    done = Finished(record.config, record.own_text, record.step, loss, "")
    difference = done.difference_to_none(view)
    if difference is not None and record.config.scheme != "none":
        side = "below" if difference < 0 else "above"
        said += f" and {fixed(abs(difference))} {side} the stored run without positions of the same seed"
    elif not done.compares_with(view):
        said += f"; the stored runs {'read another text' if record.own_text else 'had other settings'}"
    return verdict(f"{said}. {_gap(record, loss)}", "good")


def _gap(record: Record, held_out: float) -> str:
    """The last batches beside the held-out text: far below it they were learned by heart."""
    losses = record.run.losses if record.run else ()
    last = max(1, len(losses) // 10)
    batches = float(sum(losses[-last:])) / last
    return f"The last {counted(last, 'batch', 'batches')} had {fixed(batches)}: {signed(held_out - batches)}."
