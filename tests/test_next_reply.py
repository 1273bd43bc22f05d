"""The reply that is due, put in other words by a person, for one run only."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from workbench.clocks import VirtualClock
from workbench.core.events import ModelFailed, ModelReply
from workbench.core.ports import OnSignal, Reply, Request, Signal
from workbench.core.state import fold
from workbench.core.statuses import Status
from workbench.core.values import Fault, Header, ProtocolName, RawCall
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.runner import CommandError, Run
from workbench.sessions.late import MemoryJournal
from workbench.toolkit.execute import ToolBox


def a_run(*lines: Line, protocol: ProtocolName = "text", **header: Any) -> Run:
    clock = VirtualClock()
    return Run(
        Header(id="r", goal="g", protocol=protocol, **header),
        model=ScriptedModel(lines, clock=clock),
        tools=ToolBox([]),
        journal=MemoryJournal(),
        clock=clock,
    )


def replies(run: Run) -> list[ModelReply]:
    return [event for event in run.events if isinstance(event, ModelReply)]


def test_it_is_said_in_place_of_the_scripted_one_once_and_the_record_says_so() -> None:
    run = a_run(Line(text="ACTION: add {}"), Line(text="ANSWER: 2"))
    run.change({"next_reply": "ACTION: ad {}"})
    asyncio.run(run.play())
    first, second = replies(run)
    assert (first.text, first.original, first.changed_by, first.line) == ("ACTION: ad {}", "ACTION: add {}", "you", 0)
    assert first.changed
    assert (second.text, second.changed_by, second.line) == ("ANSWER: 2", "", 1)


def test_it_is_kept_in_the_history_until_it_is_said() -> None:
    run = a_run(Line(text="ANSWER: 1"))
    run.change({"next_reply": "ANSWER: 2"})
    assert fold(run.header, run.events).next_reply == "ANSWER: 2"
    asyncio.run(run.play())
    assert fold(run.header, run.events).next_reply is None
    assert run.state.answer == "2"


def test_it_can_be_taken_back() -> None:
    run = a_run(Line(text="ANSWER: 1"))
    run.change({"next_reply": "ANSWER: 2"})
    run.change({"next_reply": None})
    asyncio.run(run.play())
    assert (run.state.answer, replies(run)[0].changed_by) == ("1", "")


def test_the_same_words_are_no_change() -> None:
    run = a_run(Line(text="ANSWER: 1"))
    run.change({"next_reply": "ANSWER: 1"})
    asyncio.run(run.play())
    assert (replies(run)[0].changed_by, replies(run)[0].original) == ("", "")


def test_a_native_reply_gets_other_calls_and_the_original_can_be_read_as_one() -> None:
    run = a_run(Line(text="Hm.", calls=(ScriptedCall(tool="add"),)), Line(text="done"), protocol="native")
    run.change({"next_reply": '{"calls": [{"tool": "made_up", "arguments": "{"}]}'})
    asyncio.run(run.play())
    first = replies(run)[0]
    assert [(call.tool, call.arguments, call.problem_kind) for call in first.calls] == [
        ("made_up", "{", "unknown_tool")
    ]
    assert first.original == '{\n  "text": "Hm.",\n  "calls": [\n    {"tool": "add", "arguments": {}}\n  ]\n}'


def test_a_request_that_fails_leaves_it_for_the_next_one() -> None:
    run = a_run(Line(fail="auth"), Line(text="ANSWER: 1"))
    run.change({"next_reply": "ANSWER: 2"})
    asyncio.run(run.play())
    assert isinstance(run.events[-2], ModelFailed)
    run.go_on()
    asyncio.run(run.play())
    assert run.state.answer == "2"


def test_what_a_fault_made_of_the_scripted_one_is_not_the_original() -> None:
    run = a_run(Line(text="ANSWER: 1"), faults=(Fault(on="reply", do="prose"),))
    run.change({"next_reply": "ANSWER: 2"})
    asyncio.run(run.play())
    assert (replies(run)[0].text, replies(run)[0].original) == ("ANSWER: 2", "ANSWER: 1")


def test_the_words_that_nobody_reads_are_not_streamed() -> None:
    passed: list[str] = []
    run = a_run(Line(text="ANSWER: 1"))
    run.subscribe_signals(lambda signal: passed.append(signal.text))
    run.change({"next_reply": "ANSWER: 2"})
    asyncio.run(run.play())
    assert passed == []


def test_opaque_blocks_of_the_provider_do_not_go_back_with_other_words() -> None:
    class Live:
        name = "live"

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            on_signal(Signal("delta", "said"))
            return Reply(text="said", opaque="[1]", calls=(RawCall("add", "{}", provider_id="p"),))

    run = a_run(protocol="native")
    run.model = Live()
    run.change({"next_reply": "done"})
    asyncio.run(run.play())
    assert (replies(run)[0].opaque, run.status) == ("", Status.ANSWERED)


def test_it_is_a_text_or_nothing() -> None:
    with pytest.raises(CommandError, match="next_reply is a text, or nothing, not 3"):
        a_run().change({"next_reply": 3})
