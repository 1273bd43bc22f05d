"""The parts of the Run screen, each by itself: a run, a desk and hands that keep what was done with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from textual.events import Key

from tests.tui.run.stage import opened_scenario
from workbench.home import Home
from workbench.opening import Opened
from workbench.tui.action import Action
from workbench.tui.actions import ACTIONS
from workbench.tui.run.deciding import Deciding
from workbench.tui.run.fields.calls import AllowMore, AnswerFor, EditArguments
from workbench.tui.run.fields.field import Field
from workbench.tui.run.fields.limits import Limits
from workbench.tui.run.judging import Judging
from workbench.tui.run.looking_back import LookingBack
from workbench.tui.run.moving import Moving
from workbench.tui.run.parts import Part
from workbench.tui.run.screen import RunScreen, methods
from workbench.tui.run.stand_in import StandIn
from workbench.tui.run.standing import situation_of
from workbench.tui.run.waiting import Waiting
from workbench.view.bars import bar_for
from workbench.view.desk import Desk


@dataclass
class Hands:
    """All hands in one: it drives at nobody's pace, says nothing to anybody and has no bar to draw."""

    waiting: Waiting
    opened: Field | None = None
    has_keys: bool = True
    keep_going: bool = False
    picked: int = 0
    width: int = 95
    said: list[str] = field(default_factory=list)
    did: list[str] = field(default_factory=list)

    def can(self, action: str) -> bool:
        self.did.append(f"can {action}")
        return True

    def say(self, text: str) -> None:
        self.said.append(text)

    def worded(self, words: str, *, typing: bool = False) -> str:
        del typing
        return words

    def command(self, act: Any) -> bool:
        act()
        return True

    def drive(self, *, play: bool) -> None:
        self.did.append("play" if play else "step")

    def go_on(self, *, move: bool) -> None:
        self.did.append("go on with the move" if move else "go on")

    def guarded(self, action: str) -> bool:
        self.did.append(f"guard {action}")
        return True

    def open(self, field: Field) -> None:
        self.opened = field

    def close(self) -> None:
        self.opened = None

    reopen = reset = redraw = close


Given = tuple[Any, Any, Any, Any, Any, Any, Any]


def hands_for(opened: Opened) -> tuple[Given, Hands]:
    """What a part is given, and where it can be seen what it did."""
    desk = Desk(opened.run)
    kept = Hands(Waiting(desk))
    return (opened, desk, kept, kept, kept, kept, None), kept


@pytest.fixture
def opens(home: Home) -> Iterator[Callable[[str], Opened]]:
    """Opens a shipped scenario, before its first move."""
    made: list[Opened] = []

    def opened(scenario: str) -> Opened:
        made.append(opened_scenario(home, scenario, keep=False))
        return made[-1]

    yield opened
    for each in made:
        each.close()


Opens = Callable[[str], Opened]


async def at_its_question(opens: Opens, scenario: str) -> Opened:
    opened = opens(scenario)
    await opened.run.play()
    return opened


# ---------------------------------------------------------------- who does what


class Answers(Part):
    def action_again(self) -> None: ...


def own_actions() -> list[Action]:
    return [action for action in ACTIONS if action.where in ("screen", "run")]


def test_each_action_is_one_parts(opens: Opens) -> None:
    given, _ = hands_for(opens("two-cities"))
    everything = type("Everything", (), {f"action_{action.name}": print for action in own_actions()})()
    assert set(methods([everything])) == {f"action_{action.name}" for action in own_actions()}
    with pytest.raises(ValueError, match="action_again"):
        methods([everything, Answers(*given)])
    with pytest.raises(ValueError, match="action_allow"):
        methods([Answers(*given)])


def test_the_screen_has_the_method_of_each_action_where_textual_looks(opens: Opens) -> None:
    screen = RunScreen(opens("two-cities"))
    for action in own_actions():
        assert callable(getattr(screen, f"action_{action.name}")), action.name


# ---------------------------------------------------------------- what waits, and what is written about it


async def test_another_call_of_a_batch_comes_in_front_and_the_order_goes_round(opens: Opens) -> None:
    waiting = Waiting(Desk((await at_its_question(opens, "batch-three-decisions")).run))
    ids = [record.call.id for record in waiting.calls()]
    assert len(ids) == 3
    assert waiting.turn(-1)
    assert [record.call.id for record in waiting.calls()] == [ids[2], ids[0], ids[1]]
    assert waiting.turn(1)
    assert [record.call.id for record in waiting.calls()] == ids


async def test_one_call_alone_has_no_other_and_before_the_question_nothing_waits(opens: Opens) -> None:
    assert not Waiting(Desk(opens("refund").run)).calls()
    waiting = Waiting(Desk((await at_its_question(opens, "refund")).run))
    assert not waiting.turn(1)
    assert waiting.door == ""
    assert "".join(span.text for span in waiting.about("▲ Deny", "", "hint")) == "▲ Deny create_refund   hint"


