"""Whole runs, made up at random and driven for real: a script, tools that act, somebody who decides, and interruptions."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from workbench.clocks import VirtualClock
from workbench.core.canonical import digest
from workbench.core.carried import RECALLED_FROM
from workbench.core.door import altered, passed, reply_at
from workbench.core.events import Decided, Event, HeldReply, SettingsChanged, StopRequested, ToolResult
from workbench.core.faults import KINDS
from workbench.core.persistent import Log, Table
from workbench.core.ports import Journal, OnLate, Question, Reply, Request, ToolOutcome
from workbench.core.records import CallRecord, Message
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.tokens import estimate
from workbench.core.values import (
    ContextPolicy,
    Fault,
    FaultKind,
    FaultTarget,
    GateDefault,
    Header,
    Limits,
    Pattern,
    PolicyName,
    ProtocolName,
    ProtocolOptions,
    RawCall,
    RepeatLimit,
    Rule,
)
from workbench.faults.door import strike_reply
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.models.written import rewritten, write
from workbench.runner import CommandError, Run
from workbench.sessions.late import MemoryJournal
from workbench.toolkit.api import ToolError, tool
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedTool, load_function

T = TypeVar("T")
DEEP = bool(os.environ.get("WORKBENCH_DEEP"))


def examples(count: int) -> settings:
    """So many random runs; thirty times as many with WORKBENCH_DEEP=1."""
    return settings(
        max_examples=count * 30 if DEEP else count,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


# ---------------------------------------------------------------- tools that act


class World:
    """What the tools have really done, whatever a run knows of it."""

    def __init__(self, acts: Sequence[tuple[str, str]] = ()) -> None:
        self.acts = list(acts)

    def times(self, act: tuple[str, str]) -> int:
        return self.acts.count(act)


def world_tools(world: World) -> list[LoadedTool]:
    @tool(risk="read", inline=True)
    def look(number: int) -> int:
        """Gives the number back."""
        return number

    @tool(risk="read", polling=True, inline=True)
    def poll() -> str:
        """Always the same."""
        return "pending"

    @tool(risk="read", inline=True)
    def flaky(number: int) -> int:
        """Fails for odd numbers."""
        if number % 2:
            raise ToolError("odd numbers are not served")
        return number

    @tool(risk="read", trust="untrusted")
    async def fetch(number: int) -> str:
        """Text from elsewhere."""
        await asyncio.sleep(0)
        return f"page {number}"

    @tool(risk="read", inline=True)
    def report(number: int) -> str:
        """A long text."""
        return f"report {number}:\n" + "\n".join(f"line {line} of a long report" for line in range(12))

    @tool(risk="read", inline=True, source=RECALLED_FROM)
    def recall(key: str) -> str:
        """What was folded."""
        raise ToolError(f"nothing is kept under {key}")

    @tool(risk="write", idempotent=True, inline=True)
    def note(text: str) -> str:
        """Writes a note; twice is as good as once."""
        world.acts.append(("note", text))
        return f"noted {text}"

    @tool(risk="outward")
    async def refund(order: str) -> str:
        """Pays once."""
        await asyncio.sleep(0)
        world.acts.append(("refund", order))
        await asyncio.sleep(0)
        return f"refunded {order}"

    @tool(inline=True)
    def murky(order: str) -> str:
        """Nobody has said what this does."""
        return f"done {order}"

    @tool(risk="read", inline=True)
    def broken() -> str:
        """Raises what no tool should."""
        raise KeyError("a bug")

    return [
        load_function(function) for function in (look, poll, flaky, fetch, report, recall, note, refund, murky, broken)
    ]


class WatchedTools(ToolBox):
    """Lets nothing gated run without a decision that says so."""

    run_: Run

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        state, events = self.run_.state, self.run_.events
        info = state.tool(tool)
        assert info is not None
        if info.gated:
            assert any(_decided_about(record, canonical, events) for record in state.open_calls()), (tool, canonical)
            assert key == state.effect_key(tool, canonical)
        return await super().run(tool, canonical, within=within, key=key, on_late=on_late)


def _decided_about(record: CallRecord, canonical: str, events: Sequence[Event]) -> bool:
    """Whether the journal allows exactly this call with exactly these arguments, and said so before it started."""
    if record.started is None or record.arguments != canonical:
        return False
    start = max(index for index, event in enumerate(events) if event is record.started)
    allowed = [
        event
        for event in events[:start]
        if isinstance(event, Decided) and event.call == record.call.id and event.decision in ("allow", "edit")
    ]
    return bool(allowed) and allowed[-1].arguments in (canonical, *([""] if allowed[-1].by == "rule" else []))


class WatchedModel(ScriptedModel):
    """Is asked only when every call has exactly one result, in call order."""

    async def reply(self, request: Request, on_signal: Any) -> Any:
        assert_whole(request.state)
        assert_counted(request.state)
        sent = list(request.state.sent)
        if request.purpose == "step":
            assert list(request.messages) == sent
        else:
            *older, question = request.messages
            assert older == sent[: len(older)]
            assert len(older) < len(sent)
            assert question.role == "notice"
            assert_paired(older)
        return await super().reply(request, on_signal)


def assert_whole(state: State) -> None:
    """Every call of the transcript is followed by its one result, also in what is sent of it, and none is open."""
    assert_paired(state.messages)
    assert_paired(state.sent)
    assert not state.open_calls()
    users = [message for message in state.messages if message.role == "user"]
    assert [message for message in state.sent if message.role == "user"] == users
    order = [message.n for message in state.sent if message.role != "tool"]
    assert order == sorted(set(order))


def assert_counted(state: State) -> None:
    """What is kept of the size of the next request is what counting it again comes to."""
    texts = [message.text for message in state.sent]
    native = state.protocol.native_tools
    written = [
        text + "".join(call.tool + call.arguments for call in message.calls if native)
        for text, message in zip(texts, state.sent, strict=True)
    ]
    assert state.context_tokens == State(state.header).context.system + sum(map(estimate, written))
    arguments = [len(call.arguments) for message in state.sent for call in message.calls if native]
    assert state.chars == sum(map(len, texts)) + sum(arguments) + max(0, len(texts) - 1)


def assert_paired(messages: Iterable[Message]) -> None:
    """Every call is followed by its one result, in call order, before anybody else speaks."""
    owed: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert owed, f"a result of {message.call_id} that nobody waits for"
            assert message.call_id == owed.pop(0)
        else:
            assert not owed, f"{owed} have no result"
        owed.extend(call.id for call in message.calls)
    assert not owed, f"{owed} have no result"


# ---------------------------------------------------------------- somebody who decides


@dataclass(frozen=True)
class Chance:
    """A person who decides by a hash of the history: always the same, and never predictable.

    A call that may have taken effect already is not allowed again.
    """

    seed: int
    absent: bool = False

    def answer(self, question: Question, state: State) -> Sequence[Event | Reply] | None:
        if self.absent and question.on != "interrupted":
            return None
        if question.reply is not None:
            return self._about_reply(question.reply, state)
        match question.on:
            case "approval":
                return self._decided(question.calls[0], state)
            case "hold":
                held = question.calls[0].held
                assert held is not None
                how = self._pick(state, 3)
                return [passed(held) if how else altered(held, "script", content="changed at the door")]
            case "interrupted":
                call = question.calls[0].call.id
                if self._pick(state, 2):
                    return [Decided(call=call, decision="deny", reason="nobody knows")]
                return [Decided(call=call, decision="answer", answer="I have looked: it is done")]
            case "step":
                return self._between(state)
            case _:
                return None

    def _about_reply(self, held: HeldReply, state: State) -> Sequence[Event | Reply] | None:
        native = state.protocol.native_tools
        match self._pick(state, 5):
            case 0:
                call = write("", [RawCall("look", '{"number": 3}')], native=native)
                return [rewritten(reply_at(held), call, "script", native=native)]
            case 1:
                longer = strike_reply(Fault(on="reply", do="delay", seconds=1.0), held, state)
                return [longer, reply_at(held)]
            case 2 if self._pick(state, 7) == 0:
                return None
            case _:
                return [reply_at(held)]

    def _decided(self, record: CallRecord, state: State) -> Sequence[Event] | None:
        call, tool = record.call.id, record.call.tool
        risky = state.effect_key(tool, record.call.canonical) in {*state.unsure_keys, *state.elsewhere}
        match self._pick(state, 6):
            case 0 | 1 | 2 if not risky:
                return [Decided(call=call, decision="allow")]
            case 3:
                return [Decided(call=call, decision="answer", answer="take my word for it")]
            case 4 if tool in ("note", "murky"):
                name = "text" if tool == "note" else "order"
                return [Decided(call=call, decision="edit", arguments=f'{{ "{name}" : "edited" }}')]
            case 5 if self._pick(state, 7) == 0:
                return None
            case _:
                return [Decided(call=call, decision="deny", reason="no")]

    def _between(self, state: State) -> Sequence[Event] | None:
        if state.n and state.messages[-1].role == "user" and self._pick(state, 5) == 0:
            hold = HOLDS[self._pick(state, len(HOLDS))]
            return [SettingsChanged(changes={"hold": hold}, by="person")]
        return [StopRequested(by="script")] if self._pick(state, 40) == 0 else None

    def _pick(self, state: State, ways: int) -> int:
        return int(digest(str(self.seed), str(state.n), str(ways)), 16) % ways


# ---------------------------------------------------------------- a plan of a whole run

Act = tuple[Literal["stop", "stop_soon", "message", "change", "grant", "withdraw", "go_on", "strike", "door"], Any]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A scenario, and what a person does from outside: `acts` are done when that many events are there, or later."""

    header: Header
    lines: tuple[Line, ...]
    person: Chance
    summaries: tuple[Line, ...] = ()
    acts: Mapping[int, Act] = field(default_factory=dict)

    def run(self, journal: Journal | None = None, *, world: World | None = None, events: Sequence[Event] = ()) -> Run:
        """A run of the plan that watches over its own rules."""
        clock = VirtualClock()
        tools = WatchedTools(world_tools(world if world is not None else World()))
        run = Run(
            self.header,
            model=WatchedModel(self.lines, clock=clock, summaries=self.summaries),
            tools=tools,
            journal=journal if journal is not None else MemoryJournal(),
            clock=clock,
            person=self.person,
            events=events,
        )
        tools.run_ = run
        return run


