"""The forward pass: against a slow version that asks the hooks, and what an untrained model must be."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest

from lab.positions import SCHEMES, Alibi, Learned, NoPosition, RawIndex, Rope
from lab.transformer import ModelConfig, Transformer, Window
from lab.transformer.layers import log_probabilities, rms_norm
from tests.lab.test_transformer_gradient import ALL, tiny

WINDOW = {"D": 8, "H": 2, "d": 4, "dtype": "float64"}


def slow_logits(model, ids):
    """One text, one head and one query at a time, every position through the scheme's own hooks."""
    sizes, weights, scheme = model.config, model.parameters, model.scheme
    for name, array in scheme.params().items():
        array[...] = weights[f"scheme.{name}"]
    pos = np.arange(len(ids))
    x = scheme.add_to_input(weights["E"][ids], pos)
    for layer in range(sizes.layers):
        out = np.zeros_like(x)
        q, k, v = np.split(normed(x) @ weights[f"{layer}.qkv"], 3, axis=1)
        bias = np.broadcast_to(scheme.bias(pos, pos), (sizes.H, pos.size, pos.size))
        for h in range(sizes.H):
            head = slice(h * sizes.d, (h + 1) * sizes.d)
            queries, keys = scheme.rotate(q[:, head], pos), scheme.rotate(k[:, head], pos)
            for t in pos:
                scores = keys[: t + 1] @ queries[t] / math.sqrt(sizes.d) + bias[h, t, : t + 1]
                share = np.exp(scores - scores.max())
                out[t, head] = share / share.sum() @ v[: t + 1, head]
        x = x + out @ weights[f"{layer}.mix"]
        x = x + np.maximum(normed(x) @ weights[f"{layer}.up"], 0) @ weights[f"{layer}.down"]
    return normed(x) @ model.output_rows.T * model.logit_scale


