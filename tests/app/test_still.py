"""Stills: every figure of every room has one, and it says what the live figure says."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from app.cli import main
from app.kit import url
from app.kit.html import number
from app.shell import ROOMS
from app.still import Still, colours, draw_still, png
from tests import stills

FIGURES = [(room, made.key) for room, kind in ROOMS.items() for made in kind.kinds]
RAW = 60_000
"""Bytes that a still may have; the largest are tables of cells, which compress to a tenth."""
BY_PLACE = {"train rows", "train movement"}
"""Maps whose signs stand where their values are, over each other where those are alike."""


def viewed(room: str, figure: str, **changes: Any) -> Any:
    kind = ROOMS[room]
    values = {name: item.default for name, item in url.settings(kind.State).items()}
    return kind.figure(figure).viewed({**values, **kind.for_figure(figure), **changes})


@cache
def drawn_figure(room: str, figure: str, *, query: str = "", width: int = 720) -> tuple[Still, Any]:
    still = draw_still(room, figure, query, width=width)
    return still, stills.tree(still.svg)


@pytest.mark.parametrize(("room", "figure"), FIGURES)
def test_every_figure_has_a_still_with_its_caption(room: str, figure: str) -> None:
    still, root = drawn_figure(room, figure)
    made = ROOMS[room].figure(figure)
    assert root.get("role") == "img"
    assert root.get("viewBox") == f"0 0 {still.width} {still.height}"
    assert root.get("width") is None
    assert root.find(f"{stills.SVG}title").text == still.title == (made.title or ROOMS[room].title)
    assert root.find(f"{stills.SVG}desc").text == still.caption == made.caption(viewed(room, figure))
    assert len(still.svg.encode()) < RAW
    drawing = still.svg.partition("</desc>")[2]
    assert not re.search(r"\b(nan|NaN|inf|None)\b", re.sub(r">[^<]*<|base64,[^\"]*", "><", drawing))
    for name, value in re.findall(r"var\(--([\w-]+),(#\w+)\)", drawing):
        assert colours.tokens()[name][0] == value
    assert "var(" not in re.sub(r"var\(--[\w-]+,#\w+\)", "", drawing)


@pytest.mark.parametrize(("room", "figure"), FIGURES)
def test_nothing_runs_over_the_edge_or_into_its_neighbour(room: str, figure: str) -> None:
    still, root = drawn_figure(room, figure)
    for element, _ in stills.elements(root):
        if element.tag == f"{stills.SVG}rect":
            x, y, width, height = (float(element.get(name)) for name in ("x", "y", "width", "height"))
            assert -0.5 <= x <= x + width <= still.width + 0.5
            assert -0.5 <= y <= y + height <= still.height + 0.5
    level = [one for one in stills.said(root) if not one.turned and one.text.strip()]
    for one in level:
        assert -0.5 <= one.left <= one.right <= still.width + 0.5, one
        assert one.size * 0.7 <= one.y <= still.height, one
    if f"{room} {figure}" in BY_PLACE:
        return
    for place, one in enumerate(level):
        for other in level[place + 1 :]:
            across = min(one.right, other.right) - max(one.left, other.left)
            down = 0.8 * min(one.size, other.size) - abs(one.y - other.y)
            assert across < 1 or down < 0, (one, other)


@pytest.mark.parametrize(("room", "figure"), FIGURES)
def test_every_sentence_of_the_figure_stands_in_its_still(room: str, figure: str) -> None:
    made, view = ROOMS[room].figure(figure), viewed(room, figure)
    # a caption stands in it where there is nothing to draw
    _, root = drawn_figure(room, figure)
    written = squeezed("".join("".join(one.itertext()) for one in root.iter(f"{stills.SVG}text")))
    for part in made.make():
        if callable(part):
            for sentence in ElementTree.fromstring(f"<div>{part(view)}</div>").iter("p"):
                assert squeezed("".join(sentence.itertext())) in written


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_a_formula_is_a_line_with_raised_and_lowered_signs() -> None:
    _, root = drawn_figure("schemes", "compare")
    lines = ["".join(one.itertext()) for one in root.iter(f"{stills.SVG}text")]
    assert "X\u2009=\u2009x\u2009+\u2009P" in lines
    moved = [(one.text, float(one.get("dy"))) for one in root.iter(f"{stills.SVG}tspan") if one.get("dy")]
    assert ("m", 3.2) in moved
    assert any(
        one.text == "d" and "var(--dim-d" in one.get("style") for one in root.iter(f"{stills.SVG}tspan")
    )


def test_the_line_of_a_still_is_the_view_s_within_a_pixel() -> None:
    """RoPE's score against distance, read back through the labels of the axes."""
    _, root = drawn_figure("rope", "score", query="theta=0.3&m=7&n=2")
    view = viewed("rope", "score", theta=0.3, m=7, n=2)
    lines = [
        stills.points(element.get("d"))
        for element, style in stills.elements(root)
        if element.tag == f"{stills.SVG}path" and style.get("stroke", "").startswith("var(--dim-d")
    ]
    line = max(lines, key=len)
    words = stills.said(root)
    across, up = stills.axis(words, "x"), stills.axis(words, "y")
    x, y = across(line[:, 0]), up(line[:, 1])
    pixel = abs(up(1.0) - up(0.0))
    scores, distances = view.curve.total, view.curve.distances
    assert np.abs(np.interp(x, distances, scores) - y).max() < pixel
    assert np.abs(np.interp(distances, x, y) - scores).max() < pixel