async def drive(run: Run, acts: Mapping[int, Act] | None = None, *, moves: int = 150) -> None:
    """Make moves, and the acts when they are due, until nothing more happens."""
    waiting = sorted((acts or {}).items())
    for _ in range(moves):
        moved = await run.advance()
        while waiting and (not moved or len(run.events) >= waiting[0][0]):
            moved = True
            _act(run, waiting.pop(0)[1])
        if not moved:
            return


def _act(run: Run, act: Act) -> None:
    """Do it if it can be done now; what cannot be done changes nothing."""
    kind, value = act
    if kind == "stop_soon":
        # In the middle of the next move that waits for anything.
        asyncio.get_running_loop().call_soon(_act, run, ("stop", None))
        return
    events = list(run.events)
    try:
        match kind:
            case "stop":
                run.stop()
            case "message":
                run.message(value)
            case "change":
                run.change(value)
            case "grant":
                run.grant(value)
            case "withdraw":
                run.withdraw(value)
            case "go_on":
                run.go_on()
            case "strike":
                run.strike(replace(value, on="result" if _held(run) else "reply"), _held(run))
            case "door":
                _at_the_door(run, value)
    except CommandError:
        assert run.events == events


def _held(run: Run) -> str:
    """The call whose result stands at the door; "" when none does."""
    return next((record.call.id for record in run.state.open_calls() if record.held is not None), "")


