"""Which position scheme a model has that does not rotate, and where the lab shows it."""

from __future__ import annotations

from collections.abc import Callable

from lab.context_extension.config_fields import Section, words

SCHEMES_ROOM, WAVES_ROOM, ORDER_ROOM = (
    "What does a position scheme do to a score?",
    "What is a sinusoidal position made of?",
    "Can attention see who bites whom?",
)
ROTATING = ("rope", "rotary")
LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx")


class NoRotation(ValueError):
    """A model that turns nothing: its own scheme is named, and the room that shows it.

    Parameters
    ----------
    model : str
        What the file calls the model.
    scheme : str
        "learned", "alibi", "sinusoidal", "relative" or "none".
    says : str
        A sentence on the scheme.
    room : str
        Title of the room that shows it.

    Examples
    --------
    >>> NoRotation("bloom", "alibi", "it subtracts slope times distance", "Schemes").scheme
    'alibi'
    """

    def __init__(self, model: str, scheme: str, says: str, room: str) -> None:
        self.model, self.scheme, self.room = model, scheme, room
        super().__init__(
            f"{model} does not rotate queries and keys, so there is no window to stretch here: {says}. "
            f"The room “{room}” shows it"
        )


LEARNED = words("""
    albert bart bert big_bird biogpt blenderbot blenderbot-small blip_text_model camembert canine
    clip_text_model clip convbert data2vec-text distilbert electra ernie git gpt2 gpt_bigcode gpt_neo
    imagegpt layoutlm led longformer mbart mobilebert mvp nystromformer openai-gpt opt plbart rembert
    roberta roberta-prelayernorm roc_bert siglip_text_model splinter squeezebert trocr whisper xlm-roberta
    xlm-roberta-xl xmod yoso
    """)
OFFSET = {"opt": 2, "bart": 2, "mbart": 2, "biogpt": 2, "plbart": 2, "mvp": 2}
"""Rows of the table in front of that of the first token, which the file does not count."""
BEHIND_PADDING = words(
    "camembert data2vec-text longformer roberta roberta-prelayernorm xlm-roberta xlm-roberta-xl xmod"
)
"""Types whose first token has the row behind the padding id; the file counts the rows before it."""
SINUSOIDAL = words("ctrl flaubert fsmt m2m_100 marian nllb-moe pegasus speech_to_text xglm xlm")
RELATIVE_BIAS = words("longt5 mpnet mt5 pop2piano switch_transformers t5 udop umt5")
RELATIVE_KEYS = words("deberta deberta-v2 nezha transfo-xl xlnet")
RECURRENT = words("falcon_mamba mamba mamba2 rwkv rwkv5 rwkv6 rwkv7 xlstm")
NO_POSITION = words("jamba nemotron_h")
ALIBI_SAYS = "ALiBi subtracts a slope times the distance from each score, one slope per head"


def check_rotation(whole: Section) -> None:
    """Return if a model rotates or does not say what it does.

    Raises
    ------
    NoRotation
        If it has another scheme.

    Examples
    --------
    >>> check_rotation(Section("", {"model_type": "llama"}))
    >>> check_rotation(Section("", {"model_type": "bloom"}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lab.context_extension.config_schemes.NoRotation: a model of type ‘bloom’ does not rotate ...
    """
    kind = whole.text("model_type") or ""
    stated = whole.values.get("position_embedding_type")
    stated = stated.lower() if isinstance(stated, str) else ""
    whole.seen("position_embedding_type", "alibi", "use_alibi")
    model = f"a model of type ‘{kind}’" if kind else "this model"
    if any(name in stated for name in ROTATING):
        return
    if "alibi" in stated or _flagged(whole):
        raise NoRotation(model, "alibi", ALIBI_SAYS, SCHEMES_ROOM)
    if "relative_key" in stated:
        raise NoRotation(model, "relative", _relative_keys(whole), SCHEMES_ROOM)
    if stated in ("nope", "none"):
        raise NoRotation(model, "none", _nothing(whole), ORDER_ROOM)
    for scheme, kinds, says, room in _BY_TYPE:
        if kind in kinds:
            raise NoRotation(model, scheme, says(whole), room)
    if whole.values.get("relative_attention_num_buckets") is not None:
        raise NoRotation(model, "relative", _relative_bias(whole), SCHEMES_ROOM)
    if kind == "baichuan" and whole.values.get("max_position_embeddings") is None:
        raise NoRotation(model, "alibi", f"{ALIBI_SAYS}: the 13B models of this type do", SCHEMES_ROOM)
    _check_mpt(whole, kind, model)


def _flagged(whole: Section) -> bool:
    return any(whole.values.get(name) is True for name in ("alibi", "use_alibi"))


def _check_mpt(whole: Section, kind: str, model: str) -> None:
    if kind != "mpt":
        return
    attention = whole.values.get("attn_config")
    stated = attention if isinstance(attention, dict) else {}
    if stated.get("rope") is True:
        return
    # the class has it on, and files that are older than the flag were trained with it
    if stated.get("alibi", True):
        raise NoRotation(model, "alibi", ALIBI_SAYS, SCHEMES_ROOM)
    raise NoRotation(model, "learned", _learned(whole), SCHEMES_ROOM)


def _learned(whole: Section) -> str:
    rows = next((found for name in LENGTHS if (found := whole.count(name, None))), None)
    kind = whole.text("model_type") or ""
    stored = f"a table of {rows:,} rows" if rows else "a table whose length the file does not give"
    said = f"it adds a learned row per position, from {stored}"
    if kind in OFFSET:
        more = OFFSET[kind]
        total = f": {rows + more:,} rows in all" if rows else ""
        said += f", and {more} more that no token uses, because its first token has row {more + 1}{total}"
    if kind in BEHIND_PADDING:
        said += ", whose first rows, up to that of the padding id, no token uses"
    return said


def _sinusoidal(whole: Section) -> str:
    return "it adds sine and cosine waves that are computed, not learned"


def _relative_bias(whole: Section) -> str:
    buckets = whole.count("relative_attention_num_buckets", None)
    learned = f"{buckets:,} learned numbers per head" if buckets else "a few learned numbers per head"
    return (
        f"it adds a learned bias to each score, one of {learned}, by the distance; ALiBi is the same idea "
        "with nothing learned"
    )


def _relative_keys(whole: Section) -> str:
    return (
        "its scores have terms of their own for the distance, from learned or sinusoidal vectors, which no "
        "room draws; the nearest that the lab has is a bias by distance"
    )


def _recurrent(whole: Section) -> str:
    return "it reads token after token, so order needs no scheme"


def _nothing(whole: Section) -> str:
    return "its attention has no positions at all; the causal mask is what tells earlier from later"


_BY_TYPE: tuple[tuple[str, frozenset[str], Callable[[Section], str], str], ...] = (
    ("learned", LEARNED, _learned, SCHEMES_ROOM),
    ("alibi", frozenset({"bloom"}), lambda whole: ALIBI_SAYS, SCHEMES_ROOM),
    ("sinusoidal", SINUSOIDAL, _sinusoidal, WAVES_ROOM),
    ("relative", RELATIVE_BIAS, _relative_bias, SCHEMES_ROOM),
    ("relative", RELATIVE_KEYS, _relative_keys, SCHEMES_ROOM),
    ("none", RECURRENT, _recurrent, ORDER_ROOM),
    ("none", NO_POSITION, _nothing, ORDER_ROOM),
)
