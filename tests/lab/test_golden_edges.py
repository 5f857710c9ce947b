"""Golden entries on the edge of what libraries do, invariants, and a case of padding."""

from __future__ import annotations

import numpy as np
import pytest

from lab.context_extension import DynamicNtk, LongRope, Ntk, Yarn
from lab.mistakes import MISTAKES
from lab.positions import Rope, Sinusoidal
from lab.query_key import scores_at
from tests.golden import INV_FREQ_RTOL, PRINTED_ATOL, case, entry, names


def test_ntk_variants_refuse_a_head_of_two() -> None:
    d = entry("edge.dynamic_head_dim2")["inputs"]["head_dim"]
    for made in (Ntk(factor=2.0), DynamicNtk(factor=2.0, trained=64, length=128)):
        with pytest.raises(ValueError, match="at least 4"):
            made(d, 10_000.0)


def test_tensor2tensor_has_one_frequency_at_width_two() -> None:
    D = entry("edge.t2t_d2")["inputs"]["d_model"]
    assert Sinusoidal(D, variant="tensor2tensor").frequencies.tolist() == [1.0]


def test_an_odd_head_is_refused_as_the_library_does() -> None:
    golden = entry("edge.head_dim_odd")
    assert "even" in golden["library_says"]
    with pytest.raises(ValueError, match="even number"):
        Rope(golden["inputs"]["head_dim"])


def test_a_tiny_window_ramps_over_one_pair() -> None:
    golden = entry("edge.yarn_tiny_context16.d8")
    inputs = golden["inputs"]
    yarn = Yarn(factor=inputs["factor"], trained=inputs["original_max_position_embeddings"])
    d, base = inputs["head_dim"], inputs["base"]
    np.testing.assert_allclose(yarn(d, base)[0], golden["closed"], rtol=1e-12)
    np.testing.assert_allclose(np.clip(yarn.ramp_ends(d, base), 0, d - 1), golden["ramp"], atol=1e-12)


@pytest.mark.parametrize("name", names("ctx.ntk_aware"))
def test_ntk_leaves_the_first_pair_and_divides_the_last(name: str) -> None:
    golden = entry(name)
    inputs, invariants = golden["inputs"], golden["invariants"]
    d, base = inputs["head_dim"], inputs["base"]
    found = Ntk(factor=inputs["scale"])(d, base)[0]
    plain = Rope(d, base=base).inv_freq
    assert found[0] == invariants["first"]
    assert found[-1] / plain[-1] == pytest.approx(invariants["last_over_original_last"], rel=1e-12)
    assert invariants["expected_last_ratio"] == 1 / inputs["scale"]


@pytest.mark.parametrize("name", names("ctx.longrope"))
def test_the_attention_factor_has_a_closed_form(name: str) -> None:
    golden = entry(name)
    inputs = golden["inputs"]
    trained = inputs["original_max_position_embeddings"]
    made = LongRope(
        factor=inputs["max_position_embeddings"] / trained, trained=trained, length=inputs["seq_len"]
    )
    assert made.multiplier == pytest.approx(golden["attention_factor_closed_form"], rel=INV_FREQ_RTOL)


def test_the_score_at_distance_five_is_the_same_far_away() -> None:
    golden = entry("rope.relative_property.d8")
    # the vectors of case rope-01
    q, k = np.random.default_rng(0).standard_normal((2, 8))
    rope = Rope(8, pairing="half")
    found = scores_at(rope, q, k, *np.transpose(golden["inputs"]["pairs"]))
    np.testing.assert_allclose(found, golden["values"], atol=PRINTED_ATOL)


def test_rows_three_apart_have_one_dot_product() -> None:
    golden = entry("sinusoid.dot_depends_on_offset.d8")
    made = Sinusoidal(golden["inputs"]["d_model"])
    for pair in golden["inputs"]["pairs"]:
        first, second = made.table(pair)
        assert first @ second == pytest.approx(golden["expected"], abs=PRINTED_ATOL)


def test_the_end_token_counts_where_it_pads_too() -> None:
    """Case pad-01: ids 5 6 0 0 0 of true length 3: targets 6 and the first 0 count, the tail does not."""
    assert "true length 3" in case("pad-01")["input"]
    mistake = MISTAKES["pad_value"]
    inputs = {"ids": np.array([[5, 6, 0, 0, 0]]), "lengths": np.array([3]), "pad_id": 0}
    assert mistake.right(inputs).tolist() == [[1, 1, 0, 0]]
    assert mistake.wrong(inputs).tolist() == [[1, 0, 0, 0]]
