"""What one picture may cost: each bound of a State holds by itself, their product is bounded here.

A room declares ``cost = staticmethod(fn)`` with ``fn(**state) -> Cost``: an upper estimate, made before any
large array is. The kit refuses what is above the limit with a sentence that names what to lower.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_OPERATIONS = 2e8
"""Numbers that NumPy touches: about .3 s natively, 2 s in a browser at 8 to 10 ns each."""
MOST_BYTES = 300e6
"""Bytes that are in memory at the same time; a browser's tab on a phone has not much more."""


A_CHARACTER = 2_000
"""A character that Python reads takes about as long as so many numbers: 3 to 8 µs in the tokenizers."""


@dataclass(frozen=True)
class Cost:
    """An upper estimate of what a state takes.

    Parameters
    ----------
    operations : float
        Numbers that NumPy touches, each time counted.
    bytes : float
        The most that is held in memory at one time.
    lower : str
        The settings that make it so large, in the words of their controls.
    """

    operations: float = 0.0
    bytes: float = 0.0
    lower: str = "one of the sizes"


def typed(*texts: str) -> Cost:
    """What reading all that was typed may cost.

    Raises
    ------
    ValueError
        If there is more of it than one figure may read.

    Examples
    --------
    >>> typed("the cat").operations
    14000.0
    """
    length, most = sum(map(len, texts)), int(MOST_OPERATIONS / A_CHARACTER)
    if length > most:
        raise ValueError(f"The text has {length:,} characters; at most {most:,} are read. Shorten it.")
    return Cost(operations=float(A_CHARACTER * length), lower="the length of the text")


def check(cost: Cost) -> None:
    """Refuse what would hold up the reader, or all readers of a server.

    Raises
    ------
    ValueError
        If the cost is above the limit; it names what to lower.

    Examples
    --------
    >>> check(Cost(operations=1e6, bytes=8e6))
    >>> check(Cost(operations=1e11, bytes=8e6, lower="the window"))
    Traceback (most recent call last):
    ...
    ValueError: This figure would take 500 times the work that one figure may take. Lower the window.
    """
    work, memory = cost.operations / MOST_OPERATIONS, cost.bytes / MOST_BYTES
    if work <= 1 and memory <= 1:
        return
    what = "work" if work >= memory else "memory"
    times = max(work, memory)
    said = f"{times:,.0f}" if times >= 10 else f"{times:.1f}"
    raise ValueError(
        f"This figure would take {said} times the {what} that one figure may take. Lower {cost.lower}."
    )
