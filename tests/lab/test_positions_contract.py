"""What holds for every scheme of SCHEMES, a seventh included."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from lab.attention import scores, self_attention
from lab.positions import SCHEMES, Alibi, Learned, NoPosition, RawIndex, Rope, Scheme, Sinusoidal

T, D, H, d = 5, 8, 4, 2
HOOK = {"input": "add_to_input", "qk": "rotate", "scores": "bias", None: None}
RELATIVE = ["none", "rope", "alibi"]


def build(key: str) -> Scheme:
    return SCHEMES[key].build(D=D, H=H, d=d, max_positions=64, rng=np.random.default_rng(1))


@pytest.fixture(params=SCHEMES)
def scheme(request):
    return build(request.param)


@pytest.fixture
def x():
    return np.random.default_rng(2).standard_normal((3, T, D))


@pytest.fixture
def qk():
    return np.random.default_rng(3).standard_normal((2, H, T, d))


@pytest.fixture
def weights():
    return np.random.default_rng(4).standard_normal((3, D, H * d))


def test_the_order_and_the_classes():
    assert {
        "none": NoPosition,
        "raw": RawIndex,
        "sinusoidal": Sinusoidal,
        "learned": Learned,
        "rope": Rope,
        "alibi": Alibi,
    } == SCHEMES
    assert list(SCHEMES) == ["none", "raw", "sinusoidal", "learned", "rope", "alibi"]


def test_the_description_is_complete(scheme):
    assert SCHEMES[scheme.key] is type(scheme)
    assert min(map(len, (scheme.title, scheme.formula, scheme.source))) > 0
    assert scheme.enters in HOOK
    assert scheme.origin == (1 if scheme.key == "learned" else 0)
    assert scheme.trained_limit == (64 if scheme.key == "learned" else None)
    assert inspect.signature(type(scheme).build).parameters.keys() >= {"D", "H", "d", "max_positions", "rng"}


def test_only_the_declared_hook_acts(scheme, x, qk):
    pos = np.arange(1, T + 1)
    acts = {
        "add_to_input": not np.array_equal(scheme.add_to_input(x, pos), x),
        "rotate": not np.array_equal(scheme.rotate(qk, pos), qk),
        "bias": bool(np.any(scheme.bias(pos, pos))),
    }
    assert acts == {hook: hook == HOOK[scheme.enters] for hook in acts}


def test_shapes_and_types(scheme, x, qk):
    pos, k_pos = np.arange(T), np.arange(T + 2)
    for dtype in (np.float32, np.float64):
        rows, turned = scheme.add_to_input(x.astype(dtype), pos), scheme.rotate(qk.astype(dtype), pos)
        assert (rows.shape, rows.dtype, turned.shape, turned.dtype) == (x.shape, dtype, qk.shape, dtype)
    assert np.shape(scheme.bias(pos, k_pos)) in {(), (H, T, T + 2)}
    assert scheme.add_to_input(np.zeros((0, D)), []).shape == (0, D)


def test_inputs_are_not_written_to(scheme, x, qk):
    before_x, before_qk, pos = x.copy(), qk.copy(), np.arange(T)
    scheme.add_to_input(x, pos)
    scheme.rotate(qk, pos)
    np.testing.assert_array_equal(x, before_x)
    np.testing.assert_array_equal(qk, before_qk)


def test_a_batch_is_its_sequences_one_by_one(scheme, x, qk):
    pos = np.array([4, 0, 0, 9, 2])
    np.testing.assert_array_equal(scheme.add_to_input(x, pos), [scheme.add_to_input(row, pos) for row in x])
    np.testing.assert_array_equal(scheme.rotate(qk, pos), [scheme.rotate(part, pos) for part in qk])


def test_positions_are_explicit(scheme, x, qk):
    """Reordering tokens and positions together reorders the result: the place in the array means nothing."""
    pos, order = np.array([7, 3, 11, 0, 5]), np.array([2, 0, 4, 1, 3])
    np.testing.assert_array_equal(
        scheme.add_to_input(x, pos)[:, order], scheme.add_to_input(x[:, order], pos[order])
    )
    np.testing.assert_array_equal(
        scheme.rotate(qk, pos)[..., order, :], scheme.rotate(qk[..., order, :], pos[order])
    )
    biases = np.broadcast_to(scheme.bias(pos, pos), (H, T, T))
    shuffled = np.broadcast_to(scheme.bias(pos[order], pos[order]), (H, T, T))
    np.testing.assert_array_equal(biases[:, order][:, :, order], shuffled)


def test_unsigned_positions_mean_the_same(scheme, x, qk):
    """Differences of unsigned integers wrap around: 0 - 1 would be 255."""
    signed = np.arange(T)
    pos = signed.astype(np.uint8)
    np.testing.assert_array_equal(scheme.add_to_input(x, pos), scheme.add_to_input(x, signed))
    np.testing.assert_array_equal(scheme.rotate(qk, pos), scheme.rotate(qk, signed))
    np.testing.assert_array_equal(scheme.bias(pos, pos), scheme.bias(signed, signed))


@pytest.mark.parametrize("shift", [1, 7, 50])
def test_a_shared_shift_leaves_relative_schemes_alone(scheme, x, weights, shift):
    at_0 = self_attention(x[0], *weights, H=H, scheme=scheme, pos=np.arange(T)).scores
    moved = self_attention(x[0], *weights, H=H, scheme=scheme, pos=np.arange(T) + shift).scores
    change = np.abs(at_0 - moved).max()
    assert change < 1e-12 if scheme.key in RELATIVE else change > 1e-3


@pytest.mark.parametrize("key", [key for key in SCHEMES if key != "learned"])
def test_what_is_computed_has_no_limit(key, x):
    """Case pos-02: a position far beyond any training gives no error, hence no warning either."""
    far = np.arange(100_000, 100_000 + T)
    scheme = build(key)
    assert np.isfinite(scheme.add_to_input(x, far)).all()
    assert np.isfinite(scheme.rotate(x[..., :d], far)).all()


def test_parameters_and_their_gradient_match(scheme, x):
    pos = np.array([3, 1, 3, 0, 2])
    params, grads = scheme.params(), scheme.grad_params(pos, x)
    assert {name: p.shape for name, p in params.items()} == {name: g.shape for name, g in grads.items()}
    assert sum(p.size for p in params.values()) == (64 * D if scheme.key == "learned" else 0)


@pytest.mark.parametrize(
    ("pos", "message"),
    [
        ([0.0, 1.0, 2.0, 3.0, 4.0], "positions must be integers; got float64"),
        ([0, 1, 2, 3, np.nan], "positions must be integers"),
        ([True, False, True, True, False], "positions must be integers; got bool"),
        ([[0, 1, 2, 3, 4]], r"positions must have shape \(T,\)"),
    ],
)
def test_positions_that_are_none(scheme, x, qk, pos, message):
    for call in (
        lambda: scheme.add_to_input(x, pos),
        lambda: scheme.rotate(qk, pos),
        lambda: scheme.bias(pos, [0]),
        lambda: scheme.bias([0], pos),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_shapes_that_do_not_fit(scheme, x, qk):
    for call in (
        lambda: scheme.add_to_input(x, np.arange(T - 1)),
        lambda: scheme.rotate(qk, np.arange(T + 1)),
        lambda: scheme.add_to_input(x[0, 0], [0]),
        lambda: scheme.add_to_input(x * np.nan, np.arange(T)),
        lambda: scheme.rotate(qk * np.inf, np.arange(T)),
        lambda: scheme.add_to_input(np.full((T, D), "a"), np.arange(T)),
    ):
        with pytest.raises(ValueError, match=r"must have shape|must be finite|must hold real numbers"):
            call()


@pytest.mark.parametrize("key", ["sinusoidal", "learned"])
def test_rows_of_another_width(key):
    with pytest.raises(ValueError, match=r"must have shape \(..., 2, 8\); its shape is \(2, 7\)"):
        build(key).add_to_input(np.zeros((2, 7)), [0, 1])


@pytest.mark.parametrize(
    ("key", "size"),
    [("sinusoidal", "D"), ("learned", "D"), ("learned", "max_positions"), ("rope", "d"), ("alibi", "H")],
)
@pytest.mark.parametrize("value", [0, -2, 2.5, float("nan")])
def test_sizes_that_are_none(key, size, value):
    sizes = {"D": D, "H": H, "d": d, "max_positions": 64} | {size: value}
    with pytest.raises(ValueError, match=r"must be (a whole|an even) number"):
        SCHEMES[key].build(**sizes)


def test_a_bias_for_another_number_of_heads_is_refused(qk):
    with pytest.raises(
        ValueError, match=r"bias of scheme 'alibi' has shape \(2, 5, 5\).*build it for H = 4 heads"
    ):
        scores(qk[0], qk[1], Alibi([0.5, 0.25]))
