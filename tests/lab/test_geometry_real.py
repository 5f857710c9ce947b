"""What the shipped tables show. The numbers were measured on these very files, to the digits given."""

import numpy as np
import pytest

from lab.data import minilm, smollm2, whisper_positions
from lab.geometry import (
    analogy,
    cosine,
    cosine_by_lag,
    cosine_matrix,
    isotropy,
    neighbours,
    read_back,
    spearman,
    unit_rows,
    variance_explained_by_lag,
)
from lab.smollm2 import layer0_keys, layer0_queries
from lab.vocab import minilm_table

TABLE = minilm_table()
E, P = TABLE.E, TABLE.P
UNIT = unit_rows(E)
ID = TABLE.vocabulary.id_of


def near(word, k=4):
    found = neighbours(UNIT, E[ID(word)], k, exclude=[ID(word)])
    return {TABLE.vocabulary.token_of(i): round(float(c), 2) for i, c in zip(*found, strict=True)}


def between(a, b):
    return cosine(E[ID(a)], E[ID(b)])


def test_neighbours_of_cat():
    """kitty is not in the reduced vocabulary; dog comes third."""
    assert near("cat", 3) == {"cats": 0.82, "kitten": 0.56, "dog": 0.42}
    assert "kitty" not in TABLE.vocabulary


def test_bank_leans_to_money():
    assert near("bank", 5) == {"banks": 0.78, "banking": 0.66, "##bank": 0.62, "financial": 0.4, "money": 0.4}
    np.testing.assert_allclose(between("bank", "river"), 0.255, atol=5e-4)


def test_antonyms_are_close():
    np.testing.assert_allclose(between("good", "bad"), 0.533, atol=1e-3)


def test_king_comes_first_until_the_inputs_are_excluded():
    words = ID("man"), ID("king"), ID("woman")
    raw = analogy(UNIT, *words, exclude_inputs=False, k=2)
    assert [TABLE.vocabulary.token_of(i) for i in raw.ids] == ["king", "queen"]
    excluded = analogy(UNIT, *words, exclude_inputs=True, k=1)
    assert [TABLE.vocabulary.token_of(i) for i in excluded.ids] == ["queen"]


def test_norm_against_rarity_rises_and_then_falls():
    """Id order is frequency order, by and large. Over the common words of the reduced vocabulary the norm
    first rises (rank correlation .51 over 1,000 words) and then falls (-.36 over all); averaged over a
    hundred words at a time the fall is -.84."""
    vocabulary = TABLE.vocabulary
    words = [i for i, t in enumerate(vocabulary) if t.isalpha() and len(t) > 1]
    norms = np.linalg.norm(E[words].astype(float), axis=1)
    rank = np.arange(len(words))
    np.testing.assert_allclose(spearman(rank[:1000], norms[:1000]), 0.506, atol=5e-3)
    np.testing.assert_allclose(spearman(rank, norms), -0.359, atol=5e-3)
    bins = [norms[a : a + 100].mean() for a in range(0, len(words), 100)]
    np.testing.assert_allclose(spearman(np.arange(len(bins)), bins), -0.836, atol=2e-2)


def test_random_pairs_are_nearly_orthogonal():
    """All pairs: mean .0087 in closed form; 10,000 random ones have sd .070."""
    found = isotropy(E, np.random.default_rng(0))
    sums = UNIT.astype(float).sum(axis=0)
    exact = (sums @ sums - len(E)) / (len(E) * (len(E) - 1))
    assert abs(found.mean - exact) < 4 * found.sd / 100
    np.testing.assert_allclose(found.mean, 0.009, atol=3e-3)
    np.testing.assert_allclose(found.sd, 0.070, atol=3e-3)


def test_smollm2_rows_share_a_part_that_centring_removes():
    raw = isotropy(smollm2().embeddings, np.random.default_rng(0))
    centred = isotropy(smollm2().embeddings, np.random.default_rng(0), centred=True)
    np.testing.assert_allclose([raw.mean, centred.mean], [0.158, 0.0], atol=8e-3)


def test_position_norms():
    norms = np.linalg.norm(P, axis=1)
    np.testing.assert_allclose([norms[0], np.median(norms)], [2.36, 0.48], atol=5e-3)
    assert norms.argmax() == 0


def test_cosine_by_lag_is_banded():
    """It falls to lag 3, rises to lag 6 and falls again: no smooth decay."""
    by_lag = cosine_by_lag(cosine_matrix(P))[1:10]
    np.testing.assert_allclose(by_lag, [0.85, 0.59, 0.44, 0.50, 0.66, 0.69, 0.52, 0.29, 0.21], atol=6e-3)
    assert by_lag.argmin() == 8
    assert by_lag[:6].argmin() == 2


@pytest.mark.parametrize(
    ("rows", "share"), [(P, 0.49), (whisper_positions(), 0.77)], ids=["MiniLM", "Whisper"]
)
def test_share_of_the_cosine_that_distance_explains(rows, share):
    np.testing.assert_allclose(variance_explained_by_lag(cosine_matrix(rows)), share, atol=5e-3)


def test_whisper_breaks_in_the_middle():
    """448 / 2 = 224: neighbours have cosine .8 around it, but .3 at it."""
    step = np.diagonal(cosine_matrix(whisper_positions()), 1)
    assert step[[223, 224]].max() < 0.35
    assert step[[215, 216, 217, 226, 227, 228]].min() > 0.6


def test_token_and_position_rows_are_nearly_orthogonal():
    cosines = cosine_matrix(E, P)
    np.testing.assert_allclose([cosines.mean(), cosines.std()], [0.0, 0.029], atol=1e-3)


def test_token_and_position_can_be_read_back_from_their_sum():
    rng = np.random.default_rng(0)
    tokens, places = rng.integers(len(E), size=40), rng.integers(len(P), size=40)
    found = read_back(E, P, E[tokens] + P[places])
    np.testing.assert_array_equal(found.tokens, tokens)
    np.testing.assert_array_equal(found.positions, places)


def test_the_full_ids_rise_with_the_rows():
    assert minilm().token_ids[ID("the")] == 1996


@pytest.mark.parametrize("token", [" the", " people", "he"])
def test_layer_0_queries_and_keys_follow_the_definition(token):
    """q = Wq (x / √(mean x² + eps) · gain), head by head, in float64 loops over heads."""
    pack = smollm2()
    x = pack.embeddings[pack.tokens.index(token)].astype(float)
    normed = x / np.sqrt((x**2).mean() + 1e-5) * pack.attn_norm
    for h in range(9):
        np.testing.assert_allclose(
            layer0_queries(token)[h], pack.Wq[64 * h : 64 * h + 64].astype(float) @ normed, atol=2e-4
        )
    for h in range(3):
        np.testing.assert_allclose(
            layer0_keys(token)[h], pack.Wk[64 * h : 64 * h + 64].astype(float) @ normed, atol=2e-4
        )


def test_queries_and_keys_are_read_only_and_unknown_tokens_named():
    with pytest.raises(ValueError, match="read-only"):
        layer0_queries(" the")[0, 0] = 1
    with pytest.raises(ValueError, match="‘zebra’ is not in the vocabulary"):
        layer0_keys("zebra")
