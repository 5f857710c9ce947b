"""Bytes to lines: what programs of all kinds save as text."""

from __future__ import annotations

import codecs

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decoded(content: bytes, cut: bool = False) -> tuple[str, list[str]]:
    """Return the text and sentences on what in it was no text.

    Single bytes that are not UTF-8, as word2vec leaves them in tokens, are written out as ``\\xe9``.

    Parameters
    ----------
    content : bytes
        UTF-8, or UTF-16 with its mark.
    cut : bool
        Whether these are only the first bytes of a file; what stands behind the last line break is dropped.

    Raises
    ------
    ValueError
        If the bytes are no text at all.

    Examples
    --------
    >>> decoded(b"caf\\xe9 1\\nthe 2\\n")[0]
    'caf\\\\xe9 1\\nthe 2\\n'
    """
    if content.startswith(_UTF16):
        even = content[: len(content) // 2 * 2] if cut else content
        try:
            text = even.decode("utf-16", "ignore" if cut else "strict")
        except UnicodeDecodeError as reason:
            raise ValueError(f"the text is not UTF-16 at byte {reason.start:,}; save it as UTF-8") from reason
        return (text[: text.rfind("\n") + 1] if cut else text), []
    content = content.removeprefix(codecs.BOM_UTF8)
    if cut:
        content = content[: content.rfind(b"\n") + 1]
    if (at := content.find(b"\0")) >= 0:
        raise ValueError(
            f"byte {at:,} is zero, so this is no text; save the table as text, as .npy with a token list, or "
            "as .safetensors"
        )
    try:
        return content.decode("utf-8"), []
    except UnicodeDecodeError as reason:
        first, sign = content.count(b"\n", 0, reason.start) + 1, content[reason.start]
    text = content.decode("utf-8", "backslashreplace")
    wrong = sum(not _is_utf8(line) for line in content.split(b"\n"))
    if 2 * wrong > content.count(b"\n") + 1:
        raise ValueError(f"line {first:,} is not UTF-8, nor are most others; save the text as UTF-8")
    lines = "1 line is" if wrong == 1 else f"{wrong:,} lines are"
    return text, [f"{lines} not UTF-8, the first is line {first:,}; such bytes are written as \\x{sign:02x}."]


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def lines_of(text: str) -> list[str]:
    """Lines without their ends; only line feeds part them, or carriage returns where there are no others.

    Tokens hold the other signs that Unicode takes for the end of a line.

    >>> lines_of("a\\r\\nb\\n"), lines_of("a\\rb\\r"), lines_of("a\\x85b")
    (['a', 'b'], ['a', 'b'], ['a\\x85b'])
    """
    end = "\r" if "\r" in text and "\n" not in text else "\n"
    lines = text.removesuffix(end).split(end)
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines
