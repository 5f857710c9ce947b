"""A live run in an event loop: what it does, how it is held and stopped, and who waits for whom."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app import shell
from app.kit.document import Page
from app.kit.figure import Snapshot
from app.rooms.train import ROOM, status
from app.rooms.train import live as module
from app.rooms.train.history import Finished
from app.rooms.train.live import SLOTS, LiveRun, Phase, Slots, slots_of
from app.rooms.train.model.stored import Losses
from app.rooms.train.work import MEASURE_AT, SAMPLE_AT, Record, working
from lab.training import Corpus, TrainingConfig, baselines, evaluate, finish, train
from lab.training.evaluation import evaluating

TEXT = "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate.\n" * 40
CONFIG = TrainingConfig(T=8, D=16, H=2, steps=60, snapshot_every=6)
LONG = replace(CONFIG, steps=5000)


def defaults() -> Losses:
    return Losses(Snapshot(ROOM("").values()))


def corpus() -> Corpus:
    return Corpus.from_text(TEXT)


def made(limit: int = 1, **options: Any) -> tuple[LiveRun, list[Phase]]:
    phases: list[Phase] = []
    run = LiveRun(lambda: phases.append(run.phase), slots=Slots(limit), **options)
    return run, phases


async def until(wanted: Callable[[], Any], seconds: float = 60.0) -> None:
    """Let the loop turn until something holds."""
    end = time.perf_counter() + seconds
    while not wanted():
        assert time.perf_counter() < end, "it did not happen"
        await asyncio.sleep(0)


def played(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(story())  # type: ignore[arg-type]


def test_a_run_gives_what_the_lab_gives() -> None:
    """The room adds nothing: its losses and measurements are those of `train` with the same configuration."""

    async def story() -> None:
        live, phases = made()
        live.start(CONFIG, corpus)
        await until(lambda: live.phase is Phase.FINISHED)
        record = live.record
        assert record
        assert record.run
        assert record.evaluation
        assert record.long
        alone = train(CONFIG, corpus())
        losses = [step.loss for step in alone]
        np.testing.assert_array_equal(record.run.losses, losses)
        assert record.evaluation.loss == evaluate(alone.model, corpus()).loss
        assert record.baselines == baselines(corpus(), CONFIG.T)
        assert record.curve_steps == [0, *(round(60 * part) for part in MEASURE_AT)]
        assert record.curve[-1] == finish(evaluating(alone.model, corpus(), 256)).loss
        assert list(record.samples) == [round(60 * part) for part in SAMPLE_AT]
        assert all(len(text) == 100 for text in record.samples.values())
        assert [copy.step for copy in record.run.snapshots] == list(range(0, 61, 6))
        assert phases[0] is Phase.TRAINING
        assert phases[-1] is Phase.FINISHED

    played(story)


def test_pausing_loses_nothing_and_frees_the_slot() -> None:
    async def story() -> None:
        live, _ = made()
        live.start(replace(CONFIG, steps=400), corpus)
        await until(lambda: live.record and live.record.step > 20)
        live.pause()
        assert live.phase is Phase.PAUSED
        held = live.record.step  # type: ignore[union-attr]
        await until(lambda: live._slots.taken == 0)
        for _ in range(50):
            await asyncio.sleep(0)
        assert live.record.step == held  # type: ignore[union-attr]
        assert live.seconds_left is None
        live.resume()
        await until(lambda: live.phase is Phase.FINISHED)
        losses = [step.loss for step in train(replace(CONFIG, steps=400), corpus())]
        np.testing.assert_array_equal(live.record.run.losses, losses)  # type: ignore[union-attr]

    played(story)


def test_stop_is_at_once_and_keeps_the_run() -> None:
    async def story() -> None:
        live, phases = made()
        live.start(LONG, corpus)
        await until(lambda: live.record and live.record.step > 20)
        live.stop()
        # the slice that is under way is the last: its slot is free within a few turns of the loop
        turns = 0
        while live._slots.taken:
            await asyncio.sleep(0)
            turns += 1
            assert turns < 10
        assert phases[-1] is Phase.STOPPED
        assert live.record
        assert live.record.run
        kept = live.record.step
        assert live.record.run.losses.size == kept >= 20
        assert "stopped after" in status.headline(defaults(), live, 1)
        for _ in range(50):
            await asyncio.sleep(0)
        assert live.record.step == kept
        live.resume()
        assert live.phase is Phase.STOPPED

    played(story)


def test_divergence_is_reported_and_the_run_kept() -> None:
    async def story() -> None:
        live, _ = made()
        live.start(replace(CONFIG, learning_rate=10.0, steps=500), corpus)
        await until(lambda: not live.phase.busy)
        assert live.phase is Phase.DIVERGED
        record = live.record
        assert record
        assert record.diverged
        assert record.run
        assert record.run.losses.size == record.diverged.step
        said = status.headline(defaults(), live, 1)
        assert f"diverged at step {record.diverged.step}" in said
        assert record.diverged.reason in said

    played(story)


def test_a_text_that_is_refused_is_said() -> None:
    async def story() -> None:
        live, _ = made()
        live.start(replace(CONFIG, T=4000), corpus)
        await until(lambda: not live.phase.busy)
        assert live.phase is Phase.FAILED
        assert "too few for a window of 4000" in live.error
        assert live._slots.taken == 0
        # and the next run is not hindered
        live.start(CONFIG, corpus)
        await until(lambda: live.phase is Phase.FINISHED)

    played(story)


def test_an_error_of_the_program_is_not_swallowed() -> None:
    def broken() -> Corpus:
        raise ZeroDivisionError("a fault")

    async def story() -> None:
        live, _ = made()
        live.start(CONFIG, broken)
        task = live._task
        assert task
        with pytest.raises(ZeroDivisionError):
            await task
        assert live.phase is Phase.FAILED
        assert live._slots.taken == 0

    played(story)


def test_a_short_text_has_no_long_test_and_says_why() -> None:
    record = Record(replace(CONFIG, T=64, steps=20), own_text=True)
    short = Corpus.from_text(TEXT[:2000])
    for _ in working(record, lambda: short):
        pass
    assert record.evaluation
    assert record.long is None
    assert "windows of 256 and the next one do not fit" in record.long_refusal


def test_the_next_waits_with_her_slot_and_moves_up() -> None:
    async def story() -> None:
        slots = Slots(1)
        told: dict[str, list[int]] = {name: [] for name in "abc"}
        runs = {name: LiveRun(lambda: None, slots=slots) for name in "abc"}
        for name, run in runs.items():
            run._changed = lambda name=name, run=run: told[name].append(run.ahead)
            run.start(LONG, corpus)
        await until(lambda: runs["a"].record.step > 0 and runs["c"].ahead == 2)  # type: ignore[union-attr]
        assert [run.phase for run in runs.values()] == [Phase.TRAINING, Phase.WAITING, Phase.WAITING]
        said = status.headline(defaults(), runs["c"], 1)
        assert "You wait for a free slot: at most 1 run " in said
        assert "1 reader." in said
        assert "You are next." in status.headline(defaults(), runs["b"], 1)
        runs["a"].stop()
        await until(lambda: runs["b"].phase is Phase.TRAINING)
        assert runs["c"].ahead == 1
        # whoever gives up while she waits lets the others move up
        runs["a"].start(LONG, corpus)
        await until(lambda: runs["a"].ahead == 2)
        runs["c"].stop()
        await until(lambda: runs["a"].ahead == 1)
        runs["b"].close()
        await until(lambda: runs["a"].phase is Phase.TRAINING)
        runs["a"].close()
        await until(lambda: slots.taken == 0)

    played(story)


def test_a_slot_given_up_in_the_moment_it_comes_goes_on_to_the_next() -> None:
    async def story() -> None:
        slots = Slots(1)
        await slots.take(lambda ahead: None)
        second = asyncio.create_task(slots.take(lambda ahead: None))
        third = asyncio.create_task(slots.take(lambda ahead: None))
        await asyncio.sleep(0)
        slots.leave()
        second.cancel()
        await third
        assert second.cancelled()
        slots.leave()
        assert slots.taken == 0

    played(story)


def test_others_get_their_turn_while_runs_train() -> None:
    """The longest wait of something else in the loop is a slice of each run and what they do in one piece."""

    async def story() -> None:
        slots = Slots(2)
        runs = [LiveRun(lambda: None, slots=slots) for _ in range(2)]
        for run in runs:
            run.start(LONG, corpus)
        await until(lambda: all(run.record and run.record.step > 0 for run in runs))
        # the loop comes round though both train: each turn is a chance for another reader's control
        before = [run.record.step for run in runs if run.record]
        for _ in range(40):
            await asyncio.sleep(0)
        after = [run.record.step for run in runs if run.record]
        assert all(new - old < 40 * 200 for old, new in zip(before, after, strict=True))
        assert all(new > old for old, new in zip(before, after, strict=True))
        for run in runs:
            run.close()

    played(story)


def test_a_run_ends_when_its_reader_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.05)

    async def story() -> None:
        here = True
        live, _ = made(watched=lambda: here)
        live.start(LONG, corpus)
        await until(lambda: live.record and live.record.step > 20)
        here = False
        await until(lambda: live.record is None)
        await until(lambda: live._slots.taken == 0)
        assert live.phase is Phase.IDLE

    played(story)


def test_a_lost_connection_may_come_back() -> None:
    async def story() -> None:
        answers = iter([False, False, True])
        live, _ = made(watched=lambda: next(answers, True))
        live.start(replace(CONFIG, steps=400), corpus)
        await until(lambda: live.phase is Phase.FINISHED)

    played(story)


def test_ten_runs_in_a_row_keep_no_more_than_one() -> None:
    async def one(live: LiveRun, seed: int) -> None:
        live.start(replace(CONFIG, seed=seed), corpus)
        await until(lambda: live.phase is Phase.FINISHED)

    async def story() -> None:
        live, _ = made()
        for seed in range(3):
            await one(live, seed)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        await one(live, 3)
        gc.collect()
        single = tracemalloc.get_traced_memory()[0] - before
        for seed in range(4, 13):
            await one(live, seed)
        gc.collect()
        ten = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert ten < single + 100_000

    played(story)


def test_slots_come_from_the_environment() -> None:
    assert slots_of(None).limit == 2
    assert slots_of("5").limit == 5
    assert slots_of("0").limit == 1
    assert slots_of("many").limit == 2


def test_the_room_follows_its_run() -> None:
    """Start, pause, resume and stop through the buttons' own callbacks, and what the page shows of each."""

    async def story() -> None:
        room = ROOM("steps=200&scheme=none")
        room._start_or_hold()
        await until(lambda: room._live.record and room._live.record.step > 5)
        assert room._go.label == "Pause"
        assert not room._stop.disabled
        room._start_or_hold()
        assert room._go.label == "Resume"
        assert "paused after" in shown(room, "headline")
        room._start_or_hold()
        await until(lambda: room._live.phase is Phase.FINISHED)
        assert room._go.label == "Start"
        assert room._stop.disabled
        assert "No position, seed 0 (200 steps)" in shown(room, "headline")
        assert "the stored runs had other settings" in shown(room, "headline")
        assert "No position, seed 0 (200 steps): " in shown(room, "comparison")
        assert "your run, No position" in shown(room, "samples")
        assert len(line(room, "losses")["x"]) == 12
        assert len(line(room, "positions")["x"]) == 32
        assert len(line(room, "beyond")["x"]) == 16
        for key in ("rows", "movement"):
            assert "Your run, No position" in shown(room, key)
        # a second run leaves the first as a dotted line
        room._start_or_hold()
        await until(lambda: room._live.record and room._live.record.step > 5)
        room._live.stop()
        assert len(line(room, "losses", "before")["x"]) == 12
        assert line(room, "positions")["x"] == []
        assert shown(room, "comparison").count("<li>") == 2
        assert room.values()["steps"] == 200

    played(story)


