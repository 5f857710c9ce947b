"""Words of SmolLM2's pack, and their true scores in its first layer."""

from __future__ import annotations

import numpy as np
import pytest

from lab import reference
from lab.data import smollm2
from lab.smollm2 import find_token, layer0_keys, layer0_queries, layer0_scores


@pytest.mark.parametrize("typed", ["water", " water", "␣water", "  water  ", "water\n"])
def test_a_word_is_found_as_typed_or_after_a_space(typed):
    assert find_token(typed) == " water"


def test_a_token_without_a_space_comes_first_where_it_is_meant():
    """ " he" and "he" are two tokens: the second is what stands there when no space is typed."""
    assert (find_token("he"), find_token(" he")) == ("he", " he")


def test_a_word_that_is_not_there_names_near_ones():
    with pytest.raises(ValueError, match=r"‘cat’ is not among the pack's 1,500 tokens. Near it: .*␣car"):
        find_token("cat")
    with pytest.raises(ValueError, match="None is near it"):
        find_token("Ωx" * 3_000)
    with pytest.raises(ValueError, match="Type a word"):
        find_token("  ")


def test_scores_are_turned_dot_products_over_8():
    """Head h of ' people' at m against key head h // 3 of ' water' at n, by the slow definition."""
    pack = smollm2()
    inv_freq = 1e5 ** (-np.arange(0, 64, 2) / 64)
    interleaved = [(i, i + 1) for i in range(0, 64, 2)]
    at = [(9, 8), (40, 8), (2_047, 0)]
    got = layer0_scores(" people", " water", [m - n for m, n in at])
    assert got.shape == (9, 3)
    for head in range(pack.n_heads):
        for column, (m, n) in enumerate(at):
            q, k = (
                reference.rotate(row[None].astype(float), np.array([position]), inv_freq, interleaved)[0]
                for row, position in (
                    (layer0_queries(" people")[head], m),
                    (layer0_keys(" water")[head // 3], n),
                )
            )
            assert got[head, column] == pytest.approx(q @ k / 8, abs=1e-5)


def test_a_token_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="‘lion’ is not in the vocabulary"):
        layer0_scores("lion", " water", [1])
