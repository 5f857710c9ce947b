"""Parameters and bytes of published models, padded vocabularies, and widths that must agree."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.counting import (
    BERT,
    DTYPES,
    GPT2,
    LETTERS,
    MODELS,
    Llama,
    PaddedVocabulary,
    byte_count,
    check_dimension,
    padded_vocabulary,
    phantom_mass,
)
from tests.golden import case

quick = settings(deadline=None, max_examples=40)


def parameters(model):
    """Parameters by key of the part."""
    return {part.key: part.parameters for part in model.parts()}


# Published totals


@pytest.mark.parametrize("key", MODELS)
def test_published_totals(key):
    assert MODELS[key].architecture.parameters == MODELS[key].published


def test_published_totals_are_typed_from_their_sources():
    """The must-show totals, so that no preset can be bent to fit its own count."""
    totals = {key: model.published for key, model in MODELS.items()}
    assert totals["gpt2"] == 124_439_808
    assert totals["minilm-l6"] == 22_713_216
    assert totals["bge-small"] == 33_360_000
    assert totals["llama-3-8b"] == 8_030_261_248
    assert all("/" in model.source and model.title for model in MODELS.values())


def test_gpt2_small_part_by_part():
    """Case emb-13. Table 50,257 x 768, positions 1,024 x 768. Attention of a layer: queries, keys, values and
    output are 4 x 768^2 + 4 x 768 = 2,362,368; MLP of a layer: 2 x 768 x 3,072 + 3,072 + 768 = 4,722,432;
    25 norms of 2 x 768. Untied, the output layer is a second table.
    """
    model = MODELS["gpt2"].architecture
    assert parameters(model) == {
        "tokens": 38_597_376,
        "positions": 786_432,
        "attention": 12 * 2_362_368,
        "mlp": 12 * 4_722_432,
        "norms": 25 * 1_536,
        "head": 0,
    }
    assert "wte 38,597,376" in case("emb-13")["expected"]
    assert round(100 * model.table_share) == 31
    untied = dataclasses.replace(model, tied=False)
    assert untied.parameters == 163_037_184
    assert untied.vocabulary_share == pytest.approx(2 * 38_597_376 / 163_037_184)
    assert untied.table_share == pytest.approx(38_597_376 / 163_037_184)


def test_tying_saves_memory_and_no_work():
    """2 x 50,257 x 768 operations a token either way; no output layer, no work."""
    model = MODELS["gpt2"].architecture
    assert model.output_flops == dataclasses.replace(model, tied=False).output_flops == 77_194_752
    assert dataclasses.replace(model, head=False).output_flops == 0
    assert MODELS["bge-small"].architecture.output_flops == 0


def test_bge_small_part_by_part():
    """30,522 x 384 tokens, 512 x 384 positions, 2 x 384 types, pooler 384^2 + 384."""
    parts = parameters(MODELS["bge-small"].architecture)
    assert parts["tokens"] == 11_720_448
    assert parts["positions"] == 196_608
    assert parts["types"] == 768
    assert parts["pooler"] == 147_840


def test_tables_by_hand():
    assert Llama(V=128_000, D=4_096, layers=1, heads=32, mlp_width=1).table_parameters == 524_288_000
    assert GPT2(V=50_000, D=768, layers=1, heads=12, max_positions=1).table_parameters == 38_400_000


def test_masked_language_model_head():
    """BERT base as BertForMaskedLM is published with 109,514,298: no pooler (590,592), but a dense layer with
    norm (768^2 + 3 x 768 = 592,128) and 30,522 output biases: 109,482,240 - 590,592 + 592,128 + 30,522.
    """
    model = dataclasses.replace(MODELS["bert-base"].architecture, pooler=False, masked_lm=True)
    assert model.parameters == 109_514_298
    assert dataclasses.replace(model, tied=False).parameters == 109_514_298 + 30_522 * 768


def test_grouped_heads_and_biases_by_hand():
    """D = 8, 4 heads of 2, 2 key heads, F = 3: queries and output 2 x 8 x 8, keys and values 2 x 8 x 4: 192;
    biases 8 + 2 x 4 for q, k, v and 8 after; MLP 3 x 8 x 3 = 72 and biases 3 + 3 + 8; q and k gains 2 x 2.
    """
    plain = Llama(V=10, D=8, layers=1, heads=4, kv_heads=2, mlp_width=3)
    assert parameters(plain) == {
        "tokens": 80,
        "positions": 0,
        "attention": 192,
        "mlp": 72,
        "norms": 24,
        "head": 0,
    }
    biased = dataclasses.replace(plain, qkv_bias=True, output_bias=True, mlp_bias=True, qk_norm=True)
    assert parameters(biased) == {
        "tokens": 80,
        "positions": 0,
        "attention": 216,
        "mlp": 86,
        "norms": 28,
        "head": 0,
    }
    assert plain.head_width == 2


sizes = {"V": st.integers(1, 10**5), "layers": st.integers(1, 99), "mlp_width": st.integers(1, 9999)}
flags = st.booleans()
models = st.one_of(
    st.builds(
        lambda d, heads, **rest: GPT2(D=d * heads, heads=heads, **rest),
        d=st.integers(1, 128),
        heads=st.integers(1, 32),
        max_positions=st.integers(1, 4096),
        tied=flags,
        head=flags,
        **sizes,
    ),
    st.builds(
        lambda d, heads, **rest: BERT(D=d * heads, heads=heads, **rest),
        d=st.integers(1, 128),
        heads=st.integers(1, 32),
        max_positions=st.integers(1, 4096),
        token_types=st.integers(0, 4),
        tied=flags,
        pooler=flags,
        masked_lm=flags,
        **sizes,
    ),
    st.builds(
        lambda d, groups, kv_heads, **rest: Llama(
            D=64 * kv_heads * groups, heads=kv_heads * groups, kv_heads=kv_heads, head_width=d, **rest
        ),
        d=st.integers(1, 256),
        groups=st.integers(1, 8),
        kv_heads=st.integers(1, 8),
        tied=flags,
        head=flags,
        qkv_bias=flags,
        output_bias=flags,
        mlp_bias=flags,
        qk_norm=flags,
        **sizes,
    ),
)


def evaluate(formula, **sizes):
    """A formula as Python reads it."""
    return eval(formula.replace("·", "*").replace("²", "**2").replace(",", ""), {"__builtins__": {}}, sizes)


@given(model=models)
@quick
def test_every_formula_gives_its_parameters(model):
    """Letters stand in the formula, this model's numbers in its copy; both belong to the count."""
    for part in model.parts():
        assert evaluate(part.numbers) == part.parameters == evaluate(part.formula, **dict(part.sizes))
        assert set(filter(str.isalpha, part.formula)) <= set(LETTERS)
        assert not any(map(str.isalpha, part.numbers))
    assert model.parameters == sum(part.parameters for part in model.parts())
    assert 0 < model.table_share <= model.vocabulary_share <= 1


