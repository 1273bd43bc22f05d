"""What a run came to: for expectations, for `--json`, for the last line of a headless run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.core.events import Event, Held, ModelFailed, ModelReply, Notice, SettingsChanged, ToolResult
from workbench.core.statuses import SUCCESSES, SUSPENDED, Status
from workbench.models.scripted import unused_lines
from workbench.opening import Opened
from workbench.runner import Run
from workbench.scenarios.errors import Problem, dotted
from workbench.scenarios.expectations import Mismatch, RunOutcome, check, check_any_model, of_any_model
from workbench.scenarios.loader import line_near
from workbench.scenarios.models import is_live, script_lines
from workbench.scenarios.person import unused_entries
from workbench.scenarios.recorded import is_recorded, unused_exchanges
from workbench.scenarios.remarks import remarks

EXIT_OK, EXIT_FAILED, EXIT_BAD_INPUT, EXIT_SUSPENDED, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


def outcome_of(opened: Opened, *, files: tuple[str, ...] = ()) -> RunOutcome:
    """All that a scenario can expect of a run. `files` are the sandbox files whose text is wanted."""
    run, state = opened.run, opened.run.state
    stop = state.stopped
    texts = {path: run.tools.file_text(path) for path in files}
    served = [
        (event.line, event.attempts)
        for event in run.events
        if isinstance(event, ModelReply) or (isinstance(event, ModelFailed) and event.purpose == "step")
    ]
    own = not asks_another(run.events)
    reads_script = own and not is_recorded(opened.scenario) and not is_live(opened.scenario)
    unused = unused_lines(script_lines(opened.scenario), served) if reads_script else ()
    sums_up = own and state.policy.policy == "summarise"
    return RunOutcome(
        status=run.status,
        answer=state.answer,
        steps=state.total_steps,
        model_calls=state.model_calls,
        tool_calls=state.tool_calls,
        errors=state.errors,
        calls=tuple(record.call.tool for record in state.every_call()),
        chars_seen=tuple(mark.chars for mark in state.requests),
        observations=_observations(run),
        transcript=transcript_text(run),
        files={path: text for path, text in texts.items() if text is not None},
        stopped_by=stop.knob if stop is not None else "",
        unused_replies=unused,
        unused_exchanges=unused_exchanges(opened.scenario, [line for line, _ in served]),
        unused_summaries=tuple(range(state.carried.summaries, len(opened.scenario.model.summary))) if sums_up else (),
        # Where a person took part, answers that were written beforehand are not missed.
        unused_person=() if person_took_part(run.events) else unused_entries(opened.scenario.person, state),
    )


def differences(opened: Opened) -> tuple[Mismatch, ...] | None:
    """What the run did not come to of what its scenario expects; None where that expects nothing.

    Nor is anything expected of a run that waits for a person, unless that is what is expected. What hangs on the script
    is not expected of another model.
    """
    expect, another = opened.scenario.expect, asks_another(opened.run.events)
    if expect is not None and another:
        expect = of_any_model(expect)
    if expect is None or (opened.run.status in SUSPENDED and expect.status not in SUSPENDED):
        return None
    outcome = outcome_of(opened, files=tuple(expect.files or ()))
    return tuple(check_any_model(expect, outcome) if another else check(expect, outcome))


def remarked(opened: Opened) -> list[Problem]:
    """What in the script of the run may be a slip, with lines where its file is still there."""
    tools, file = opened.tools.tools, opened.run.header.scenario_path
    takes = {name: tool.arguments for name, tool in tools.items()}
    found = remarks(opened.scenario, [tool.info for tool in tools.values()], takes)
    return [Problem(file, line_near(file, path), dotted(path), sentence) for path, sentence in found]


def asks_another(events: Sequence[Event]) -> bool:
    """Whether the run has been given another model than its scenario names."""
    return any(isinstance(event, SettingsChanged) and "model" in event.changes for event in events)


def person_took_part(events: Sequence[Event]) -> bool:
    """Whether a real person has decided, changed, passed on or stopped something in the run with these events."""
    hand = Hand()
    return any(hand.take(event) for event in events)


class Hand:
    """Follows a run event by event, and tells those that a real person has made."""

    def __init__(self) -> None:
        self._held: set[str] = set()

    def take(self, event: Event) -> bool:
        """The next event; returns whether a person has made it."""
        if getattr(event, "by", "") == "person" or getattr(event, "passed_by", "") == "person":
            return True
        changers = getattr(event, "changed_by", "").split(", ")
        if isinstance(event, Held):
            self._held.add(event.call)
        elif isinstance(event, ToolResult) and event.call in self._held and "script" not in changers:
            return True
        return "you" in changers


def _observations(run: Run) -> tuple[str, ...]:
    """What the model was given between its replies, in the order in which it reads them: results in call order."""
    events = (run.events[message.n - 1] for message in run.state.messages if message.role in ("tool", "notice"))
    return tuple(
        event.content if isinstance(event, ToolResult) else event.text
        for event in events
        if isinstance(event, ToolResult | Notice)
    )


def transcript_text(run: Run) -> str:
    """The transcript as the model reads it, instructions apart."""
    return "\n".join(message.text for message in run.state.messages)


def result_object(run: Run, session: Path | None) -> dict[str, Any]:
    """The object that ends the output of `--json`."""
    state = run.state
    cost = state.cost
    return {
        "status": run.status.value,
        "answer": state.answer,
        "steps": state.total_steps,
        "model_calls": state.model_calls,
        "tool_calls": state.tool_calls,
        "errors": state.errors,
        "usage": {
            "input": state.input_tokens,
            "output": state.output_tokens,
            "cache_read": state.cache_read,
            "cache_write": state.cache_write,
            "estimated": state.estimated,
        },
        "cost": None if cost is None or math.isnan(cost) else round(cost, 9),
        "seconds": round(state.total_seconds, 6),
        "session": str(session) if session is not None else None,
    }


def exit_code(status: Status, *, expected: bool | None) -> int:
    """The exit code of a run: `expected` is whether the expectations hold, None where there are none."""
    if status in SUSPENDED and not expected:
        return EXIT_SUSPENDED
    if expected is not None:
        return EXIT_OK if expected else EXIT_FAILED
    return EXIT_OK if status in SUCCESSES else EXIT_FAILED
