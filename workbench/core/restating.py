"""The task and where it stands, kept by the code and told to the model again: the latest thing that it reads. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.core.events import Notice
from workbench.core.records import CallRecord
from workbench.core.values import ContextPolicy

if TYPE_CHECKING:
    from workbench.core.state import State

MOST_GOAL = 1000
"""Characters of the goal, and of what the user said last, that are restated."""
MOST_LINE = 120
LATEST = 3
"""Calls that are named one by one."""
MOST_FILES = 8


def restatement_due(state: State) -> Notice | None:
    """What is to be said to the model before the next request, where the policy says that it is time."""
    steps, every = state.total_steps, every_steps(state.policy)
    if every is None or not state.steps or steps % every or state.carried.restated == steps:
        return None
    return Notice(topic="restated", text=restatement(state))


def every_steps(policy: ContextPolicy) -> int | None:
    """Steps between two restatements; None for none at all."""
    if policy.policy == "none":
        return None
    return 1 if policy.policy == "restate" and policy.every is None else policy.every


def restatement(state: State) -> str:
    """Goal, limits, what was done, what was made and what is open, in a few lines. O(calls)."""
    return "\n".join(f"{name}: {text}" for name, text in _run_state(state))


def _run_state(state: State) -> Iterator[tuple[str, str]]:
    yield "The task is still", _clip(state.header.goal, MOST_GOAL)
    if state.carried.said != state.header.goal:
        yield "The user said last", _clip(state.carried.said, MOST_GOAL)
    left = list(_limits(state))
    if left:
        yield "Limits", ", ".join(left)
    records = state.every_call()
    if records:
        yield "Done", _done(records)
        yield "Latest", "; ".join(map(_call, records[-LATEST:]))
    files = list(dict.fromkeys(path for record in records for path in _paths(record)))
    if files:
        yield "Files written", ", ".join(files[-MOST_FILES:])
    failed = next((record for record in reversed(records[-LATEST:]) if record.result and record.result.is_error), None)
    if failed is not None and failed.result is not None:
        yield "Open", f"{_call(failed)}: {_clip(failed.result.content, MOST_LINE)}"


def _limits(state: State) -> Iterator[str]:
    caps = state.limits
    if caps.steps is not None:
        yield f"{max(0, caps.steps - state.steps)} of {caps.steps} steps left"
    if caps.tool_calls is not None:
        yield f"{max(0, caps.tool_calls - state.tool_calls)} of {caps.tool_calls} tool runs left"
    if caps.seconds is not None:
        yield f"{max(0.0, caps.seconds - state.seconds):.0f} of {caps.seconds:g} seconds left"


def _done(records: list[CallRecord]) -> str:
    counts = Counter(record.call.tool for record in records if record.result and not record.result.is_error)
    failures = sum(1 for record in records if record.result and record.result.is_error)
    parts = [f"{tool} {times} times" if times > 1 else tool for tool, times in counts.items()]
    return ", ".join([*parts, *([f"{failures} without success"] if failures else [])])


def _call(record: CallRecord) -> str:
    return _clip(f"{record.call.tool} {record.arguments or record.call.arguments}", MOST_LINE)


def _paths(record: CallRecord) -> Iterator[str]:
    for effect in record.result.effects if record.result is not None else ():
        if isinstance(path := effect.get("path"), str):
            yield path


def _clip(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
