"""Every key of the key line, in every phase, does what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tui.run.stage import Stage, opened_scenario, staged
from workbench.home import Home
from workbench.tui.actions import BY_NAME, KEY_LINES, key_words, keys_of
from workbench.tui.help import HelpScreen
from workbench.tui.run.breaker import Breaker
from workbench.tui.run.fields.calls import AllowMore, AnswerFor, DenyReason, EditArguments, EditResult
from workbench.tui.run.fields.field import Field
from workbench.tui.run.fields.replies import ForkText
from workbench.tui.run.fields.sessions import Message, Naming
from workbench.tui.run.fork import ForkQuestion
from workbench.tui.run.loop_view import LoopView
from workbench.tui.run.whole import WholeCall
from workbench.tui.viewer import RequestViewer

Done = Callable[[Stage], bool]

ELSEWHERE = {"rewrite", "make_scenario", "again", "back", "insert", "next_lesson"}
"""Actions that lead away from the run, or write scripts; they have tests of their own."""
TO = {
    "paused": ("two-cities", "space"),
    "approval": ("refund", "r"),
    "batch": ("batch-three-decisions", "r"),
    "edit": ("refund", "r e"),
    "hold": ("two-cities", "h r"),
    "stopped": ("limit-steps", "r"),
    "answered": ("two-cities", "r"),
    "past": ("two-cities", "r left left left"),
    "typing": ("follow-up", "r m h i"),
    "field": ("two-cities", "slash"),
    "limits": ("refund", "l"),
    "scopes": ("refund", "r Y"),
    "list": ("refund", "g"),
}
"""How to get into a phase: a scenario, and keys."""


def last(*kinds: str) -> Done:
    return lambda stage: tuple(stage.kinds[-len(kinds) :]) == kinds


def opens(kind: type[Field]) -> Done:
    return lambda stage: stage.opens(kind)


def asks(stage: Stage) -> bool:
    return stage.screen.bar.question is not None


def shut(stage: Stage) -> bool:
    return stage.is_shut


def screen(kind: type[object]) -> Done:
    return lambda stage: isinstance(stage.app.screen, kind)


def at(back: int) -> Done:
    return lambda stage: stage.screen.desk.state.n == len(stage.run.events) - back


def grants(count: int) -> Done:
    return lambda stage: len(stage.run.state.grants) == count


def steps(cap: int | None) -> Done:
    return lambda stage: stage.run.state.limits.steps == cap


def decided(decision: str) -> Done:
    return lambda stage: any(getattr(event, "decision", "") == decision for event in stage.run.events)


CASES: dict[tuple[str, str], Done] = {
    ("paused", "move"): last("tool_started", "tool_result"),
    ("paused", "run"): last("stopped"),
    ("paused", "event_back"): at(1),
    ("paused", "sees"): screen(RequestViewer),
    ("paused", "loop"): screen(LoopView),
    ("paused", "hold"): lambda stage: stage.run.state.hold is not None,
    ("paused", "cap"): steps(None),
    ("paused", "break_it"): screen(Breaker),
    ("approval", "allow"): decided("allow"),
    ("approval", "deny"): opens(DenyReason),
    ("approval", "edit"): opens(EditArguments),
    ("approval", "answer_for"): opens(AnswerFor),
    ("approval", "allow_more"): opens(AllowMore),
    ("approval", "view"): screen(WholeCall),
    ("batch", "next_pane"): lambda stage: stage.focus_is(stage.screen.bar.scroll),
    ("edit", "submit"): decided("edit"),
    ("edit", "close"): asks,
    ("edit", "reset"): lambda stage: stage.notice == "it is as it was",
    ("hold", "move"): last("held", "tool_result"),
    ("hold", "run"): lambda stage: stage.kinds.count("held") == 2,
    ("hold", "edit"): opens(EditResult),
    ("hold", "hold"): lambda stage: stage.run.state.hold is None,
    ("hold", "break_it"): screen(Breaker),
    ("hold", "sees"): screen(RequestViewer),
    ("stopped", "raise_cap"): steps(4),
    ("approval", "close"): lambda stage: stage.kinds.count("decided") == 1,
    ("stopped", "message"): opens(Message),
    ("stopped", "event_back"): at(1),
    ("stopped", "fork"): screen(ForkQuestion),
    ("answered", "fork"): screen(ForkQuestion),
    ("stopped", "name"): opens(Naming),
    ("answered", "message"): opens(Message),
    ("answered", "event_back"): at(1),
    ("answered", "name"): opens(Naming),
    ("past", "event_back"): at(4),
    ("past", "step_back"): lambda stage: stage.kinds[stage.screen.desk.state.n - 1] == "model_reply",
    ("past", "latest"): at(0),
    ("past", "fork"): screen(ForkQuestion),
    ("past", "edit"): opens(ForkText),
    ("past", "sees"): screen(RequestViewer),
    ("past", "loop"): screen(LoopView),
    ("past", "run"): at(0),
    ("typing", "submit"): lambda stage: stage.kinds.count("user_message") == 2,
    ("typing", "close"): asks,
    ("field", "close"): shut,
    ("limits", "toggle_limit"): steps(None),
    ("limits", "raise_limit"): steps(10),
    ("limits", "close"): shut,
    ("scopes", "allow"): grants(1),
    ("scopes", "close"): asks,
    ("list", "close"): shut,
}


@pytest.mark.parametrize(("phase", "name"), list(CASES))
async def test_the_key_does_what_it_says(home: Home, phase: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.run.looking_back.PLAY_EVERY", 0.001)
    scenario, keys = TO[phase]
    async with staged(opened_scenario(home, scenario), home, size=(159, 40)) as stage:
        await stage.press(*keys.split())
        key = keys_of(BY_NAME[name])[0]
        assert f"{key_words(key)} " in stage.key_row
        assert not CASES[phase, name](stage)
        await stage.press(key)
        await stage.settle(lambda: CASES[phase, name](stage))
        assert stage.notice == "" or phase in ("hold", "paused", "scopes", "past", "edit"), stage.notice


VERDICTS = (("stopped", "verdict"), ("answered", "verdict"))


def test_no_key_line_is_left_out() -> None:
    phases = {phase: "approval" if phase == "batch" else phase for phase in TO}
    tried = {(phases[phase], name) for phase, name in CASES}
    shown = {
        (phase, name)
        for (on, phase), names in KEY_LINES.items()
        for name in names
        if on == "run" and phase in phases.values() and name not in ELSEWHERE
    }
    # These are shown only where they apply, which other tests bring about.
    elsewhere = {("paused", "original"), ("hold", "undo_change"), ("stopped", "run"), ("stopped", "ping"), *VERDICTS}
    elsewhere |= {(phase, name) for phase in ("answered", "stopped") for name in ("next_lesson", "compare_parent")}
    elsewhere |= {(phase, "as_scripted") for phase in phases.values()} | {("answered", "run")}
    assert shown - tried <= elsewhere


@pytest.mark.parametrize("phase", ["paused", "approval", "hold", "answered", "past", "edit", "field"])
async def test_help_is_always_there_and_its_key_works(home: Home, phase: str) -> None:
    scenario, keys = TO[phase]
    async with staged(opened_scenario(home, scenario), home) as stage:
        await stage.press(*keys.split())
        key = stage.key_row.split()[-2]
        assert stage.key_row.split()[-1] == "help"
        assert key == ("f1" if phase in ("edit", "field") else "?")
        await stage.press("f1" if key == "f1" else "question_mark")
        assert isinstance(stage.app.screen, HelpScreen)


@pytest.mark.parametrize("phase", ["paused", "approval", "hold", "stopped", "past", "limits", "scopes"])
async def test_every_key_of_the_line_can_be_clicked(home: Home, phase: str) -> None:
    scenario, keys = TO[phase]
    async with staged(opened_scenario(home, scenario), home, size=(80, 24)) as stage:
        await stage.press(*keys.split())
        row = stage.app.size.height - 1
        first = len(stage.key_row) - len(stage.key_row.lstrip())
        before = (stage.kinds, stage.screen.bar.opened, stage.screen.desk.state.n, stage.notice)
        await stage.pilot.click(offset=(first, row))
        await stage.settle()
        after = (stage.kinds, stage.screen.bar.opened, stage.screen.desk.state.n, stage.notice)
        assert after != before
