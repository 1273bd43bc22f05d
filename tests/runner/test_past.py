"""The states of the past, from a run that has them all at hand."""

from __future__ import annotations

import pytest

from tests.core.runs import differences, state_facts
from workbench.core.events import Event, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.state import State, fold
from workbench.core.values import Call, Header
from workbench.recording import KEYFRAME_EVERY, Recording
from workbench.sessions.late import MemoryJournal

HEADER = Header(id="r", goal="g")


def a_run(calls: int) -> list[Event]:
    events: list[Event] = [UserMessage(text="g")]
    for n in range(1, calls + 1):
        call = Call(id=f"c{n}", tool="look", arguments="{}", canonical="{}")
        events += [ModelReply(calls=(call,)), ToolStarted(call=call.id), ToolResult(call=call.id, content=str(n))]
    return events


EVENTS = a_run(400)


def opened(events: list[Event]) -> Recording:
    """As a session is that was read."""
    return Recording(HEADER, MemoryJournal(), events)


def watched(events: list[Event]) -> Recording:
    """As a run is whose events came one by one."""
    recording = Recording(HEADER, MemoryJournal())
    for event in events:
        recording.follow(event)
    return recording


@pytest.mark.parametrize("recording", [opened(EVENTS), watched(EVENTS)], ids=["opened", "watched"])
def test_every_place_of_a_long_run(recording: Recording) -> None:
    for n in (1201, 1200, 1199, 1150, 1101, 1100, 1099, 501, 1, 0, -5, 99_999, 1000, 500):
        wanted = max(0, min(n, len(EVENTS)))
        assert not differences(state_facts(recording.at(n)), state_facts(fold(HEADER, EVENTS[:wanted]))), n
    # Looking back has not touched the run itself.
    assert not differences(state_facts(recording.state), state_facts(fold(HEADER, EVENTS)))


def test_no_place_takes_more_than_a_short_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    recording, folded = opened(EVENTS), 0
    apply = State.apply

    def counted(self: State, event: Event) -> None:
        nonlocal folded
        folded += 1
        apply(self, event)

    monkeypatch.setattr(State, "apply", counted)
    for n in (1201, 1199, 1101, 1100, 777, 99, 1):
        folded = 0
        state = recording.at(n)
        assert (state.n, folded) == (n, n % KEYFRAME_EVERY)
        assert state.messages._items is recording.state.messages._items


def test_a_state_of_the_past_is_the_callers_own() -> None:
    recording = opened(EVENTS[:10])
    recording.at(10).apply(ModelReply(text="elsewhere"))
    assert not differences(state_facts(recording.at(10)), state_facts(fold(HEADER, EVENTS[:10])))
