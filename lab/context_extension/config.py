"""Read the rotation of a model out of its published configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.context_extension.config_classes import TYPES, ClassFacts
from lab.context_extension.config_fields import Section, parse
from lab.context_extension.config_layers import LAYER_TYPES, Layers, layers_of
from lab.context_extension.config_lengths import read_lengths
from lab.context_extension.config_meta import as_published
from lab.context_extension.config_methods import method_name, proportional_base, read_method
from lab.context_extension.config_schemes import check_rotation
from lab.context_extension.config_text import ROTATION, is_fragment, text_model, unread_rotation
from lab.context_extension.config_widths import read_widths
from lab.context_extension.presets import ModelRope
from lab.given import given

LARGEST_BASE = 1e15
CONFIG_SOURCE = "the configuration that was given"
USUAL_BASE = 10_000.0
BASES = ("rope_theta", "rotary_emb_base", "rope_base", "rotary_base")
"""Names of the base, the present one first."""


def from_config(
    config: str | Mapping[str, Any],
    *,
    d: int | None = None,
    base: float | None = None,
    trained: int | None = None,
    layer_type: str | None = None,
    maximum: str = "trained",
) -> ModelRope:
    """Read a configuration file, or only its ``rope_parameters`` or ``rope_scaling``.

    The text model is found wherever it stands (``text_config``, ``thinker_config.text_config``, ...), under
    present and older names of its fields, and in Meta's ``params.json``. What the file does not say is taken
    from the class that its ``model_type`` names, and else has to be given; the notes of the result say of
    each such value that it is not in the file.

    Parameters
    ----------
    config : str or mapping
        JSON text, or what it parses to.
    d, base, trained : optional
        Head width, base and trained length where neither the file nor its class says.
    layer_type : str, optional
        Which of the layers' rotations to read, where they differ; full attention by default.
    maximum : {"trained", "stretched"}
        What ``max_position_embeddings`` beside a factor means where the file does not say how long the
        training was: files are written both ways.

    Raises
    ------
    NoRotation
        If the model has another position scheme.
    ValueError
        If the text is not JSON (with line and column), a field is missing, of a wrong type, not finite or
        out of range, or the type of rotation is unknown.

    References
    ----------
    Field names of Hugging Face transformers, ``modeling_rope_utils``, and of meta-llama/llama-models.

    Examples
    --------
    >>> model = from_config('{"rope_type": "linear", "factor": 4.0}', d=128, trained=4096)
    >>> model.extension, model.target
    (Linear(factor=4.0), 16384)
    """
    values = as_published(parse(config))
    whole = text_model(values)
    check_rotation(whole)
    notes = [f"read from {whole.path}"] if whole.path else []
    facts = _facts(whole, values)
    layers = layers_of(whole, facts, layer_type, notes)
    part, kind = layers.part, method_name(layers.part, notes)
    theta = _base(whole, layers, facts, base, notes)
    width, rotated = read_widths(whole, part, layers.chosen, facts, d, notes)
    lengths, ambiguous = read_lengths(
        whole, part, facts, trained, maximum, notes, stretches=kind != "default"
    )
    extension, factor = read_method(kind, part, lengths, notes)
    if kind == "proportional" and rotated < width:
        narrower = proportional_base(theta, width, rotated)
        written = float(f"{narrower:.4g}")
        notes.append(
            f"proportional: exponents count over all {width:,} dimensions of a head; base {theta:,.16g} over "
            f"{width:,} is base {written:,.16g} over the {rotated:,} that turn"
        )
        theta = narrower
    if unread := unread_rotation(values, [whole, part, *layers.passed]):
        notes.append(f"not used: {', '.join(unread)}")
    return ModelRope(
        title=whole.text("model_type") or "your model",
        d=width,
        base=theta,
        trained=lengths.trained,
        target=lengths.maximum if lengths.ratio > 1 else round(lengths.trained * factor),
        extension=extension,
        source=CONFIG_SOURCE,
        rotary_dim=rotated,
        notes=(*notes, *([facts.note] if facts.note else [])),
        layer_types=layers.types,
        layer_type=layers.chosen,
        ambiguous=ambiguous,
    )


def _facts(whole: Section, values: Mapping[str, Any]) -> ClassFacts:
    kind = whole.text("model_type")
    if kind in TYPES:
        return TYPES[kind]
    fields = [name for name in whole.values if ROTATION.search(str(name)) or name in ("type", "factor")]
    if not fields and not any(name in whole.values for name in LAYER_TYPES):
        if is_fragment(values):
            raise ValueError(
                "no rope fields found; paste a whole config.json, or its rope_parameters or rope_scaling "
                "with a rope_type"
            )
        raise ValueError(
            f"nothing in it says whether {given(kind) if kind else 'this model'} rotates; if it does, add "
            "its rope_theta"
        )
    return ClassFacts()


def _base(whole: Section, layers: Layers, facts: ClassFacts, asked: float | None, notes: list[str]) -> float:
    stated = layers.base
    for section in (layers.part, whole):
        for name in BASES:
            found = section.number(name, None)
            if found is not None and not 1 <= found <= LARGEST_BASE:
                raise ValueError(f"{name} must be from 1 to 10^15; got {given(found)}")
            stated = found if stated is None else stated
    if stated is None:
        kind = whole.text("model_type")
        if asked is not None and kind not in TYPES:
            notes.append(f"the base is not in the file: {asked:,.16g} is taken")
            stated = asked
        else:
            usual = layers.usual_base or facts.base
            whose = f"the class {kind}" if kind in TYPES else "nearly every class"
            notes.append(f"the base is not in the file: {usual:,.16g}, that of {whose}, is taken")
            stated = usual
    ratio = whole.number("rope_ratio", None)
    if ratio is not None:
        if not ratio >= 1 or stated * ratio > LARGEST_BASE:
            raise ValueError(f"rope_ratio must be at least 1, and the base at most 10^15; got {given(ratio)}")
        notes.append(f"base {stated:,.16g} times rope_ratio {ratio:,.16g}")
        stated *= ratio
    return stated
