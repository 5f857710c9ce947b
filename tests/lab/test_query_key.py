"""One query and one key: drawn, and scored at many pairs of positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.positions import Rope
from lab.query_key import draw_q_k, scores_at

ropes = st.builds(
    Rope,
    st.just(8),
    base=st.floats(2, 1e7),
    pairing=st.sampled_from(["interleaved", "half"]),
    rotary_dim=st.sampled_from([2, 4, 8]),
)
places = st.lists(st.integers(0, 2_000), min_size=1, max_size=5)


@settings(deadline=None, max_examples=30)
@given(
    ropes,
    st.integers(0, 10_000),
    st.integers(-50, 50),
    st.lists(st.integers(0, 2_000), min_size=1, max_size=5),
)
def test_a_score_depends_only_on_the_distance(rope, seed, distance, at):
    q, k = draw_q_k(8, seed)
    low = np.array(at)
    got = scores_at(rope, q, k, low + 50 + distance, low + 50)
    np.testing.assert_allclose(got, np.full(len(at), rope.total_by_distance(q, k, [distance])[0]), atol=1e-10)


def test_refusals_name_the_value():
    with pytest.raises(ValueError, match=r"q \(d,\) must have shape \(2\)"):
        scores_at(Rope(2), [1.0], [1.0, 0.0], [0], [0])
    with pytest.raises(ValueError, match="2 tokens need 2 positions; got 1"):
        scores_at(Rope(2), [1.0, 0.0], [1.0, 0.0], [0, 1], [0])
