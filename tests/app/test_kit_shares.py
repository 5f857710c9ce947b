"""Shares as they are printed: never all, never none, where it is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.kit.shares import percent


@given(st.floats(min_value=0, max_value=1))
def test_only_a_whole_reads_as_a_whole_and_only_nothing_as_nothing(share: float) -> None:
    said = percent(share)
    assert (said == "100 %") == (100 * share == 100)
    assert (said == "0 %") <= (share < 1e-17)


def test_a_share_rounds_where_nothing_is_lost() -> None:
    assert [percent(share) for share in (0.31, 0.994, 0.995, 0.9996, 0.9997)] == [
        "31 %",
        "99 %",
        "99.5 %",
        "99.96 %",
        "99.97 %",
    ]
