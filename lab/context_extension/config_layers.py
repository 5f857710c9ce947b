"""Which rotation the layers of a model have, where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lab.context_extension.config_classes import ClassFacts
from lab.context_extension.config_fields import Section

PARTS = ("rope_parameters", "rope_scaling")
LAYER_TYPES = ("full_attention", "sliding_attention", "chunked_attention", "linear_attention")
FULL, SLIDING = LAYER_TYPES[:2]
LOCAL_BASES = ("rope_local_base_freq", "local_rope_theta", "rope_local_theta", "swa_rope_theta")
GLOBAL_BASES = ("global_rope_theta", "rope_global_theta")
BASE_BY_LAYER = "layer_rope_theta"


@dataclass(frozen=True)
class Layers:
    """The rotation of the chosen layers.

    Parameters
    ----------
    part : Section
        Their rope part.
    chosen : str
        Their type; empty where all layers turn alike.
    types : tuple of str
        What could be chosen.
    base : float, optional
        Their base, where another field than that of the rope part holds it.
    usual_base : float, optional
        Their base where the file gives none.
    passed : list of Section
        What was looked at besides.
    """

    part: Section
    chosen: str = ""
    types: tuple[str, ...] = ()
    base: float | None = None
    usual_base: float | None = None
    passed: list[Section] = field(default_factory=list)


def layers_of(whole: Section, facts: ClassFacts, asked: str | None, notes: list[str]) -> Layers:
    """Return the rotation of the layers that are asked for; of full attention, where none are.

    Raises
    ------
    ValueError
        If there are no such layers.

    Examples
    --------
    >>> file = Section("", {"rope_theta": 1e6, "rope_local_base_freq": 1e4})
    >>> layers_of(file, ClassFacts(), "sliding_attention", []).base
    10000.0
    """
    _say_still_layers(whole, notes)
    container = _container(whole, notes)
    for found in (_by_section(whole, container, asked, notes), _by_list(whole, container, asked, notes)):
        if found is not None:
            return found
    found = _by_local_base(whole, container, facts, asked, notes)
    if found is not None:
        return found
    if asked is not None:
        raise ValueError(f"‘{asked}’ was asked for, but all layers share one set of rope parameters")
    return Layers(container)


def _container(whole: Section, notes: list[str]) -> Section:
    present = [name for name in PARTS if whole.values.get(name) is not None]
    whole.seen(*PARTS)
    if len(present) == 2:
        notes.append("rope_parameters is read, rope_scaling is not")
    if present:
        return whole.section(present[0])
    inside = {"rope_type", "type", "factor"} & set(whole.values)
    if inside or any(isinstance(whole.values.get(name), Mapping) for name in LAYER_TYPES):
        return whole
    return Section("", {})


def _by_section(whole: Section, container: Section, asked: str | None, notes: list[str]) -> Layers | None:
    """Parameters for each type of layer, each in an object of its own."""
    types = [str(name) for name, value in container.values.items() if isinstance(value, Mapping)]
    if container is whole:
        types = [name for name in types if name in LAYER_TYPES or name == asked]
    if not types:
        return None
    chosen = _choose(types, asked, notes)
    container.seen(*types)
    sections = {name: container.section(name) for name in types}
    for name, section in sections.items():
        if name != chosen:
            section.seen(*section.values)
    passed = [container, *(section for name, section in sections.items() if name != chosen)]
    return Layers(sections[chosen], chosen, tuple(types), passed=passed)


def _by_list(whole: Section, container: Section, asked: str | None, notes: list[str]) -> Layers | None:
    """A base for each layer; 0 or null where a layer does not rotate."""
    listed = whole.values.get(BASE_BY_LAYER)
    whole.seen(BASE_BY_LAYER)
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return None
    whole_numbers = Section(whole.path, {BASE_BY_LAYER: [value or 0 for value in listed]})
    bases = whole_numbers.numbers(BASE_BY_LAYER)
    turning = sorted({base for base in bases if base}, reverse=True)
    if not turning:
        return None
    counted = [f"{_layers(bases.count(base))} with base {base:,.16g}" for base in turning]
    still = bases.count(0.0)
    counted += [f"{_layers(still)} without rotation"] if still else []
    notes.append(f"{BASE_BY_LAYER}: {', '.join(counted)}")
    if len(turning) == 1:
        return Layers(container, base=turning[0]) if asked is None else None
    chosen = _choose([FULL, SLIDING], asked, notes)
    return Layers(container, chosen, (FULL, SLIDING), base=turning[0] if chosen == FULL else turning[-1])


def _by_local_base(
    whole: Section, container: Section, facts: ClassFacts, asked: str | None, notes: list[str]
) -> Layers | None:
    """A base of the sliding layers beside that of the others; only the others are stretched."""
    local, full = _first(whole, LOCAL_BASES), _first(whole, GLOBAL_BASES)
    stretched = whole.values.get("model_type") == "olmo3" and bool(container.values)
    if local is None and facts.local_base is None and not stretched:
        return None if full is None else Layers(container, base=full)
    chosen = _choose([FULL, SLIDING], asked, notes)
    if chosen == FULL:
        return Layers(container, chosen, (FULL, SLIDING), base=full)
    container.seen(*container.values)
    whole.seen("rope_theta") if local is not None or facts.local_base is not None else None
    base = local if local is not None else full if facts.local_base is None else None
    if base is None and facts.local_base is not None:
        notes.append(f"the base of sliding layers is not in the file: {facts.local_base:,.16g} is taken")
        base = facts.local_base
    return Layers(Section("", {}), chosen, (FULL, SLIDING), base=base, passed=[container])


def _choose(types: list[str], asked: str | None, notes: list[str]) -> str:
    chosen = asked or (FULL if FULL in types else types[0])
    if chosen not in types:
        raise ValueError(f"no layers of type ‘{chosen}’; there are {', '.join(types)}")
    notes.append(f"layers differ: {chosen} is read, out of {', '.join(types)}")
    return chosen


def _say_still_layers(whole: Section, notes: list[str]) -> None:
    listed = whole.values.get("no_rope_layers")
    whole.seen("no_rope_layers", "no_rope_layer_interval")
    if isinstance(listed, list) and listed:
        # the field names the layers that rotate by 1: the reverse of what its name says
        still = sum(1 for value in listed if not value)
        notes.append(f"no_rope_layers: {still:,} of {_layers(len(listed))} without rotation")


def _layers(count: int) -> str:
    return f"{count:,} {'layer' if count == 1 else 'layers'}"


def _first(section: Section, names: tuple[str, ...]) -> float | None:
    found = [section.number(name, None) for name in names]
    return next((value for value in found if value is not None), None)