def normed(x):
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("scheme", ALL)
def test_forward_agrees_with_the_hooks_one_query_at_a_time(scheme, tied):
    model, ids, _ = tiny(scheme, D=8, T=7, layers=2, tied=tied)
    wanted = [slow_logits(model, row) for row in ids]
    np.testing.assert_allclose(model.logits(ids), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scheme", ALL)
def test_a_later_character_changes_nothing_before_it(scheme):
    model, ids, _ = tiny(scheme, D=8, T=7)
    changed = ids.copy()
    changed[:, 4] = (changed[:, 4] + 1) % 5
    before, after = model.logits(ids), model.logits(changed)
    np.testing.assert_array_equal(before[:, :4], after[:, :4])
    assert np.abs(before[:, 4:] - after[:, 4:]).max() > 1e-6


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_untrained_model_knows_nothing(scheme, layers, tied):
    """Its loss is near ln 66 = 4.190: within .03 untied, and .25 above at most where a row meets itself."""
    config = ModelConfig(V=66, layers=layers, tied=tied)
    model = Transformer(
        config, SCHEMES[scheme].build(D=48, H=4, d=12, max_positions=32), np.random.default_rng(0)
    )
    batch = np.random.default_rng(1).integers(0, 66, (16, 33))
    loss = float(model.losses(batch[:, :-1], batch[:, 1:]).mean())
    assert -0.03 < loss - math.log(66) < (0.25 if tied else 0.03)


@pytest.mark.parametrize("sd", [0.02, 1.0, 3.0])
def test_rows_start_with_the_chosen_sd(sd):
    """3,168 draws: the standard deviation of their standard deviation is sd / sqrt(6336) = 1.3 % of sd."""
    config = ModelConfig(V=66, embedding_sd=sd)
    model = Transformer(config, NoPosition(), np.random.default_rng(0))
    assert model.parameters["E"].std() == pytest.approx(sd, rel=0.05)


@pytest.mark.parametrize("layers", [1, 2])
def test_matrices_start_at_one_over_sqrt_rows(layers):
    """The two that write to the residual stream are smaller by sqrt(2 layers); 5 % is over 3 sd."""
    config = ModelConfig(V=66, layers=layers)
    weights = Transformer(config, NoPosition(), np.random.default_rng(0)).parameters
    for layer in range(layers):
        sd = {name: weights[f"{layer}.{name}"].std() for name in ("qkv", "up", "mix", "down")}
        inside, writing = 48**-0.5, (2 * layers) ** -0.5
        wanted = {"qkv": inside, "up": inside, "mix": inside * writing, "down": 96**-0.5 * writing}
        assert sd == pytest.approx(wanted, rel=0.05)


def test_parameters_by_hand():
    """66 * 48 twice, 48 * 144 + 48 * 48 + 2 * 48 * 96 a block: 24,768; 43,200 with two; E once if tied."""
    sizes = {}
    for layers, tied in ((1, False), (2, False), (1, True)):
        config = ModelConfig(V=66, layers=layers, tied=tied)
        sizes[layers, tied] = Transformer(config, NoPosition(), np.random.default_rng(0)).parameters.flat.size
    assert sizes == {(1, False): 24_768, (2, False): 43_200, (1, True): 21_600}
    learned = Transformer(ModelConfig(V=66), Learned(np.ones((32, 48))), np.random.default_rng(0))
    assert learned.parameters.flat.size == 24_768 + 32 * 48


def test_views_share_the_flat_vector_and_the_trained_rows_reach_the_scheme():
    model, ids, _ = tiny("learned")
    before = model.logits(ids)
    model.parameters.flat[...] = 0
    assert all(not view.any() for view in model.parameters.values())
    model.parameters["scheme.P"][...] = 2.0
    model.logits(ids)
    np.testing.assert_array_equal(model.scheme.P, np.full((4, 4), 2.0))
    assert np.abs(before).max() > 0


def test_rms_norm_keeps_a_raw_index_that_layer_norm_would_cancel():
    """(3, 4) has root mean square sqrt(12.5); adding 5 to both entries turns the row, so the result moves."""
    rows = np.array([[3.0, 4.0], [8.0, 9.0]])
    np.testing.assert_allclose(rms_norm(rows)[0][0], [3 / 12.5**0.5, 4 / 12.5**0.5], atol=1e-7)
    assert np.abs(np.diff(rms_norm(rows)[0], axis=0)).max() > 0.05


def test_log_probabilities_survive_logits_of_a_thousand():
    logs = log_probabilities(np.array([[1000.0, 1000.0], [0.0, -1000.0]]))
    np.testing.assert_allclose(logs, [[-math.log(2), -math.log(2)], [0.0, -1000.0]], atol=1e-12)


def test_a_learned_table_refuses_the_position_after_its_last():
    model, ids, _ = tiny("learned")
    with pytest.raises(ValueError, match="position 4 has no row: the table was trained for 4 positions"):
        model.logits(np.concatenate([ids, ids], axis=1))


@pytest.mark.parametrize("scheme", [key for key in ALL if key not in ("learned", "seventh")])
def test_the_others_go_on(scheme):
    model, ids, _ = tiny(scheme)
    longer = np.concatenate([ids, ids], axis=1)
    np.testing.assert_allclose(model.logits(longer)[:, :4], model.logits(ids), rtol=0, atol=1e-12)


def test_shifted_positions_change_absolute_schemes_only():
    """RoPE and ALiBi see distances, so positions 10 .. 13 give what 0 .. 3 give; a sinusoid does not."""
    change = {}
    for scheme in ("rope", "alibi", "sinusoidal", "raw"):
        model, ids, _ = tiny(scheme)
        shifted = model.logits(ids, model.window(np.arange(10, 14)))
        change[scheme] = float(np.abs(shifted - model.logits(ids)).max())
    assert max(change["rope"], change["alibi"]) < 1e-12
    assert min(change["sinusoidal"], change["raw"]) > 1e-2


class Lifted(NoPosition):
    """Adds one number to every score, which softmax does not see."""

    key: ClassVar[str] = "lifted"

    def __init__(self, lift):
        self._lift = lift

    def bias(self, q_pos, k_pos):
        return np.full((2, len(q_pos), len(k_pos)), self._lift)


@pytest.mark.parametrize("lift", [-1000.0, 1000.0])
def test_a_lift_of_all_scores_changes_nothing(lift):
    """exp(1000) leaves float64 and exp(-1000) is 0: the bias has to be brought back to 0 first."""
    plain, ids, _ = tiny("none")
    lifted = Transformer(plain.config, Lifted(lift), np.random.default_rng(0))
    lifted.parameters.flat[...] = plain.parameters.flat
    np.testing.assert_allclose(lifted.logits(ids), plain.logits(ids), rtol=0, atol=1e-12)


class Crooked(NoPosition):
    """Hooks that break the law a table relies on, one at a time."""

    key: ClassVar[str] = "crooked"

    def __init__(self, law):
        self._law = law

    def rotate(self, qk, pos):
        return np.abs(qk) if self._law == "rotate" else super().rotate(qk, pos)

    def add_to_input(self, x, pos):
        return np.asarray(x) * 2 if self._law == "add" else super().add_to_input(x, pos)

    def bias(self, q_pos, k_pos):
        return np.zeros((1, 2)) if self._law == "bias" else 0.0


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ("rotate", "rotate of scheme 'crooked' is not linear"),
        ("add", "add_to_input of scheme 'crooked' does more than add"),
        ("bias", r"bias of scheme 'crooked' must be \(2, 3, 3\); its shape is \(1, 2\)"),
    ],
)
def test_a_scheme_that_no_table_can_hold_is_refused(law, message):
    with pytest.raises(ValueError, match=message):
        Window(Crooked(law), np.arange(3), **WINDOW)


