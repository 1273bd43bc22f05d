"""What must hold between the values of a scenario: names that refer, keys that exclude or need each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workbench.core.faults import FaultError, one_schedule
from workbench.core.fold import FINISH_TOOL
from workbench.core.holding import FilterError, filter_from, missing_tools
from workbench.core.paths import why_not
from workbench.core.values import LIMIT_NAMES
from workbench.models.scripted import RETRIED
from workbench.models.written import written_problem
from workbench.scenarios.captured import template_problems
from workbench.scenarios.context import POLICY_SETTINGS, context_problems, setting_problems
from workbench.scenarios.errors import Path, one_of, shown, unknown
from workbench.scenarios.faults import fault_of
from workbench.scenarios.loops import loop_problems
from workbench.scenarios.recorded import is_recorded, recording_problems
from workbench.scenarios.schema import (
    FaultTable,
    Gate,
    LimitsTable,
    PersonEntry,
    ReplyTable,
    Scenario,
    WorkspaceTable,
)

Found = Iterator[tuple[Path, str]]
"""Paths and what is wrong there."""

DOES = {
    "approval": ("allow", "deny", "edit", "answer", "cancel"),
    "hold": ("pass", "replace", "error", "drop", "delay", "revert", "cancel"),
    "stop": ("message", "set"),
    "step": ("message", "set", "cancel"),
    "interrupted": ("allow", "deny", "answer", "cancel"),
    "reply": ("answer",),
}
"""What a person can do about each kind of question."""

ABOUT_CALLS = ("approval", "hold", "interrupted")
NEEDS = {
    "edit": "arguments",
    "set": "set",
    "delay": "seconds",
    **dict.fromkeys(("answer", "replace", "error", "message"), "text"),
}
MAY_HAVE_TEXT = ("deny",)
SETTINGS: dict[str, TypeAdapter[Any]] = {
    "approval.default": TypeAdapter(Gate),
    "hold": TypeAdapter(bool | str),
    "title": TypeAdapter(str),
}


def check_scenario(scenario: Scenario) -> list[tuple[Path, str]]:
    """Everything that is wrong with how the parts of a scenario fit together."""
    return [
        *loop_problems(scenario),
        *_tools(scenario),
        *_replies(scenario),
        *_recording(scenario),
        *_workspace(scenario.workspace, ("workspace",)),
        *_goal_check(scenario),
        *context_problems(scenario),
        *_expect(scenario),
        *(found for index, fault in enumerate(scenario.fault) for found in _fault(fault, ("fault", index))),
        *(
            found
            for index, entry in enumerate(scenario.person)
            for found in _person(entry, ("person", index), scenario.tools)
        ),
        *_prepared(scenario),
    ]


# ---------------------------------------------------------------- tools


def _tools(scenario: Scenario) -> Found:
    tools = scenario.tools
    for index, name in enumerate(tools):
        if name in tools[:index]:
            yield ("tools", index), f"{shown(name)} is named twice"
    if scenario.protocol_options.finish == "tool" and FINISH_TOOL not in tools:
        yield ("protocol_options", "finish"), f'"tool" needs "{FINISH_TOOL}" among the tools'
    named: list[tuple[Path, str | None]] = [
        *((("approval", "rule", index, "tool"), rule.tool) for index, rule in enumerate(scenario.approval.rule)),
        *((("person", index, "tool"), entry.tool) for index, entry in enumerate(scenario.person)),
        *((("fault", index, "tool"), fault.tool) for index, fault in enumerate(scenario.fault)),
    ]
    if scenario.goal_check is not None:
        named.append((("goal_check", "result_of"), scenario.goal_check.result_of))
    for path, tool in named:
        if tool is not None and tool not in tools:
            yield path, unknown(tool, tools, "this scenario has no tool")


# ---------------------------------------------------------------- replies


def _replies(scenario: Scenario) -> Found:
    captured: set[str] = set()
    for index, reply in enumerate(scenario.model.reply):
        path = ("model", "reply", index)
        captured |= set(reply.capture)
        yield from _reply(reply, path)
        yield from _templates(reply, captured, path)
        if reply.call and scenario.protocol != "native":
            yield (*path, "call"), f'native calls need protocol = "native" at the top, not "{scenario.protocol}"'


def _recording(scenario: Scenario) -> Found:
    model = scenario.model
    if is_recorded(scenario) and model.reply:
        yield ("model", "reply"), 'use = "recorded" replies from its exchanges; a script needs use = "scripted"'
    for key in ("exchange", "tool", "prompt", "match"):
        if key in model.model_fields_set and not is_recorded(scenario):
            yield ("model", key), f'needs use = "recorded", not "{model.use}"'
    if model.noise is not None and model.use != "simulated":
        yield ("model", "noise"), f'needs use = "simulated", not "{model.use}"'
    yield from recording_problems(model.exchange)


def _reply(reply: ReplyTable, path: Path) -> Found:
    if reply.fail is None:
        if reply.text is None and not reply.call:
            yield path, 'has neither text nor call nor fail; for an empty reply write text = ""'
        if reply.retry_after is not None:
            yield (*path, "retry_after"), "belongs to a reply that has fail"
        return
    for key in ("call", "finish", "usage", "thinking"):
        if getattr(reply, key):
            yield (*path, key), f"a reply that fails has no {key}"
    if reply.text is not None and reply.fail != "cut_stream":
        yield (*path, "text"), 'a reply that fails has no text, unless it is a "cut_stream"'
    if reply.retry_after is not None and reply.fail not in RETRIED:
        yield (*path, "retry_after"), f'"{reply.fail}" is not tried again'


def _templates(reply: ReplyTable, captured: set[str], path: Path) -> Found:
    texts: list[tuple[Path, Any]] = [((*path, "text"), reply.text or ""), ((*path, "thinking"), reply.thinking)]
    texts += [((*path, "call", index, "arguments"), call.arguments) for index, call in enumerate(reply.call)]
    for place, value in texts:
        yield from template_problems(value, captured, place)


# ---------------------------------------------------------------- faults


def _fault(fault: FaultTable, path: Path) -> Found:
    if fault.use is not None and (fault.on is not None or fault.do is not None):
        yield path, "has use, so it cannot have on or do: a fault is named, or spelled out"
    elif fault.use is None and (fault.on is None or fault.do is None):
        yield path, "needs use with a name of the fault catalogue, or both on and do"
    else:
        try:
            if fault.use is None:
                fault_of(fault)
            else:
                one_schedule(fault.model_dump(exclude_none=True))
        except FaultError as error:
            yield (*path, *error.path), error.message


# ---------------------------------------------------------------- the person


def _person(entry: PersonEntry, path: Path, tools: Sequence[str]) -> Found:
    known = DOES[entry.on]
    if entry.do not in known:
        yield (*path, "do"), f'with on = "{entry.on}" a person can {one_of(known)}, not "{entry.do}"'
        return
    if entry.tool is not None and entry.on not in ABOUT_CALLS:
        yield (*path, "tool"), f'on = "{entry.on}" is not about a call, so it has no tool'
    if entry.nth is not None and entry.on not in (*ABOUT_CALLS, "step"):
        yield (*path, "nth"), f'on = "{entry.on}" is neither about a call nor a step, so it has no nth'
    needed = NEEDS.get(entry.do)
    for key in ("arguments", "text", "set", "seconds"):
        given = getattr(entry, key) is not None
        if key == needed and not given:
            yield path, f'do = "{entry.do}" needs {key}'
        elif given and key != needed and not (key == "text" and entry.do in MAY_HAVE_TEXT):
            yield (*path, key), f'do = "{entry.do}" has no {key}'
    if entry.do == "message" and entry.text is not None and not entry.text.strip():
        yield (*path, "text"), "a message is not empty"
    for name, value in (entry.set or {}).items():
        yield from _setting(name, value, (*path, "set", name), tools)


def _prepared(scenario: Scenario) -> Found:
    """Replies that a person gives as the model are whole ones, written as a person writes them."""
    for index, entry in enumerate(scenario.person):
        problem = written_problem(entry.text or "", native=scenario.protocol == "native") if entry.on == "reply" else ""
        if problem:
            yield ("person", index, "text"), f"is no reply: {problem}"


def _setting(name: str, value: Any, path: Path, tools: Sequence[str]) -> Found:
    caps = [f"limits.{limit}" for limit in LIMIT_NAMES]
    if name in SETTINGS:
        try:
            SETTINGS[name].validate_python(value, strict=True)
            found = filter_from(value) if name == "hold" else None
            for missing in missing_tools(found, tools) if found is not None else ():
                yield path, unknown(missing, tools, "this scenario has no tool")
        except ValidationError:
            words = {
                "approval.default": one_of(("ask", "allow", "deny")),
                "hold": "true, false or a filter",
                "title": "text",
            }
            yield path, f"must be {words[name]}, not {shown(value)}"
        except FilterError as error:
            yield path, f"is no filter: {error}"
    elif name in caps:
        try:
            if value is not False:
                LimitsTable.model_validate({name.removeprefix("limits."): value})
        except ValidationError:
            kind = "a table like limits.repeats" if name == "limits.repeats" else "a number above 0"
            yield path, f"must be {kind}, or false for no cap, not {shown(value)}"
    elif name in POLICY_SETTINGS:
        yield from setting_problems(name, value, path)
    elif isinstance(value, dict):
        yield path, 'a setting is named in quotes, with its dot: set = { "limits.steps" = 9 }'
    else:
        yield path, unknown(name, [*SETTINGS, *caps, *POLICY_SETTINGS], "there is no setting")


# ---------------------------------------------------------------- the rest


def _workspace(workspace: WorkspaceTable, path: Path) -> Found:
    if workspace.root is not None and workspace.files:
        yield path, "has both files and root; it is one or the other"
    if workspace.root is not None and (why := _no_folder(workspace.root)):
        yield (*path, "root"), why
    paths = [PurePosixPath(name) for name in workspace.files]
    for name, file in zip(workspace.files, paths, strict=True):
        problem = _file_problem(name, file, paths)
        if problem:
            yield (*path, "files", name), problem


def _no_folder(root: str) -> str:
    """Why the text can name no folder on any machine, or one of a person who is not here."""
    if "\0" in root:
        return "holds a NUL character, which no folder has in its name"
    try:
        FilePath(root).expanduser()
    except RuntimeError:
        return f"there is nobody here whose home folder is {shown(root.partition('/')[0])}"
    return ""


def _file_problem(name: str, file: PurePosixPath, others: Sequence[PurePosixPath]) -> str:
    if re.search(r"[\x00-\x1f\x7f\\]", name):
        return "the name of a file has no control characters and no backslash; folders are divided by /"
    if ".." in file.parts or (name and why_not(name)):
        return f"must be inside the workspace, a relative path without ..: {why_not(name) or 'it has ..'}"
    if not file.parts or name.endswith("/"):
        return "names no file"
    if any(file in other.parents for other in others):
        return "is a file and a folder at once"
    if others.count(file) > 1:
        return "is the same file as another one here"
    return ""


def _goal_check(scenario: Scenario) -> Found:
    check = scenario.goal_check
    if check is None:
        return
    path = ("goal_check",)
    kinds = [name for name in ("result_of", "answer_matches", "file") if getattr(check, name) is not None]
    if len(kinds) != 1:
        yield path, "needs exactly one of result_of, answer_matches and file"
        return
    tests = [name for name in ("contains", "matches") if getattr(check, name) is not None]
    if kinds == ["answer_matches"] and tests:
        yield (*path, tests[0]), "answer_matches says it all; contains and matches go with result_of or file"
    if kinds != ["answer_matches"] and not tests:
        yield path, f"{kinds[0]} needs contains or matches"


def _expect(scenario: Scenario) -> Found:
    expect = scenario.expect
    if expect is None:
        return
    if expect.answer is not None and expect.answer_matches is not None:
        yield ("expect", "answer_matches"), "is there beside answer; it is one or the other"
    if expect.calls is None and "calls_match" in expect.model_fields_set:
        yield ("expect", "calls_match"), "needs calls"
    for key in ("steps", "model_calls", "tool_calls"):
        bounds = getattr(expect, key)
        if bounds is None or isinstance(bounds, int):
            continue
        if bounds.min is None and bounds.max is None:
            yield ("expect", key), "needs min or max"
        elif bounds.min is not None and bounds.max is not None and bounds.min > bounds.max:
            yield ("expect", key), "has a min above its max, which no run can meet"
