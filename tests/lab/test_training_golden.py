"""The same model and optimiser as in PyTorch: losses and gradients that it returned."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lab.positions import SCHEMES
from lab.training import Adam, TrainingConfig, learning_rate
from lab.transformer import ModelConfig, Transformer

GOLDEN = Path(__file__).parents[1] / "golden" / "train_torch.npz"


@pytest.fixture(scope="module")
def golden():
    """The stored run; ``make_train_torch.py`` beside it needs PyTorch, this test does not."""
    with np.load(GOLDEN) as pack:
        return {name: pack[name] for name in pack.files}


@pytest.mark.parametrize("layers", ["1", "2"])
@pytest.mark.parametrize("scheme", ["none", "raw", "sinusoidal", "learned", "rope", "alibi"])
def test_gradient_and_losses_agree_with_pytorch(golden, scheme, layers):
    """Eight steps in float64: a wrong derivative, Adam or rate would part the losses from the second on."""
    meta = json.loads(str(golden["meta"]))
    build, adam = meta["builds"][layers], meta["adam"]
    config = ModelConfig(**meta["sizes"], **build, dtype="float64")
    built = SCHEMES[scheme].build(D=config.D, H=config.H, d=config.d, max_positions=config.T)
    model = Transformer(config, built, np.random.default_rng(0))
    model.parameters.flat[...] = golden[f"{scheme}.{layers}.parameters"]
    optimiser = Adam(model.parameters.flat, beta1=adam["beta1"], beta2=adam["beta2"])
    rates = TrainingConfig(
        steps=adam["steps"],
        warmup=adam["warmup"],
        final_rate=adam["final_rate"],
        learning_rate=adam["learning_rate"],
    )
    losses = []
    for step, batch in enumerate(golden["batches"].astype(np.intp), start=1):
        losses.append(model.loss_and_gradient(batch[:, :-1], batch[:, 1:]))
        if step == 1:
            wanted = golden[f"{scheme}.{layers}.gradient"]
            np.testing.assert_allclose(model.gradient.flat, wanted, rtol=1e-6, atol=1e-8)
        optimiser.update(model.gradient.flat, learning_rate(rates, step))
    np.testing.assert_allclose(losses, golden[f"{scheme}.{layers}.losses"], rtol=0, atol=1e-10)
