"""The room `count`: published totals to the last number, and every way to ask for what is no model."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from app.kit.html import Markup
from app.kit.shares import Slice, percent, picture, stacked
from app.rooms.count import sections, stage, words
from app.rooms.count.compute import FIRST_V, LAST_V, REFERENCES, STEPS, View, compute
from lab.counting import DTYPES, MODELS, from_config_text
from tests.plural import ones

CONFIG = {
    "model_type": "gpt2",
    "vocab_size": 1000,
    "n_embd": 100,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
}
MASKED = json.dumps(
    {
        "model_type": "bert",
        "vocab_size": 100,
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "max_position_embeddings": 4,
        "type_vocab_size": 2,
        "architectures": ["BertForMaskedLM"],
    }
)


def count(**changed: Any) -> View:
    return compute(**{**words.DEFAULTS, **changed})


def pasted(**fields: Any) -> str:
    return json.dumps({**CONFIG, **fields})


def shown(view: View) -> str:
    return Markup("\n").join(make(view) for make in sections.PANES.values()).striptags()


def size(view: View, key: str) -> int:
    return next(part.parameters for part in view.parts if part.key == key)


# the numbers a reader can check by hand


def test_gpt2_small() -> None:
    """50,257 × 768 = 38,597,376, and 38,597,376 / 124,439,808 = 0.3102; once more untied: 163,037,184."""
    view = count()
    assert view.model.table_parameters == 38_597_376
    assert view.parameters == 124_439_808
    assert percent(view.share) == "31 %"
    assert "31 %of 124,439,808 parameters are the token table" in shown(view)
    untied = count(tied=False)
    assert untied.parameters == 163_037_184 == 124_439_808 + 38_597_376
    assert "changed from GPT-2 small: output layer tied → its own" in shown(untied)


@pytest.mark.parametrize(
    ("V", "d", "table"), [(128_000, 4096, 524_288_000), (50_000, 768, 38_400_000)], ids=["llama", "gpt2"]
)
def test_a_table_is_its_rows_times_its_width(V: int, d: int, table: int) -> None:
    """128,000 × 4,096 = 524,288,000 and 50,000 × 768 = 38,400,000, in any model of that width."""
    for preset in ("gpt2", "llama-3-8b"):
        view = count(preset=preset, V=V, d=d)
        assert size(view, "tokens") == view.model.table_parameters == table
        assert f"V × D = {V:,} × {d:,} = {table:,}" in shown(view)


def test_bge_small_and_minilm() -> None:
    """30,522 × 384 = 11,720,448 in both, 512 × 384 = 196,608 positions; six layers more are 10,646,784.

    A layer of width 384: 4 · 384² + 4 · 384 + 2 · 384 · 1,536 + 1,536 + 384 + 4 · 384 = 1,774,464; six of
    them are 33,360,000 − 22,713,216.
    """
    bge, minilm = count(preset="bge-small"), count(preset="minilm-l6")
    assert size(bge, "tokens") == size(minilm, "tokens") == 11_720_448
    assert size(bge, "positions") == 196_608
    assert (bge.parameters, minilm.parameters) == (33_360_000, 22_713_216)
    assert bge.parameters - minilm.parameters == 6 * 1_774_464
    assert "512 positions × 384 = 196,608 parameters" in shown(bge)


def test_llama_3_8b() -> None:
    """128,256 × 4,096 = 525,336,576 twice, of 8,030,261,248: 6.5 % each."""
    view = count(preset="llama-3-8b")
    assert view.parameters == 8_030_261_248
    assert size(view, "tokens") == size(view, "head") == 525_336_576
    assert percent(view.share) == "6.5 %"


@pytest.mark.parametrize("preset", MODELS)
def test_every_preset_gives_its_published_total(preset: str) -> None:
    view = count(preset=preset)
    assert view.parameters == MODELS[preset].published
    assert f"published with {view.parameters:,} parameters" in shown(view)
    assert view.changes == ()


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_follow_the_dtype(dtype: str) -> None:
    """38,597,376 numbers of 32, 16, 8 or 4 bits: × bits / 8."""
    view = count(dtype=dtype)
    assert view.parts[0].bytes(dtype) == 38_597_376 * DTYPES[dtype] // 8
    assert f"{view.parts[0].bytes(dtype):,}" in shown(view)


def test_a_padded_vocabulary_keeps_its_three_widths_apart() -> None:
    """50,257 rounded up to 64 · 786 = 50,304: 47 phantoms, which get 47 / (50,257 e^-2 + 47) = 0.6863 %."""
    view = count()
    assert view.padded == (50_257, 50_304)
    assert view.mass == pytest.approx(47 / (50_257 * np.exp(-2) + 47), rel=1e-12)
    said = shown(view)
    for part in ("50,257tokens of the tokenizer", "50,304rows of the embedding table", "50,304logits"):
        assert part in said
    assert "cost 36,096 parameters" in said
    assert "0.6863 % of the softmax, one sampled token in 146," in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"logit": 2.0}, "in 7,902: less than their 0.0934 % of the rows"),
        ({"logit": 2.0}, "0.0127 % of the softmax, one sampled token in 7,902"),
        ({"logit": 0.0}, "0.0934 % of the softmax, as they are 0.0934 % of the rows"),
        ({"logit": -10.0}, "% of the softmax, though they are only 0.0934 % of the rows"),
        ({"V": 50_303}, "1 row more than tokens costs 768 parameters. No id ever picks it, but it has a"),
        ({"V": 50_303}, "though it is only 0.002 % of the rows. Set its logit to −∞"),
    ],
)
def test_phantoms_are_held_against_their_share_of_the_rows(changed: dict[str, Any], words: str) -> None:
    """47 / (50,257 e² + 47) = 0.0127 %, less than 47 / 50,304 = 0.0934 %; with e⁻¹⁰ it is 95 %."""
    said = shown(count(**changed))
    assert words in said
    assert "token in 1," not in said
    assert "1 padding rows" not in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"preset": "roberta-base"}, "514 rows serve 512 tokens"),
        ({"preset": "roberta-base"}, "Its first token has row 3, behind the padding id 1"),
        ({"preset": "roberta-base"}, "token 513 has no row"),
        ({"preset": "bge-small"}, "token 513 has no row. Twice the window is twice the rows: 393,216"),
        ({"config": MASKED.replace('"bert"', '"camembert"')}, "token 3 has no row"),
        (
            {"config": MASKED.replace('"bert"', '"xlm-roberta", "pad_token_id": 0')},
            "4 rows serve 3 tokens",
        ),
        ({"config": MASKED}, "token 5 has no row"),
    ],
)
def test_rows_before_the_first_token_are_no_window(changed: dict[str, Any], words: str) -> None:
    """RoBERTa numbers from behind its padding id 1: rows 0 and 1 of 514 are no token's."""
    said = shown(count(**changed))
    assert words in said
    assert "position 515" not in said


