from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static, TextArea

from tests.tui.places import DATA, ROOT, add_script, add_session, app_for, make_home, press, rows, seen, words
from tests.tui.settled import settled
from workbench.home import Home, trusted_folders
from workbench.opening import Opened
from workbench.sessions.journal import open_session
from workbench.tui.actions import bindings
from workbench.tui.app import QuitQuestion, WorkbenchApp
from workbench.tui.dialogs import Confirm, TooSmall
from workbench.tui.help import HelpScreen
from workbench.tui.home.screen import HomeScreen
from workbench.tui.situation import Situation


class StandIn(Screen[None]):
    """What the app needs of a Run screen, with nothing behind it."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen")

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        super().__init__()
        self.opened = opened
        self.going = play
        self.closed = 0

    def compose(self) -> ComposeResult:
        yield Static(f"run of {self.run_title}", markup=False)
        yield Input("a field")
        yield TextArea("an area")

    @property
    def run_title(self) -> str:
        return self.opened.run.header.title

    @property
    def situation(self) -> Situation:
        return Situation(screen="run", phase="running" if self.going else "paused")

    def interrupt(self) -> bool:
        was, self.going = self.going, False
        return was

    async def close_run(self) -> None:
        self.closed += 1
        self.opened.close()

    def on_unmount(self) -> None:
        self.opened.close()

    def action_back(self) -> None:
        self.app.opener.leave(self)  # type: ignore[attr-defined]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    stand_in = ModuleType("stand_in")
    stand_in.RunScreen = StandIn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "workbench.tui.run.screen", stand_in)
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    return make_home(tmp_path)


@asynccontextmanager
async def running(
    home: Home, file: str | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None]]]:
    """The app, at rest."""
    app = app_for(home, file)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield app, pilot


def run_of(app: WorkbenchApp) -> StandIn:
    assert isinstance(app.screen, StandIn)
    return app.screen


# ---------------------------------------------------------------- opening


async def test_a_scenario_and_a_session_open_at_once(home: Home) -> None:
    script, session = add_script(home, "cities", "Of cities"), add_session(home, "kept", title="Kept")
    for file, title in ((script, "Of cities"), (session, "Kept")):
        async with running(home, str(file)) as (app, pilot):
            run = run_of(app)
            assert run.run_title == title
            assert not run.going
            await press(pilot, "q")
            assert isinstance(app.screen, HomeScreen)
            assert run.closed == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("unknown-key.toml", "unknown-key.toml:1:"),
        ("journal-torn-tail.toml", ""),
        ("nothing-there.toml", "nothing-there.toml cannot be read: No such file or directory"),
    ],
)
async def test_a_file_that_cannot_be_opened_is_explained_on_home(
    home: Home, tmp_path: Path, name: str, said: str
) -> None:
    file = tmp_path / name
    if (DATA / "toml" / name).exists():
        file.write_bytes((DATA / "toml" / name).read_bytes())  # a torn session is mended where it lies
    async with running(home, str(file)) as (app, pilot):
        if said:
            assert isinstance(app.screen, HomeScreen)
            assert said in seen(pilot).replace("\n", "")
            assert "Traceback" not in seen(pilot)
            await press(pilot, "escape")
            assert said not in seen(pilot)
        assert app.failures == []


async def test_a_scenario_can_start_running(home: Home) -> None:
    add_script(home, "a")
    async with running(home) as (app, pilot):
        await press(pilot, "r")
        assert run_of(app).going


async def test_a_locked_session_is_offered_for_reading(home: Home) -> None:
    path = add_session(home, "kept")
    _, writer = open_session(path, durable=False)
    async with running(home, str(path)) as (app, pilot):
        assert isinstance(app.screen, Confirm)
        assert "Follow it, for reading only?" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(app.screen, HomeScreen)
        app.opener.session(path)
        await settled(pilot)
        await press(pilot, "y")
        assert run_of(app).opened.read_only
    writer.close()


async def test_a_real_folder_is_trusted_once_and_only_by_yes(home: Home, tmp_path: Path) -> None:
    path = add_script(home, "a")
    (tmp_path / "work").mkdir()
    path.write_text(f'{path.read_text()}\n[workspace]\nroot = "{tmp_path / "work"}"\n')
    async with running(home, str(path)) as (app, pilot):
        assert str(tmp_path / "work") in seen(pilot).replace("\n", "")
        await press(pilot, "n")
        assert isinstance(app.screen, HomeScreen)
        assert trusted_folders() == frozenset()
        app.opener.scenario(path)
        await settled(pilot)
        await press(pilot, "y")
        assert run_of(app).run_title == "Two cities"
        assert trusted_folders() == {tmp_path / "work"}


async def test_tools_of_a_folder_are_loaded_only_after_a_yes(tmp_path: Path, home: Home) -> None:
    home = make_home(tmp_path / "untrusted", tools_trusted=False)
    (home.root / "tools").mkdir()
    (home.root / "tools" / "mine.py").write_text(
        'from workbench.toolkit.api import tool\n\n\n@tool(risk="read", source="x")\n'
        'def mine(a: int) -> int:\n    """Gives it back."""\n    return a\n'
    )
    path = add_script(home, "a")
    path.write_text(path.read_text().replace("tags =", 'tools = ["mine"]\ntags ='))
    async with running(home, str(path)) as (app, pilot):
        assert "Load the tools in" in seen(pilot)
        await press(pilot, "n")
        assert 'no tool "mine"' in words(pilot)
        app.opener.scenario(path)
        await settled(pilot)
        await press(pilot, "y")
        assert set(run_of(app).opened.tools.tools) == {"mine"}


async def test_running_again_takes_the_place_of_the_run_before(home: Home) -> None:
    async with running(home, str(add_script(home, "a"))) as (app, pilot):
        before = run_of(app)
        app.opener.again(before.opened)
        await settled(pilot)
        assert run_of(app) is not before
        assert before.closed == 1
        assert len(app.screen_stack) == 2


async def test_two_quick_presses_open_one_run(home: Home) -> None:
    add_script(home, "a")
    async with running(home) as (app, pilot):
        await pilot.press("enter", "enter")
        await settled(pilot)
        assert len(app.screen_stack) == 2


async def test_an_example_runs_in_the_real_run_screen_and_is_listed_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    home = Home(root=tmp_path, found="--home", packaged=ROOT)
    async with running(home, str(ROOT / "scripts" / "two-cities.toml")) as (app, pilot):
        await settled(pilot, lambda: "Two cities" in rows(pilot)[0])
        await press(pilot, "space", "space", "q")
        assert isinstance(app.screen, HomeScreen)
        own = [item for item in app.screen.shelves.sessions.list.items if not item.example]
        assert [(item.title, item.outcome) for item in own] == [("Two cities", ("·", "not ended", "quiet"))]


# ---------------------------------------------------------------- ctrl+c


async def test_ctrl_c_copies_what_is_selected_in_a_field_and_clears_it(home: Home) -> None:
    async with running(home, str(add_script(home, "a"))) as (app, pilot):
        run = run_of(app)
        run.going = True
        for field, text in ((run.query_one(Input), "a field"), (run.query_one(TextArea), "an area")):
            field.focus()
            await settled(pilot)
            field.select_all()
            await press(pilot, "ctrl+c")
            assert app.clipboard == text
            assert field.selected_text == ""
            assert run.going


async def test_ctrl_c_copies_text_selected_on_the_screen(home: Home) -> None:
    async with running(home, str(add_script(home, "a"))) as (app, pilot):
        run = run_of(app)
        run.going = True
        run.text_select_all()
        await press(pilot, "ctrl+c")
        assert "run of Two cities" in app.clipboard
        assert not run.selections
        assert run.going


async def test_ctrl_c_stops_a_run_that_is_going_and_only_then_asks(home: Home) -> None:
    add_script(home, "a")
    async with running(home) as (app, pilot):
        await press(pilot, "r")
        run = run_of(app)
        focus = app.focused
        await press(pilot, "ctrl+c")
        assert not run.going
        assert app.screen is run
        await press(pilot, "ctrl+c")
        assert isinstance(app.screen, QuitQuestion)
        await press(pilot, "enter")
        assert app.screen is run
        assert app.focused is focus
        await press(pilot, "ctrl+c", "ctrl+c")
        assert run.closed == 1
        assert app.return_code == 0


async def test_text_without_unicode_can_be_copied(home: Home) -> None:
    async with running(home) as (app, _):
        app.copy_to_clipboard("a\ud800b")
        assert app.clipboard == "a?b"


# ---------------------------------------------------------------- quitting


async def test_ctrl_q_quits_at_once_when_nothing_is_going_and_closes_the_run(home: Home) -> None:
    async with running(home, str(add_script(home, "a"))) as (app, pilot):
        run = run_of(app)
        run.query_one(Input).focus()
        await pilot.press("ctrl+q")
        await settled(pilot, lambda: not app.is_running or app.return_code == 0)
        assert run.closed == 1


async def test_ctrl_q_asks_while_a_run_is_going(home: Home) -> None:
    add_script(home, "a", "Long one")
    async with running(home) as (app, pilot):
        await press(pilot, "r")
        run = run_of(app)
        await press(pilot, "ctrl+q")
        assert "Stop the run and quit?" in seen(pilot)
        assert "Long one" in seen(pilot)
        await press(pilot, "n")
        assert run.closed == 0
        await press(pilot, "ctrl+q", "y")
        assert run.closed == 1


async def test_q_on_home_quits(home: Home) -> None:
    async with running(home) as (app, pilot):
        await press(pilot, "q")
        assert app.return_code == 0


# ---------------------------------------------------------------- palette and help


async def test_the_palette_offers_the_actions_of_the_registry_and_does_them(home: Home) -> None:
    async with running(home) as (app, pilot):
        focus = app.focused
        for key in ("colon", "ctrl+p"):
            await press(pilot, key)
            await settled(pilot, lambda: "settings" in seen(pilot))
            assert "maximize" not in seen(pilot).lower()
            assert "screenshot" not in seen(pilot).lower()
            await press(pilot, "escape")
            assert app.focused is focus
        await press(pilot, "colon", *"settings")
        await settled(pilot, lambda: "Themes and settings." in seen(pilot))
        await press(pilot, "enter")
        await settled(pilot, lambda: type(app.screen).__name__ == "SettingsScreen")


async def test_the_palette_takes_markup_as_text(home: Home) -> None:
    async with running(home) as (app, pilot):
        await press(pilot, "colon", *["left_square_bracket", "slash", "b", "right_square_bracket"])
        assert app.failures == []
        await press(pilot, "escape")
        assert isinstance(app.screen, HomeScreen)


async def test_letters_type_in_fields_whatever_they_do_elsewhere(home: Home) -> None:
    async with running(home, str(add_script(home, "a"))) as (app, pilot):
        field = run_of(app).query_one(Input)
        field.value = ""
        field.focus()
        await press(pilot, "q", "question_mark", "colon", "y", "r", "space", "x")
        assert field.value == "q?:yr x"
        await press(pilot, "f1")
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "f1")
        assert app.focused is field


# ---------------------------------------------------------------- failures


async def test_an_exception_in_a_worker_is_said_and_the_app_lives(home: Home) -> None:
    async def fails() -> None:
        raise RuntimeError("[/b] went wrong")

    async with running(home, str(add_script(home, "a"))) as (app, pilot):
        run_of(app).run_worker(fails())
        with pytest.raises(Exception, match="went wrong"):
            await settled(pilot)
        await settled(pilot)
        assert [str(error) for error in app.failures] == ["[/b] went wrong"]
        await press(pilot, "q")
        assert "[/b] went wrong" in seen(pilot)


# ---------------------------------------------------------------- settings


async def test_settings_that_cannot_be_used_are_said_and_the_rest_is_used(home: Home) -> None:
    home.settings.write_text('theme = "inkk"\n\n[keys]\nopen_and_run = "g"\nopn = "y"\ninterrupt = "z"\n')
    add_script(home, "a")
    async with running(home, size=(400, 40)) as (app, pilot):
        text = words(pilot)
        assert app.theme == "ink"
        assert ":1: theme: there is no theme inkk; did you mean ink?" in text
        assert "keys.opn: there is no action of that name; did you mean open?" in text
        assert "keys.interrupt" in text
        assert "g open and run" in text
        await press(pilot, "g")
        assert run_of(app).going


async def test_every_theme_gives_every_role(home: Home) -> None:
    async with running(home) as (app, pilot):
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
            assert {"wb-quiet", "wb-rule", "wb-go", "wb-past"} <= set(app.get_css_variables())


# ---------------------------------------------------------------- size


async def test_below_the_smallest_size_one_sentence_stands_in_the_way_of_every_key(home: Home) -> None:
    add_script(home, "a")
    async with running(home, size=(30, 10)) as (app, pilot):
        assert words(pilot) == "30×10 is too small: the workbench needs 40×12."
        await press(pilot, "enter", "q", "question_mark", "r")
        assert isinstance(app.screen, TooSmall)
        await pilot.resize_terminal(40, 12)
        await settled(pilot)
        assert app.focused is app.screen.query_one("#scripts ItemList")
        await pilot.resize_terminal(39, 40)
        await settled(pilot)
        assert "39×40 is too small" in seen(pilot)
        await press(pilot, "ctrl+q")
        assert app.return_code == 0


# ---------------------------------------------------------------- start-up


def test_nothing_heavy_is_imported_before_the_first_frame() -> None:
    code = """
import sys
import workbench.tui.app
heavy = "pydantic tomli_w pygments httpx workbench.scenarios.loader workbench.sessions workbench.toolkit workbench.runner"
print([name for name in heavy.split() if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_the_app_offers_to_screens_is_what_they_ask_for(home: Home) -> None:
    from workbench.tui.screens import Shell

    offered: Any = app_for(home)
    assert isinstance(offered, Shell)