def test_tables_of_a_window():
    """The raw index as rows; ALiBi's slopes 1/16 and 1/256 for two heads with the mask in the bias."""
    np.testing.assert_array_equal(Window(RawIndex(), [0, 7], **WINDOW).added[:, 0], [0, 7])
    bias = Window(Alibi([1 / 16, 1 / 256]), [0, 1], **WINDOW).bias
    np.testing.assert_array_equal(bias, [[[0, -np.inf], [-1 / 16, 0]], [[0, -np.inf], [-1 / 256, 0]]])
    assert Window(NoPosition(), [0, 1], **WINDOW).bias.shape == (1, 2, 2)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_turn_and_its_adjoint(pairing, dtype):
    """<turn a, b> = <a, adjoint b> for any a and b, which is what a backward pass of a linear map is."""
    window = Window(Rope(4, pairing=pairing), [3, 5], D=8, H=2, d=4, dtype=dtype)
    a, b = np.random.default_rng(0).standard_normal((2, 3, 2, 2, 2, 4)).astype(dtype)
    turned, back = a.copy(), b.copy()
    window.turn.apply(turned)
    window.turn.adjoint(back)
    assert turned.dtype == dtype
    wanted = Rope(4, pairing=pairing).rotate(a[:, :, 1].swapaxes(1, 2), [3, 5]).swapaxes(1, 2)
    np.testing.assert_allclose(turned[:, :, 1], wanted, atol=1e-6)
    assert float((turned * b).sum()) == pytest.approx(float((a * back).sum()), rel=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"D": 50}, "width D = 50 does not split into H = 4 heads"),
        ({"layers": 3}, "layers must be 1 or 2; got 3"),
        ({"V": 0}, "vocabulary V must be a whole number of at least 1; got 0"),
        ({"embedding_sd": 0.0}, "embedding_sd must be a finite number above 0"),
        ({"dtype": "float16"}, "dtype 'float16' is unknown; choose one of float32, float64"),
    ],
)
def test_sizes_are_checked(change, message):
    with pytest.raises(ValueError, match=message):
        ModelConfig(**{"V": 66, **change})


@pytest.mark.parametrize(
    ("ids", "targets", "message"),
    [
        ([[0, 5]], [[0, 0]], "token id 5 is outside the table: its 5 rows are 0 to 4"),
        ([0, 1], [0, 1], r"ids must have shape \(B, T\), neither of them 0; got \(2,\)"),
        ([[0, 1]], [[0, 1, 2]], r"ids and targets must have one shape; got \(1, 2\) and \(1, 3\)"),
    ],
)
def test_ids_are_checked(ids, targets, message):
    model = tiny("none")[0]
    with pytest.raises(ValueError, match=message):
        model.losses(ids, targets)


def test_a_window_must_fit():
    model, ids, _ = tiny("none")
    with pytest.raises(ValueError, match="4 tokens need a window of 4 positions; got 2"):
        model.logits(ids, model.window([0, 1]))
