"""Histories as a loop makes them, and requests that carry them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.strategies import nasty_text
from workbench.core.canonical import canonical, parse_object
from workbench.core.carried import Older, summary_request, summed_up
from workbench.core.events import Decided, ModelFailed, Resumed, StopRequested, ToolResult, ToolStarted, UserMessage
from workbench.core.loop import AskModel, AskPerson, Finished, Record, RunTools, next_move
from workbench.core.ports import Checked, Reply, Request
from workbench.core.reading import read_reply, read_summary
from workbench.core.state import State
from workbench.core.values import ContextPolicy, Header, ProtocolName, ProtocolOptions, RawCall, ToolInfo

SCHEMA = '{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}'
TOOLS = (
    ToolInfo(name="read_note", description="Read a note.", schema=SCHEMA, risk="read"),
    ToolInfo(name="write.note", description="Write a note.", schema=SCHEMA, risk="write"),
)


def header(protocol: ProtocolName = "native", **options: object) -> Header:
    """A run of two tools."""
    return Header(
        id="x", goal="Read the notes.", system="Be brief.", protocol=protocol, tools=TOOLS,
        options=replace(ProtocolOptions(), **options),  # type: ignore[arg-type]
    )  # fmt: skip


def request(state: State) -> Request:
    """The request that the state makes, be it one for a summary."""
    tools = state.header.tools if state.protocol.native_tools else ()
    older = older_of(state)
    messages = state.sent.copy() if older is None else summary_request(state, older)
    return Request(
        system=state.system,
        messages=messages,
        tools=tools,
        options=state.header.options,
        state=state,
        purpose="step" if older is None else "summary",
    )


def older_of(state: State) -> Older | None:
    """What a summary is asked for next; None where it is not."""
    move = next_move(state)
    return move.older if isinstance(move, AskModel) else None


def begun(protocol: ProtocolName = "native", context: ContextPolicy | None = None, **options: object) -> State:
    """A run whose goal has been given."""
    state = State(replace(header(protocol, **options), context=context))
    state.apply(UserMessage(text=state.header.goal))
    return state


def reply(state: State, given: Reply) -> None:
    """Take a reply in."""
    state.apply(read_reply(state, given, check, 0.1))


def check(tool: str, arguments: str) -> Checked:
    """Knows the two tools, and whether arguments are an object."""
    if tool not in ("read_note", "write.note"):
        return Checked(problem=f"no tool {tool}", problem_kind="unknown_tool")
    parsed = parse_object(arguments)
    if parsed.value is None:
        return Checked(problem=parsed.problem, problem_kind="malformed")
    return Checked(canonical=canonical(parsed.value), note=parsed.note)


def answer_all(state: State, content: str = "ok", outcome: str = "ran") -> None:
    """Every open call gets this result."""
    while state.open_calls():
        record = state.open_calls()[0]
        state.apply(ToolStarted(call=record.call.id))
        state.apply(ToolResult(call=record.call.id, content=content, outcome=outcome))  # type: ignore[arg-type]


def called(state: State, *calls: RawCall, text: str = "", opaque: str = "") -> None:
    """A reply with these calls, and a result for each."""
    reply(state, Reply(text=text, calls=calls, finish="tool_calls", opaque=opaque))
    answer_all(state)


# ---------------------------------------------------------------- at random

_GOOD_ARGUMENTS = st.sampled_from(
    ["", "{}", '{"path": "a.txt"}', '"{\\"path\\": \\"b.txt\\"}"', '{"n": 1.50}', '{"a": [[[[]]]]}']
)
_ODD_ARGUMENTS = st.sampled_from(
    ['{"path": "half', "[1]", '{"x": NaN}', '{"x": 1e999}', '{"path": "\\ud83d"}', '{"path": "a\nb"}', "null", '""']
)
_GOOD_NAMES = st.sampled_from(["read_note", "write.note"])
_ODD_NAMES = st.sampled_from(["no_such", "rm -rf /", "", "x" * 90, "名前"])
_IDS = st.sampled_from(["", "call_1", "call_1", "call_2", "toolu_a", "functions.read:0", "x" * 60, "  ", "call00001"])
_CALL = st.one_of(
    st.builds(RawCall, _GOOD_NAMES, _GOOD_ARGUMENTS, _IDS),
    st.builds(RawCall, _GOOD_NAMES, _GOOD_ARGUMENTS, _IDS),
    st.builds(RawCall, _GOOD_NAMES, _ODD_ARGUMENTS | nasty_text(), _IDS),
    st.builds(RawCall, _ODD_NAMES, _GOOD_ARGUMENTS, _IDS),
)
_CALLS = st.lists(_CALL, max_size=3).map(tuple)
_FINISH = st.sampled_from(["stop", *["tool_calls"] * 5, "length", "blocked", "strange"])
_TEXT = st.sampled_from(["", " ", "\n", "I look.", "ANSWER: 7", "a note of many words, " * 20]) | nasty_text()
_REPLIES = st.builds(lambda text, calls, finish: Reply(text=text, calls=calls, finish=finish), _TEXT, _CALLS, _FINISH)
_OUTCOMES: st.SearchStrategy[Any] = st.sampled_from(["ran", "ran", "failed", "unknown", "defect"])


_POLICIES = st.builds(
    ContextPolicy,
    policy=st.sampled_from(["window", "fold", "summarise", "restate"]),
    keep=st.integers(1, 2),
    chars=st.just(1),
    every=st.none() | st.integers(1, 3),
)


@st.composite
def histories(draw: st.DrawFn, protocol: ProtocolName = "native") -> list[State]:
    """The state of a run at each request that it makes, at random: calls denied, failed, cut, stopped, gone on with."""
    state = begun(protocol, draw(st.none() | _POLICIES), parallel=draw(st.booleans()))
    asked: list[State] = []
    for _ in range(draw(st.integers(2, 24))):
        move = next_move(state)
        match move:
            case AskModel(older=Older() as older):
                asked.append(state.copy())
                summary = Reply(text=draw(st.sampled_from(["So far: a.txt.", "ANSWER: so far"])))
                state.apply(summed_up(state, older, read_summary(state, summary, 100, 0.1)))
            case AskModel():
                asked.append(state.copy())
                if draw(st.integers(0, 9)) == 0:
                    state.apply(ModelFailed(failure="unavailable"))
                else:
                    reply(state, draw(_REPLIES))
            case RunTools(records):
                for record in records:
                    state.apply(ToolStarted(call=record.call.id))
                    state.apply(ToolResult(call=record.call.id, content=draw(_TEXT), outcome=draw(_OUTCOMES)))
            case AskPerson(question):
                call = question.calls[0].call
                decision: Any = draw(st.sampled_from(["allow", "allow", "deny", "answer", "stop"]))
                if decision == "stop":
                    state.apply(StopRequested())
                else:
                    state.apply(Decided(call=call.id, decision=decision, arguments=call.canonical, answer="as I say"))
            case Record(event):
                state.apply(event)
            case Finished():
                state.apply(UserMessage(text=draw(_TEXT)) if draw(st.booleans()) else Resumed())
    return asked
