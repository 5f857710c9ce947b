"""A run of one's own in the event loop of its page: started, paused, stopped, and ended when nobody looks.

There is one thread, in the browser as on a server, so a run works for a few milliseconds at a time and
gives way to whatever waits: clicks, other rooms, other readers. On a server a few runs train at once and
the rest wait for a slot.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from enum import Enum
from time import perf_counter

from app.kit.door import in_browser
from app.rooms.train.work import Load, Record, Work, working
from lab.training import TrainingConfig

IN_BROWSER = in_browser()
SLICE = 0.022 if IN_BROWSER else 0.01
"""Seconds of work before others get their turn; a single piece may take longer."""
REPORT = 0.22
"""Seconds between two reports to the page, at least."""
GRACE = 3.0
"""Seconds that a run goes on without a reader: a lost connection may come back."""
BUSY = 0.003
"""Seconds: a turn of the event loop that took longer had something to do."""
EXPECTED = (ValueError, FileNotFoundError, MemoryError)
"""Reasons that a reader can do something about; others are errors of the program and are logged too."""
BREATH = 0.003 if IN_BROWSER else 0.0
"""Seconds without work after each slice: a worker hears the page only when it has nothing else to do."""
QUIET, PATIENCE = 3, 15
"""Turns in a row with nothing to do after which a run goes on, and turns after which it does in any case."""


class Phase(Enum):
    """Where a run is."""

    IDLE = "idle"
    WAITING = "waiting"
    TRAINING = "training"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    DIVERGED = "diverged"
    FAILED = "failed"

    @property
    def busy(self) -> bool:
        """Whether a task is at work or waits for its turn."""
        return self in (Phase.WAITING, Phase.TRAINING)


class Slots:
    """How many runs of one program may train at once, and who is next.

    Parameters
    ----------
    limit : int
        At least 1.
    """

    def __init__(self, limit: int) -> None:
        self.limit = max(1, limit)
        self.turn = asyncio.Lock()
        """Held during a slice, so that runs take turns."""
        self.taken = 0
        """Runs that train."""
        self._free = asyncio.Semaphore(self.limit)
        self._waiting: list[Callable[[int], None]] = []

    async def take(self, moved: Callable[[int], None]) -> None:
        """Wait for a slot; ``moved`` hears how many are to come up to this run, 1 for the next."""
        if self._free.locked():
            self._waiting.append(moved)
            moved(len(self._waiting))
        try:
            await self._free.acquire()
        finally:
            if moved in self._waiting:
                behind = self._waiting[self._waiting.index(moved) + 1 :]
                self._waiting.remove(moved)
                for ahead, other in enumerate(behind, start=len(self._waiting) - len(behind) + 1):
                    other(ahead)
        self.taken += 1

    def leave(self) -> None:
        """Give the slot to the next who waits."""
        self.taken -= 1
        self._free.release()


def slots_of(environment: str | None) -> Slots:
    """Slots by the text of the variable EMBEDDING_LAB_RUNS; 2 where it is none or no number."""
    return Slots(int(environment) if environment and environment.isdecimal() else 2)


SLOTS = slots_of(os.environ.get("EMBEDDING_LAB_RUNS"))
"""Those of this process."""


class LiveRun:
    """At most one run of one reader.

    Parameters
    ----------
    changed : callable
        Told when there is something new to show, a few times a second.
    slots : Slots
        Where the run waits.
    watched : callable
        Whether a reader is still there.
    free : callable
        Whether the page has drawn what was there to show before.
    """

    def __init__(
        self,
        changed: Callable[[], None],
        *,
        slots: Slots = SLOTS,
        watched: Callable[[], bool] = lambda: True,
        free: Callable[[], bool] = lambda: True,
    ) -> None:
        self.phase = Phase.IDLE
        self.record: Record | None = None
        self.ahead = 0
        """How many are to come up to this run; 1 is the next."""
        self.error = ""
        self._changed, self._slots, self._watched, self._free = changed, slots, watched, free
        self._work: Work[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._spent = self._told = self._seen = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Time that the rest of this part takes if it goes on as so far; None before there is a rate."""
        record = self.record
        if record is None or record.part <= 0 or self.phase is not Phase.TRAINING:
            return None
        return self._spent * (1 - record.part) / record.part

    def start(self, config: TrainingConfig, load: Load, *, own_text: bool = False) -> None:
        """Begin a run; one that is under way is dropped."""
        self._drop()
        self.record = Record(config, own_text)
        self._work = working(self.record, load)
        self._spent, self.error = 0.0, ""
        self._go()

    def fail(self, reason: str) -> None:
        """Say why a run cannot begin."""
        self._drop()
        self.error = reason
        self._enter(Phase.FAILED)

    def pause(self) -> None:
        """Hold the run; its slot goes to the next who waits."""
        if self.phase.busy:
            self._cancel()
            self._enter(Phase.PAUSED)

    def resume(self) -> None:
        """Go on with a run that was paused."""
        if self.phase is Phase.PAUSED:
            self._go()

    def stop(self) -> None:
        """End the run and keep what it has done."""
        if self.phase.busy or self.phase is Phase.PAUSED:
            self._drop()
            self._enter(Phase.STOPPED)

    def close(self) -> None:
        """End the run and forget it: the reader has left."""
        self._changed = _nobody
        self._drop()
        self.record = None
        self.phase = Phase.IDLE

    def _go(self) -> None:
        self.phase = Phase.WAITING
        self.ahead = 0
        self._seen = perf_counter()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def _drop(self) -> None:
        self._cancel()
        self._work = None

    def _cancel(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._tell()

    def _tell(self) -> None:
        self._told = perf_counter()
        self._changed()

    def _queued(self, ahead: int) -> None:
        self.ahead = ahead
        self._tell()

    async def _run(self) -> None:
        await self._slots.take(self._queued)
        try:
            self._enter(Phase.TRAINING)
            while await self._slice():
                if not self._has_reader():
                    self.close()
                    return
                if perf_counter() - self._told > REPORT and self._free():
                    self._tell()
            self._end()
        except Exception as reason:
            self._work = None
            self.error = str(reason) or type(reason).__name__
            self._enter(Phase.FAILED)
            if not isinstance(reason, EXPECTED):
                raise
        finally:
            self._slots.leave()

    async def _slice(self) -> bool:
        """Work for a moment, then give way; False when all is done."""
        start, record = perf_counter(), self.record
        measuring = record is not None and record.measuring
        async with self._slots.turn:
            more = self._step_until(perf_counter() + SLICE)
            await give_way()
        # the wait for others counts too: it is what the reader waits for
        self._spent += perf_counter() - start
        if record is not None and record.measuring != measuring:
            self._spent = 0.0
        return more

    def _step_until(self, end: float) -> bool:
        return any(perf_counter() >= end for _ in self._work or ())

    def _end(self) -> None:
        self._work = self._task = None
        diverged = self.record is not None and self.record.diverged
        self._enter(Phase.DIVERGED if diverged else Phase.FINISHED)

    def _has_reader(self) -> bool:
        now = perf_counter()
        if self._watched():
            self._seen = now
        return now - self._seen < GRACE


async def give_way() -> None:
    """Let everything else that is ready run first; what a click sets off takes several turns of the loop."""
    await asyncio.sleep(BREATH)
    quiet = 0
    for _ in range(PATIENCE):
        start = perf_counter()
        await asyncio.sleep(0)
        quiet = quiet + 1 if perf_counter() - start < BUSY else 0
        if quiet == QUIET:
            return


def _nobody() -> None:
    """The reader has left."""
