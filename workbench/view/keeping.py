"""What a list shows of a session file as text for the index, and back. Whatever the text is, nothing goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from workbench.core.fields import wrong_field
from workbench.core.statuses import Status
from workbench.sessions.index import Entry, Stamp
from workbench.sessions.store import SessionSummary
from workbench.view.shelf import Bad, Saved

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is kept besides the summary."""

    status: Status
    tools: tuple[str, ...]
    cost: float | None


@dataclass(frozen=True, slots=True)
class _Reasons:
    """What is kept of a file that cannot be read."""

    short: str
    why: tuple[str, ...]


_OF_THE_FILE = ("path", "modified")
"""Fields that the file itself tells, each time."""
_KEPT = tuple(item.name for item in fields(SessionSummary) if item.name not in _OF_THE_FILE)


def entry_of(stamp: Stamp, kept: Saved | Bad) -> Entry:
    """What is kept of a file that had this stamp."""
    if isinstance(kept, Bad):
        facts: dict[str, Any] = {"bad": asdict(_Reasons(kept.short, kept.why))}
    else:
        summary = {name: getattr(kept.summary, name) for name in _KEPT}
        facts = {"summary": summary, "facts": asdict(_Facts(kept.status, kept.tools, kept.cost))}
    return Entry(stamp, json.dumps(facts, separators=(",", ":")))


def shown(path: Path, entry: Entry, *, example: bool, resolved: Callable[[str], str]) -> Saved | Bad | None:
    """What a list shows of that file; None where that cannot be told from the entry, so that the file has to be read.

    `resolved` follows the links of a path.
    """
    try:
        kept = json.loads(entry.facts)
        if "bad" in kept:
            reasons = _record(_Reasons, kept["bad"])
            return Bad(path=path, short=reasons.short, why=tuple(reasons.why))
        told = {"path": path, "modified": entry.stamp[0] / 1e9}
        summary: SessionSummary = _record(SessionSummary, kept["summary"], **told)
        facts = _record(_Facts, kept["facts"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return Saved(
        summary=replace(summary, status=Status(summary.status)),
        status=Status(facts.status),
        script=resolved(summary.scenario_path) if summary.scenario_path else "",
        example=example,
        tools=tuple(facts.tools),
        cost=facts.cost,
    )


def _record(cls: type[Record], values: dict[str, Any], **told: Any) -> Record:
    """A record with these values. Raises TypeError, ValueError or KeyError for what is none."""
    if wrong := wrong_field(cls, values):
        raise ValueError(wrong)
    return cls(**values, **told)
