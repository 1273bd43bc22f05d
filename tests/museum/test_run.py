"""A run of a wrong loop behaves like any run: stepped, stopped, asked about, saved, looked back at."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.museum.halls import (
    HOME,
    MUSEUM_SCRIPTS,
    detail,
    file_after,
    knob,
    observations,
    opened,
    played,
    shipped,
    transcript_text,
    written,
)
from workbench.clocks import VirtualClock
from workbench.core.events import (
    Decided,
    ModelFailed,
    ModelReply,
    StopRequested,
    ToolResult,
    ToolStarted,
)
from workbench.core.loop import AskModel, AskPerson, Finished, Record, RunTools
from workbench.core.ports import Model, OnSignal, Reply, Request
from workbench.core.state import fold
from workbench.core.statuses import Status
from workbench.museum.run import MuseumRun
from workbench.opening import Opened, reopen
from workbench.runner import CommandError, Run
from workbench.scenarios.errors import ScenarioError
from workbench.sessions.journal import read_session
from workbench.view import words
from workbench.view.desk import Desk

WRONG = [name for name in MUSEUM_SCRIPTS if not name.endswith("-fixed")]

REFUND = """
goal = "Refund 5 for A-1042."
tools = ["create_refund"]
loop = "v2"
[[model.reply]]
text = 'ACTION: create_refund {"order": "A-1042", "amount": 5}'
[[model.reply]]
text = "ANSWER: ${last}"
"""


def played_slowly(there: Opened) -> list[str]:
    """Play move by move; what the NEXT row said before each."""
    said = []

    async def step() -> None:
        while not isinstance(there.run.next, Finished):
            said.append(words.move_words(there.run.next, there.run.state))
            assert await there.run.step()

    asyncio.run(step())
    return said


# ---------------------------------------------------------------- stepping and looking


def test_each_move_is_named_before_it_is_made() -> None:
    there = opened(shipped("museum-some-calls-answered"))
    assert played_slowly(there) == [
        "give the goal to the model",
        "run stock_level",
        "ask the model, with all of the above",
    ]
    there.close()


@pytest.mark.parametrize("name", WRONG)
def test_stepping_and_playing_come_to_the_same_events(name: str) -> None:
    there = opened(shipped(name))
    played_slowly(there)
    there.close()
    assert there.run.events == played(shipped(name)).events


@pytest.mark.parametrize("name", WRONG)
def test_the_state_is_the_fold_of_the_events_at_every_point(name: str, tmp_path: Path) -> None:
    path = tmp_path / "session.toml"
    there = opened(shipped(name), save=path)
    asyncio.run(there.run.play())
    there.close()
    session = read_session(path)
    assert list(session.events) == there.run.events
    for n in range(len(session.events) + 1):
        assert fold(session.header, session.events[:n]).n == n
    state = fold(session.header, session.events)
    assert [message.text for message in state.messages] == [message.text for message in there.run.state.messages]
    assert (state.status, state.answer) == (there.run.state.status, there.run.state.answer)


@pytest.mark.parametrize("name", WRONG)
def test_looking_back_the_next_move_is_the_one_that_was_made(name: str) -> None:
    run = played(shipped(name))
    desk = Desk(run)
    for n in range(1, len(run.events)):
        desk.look_at(n)
        match run.events[n]:
            case ModelReply() | ModelFailed():
                assert isinstance(desk.move, AskModel)
            case ToolStarted() | ToolResult():
                assert isinstance(desk.move, RunTools)
            case event:
                assert desk.move == Record(event)
    desk.look_now()
    assert isinstance(desk.move, Finished)


def test_the_same_scenario_gives_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for path in paths:
        there = opened(shipped("museum-v1"), save=path)
        asyncio.run(there.run.play())
        there.close()
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert str(HOME.packaged) not in paths[0].read_text()


def test_a_crash_is_called_one() -> None:
    assert words.stop_title(played(shipped("museum-v1")).state) == "The loop crashed, no answer"
    assert words.stop_title(played(shipped("museum-no-cap", "loop=v1")).state).startswith("Stopped by the step cap")


# ---------------------------------------------------------------- stopping


SLOW = """
goal = "wait"
tools = ["add"]
loop = "v1"
[[model.reply]]
text = "ANSWER: late"
delay = 3600
"""


class Interrupting(VirtualClock):
    """A clock on which somebody stops the run as soon as it waits; the wait itself has no end."""

    run: Run | None = None

    async def sleep(self, seconds: float) -> None:
        assert self.run is not None
        self.run.stop()
        await asyncio.Event().wait()


async def test_a_stop_ends_the_request_and_the_loop() -> None:
    clock = Interrupting()
    there = opened(written(SLOW), clock=clock)
    run = clock.run = there.run
    await run.play()
    there.close()
    assert run.state.status is Status.CANCELLED
    assert isinstance(run.next, Finished)
    assert not any(isinstance(event, ModelReply) for event in run.events)


async def test_a_stop_between_two_calls_leaves_the_second_cancelled() -> None:
    there = opened(shipped("museum-arguments-sent-back"))
    run = there.run
    while not any(isinstance(event, ToolResult) for event in run.events):
        await run.advance()
    run.stop()
    await run.play()
    there.close()
    assert [event.outcome for event in run.events if isinstance(event, ToolResult)] == ["ran", "cancelled"]
    assert run.state.status is Status.CANCELLED


async def test_a_stop_before_the_first_move_is_a_stop() -> None:
    there = opened(shipped("museum-v1"))
    there.run.stop()
    await there.run.play()
    there.close()
    assert [type(event) for event in there.run.events][:1] == [StopRequested]
    assert there.run.state.status is Status.CANCELLED


def test_the_end_of_the_script_is_no_failure_that_a_loop_could_catch() -> None:
    run = played(shipped("museum-retry-the-run", "model.reply[1].fail=auth", "model.reply[1].repeat=1"))
    assert run.state.status is Status.MODEL_REJECTED
    run = played(shipped("script-runs-out", "loop=retry-the-run"))
    assert (run.state.status, knob(run)) == (Status.SCRIPT_EXHAUSTED, "")


# ---------------------------------------------------------------- the gate


def test_the_gate_stands_before_the_tools_of_a_wrong_loop() -> None:
    run = played(written(REFUND), person=False)
    assert run.status is Status.AWAITING_APPROVAL
    assert isinstance(run.next, AskPerson)
    assert run.state.tool_calls == 0


def test_a_person_who_allows_lets_it_run_and_one_who_denies_does_not() -> None:
    allowed = written(f'{REFUND}[[person]]\non = "approval"\ndo = "allow"\n')
    assert played(allowed).state.answer == "Refunded 5.00 for order A-1042."
    denied = written(f'{REFUND}[[person]]\non = "approval"\ndo = "deny"\ntext = "not due"\n')
    run = played(denied)
    assert run.state.tool_calls == 0
    assert run.state.answer == "ToolError: Denied: not due"
    assert file_after(denied, "refunds.toml") is None


def test_arguments_that_a_person_edits_are_the_ones_that_run() -> None:
    edited = written(
        f'{REFUND}[[person]]\non = "approval"\ndo = "edit"\narguments = {{ order = "A-1042", amount = 1 }}\n'
    )
    assert "Refunded 1.00" in (played(edited).state.answer or "")


def test_a_person_can_answer_for_the_tool() -> None:
    answered = written(f'{REFUND}[[person]]\non = "approval"\ndo = "answer"\ntext = "done by hand"\n')
    run = played(answered)
    assert (run.state.answer, run.state.tool_calls) == ("done by hand", 0)


def test_a_rule_that_denies_holds_for_a_wrong_loop() -> None:
    run = played(written(f'{REFUND}[[approval.rule]]\ntool = "create_refund"\ndecide = "deny"\n'))
    assert any(isinstance(event, Decided) and event.by == "rule" for event in run.events)
    assert run.state.tool_calls == 0


# ---------------------------------------------------------------- commands


def test_what_such_a_loop_cannot_do_is_said_in_a_sentence() -> None:
    run = played(shipped("no-termination", "loop=v1"))
    with pytest.raises(CommandError, match="v1 reads its cap once, at the start"):
        run.change({"limits.steps": 9})
    with pytest.raises(CommandError, match="v1 knows no hold"):
        run.change({"hold": True})
    with pytest.raises(CommandError, match="v1 has returned and cannot go on: run it again"):
        run.go_on()
    with pytest.raises(CommandError, match="v1 takes one task"):
        run.message("and now?")
    run.change({"title": "the first try"})
    assert run.state.title == "the first try"


def test_nobody_there_to_be_the_model_is_a_wait() -> None:
    run = played(written('goal = "be the model"\nloop = "v3"\n[model]\nuse = "human"\n'), person=False)
    assert run.status is Status.AWAITING_PERSON


def test_the_model_gets_what_the_loop_sends_and_not_what_the_run_has_recorded() -> None:
    class Overheard:
        name = "overheard"

        def __init__(self, model: Model) -> None:
            self.model = model
            self.messages: list[list[tuple[str, str]]] = []

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            self.messages.append([(message.role, message.text) for message in request.messages])
            return await self.model.reply(request, on_signal)

    def heard(name: str) -> list[list[tuple[str, str]]]:
        there = opened(shipped(name))
        there.run.model = model = Overheard(there.run.model)
        asyncio.run(there.run.play())
        there.close()
        return model.messages

    result = (
        '{"type": "result", "tool": "stock_level", "content": "{\\"warehouse\\": \\"north\\", \\"blue_mugs\\": 140}"}'
    )
    question = "Which warehouse has more blue mugs?"
    assert heard("museum-find-the-bugs-forgets")[:2] == [[("user", question)], [("user", f"{question}\n{result}")]]
    # The wire refuses the second request, so the model never sees it.
    assert heard("museum-dropped-message") == [[("user", question)]]
    task = "QUESTION: Refund the damaged mug of order A-1042: 6.25."
    assert [texts[0][1].count("QUESTION") for texts in heard("museum-retry-the-run")] == [1, 1, 1, 1]
    assert heard("museum-retry-the-run")[2] == [("user", task)]


# ---------------------------------------------------------------- saved runs


def _saved(tmp_path: Path, moves: int | None) -> Path:
    path = tmp_path / "session.toml"
    there = opened(shipped("museum-some-calls-answered"), save=path)

    async def go() -> None:
        for _ in range(moves if moves is not None else 99):
            await there.run.advance()

    asyncio.run(go())
    there.close()
    return path


def test_a_saved_run_can_be_walked_through(tmp_path: Path) -> None:
    there = reopen(_saved(tmp_path, None), HOME)
    assert isinstance(there.run, MuseumRun)
    desk = Desk(there.run)
    desk.look_at(2)
    assert isinstance(desk.move, RunTools)
    desk.look_now()
    assert desk.stand == "stopped"
    assert detail(there.run).splitlines()[-1].endswith("did not have response messages: c2")
    there.close()


async def test_a_run_that_was_left_in_the_middle_does_not_go_on(tmp_path: Path) -> None:
    path = await asyncio.to_thread(_saved, tmp_path, 3)
    there = reopen(path, HOME)
    before = list(there.run.events)
    with pytest.raises(CommandError, match="some-calls-answered cannot go on from the middle of its loop"):
        await there.run.play()
    assert there.run.events == before
    assert Desk(there.run).tail() is None
    there.close()


# ---------------------------------------------------------------- choosing a loop


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('goal = "x"\nloop = "engin"\n', 'test.toml:2: loop: there is no loop "engin"; did you mean "engine"?'),
        (
            'goal = "x"\n\nloop = "dropped-mesage"\nprotocol = "native"\n',
            'test.toml:3: loop: there is no loop "dropped-mesage"; did you mean "dropped-message"?',
        ),
        (
            'goal = "x"\nprotocol = "json"\nloop = "v1"\n',
            'test.toml:3: loop: "v1" reads no other protocol than "text"; write protocol = "text"',
        ),
        (
            'goal = "x"\nloop = "no-cap"\n[model]\nuse = "openai"\n',
            (
                'test.toml:4: model.use: "no-cap" keeps no cap that can be relied on, '
                'so it takes "scripted", "simulated" or "human"'
            ),
        ),
        (
            'goal = "x"\nloop = "v1"\n[goal_check]\nanswer_matches = "x"\n',
            'test.toml:3: goal_check: loop = "v1" knows nothing of it',
        ),
    ],
)
def test_a_loop_that_cannot_be_is_refused_at_its_line(text: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        written(text)
    assert str(caught.value) == sentence


def test_faults_strike_a_wrong_loop_as_they_strike_any() -> None:
    fault = '[[fault]]\non = "result"\ndo = "replace"\ntext = "1"\n'
    scenario = written(
        'goal = "Population of Lima?"\ntools = ["lookup_population"]\nloop = "v1"\n'
        '[[model.reply]]\ntext = \'ACTION: lookup_population {"city": "Lima"}\'\n'
        f'[[model.reply]]\ntext = "ANSWER: ${{last}}"\n{fault}'
    )
    run = played(scenario)
    assert run.state.answer == "1"
    result = next(event for event in run.events if isinstance(event, ToolResult))
    assert result.original == "9700000"
    assert observations(run) == ["OBSERVATION: 1"]
    assert transcript_text(run).endswith("ANSWER: 1")
