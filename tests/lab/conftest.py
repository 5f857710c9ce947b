"""Fixtures that several tests of the mathematics share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def head():
    """The q and k of the RoPE cases: two draws of eight normal numbers from seed 0."""
    rng = np.random.default_rng(0)
    return rng.standard_normal(8), rng.standard_normal(8)
