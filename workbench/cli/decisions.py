"""What `resume` is told before it goes on: settings, decisions about calls, a message. All of it, or nothing."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.cli.door import hold_setting, let_through, releases
from workbench.cli.errors import BadInput
from workbench.core.carried import POLICY_KEYS
from workbench.core.loop import AskPerson
from workbench.core.records import CallRecord
from workbench.core.statuses import Status
from workbench.core.values import LIMIT_NAMES
from workbench.opening import Opened
from workbench.runner import Run
from workbench.scenarios.header import limits_of
from workbench.scenarios.overrides import apply_overrides
from workbench.scenarios.schema import Scenario

ALL = "all"
SETTINGS = ("approval.default", "title")


@dataclass(frozen=True, slots=True)
class _Decision:
    decision: str
    text: str = ""


def settle(opened: Opened, options: argparse.Namespace) -> None:
    """Record what the options say. Raises BadInput, ScenarioError or CommandError before anything is recorded."""
    run = opened.run
    settings = settings_of(opened.scenario, options)
    if options.hold is not None:
        settings["hold"] = hold_setting(options.hold, [tool.name for tool in run.header.tools])
    decisions = _decisions(run, options)
    released = releases(run, options)
    stopped = run.state.status is not Status.RUNNING
    if options.message is not None:
        if not options.message.strip():
            raise BadInput("--message is empty")
        if run.state.open_calls() or run.state.held_reply is not None or not run.state.started:
            raise BadInput("--message can be given when no call is open, to a run that has begun")
    if settings:
        run.change(settings)
        if stopped and options.message is None:
            run.go_on()
    for call, item in decisions.items():
        run.decide(call, item.decision, arguments=item.text, reason=item.text, answer=item.text)
    for release in released:
        let_through(run, release)
    if options.message is not None:
        run.message(options.message)


def settings_of(scenario: Scenario, options: argparse.Namespace) -> dict[str, Any]:
    """The changes of --set and --no-limit, as the run takes them; they are checked like a scenario's own keys."""
    changed = apply_overrides(scenario, options.changes, options.no_limits)
    limits = limits_of(changed.limits)
    settings: dict[str, Any] = {}
    for change in options.changes:
        key = change.partition("=")[0].strip()
        table, _, name = key.partition(".")
        limit = name.partition(".")[0]
        if table == "limits" and limit in LIMIT_NAMES:
            settings[f"limits.{limit}"] = _plain_limit(changed, limit, getattr(limits, limit))
        elif table == "context" and name in POLICY_KEYS:
            settings[key] = getattr(changed.context, name)
        elif key in SETTINGS:
            settings[key] = changed.title if key == "title" else changed.approval.default
        else:
            raise BadInput(
                f"--set {change}: a run that has begun can change limits.…, context.…, {' and '.join(SETTINGS)}"
            )
    return settings | {f"limits.{name}": None for name in options.no_limits}


def _plain_limit(scenario: Scenario, name: str, value: Any) -> Any:
    repeats = scenario.limits.repeats
    return repeats.model_dump() if name == "repeats" and repeats is not None else value


def _decisions(run: Run, options: argparse.Namespace) -> dict[str, _Decision]:
    """A decision for each call that is named, and for the others that wait where `all` is said."""
    given = [
        *((call, _Decision("allow")) for call in options.allow),
        *((call, _Decision("deny", reason)) for call, reason in options.deny),
        *((call, _Decision("edit", arguments)) for call, arguments in options.edit),
        *((call, _Decision("answer", text)) for call, text in options.answer),
    ]
    waiting = _waiting(run)
    named: dict[str, _Decision] = {}
    for call, item in given:
        if call in named:
            raise BadInput(f"{call} is decided about twice")
        if call != ALL and call not in waiting:
            raise BadInput(f"{call} does not wait for a decision; {_list(waiting)}")
        named[call] = item
    for_all = named.pop(ALL, None)
    if for_all is not None:
        if not waiting:
            raise BadInput("no call waits for a decision")
        named |= {call: for_all for call in waiting if call not in named}
    for call, item in named.items():
        _check_tool(run, waiting[call], item)
        _check_edit(run, waiting[call], item)
    return named


def _waiting(run: Run) -> dict[str, CallRecord]:
    """The calls a person is asked about, by id: every interrupted one, or every one that needs approval."""
    move = run.next
    if not isinstance(move, AskPerson) or move.question.on not in ("approval", "interrupted"):
        return {}
    interrupted = [record for record in run.state.open_calls() if record.interrupted]
    return {record.call.id: record for record in interrupted or move.question.calls}


def _check_tool(run: Run, record: CallRecord, item: _Decision) -> None:
    """Nobody allows what cannot run: the call would fail, and the decision be used up."""
    tool = record.call.tool
    if item.decision in ("allow", "edit") and run.tools.check(tool, record.arguments).problem_kind == "unknown_tool":
        raise BadInput(
            f"--{item.decision} {record.call.id}: the tool {tool} is not there as this session knows it;"
            " say where it is with --tools or --home"
        )


def _check_edit(run: Run, record: CallRecord, item: _Decision) -> None:
    if item.decision != "edit":
        return
    if record.interrupted:
        raise BadInput(
            f"{record.call.id} has been started with its arguments already: allow it again, deny or answer it"
        )
    problem = run.check_edit(record.call.id, item.text)
    if problem:
        raise BadInput(f"--edit {record.call.id}: {problem}")


def _list(waiting: Mapping[str, object]) -> str:
    return f"waiting: {', '.join(waiting)}" if waiting else "none does"
