"""Figures as people write them. Whatever the number, the text is short."""

from __future__ import annotations

import math

UNKNOWN = "unknown"
ENDLESS = 10**15
"""Above that nobody reads the digits, and Python may refuse to write them out."""


def amount(value: float, knob: str = "") -> str:
    """What a cap allows, or how much of it is used: 1,420 · $0.0125 · 60 s. `knob` says which cap."""
    if knob == "limits.cost":
        return money(value)
    if _is_odd(value):
        return _odd(value)
    if knob == "limits.seconds":
        return f"{_rounded(value)} s"
    return f"{int(value):,}" if value == int(value) else _rounded(value)


def money(value: float | None) -> str:
    """USD; small amounts keep the digits that matter. None and NaN are unknown, which is not 0."""
    if value is None or _is_odd(value):
        return UNKNOWN if value is None else _odd(value)
    if value == 0 or value >= 0.1:
        return f"${value:,.2f}"
    return f"${value:.4f}" if value >= 0.0001 else "under $0.0001"


def tokens(value: int, *, estimated: bool) -> str:
    """A number of tokens; "~" marks a figure that no provider gave."""
    return f"{'~' if estimated else ''}{amount(value)}"


def duration(seconds: float) -> str:
    """0.4 ms · 12 ms · 3.2 s · 2:05 · 1:02:03."""
    if _is_odd(seconds):
        return _odd(seconds)
    if seconds >= 60:
        return clock(seconds)
    if seconds >= 0.9995:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.00995 else f"{seconds * 1000:.1f} ms"


def clock(seconds: float) -> str:
    """0:04 · 1:02:03, whole seconds."""
    if _is_odd(seconds):
        return _odd(seconds)
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def short_number(value: int) -> str:
    """950 · 1.5k · 8k · 128k · 1M."""
    if _is_odd(value):
        return _odd(value)
    for size, unit in ((1_000_000, "M"), (1000, "k")):
        if value >= size * 0.9995:
            scaled = value / size
            return f"{scaled:.1f}".removesuffix(".0") + unit if scaled < 10 else f"{scaled:,.0f}{unit}"
    return str(value)


def counted(number: int, noun: str) -> str:
    """1 error · 3 errors."""
    return f"{amount(number)} {noun}{'' if number == 1 else 's'}"


def is_unknown(value: float) -> bool:
    """Whether a figure is NaN: nobody knows it."""
    return isinstance(value, float) and math.isnan(value)


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _is_odd(value: float) -> bool:
    return not -ENDLESS < value < ENDLESS


def _odd(value: float) -> str:
    return UNKNOWN if is_unknown(value) else "over 10^15" if value > 0 else "under -10^15"
