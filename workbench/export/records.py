"""One flat record a step, for whatever counts, draws or alerts: what was called, what came of it, what it cost.

A reply with several calls gives one record a call; its tokens stand in the first one, so that they can be added up.
So does a step of a plan, which has no tokens and no model: nobody was asked. One that only asks or answers gives none.
Arguments are redacted, and of a result only its size is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.core.events import ContextChanged, Event, ModelFailed, ModelReply, Planned, ToolResult, ToolStarted
from workbench.core.items import counts_as_step
from workbench.core.values import Call
from workbench.export.forms import Recorded, Written
from workbench.export.json_text import json_text
from workbench.models.wire.scrub import Secret

REDACTED = "[redacted]"
_SECRET_NAME = re.compile(
    r"(?i)pass(?:word|wd|phrase)|secret|token$|api[_-]?key|private[_-]?key|authorization|credential|cookie|^pin$"
)
_SECRET_VALUE = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abpr])[-_][A-Za-z0-9_-]{8,}|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*"
)
"""Keys of well-known services, web tokens, private keys."""

Record = dict[str, Any]


def write(run: Recorded) -> Written:
    """The records as lines of JSON."""
    return Written("".join(map(as_line, records(run.header.id, run.events))))


def as_line(record: Record) -> str:
    """A record as one line."""
    return json_text(record, indent=None) + "\n"


def records(run_id: str, events: Iterable[Event]) -> Iterator[Record]:
    """The records of these events, in order; a step that is not over comes last."""
    steps = Steps(run_id)
    for event in events:
        yield from steps.take(event)
    yield from steps.rest()


class Steps:
    """Makes a record of each step as soon as it is over. O(open calls)."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._step = 0
        self._reply: ModelReply | Planned | None = None
        """The latest reply, or step of a plan, while results of it are still to come."""
        self._arguments: dict[str, str] = {}
        self._results: dict[str, ToolResult] = {}

    def take(self, event: Event) -> list[Record]:
        """The next event; returns the records of what is over with it."""
        if isinstance(event, ModelReply | Planned) and counts_as_step(event):
            done = self.rest()
            self._step += 1
            self._reply = event
            return [*done, *([] if event.calls else self.rest())]
        if isinstance(event, ModelFailed):
            return [*self.rest(), self._failed(event)]
        if isinstance(event, ContextChanged) and event.policy == "summarise":
            return [*self.rest(), self._summary(event)]
        if isinstance(event, ToolStarted) and event.arguments:
            self._arguments[event.call] = event.arguments
        elif isinstance(event, ToolResult) and self._reply is not None:
            self._results[event.call] = event
            if all(call.id in self._results for call in self._reply.calls):
                return self.rest()
        return []

    def rest(self) -> list[Record]:
        """The records of the step that is not over: calls that have no result yet have null in its place."""
        reply, self._reply = self._reply, None
        if reply is None:
            return []
        calls: tuple[Call | None, ...] = reply.calls or (None,)
        made = [self._record(reply, call, first=number == 0) for number, call in enumerate(calls)]
        self._arguments, self._results = {}, {}
        return made

    def _record(self, step: ModelReply | Planned, call: Call | None, *, first: bool) -> Record:
        result = self._results.get(call.id) if call is not None else None
        reply = step if isinstance(step, ModelReply) else None
        figures = _figures(reply) if first and reply is not None else (None,) * 6
        reading = reply.reading if reply is not None else ""
        return {
            "run_id": self._run_id,
            "step": self._step,
            "call": call.id if call is not None else None,
            "tool": call.tool if call is not None else None,
            "args": _shown(self._arguments.get(call.id, call.arguments)) if call is not None else None,
            "result_chars": len(result.content) if result is not None else None,
            "is_error": result.is_error if result is not None else reading not in ("answer", "calls", ""),
            "outcome": result.outcome if result is not None else None if call is not None else reading,
            "input_tokens": figures[0],
            "output_tokens": figures[1],
            "cache_read_tokens": figures[2],
            "cache_write_tokens": figures[3],
            "estimated": figures[5],
            "latency_ms": figures[4],
            "tool_ms": _milliseconds(result.took) if result is not None else None,
            "model": (reply.model or None) if reply is not None else None,
            "finish": reply.finish if reply is not None else None,
        }

    def _summary(self, event: ContextChanged) -> Record:
        """A request for a summary, which is of the step that it was made for."""
        return dict.fromkeys(self._record(ModelReply(), None, first=False)) | {
            "run_id": self._run_id,
            "step": self._step + 1,
            "is_error": False,
            "outcome": "summary",
            "input_tokens": event.input_tokens if event.input_tokens is not None else event.input_estimate,
            "output_tokens": event.output_tokens if event.output_tokens is not None else event.output_estimate,
            "cache_read_tokens": event.cache_read,
            "cache_write_tokens": event.cache_write,
            "estimated": event.input_tokens is None or event.output_tokens is None,
            "latency_ms": _milliseconds(event.took),
            "model": event.model or None,
        }

    def _failed(self, event: ModelFailed) -> Record:
        """A request that brought nothing: it is of the step that it was to be."""
        empty = dict.fromkeys(self._record(ModelReply(), None, first=False))
        return empty | {
            "run_id": self._run_id,
            "step": self._step + 1,
            "is_error": True,
            "outcome": event.failure,
            "latency_ms": _milliseconds(event.took),
        }


def _figures(reply: ModelReply) -> tuple[Any, ...]:
    """What the request cost: tokens in and out, of the cache, how long it took, and whether we have estimated."""
    return (
        reply.input_tokens if reply.input_tokens is not None else reply.input_estimate,
        reply.output_tokens if reply.output_tokens is not None else reply.output_estimate,
        reply.cache_read,
        reply.cache_write,
        _milliseconds(reply.took),
        reply.input_tokens is None or reply.output_tokens is None,
    )


def _milliseconds(seconds: float) -> float | None:
    """None for no time at all: nobody has measured it, as in a log that tells none."""
    return round(seconds * 1000, 3) if seconds else None


# ---------------------------------------------------------------- redacting


def _shown(arguments: str) -> Any:
    """Arguments as a value where they are JSON, else as the text that the model wrote; without what is secret."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return redacted(arguments)
    return redacted(value)


def redacted(value: Any, name: str = "") -> Any:
    """The value without passwords, tokens and keys: told by the name they go under, or by what they look like."""
    if name and _SECRET_NAME.search(name) and value not in (None, "", [], {}):
        return REDACTED
    if isinstance(value, Mapping):
        return {key: redacted(item, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [redacted(item) for item in value]
    return _SECRET_VALUE.sub(REDACTED, Secret().scrub_words(value)) if isinstance(value, str) else value
