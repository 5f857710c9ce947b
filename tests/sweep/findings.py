"""What a sweep finds: where, with what words, and the address that shows it."""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]


LIVE = frozenset(
    {
        "draw",
        "HTML",
        "label of a control",
        "option of a control",
        "title of a figure",
        "axis of a figure",
        "tick of a figure",
        "words in a figure",
    }
)
"""Where only a living room says something."""


class TooLong(BaseException):
    """A step took longer than anybody waits; no `Exception`, so that nothing on the way catches it."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong in one state."""

    kind: str
    where: str
    shows: str

    @property
    def shape(self) -> str:
        """The finding without what differs from state to state; findings of one shape are one."""
        shows = re.sub(r"‘[^’]*’?|'[^']*'|\"[^\"]*\"", "‘…’", self.shows)
        shows = re.sub(r"[-−+]?\d[\d,.]*(?:[eE][-+−]?\d+)?", "#", shows)
        return f"{self.kind} | {self.where} | {shows[:60]}"

    @property
    def seen_live(self) -> bool:
        """Whether it takes a living room to see it."""
        return self.where in LIVE

    def __str__(self) -> str:
        return f"{self.kind} in {self.where}: {self.shows[:300]}"


def crash(where: str, reason: BaseException) -> Finding:
    """An exception that no reader should cause, with the place of ours that it came from."""
    ours = [
        frame
        for frame in traceback.extract_tb(reason.__traceback__)
        if any(f"{ROOT}/{part}/" in frame.filename for part in ("app", "lab"))
    ]
    place = f"{Path(ours[-1].filename).relative_to(ROOT)}:{ours[-1].name}" if ours else "elsewhere"
    return Finding(f"{type(reason).__name__} from {place}", where, " ".join(str(reason).split())[:300])


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End a block that takes longer.

    Raises
    ------
    TooLong
        In the block, between two steps of Python.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
