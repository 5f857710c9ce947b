"""Text to ids: the vocabulary, the tokenizers behind one interface, and the course's tables."""

from lab.vocab.course import (
    CHAPTER_VECTORS,
    COURSE_VECTORS,
    COURSES,
    FINANCE,
    FULL_MINILM,
    ONEHOT,
    RUNNING,
    Table,
    minilm_table,
)
from lab.vocab.given import SpacedMatch, given_table
from lab.vocab.numbered import Ids, gpt2_table
from lab.vocab.tokenizers import Characters, GreedyLongestMatch, Piece, Tokenizer, Words
from lab.vocab.vocabulary import Truncation, Vocabulary, show_token, truncate
from lab.vocab.wordpiece import WordPiece

__all__ = [
    "CHAPTER_VECTORS",
    "COURSES",
    "COURSE_VECTORS",
    "FINANCE",
    "FULL_MINILM",
    "ONEHOT",
    "RUNNING",
    "Characters",
    "GreedyLongestMatch",
    "Ids",
    "Piece",
    "SpacedMatch",
    "Table",
    "Tokenizer",
    "Truncation",
    "Vocabulary",
    "WordPiece",
    "Words",
    "given_table",
    "gpt2_table",
    "minilm_table",
    "show_token",
    "truncate",
]
