from __future__ import annotations

import pytest

from workbench.core.events import Event, ModelReply, Stopped, UserMessage
from workbench.core.ports import NobodyThere, Request
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.core.values import Header, RawCall
from workbench.models.human import HumanModel, seen_status
from workbench.models.scripted import no_signal


def request_of(state: State) -> Request:
    return Request(system="", messages=state.messages, tools=(), options=state.header.options, state=state)


async def take(model: HumanModel, state: State) -> str:
    reply = await model.reply(request_of(state), no_signal)
    state.apply(ModelReply(text=reply.text, line=reply.line, served=reply.served))
    return reply.text


async def test_a_reply_is_typed_once() -> None:
    model, state = HumanModel(), State(Header(id="r", goal="g", protocol="text"))
    with pytest.raises(NobodyThere):
        await take(model, state)
    model.say("ANSWER: 1")
    assert await take(model, state) == "ANSWER: 1"
    with pytest.raises(NobodyThere):
        await take(model, state)


async def test_prepared_replies_come_in_order_and_a_typed_one_goes_before_them() -> None:
    model, state = HumanModel(["one", "two"]), State(Header(id="r", goal="g", protocol="text"))
    assert await take(model, state) == "one"
    fork = state.copy()
    model.say("typed")
    assert [await take(model, state), await take(model, state)] == ["typed", "two"]
    assert await take(HumanModel(["one", "two"]), fork) == "two"
    with pytest.raises(NobodyThere):
        await take(model, state)


async def test_a_native_reply_can_hold_calls() -> None:
    model, state = HumanModel(), State(Header(id="r", goal="g", protocol="native"))
    model.say('{"text": "Looking.", "calls": [{"tool": "add", "arguments": "{\\"a\\":"}]}')
    reply = await model.reply(request_of(state), no_signal)
    assert (reply.text, reply.calls, reply.finish) == ("Looking.", (RawCall("add", '{"a":'),), "tool_calls")


def test_it_waits_while_nothing_is_typed_and_nothing_prepared() -> None:
    state = State(Header(id="r", goal="g", protocol="text"))
    typed = HumanModel()
    assert typed.waits(state)
    typed.say("ANSWER: 1")
    assert not typed.waits(state)
    assert not HumanModel(["ANSWER: 1"]).waits(state)


def test_a_saved_run_says_whether_it_waits_for_a_person_to_reply() -> None:
    entry = {"on": "reply", "do": "answer", "text": "one"}

    def header(use: str, *person: dict[str, str]) -> Header:
        return Header(id="r", goal="g", protocol="text", scenario={"model": {"use": use}, "person": list(person)})

    def status(header: Header, *events: Event) -> Status:
        return seen_status(fold(header, [UserMessage(text="g"), *events]))

    assert status(header("human")) is Status.AWAITING_PERSON
    assert status(header("human", entry)) is Status.RUNNING
    assert status(header("scripted")) is Status.RUNNING
    assert status(header("human"), Stopped(status=Status.CANCELLED)) is Status.CANCELLED