def test_padding_without_phantoms_or_without_logits() -> None:
    """128,256 = 64 · 2,004 needs no padding; an encoder without output layer has no softmax at all."""
    assert "128,256 is a multiple already: no padding row" in shown(count(preset="llama-3-8b"))
    encoder = count(preset="bge-small")
    assert encoder.mass is None
    assert "without an output layer they do nothing" in shown(encoder)


def test_untied_phantoms_cost_twice() -> None:
    """47 · 768 = 36,096 in the table and as many in the output layer."""
    assert "cost 72,192 parameters" in shown(count(tied=False))


def test_tying_saves_memory_and_no_work() -> None:
    """2 · 50,257 · 768 = 77,194,752 operations for the logits of a token, tied or not."""
    view = count()
    assert view.other is not None
    assert view.other.parameters - view.parameters == 38_597_376
    assert view.model.output_flops == view.other.output_flops == 77_194_752
    said = shown(view)
    assert "Tying saves 38,597,376 parameters, 154 MB, and no work" in said
    assert "There is no output layer in BERT base" in shown(count(preset="bert-base"))


def test_rotations_store_nothing() -> None:
    said = shown(count(preset="llama-3-8b"))
    assert "the window costs no parameter" in said
    assert "1,024 positions × 4,096 = 4,194,304 parameters" in said


# the share against V