def test_the_numbers_of_a_matrix_are_the_view_s() -> None:
    """M of the waves, row by row, and of the strongest entry the colour at its full strength."""
    still, root = drawn_figure("waves", "rotation")
    view = viewed("waves", "rotation")
    words = sorted(stills.said(root), key=lambda one: (one.y, one.left))
    start = next(place for place, one in enumerate(words) if one.text == "M(3)")
    numbers = [one.text for one in words[start:] if re.fullmatch(r"−?[\d.]+(e−\d+)?", one.text)]
    assert numbers == [number(value) for value in view.matrix.ravel().tolist()]
    assert "color-mix(in oklab,var(--neg,#b35806) 99%,var(--zero,#f7f7f7))" in still.svg


def test_bars_stand_on_their_line_or_hang_from_it_as_high_as_their_numbers() -> None:
    query = {"turn": "base", "d": 16}
    _, root = drawn_figure("rope", "pairs", query=urlencode(query))
    adds = viewed("rope", "pairs", **query).moved.pairs
    bars = [
        (float(one.get("y")), float(one.get("height")))
        for one, style in stills.elements(root)
        if one.tag == f"{stills.SVG}rect" and "--dim-d" in style["fill"]
    ]
    foot = bars[int(adds.argmax())][0] + bars[int(adds.argmax())][1]
    heights = [foot - y if y + height < foot + 1 else -height for y, height in bars]
    np.testing.assert_allclose(heights, 52 * adds / abs(adds).max(), atol=0.3)


def test_the_cells_of_a_picture_are_the_view_s() -> None:
    """The table of the waves: what lies over the ground in one colour less what does in the other."""
    _, root = drawn_figure("waves", "rows")
    negative, positive = stills.masks(root)
    table = viewed("waves", "rows").table
    np.testing.assert_allclose(positive - negative, table.T, atol=0.5 / 255 + 1e-6)
    assert negative[table.T > 0.01].max() == 0


