"""The room `count`: published totals to the last number, and every way to ask for what is no model."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from app.kit.figure import Snapshot
from app.kit.html import Markup
from app.kit.shares import Slice, percent, picture, stacked
from app.rooms.count import ROOM
from app.rooms.count.look import COLOURS, name
from app.rooms.count.model import FIRST_V, LAST_V, REFERENCES, Counted
from app.rooms.count.state import DEFAULTS
from lab.counting import DTYPES, MODELS, from_config_text
from tests.plural import ones

KEYS = ROOM.keys()
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


def count(**changed: Any) -> Counted:
    """What the figures show of a state, if it is not refused."""
    s = Snapshot({**DEFAULTS, **changed})
    for key in KEYS:
        ROOM.figure(key).compute(s)
    return Counted(s)


def pasted(**fields: Any) -> str:
    return json.dumps({**CONFIG, **fields})


def caption(key: str, view: Counted) -> str:
    return ROOM.figure(key).caption(view)


def shown(key: str, view: Counted) -> str:
    """What a figure says: its picture in HTML and its caption."""
    figure: Any = ROOM.figure(key)
    picture = figure.shown(view) if key != "curve" else Markup("")
    return f"{picture.striptags()}\n{figure.caption(view)}"


def numbers(key: str, view: Counted) -> dict[str, list[Any]]:
    """A figure's first table: its rows by what stands in front."""
    return {str(first): list(rest) for first, *rest in ROOM.figure(key).numbers(view)[0].rows}


def size(view: Counted, key: str) -> int:
    return view.of_kind(key).parameters


# the numbers a reader can check by hand


def test_gpt2_small() -> None:
    """50,257 × 768 = 38,597,376, and 38,597,376 / 124,439,808 = 0.3102; once more untied: 163,037,184."""
    view = count()
    assert view.model.table_parameters == 38_597_376
    assert view.parameters == 124_439_808
    assert percent(view.share) == "31 %"
    assert "31 %of 124,439,808 parameters are the token table" in shown("parts", view)
    assert "498 MB as float32" in shown("parts", view)
    untied = count(tied=False)
    assert untied.parameters == 163_037_184 == 124_439_808 + 38_597_376
    assert "changed from GPT-2 small: output layer tied → its own" in shown("parts", untied)


@pytest.mark.parametrize(
    ("V", "d", "table"), [(128_000, 4096, 524_288_000), (50_000, 768, 38_400_000)], ids=["llama", "gpt2"]
)
def test_a_table_is_its_rows_times_its_width(V: int, d: int, table: int) -> None:
    """128,000 × 4,096 = 524,288,000 and 50,000 × 768 = 38,400,000, in any model of that width."""
    for preset in ("gpt2", "llama-3-8b"):
        view = count(preset=preset, V=V, d=d)
        assert size(view, "tokens") == view.model.table_parameters == table
        assert f"V × D = {V:,} × {d:,} = {table:,}" in shown("parts", view)


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
    assert "512 positions × 384 = 196,608 parameters" in caption("positions", bge)


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
    assert f"published with {view.parameters:,} parameters" in shown("parts", view)
    assert view.changes == ()
    assert name(view)[0] == MODELS[preset].title
    assert f"{MODELS[preset].title}, with" in caption("models", view)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_follow_the_dtype(dtype: str) -> None:
    """38,597,376 numbers of 32, 16, 8 or 4 bits: × bits / 8."""
    view = count(dtype=dtype)
    assert view.parts[0].bytes(dtype) == 38_597_376 * DTYPES[dtype] // 8
    assert f"{view.parts[0].bytes(dtype):,}" in shown("parts", view)


