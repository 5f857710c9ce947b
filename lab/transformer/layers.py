"""The parts of a block, each with its backward pass written by hand.

N = B T tokens of a batch are the rows of every matrix; only attention sees B and T apart. Each forward
function returns what its backward needs. Nothing is checked here: ids and sizes are checked by the model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lab.notation import Array, IntArray
from lab.transformer.window import Window

EPS = 1e-6
SAFE_EXPONENT = 60.0
"""exp of this is far from the end of float32 (88), also after a sum over a long row."""


def rms_norm(x: Array) -> tuple[Array, Array]:
    """Divide each row by its root mean square: (N, D) -> (N, D), and the factors (N, 1).

    There is no gain and no mean is taken away, so a raw index added to every entry is not cancelled.

    References
    ----------
    Zhang and Sennrich 2019, arXiv:1910.07467, equation 4.

    Examples
    --------
    >>> normed, factor = rms_norm(np.array([[3.0, 4.0]]))
    >>> normed.round(4), factor.round(4)
    (array([[0.8485, 1.1314]]), array([[0.2828]]))
    """
    factor = np.einsum("nd,nd->n", x, x)[:, None]
    factor *= 1 / x.shape[1]
    factor += EPS
    np.sqrt(factor, out=factor)
    np.reciprocal(factor, out=factor)
    return x * factor, factor


def rms_norm_backward(grad: Array, normed: Array, factor: Array) -> Array:
    """Return the gradient of the input of ``rms_norm``: (N, D), overwritten -> (N, D).

    Examples
    --------
    Along the row itself nothing changes: its length is divided out.

    >>> x = np.array([[3.0, 4.0]])
    >>> bool(abs(rms_norm_backward(x.copy(), *rms_norm(x))).max() < 1e-6)
    True
    """
    along = np.einsum("nd,nd->n", grad, normed)[:, None]
    along *= 1 / normed.shape[1]
    grad -= normed * along
    grad *= factor
    return grad


class Attended(NamedTuple):
    """Attention's result and what its backward needs."""

    qkv: Array
    """Shape (B, T, 3, H, d); q and k turned, q divided by sqrt(d)."""
    weights: Array
    """Shape (B, H, T, T), before the division by their sum."""
    total: Array
    """The sums, shape (B, T, H, 1)."""
    out: Array
    """Shape (B, T, H, d)."""


def _needs_row_maximum(qk: Array) -> bool:
    # |q . k| <= |q| |k| bounds every score at the cost of two short sums, where a maximum for each row
    # would pass over all T x T scores; with the bias at most 0 the exponentials are then in range
    q, k = np.einsum("btnhd,btnhd->nbth", qk, qk)
    return not float(q.max()) * float(k.max()) < SAFE_EXPONENT**2  # NaN is not below either


def attend(qkv: Array, window: Window) -> Attended:
    """Causal attention of every head: (B, T, 3, H, d), overwritten -> (B, T, H, d).

    References
    ----------
    Vaswani et al. 2017, arXiv:1706.03762, equation 1.

    Examples
    --------
    Queries of 0 average all they see:

    >>> from lab.positions import NoPosition
    >>> qkv = np.zeros((1, 3, 3, 1, 1))
    >>> qkv[0, :, 2, 0, 0] = [3.0, 0.0, 0.0]
    >>> window = Window(NoPosition(), np.arange(3), D=1, H=1, d=1, dtype=np.float64)
    >>> attend(qkv, window).out.ravel()
    array([3. , 1.5, 1. ])
    """
    B, T, _, H, d = qkv.shape
    qk = qkv[:, :, :2]
    window.turn.apply(qk)
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)  # (B, T, 3, H, d) -> 3 x (B, H, T, d), views
    weights = q @ k.swapaxes(-1, -2)  # (B, H, T, d) -> (B, H, T, T)
    weights += window.bias
    if _needs_row_maximum(qk):
        weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    total = np.einsum("bhts->bth", weights)[..., None]  # (B, H, T, T) -> (B, T, H, 1); faster than sum
    out = np.empty((B, T, H, d), qkv.dtype)
    np.matmul(weights, v, out=out.transpose(0, 2, 1, 3))
    out /= total  # d divisions a row in place of T
    return Attended(qkv, weights, total, out)


def attend_backward(grad: Array, attended: Attended, window: Window) -> Array:
    """Return the gradient of qkv: (B, T, H, d), overwritten -> (B, T, 3, H, d).

    The gradient of softmax(z) is diag(p) - p p^T; finite differences in the tests hold it to that.
    """
    q, k, v = attended.qkv.transpose(2, 0, 3, 1, 4)
    weights = attended.weights
    grad /= attended.total
    # sum over keys of weight times its gradient, which softmax takes away, is the product of the outputs
    along = np.einsum("bthd,bthd->bht", grad, attended.out)[..., None]
    grad_heads = grad.transpose(0, 2, 1, 3)  # (B, T, H, d) -> (B, H, T, d)
    scores = grad_heads @ v.swapaxes(-1, -2)  # (B, H, T, T)
    scores -= along
    scores *= weights
    result = np.empty_like(attended.qkv)
    grad_q, grad_k, grad_v = result.transpose(2, 0, 3, 1, 4)
    np.matmul(scores, k, out=grad_q)
    np.matmul(scores.swapaxes(-1, -2), q, out=grad_k)
    np.matmul(weights.swapaxes(-1, -2), grad_heads, out=grad_v)
    window.turn.adjoint(result[:, :, :2])
    return result


def relu(x: Array) -> Array:
    """Set what is below 0 to 0, in place, and return where it was above.

    Examples
    --------
    >>> x = np.array([-1.0, 2.0])
    >>> relu(x), x
    (array([False,  True]), array([-0.,  2.]))
    """
    above = x > 0
    x *= above  # several times faster than np.maximum in WebAssembly
    return above


def log_probabilities(logits: Array) -> Array:
    """Turn logits into log probabilities in place: (N, V) -> (N, V).

    Examples
    --------
    >>> np.exp(log_probabilities(np.array([[1000.0, 1000.0]])))
    array([[0.5, 0.5]])
    """
    logits -= logits.max(axis=1, keepdims=True)
    total = np.einsum("nv->n", np.exp(logits))[:, None]
    logits -= np.log(total, out=total)
    return logits


def one_hot(ids: IntArray, V: int, dtype: np.dtype[np.floating]) -> Array:
    """Return one row with a single 1 for each id: (N,) -> (N, V).

    As ``lab.embedding.one_hot``, without its checks: this is the inner loop.

    Examples
    --------
    >>> one_hot(np.array([2, 0]), 3, np.dtype(np.float64))
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    rows = np.zeros((ids.size, V), dtype)
    rows[np.arange(ids.size), ids] = 1
    return rows
