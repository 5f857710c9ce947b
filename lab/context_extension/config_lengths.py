"""How long the trained window was, and how long the offered one is."""

from __future__ import annotations

from lab.context_extension.config_classes import ClassFacts
from lab.context_extension.config_fields import Section
from lab.context_extension.config_methods import Lengths

ORIGINAL = "original_max_position_embeddings"
MAXIMA = (
    "max_position_embeddings",
    "n_positions",
    "seq_length",
    "max_seq_len",
    "max_seq_length",
    "n_ctx",
    "max_sequence_length",
    "model_max_length",
)
"""Names of the longest sequence, the present one first."""
READINGS = ("trained", "stretched")
"""What the longest sequence beside a factor may mean."""


def read_lengths(
    whole: Section,
    part: Section,
    facts: ClassFacts,
    given: int | None,
    maximum: str,
    notes: list[str],
    *,
    stretches: bool = True,
) -> tuple[Lengths, bool]:
    """Return both windows, and whether the file can be read either way.

    Beside a factor that ``stretches`` the longest sequence may be the trained or the stretched one.

    Raises
    ------
    ValueError
        If the file does not say, its class does not and none is given, or the reading is unknown.

    Examples
    --------
    >>> file, rope = Section("", {"max_position_embeddings": 16_384}), Section("", {"factor": 4.0})
    >>> read_lengths(file, rope, ClassFacts(), None, "stretched", [])
    (Lengths(trained=4096, maximum=16384), True)
    """
    if maximum not in READINGS:
        raise ValueError(f"maximum is one of {', '.join(READINGS)}; got ‘{maximum}’")
    original = part.count(ORIGINAL, None) or whole.count(ORIGINAL, None)
    name, longest = _longest(whole, part)
    factor = part.number("factor", None) if stretches else None
    if original is not None:
        return Lengths(original, longest or original), False
    if longest is None:
        name, longest = "it", _not_in_the_file(whole, facts, given, notes)
        if facts.maximum is None:  # a reader who gives a trained length means it
            return Lengths(longest, longest), False
    if factor is None or factor <= 1:
        return Lengths(longest, longest), False
    shorter = max(round(longest / factor), 1)
    chosen, other = (longest, shorter) if maximum == "trained" else (shorter, longest)
    notes.append(
        f"no {ORIGINAL}: {name} {longest:,} beside factor {factor:,.16g} is read as the {maximum} length, so "
        f"training was at {chosen:,}; files of the other kind mean {other:,}"
    )
    return Lengths(chosen, longest), True


def _longest(whole: Section, part: Section) -> tuple[str, int | None]:
    found = [(name, section.count(name, None)) for section in (whole, part) for name in MAXIMA]
    return next(((name, value) for name, value in found if value is not None), ("", None))


def _not_in_the_file(whole: Section, facts: ClassFacts, given: int | None, notes: list[str]) -> int:
    kind = whole.text("model_type")
    if facts.maximum is not None:
        notes.append(
            f"the trained length is not in the file: {facts.maximum:,}, that of the class {kind}, is taken"
        )
        return facts.maximum
    if given is None:
        raise ValueError(f"the trained length is not given; add {ORIGINAL}, or paste the whole config.json")
    notes.append(f"the trained length is not in the file: {given:,} is taken")
    return given