async def test_what_was_typed_about_a_call_stands_in_the_question_until_it_is_as_it_was(opens: Opens) -> None:
    given, _ = hands_for(opened := await at_its_question(opens, "refund"))
    deciding = Deciding(*given)
    state, tools = opened.run.state, opened.run.tools
    asked = bar_for(state, opened.run.next, width=95, rows=9, preview=tools.preview, check=tools.check)
    assert asked is not None
    answer = next(part for part in deciding.fields if isinstance(part, AnswerFor))
    answer.changed("done")
    beside = deciding.unsent.beside(asked)
    assert beside is not None
    assert ["".join(span.text for span in line) for line in beside.body[-2:]] == [
        "≠ your answer, not sent: done",
        "{answer_for} goes on with it; {allow} runs what the model wrote",
    ]
    assert answer.draft() == "done"
    answer.changed("")
    assert deciding.unsent.beside(asked) is asked


async def test_what_can_be_edited_first_is(opens: Opens) -> None:
    given, kept = hands_for(await at_its_question(opens, "refund"))
    deciding = Deciding(*given)
    deciding.edits = (lambda: None, deciding.arguments)
    deciding.action_edit()
    typed = kept.opened
    assert isinstance(typed, EditArguments)
    assert situation_of(given[1], typed, 0).phase == "edit"
    typed.sent(typed.text().replace("62.5", "6.25"))
    assert kept.opened is not typed
    assert kept.did[-1] == "go on with the move"
    assert given[0].run.events[-1].decision == "edit"


async def test_a_number_marks_a_scope_and_the_key_that_allows_grants_it(opens: Opens) -> None:
    given, kept = hands_for(await at_its_question(opens, "refund"))
    deciding = Deciding(*given)
    more = next(part for part in deciding.fields if isinstance(part, AllowMore))
    more.action_allow_more()
    assert kept.opened is more
    assert more.key(Key("9", "9")), "a digit is nobody else's, also one that no choice has"
    assert more.at == 0
    assert not more.key(Key("a", "a"))
    assert more.key(Key("2", "2"))
    deciding.action_allow()
    assert "guard allow" in kept.did
    assert kept.said == [f"allowed in this run: {more.choices[1].words}"]


# ---------------------------------------------------------------- limits


def test_a_limit_is_raised_halved_typed_and_switched_off(opens: Opens) -> None:
    given, kept = hands_for(opened := opens("two-cities"))
    limits = Limits(*given)

    def cap() -> float | None:
        return opened.run.state.limits.steps

    before = cap() or 0
    limits.does("more")
    assert (cap() or 0) > before > 0
    for key in "70":
        assert limits.key(Key(key, key))
    assert limits.key(Key("backspace", "\b"))
    assert not limits.key(Key("x", "x"))
    limits.does("toggle")
    assert cap() == 7
    limits.does("toggle")
    assert cap() is None
    limits.key(Key("0", "0"))
    limits.does("toggle")
    assert kept.said == ["a cap of 0 would allow nothing: {toggle_limit} switches it off"]
    kept.has_keys = False
    assert not limits.key(Key("1", "1")), "a number is for the list only where the list has the keys"


# ---------------------------------------------------------------- moves, and how it ended


def test_the_first_who_has_the_move_made_keeps_it_from_the_others(opens: Opens) -> None:
    given, kept = hands_for(opens("two-cities"))
    moving = Moving(*given, LookingBack(*given))
    asked: list[str] = []

    def asks(who: str, *, makes: bool) -> Callable[[], bool]:
        def make() -> bool:
            asked.append(who)
            return makes

        return make

    moving.makers = (asks("first", makes=False), asks("second", makes=True), asks("third", makes=True))
    moving.action_run()
    assert asked == ["first", "second"]
    assert kept.keep_going
    assert "play" not in kept.did
    moving.makers = ()
    moving.action_move()
    assert kept.did[-1] == "step"
    assert not kept.keep_going


async def test_nothing_is_judged_before_the_end_and_the_persons_word_is_said_by_the_stand_in(opens: Opens) -> None:
    given, kept = hands_for(opened := opens("batch-three-decisions"))
    judging = Judging(*given)
    assert judging.verdict.differs is None
    stand_in = StandIn(*given, judging.verdict)
    await opened.run.play()
    assert stand_in.known(situation_of(given[1], None, 0)).stand_in == "ready"
    assert not stand_in.make(), "whoever is there decides until they let the script's person act"
    stand_in.action_as_scripted()
    assert "guard as_scripted" in kept.did
    assert stand_in.acting
    await opened.run.play()
    assert judging.verdict.differs == ()
