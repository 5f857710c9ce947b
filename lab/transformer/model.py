"""The character model: forward, loss, and the backward pass into one flat gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import Array, IntArray, check_ids
from lab.positions import Scheme
from lab.transformer import layers
from lab.transformer.parameters import TIED_LOGIT, ModelConfig, Parameters, initial_parameters, scheme_key
from lab.transformer.window import Window


class _Block(NamedTuple):
    """What the backward pass of one block needs."""

    attention_input: tuple[Array, Array]
    attended: layers.Attended
    mlp_input: tuple[Array, Array]
    hidden: Array
    above: Array


class Transformer:
    """A causal character model of one or two blocks under any position scheme.

    Each block is ``x + mix(attend(norm(x)))`` and then ``x + down(relu(up(norm(x))))``; the result is normed
    and multiplied with the output matrix. No biases, no gains, no dropout.

    Parameters
    ----------
    config : ModelConfig
        Sizes.
    scheme : Scheme
        Where position enters; its trained arrays are part of the parameters. Each model needs its own.
    rng : numpy.random.Generator
        Draws the parameters.

    Examples
    --------
    >>> from lab.positions import Rope
    >>> model = Transformer(ModelConfig(V=5, D=8, H=2, T=4), Rope(4), np.random.default_rng(0))
    >>> model.logits([[0, 1, 2]]).shape
    (1, 3, 5)
    """

    def __init__(self, config: ModelConfig, scheme: Scheme, rng: np.random.Generator) -> None:
        self.config = config
        self.scheme = scheme
        self.parameters = initial_parameters(config, scheme, rng)
        self.gradient = Parameters(self.parameters.shapes, config.dtype)
        self._trained = scheme.params()
        self._windows: dict[int, Window] = {}
        self.logit_scale = TIED_LOGIT / config.D if config.tied else 1.0

    @property
    def output_rows(self) -> Array:
        """The output matrix, one row a character, shape (V, D): E itself where tied."""
        return self.parameters["E" if self.config.tied else "output"]

    def window(self, pos: ArrayLike) -> Window:
        """Return the tables of the scheme for some positions.

        Raises
        ------
        ValueError
            If the scheme refuses a position: a learned table does beyond its rows.
        """
        sizes = self.config
        self._publish()
        return Window(self.scheme, pos, D=sizes.D, H=sizes.H, d=sizes.d, dtype=sizes.dtype)

    def logits(self, ids: ArrayLike, window: Window | None = None) -> Array:
        """Return the logits of the next character at each place: (B, T) -> (B, T, V).

        Parameters
        ----------
        ids : array_like of int
            Shape (B, T).
        window : Window, optional
            Positions 0 .. T - 1 if left out.

        Raises
        ------
        ValueError
            If the ids are not a matrix of ids below V or do not fit the window, or if the scheme refuses a
            position.
        """
        tokens = self._checked(ids)
        hidden = self._forward(tokens, window or self._default_window(tokens.shape[1]))[0][0]
        return self._to_logits(hidden).reshape(*tokens.shape, self.config.V)

    def losses(self, ids: ArrayLike, targets: ArrayLike, window: Window | None = None) -> Array:
        """Return the cross-entropy at each place in nats: (B, T), (B, T) -> (B, T).

        Raises
        ------
        ValueError
            As ``logits``, and if the targets have another shape than the ids.
        """
        tokens, wanted = self._checked(ids), self._checked(targets)
        if wanted.shape != tokens.shape:
            raise ValueError(f"ids and targets must have one shape; got {tokens.shape} and {wanted.shape}")
        hidden = self._forward(tokens, window or self._default_window(tokens.shape[1]))[0][0]
        logs = layers.log_probabilities(self._to_logits(hidden))
        return -logs[np.arange(wanted.size), wanted.ravel()].reshape(wanted.shape)

    def loss_and_gradient(self, ids: IntArray, targets: IntArray) -> float:
        """Return the mean loss of a batch in nats and leave its gradient in ``gradient``.

        Parameters
        ----------
        ids, targets : numpy.ndarray of int
            Shape (B, T), below V; not checked, since this is the inner loop.
        """
        window = self._default_window(ids.shape[1])
        (hidden, factor), blocks = self._forward(ids, window)
        rows = self.output_rows
        logs = layers.log_probabilities(self._to_logits(hidden))  # (N, V)
        at = np.arange(targets.size), targets.ravel()
        loss = -float(logs[at].mean())
        grad = np.exp(logs, out=logs)
        grad[at] -= 1
        grad *= self.logit_scale / targets.size
        np.matmul(grad.T, hidden, out=self.gradient["E" if self.config.tied else "output"])
        grad_x = layers.rms_norm_backward(grad @ rows, hidden, factor)  # (N, V) -> (N, D)
        for layer in reversed(range(self.config.layers)):
            grad_x = self._block_backward(layer, blocks[layer], grad_x, window)
        self._input_backward(ids, grad_x, window)
        return loss

    def _checked(self, ids: ArrayLike) -> IntArray:
        tokens = check_ids(ids, self.config.V)
        if tokens.ndim != 2 or tokens.size == 0:
            raise ValueError(f"ids must have shape (B, T), neither of them 0; got {tokens.shape}")
        return tokens

    def _default_window(self, T: int) -> Window:
        if T not in self._windows:
            window = self.window(np.arange(T))
            if T > self.config.T:
                return window
            self._windows[T] = window  # longer ones are rare and large: not kept
        elif self._trained:
            self._publish()
            self._windows[T].refresh(self.scheme)
        return self._windows[T]

    def _publish(self) -> None:
        """Hand the trained arrays back to the scheme, which reads them in its hooks."""
        for name, array in self._trained.items():
            array[...] = self.parameters[scheme_key(name)]

    def _to_logits(self, hidden: Array) -> Array:
        logits: Array = hidden @ self.output_rows.T  # (N, D) -> (N, V)
        if self.logit_scale != 1:
            logits *= self.logit_scale
        return logits

    def _forward(self, ids: IntArray, window: Window) -> tuple[tuple[Array, Array], list[_Block]]:
        B, T = ids.shape
        if window.pos.size != T:
            raise ValueError(f"{T} tokens need a window of {T} positions; got {window.pos.size}")
        x = self.parameters["E"][ids]
        x += window.added
        x = x.reshape(B * T, self.config.D)  # (B, T, D) -> (N, D)
        blocks = []
        for layer in range(self.config.layers):
            x, block = self._block(layer, x, B, window)
            blocks.append(block)
        return layers.rms_norm(x), blocks

    def _block(self, layer: int, x: Array, B: int, window: Window) -> tuple[Array, _Block]:
        D, H, d = self.config.D, self.config.H, self.config.d
        weights = self.parameters
        attention_input = layers.rms_norm(x)
        qkv = (attention_input[0] @ weights[f"{layer}.qkv"]).reshape(B, -1, 3, H, d)  # (N, 3 D) -> ...
        attended = layers.attend(qkv, window)
        x = x + attended.out.reshape(-1, D) @ weights[f"{layer}.mix"]  # (B, T, H, d) -> (N, D)
        mlp_input = layers.rms_norm(x)
        hidden = mlp_input[0] @ weights[f"{layer}.up"]
        above = layers.relu(hidden)
        x = x + hidden @ weights[f"{layer}.down"]
        return x, _Block(attention_input, attended, mlp_input, hidden, above)

    def _block_backward(self, layer: int, block: _Block, grad_x: Array, window: Window) -> Array:
        weights, grads = self.parameters, self.gradient
        np.matmul(block.hidden.T, grad_x, out=grads[f"{layer}.down"])
        grad = grad_x @ weights[f"{layer}.down"].T
        grad *= block.above
        np.matmul(block.mlp_input[0].T, grad, out=grads[f"{layer}.up"])
        grad_x = grad_x + layers.rms_norm_backward(grad @ weights[f"{layer}.up"].T, *block.mlp_input)
        out = block.attended.out
        np.matmul(out.reshape(grad_x.shape).T, grad_x, out=grads[f"{layer}.mix"])
        grad = (grad_x @ weights[f"{layer}.mix"].T).reshape(out.shape)
        grad = layers.attend_backward(grad, block.attended, window).reshape(len(grad_x), -1)
        np.matmul(block.attention_input[0].T, grad, out=grads[f"{layer}.qkv"])
        grad_x += layers.rms_norm_backward(grad @ weights[f"{layer}.qkv"].T, *block.attention_input)
        return grad_x

    def _input_backward(self, ids: IntArray, grad_x: Array, window: Window) -> None:
        hot = layers.one_hot(ids.ravel(), self.config.V, grad_x.dtype)
        into = self.gradient["E"]
        if self.config.tied:
            into += hot.T @ grad_x  # the output's part is there already
        else:
            np.matmul(hot.T, grad_x, out=into)
        if self._trained:
            per_place = grad_x.reshape(*ids.shape, -1).sum(axis=0)  # (N, D) -> (T, D)
            for name, grad in self.scheme.grad_params(window.pos, per_place).items():
                self.gradient[scheme_key(name)][...] = grad
