from __future__ import annotations

import pytest

from tests.core.runs import differences, state_facts
from workbench.core.events import Event, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.state import State, fold
from workbench.core.values import Call, Header
from workbench.view.history import KEYFRAME_EVERY, History

HEADER = Header(id="r", goal="g")


def a_run(calls: int) -> list[Event]:
    events: list[Event] = [UserMessage(text="g")]
    for n in range(1, calls + 1):
        call = Call(id=f"c{n}", tool="look", arguments="{}", canonical="{}")
        events += [ModelReply(calls=(call,)), ToolStarted(call=call.id), ToolResult(call=call.id, content=str(n))]
    return events


EVENTS = a_run(1200)


class Counting(State):
    """Counts how many events were folded since the test last looked."""

    __slots__ = ()
    folded = 0

    def apply(self, event: Event) -> None:
        Counting.folded += 1
        super().apply(event)


@pytest.fixture
def folds(monkeypatch: pytest.MonkeyPatch) -> type[Counting]:
    """Every state made from here on counts; `folds.folded` is the count."""
    apply = State.apply

    def counted(self: State, event: Event) -> None:
        Counting.folded += 1
        apply(self, event)

    monkeypatch.setattr(State, "apply", counted)
    Counting.folded = 0
    return Counting


def test_every_place_of_a_long_run() -> None:
    past = History(HEADER, EVENTS)
    for n in (3600, 3599, 3590, 3541, 2000, 2001, 1999, 1, 0, -5, 99_999, 3000, 1500):
        wanted = max(0, min(n, len(EVENTS)))
        assert not differences(state_facts(past.at(n)), state_facts(fold(HEADER, EVENTS[:wanted]))), n


def test_a_walk_back_folds_next_to_nothing(folds: type[Counting]) -> None:
    past = History(HEADER, EVENTS)
    while not past.prepare(1.0):
        pass
    folds.folded = 0
    for n in range(3600, 3000, -1):
        assert past.at(n).n == n
    assert folds.folded < 2 * KEYFRAME_EVERY


def test_preparing_goes_in_slices_and_spares_the_first_look_back_its_wait(folds: type[Counting]) -> None:
    past = History(HEADER, EVENTS)
    assert not past.prepare(0)
    slices = 0
    while not past.prepare(1e-9):
        slices += 1
    assert slices > 10
    assert past.prepare(0)
    folds.folded = 0
    assert past.at(3599).n == 3599
    assert folds.folded < KEYFRAME_EVERY


def test_a_run_that_is_watched_needs_no_fold_from_its_start(folds: type[Counting]) -> None:
    events: list[Event] = []
    state = State(HEADER)
    past = History(HEADER, events)
    assert past.prepare(0)
    for event in EVENTS:
        state.apply(event)
        events.append(event)
        past.note(state)
    folds.folded = 0
    back = past.at(2500)
    assert folds.folded <= KEYFRAME_EVERY
    assert not differences(state_facts(back), state_facts(fold(HEADER, EVENTS[:2500])))
    # Looking back has not touched the run itself.
    assert not differences(state_facts(state), state_facts(fold(HEADER, EVENTS)))


def test_a_state_of_the_past_is_the_callers_own() -> None:
    past = History(HEADER, EVENTS[:10])
    past.at(10).apply(ModelReply(text="elsewhere"))
    assert not differences(state_facts(past.at(10)), state_facts(fold(HEADER, EVENTS[:10])))
