"""For a person who is the model: pieces of replies to begin with, and what the run would make of what is typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from workbench.core.fold import FINISH_TOOL
from workbench.core.ports import Checked
from workbench.core.state import State
from workbench.core.values import ProtocolName, RawCall, ToolInfo
from workbench.faults.replies import written_answer, written_call
from workbench.models.written import read_written, write, written_problem
from workbench.view.entries import Line, Span
from workbench.view.lines import one_line

Check = Callable[[str, str], Checked]
Piece = tuple[str, str]
"""What it is, and its text."""

MADE_UP = ("get_weather", '{"city": "Paris"}')
BROKEN = '{"a": 1, "b":}'
MOST = 6
"""Tools for which there is a piece each."""
_VALUES: dict[str, Any] = {"string": "…", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


def reply_pieces(state: State) -> list[Piece]:
    """Replies to begin with, in the protocol of the run: an action for each tool, an answer, and two that go wrong."""
    protocol, tools = state.header.protocol, state.header.tools
    able = [tool for tool in tools if tool.name != FINISH_TOOL][:MOST]
    pieces = [(f"an action: {tool.name}", _call(protocol, tool.name, example(tool))) for tool in able]
    pieces.append(("an answer", _answer(protocol, state)))
    name = able[0].name if able else "add"
    pieces.append(("broken JSON", _call(protocol, name, BROKEN)))
    pieces.append(("a tool that is not there", _call(protocol, *MADE_UP)))
    return pieces


def example(tool: ToolInfo) -> str:
    """Arguments for a tool, as JSON: each required one with a value of its kind."""
    schema = json.loads(tool.schema)
    properties = schema.get("properties", {})
    required = schema.get("required", list(properties))
    return json.dumps({name: _value(properties.get(name, {})) for name in required}, ensure_ascii=False)


def _value(schema: dict[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return _VALUES.get(kind if isinstance(kind, str) else "string", "…")


def _call(protocol: ProtocolName, tool: str, arguments: str) -> str:
    if protocol == "native":
        return write("", [RawCall(tool, arguments)], native=True)
    return written_call(protocol, tool, arguments)


def _answer(protocol: ProtocolName, state: State) -> str:
    if state.header.options.finish == "tool":
        return _call(protocol, FINISH_TOOL, '{"answer": "…"}')
    return written_answer(protocol, "" if protocol != "json" else "…")


def reading_line(state: State, text: str, check: Check) -> Line:
    """What the run would make of the text as a reply, in one line."""
    native = state.protocol.native_tools
    if not text.strip():
        return (Span("f2", "quiet", key="insert"), Span(" puts something in to begin with", "quiet"))
    if problem := written_problem(text, native=native):
        return (Span(f"✗ {problem}", "error"),)
    written = read_written(text, native=native)
    reading = state.protocol.read(written.text, written.calls, state.header.options)
    if reading.kind == "malformed":
        return (Span("✗ cannot be read: ", "changed"), Span(one_line(reading.problem), "quiet"))
    dropped = (Span(f"   {one_line(reading.dropped)}", "changed"),) if reading.dropped else ()
    if reading.kind == "answer":
        follows = " ends the run" if state.plan is None else " to the question of this step"
        return (Span("✓ an answer", "go"), Span(follows, "quiet"), *dropped)
    return (*_calls(reading.calls, check), *dropped)


def _calls(calls: Sequence[RawCall], check: Check) -> Line:
    for call in calls:
        checked = check(call.tool, call.arguments)
        if problem := call.problem or checked.problem:
            return (Span(f"✗ {one_line(call.tool)}: ", "changed"), Span(one_line(problem), "quiet"))
    names = ", ".join(one_line(call.tool) for call in calls)
    return (Span(f"✓ {'a call' if len(calls) == 1 else f'{len(calls)} calls'}", "go"), Span(f" of {names}", "quiet"))
