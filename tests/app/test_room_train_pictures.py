"""Pictures of the room `train`: curves with their spread, and characters on a map."""

from __future__ import annotations

import numpy as np

from app.kit.theme import tokens
from app.rooms.train.letters import LetterMap
from app.rooms.train.spread import Spread, legend, span


def test_a_spread_leaves_out_what_is_not_a_number() -> None:
    plot = Spread({"a": ("A", "accent"), "b": ("B", "good")}, own={"own": ("mine", "ink")}, label="x")
    mean = np.array([1.0, 2.0, np.nan])
    plot.set("a", [1, 2, 3], mean, mean - 1, mean + 1)
    assert plot.sources["a"].data == {"x": [1, 2], "y": [1.0, 2.0], "low": [0.0, 1.0], "high": [2.0, 3.0]}
    plot.set("b", [1], np.array([np.nan]), np.array([np.nan]), np.array([np.nan]))
    assert plot.sources["b"].data["x"] == []
    plot.put_forward(("a",))
    assert [plot._bands[key].visible for key in "ab"] == [True, False]
    assert plot._lines["a"].glyph.line_alpha == 1.0
    assert plot._lines["b"].glyph.line_alpha < 1.0


def test_levels_stand_at_the_right_end() -> None:
    plot = Spread({"a": ("A", "accent")}, own={}, label="x")
    plot.set_x(0, 50)
    plot.set_levels([(2.0, "two"), (3.0, "three")])
    assert plot.levels.data == {"x": [50, 50], "y": [2.0, 3.0], "word": ["two", "three"]}


def test_an_axis_holds_all_finite_entries() -> None:
    assert span([np.array([1.0, np.nan]), np.array([3.0, np.inf])], room=0.5) == (0.0, 4.0)
    assert span([np.array([2.0])], room=0.5) == (1.5, 2.5)


def test_a_legend_names_every_line_in_its_colour() -> None:
    said = legend([("A", "accent")], [("<mine>", "ink", "dotted")])
    assert '<span style="--c:var(--accent)"><i class="lab-key-line"></i>A</span>' in said
    assert '<i class="lab-key-dotted"></i>&lt;mine&gt;' in said


def test_letters_stand_for_themselves_in_the_colour_of_their_class() -> None:
    plot = LetterMap({"one": "accent", "two": "bad", "three": "good"}, label="x")
    plot.set([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [" ", "\n", "\x00"], ["three", "one", "two"])
    assert plot.source.data["sign"] == ["␣", "↵", "␀"]
    assert plot.source.data["kind"] == [2, 0, 1]
    mapper = plot.figure.renderers[0].glyph.fill_color.transform
    ends = [mapper.palette[round(kind / 2 * 255)] for kind in range(3)]
    assert ends == [tokens()[name] for name in ("accent", "bad", "good")]
    assert mapper.tags == ["palette:accent,bad,good"]