@given(model=models, more=st.integers(1, 1000))
@quick
def test_the_vocabulary_grows_by_its_rows_alone(model, more):
    bigger = dataclasses.replace(model, V=model.V + more)
    per_row = model.D * (1 if model.tied or not model.has_output else 2)
    per_row += isinstance(model, BERT) and model.masked_lm
    assert bigger.parameters - model.parameters == more * per_row


# Bytes


def test_bytes_by_dtype():
    """GPT-2's table: 38,597,376 numbers of 32, 16, 16, 8 and 4 bits."""
    table = MODELS["gpt2"].architecture.parts()[0]
    assert {name: table.bytes(name) for name in DTYPES} == {
        "float32": 154_389_504,
        "bfloat16": 77_194_752,
        "float16": 77_194_752,
        "int8": 38_597_376,
        "4-bit": 19_298_688,
    }
    assert MODELS["llama-3-8b"].architecture.bytes("bfloat16") == 2 * 8_030_261_248
    assert byte_count(3, "4-bit") == 2
    with pytest.raises(ValueError, match="the dtypes are float32"):
        byte_count(1, "float8")


# Sizes that are refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"V": 0}, "V must be"),
        ({"V": True}, "V must be"),
        ({"V": 10**400}, "V must be at most 100,000,000"),
        ({"layers": -1}, "layers must be"),
        ({"D": 768.0}, "D must be"),
        ({"D": 770}, "770 is not divisible by 12"),
        ({"heads": 0}, "heads must be"),
        ({"max_positions": "1024"}, "max_positions must be"),
        ({"mlp_width": 0}, "mlp_width must be"),
    ],
)
def test_sizes_that_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(MODELS["gpt2"].architecture, **change)


