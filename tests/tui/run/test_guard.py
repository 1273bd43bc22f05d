from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.run.models import Paced
from tests.tui.run.stage import Stage, opened_scenario, staged
from workbench.core.events import Decided
from workbench.core.loop import AskPerson
from workbench.home import Home
from workbench.tui.guard import APART, DRAWN, KeyGuard
from workbench.tui.run.fields.calls import DenyReason

SOON, LATE = DRAWN / 2, DRAWN + 0.01


def a_guard(*pressed: float, drawn: float | None = 0.0) -> KeyGuard:
    guard = KeyGuard()
    if drawn is not None:
        guard.drawn(drawn)
    for at in pressed:
        guard.pressed("y", at)
    return guard


@pytest.mark.parametrize(
    ("pressed", "allowed"),
    [
        ((), False),
        ((-1.0,), False),
        ((SOON,), False),
        ((LATE,), True),
        ((-LATE, LATE), False),
        ((LATE - APART, LATE), True),
        ((LATE, LATE + 0.9), True),
        ((LATE, LATE + 0.5), False),
    ],
)
def test_a_press_decides_when_the_question_stood_and_the_key_was_up(pressed: tuple[float, ...], allowed: bool) -> None:
    assert a_guard(*pressed).allows("y") is allowed


def test_nothing_decides_before_the_question_is_drawn() -> None:
    guard = a_guard(LATE, drawn=None)
    assert guard.armed
    assert not guard.allows("y")
    guard.drawn(0)
    assert guard.allows("y")
    guard.arm()
    assert not guard.allows("y")


def test_other_keys_are_others_and_an_action_may_have_several() -> None:
    guard = a_guard(LATE)
    guard.pressed("x", LATE + 0.1)
    assert guard.allows("y")
    assert guard.allows("z", "y")
    assert not guard.allows("z")


@given(
    delay=st.floats(0.2, 0.66),
    every=st.floats(0.01, 0.1),
    drawn=st.floats(-5, 5),
    count=st.integers(2, 60),
)
def test_a_key_that_is_held_down_never_decides(delay: float, every: float, drawn: float, count: int) -> None:
    """The first press came before the question; then the keyboard repeats it."""
    guard = KeyGuard()
    guard.drawn(drawn)
    first = drawn - 0.001
    for number in range(count):
        guard.pressed("y", first if number == 0 else first + delay + every * (number - 1))
        assert not guard.allows("y")


# ---------------------------------------------------------------- in the app


def at_the_gate(home: Home) -> AbstractAsyncContextManager[Stage]:
    return staged(opened_scenario(home, "batch-three-decisions"), home)


def decided(stage: Stage) -> list[str]:
    return [event.call for event in stage.run.events if isinstance(event, Decided)]


def drawn_at(stage: Stage) -> float:
    at = stage.screen.guard._drawn
    assert at is not None
    return at


async def test_keys_typed_while_the_model_thinks_do_not_decide(home: Home) -> None:
    opened = opened_scenario(home, "send-email-denied")
    model = opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        for key in ("y", "y", "y", "y", "enter"):
            stage.post(key, stage.now)
        await stage.pilot.pause()
        model.go()
        await stage.reach(lambda: isinstance(stage.run.next, AskPerson))
        await stage.settle()
        # Read only now, but pressed before the question was there.
        stage.post("y", drawn_at(stage) - 0.05)
        await stage.settle()
        assert decided(stage) == []
        assert stage.bar_title.startswith("▲ The model wants to run send_email")


@pytest.mark.parametrize("key", ["y", "escape"])
async def test_a_press_too_soon_is_refused_and_said(home: Home, key: str) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r")
        drawn = drawn_at(stage)
        stage.post(key, drawn + SOON)
        await stage.settle()
        assert decided(stage) == []
        assert stage.notice == f"press {'esc' if key == 'escape' else key} again"
        stage.post(key, drawn + SOON + APART)
        await stage.settle()
        assert decided(stage) == ["c1"]


async def test_mashed_keys_decide_one_call_at_most(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r")
        drawn = drawn_at(stage)
        for number in range(20):
            stage.post("y", drawn + LATE + number * 0.1)
        await stage.settle()
        assert len(decided(stage)) <= 1


async def test_the_next_call_of_a_batch_needs_a_press_of_its_own(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r")
        stage.screen.guard.drawn(drawn_at(stage) - 5)
        pressed = drawn_at(stage) + LATE
        stage.post("y", pressed)
        # Pressed on its own, but before the next question could be drawn.
        stage.post("tab", pressed)
        stage.post("y", pressed + APART + 0.1)
        await stage.settle()
        assert decided(stage) == ["c1"]
        await stage.press("y")
        assert decided(stage) == ["c1", "c2"]


async def test_an_answer_typed_ahead_does_not_allow_the_next_call(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r", "n")
        at = stage.now
        stage.post("enter", at + 0.1)
        stage.post("y", at + 0.2)
        await stage.settle()
        assert decided(stage) == ["c1"]


@pytest.mark.parametrize("between", ["e escape", "Y escape", "v escape", "left end"])
async def test_the_guard_starts_anew_after_every_redraw(home: Home, between: str) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r")
        before = drawn_at(stage)
        await stage.press(*between.split())
        assert drawn_at(stage) > before
        stage.post("y", drawn_at(stage) + SOON)
        await stage.settle()
        assert decided(stage) == []
        assert stage.notice == "press y again"


async def test_a_resize_starts_the_guard_anew(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r")
        before = drawn_at(stage)
        await stage.pilot.resize_terminal(80, 24)
        await stage.settle()
        assert drawn_at(stage) > before


async def test_a_click_on_the_key_is_a_press_of_it(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r")
        row = stage.app.size.height - 1
        # The time of a click is real, and on a busy machine this test takes longer than the guard: it is drawn later.
        stage.screen.guard.drawn(drawn_at(stage) + 60)
        await stage.pilot.click(offset=(stage.rows[row].index("y allow"), row))
        await stage.settle()
        assert decided(stage) == []
        assert stage.notice == "press y again"
        stage.screen.guard.drawn(drawn_at(stage) - 61)
        stage.screen.guard.pressed("y", drawn_at(stage) - 1)
        await stage.pilot.click(offset=(stage.rows[row].index("n deny"), row))
        await stage.settle()
        assert stage.opens(DenyReason)


async def test_grants_are_guarded_too(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("r", "Y")
        stage.post("y", drawn_at(stage) + SOON)
        await stage.settle()
        assert decided(stage) == []
        await stage.press("y")
        assert decided(stage) == ["c1", "c2", "c3"]


async def test_another_key_for_allow_is_guarded_as_well(home: Home) -> None:
    (home.root / "workbench.toml").write_text('[keys]\nallow = "G"\n', encoding="utf-8")
    async with at_the_gate(home) as stage:
        await stage.press("r")
        assert stage.key_row.strip().startswith("G allow this one")
        await stage.press("y")
        assert decided(stage) == []
        stage.post("G", drawn_at(stage) + SOON)
        await stage.settle()
        assert stage.notice == "press G again"
        await stage.press("G")
        assert decided(stage) == ["c1"]