def test_the_curve_is_the_share_at_every_vocabulary() -> None:
    """V D / (V D + rest), with rest = 124,439,808 − 38,597,376 for GPT-2 small."""
    view = count()
    V = FIRST_V + (LAST_V - FIRST_V) * np.arange(STEPS + 1) // STEPS
    np.testing.assert_allclose(view.grid, V / 1000, rtol=0)
    rest = 124_439_808 - 38_597_376
    yours = next(curve for curve in view.curves if curve.yours)
    np.testing.assert_allclose(yours.shares, 100 * V * 768 / (V * 768 + rest), rtol=1e-12)


def test_an_untied_output_layer_is_a_curve_of_its_own() -> None:
    """Untied, V D is stored twice: V D / (2 V D + rest) for the table, twice that with the output layer."""
    rest = 124_439_808 - 38_597_376
    table, both = [curve.shares for curve in count(tied=False).curves if curve.yours]
    VD = 768 * (FIRST_V + (LAST_V - FIRST_V) * np.arange(STEPS + 1) // STEPS)
    np.testing.assert_allclose(table, 100 * VD / (2 * VD + rest), rtol=1e-12)
    np.testing.assert_allclose(both, 2 * table, rtol=1e-12)


def test_the_curve_reaches_as_far_as_the_model() -> None:
    assert count(config=pasted()).grid[0] == 1.0
    assert count(V=1_000_000).grid[-1] == 1000.0


def test_no_curve_has_the_name_of_another() -> None:
    assert "GPT-2 small" not in [curve.name for curve in count(V=60_000).curves]
    assert "GPT-2 small" in [curve.name for curve in count(layers=3).curves]
    for changed in ({}, {"layers": 3}, {"preset": "llama-3-8b", "V": 50_000}, {"config": pasted()}):
        names = [curve.name for curve in count(**changed).curves]
        assert len(set(names)) == len(names)
        assert len(names) >= len(REFERENCES)


# changing sizes


def test_changes_are_named_and_taken_back() -> None:
    view = count(V=60_000, layers=6)
    assert "changed from GPT-2 small: V 50,257 → 60,000; layers 12 → 6" in shown(view)
    assert count(V=50_257).changes == ()
    wider = "changed from GPT-2 small: D 768 → 1,024; with it the MLP 3,072 → 4,096"
    assert wider in shown(count(d=1024))


def test_a_wider_llama_keeps_its_heads_and_its_proportions() -> None:
    """4,096 → 1,024: heads of 128 become 32 wide, the MLP 14,336 / 4 = 3,584; the layers shrink to a 16th.

    A layer: 2·D·H·d + 2·D·K·d = 2,621,440 and 3·D·F = 11,010,048, each a 16th of Llama 3 8B's.
    """
    view = count(preset="llama-3-8b", d=1024)
    assert size(view, "attention") == 32 * 2_621_440
    assert size(view, "mlp") == 32 * 11_010_048
    for width in (1000, 32):
        with pytest.raises(ValueError, match=f"{width:,} is no multiple of 64"):
            count(preset="llama-3-8b", d=width)


def test_any_width_fits_a_model_whose_heads_cost_nothing() -> None:
    """GPT-2's matrices are D × D whatever the heads: 4 · 769² + 4 · 769 a layer."""
    assert size(count(d=769), "attention") == 12 * (4 * 769**2 + 4 * 769)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"V": 0}, "V must be a whole number of at least 1; got 0"),
        ({"V": 10**12}, "V must be at most 100,000,000"),
        ({"d": 10**309 - 1}, "D must be at most 1,000,000; got a number of more than 15 digits"),
        ({"d": 10**309 - 1, "preset": "llama-3-8b"}, "D must be at most 1,000,000"),
        ({"layers": 10**309 - 1, "preset": "t5-small"}, "layers must be at most 10,000"),
        ({"layers": 2, "preset": "deepseek-v3"}, "3 layers have no experts, but there are 2"),
        ({"d": 4545, "preset": "falcon-7b"}, "4,545 is no multiple of 142, 4,544 is one"),
        ({"layers": -3}, "layers must be a whole number of at least 1; got −3"),
        ({"d": 0}, "D must be a whole number of at least 1; got 0"),
        ({"d": -64, "preset": "llama-3-8b"}, "D must be a whole number of at least 1; got −64"),
        ({"max_positions": 10, "preset": "gemma-2b"}, "no learned positions to change in Gemma 2B"),
        ({"tied": False, "preset": "bge-small"}, "nothing to tie in bge-small"),
    ],
)
def test_a_size_that_is_none_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count(**changed)


