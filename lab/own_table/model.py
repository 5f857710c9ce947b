"""Tables out of checkpoints of any size: the header, the names, and as many rows as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.own_table.checkpoint import Source, reading_rows
from lab.own_table.gguf import reading_gguf
from lab.own_table.made import OwnTable, own_table
from lab.own_table.names import names_of_ids, numbered, unique
from lab.own_table.parts import FileInfo, Reading, stretch
from lab.own_table.safetensors import reading_safetensors


def reading_checkpoint(
    files: Sequence[FileInfo], which: int, gguf: bool, listed: int | None, limit: int
) -> Reading[OwnTable]:
    """Read the first rows of a checkpoint's token table.

    Parameters
    ----------
    files : sequence of FileInfo
        All that were chosen.
    which : int
        The checkpoint among them.
    gguf : bool
        Whether it is GGUF; otherwise safetensors.
    listed : int, optional
        The file with the names, if there is one.
    limit : int
        Bytes, of all together.

    Raises
    ------
    ValueError
        If a header is damaged, there is no token table, or the names do not fit it.
    """
    checkpoint = yield from (reading_gguf if gguf else reading_safetensors)(which, files[which])
    left = limit - checkpoint.header
    tensor = checkpoint.tables()[0]
    names = dict(checkpoint.names)
    said: tuple[str, ...] = ("The names are its own token list.",) if names else ()
    if listed is not None:
        file = files[listed]
        if file.size > left:
            raise ValueError(
                f"{file.name} has {file.size:,} bytes; up to {left:,} can be read beside the header"
            )
        read = names_of_ids((yield from stretch(listed, 0, file.size)), tensor.shape[0])
        names = {i: token for i, token in enumerate(read.tokens) if token}
        said = (f"The names come from {file.name}.", *read.said)
        left -= file.size
    source = Source(which, checkpoint, names, said, left, tensor.name, 0, 0)
    return (yield from reading_again(source, tensor.name, 0))


def reading_again(source: Source, tensor: str, first: int) -> Reading[OwnTable]:
    """Read other rows of a checkpoint that was opened, or of another of its tables.

    Raises
    ------
    ValueError
        If there is no such table, or no such row.
    """
    tables = {table.name: table for table in source.checkpoint.tables()}
    if tensor not in tables:
        raise ValueError(f"{tensor} is no token table of this file; choose {' or '.join(list(tables)[:4])}")
    taken = yield from reading_rows(source.which, source.checkpoint, tables[tensor], first, source.limit)
    count = len(taken.rows)
    ids = range(first, first + count)
    said = [*taken.said, *source.names_said]
    if source.names:
        named = unique((source.names.get(i, "") for i in ids), first)
        said += named.said
        tokens = named.tokens
    else:
        tokens = numbered(count, first)
        said.append(
            "Rows are named by their numbers; choose tokenizer.json together with the file to see tokens."
        )
    table = own_table(source.checkpoint.file.name, tokens, taken.rows, None, said)
    return OwnTable(table, replace(source, tensor=tensor, first=first, count=count))
