"""A reader's own table, read from files and checked; nothing leaves the machine."""

from lab.own_table.arrays import MAX_UNPACKED, read_archive, read_array
from lab.own_table.table import MAX_BYTES, read_own_table
from lab.own_table.text import MAX_ROWS, MAX_WIDTH, read_text, read_tokens

__all__ = [
    "MAX_BYTES",
    "MAX_ROWS",
    "MAX_UNPACKED",
    "MAX_WIDTH",
    "read_archive",
    "read_array",
    "read_own_table",
    "read_text",
    "read_tokens",
]
