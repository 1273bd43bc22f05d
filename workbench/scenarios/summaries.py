"""The summaries of a run as lines of a script, and back."""

from __future__ import annotations

from typing import Any

from workbench.core.events import ContextChanged, ModelFailed
from workbench.core.ports import Usage
from workbench.models.scripted import Line
from workbench.scenarios.schema import SummaryTable

SCRIPTED_FAILURES = {
    **{kind: kind for kind in ("rate_limited", "timeout", "unavailable", "malformed_body", "cut_stream")},
    **{kind: kind for kind in ("auth", "bad_request", "context_overflow")},
    "quota": "auth",  # ends a run in the same way, and no script has a word of its own for it
}
"""How a script fails in the same way."""


def summary_of(table: SummaryTable) -> Line:
    """A `[[model.summary]]` as the scripted model reads it."""
    return Line(
        text=table.text,
        delay=table.delay,
        usage=None if table.usage is None else Usage(**table.usage.model_dump()),
        finish=table.finish or "",
        fail=table.fail,
    )


def summary_line(event: ContextChanged | ModelFailed, *, timed: bool) -> dict[str, Any]:
    """What came of a request for a summary, as a `[[model.summary]]`; empty for any other event, and for a request
    that fails again by itself. `timed` keeps how long it took.
    """
    delay = {"delay": event.took} if timed and event.took else {}
    if isinstance(event, ModelFailed):
        kind = SCRIPTED_FAILURES.get(event.failure)
        if event.purpose != "summary" or (kind is None and event.failure != "no_summary"):
            return {}
        return {**({"fail": kind} if kind is not None else {"finish": "blocked"}), **delay}
    if event.policy != "summarise":
        return {}
    usage = {
        "input": event.input_tokens,
        "output": event.output_tokens,
        "cache_read": event.cache_read,
        "cache_write": event.cache_write,
    }
    given = {name: count for name, count in usage.items() if count is not None}
    text = event.replacement.encode("utf-8", "replace").decode().replace("${", "$${")
    return {"text": text, **({"usage": given} if given else {}), **delay}
