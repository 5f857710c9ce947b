"""The room `waves`: dot product, wavelengths, the rotation, odd widths, variants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.kit.html import Markup
from app.rooms.waves import ROOM
from app.rooms.waves.model import USUAL, Waves, columns_of, error
from app.rooms.waves.room import LAYOUTS, Rows
from lab import reference
from tests.golden import entry

VARIANTS = list(LAYOUTS)


def waves(**changed: Any) -> Waves:
    return Waves(ROOM.figure("rows").snapshot({**USUAL, **changed}))


def shown(view: Waves) -> str:
    """All that the room's figures say."""
    said = []
    for kind in ROOM.kinds:
        figure = kind()
        said += [part(view) for part in figure.make() if callable(part)]
        said.append(Markup.escape(figure.caption(view)))
    return Markup(" ").join(said).striptags()


def clocks(view: Waves) -> int:
    return Rows().faces(view).count("<svg")


def test_rows_three_apart_at_width_8() -> None:
    """cos 3 + cos .3 + cos .03 + cos .003 = -.98999 + .95534 + .99955 + 1.00000 = 1.96489."""
    for position in (0, 7, 400):
        assert waves(position=position).dot == pytest.approx(1.96489, abs=5e-6)
    assert "= 1.96489" in shown(waves())


def test_the_dot_product_knows_the_distance_alone() -> None:
    """Its curve from p is its curve from 0, and minus k gives what k gives."""
    view = waves(position=300, d=64)
    assert view.gap < 1e-12
    assert waves(position=300, shift=-3).dot == pytest.approx(waves(position=300).dot, abs=1e-12)
    assert view.dots[0] == pytest.approx(32, abs=1e-12)  # sin² + cos² = 1 in each of 32 pairs


def test_wavelengths_at_width_4() -> None:
    """Frequencies 1 and 1/100: 2 pi = 6.28 and 200 pi = 628."""
    np.testing.assert_allclose(waves(d=4).scheme.wavelengths, [6.28, 628.32], atol=5e-3)
    assert "period 6.28" in shown(waves(d=4))
    assert "period 628.32" in shown(waves(d=4))
    assert "1 of 2 pairs complete a turn within 64 positions" in shown(waves(d=4))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("shift", [-64, -1, 0, 3, 64])
def test_a_step_is_a_rotation(variant: str, shift: int) -> None:
    view = waves(variant=variant, shift=shift, position=500, d=64, length=512)
    assert view.error < 1e-12
    np.testing.assert_allclose(view.turned, view.ahead, rtol=0, atol=1e-12)
    np.testing.assert_allclose(view.matrix @ view.matrix.T, np.eye(64), rtol=0, atol=1e-14)
    assert "one matrix serves every p" in shown(view)


def test_rows_of_width_4() -> None:
    """sin p, cos p, sin p/100, cos p/100."""
    expected = [[0, 1, 0, 1], [0.841, 0.540, 0.010, 1.000], [0.909, -0.416, 0.020, 1.000]]
    np.testing.assert_allclose(waves(d=4).table[:3], expected, atol=5e-4)
    np.testing.assert_allclose(waves(d=5).table, reference.sinusoidal(np.arange(64), 5), atol=1e-12)


def test_the_golden_dot_products() -> None:
    """Printed to five decimals."""
    golden = entry("sinusoid.dot_depends_on_offset.d8")
    for (first, second), value in zip(golden["inputs"]["pairs"], golden["values"], strict=True):
        assert waves(position=first, shift=second - first).dot == pytest.approx(value, abs=5e-6)


