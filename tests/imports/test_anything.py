"""Whatever a file holds, there is a session or one sentence."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import json_values, nasty_text
from workbench.core.state import fold
from workbench.imports.conversation import NotUnderstood
from workbench.imports.files import conversations
from workbench.imports.session import session_of
from workbench.scenarios.loader import scenario_from_plain

MANY = settings(max_examples=50, deadline=None)
TEXT = nasty_text()
ANY = json_values()


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with some of these fields, or with anything in them."""
    return st.fixed_dictionaries({}, optional={name: values | ANY for name, values in fields.items()})


ROLES = st.sampled_from(["system", "user", "assistant", "tool", "function", "exit", ""])
FUNCTION = some(name=TEXT, arguments=TEXT)
CALL = some(id=TEXT, type=st.just("function"), function=FUNCTION)
KINDS = st.sampled_from(["text", "tool_use", "tool_result", "thinking", "tool_call", "tool_call_response", "image"])
PART = some(type=KINDS, text=TEXT, content=TEXT, id=TEXT, name=TEXT, input=ANY, tool_use_id=TEXT, arguments=ANY)
MESSAGE = st.builds(
    lambda role, rest: {"role": role, **rest} if isinstance(rest, dict) else rest,
    ROLES,
    some(content=TEXT | st.lists(PART, max_size=2), tool_calls=st.lists(CALL, max_size=2), tool_call_id=TEXT, tool_name=TEXT,
         thinking=TEXT, parts=st.lists(PART, max_size=2), extra=some(response=some(usage=ANY, model=TEXT))),
)  # fmt: skip
MESSAGES = st.lists(MESSAGE, min_size=1, max_size=5)
BODY = some(messages=MESSAGES, system=TEXT | st.lists(PART, max_size=2), tools=st.lists(FUNCTION | CALL, max_size=2))
REPLY = (
    some(choices=st.lists(some(message=MESSAGE, finish_reason=TEXT), max_size=1), usage=ANY)
    | some(content=st.lists(PART, max_size=2), stop_reason=TEXT, usage=ANY)
    | some(message=MESSAGE, done=st.booleans())
)
NAMES = st.sampled_from(
    ["gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.operation.name", "gen_ai.tool.call.id", "gen_ai.tool.definitions",
     "gen_ai.prompt.0.role", "gen_ai.prompt.0.content", "gen_ai.completion.0.tool_calls.0.name", "gen_ai.response.finish_reasons"]
)  # fmt: skip
ATTRIBUTES = st.dictionaries(NAMES, MESSAGES | TEXT | ANY, max_size=5)
HAPPENING = some(
    name=st.sampled_from(["gen_ai.user.message", "gen_ai.choice"]), attributes=some(content=TEXT, message=ANY)
)
SPAN = some(
    name=TEXT,
    traceId=TEXT,
    attributes=ATTRIBUTES,
    events=st.lists(HAPPENING, max_size=2),
    startTimeUnixNano=TEXT,
    end_time=TEXT,
)


def check(*values: Any) -> None:
    data = "\n".join(json.dumps(value) for value in values).encode()
    problem = ""
    try:
        found = conversations(data)
    except NotUnderstood as error:
        found, problem = [], str(error)
    assert bool(found) is not bool(problem)
    assert "\n" not in problem
    for conversation in found:
        header, events = session_of(conversation, id="i1", title="log", source="log.json")
        fold(header, events)
        scenario_from_plain(header.scenario)


@MANY
@given(MESSAGES)
def test_messages(messages: list[Any]) -> None:
    check(messages)


@MANY
@given(st.lists(BODY | REPLY | some(request=BODY, response=REPLY | TEXT), min_size=1, max_size=3))
def test_requests_and_replies(values: list[Any]) -> None:
    check(*values)


@MANY
@given(st.lists(SPAN, min_size=1, max_size=3))
def test_spans(spans: list[Any]) -> None:
    check(*spans)
    check({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


@MANY
@given(MESSAGES, some(exit_status=TEXT, submission=TEXT, config=some(model=some(model_name=TEXT))))
def test_trajectories(messages: list[Any], info: Any) -> None:
    check({"trajectory_format": "mini-swe-agent-1.1", "messages": messages, "info": info})


@MANY
@given(st.lists(ANY, min_size=1, max_size=3))
def test_any_json(values: list[Any]) -> None:
    check(*values)
