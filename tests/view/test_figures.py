from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.view.figures import amount, clock, counted, duration, money, short_number, tokens


@pytest.mark.parametrize(
    ("value", "knob", "text"),
    [
        (1420, "", "1,420"),
        (4, "limits.steps", "4"),
        (2.5, "", "2.5"),
        (0.0125, "limits.cost", "$0.0125"),
        (60, "limits.seconds", "60 s"),
        (61.234, "limits.seconds", "61.2 s"),
        (1234.5, "limits.seconds", "1,234 s"),
        (math.nan, "limits.cost", "unknown"),
        (math.nan, "", "unknown"),
        (math.inf, "", "over 10^15"),
        (10**4000, "", "over 10^15"),
        (-math.inf, "", "under -10^15"),
    ],
)
def test_amounts(value: float, knob: str, text: str) -> None:
    assert amount(value, knob) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unknown"),
        (math.nan, "unknown"),
        (0.0, "$0.00"),
        (0.51, "$0.51"),
        (1234.5, "$1,234.50"),
        (0.0125, "$0.0125"),
        (0.00001, "under $0.0001"),
        (1e300, "over 10^15"),
    ],
)
def test_money_keeps_the_digits_that_matter(value: float | None, text: str) -> None:
    assert money(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.0 ms"),
        (0.0004, "0.4 ms"),
        (0.00996, "10 ms"),
        (0.012, "12 ms"),
        (0.9996, "1.0 s"),
        (3.21, "3.2 s"),
        (125.0, "2:05"),
        (3723.9, "1:02:03"),
        (math.nan, "unknown"),
        (1e300, "over 10^15"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_clock_shows_whole_seconds() -> None:
    assert [clock(4.9), clock(0), clock(3723), clock(math.nan)] == ["0:04", "0:00", "1:02:03", "unknown"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (950, "950"),
        (999, "999"),
        (1000, "1k"),
        (1500, "1.5k"),
        (8192, "8.2k"),
        (8000, "8k"),
        (128_000, "128k"),
        (999_600, "1M"),
        (1_500_000, "1.5M"),
        (2_000_000_000, "2,000M"),
        (10**4000, "over 10^15"),
    ],
)
def test_short_numbers(value: int, text: str) -> None:
    assert short_number(value) == text


def test_an_estimate_wears_a_tilde() -> None:
    assert (tokens(1420, estimated=True), tokens(1420, estimated=False)) == ("~1,420", "1,420")


def test_nouns_are_counted() -> None:
    assert [counted(0, "error"), counted(1, "error"), counted(1200, "error")] == ["0 errors", "1 error", "1,200 errors"]


@given(st.integers() | st.floats() | st.sampled_from([10**400, -(10**400)]))
def test_no_figure_is_long(value: float) -> None:
    shown = [amount(value), amount(value, "limits.cost"), amount(value, "limits.seconds"), money(value)]
    shown += (
        [duration(value), clock(value), short_number(int(value) if math.isfinite(value) else 0)]
        if not isinstance(value, int)
        else []
    )
    assert all(0 < len(text) <= 26 for text in shown)


def test_a_number_that_python_will_not_write_out_is_no_trouble() -> None:
    huge = 10**5000
    assert (amount(huge), short_number(huge), tokens(huge, estimated=True)) == (
        "over 10^15",
        "over 10^15",
        "~over 10^15",
    )