def _at_the_door(run: Run, what: str) -> None:
    call = _held(run)
    if what == "put back":
        run.put_back(call)
    elif call:
        run.release(call, content="I changed it" if what == "change" else None)
    else:
        run.let_in("ANSWER: I changed it" if what == "change" else None)


# ---------------------------------------------------------------- strategies

HOLDS: tuple[bool | str, ...] = (
    *(True, False, "reply", "reply or result", "reply tool:refund", "tool:refund", "not reply", "not step:1", "error"),
)

ORDERS = ("A-1", "B-2")


def calls() -> st.SearchStrategy[tuple[str, str]]:
    """A tool and the arguments text that a model might write for it."""
    good = st.one_of(
        st.tuples(st.sampled_from(["look", "flaky", "fetch"]), st.integers(0, 3).map(lambda n: f'{{"number": {n}}}')),
        st.tuples(st.just("note"), st.sampled_from(['{"text": "a"}', '{"text":"b"}'])),
        st.tuples(st.sampled_from(["refund", "murky"]), st.sampled_from(ORDERS).map(lambda o: f'{{"order": "{o}"}}')),
        st.just(("poll", "{}")),
        st.sampled_from([("report", '{"number": 1}'), ("recall", '{"key": "c1"}'), ("recall", '{"key": "c99"}')]),
    )
    bad = st.sampled_from(
        [("refund", '{"order": '), ("look", '{"number": "one"}'), ("Refund", '{"order": "A-1"}'), ("broken", "{}")]
    )
    return _mostly(good, bad, 12)


def _mostly(often: st.SearchStrategy[T], seldom: st.SearchStrategy[T], odds: int) -> st.SearchStrategy[T]:
    """The seldom one about once in so many times."""
    return st.sampled_from(range(odds)).flatmap(lambda n: seldom if n == odds - 1 else often)


