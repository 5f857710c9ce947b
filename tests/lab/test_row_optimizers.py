"""Which rows an optimizer moves, with the numbers of public implementations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.embedding import RowGradient, mask_padding_row, row_gradient
from lab.row_optimizers import ROW_OPTIMIZERS, SGD, Adam, AdamW, LazyAdam, Momentum

RULES = [SGD(0.1), Momentum(0.1), Adam(0.1), AdamW(0.1), LazyAdam(0.1)]


def run(rule, batches, V=2, D=1, start=0.0):
    """The table after each batch of ids, each with a gradient of ones."""
    E, history = np.full((V, D), start), []
    for ids in batches:
        rule.step(E, row_gradient(ids, np.ones((len(ids), D))))
        history.append(E.copy())
    return np.array(history)


def test_adam_goes_on_moving_a_row_it_no_longer_sees():
    """Case emb-03, row 0 seen in step 1 only, gradient 1, lr .1.

    Step 1: mean .1 / .1 = 1, square .001 / .001 = 1: moves by -.1.
    Step 2: mean .09 / .19 = .473684, square .000999 / .001999 = .499750: .473684 / .706930 = .670058,
    so -.1 - .067006 = -.167006. Step 3: mean .081 / .271 = .298893, square .000998001 / .002997001 =
    .333000: .298893 / .577061 = .517957, so -.218802.
    """
    rows = run(Adam(0.1), [[0], [1], [1]])[:, 0, 0]
    np.testing.assert_allclose(rows, [-0.1, -0.167006, -0.218802], rtol=0, atol=1e-6)


def test_lazy_adam_leaves_an_unseen_row_alone():
    """Case emb-03: row 0 stays where step 1 put it."""
    rows = run(LazyAdam(0.1), [[0], [1], [1]])[:, 0, 0]
    np.testing.assert_allclose(rows, [-0.1, -0.1, -0.1], rtol=0, atol=1e-7)
    assert rows[0] == rows[1] == rows[2]


@pytest.mark.parametrize(
    ("gradient", "moved"),
    [
        (1.0, -0.09999996837723339),
        (1e-3, -0.09996838722023703),
        (1e-6, -0.07597469266479578),
        (1e-8, -0.003065343003171552),
    ],
)
def test_lazy_adam_is_sparse_adam_for_small_gradients_too(gradient, moved):
    """First step of torch.optim.SparseAdam in PyTorch 2.13.0, lr .1, float64: eps counts before the bias."""
    E = np.zeros((2, 1))
    LazyAdam(0.1).step(E, row_gradient([0], [[gradient]]))
    np.testing.assert_allclose(E[:, 0], [moved, 0.0], rtol=1e-12)


def test_momentum_goes_on_and_sgd_does_not():
    """Momentum .9, lr .1: row 0 moves by .1, then .09, then .081. SGD: by .1, then not."""
    np.testing.assert_allclose(run(Momentum(0.1), [[0], [1], [1]])[:, 0, 0], [-0.1, -0.19, -0.271])
    np.testing.assert_array_equal(run(SGD(0.1), [[0], [1], [1]])[:, 0, 0], [-0.1, -0.1, -0.1])


def test_weight_decay_moves_a_masked_row():
    """Case emb-02: row 0 is padding, its gradient masked; .5 (1 - .1 · .1) = .495 all the same."""
    E = np.full((3, 2), 0.5)
    gradient = mask_padding_row(row_gradient([0, 1], np.ones((2, 2))), padding_id=0)
    AdamW(0.1, weight_decay=0.1).step(E, gradient)
    np.testing.assert_allclose(E, [[0.495] * 2, [0.395] * 2, [0.495] * 2], rtol=0, atol=1e-8)


def test_adamw_without_decay_is_adam():
    batches = [[0], [1, 1], [0, 1]]
    np.testing.assert_array_equal(run(AdamW(0.1, weight_decay=0), batches), run(Adam(0.1), batches))


@pytest.mark.parametrize("key", ROW_OPTIMIZERS)
def test_what_a_rule_says_of_unseen_rows_is_true(key):
    """Row 0 was seen once, row 2 never."""
    history = run(ROW_OPTIMIZERS[key](0.1), [[0], [1], [1]], V=3, start=1.0)
    moved = bool((history[1:, 0] != history[:-1, 0]).any())
    assert moved == ROW_OPTIMIZERS[key].moves_unseen
    assert (history[:, 2] != 1.0).any() == (key == "adamw")


def test_which_rules_take_a_sparse_gradient_in_pytorch():
    """Case emb-04."""
    accepted = {key for key, rule in ROW_OPTIMIZERS.items() if rule.sparse_in_pytorch}
    assert accepted == {"sgd", "momentum", "lazy_adam"}


def test_lazy_adam_refuses_a_whole_gradient():
    """Case emb-04: a whole gradient does not say which rows occurred."""
    with pytest.raises(ValueError, match="give it a RowGradient"):
        LazyAdam(0.1).step(np.zeros((2, 1)), np.zeros((2, 1)))


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=6))
@settings(deadline=None, max_examples=50)
def test_listed_rows_and_the_whole_gradient_give_the_same_steps(batches):
    for key in ("sgd", "momentum", "adam", "adamw"):
        sparse, dense = ROW_OPTIMIZERS[key](0.1), ROW_OPTIMIZERS[key](0.1)
        E, F = np.ones((5, 2)), np.ones((5, 2))
        for ids in batches:
            gradient = row_gradient(ids, np.ones((len(ids), 2)))
            sparse.step(E, gradient)
            dense.step(F, gradient.dense(5))
        np.testing.assert_array_equal(E, F)


def test_lazy_adam_is_adam_where_every_row_is_seen():
    batches = [[0, 1], [1, 0, 0], [0, 1]]
    """But for eps, which the two add at different places."""
    np.testing.assert_allclose(run(LazyAdam(0.1), batches), run(Adam(0.1), batches), rtol=1e-6)


def test_float32_tables_stay_float32():
    for rule in RULES:
        E = np.zeros((2, 1), dtype=np.float32)
        type(rule)(0.1).step(E, row_gradient([0], np.ones((1, 1), dtype=np.float32)))
        assert E.dtype == np.float32
        assert E[0, 0] < 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SGD(0.0), "learning rate"),
        (lambda: Momentum(0.1, momentum=1.0), r"momentum must be in \[0, 1\); got 1.0"),
        (lambda: Adam(0.1, beta2=-0.1), "beta2"),
        (lambda: Adam(0.1, eps=0), "eps"),
        (lambda: AdamW(0.1, weight_decay=10), r"lr \* weight_decay"),
        (lambda: AdamW(0.1, weight_decay=-1), r"lr \* weight_decay"),
        (lambda: SGD(0.1).step(np.zeros((2, 2), dtype=int), np.zeros((2, 2))), "writable float table"),
        (lambda: SGD(0.1).step(np.broadcast_to(0.0, (2, 2)), np.zeros((2, 2))), "writable float table"),
        (lambda: SGD(0.1).step(np.zeros((2, 2)), np.zeros((3, 2))), "3 rows, the table 2"),
        (lambda: SGD(0.1).step(np.zeros((2, 2)), np.zeros((2, 3))), r"shape \(any, 2\)"),
        (lambda: SGD(0.1).step([[0.0]], np.zeros((1, 1))), "must be an array; got a list"),
        (lambda: SGD(0.1).step(np.zeros((2, 1)), np.full((2, 1), np.nan)), "finite"),
        (
            lambda: [
                (rule := Momentum(0.1)).step(np.zeros((2, 1)), np.ones((2, 1))),
                rule.step(np.zeros((4, 1)), np.ones((4, 1))),
            ],
            r"remembers a table of shape \(2, 1\)",
        ),
        (
            lambda: SGD(0.1).step(np.zeros((2, 1)), RowGradient(np.array([2]), np.ones((1, 1)))),
            "token id 2",
        ),
        (
            lambda: SGD(0.1).step(np.zeros((2, 1)), RowGradient(np.array([0, 0]), np.ones((2, 1)))),
            "each row once",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
