"""The kit: nothing a reader typed becomes HTML, colours come from the tokens, layers keep apart."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from bokeh.models import Line

from app.kit import matrix as pictures
from app.kit import numbers, theme
from app.kit.figures import Curves, Heatmap, typical
from app.kit.formula import mathml, power, row, text
from app.kit.html import Markup, number, tag, vector, visible
from app.kit.panes import Html

ROOT = Path(__file__).resolve().parents[2]
EVIL = "<img src=x onerror=alert(1)>"


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "lab").rglob("*.py")), ids=lambda path: path.stem)
def test_the_core_knows_no_screen(path: Path) -> None:
    assert not imports(path) & {"panel", "param", "bokeh", "app"}


@pytest.mark.parametrize(
    "path",
    # what makes files thins the lines and pictures of a view: arrays come in, and marks on paper go out
    [path for path in sorted((ROOT / "app").rglob("*.py")) if not {"export", "still"} & set(path.parts)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_the_screen_computes_nothing(path: Path) -> None:
    # what a room alone computes stands in its model, a file or a folder; nothing that draws computes
    if path.name != "model.py" and path.parent.name != "model":
        assert "numpy" not in imports(path)
    else:
        assert not imports(path) & {"panel", "param", "bokeh"}


def test_no_file_outgrows_a_reader() -> None:
    files = [
        *(ROOT / "lab").rglob("*.py"),
        *(ROOT / "app").rglob("*.py"),
        *(ROOT / "static" / "js").glob("*.js"),
    ]
    long = {
        str(path.relative_to(ROOT)): lines
        for path in files
        # a room's figures stand one after another in one file, and each is read by itself
        if (lines := len(path.read_text().splitlines())) > (500 if path.name == "room.py" else 320)
    }
    assert long == {}


def test_a_pane_refuses_text_that_is_not_escaped() -> None:
    with pytest.raises(TypeError, match="escape the text first"):
        Html().set(EVIL)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "shown",
    [
        tag("p", EVIL),
        pictures.chips([pictures.Chip(EVIL, 1, 2)]),
        pictures.matrix([[1.0]], title=EVIL, under=EVIL, rows=[pictures.row_label(EVIL, 3)], columns=[EVIL]),
        pictures.verdict(EVIL),
        mathml(text(EVIL)),
        pictures.error(EVIL),
        numbers.show([numbers.Table(EVIL, [EVIL], [[EVIL], ["<pad>"]])]),
    ],
)
def test_what_a_reader_typed_is_never_html(shown: Markup) -> None:
    assert "<img" not in shown
    assert "<pad>" not in shown
    assert "&lt;img" in shown


def test_numbers_as_they_are_printed() -> None:
    assert [number(v) for v in (0.5403, -0.5, 1.0, 1e-17, float("nan"), float("-inf"))] == [
        "0.54",
        "−0.5",
        "1",
        "0",
        "NaN",
        "−∞",
    ]
    assert number(0.0001) == "1.0e−04"
    assert vector([1, -0.5, 0]) == "[1, −0.5, 0]"
    assert visible(" a\u202eb\n") == "␣a⟨202E⟩b␊"


def test_a_csv_keeps_every_digit_and_every_row() -> None:
    table = numbers.Table("t", ["x", "say"], [[0.1 + 0.2, 'a "b", c'] for _ in range(200)])
    lines = table.csv().splitlines()
    assert lines[1] == '0.30000000000000004,"a ""b"", c"'
    assert len(lines) == 201
    assert "60 of 200 rows" in numbers.show([table])


def test_dimension_letters_carry_their_class() -> None:
    assert 'class="dim-T"' in mathml(r"X \in \mathbb{R}^{\dim{T} \times \dim{D}}")
    with pytest.raises(ValueError, match="'Q' is no dimension letter"):
        mathml(r"\dim{Q}")
    assert row("[1, −0.5, … (384 in all)]") == r"[1, {-0.5}, \ldots ]"


def test_every_token_a_figure_names_exists_in_the_stylesheet() -> None:
    named = set()
    for path in (ROOT / "app").rglob("*.py"):
        named |= set(re.findall(r"var\(--([a-z][\w-]*)\)", path.read_text(encoding="utf-8")))
    known = set(
        re.findall(r"--([\w-]+):", (ROOT / "static" / "css" / "tokens.css").read_text(encoding="utf-8"))
    )
    assert {name for name in named if not name.endswith("-")} <= known


def test_a_painted_model_has_the_light_colour_and_says_its_token() -> None:
    glyph = theme.paint(Line(), line_color="dim-T")
    assert glyph.line_color == "#0f766e"
    assert glyph.tags == ["paint:line_color=dim-T"]


def test_the_diverging_palette_is_centred_on_zero() -> None:
    colours = theme.palette("diverging")
    assert (colours[0], colours[-1]) == ("#b35806", "#3f51b5")
    assert colours[127] in {"#f6f6f7", "#f7f6f6", "#f7f7f7", "#f7f6f7", "#f6f6f6"}


def test_words_on_an_axis_may_repeat() -> None:
    """ui-01: repeated factors of a categorical axis blank the plot."""
    made = Heatmap(label="x")
    made.set(np.eye(3))
    made.words("y", ["a", "b", "a"])
    assert made.figure.yaxis[0].major_label_overrides == {0: "a", 1: "b", 2: "a"}


def test_a_mask_does_not_break_the_colour_scale() -> None:
    """ui-07: -inf of a causal mask broke the ranges of colour mappers."""
    made = Heatmap(label="x")
    made.set(np.array([[1.0, -np.inf], [np.nan, -2.0]]))
    assert (made.mapper.low, made.mapper.high) == (-2.0, 2.0)


def test_typical_leaves_outliers_out() -> None:
    """Of 1,000 ones and one 50, 99.5 % lie at 1."""
    assert typical(np.array([1.0] * 1000 + [50.0])) == 1.0


def test_lines_are_assigned_not_made_anew() -> None:
    made = Curves({"a": ("A", "accent"), "b": ("B", "dim-T")}, label="x")
    source = made.sources["a"]
    made.set("a", [1, 2], [3, 4])
    assert made.sources["a"] is source
    assert list(source.data["y"]) == [3, 4]


@pytest.mark.parametrize("value", [1e9, 2.5e-9, 9.99999e8, 9.999999e20, 1e300, 5e-324, 12.0, 0.0])
def test_a_number_of_any_size_can_be_raised_to_a_power(value: float) -> None:
    """A power of a number that is written with a power of its own: both stand in the MathML."""
    shown = mathml(power(value, "-2/3"))
    assert "<merror" not in shown
    assert shown.count("<msup>") == (1 if value == 0 or 1e-3 <= value < 999_995_000 else 2)
    assert "<mn>10</mn><mo>" not in shown  # 10 · 10^n is 10^(n + 1)


def test_a_formula_with_tags_of_anything_else_is_refused() -> None:
    with pytest.raises(ValueError, match="a formula is no HTML: <img"):
        mathml(r"\text{" + EVIL + "}")