def lines(protocol: ProtocolName) -> st.SearchStrategy[Line]:
    asks = st.lists(calls(), min_size=1, max_size=4).map(lambda found: _calling(protocol, found))
    answers = st.sampled_from(["140 mugs", "done: ${total}"]).map(lambda text: _answering(protocol, text))
    odd = st.sampled_from(
        [
            Line(text=""),
            Line(text="THOUGHT: hm.\nACTION: refund {"),
            Line(text='{"type": "tool"}'),
            replace(_calling(protocol, [("refund", '{"order": "A-1"}')]), finish="length"),
            Line(text="no", finish="blocked"),
            Line(fail="timeout"),
            Line(fail="auth"),
            Line(fail="context_overflow"),
        ]
    )
    return st.builds(
        lambda line, repeat, delay: replace(line, repeat=repeat, delay=delay),
        _mostly(asks, _mostly(answers, odd, 2), 6),
        st.sampled_from([1, 1, 1, 3]),
        st.sampled_from([0.0, 0.0, 2.5]),
    )


def _calling(protocol: ProtocolName, found: Sequence[tuple[str, str]]) -> Line:
    if protocol == "native":
        return Line(calls=tuple(ScriptedCall(tool=name, arguments=arguments) for name, arguments in found))
    if protocol == "text":
        return Line(text="\n".join(f"ACTION: {name} {arguments}" for name, arguments in found))
    return Line(
        text="\n".join(f'{{"type": "tool", "tool": {json.dumps(name)}, "input": {text}}}' for name, text in found)
    )


def _answering(protocol: ProtocolName, text: str) -> Line:
    match protocol:
        case "native":
            return Line(text=text)
        case "text":
            return Line(text=f"ANSWER: {text}")
        case "json":
            return Line(text=f'{{"type": "answer", "text": "{text}"}}')


def limits() -> st.SearchStrategy[Limits]:
    small = _mostly(st.none(), st.integers(1, 6), 6)
    guard = st.builds(
        RepeatLimit,
        nudge=st.sampled_from([None, 2]),
        stop=st.sampled_from([None, 3]),
        match=st.sampled_from(["call", "call+result"]),
    )
    return st.builds(
        Limits,
        steps=_mostly(st.none(), st.integers(1, 8), 3),
        model_calls=small,
        tool_calls=small,
        total_tokens=_mostly(st.none(), st.integers(1500, 9000), 4),
        seconds=_mostly(st.none(), st.floats(1, 20), 4),
        failures=small,
        protocol_errors=small,
        denials=small,
        repeats=st.none() | guard,
    )


def policies() -> st.SearchStrategy[ContextPolicy]:
    names: list[PolicyName] = ["window", "fold", "summarise", "restate"]
    return st.builds(
        ContextPolicy,
        policy=st.sampled_from(names),
        keep=st.integers(1, 3),
        at=st.none() | st.integers(900, 1600),
        chars=st.sampled_from([1, 20]),
        every=st.none() | st.integers(1, 3),
    )


def summaries() -> st.SearchStrategy[list[Line]]:
    some = st.sampled_from(["So far: 3 mugs.", "ANSWER: So far: 3 mugs.", '{"type": "answer", "text": "3 mugs"}'])
    odd = st.sampled_from(
        [
            Line(fail="timeout"),
            Line(fail="auth"),
            Line(text=""),
            Line(text="no", finish="blocked"),
            Line(text="3 mu", finish="length"),
        ]
    )
    said = st.builds(lambda text, delay: Line(text=text, delay=delay), some, st.sampled_from([0.0, 2.5]))
    return st.lists(_mostly(said, odd, 5), max_size=4)


def rules() -> st.SearchStrategy[Rule]:
    order = st.sampled_from(ORDERS).map(lambda value: (("order", Pattern(kind="equal", value=value)),))
    decisions: tuple[GateDefault, ...] = ("ask", "allow", "deny")
    return st.builds(
        Rule,
        tool=st.sampled_from(["refund", "note", "look"]),
        where=st.just(()) | order,
        decide=st.sampled_from(decisions),
    )


def faults() -> st.SearchStrategy[Fault]:
    targets: list[FaultTarget] = ["tool", "result", "reply", "provider"]
    return st.sampled_from(targets).flatmap(
        lambda on: st.builds(
            Fault,
            on=st.just(on),
            do=st.sampled_from(KINDS[on]),
            tool=st.sampled_from(["", "refund", "look"]) if on in ("tool", "result") else st.just(""),
            text=st.just("something else"),
            seconds=st.just(1.5),
            nth=st.none() | st.integers(1, 3),
            times=st.just(2),
        )
    )


