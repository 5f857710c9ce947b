"""The room's sentences: they stand in words.txt beside this file."""

from app.kit.words import Words

WORDS = Words(__file__)