def shown(room: Any, part: str) -> str:
    """The headline, or what a figure says."""
    if part == "headline":
        return str(room._headline.pane.object)
    place = room._places[part]
    return "".join(str(pane.pane.object) for pane in (*(one for one, _ in place._saying), place._caption))


def line(room: Any, key: str, own: str = "own") -> Any:
    """The points of one of the own lines of a figure."""
    return room._places[key].figure.curves.sources[own].data


def test_what_is_out_of_sight_costs_nothing_while_a_run_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says that the losses alone are in sight; the rows follow when they are scrolled to."""
    computed: list[str] = []

    async def story() -> None:
        document = Document()
        with set_curdoc(document):
            room = ROOM("steps=60")
            room.layout.server_doc(document, location=False)
        room._sight.value = ",".join(room._places)
        room._sight.value = "losses"
        for place in room._places.values():
            compute = place.figure.compute

            def counted(s: Any, key: str = place.figure.key, compute: Any = compute) -> Any:
                computed.append(key)
                return compute(s)

            monkeypatch.setattr(place.figure, "compute", counted)
        with set_curdoc(document):
            room._start_or_hold()
        await until(lambda: room._live.phase is Phase.FINISHED)
        assert set(computed) == {"losses"}
        assert len(line(room, "losses")["x"]) == 12
        assert "stored RoPE run" in shown(room, "rows")
        computed.clear()
        room._sight.value = "losses,rows"
        assert computed == ["rows"]
        assert "Your run, RoPE" in shown(room, "rows")

    played(story)


def test_a_figure_that_stands_alone_has_the_run_too() -> None:
    async def story() -> None:
        room = ROOM("figure=rows&steps=40")
        assert list(room._places) == ["rows"]
        room._start_or_hold()
        await until(lambda: room._live.phase is Phase.FINISHED)
        assert "Your run, RoPE" in shown(room, "rows")
        # an untrained model of random characters has nothing of a run
        assert not ROOM("figure=order").layout.select(pn.widgets.Button)

    played(story)


def test_the_room_trains_on_a_text_of_ones_own_and_says_so() -> None:
    async def story() -> None:
        room = ROOM("steps=60")
        room._own._choice.source = "own"
        room._start_or_hold()
        assert "there is no text of your own yet" in shown(room, "headline")
        room._own._choice.text = TEXT
        room._start_or_hold()
        await until(lambda: room._live.phase is Phase.FINISHED)
        assert "on your text" in shown(room, "headline")
        assert "the stored runs read another text" in shown(room, "headline")
        curves = room._places["losses"].figure.curves
        words = list(curves.levels.data["word"])
        assert words[0] == f"uniform, ln V {np.log(corpus().V):.3f}"
        # the stored runs are no measure for another text
        assert not any(band.visible for band in curves._bands.values())
        assert "Bands" not in shown(room, "losses")
        assert "which read another text" in shown(room, "losses")
        for key in ("positions", "beyond"):
            assert line(room, key)["x"] == []
            assert "drawn neither here nor" in shown(room, key)
        assert "is scored on" not in shown(room, "beyond")
        assert "Yours:" not in shown(room, "comparison")
        assert "text" not in room._address.value
        # and a run on the plays has no curve of another text beside it
        room._own._choice.source = "plays"
        room._start_or_hold()
        await until(lambda: room._live.record and room._live.record.step > 5)
        room._live.stop()
        assert line(room, "losses", "before")["x"] == []

    played(story)


def test_the_list_of_runs_holds_the_last_one_however_many_there_were() -> None:
    """Twelve are kept: from the thirteenth on their number stays as it is."""

    async def story() -> None:
        room = ROOM("steps=20&scheme=none")
        config = Losses(Snapshot(room.values())).config
        room._runs.ended = tuple(
            Finished(replace(config, seed=seed), False, 20, 4.0, "") for seed in range(100, 112)
        )
        room._start_or_hold()
        await until(lambda: room._live.phase is Phase.FINISHED)
        assert len(room._runs.ended) == 12
        assert "No position, seed 0 (20 steps): " in shown(room, "comparison")
        assert "seed 100 " not in shown(room, "comparison")

    played(story)


def test_leaving_the_room_ends_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site and the server free a document through the same callbacks."""
    rooms: list[Any] = []

    def kept(*arguments: Any) -> Any:
        rooms.append(ROOM(*arguments[1:]))
        return rooms[-1]

    monkeypatch.setattr(shell, "make_room", kept)

    async def story() -> None:
        document = shell.room_document("train", "steps=5000")
        live = rooms[0]._live
        rooms[0]._start_or_hold()
        await until(lambda: live.record and live.record.step > 5)
        # Panel adds callbacks of its own, which want a server's session
        for leave in document.session_destroyed_callbacks:
            if "Page.on_leave" in leave.__qualname__:
                leave(None)
        assert live.phase is Phase.IDLE
        assert live.record is None
        await until(lambda: SLOTS.taken == 0)

    played(story)


def test_a_page_without_a_server_draws_at_once_and_is_always_watched() -> None:
    page, drawn = Page(), []
    page.change(lambda: drawn.append(1))
    page.on_leave(lambda: drawn.append(2))
    assert drawn == [1]
    assert page.watched()