def test_a_padded_vocabulary_keeps_its_three_widths_apart() -> None:
    """50,257 rounded up to 64 · 786 = 50,304: 47 phantoms, which get 47 / (50,257 e^-2 + 47) = 0.6863 %."""
    view = count()
    assert view.padded == (50_257, 50_304)
    assert view.mass == pytest.approx(47 / (50_257 * np.exp(-2) + 47), rel=1e-12)
    said = shown("padding", view)
    for part in ("50,257tokens of the tokenizer", "50,304rows of the embedding table", "50,304logits"):
        assert part in said
    assert "47 rows and 36,096 parameters" in said
    assert "0.6863 % of the softmax, one sampled token in 146," in said
    assert numbers("padding", view)["% of the softmax on padding"] == [
        pytest.approx(100 * 47 / (50_257 * np.exp(-2) + 47))
    ]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"logit": 2.0}, "in 7,902, less than its 0.0934 % of the rows"),
        ({"logit": 2.0}, "0.0127 % of the softmax, one sampled token in 7,902"),
        ({"logit": 0.0}, "0.0934 % of the softmax, just its share of the rows"),
        ({"logit": -10.0}, "% of the softmax, though it is only 0.0934 % of the rows"),
        ({"V": 50_303}, "1 row and 768 parameters"),
        ({"V": 50_303}, "though it is only 0.002 % of the rows"),
    ],
)
def test_padding_rows_are_held_against_their_share_of_the_rows(changed: dict[str, Any], words: str) -> None:
    """47 / (50,257 e² + 47) = 0.0127 %, less than 47 / 50,304 = 0.0934 %; with e⁻¹⁰ it is 95 %."""
    said = caption("padding", count(**changed))
    assert words in said
    assert "token in 1," not in said
    assert "1 padding rows" not in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"preset": "roberta-base"}, "of 514 rows makes a window of 512 tokens"),
        ({"preset": "roberta-base"}, "Its first token has row 3, behind the padding id 1"),
        ({"preset": "roberta-base"}, "token 513 has no row"),
        ({"preset": "bge-small"}, "token 513 has no row. Twice the window takes twice the rows: 393,216"),
        ({"config": MASKED.replace('"bert"', '"camembert"')}, "token 3 has no row"),
        (
            {"config": MASKED.replace('"bert"', '"xlm-roberta", "pad_token_id": 0')},
            "of 4 rows makes a window of 3 tokens",
        ),
        ({"config": MASKED}, "token 5 has no row"),
    ],
)
def test_rows_before_the_first_token_are_no_window(changed: dict[str, Any], words: str) -> None:
    """RoBERTa numbers from behind its padding id 1: rows 0 and 1 of 514 are no token's."""
    said = caption("positions", count(**changed))
    assert words in said
    assert "position 515" not in said


def test_padding_without_rows_or_without_logits() -> None:
    """128,256 = 64 · 2,004 needs no padding; an encoder without output layer has no softmax at all."""
    full = count(preset="llama-3-8b")
    assert "128,256 is already a multiple of 64" in caption("padding", full)
    assert numbers("padding", full)["rows for padding"] == [0]
    encoder = count(preset="bge-small")
    assert encoder.mass is None
    assert "without an output layer" in caption("padding", encoder)
    assert numbers("padding", encoder)["logits"] == ["no output layer"]


def test_untied_padding_costs_twice() -> None:
    """47 · 768 = 36,096 in the table and as many in the output layer."""
    assert "72,192 parameters" in caption("padding", count(tied=False))


def test_tying_saves_memory_and_no_work() -> None:
    """2 · 50,257 · 768 = 77,194,752 operations for the logits of a token, tied or not."""
    view = count()
    tied, untied = view.pair
    assert (tied.parameters, untied.parameters) == (124_439_808, 163_037_184)
    assert tied.output_flops == untied.output_flops == 77_194_752
    said = shown("tying", view)
    assert "Tying saves 38,597,376 parameters, 154 MB, and no work" in said
    assert count(tied=False).pair == view.pair
    encoder = count(preset="bert-base")
    assert encoder.pair == (encoder.model,)
    assert "There is no output layer in BERT base" in caption("tying", encoder)


def test_rotations_store_nothing() -> None:
    said = caption("positions", count(preset="llama-3-8b"))
    assert "the window costs no parameter" in said
    assert "1,024 positions × 4,096 = 4,194,304 parameters" in said


# the share against V


def test_the_curve_is_the_share_at_every_vocabulary() -> None:
    """V D / (V D + rest), with rest = 124,439,808 − 38,597,376 for GPT-2 small."""
    view = count()
    V = FIRST_V + (LAST_V - FIRST_V) * np.arange(33) // 32
    np.testing.assert_allclose(view.grid, V, rtol=0)
    rest = 124_439_808 - 38_597_376
    yours = next(curve for curve in view.curves if curve.yours)
    np.testing.assert_allclose(yours.shares, 100 * V * 768 / (V * 768 + rest), rtol=1e-12)