def door_faults() -> st.SearchStrategy[Fault]:
    kinds: tuple[FaultKind, ...] = ("append", "empty", "delay", "truncate", "error", "drop", "timeout", "prose")
    return st.sampled_from(kinds).map(lambda do: Fault(on="result", do=do, text="x", seconds=1.5))


def acts() -> st.SearchStrategy[Act]:
    changes = st.sampled_from(
        [
            {"limits.steps": 9},
            {"limits.steps": None, "limits.tool_calls": None},
            {"limits.repeats": {"stop": 2}},
            {"approval.default": "allow"},
            {"hold": True},
            {"hold": "reply or (result not tool:look)"},
            {"hold": "nothing:like this"},
            {"arm": {"on": "result", "do": "timeout"}},
            {"arm": {"on": "tool", "do": "timeout", "tool": "refund"}},
            {"arm": {"on": "reply", "do": "prose", "nth": 1}},
            {"disarm": {"at": 0, "fault": {"on": "result", "do": "timeout"}}},
            {"title": "renamed"},
            {"context.policy": "window", "context.keep": 1},
            {"context.policy": "fold", "context.chars": 1, "context.keep": 1},
            {"context.policy": "none", "context.every": 1},
            {"context.policy": "summarise"},
            {"context.keep": 0},
            {"faults": [{"on": "result", "do": "drop", "nth": 1}]},
            {"next_reply": "ANSWER: 140"},
            {"limits.steps": 0},
            {"limits.nonsense": 1},
        ]
    )
    return st.one_of(
        st.tuples(st.sampled_from(["stop", "stop_soon", "go_on"]), st.none()),
        st.tuples(st.just("message"), st.sampled_from(["and then?", " "])),
        st.tuples(st.just("change"), changes),
        st.tuples(st.just("grant"), rules()),
        st.tuples(st.just("withdraw"), st.just(0)),
        st.tuples(st.just("strike"), door_faults()),
        st.tuples(st.just("door"), st.sampled_from(["pass", "change", "put back"])),
    )


def holding() -> st.SearchStrategy[dict[int, Act]]:
    """A run that holds from the beginning, and things done at the door."""
    hold = st.sampled_from([*HOLDS, *["reply or result"] * 5]).map(lambda hold: ("change", {"hold": hold}))
    at_door = st.one_of(
        st.tuples(st.just("strike"), door_faults()),
        st.tuples(st.just("door"), st.sampled_from(["pass", "change", "put back"])),
        st.just(("stop", None)),
    )
    later = st.dictionaries(st.integers(2, 12), at_door, max_size=4)
    return st.builds(lambda hold, later: {1: hold, **later}, hold, later)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    protocols: list[ProtocolName] = ["native", "native", "text", "json"]
    protocol = draw(st.sampled_from(protocols))
    header = Header(
        id="20260131-100000-7f3a",
        created="2026-01-31T10:00:00Z",
        goal="How many mugs?",
        protocol=protocol,
        options=ProtocolOptions(
            several=draw(st.sampled_from(["all", "first"])),
            parallel=draw(st.sampled_from([True, True, False])),
            execute=draw(st.sampled_from(["sequential", "concurrent"])),
        ),
        limits=draw(limits()),
        tools=tuple(loaded.info for loaded in world_tools(World())),
        approval=draw(st.sampled_from(["ask", "ask", "allow", "deny"])),
        rules=tuple(draw(st.lists(rules(), max_size=2))),
        split=draw(st.booleans()),
        context=draw(st.none() | policies()),
        faults=tuple(draw(_mostly(st.just([]), st.lists(faults(), min_size=1, max_size=2), 3))),
    )
    return Plan(
        header=header,
        lines=tuple(draw(st.lists(lines(protocol), min_size=draw(st.integers(1, 8)), max_size=8))),
        summaries=tuple(draw(summaries())),
        person=Chance(draw(st.integers(0, 999)), absent=draw(st.sampled_from([False, False, False, True]))),
        acts=draw(st.dictionaries(st.integers(0, 40), acts(), max_size=4)) | draw(_mostly(st.just({}), holding(), 2)),
    )


# ---------------------------------------------------------------- comparing states


def state_facts(state: State) -> dict[str, str]:
    """Everything a state holds, as text by slot; a copy, so that later events do not change it."""
    return {name: repr(_plain(getattr(state, name))) for name in State.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, Log):
        return list(value)
    if isinstance(value, Table):
        return list(value.items())
    if isinstance(value, frozenset):
        return sorted(value)
    return getattr(value, "name", value) if not isinstance(value, Status) else value


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def results_of(events: Sequence[Event]) -> list[str]:
    return [event.call for event in events if isinstance(event, ToolResult)]
