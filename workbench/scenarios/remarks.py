"""What may be meant so and may be a slip: replies that are not read as what they seem to be, calls that cannot run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.core.canonical import canonical, parse_object
from workbench.core.gate import judge
from workbench.core.json_words import why_not_json
from workbench.core.protocols import protocol as protocol_of
from workbench.core.templates import filled_in
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, ToolInfo
from workbench.scenarios.errors import Path, nearest, one_of
from workbench.scenarios.header import rules_of
from workbench.scenarios.loops import ENGINE
from workbench.scenarios.recorded import is_recorded
from workbench.scenarios.schema import CallTable, ReplyTable, Scenario
from workbench.toolkit.schema import ArgumentError, Arguments

_WANTED: dict[ProtocolName, str] = {
    "text": 'in protocol "text" it has a line ACTION: tool {"argument": "value"} or ANSWER: text',
    "json": 'in protocol "json" it is {"type": "tool", "tool": "…", "input": {…}} or {"type": "answer", "text": "…"}',
    "native": 'in protocol "native" a call is a table below the reply, [[model.reply.call]]',
}
_LOOKS_LIKE_A_CALL = re.compile(r'^\s*(?:ACTION:|\{\s*"(?:type|tool|name|function)"\s*:)', re.MULTILINE)
_NOTHING_RUNS = "nothing runs, and the model reads that"

Remark = tuple[Path, str]
"""Where it stands in the scenario, and one sentence."""


def remarks(scenario: Scenario, tools: Sequence[ToolInfo], takes: Mapping[str, Arguments]) -> Iterator[Remark]:
    """One for each thing that may be a slip; `tools` are those there are, `takes` what they take, as far as known."""
    if scenario.loop != ENGINE or scenario.model.use != "scripted" or is_recorded(scenario):
        return
    if not scenario.model.reply:
        yield (), "the script has no reply, so a run ends at once: write [[model.reply]], and below it text"
    about = _Calls(scenario, tools, takes)
    for index, reply in enumerate(scenario.model.reply):
        if reply.fail is None and reply.finish is None:
            yield from _about(reply, ("model", "reply", index), scenario, about)


def _about(reply: ReplyTable, path: Path, scenario: Scenario, about: _Calls) -> Iterator[Remark]:
    protocol, text = scenario.protocol, filled_in(reply.text or "")
    options = ProtocolOptions(**scenario.protocol_options.model_dump())
    calls = tuple(RawCall(call.tool, filled_in(_written(call))) for call in reply.call)
    reading = protocol_of(protocol).read(text, calls, options)
    if reading.kind == "malformed":
        broken = why_not_json(text) if protocol == "json" and text.lstrip().startswith("{") else ""
        why = f"it is no JSON: {broken}" if broken else _WANTED[protocol]
        yield (*path, "text"), f"the loop cannot read this reply, and says so to the model; {why}"
    elif protocol == "native" and not calls and _LOOKS_LIKE_A_CALL.search(text):
        yield (*path, "text"), f"this reply calls nothing, it is the answer; {_WANTED[protocol]}"
    else:
        for index, call in enumerate(reading.calls):
            place: Path = ("call", index) if reply.call else ("text",)
            given = _written(reply.call[index]) if reply.call else reply.text or ""
            sentence = about.remark(call, settled=filled_in(given) == filled_in(given, "1"))
            if sentence:
                yield (*path, *place), sentence


def _written(call: CallTable) -> str:
    """The arguments as they are sent, but for their templates."""
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


class _Calls:
    """What becomes of the calls that a script makes."""

    def __init__(self, scenario: Scenario, tools: Sequence[ToolInfo], takes: Mapping[str, Arguments]) -> None:
        self._own = scenario.tools
        self._there = {tool.name: tool for tool in tools}
        self._takes = takes
        self._rules = rules_of(scenario)
        self._default = scenario.approval.default
        self._decided = {entry.tool for entry in scenario.person if entry.on == "approval"}
        self._waits = scenario.expect is not None and scenario.expect.status == "awaiting_approval"

    def remark(self, call: RawCall, *, settled: bool) -> str:
        """Why the call will not run by itself; "" where it will. `settled` means that its arguments hold no template,
        whose value, and the type of it, is not known before there is a run."""
        if call.tool not in self._own:
            return self._unknown(call.tool)
        parsed = parse_object(call.arguments)
        if parsed.value is None or call.problem:
            why = why_not_json(call.arguments) or call.problem or parsed.problem
            return f"what {call.tool} is given cannot be read: {why}"
        takes = self._takes.get(call.tool)
        if takes is not None:
            try:
                takes.bind(parsed.value) if settled else takes.check_names(parsed.value)
            except ArgumentError as error:
                return f"{_NOTHING_RUNS}: {error}"
        return self._asked(call.tool, canonical(parsed.value), settled=settled)

    def _unknown(self, name: str) -> str:
        if name in self._there:
            named = ", ".join(json.dumps(tool, ensure_ascii=False) for tool in (*self._own, name))
            return f'"{name}" is not among the tools of this script: {_NOTHING_RUNS}; write tools = [{named}]'
        near = nearest(name, self._own) or nearest(name, self._there)
        hint = f'; did you mean "{near}"?' if near else ""
        return f'there is no tool "{name}" in this script: {_NOTHING_RUNS}{hint}'

    def _asked(self, name: str, arguments: str, *, settled: bool) -> str:
        info = self._there.get(name)
        if info is None or self._waits or not self._decided.isdisjoint((None, name)):
            return ""
        if not settled and any(rule.tool == name and rule.where for rule in self._rules):
            return ""
        if judge(info, arguments, rules=self._rules, grants=(), default=self._default).decide != "ask":
            return ""
        wanted = one_of(("allow", "deny"))
        return (
            f"{name} is asked about before it runs: with nobody there a run waits for a person. "
            f'Write [[person]] with on = "approval" and do = {wanted}, or an [[approval.rule]]'
        )
