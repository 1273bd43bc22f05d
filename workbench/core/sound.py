"""What an event must be to make a run, besides having the right fields: files are also written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.events import (
    ContextChanged,
    Decided,
    Event,
    Held,
    LateResult,
    ModelFailed,
    ModelReply,
    ToolResult,
    ToolStarted,
)

TAKE_TIME = (ModelReply, ModelFailed, ContextChanged, ToolResult, Held, LateResult)


def check(events: Sequence[Event]) -> None:
    """Raises ValueError, naming number and field, for the first event that is in no run."""
    for n, event in enumerate(events, 1):
        if wrong := problem(event):
            raise ValueError(f"event {n} ({event.kind}): {wrong}")


def problem(event: Event) -> str:
    """Why no run has such an event, as a sentence that names the field; "" when one may."""
    if isinstance(event, Decided | ToolStarted):
        # The arguments of an edit are what runs, and the others are what was shown.
        needed = isinstance(event, Decided) and event.decision == "edit"
        if (needed or event.arguments) and not _is_object(event.arguments):
            return f"arguments has to be a JSON object, not {event.arguments!r:.60}"
    if isinstance(event, TAKE_TIME) and not _is_time(event.took):
        return f"took has to be a number of seconds, at least 0, not {event.took!r:.60}"
    if isinstance(event, ToolResult | Held):
        for effect in event.effects:
            if not _is_effect(effect):
                return f"effects has to be tables of path and content, or path and append, not {effect!r:.60}"
    return ""


def _is_object(text: Any) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, TypeError, RecursionError):
        return False


def _is_time(seconds: Any) -> bool:
    return isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < float("inf")


def _is_effect(effect: Any) -> bool:
    if not isinstance(effect, Mapping) or set(effect) not in ({"path", "content"}, {"path", "append"}):
        return False
    return all(isinstance(text, str) for text in effect.values())