def test_heads_that_do_not_group():
    with pytest.raises(ValueError, match="32 query heads do not split evenly over 5"):
        dataclasses.replace(MODELS["llama-3-8b"].architecture, kv_heads=5)
    with pytest.raises(ValueError, match="token_types must be"):
        dataclasses.replace(MODELS["bert-base"].architecture, token_types=False)
    with pytest.raises(ValueError, match="heads must be"):
        Llama(V=1, D=8, layers=1, heads=0, mlp_width=1)


# Padding and widths


def test_case_emb_12_padded_vocabulary():
    """786 x 64 = 50,304, the next multiple of 64. 47 / (50,257 e^-2 + 47) = 47 / 6,848.5 = .6863 %."""
    padded = padded_vocabulary(50_257, 64)
    assert padded == (50_257, 50_304)
    assert padded.phantoms == 47
    assert padded_vocabulary(50_257, 128).rows == 50_304
    assert padded_vocabulary(50_304, 64).phantoms == 0
    assert "0.6863%" in case("emb-12")["expected"]
    assert phantom_mass(padded) == pytest.approx(0.006863, abs=5e-7)


@given(real=st.floats(-700, 700), phantom=st.floats(-700, 700))
@quick
def test_phantom_mass_is_the_softmax(real, phantom):
    logits = np.array([real] * 5 + [phantom] * 3)
    weights = np.exp(logits - logits.max())
    expected = weights[5:].sum() / weights.sum()
    assert phantom_mass(padded_vocabulary(5, 8), real, phantom) == pytest.approx(expected, rel=1e-12)


def test_phantom_mass_at_the_edges():
    assert phantom_mass(padded_vocabulary(64, 64)) == 0.0
    assert phantom_mass(padded_vocabulary(5, 8), -1e308, 0.0) == 1.0
    for logits in ((float("nan"), 0.0), (0.0, float("inf")), (1e308, -1e308)):
        with pytest.raises(ValueError, match="logits must be finite"):
            phantom_mass(padded_vocabulary(5, 8), *logits)
    with pytest.raises(ValueError, match="3 rows cannot hold 5 tokens"):
        phantom_mass(PaddedVocabulary(5, 3))


@pytest.mark.parametrize(("V", "multiple"), [(0, 64), (5, 0), (5, 1.5), (True, 64)])
def test_paddings_that_are_refused(V, multiple):
    with pytest.raises(ValueError, match="whole number"):
        padded_vocabulary(V, multiple)


def test_vectors_of_another_width_are_refused():
    vectors = np.ones((3, 384), dtype=np.float32)
    assert check_dimension(384, vectors) is vectors
    assert check_dimension(384, vectors[0]).shape == (384,)
    with pytest.raises(ValueError, match=r"dimension 768; these have 384 numbers each"):
        check_dimension(768, vectors)
    # three vectors of width 384 are no vector of width 3
    with pytest.raises(ValueError, match="dimension 3; these have 384"):
        check_dimension(3, vectors)
    for nothing in (np.ones(()), np.ones((0, 384)), np.ones((1, 1, 384)), [[np.nan] * 384], ["a"]):
        with pytest.raises(ValueError, match="vectors"):
            check_dimension(384, nothing)
