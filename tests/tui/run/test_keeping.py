from __future__ import annotations

from textual.widgets import Static

from tests.tui.run.models import Paced
from tests.tui.run.stage import at_home, opened_scenario, opened_session, staged
from workbench.core.events import ModelReply, UserMessage
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.sessions.journal import read_session
from workbench.tui.app import QuitQuestion
from workbench.tui.home.screen import HomeScreen
from workbench.tui.run.screen import RunScreen

FOLLOW_UP = "follow-up"

# ---------------------------------------------------------------- going on


async def test_m_sends_a_message_after_an_answer_and_the_run_goes_on(home: Home) -> None:
    async with staged(opened_scenario(home, FOLLOW_UP), home) as stage:
        await stage.press("r")
        answers = stage.kinds.count("model_reply")
        assert stage.run.status is Status.ANSWERED
        await stage.press("m", "enter")
        assert stage.notice == "the message is empty"
        await stage.type("And [b]Lima[/b]?")
        await stage.press("enter")
        said = [event.text for event in stage.run.events if isinstance(event, UserMessage)]
        assert said[-1] == "And [b]Lima[/b]?"
        assert stage.kinds.count("model_reply") > answers
        assert stage.sees("And [b]Lima[/b]?")
        assert stage.focus_is(stage.transcript)


async def test_a_message_of_several_lines_can_be_pasted_and_ctrl_s_sends_it(home: Home) -> None:
    async with staged(opened_scenario(home, FOLLOW_UP), home) as stage:
        await stage.press("r", "m")
        stage.screen.bar.area.insert("one\ntwo")
        await stage.press("ctrl+s")
        assert [event.text for event in stage.run.events if isinstance(event, UserMessage)][-1] == "one\ntwo"


async def test_a_message_cannot_be_sent_while_a_call_is_open(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press("r", "m")
        assert stage.notice == "a message can be sent when the run is paused or has ended"


async def test_s_names_the_session_in_its_file(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("space", "s")
        assert stage.field.value == "Two cities"
        stage.field.value = ""
        await stage.type("Paris [b]and\\")
        await stage.press("enter")
        assert stage.notice == "named Paris [b]and\\"
        assert stage.rows[0].startswith(" Paris [b]and\\")
        path = stage.screen.opened.session_path
        assert path is not None
        stage.screen.opened.close()
        reopened = opened_session(home, path)
        assert reopened.run.state.title == "Paris [b]and\\"
        reopened.close()


async def test_an_unchanged_or_empty_name_records_nothing(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        before = stage.kinds
        await stage.press("s", "enter", "s")
        stage.field.value = "  "
        await stage.press("enter")
        assert stage.kinds == before


async def test_shift_r_runs_again_from_the_start_in_a_new_session(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("r")
        first = stage.screen
        await stage.press("R")
        await stage.settle(lambda: stage.screen is not first and stage.run.state.started)
        assert stage.kinds == ["user_message"]
        assert stage.run.header.id != first.run_.header.id
        assert len([screen for screen in stage.app.screen_stack if isinstance(screen, RunScreen)]) == 1
        await stage.press("space")
        assert "model_reply" in stage.kinds
        assert len(list(home.sessions.glob("*.toml"))) == 2
        await stage.press("q")


# ---------------------------------------------------------------- leaving


async def test_q_stops_a_request_in_order_and_goes_home(home: Home) -> None:
    opened = opened_scenario(home, "two-cities")
    model = opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("space")
        model.go()
        await stage.settle()
        await stage.press("space")
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        path = stage.screen.opened.session_path
        assert path is not None
        stage.post("q", stage.now + 3)
        await stage.reach(lambda: isinstance(stage.app.screen, HomeScreen))
        kinds = [event.kind for event in read_session(path).events]
        assert kinds[-2:] == ["stop_requested", "stopped"]


async def test_ctrl_q_asks_while_the_run_goes_and_a_yes_stops_it_in_order(home: Home) -> None:
    opened = opened_scenario(home, "refund")
    opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        await stage.send("ctrl+q")
        await stage.reach(lambda: isinstance(stage.app.screen, QuitQuestion))
        stage.post("n", stage.now + 3)
        await stage.reach(lambda: stage.app.screen is stage.screen)
        assert stage.run.in_flight is not None
        screen = stage.screen
        stage.post("ctrl+q", stage.now + 6)
        await stage.reach(lambda: isinstance(stage.app.screen, QuitQuestion))
        stage.post("y", stage.now + 9)
        await stage.reach(lambda: not stage.app.is_running)
        assert [event.kind for event in screen.run_.events][-1] == "stopped"


async def test_ctrl_c_copies_else_stops_else_asks(home: Home) -> None:
    opened = opened_scenario(home, "send-email-denied")
    model = opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.press("s")
        stage.field.select_all()
        await stage.press("ctrl+c")
        assert stage.app.clipboard == stage.screen.run_title
        assert stage.app.screen is stage.screen
        await stage.press("escape")
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        await stage.press("ctrl+c")
        assert stage.run.status is Status.CANCELLED
        assert stage.app.screen is stage.screen
        await stage.press("ctrl+c")
        assert isinstance(stage.app.screen, QuitQuestion)
        await stage.press("escape")
        assert stage.focus_is(stage.transcript)
        model.go()


async def test_ctrl_c_at_a_question_asks_and_leaves_it_waiting(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press("r", "ctrl+c")
        assert isinstance(stage.app.screen, QuitQuestion)
        before = stage.kinds
        await stage.press("n")
        assert stage.bar_title.startswith("▲ The model wants to run")
        assert stage.kinds == before


async def test_ctrl_c_works_in_a_viewer_too(home: Home) -> None:
    opened = opened_scenario(home, "two-cities")
    opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        await stage.send("w")
        await stage.press("ctrl+c")
        assert stage.run.status is Status.CANCELLED


# ---------------------------------------------------------------- dialogs give the focus back


async def test_focus_returns_after_every_dialog(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("space", "space")
        for opening in ("question_mark", "f1", "colon", "ctrl+p", "w", "v", "t", "l", "g", "slash", "s", "ctrl+c"):
            await stage.press(opening, "escape")
            assert stage.app.screen is stage.screen, opening
            assert stage.focus_is(stage.transcript), opening
            await stage.press("up", "down")
            assert stage.transcript.cursor == 2, opening
        await stage.press("w", "question_mark", "escape", "escape")
        assert stage.focus_is(stage.transcript)


async def test_a_run_opens_from_home_and_q_goes_back(home_with_examples: Home) -> None:
    home = home_with_examples
    async with at_home(home) as stage:
        await stage.press("slash")
        await stage.type("refund for a broken")
        await stage.press("enter", "enter")
        await stage.settle(lambda: isinstance(stage.app.screen, RunScreen) and stage.run.state.started)
        assert "Refund for a broken mug" in str(stage.screen.query_one("#top", Static).visual)
        await stage.press("r")
        assert any(isinstance(event, ModelReply) for event in stage.run.events)
        await stage.press("q")
        await stage.settle(lambda: isinstance(stage.app.screen, HomeScreen))
        assert len(list(home.sessions.glob("*.toml"))) == 1
