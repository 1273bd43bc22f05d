from __future__ import annotations

import json
from typing import Any

import pytest

from tests.scenarios_shipped.shipped import shipped_tools
from workbench.core.state import State
from workbench.core.values import Header, ProtocolName, ProtocolOptions, ToolInfo
from workbench.models.written import written_problem
from workbench.toolkit.execute import ToolBox
from workbench.view.authoring import example, reading_line, reply_pieces
from workbench.view.entries import line_text

PROTOCOLS: tuple[ProtocolName, ...] = ("text", "json", "native")
NAMES = ("add", "project_field", "submit_answer")
BOX = ToolBox([shipped_tools().tools[name] for name in NAMES])


def state(protocol: ProtocolName, **options: Any) -> State:
    tools = tuple(shipped_tools().tools[name].info for name in NAMES)
    return State(Header(id="r", goal="g", protocol=protocol, tools=tools, options=ProtocolOptions(**options)))


def read(protocol: ProtocolName, text: str, **options: Any) -> str:
    return line_text(reading_line(state(protocol, **options), text, BOX.check))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_there_is_an_action_for_each_tool_and_each_is_read_as_what_it_is(protocol: ProtocolName) -> None:
    pieces = dict(reply_pieces(state(protocol)))
    assert list(pieces) == [
        "an action: add", "an action: project_field", "an answer", "broken JSON", "a tool that is not there",
    ]  # fmt: skip
    assert all(written_problem(text, native=protocol == "native") == "" for text in pieces.values())
    assert read(protocol, pieces["an action: add"]) == "✓ a call of add"
    assert read(protocol, pieces["an action: project_field"]) == "✓ a call of project_field"
    assert read(protocol, pieces["an answer"] + ("4" if protocol != "json" else "")) == "✓ an answer ends the run"
    assert read(protocol, pieces["broken JSON"]).startswith("✗ ")
    assert read(protocol, pieces["a tool that is not there"]).startswith("✗ get_weather: no tool named")


def test_where_a_tool_ends_the_run_the_answer_is_a_call_of_it() -> None:
    pieces = dict(reply_pieces(state("text", finish="tool")))
    assert read("text", pieces["an answer"], finish="tool") == "✓ a call of submit_answer"


def test_arguments_to_begin_with_have_the_kinds_that_the_schema_asks_for() -> None:
    schema = {
        "properties": {"a": {"type": "boolean"}, "b": {"enum": ["x", "y"]}, "c": {"type": ["string", "null"]}, "d": {}},
        "required": ["a", "b", "c"],
    }
    assert example(ToolInfo(name="t", schema=json.dumps(schema))) == '{"a": true, "b": "x", "c": "…"}'


@pytest.mark.parametrize(
    ("protocol", "text", "said"),
    [
        ("text", " ", "f2 puts something in to begin with"),
        ("text", "hello", "✗ cannot be read: no ACTION or ANSWER found; reply with one."),
        ("text", 'ACTION: add {"a": 1}', "✗ add: "),
        ("text", 'ACTION: add {"a": 1, "b": 2}\nOBSERVATION: 3', "✓ a call of add   Only the first action"),
        ("native", "the answer", "✓ an answer ends the run"),
        ("native", '{"txt": 1}', '✗ unknown key "txt"; did you mean "text"?'),
        ("native", '{"calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}}]}', "✓ a call of add"),
    ],
)
def test_what_is_typed_is_judged_as_the_run_will(protocol: ProtocolName, text: str, said: str) -> None:
    assert read(protocol, text).startswith(said)


def test_several_calls_are_counted() -> None:
    calls = ", ".join(['{"tool": "add", "arguments": {"a": 1, "b": 2}}'] * 2)
    assert read("native", f'{{"calls": [{calls}]}}') == "✓ 2 calls of add, add"