def test_an_untied_output_layer_is_a_curve_of_its_own() -> None:
    """Untied, V D is stored twice: V D / (2 V D + rest) for the table, twice that with the output layer."""
    rest = 124_439_808 - 38_597_376
    table, both = [curve.shares for curve in count(tied=False).curves if curve.yours]
    VD = 768 * (FIRST_V + (LAST_V - FIRST_V) * np.arange(33) // 32)
    np.testing.assert_allclose(table, 100 * VD / (2 * VD + rest), rtol=1e-12)
    np.testing.assert_allclose(both, 2 * table, rtol=1e-12)


@pytest.mark.parametrize("changed", [{}, {"tied": False}])
@pytest.mark.parametrize("preset", MODELS)
def test_every_curve_is_what_the_lab_counts(preset: str, changed: dict[str, Any]) -> None:
    """Parameters are a straight line in V for every family; the lab counts each model anew."""
    if changed and not MODELS[preset].architecture.has_output:
        return
    view = count(preset=preset, **changed)
    yours = [curve for curve in view.curves if curve.yours]
    for at in (0, 7, 32):
        there = count(preset=preset, V=int(view.grid[at]), **changed)
        shares = [there.model.table_share, there.model.vocabulary_share][: len(yours)]
        np.testing.assert_allclose([curve.shares[at] / 100 for curve in yours], shares, rtol=1e-12)


def test_the_curve_reaches_as_far_as_the_model() -> None:
    assert count(config=pasted()).grid[0] == 1000
    assert count(V=1_000_000).grid[-1] == 1_000_000


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
    assert "changed from GPT-2 small: V 50,257 → 60,000; layers 12 → 6" in shown("parts", view)
    assert count(V=50_257).changes == ()
    wider = "changed from GPT-2 small: D 768 → 1,024; with it the MLP 3,072 → 4,096"
    assert wider in shown("parts", count(d=1024))
    # where another figure stands alone, it says the same beside its controls
    assert wider in ROOM.figure("tying").aside(count(d=1024)).striptags()


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
    assert "The model of a config.json" in shown("parts", view)
    text = "\ufeff \n" + json.dumps(CONFIG, indent=2) + "\r\n"
    assert count(config=text[1:]).parameters == count(config=text[0] + text[3:]).parameters == 349_200
    assert count(config=" \n ").parameters == 124_439_808
    assert count(config=pasted(), layers=1).changes == ("layers 2 → 1",)


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
    assert "Accepted" in caption("store", count())
    assert numbers("store", count())["vectors"] == ["accepted"]
    view = count(preset="bge-small")
    said = shown("store", view)
    assert "Refused" in said
    assert "Nothing is stored" in said
    assert "the store holds vectors of dimension 768; these have 384" in said
    assert count(preset="bge-small", dimension=384).refusal == ""
    assert "dimension must be a whole number of at least 1; got −1" in count(dimension=-1).refusal


# what the room says


def test_the_answers() -> None:
    answers = [question.answer() for question in ROOM.asked]
    assert [question.options[right] for question, (right, _) in zip(ROOM.asked, answers, strict=True)] == [
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
        *({"preset": preset} for preset in MODELS),
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_the_code_counts_what_the_figure_counts(key: str, changed: dict[str, Any]) -> None:
    found: dict[str, Any] = {}
    figure, values = ROOM.figure(key), {**DEFAULTS, **changed}
    exec(figure.code(figure.snapshot(values)), found)
    np.testing.assert_allclose(found["result"], figure.code_answer(figure.viewed(values)), rtol=1e-12)


def test_the_caption() -> None:
    said = caption("parts", count())
    for number in ("124,439,808", "498 MB", "50,257 × 768 = 38,597,376", "31 %"):
        assert number in said
    assert "takes 525,336,576 more" in caption("parts", count(preset="llama-3-8b"))
    assert "this config.json" in caption("parts", count(config=pasted(), tied=False))


def test_where_a_model_stands_among_the_published_ones() -> None:
    """MiniLM-L6 spends 11,720,448 / 22,713,216 = 52 % on its table; without layers 2 to 6, most of all."""
    assert "MiniLM-L6, with 52 %, is number 1." in caption("models", count(preset="minilm-l6"))
    changed = count(preset="minilm-l6", layers=1)
    assert changed.rank == 1
    assert "would be number 1." in caption("models", changed)
    assert count(preset="deepseek-v3").rank == len(MODELS)
    shares = [row[5] for row in numbers("models", count()).values()]
    assert sorted(range(1, len(MODELS) + 1)) == sorted(count(preset=key).rank for key in MODELS)
    assert max(shares) == pytest.approx(51.602, abs=1e-3)


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
    assert {part.key for model in models for part in model.parts()} == set(COLOURS)


def test_an_encoder_that_guesses_masked_tokens() -> None:
    """Tied it still stores a bias for each entry, 100 of them; untied 100 · 8 = 800 more."""
    assert "stores only 100 biases" in caption("parts", count(config=MASKED))
    untied = count(config=MASKED, tied=False)
    assert size(untied, "head") == 900
    assert "Tying saves 800 parameters" in caption("tying", untied)


# mixtures, and what stands beside the weights


def test_a_mixture_says_how_much_of_it_takes_part() -> None:
    """Mixtral: 12,879,925,248 of 46,702,792,704 are 27.6 %, 2 of 8 experts in a layer."""
    view = count(preset="mixtral-8x7b")
    assert "12,879,925,248 of all, 28 %, take part in the pass of one token: 2 of 8 experts" in shown(
        "parts", view
    )
    assert "12,879,925,248" in caption("parts", view)
    assert "take part" not in shown("parts", count())


def test_keys_and_values_beside_the_weights() -> None:
    """Llama 3 8B keeps 2 · 32 · 8 · 128 = 65,536 numbers per token: the weights' 8,030,261,248 at 122,532."""
    view = count(preset="llama-3-8b", length=8192, dtype="bfloat16")
    assert view.memory.bytes("cache", "bfloat16") == 2**30
    said = shown("memory", view)
    for part in ("1.07 GB", "per token 2·32·8·128", "From 122,532 tokens on", "4 times as much"):
        assert part in said
    assert "32 query heads share 8 key heads" in said
    assert "71 query heads share 1 key head:" in caption("memory", count(preset="falcon-7b"))
    assert "share" not in caption("memory", count())
    assert "From 61,266 tokens on" in caption("memory", count(preset="llama-3-8b", batch=2))
    assert "An encoder reads all tokens at once" in caption("memory", count(preset="bge-small"))
    assert "learned positions for 1,024 tokens only" in caption("memory", count(length=1025))
    assert "learned positions for" not in caption("memory", count(length=1024))
    opt = count(preset="opt-125m", length=2049)
    assert "learned positions for 2,048 tokens only" in caption("memory", opt)


def test_the_table_of_memory() -> None:
    """A layer of GPT-2 small writes 12 · 1,024² scores; its 13 rows of X are 13 · 768 numbers per token."""
    rows = numbers("memory", count())
    assert rows["scores of one layer, if written out"][1:] == [12 * 2**20, 48 * 2**20]
    assert rows["rows of X, if training keeps them"][1:] == [1024 * 13 * 768, 4 * 1024 * 13 * 768]
    assert rows["weights"][1:] == [124_439_808, 4 * 124_439_808]


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        ("bloom-560m", "scores are lowered by a rule"),
        ("t5-small", "2·32·8 = 512 parameters"),
        ("opt-125m", "Its first token has row 3: a table of 2,050 rows makes a window of 2,048 tokens"),
        ("falcon-7b", "queries and keys are turned by a rule"),
    ],
)
def test_positions_as_the_model_has_them(preset: str, said: str) -> None:
    assert said in caption("positions", count(preset=preset))


def test_how_a_larger_file_was_read_is_said() -> None:
    text = {"model_type": "llama", "vocab_size": 32064}
    view = count(config=json.dumps({"model_type": "llava", "text_config": text}))
    assert "Only the text part is counted, text_config" in shown("parts", view)
    assert "hidden_size 4,096" in shown("parts", view)


@pytest.mark.parametrize(
    "changed", [{"V": 1, "d": 1}, {"d": 1}, {"V": 8191, "d": 1}, {"d": 1, "max_positions": 1}, {"length": 1}]
)
def test_one_thing_is_not_spoken_of_as_several(changed: dict[str, Any]) -> None:
    said = [shown(key, count(**changed)) for key in KEYS]
    assert [one for text in said for one in ones(text)] == []
    assert [
        one for text in said for one in re.findall(r"(?<![\d.,])1 (?:parameters|bytes|biases)", text)
    ] == []