# a pasted config


def test_a_pasted_config_takes_the_place_of_the_preset() -> None:
    """1,000 · 100 + 64 · 100 + 2 (4 · 100² + 400 + 2 · 100 · 400 + 400 + 100) + 5 · 200 = 349,200."""
    view = count(config=pasted(), preset="llama-3-8b")
    assert view.parameters == 349_200
    assert view.own
    assert "A model of your own" in shown(view)
    text = "\ufeff \n" + json.dumps(CONFIG, indent=2) + "\r\n"
    assert count(config=text[1:]).parameters == count(config=text[0] + text[3:]).parameters == 349_200
    assert count(config=" \n ").parameters == 124_439_808
    assert count(config=pasted(), layers=1).changes[0].before == "2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON at line 1, column 2"),
        ("[1, 2]", "a config must be an object"),
        ('{"model_type": "mamba"}', "model_type must be one of .*; got ‘mamba’"),
        (pasted(vocab_size="50257"), "vocab_size must be a whole number .*; got ‘50257’"),
        (pasted(n_layer=None), "the config has no num_hidden_layers"),
        (pasted(n_head=7), "100 is not divisible by 7"),
        ("[" * 5000, "nested more than"),
        ('{"a":"' + "x" * 100_000 + '"}', "A config.json of 100,008 characters is not read"),
    ],
)
def test_a_config_that_cannot_be_counted_says_why(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        count(config=text)
    assert str(refused.value).endswith((".", "?"))


# the store


def test_a_store_refuses_vectors_of_another_width() -> None:
    """The store keeps vectors of 768 numbers; bge-small's have 384."""
    assert "Accepted" in shown(count())
    view = count(preset="bge-small")
    said = shown(view)
    assert "Refused. Nothing is stored." in said
    assert "The store holds vectors of dimension 768; these have 384" in said
    assert count(preset="bge-small", dimension=384).refusal == ""
    assert "dimension must be a whole number of at least 1; got −1" in count(dimension=-1).refusal


# what the room says


def test_the_answers() -> None:
    answers = [question.answer() for question in words.questions()]
    assert [
        question.options[right] for question, (right, _) in zip(words.questions(), answers, strict=True)
    ] == [
        "It grows",
        "About 31 %",
        "Smaller",
        "The memory alone",
        "Several times that",
        "Refuse",
    ]
    said = " ".join(sentence for _, sentence in answers)
    for number in ("38,597,376 of 124,439,808: 31 %", "163,037,184", "0.6863 %", "35 %", "52 %"):
        assert number in said


@pytest.mark.parametrize(
    "changed",
    [
        {"preset": "qwen2.5-0.5b", "tied": False},
        {"preset": "qwen3-0.6b", "d": 2048},
        {"preset": "bge-small", "multiple": 1024},
        {"preset": "roberta-base", "layers": 1},
        {"config": pasted(), "V": 5, "logit": 0.0},
        {"config": MASKED},
    ],
)
def test_the_code_counts_what_the_room_counts(changed: dict[str, Any]) -> None:
    found: dict[str, Any] = {}
    exec(words.code(**{**words.DEFAULTS, **changed}), found)
    np.testing.assert_allclose(found["result"], words.code_answer(count(**changed)), rtol=1e-12)


def test_the_caption() -> None:
    assert words.describe(count()) == (
        "GPT-2 small has 124,439,808 parameters, 498 MB as float32. Its token table, 50,257 × 768 = "
        "38,597,376, is 31 % of them; the output layer reads it too and stores nothing."
    )
    assert "its untied output layer takes 525,336,576 more" in words.describe(count(preset="llama-3-8b"))
    assert "your config.json" in words.describe(count(config=pasted(), tied=False))


# the bar


def test_a_bar_names_its_parts_and_hides_empty_ones() -> None:
    bar = stacked(
        [Slice("a<b", 3, "red"), Slice("c", 1, "blue"), Slice("none", 0, "red")], label="Whole", whole=8
    )
    assert 'aria-label="Whole: a&lt;b 75 %, c 25 %"' in bar
    assert bar.count("lab-slice") == 2
    assert "width:50.000%" in bar
    assert "<b>75 %</b><i>a&lt;b</i>" in bar


def test_the_picture_is_cut_to_scale() -> None:
    """Two bars of 100 / 2 each; three quarters of 260 are 195, drawn one narrower for the gap."""
    made = picture([[Slice("a", 3, "red"), Slice("b", 1, "blue")]] * 2)
    assert made.count("<rect") == 4
    assert 'width="194.0"' in made


def test_every_kind_of_part_has_a_colour() -> None:
    masked = from_config_text(MASKED)
    models = (*(model.architecture for model in MODELS.values()), masked)
    assert {part.key for model in models for part in model.parts()} == set(stage.COLOURS)


def test_an_encoder_that_guesses_masked_tokens() -> None:
    """Tied it still stores a bias for each entry, 100 of them; untied 100 · 8 = 800 more."""
    assert "stores only 100 biases" in words.describe(count(config=MASKED))
    untied = count(config=MASKED, tied=False)
    assert size(untied, "head") == 900
    assert "Tying saves 800 parameters" in shown(untied)


# mixtures, and what stands beside the weights


def test_a_mixture_says_how_much_of_it_takes_part() -> None:
    """Mixtral: 12,879,925,248 of 46,702,792,704 are 27.6 %, 2 of 8 experts in a layer."""
    view = count(preset="mixtral-8x7b")
    assert "12,879,925,248 of all, 28 %, take part in the pass of one token: 2 of 8 experts" in shown(view)
    assert "12,879,925,248" in words.describe(view)
    assert "take part" not in shown(count())


def test_keys_and_values_beside_the_weights() -> None:
    """Llama 3 8B keeps 2 · 32 · 8 · 128 = 65,536 numbers per token: the weights' 8,030,261,248 at 122,532."""
    view = count(preset="llama-3-8b", length=8192, dtype="bfloat16")
    assert view.memory.bytes("cache", "bfloat16") == 2**30
    said = shown(view)
    for part in ("1.07 GB", "per token 2·32·8·128", "From 122,532 tokens on", "4 times as much"):
        assert part in said
    assert "From 61,266 tokens on" in shown(count(preset="llama-3-8b", batch=2))
    assert "An encoder reads all tokens at once" in shown(count(preset="bge-small"))
    assert "learned positions for 1,024 tokens only" in shown(count(length=1025))
    assert "learned positions for" not in shown(count(length=1024))
    assert "learned positions for 2,048 tokens only" in shown(count(preset="opt-125m", length=2049))


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        ("bloom-560m", "scores are lowered by a rule"),
        ("t5-small", "2·32·8 = 512 parameters"),
        ("opt-125m", "Its first token has row 3: 2,050 rows serve 2,048 tokens"),
        ("falcon-7b", "queries and keys are turned by a rule"),
    ],
)
def test_positions_as_the_model_has_them(preset: str, said: str) -> None:
    assert said in shown(count(preset=preset))


def test_how_a_larger_file_was_read_is_said() -> None:
    text = {"model_type": "llama", "vocab_size": 32064}
    view = count(config=json.dumps({"model_type": "llava", "text_config": text}))
    assert "Only the text part is counted, text_config" in shown(view)
    assert "hidden_size 4,096" in shown(view)


@pytest.mark.parametrize(
    "changed", [{"V": 1, "d": 1}, {"d": 1}, {"V": 8191, "d": 1}, {"d": 1, "max_positions": 1}, {"length": 1}]
)
def test_one_thing_is_not_spoken_of_as_several(changed: dict[str, Any]) -> None:
    said = [make(count(**changed)).striptags() for make in sections.PANES.values()]
    assert [one for text in said for one in ones(text)] == []
    assert [
        one for text in said for one in re.findall(r"(?<![\d.,])1 (?:parameters|bytes|biases)", text)
    ] == []
