"""A reader's own table, read from files and checked; nothing leaves the machine."""

from lab.own_table.arrays import MAX_UNPACKED, read_archive, read_array
from lab.own_table.names import read_names, read_tokens
from lab.own_table.parts import FileInfo, Part, Reading, run
from lab.own_table.rows import MAX_ROWS
from lab.own_table.table import MAX_BYTES, read_own_table, reading
from lab.own_table.text import MAX_WIDTH, read_text

__all__ = [
    "MAX_BYTES",
    "MAX_ROWS",
    "MAX_UNPACKED",
    "MAX_WIDTH",
    "FileInfo",
    "Part",
    "Reading",
    "read_archive",
    "read_array",
    "read_names",
    "read_own_table",
    "read_text",
    "read_tokens",
    "reading",
    "run",
]
