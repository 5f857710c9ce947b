"""A reader's own table, read from files and checked; nothing leaves the machine."""

from lab.own_table.arrays import MAX_UNPACKED, megabytes, read_archive, read_array
from lab.own_table.checkpoint import Source
from lab.own_table.made import OwnTable
from lab.own_table.model import reading_again
from lab.own_table.names import read_names, read_tokens
from lab.own_table.parts import LARGEST_PART, PAUSE, FileInfo, Part, Reading, check_part, run, stretch
from lab.own_table.rows import MAX_ROWS
from lab.own_table.table import MAX_BYTES, open_table, read_own_table, reading
from lab.own_table.text import MAX_WIDTH, read_text

__all__ = [
    "LARGEST_PART",
    "MAX_BYTES",
    "MAX_ROWS",
    "MAX_UNPACKED",
    "MAX_WIDTH",
    "PAUSE",
    "FileInfo",
    "OwnTable",
    "Part",
    "Reading",
    "Source",
    "check_part",
    "megabytes",
    "open_table",
    "read_archive",
    "read_array",
    "read_names",
    "read_own_table",
    "read_text",
    "read_tokens",
    "reading",
    "reading_again",
    "run",
    "stretch",
]
