"""Which calls run side by side, and what is not run a second time."""

from __future__ import annotations

from typing import Any

from workbench.core.events import Decided, Event, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.loop import Record, RunTools, next_move
from workbench.core.state import State, fold
from workbench.core.values import Call, Header, Limits, ProtocolOptions, RepeatLimit, ToolInfo

LOOK = ToolInfo(name="look", risk="read")
PAY = ToolInfo(name="pay", risk="write")
SIDE_BY_SIDE = ProtocolOptions(parallel=True, execute="concurrent")


def state_after(*events: Event, **header: Any) -> State:
    given = {"id": "r", "goal": "g", "protocol": "native", "tools": (LOOK, PAY), "options": SIDE_BY_SIDE, **header}
    return fold(Header(**given), [UserMessage(text="g"), *events])


def calls(*wanted: tuple[str, str, str]) -> ModelReply:
    """A reply with these calls: id, tool and canonical arguments."""
    made = [Call(id=call, tool=tool, arguments=arguments, canonical=arguments) for call, tool, arguments in wanted]
    return ModelReply(calls=tuple(made), reading="calls")


def running(state: State) -> list[str]:
    move = next_move(state)
    assert isinstance(move, RunTools)
    return [record.call.id for record in move.records]


def test_a_call_that_a_cap_forbids_does_not_slip_in_beside_another_one() -> None:
    known = [calls(("c1", "look", '{"n":1}')), ToolStarted(call="c1"), ToolResult(call="c1", content="1")]
    batch = calls(("c2", "look", '{"n":2}'), ("c3", "look", '{"n":1}'))
    assert running(state_after(*known, batch)) == ["c2", "c3"]
    guarded = Limits(repeats=RepeatLimit(match="call", stop=2))
    assert running(state_after(*known, batch, limits=guarded)) == ["c2"]
    assert running(state_after(batch, limits=Limits(tool_calls=1))) == ["c2"]


def test_the_same_call_twice_in_a_batch_runs_one_after_the_other() -> None:
    assert running(state_after(calls(("c1", "look", "{}"), ("c2", "look", "{}")))) == ["c1"]


def test_a_call_that_is_run_again_as_one_that_has_run_meanwhile_gets_what_that_gave() -> None:
    started = [Decided(call=call, decision="allow", arguments=f'{{"n":{n}}}') for call, n in (("c1", 1), ("c2", 2))]
    state = state_after(calls(("c1", "pay", '{"n":1}'), ("c2", "pay", '{"n":2}')), *started)
    keys = {n: state.effect_key("pay", f'{{"n":{n}}}') for n in (1, 2)}
    for event in (ToolStarted(call="c1", key=keys[1]), ToolStarted(call="c2", key=keys[2])):
        state.apply(event)
    state.apply(ToolResult(call="c2", content="paid 2"))
    state.apply(Decided(call="c1", decision="edit", arguments='{"n":2}'))
    move = next_move(state)
    assert isinstance(move, Record)
    assert isinstance(move.event, ToolResult)
    assert (move.event.outcome, move.event.content) == ("stored", "paid 2")
