"""When a request is sent again. Pure: the same history waits the same time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from workbench.core.canonical import digest

FIRST, LONGEST = 0.5, 8.0
"""Seconds before the second attempt, and at most before any."""

JITTER = 0.25
"""How much of a pause may be taken off, so that many clients do not come back together."""

PATIENCE = 120.0
"""Seconds: whoever asks for more is not waited for."""


def pause(attempt: int, asked: float | None, *seed: object) -> float:
    """Seconds to wait after failed attempt `attempt`, from 1: what the server asked for, else longer each time."""
    if asked is not None and asked > 0:
        return asked
    chance = int(digest(*map(str, seed), str(attempt)), 16) / 16**16
    return min(FIRST * 2.0 ** min(attempt - 1, 32), LONGEST) * (1 - JITTER * chance)


def asked_pause(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to wait, from headers in lower case; None when it asks nothing that can be read.

    A date counts from the server's own clock where it tells the time, else from `now`, seconds since 1970.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    until = _date(value)
    if until is None:
        return None
    here = _date(headers.get("date", ""))
    return max(0.0, until - (now if here is None else here))


def should_retry(headers: Mapping[str, str]) -> bool | None:
    """What the server says outright about another attempt; None when it says nothing."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").strip().lower())


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _date(value: str) -> float | None:
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo is not None else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