def test_the_three_variants_at_width_4() -> None:
    """Case sin-02, position 1: a permutation, and one that is none (its second frequency is 1/10,000)."""
    rows = {layout.scheme.variant: layout.row for layout in waves(d=4, position=1).layouts}
    np.testing.assert_allclose(rows["interleaved"], [0.841471, 0.540302, 0.01, 0.99995], atol=5e-7)
    np.testing.assert_allclose(rows["concatenated"], [0.841471, 0.01, 0.540302, 0.99995], atol=5e-7)
    np.testing.assert_allclose(rows["tensor2tensor"], [0.841471, 0.0001, 0.540302, 1.0], atol=5e-7)
    view = waves(d=4, position=1)
    assert view.permutation_gap == 0
    assert "No permutation of columns makes up for that" in shown(view)


def test_odd_widths_by_both_rules() -> None:
    """Case sin-01, D = 29: 15 sines and 14 cosines, or 14 of each and a column of zeros."""
    view = waves(d=29)
    trim, _, pad = view.odd
    assert (len(trim.scheme.sine_columns), len(trim.scheme.cosine_columns)) == (15, 14)
    assert (len(pad.scheme.sine_columns), len(pad.scheme.cosine_columns)) == (14, 14)
    assert pad.row[-1] == 0
    assert columns_of(trim.scheme)[-1] == "sin 14"
    assert columns_of(pad.scheme)[-1] == "0"
    assert "Chosen here, with interleaved: trim the last cosine" in shown(view)
    assert "Chosen here, with tensor2tensor: pad with a zero" in shown(waves(d=29, variant="tensor2tensor"))
    assert "At D = 9 two rules are in use" in shown(waves(d=8))


def test_a_trimmed_cosine_breaks_the_rotation_in_its_column_only() -> None:
    """sin(w (p + k)) = sin wp cos kw + cos wp sin kw: the last term is lost, at most |sin kw|."""
    view = waves(d=5, base=100.0)
    w = 100.0 ** (-4 / 5)
    assert view.error < 1e-12
    assert 0 < view.lone_error <= math.sin(3 * w) + 1e-12
    assert view.gap > 1e-3
    assert "its cosine was trimmed" in shown(view)
    padded = waves(d=5, base=100.0, variant="tensor2tensor")
    assert (padded.lone_error, padded.error < 1e-12, padded.gap < 1e-12) == (0.0, True, True)


def test_the_window_follows_the_cursor() -> None:
    """The table has no end: a cursor beyond T positions moves the window, and p + k stays in it."""
    assert waves().first == 0
    view = waves(position=100, length=64)
    assert view.first == 103 - 63
    np.testing.assert_array_equal(view.table[100 - view.first], view.row)
    assert waves(position=100, shift=-64, length=8).first == 93
    assert waves(position=100, shift=64, length=8).first == 100
    assert waves(position=2, shift=-60).first == 0


@pytest.mark.parametrize("d", [2, 3, 5, 16, 17, 40, 127, 128])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_width_can_be_drawn(d: int, variant: str) -> None:
    view = waves(d=d, variant=variant, shift=-9, position=3)
    assert len(view.columns) == d
    assert shown(view)
    assert all(kind().formula(view) for kind in ROOM.kinds)
    assert clocks(view) == view.pairs


@pytest.mark.parametrize("d", [2, 5, 8, 13])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_code_gives_the_figure(d: int, variant: str) -> None:
    view = waves(d=d, variant=variant, position=90, base=777.5)
    for kind in ROOM.kinds:
        names: dict[str, Any] = {}
        exec(kind().code(view.s), names)
        np.testing.assert_allclose(names["result"], kind().code_answer(view), rtol=1e-13, atol=1e-12)
        if kind.key == "rotation":
            np.testing.assert_allclose(names["M"], view.matrix, rtol=0, atol=1e-14)


def test_clocks_stand_at_the_angles_of_the_pairs() -> None:
    """At position 7 pair 0 stands at 7 rad = 401°, less a turn 41°; its tip is (cos 7, sin 7)."""
    text = shown(waves())
    assert "41°" in text
    assert "sin 0.657" in text
    assert "cos 0.754" in text


