"""Runs that no model, tool or person would make up: every text is one that breaks files, terminals and layouts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from hypothesis import strategies as st

from tests.strategies import json_values, nasty_text
from workbench.core.canonical import canonical
from workbench.core.events import (
    Decided,
    DoneElsewhere,
    Event,
    Forked,
    Held,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    Outcome,
    Remark,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.ports import FAILURE_STATUS
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Call, Header, Limits, RepeatLimit, Risk, Rule, ToolInfo
from workbench.view.entries import Line, Span, line_text
from workbench.view.lines import line_cells
from workbench.view.visible import visible
from workbench.view.words import KNOBS

LONG = "look_into_every_single_warehouse_of_the_whole_company_" * 4
WIDE = "漢字" * 30
NAMES = ("look", "write", "send", "murky", LONG, WIDE, "a\nb", "\x1b[31mred", "")
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
CHANGERS = ("", "", "", "you", "script", "fault wrong-number", "fault a, you", "\x07")
NUMBERS = (0, 1, 7, 1234, 10**6, 10**16, 10**400)


def texts() -> st.SearchStrategy[str]:
    return st.one_of(
        nasty_text(),
        st.sampled_from(["", "\n", "plain words", "x" * 300, WIDE, "a\n" * 40, "# Title\n\n- one\n", '{"a": 1}']),
        st.sampled_from(
            ["<think>hm", "<think>a</think>b", "ACTION: look {}", 'a {"type": "answer"} b', "👨\u200d👩\u200d👧" * 40]
        ),
    )


def figures() -> st.SearchStrategy[int]:
    return st.sampled_from(NUMBERS) | st.integers(0, 10**7)


@dataclass(frozen=True)
class NastyRun:
    header: Header
    events: Sequence[Event]


@st.composite
def headers(draw: st.DrawFn) -> Header:
    risks: tuple[Risk, ...] = get_args(Risk)
    tools = tuple(
        ToolInfo(
            name=name,
            description=draw(texts()),
            risk=draw(st.sampled_from(risks)),
            source=draw(texts()),
            consequence=draw(texts()),
            trust=draw(st.sampled_from(["trusted", "untrusted"])),
        )
        for name in dict.fromkeys(draw(st.lists(st.sampled_from(NAMES), max_size=4)))
    )
    cap = st.none() | st.sampled_from([1, 3, 10**6, 10**400])
    return Header(
        id="nasty",
        goal=draw(texts()),
        title=draw(texts()),
        system=draw(texts()),
        protocol=draw(st.sampled_from(["text", "json", "native"])),
        limits=Limits(
            steps=draw(cap),
            tool_calls=draw(cap),
            input_tokens=draw(cap),
            context_tokens=draw(cap),
            cost=draw(st.none() | st.sampled_from([0.00001, 0.5, 10.0**300])),
            seconds=draw(st.none() | st.sampled_from([0.001, 60.0, 10.0**300])),
            failures=draw(cap),
            repeats=draw(st.none() | st.just(RepeatLimit())),
        ),
        tools=tools,
        approval=draw(st.sampled_from(["ask", "allow", "deny"])),
        rules=tuple(Rule(tool=tool.name, decide=draw(st.sampled_from(["ask", "allow"]))) for tool in tools[:1]),
        context_window=draw(cap),
        free=draw(st.booleans()),
    )


@st.composite
def calls(draw: st.DrawFn, state: State, index: int) -> Call:
    value: Any = draw(st.dictionaries(texts(), json_values(), max_size=3))
    good = canonical(value)
    shapes = [good, f"  {good} ", json.dumps(value, indent=2), draw(texts())]
    problem = draw(st.sampled_from(["", "", "no such thing\nat all"]))
    return Call(
        id=f"c{state.call_count + index + 1}",
        tool=draw(st.sampled_from(NAMES)),
        arguments=draw(st.sampled_from(shapes)),
        canonical="" if problem else good,
        problem=problem,
        note=draw(texts()),
    )


@st.composite
def replies(draw: st.DrawFn, state: State) -> ModelReply:
    made = tuple(draw(calls(state, index)) for index in range(draw(st.integers(0, 3))))
    other = st.sampled_from(["answer", "malformed", "cut_off", "blocked", "calls"])
    return ModelReply(
        text=draw(texts()),
        thinking=draw(texts()),
        calls=made,
        reading="calls" if made else draw(other),  # type: ignore[arg-type]
        answer=draw(texts()),
        problem=draw(texts()),
        dropped=draw(st.sampled_from(["", "Only the first was used."])),
        notes=tuple(draw(st.lists(texts(), max_size=1))),
        took=draw(st.floats()),
        input_tokens=draw(st.none() | figures()),
        output_tokens=draw(st.none() | figures()),
        input_estimate=draw(figures()),
        output_estimate=draw(st.integers(0, 5000)),
        cost=draw(st.none() | st.floats()),
        original=draw(texts()),
        changed_by=draw(st.sampled_from(CHANGERS)),
        faults=tuple(draw(st.lists(texts(), max_size=1))),
    )


@st.composite
def results(draw: st.DrawFn, call: str) -> ToolResult:
    return ToolResult(
        call=call,
        outcome=draw(st.sampled_from(OUTCOMES)),
        content=draw(texts()),
        source=draw(texts()),
        trust=draw(st.sampled_from(["trusted", "untrusted"])),
        full_chars=draw(figures()),
        took=draw(st.floats()),
        original=draw(texts()),
        original_outcome=draw(st.sampled_from(["", "ran", "not_run", "whatever"])),
        changed_by=draw(st.sampled_from(CHANGERS)),
        faults=tuple(draw(st.lists(texts(), max_size=1))),
        detail=draw(texts()),
    )


@st.composite
def about_a_call(draw: st.DrawFn, state: State) -> Event:
    record = draw(st.sampled_from(state.open_calls()))
    call = record.call.id
    match draw(st.sampled_from(["decided", "started", "held", "late", "result", "result"])):
        case "decided" if record.call.canonical:
            decision = draw(st.sampled_from(["allow", "deny", "edit", "answer"]))
            value = draw(st.dictionaries(texts(), json_values(), max_size=2))
            return Decided(
                call=call,
                decision=decision,  # type: ignore[arg-type]
                by=draw(st.sampled_from(["person", "rule", "script", "engine"])),
                arguments=canonical(value) if decision == "edit" else "",
                reason=draw(texts()),
                answer=draw(texts()),
                rule=draw(texts()),
            )
        case "started":
            return ToolStarted(call=call, key=draw(st.sampled_from(["", "k1"])))
        case "held":
            result = draw(results(call))
            return Held(
                call=call,
                outcome=result.outcome,
                content=result.content,
                source=result.source,
                took=result.took,
                changed_by=result.changed_by,
            )
        case "late":
            return LateResult(call=call, content=draw(texts()), took=draw(st.floats()))
        case _:
            return draw(results(call))


@st.composite
def between(draw: st.DrawFn, state: State) -> Event:
    knobs = st.sampled_from([*KNOBS, "loop", "x\ny"])
    match draw(
        st.sampled_from(["reply", "reply", "reply", "failed", "user", "note", "remark", "set", "stop", "ask", "fork"])
    ):
        case "reply":
            return draw(replies(state))
        case "failed":
            return ModelFailed(
                failure=draw(st.sampled_from([*FAILURE_STATUS, "odd\none"])),
                detail=draw(texts()),
                attempts=draw(st.integers(1, 4)),
                partial=draw(texts()),
                faults=tuple(draw(st.lists(texts(), max_size=1))),
            )
        case "user":
            return UserMessage(text=draw(texts()))
        case "note":
            return Notice(topic="correction", text=draw(texts()))
        case "remark":
            return Remark(text=draw(texts()), raw=draw(texts()))
        case "set":
            return SettingsChanged(changes=draw(settings()))
        case "stop" if state.status is Status.RUNNING:
            return Stopped(
                status=draw(st.sampled_from(Status)),
                knob=draw(knobs),
                limit=draw(st.none() | st.floats() | st.sampled_from([4, 10**400])),
                detail=draw(texts()),
            )
        case "ask":
            return StopRequested(status=draw(st.sampled_from([Status.CANCELLED, Status.DEADLINE_EXCEEDED])))
        case "fork":
            effects = tuple(
                {"tool": text, "arguments": text, "key": text, "branch": text}
                for text in draw(st.lists(texts(), max_size=2))
            )
            told = DoneElsewhere(effects=effects)
            return draw(st.sampled_from([told, Forked(parent=draw(texts()), at=3, effects=effects)]))
        case _:
            return Resumed()


def settings() -> st.SearchStrategy[dict[str, Any]]:
    rule = {"tool": "look", "where": {"a\n": 1}}
    return st.sampled_from(
        [
            {"limits.steps": 9},
            {"limits.steps": None, "limits.cost": 0.25},
            {"limits.repeats": {"stop": 7}},
            {"hold": True},
            {"title": "a\nb\x1b"},
            {"approval.default": "deny"},
            {"grants": [rule, {"tool": LONG}]},
            {"grants": []},
            {},
        ]
    )


@st.composite
def nasty_runs(draw: st.DrawFn) -> NastyRun:
    """Events in an order that can be, with texts that should not."""
    header = draw(headers())
    state = State(header)
    events: list[Event] = []
    for _ in range(draw(st.integers(0, 14))):
        event = draw(about_a_call(state)) if state.open_calls() else draw(between(state))
        state.apply(event)
        events.append(event)
    return NastyRun(header, events)


def rows_of(lines: Sequence[Line]) -> list[str]:
    return [line_text(line) for line in lines]


def assert_drawable(lines: Sequence[Line], width: int) -> None:
    """Every line is one row of that many cells at most, and holds nothing that steers a terminal."""
    for line in lines:
        assert all(isinstance(span, Span) for span in line)
        text = line_text(line)
        assert line_cells(line) <= width, (width, text)
        assert "\n" not in text
        assert visible(text) == text
