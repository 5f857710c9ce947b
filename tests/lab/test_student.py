"""Student's t against printed tables and closed forms."""

from __future__ import annotations

import math

import pytest

from lab.student import student_t_quantile, student_t_within

TABLE = {  # Fisher and Yates 1963, Statistical Tables, table III: two-sided levels
    (0.05, 1): 12.706,
    (0.05, 2): 4.303,
    (0.05, 4): 2.776,
    (0.05, 7): 2.365,
    (0.05, 10): 2.228,
    (0.05, 30): 2.042,
    (0.10, 7): 1.895,
    (0.01, 1): 63.657,
    (0.01, 7): 3.499,
    (0.01, 20): 2.845,
    (0.001, 5): 6.869,
}


@pytest.mark.parametrize(("level", "df"), TABLE)
def test_quantiles_are_those_of_the_printed_table(level: float, df: int) -> None:
    assert student_t_quantile(level, df) == pytest.approx(TABLE[level, df], abs=5.1e-4)


def test_with_many_degrees_of_freedom_it_is_the_normal_distribution() -> None:
    assert student_t_quantile(0.05, 100_000) == pytest.approx(1.959964, abs=5e-5)


def test_one_and_two_degrees_of_freedom_have_closed_forms() -> None:
    """Cauchy: 2 arctan(t) / pi. Two: t / sqrt(2 + t²)."""
    for t in (0.0, 0.3, 1.0, 7.0, 400.0):
        assert student_t_within(t, 1) == pytest.approx(2 * math.atan(t) / math.pi, abs=1e-14)
        assert student_t_within(t, 2) == pytest.approx(t / math.sqrt(2 + t * t), abs=1e-14)
        assert student_t_within(t, 3) == pytest.approx(
            2 / math.pi * (math.atan(t / math.sqrt(3)) + t / math.sqrt(3) / (1 + t * t / 3)), abs=1e-14
        )


@pytest.mark.parametrize("df", range(1, 12))
def test_the_quantile_turns_the_probability_round(df: int) -> None:
    for level in (0.5, 0.05, 0.05 / 15, 1e-6):
        assert 1 - student_t_within(student_t_quantile(level, df), df) == pytest.approx(level, rel=1e-7)
    assert student_t_within(math.inf, df) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: student_t_quantile(0.0, 7), "got 0.0"),
        (lambda: student_t_quantile(1.0, 7), "got 1.0"),
        (lambda: student_t_quantile(0.05, 0), "degrees of freedom must be a whole number"),
        (lambda: student_t_within(-1.0, 7), "got -1.0"),
        (lambda: student_t_within(math.nan, 7), "got nan"),
    ],
)
def test_what_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
