"""Names of rows from a tokenizer's own file, spelt so that they can be read.

tokenizer.json is the serialisation of the Hugging Face ``tokenizers`` library: ``model.vocab`` holds the
tokens with their ids (BPE, WordPiece, WordLevel) or in the order of their ids with a score (Unigram), and
``added_tokens`` what was added by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

BYTE_LEVEL, METASPACE, PLAIN = "byte level", "metaspace", "plain"
MAX_IDS = 2_000_000
"""Ids beyond this belong to no table that exists."""


class Tokens(NamedTuple):
    """The tokens of a tokenizer by their ids."""

    vocab: dict[int, str]
    added: dict[int, str]
    """Those that were added by hand; a table need not have rows for them."""


def read_tokenizer(found: Mapping[str, Any]) -> Tokens:
    """Return the tokens of a parsed tokenizer.json, readable, a leading space as a space.

    Raises
    ------
    ValueError
        If it holds no vocabulary.

    Examples
    --------
    >>> model = {"type": "BPE", "vocab": {"Ġcat": 0, "s": 1}}
    >>> read_tokenizer({"model": model, "decoder": {"type": "ByteLevel"}, "added_tokens": []}).vocab
    {0: ' cat', 1: 's'}
    """
    model = found.get("model")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    pairs: list[tuple[Any, Any]]
    if isinstance(vocab, dict):
        pairs = list(vocab.items())
    elif isinstance(vocab, list) and all(isinstance(item, list) and item for item in vocab):
        pairs = [(item[0], i) for i, item in enumerate(vocab)]
    else:
        raise ValueError("tokenizer.json has no model.vocab with tokens; give the tokens one a line instead")
    spelling = _spelling(found)
    named: dict[int, str] = {}
    for token, i in pairs:
        if not isinstance(token, str) or type(i) is not int or not 0 <= i < MAX_IDS:
            raise ValueError(
                f"tokenizer.json gives token {token!r:.40} the id {i!r:.20}; ids are whole numbers"
            )
        named[i] = readable(token, spelling)
    extra, added = found.get("added_tokens"), {}
    for item in extra if isinstance(extra, list) else ():
        i, content = (item.get("id"), item.get("content")) if isinstance(item, dict) else (None, None)
        if type(i) is int and 0 <= i < MAX_IDS and isinstance(content, str):
            added[i] = content
    return Tokens(named, added)


def _spelling(found: Mapping[str, Any]) -> str:
    """How the tokens are written; the decoder tells, or the parts of which it consists."""
    kinds: set[str] = set()
    for name in ("decoder", "pre_tokenizer", "normalizer"):
        _collect(found.get(name), kinds, depth=4)
    if "ByteLevel" in kinds:
        return BYTE_LEVEL
    return METASPACE if kinds & {"Metaspace", "▁"} else PLAIN


def _collect(part: Any, kinds: set[str], depth: int) -> None:
    if isinstance(part, dict) and depth:
        kinds.add(str(part.get("type")))
        pattern = part.get("pattern")
        # SentencePiece without Metaspace: a rule that writes ▁ as a space
        if (
            part.get("type") == "Replace"
            and isinstance(pattern, dict)
            and "▁" in (pattern.get("String"), part.get("content"))
        ):
            kinds.add("▁")
        for inner in part.values():
            for item in inner if isinstance(inner, list) else [inner]:
                _collect(item, kinds, depth - 1)


def readable(token: str, spelling: str) -> str:
    """Return a token as text; bytes that are no text by themselves are written as ⟨E280⟩.

    Parameters
    ----------
    token : str
        As the vocabulary spells it.
    spelling : str
        `BYTE_LEVEL` (GPT-2's: each byte a visible character, a space Ġ), `METASPACE` (SentencePiece's: a
        space is ▁) or `PLAIN`.

    References
    ----------
    Radford et al. 2019, GPT-2, section 2.2 for byte-level tokens; Kudo and Richardson 2018,
    arXiv:1808.06226, for ▁.

    Examples
    --------
    >>> readable("ĠcafÃ©", BYTE_LEVEL), readable("▁the", METASPACE), readable("âĢ", BYTE_LEVEL)
    (' café', ' the', '⟨E280⟩')
    """
    if spelling == METASPACE:
        return token.replace("▁", " ")
    if spelling == PLAIN:
        return token
    table = _bytes_of_characters()
    codes = [table.get(character) for character in token]
    if None in codes:
        return token
    content = bytes(code for code in codes if code is not None)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return f"⟨{content.hex().upper()}⟩"


@lru_cache(maxsize=1)
def _bytes_of_characters() -> dict[str, int]:
    """Bytes that print in Latin-1 stand for themselves; the others follow in order from U+0100."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [code for code in range(0x100) if code not in set(shown)]
    return {chr(code): code for code in shown} | {chr(0x100 + i): code for i, code in enumerate(hidden)}