def test_a_large_picture_keeps_entries_and_leaves_others_out() -> None:
    _, root = drawn_figure("schemes", "tables")
    for mask in stills.masks(root):
        assert max(mask.shape) <= 360
        np.testing.assert_allclose(15 * mask, np.rint(15 * mask), atol=0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_writes_plain_colours_on_its_paper(theme: str) -> None:
    still = draw_still("build", "sum", theme=theme)
    assert not re.search(r"var\(|color-mix|light-dark", still.svg)
    paper, ink = (colours.tokens()[name][theme == "dark"] for name in ("paper", "ink"))
    assert f"fill:{paper if theme == 'dark' else '#ffffff'}" in still.svg
    assert f"fill:{ink}" in still.svg


@pytest.mark.parametrize("width", [320, 720, 1200])
def test_a_still_has_the_width_that_it_is_asked_for(width: int) -> None:
    still, root = drawn_figure("context", "pairs", width=width)
    assert (still.width, root.get("viewBox").split()[2]) == (width, str(width))
    for one in stills.said(root):
        assert one.turned or -0.5 <= one.left <= one.right <= width + 0.5


def test_what_a_reader_typed_is_text() -> None:
    typed = '</text><script>x</script><b a="1">&amp; \ufffe'
    still = draw_still("build", "text", urlencode({"example": "own", "text": typed}))
    root = stills.tree(still.svg)
    assert {element.tag.removeprefix(stills.SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "defs", "g", "text", "tspan", "rect", "path", "circle"),
    }
    assert "<script>x</script>" in "".join(one.text for one in stills.said(root)).replace(" ", "")


@pytest.mark.parametrize(
    ("room", "figure", "query", "sentence"),
    [
        ("nowhere", "", "", "there is no room 'nowhere'; the rooms are build"),
        ("rope", "nothing", "", "the room rope has no figure 'nothing'; its figures are hands, score"),
        ("rope", "hands", "theta=x", "theta=x: it takes a number"),
        ("rope", "hands", "m=-1", "m=-1: it takes a number from 0 to 2,047"),
        ("rope", "hands", "theta=1&theta=2", "theta=2: it is given more than once"),
        ("rope", "hands", "angle=1", "angle: the room rope has no setting of that name; they are turn"),
        ("rope", "hands", "q=1", "q holds 1 number"),
        ("context", "pairs", "pair=400", "400"),
        ("build", "swap", "swap=9,99", "There is no position 9 to swap"),
        ("geometry", "analogy", "table=animals", "this table has 3 rows"),
    ],
)
def test_what_cannot_be_shown_as_asked_is_refused(room: str, figure: str, query: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        draw_still(room, figure, query)


def test_a_theme_or_a_width_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="theme=blue: it takes auto, light, dark"):
        draw_still("rope", theme="blue")
    with pytest.raises(ValueError, match="width=100: it takes 320 to 1600 pixels"):
        draw_still("rope", width=100)


def test_what_an_address_says_about_the_page_is_nothing_to_a_still() -> None:
    asked = draw_still("rope", "hands", "?room=rope&figure=score&embed=1&hide=code&theme=dark&m=7")
    assert asked == draw_still("rope", "hands", "m=7")
    assert asked != draw_still("rope", "hands")


def test_a_png_has_the_still_s_size_and_its_colours() -> None:
    still = draw_still("waves", "rows", theme="dark")
    picture = Image.open(io.BytesIO(png.draw_png(still, 1.5)))
    assert picture.size == (1080, round(1.5 * still.height))
    assert "#{:02x}{:02x}{:02x}".format(*picture.getpixel((2, 2))[:3]) == colours.tokens()["paper"][1]
    found = {"#{:02x}{:02x}{:02x}".format(*colour[:3]) for _, colour in picture.getcolors(1 << 24)}
    # the ends of the palette, and words
    assert {colours.tokens()[name][1] for name in ("pos", "ink")} <= found


def test_a_png_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    still = draw_still("rope", "score", theme="light")
    with pytest.raises(ValueError, match="draw the still with theme light or dark"):
        png.draw_png(draw_still("rope", "score"))
    with pytest.raises(ValueError, match="scale=0: it takes a number above 0"):
        png.draw_png(still, 0)
    monkeypatch.setattr(png, "SANS", ("No Such Face",))
    with pytest.raises(RuntimeError, match=r"No font was found.*fonts-dejavu-core.*--fonts FOLDER"):
        png.draw_png(still)
    monkeypatch.setattr(png, "find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match=r"pip install 'embedding-lab\[still\]'"):
        png.draw_png(still)


def test_the_command_draws_what_a_file_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The state that an element once showed with the default's score."""
    spec, out = tmp_path / "spec.json", tmp_path / "hands.svg"
    state = {"q": "2, 1", "k": [0.5, -1], "theta": 0.3, "m": 7, "n": 2}
    spec.write_text(json.dumps({"room": "rope", "figure": "hands", "state": state}))
    assert main(["still", str(spec), "--out", str(out), "--width", "640"]) == 0
    root = stills.tree(out.read_text(encoding="utf-8"))
    assert "−2.494" in root.find(f"{stills.SVG}desc").text
    assert any(one.text == "−2.494" for one in stills.said(root))
    assert "−2.494" in capsys.readouterr().out
    assert main(["still", str(spec), "--out", str(out.with_suffix(".png")), "--scale", "2"]) == 0
    with Image.open(out.with_suffix(".png")) as picture:
        assert picture.width == 1440


@pytest.mark.parametrize(
    ("spec", "name", "sentence"),
    [
        ("{", "a.svg", "no JSON"),
        ("[]", "a.svg", "no JSON object"),
        ('{"room": "rope", "state": 1}', "a.svg", "it is an object"),
        ('{"room": "rope", "state": {"m": 1.5}}', "a.svg", "state.m: 1.5, but it takes a whole number"),
        ('{"room": "rope"}', "a.gif", "a.gif is no name of a picture"),
    ],
)
def test_the_command_says_what_it_does_not_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spec: str, name: str, sentence: str
) -> None:
    (tmp_path / "spec.json").write_text(spec)
    assert main(["still", str(tmp_path / "spec.json"), "--out", str(tmp_path / name)]) == 1
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_the_rows_of_panels_side_by_side_line_up() -> None:
    """The right one's chips need two lines: what is below them in the left one goes down too."""
    _, root = drawn_figure("order", "swap")
    heights = {one.text: one.y for one in stills.said(root)}
    assert heights["f(x), head 1"] == heights["f(Px), head 1"]