def test_moving_the_cursor_sends_no_new_heatmap() -> None:
    room = ROOM()
    rows = room._places["rows"].figure
    image = rows.map.source.data["image"][0]
    room.state.position = 20
    assert rows.map.source.data["image"][0] is image
    assert (rows.here.location, rows.ahead.location) == (20, 23)
    room.state.base = 100.0
    assert rows.map.source.data["image"][0] is not image


def test_the_questions_are_answered_as_taught() -> None:
    """Distance alone, 2 pi, nothing, tensor2tensor, all but the last sine."""
    assert [question.answer()[0] for question in ROOM.asked] == [1, 0, 2, 1, 1]


def test_an_address_with_nonsense_names_it() -> None:
    room = ROOM("d=0&base=-1&variant=cosine&position=7.5&shift=999&length=many")
    assert len(room._notices) == 6
    assert room.values() == USUAL


def test_words_at_odd_and_small_widths() -> None:
    """A lone sine is no pair, and what is said of the other pairs is said of them alone."""
    assert "in the columns that form pairs" in shown(waves(d=5))
    assert "pairs turn" not in shown(waves(d=5))
    assert "one pair, with a period of 6.28" in shown(waves(d=2))
    assert "trim to 1 cosine;" in shown(waves(d=3))
    assert "they keep a last sine without its cosine" in shown(waves(d=3))
    assert "Not so in the last sine" not in shown(waves(d=5, shift=0))
    assert "The curve from p is the curve from 0 here" in shown(waves(d=5, position=0))
    assert "the others only drift" not in shown(waves(d=4, base=2.0, length=512))


def test_the_third_variant_has_its_own_source() -> None:
    """Its frequencies stand in the code of Tensor2Tensor; at widths 2 and 3 nothing is divided by 0."""
    said = Rows().formula(waves(d=3, variant="tensor2tensor"))[0]
    assert "get_timing_signal_1d" in said.says
    assert r"\max(" in said.latex
    assert "section 3.5" in Rows().formula(waves(d=3))[0].says


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("d", [4, 8, 512])
def test_a_row_is_bounded_at_position_100_000(d: int, variant: str) -> None:
    """Each pair has length 1, so a row of d / 2 pairs is √(d / 2) long wherever it stands."""
    for position in (0, 511, 100_000):
        view = waves(d=d, variant=variant, position=position)
        assert view.length == pytest.approx((d / 2) ** 0.5)
        assert view.far_length == pytest.approx((d / 2) ** 0.5)
        assert abs(view.row).max() <= 1
        assert view.far_largest <= 1
    assert "100,000" in shown(view)


@pytest.mark.parametrize("d", [8, 511, 512])
@pytest.mark.parametrize("position", [99_000, 100_000])
def test_far_away_rounding_is_said_to_be_rounding(d: int, position: int) -> None:
    """Angles of 100,000 rad leave 1e-11: still one matrix for every p, and distance alone."""
    view = waves(d=d, position=position, shift=64)
    assert view.error < view.rounding < 1e-9
    assert f"largest error is {error(view.error, view.rounding)}" in shown(view)
    assert "largest error is 0" in shown(view)
    if d != 511:
        assert "depends only on the distance, 64" in shown(view)


def test_the_size_of_the_first_transformer_is_within_reach() -> None:
    """128 positions of width 512: 256 pairs, of which 64 get a clock."""
    view = waves(length=128, d=512)
    assert view.table.shape == (128, 512)
    assert clocks(view) == 64
    assert "64 of 256 pairs" in shown(view)
    faces = Rows().faces(view).striptags()
    assert faces.startswith("0") or "255" in faces


def test_the_slider_reaches_where_the_position_is() -> None:
    room = ROOM()
    slider = room._fields["position"]._slider
    assert slider.end == 511
    room.state.position = 100_000
    assert (slider.end, slider.value) == (100_000, 100_000)
    assert room.view["rows"].p == 100_000
    room.state.position = 7
    assert slider.end == 511
