"""The app: themes, keys, what is on top of what, quitting. Nothing but Textual is imported before its first frame."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen
from textual.worker import WorkerFailed

from workbench.home import Home
from workbench.settings import Settings, read_settings
from workbench.tui.actions import Keymap, bindings
from workbench.tui.copying import copied_words, take_selected
from workbench.tui.dialogs import Confirm, TooSmall, fits
from workbench.tui.editor.opener import EditorOpener
from workbench.tui.home.screen import HomeScreen
from workbench.tui.keymap import read_keymap
from workbench.tui.opener import Opener
from workbench.tui.palette import ActionProvider
from workbench.tui.screens import RunView, SessionView, Situated, Writing
from workbench.tui.situation import Situation
from workbench.tui.themes import load_themes, role_defaults
from workbench.tui.turnstile import CameThrough, Turnstile
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.view.shelf import Item

DARK, LIGHT = "ink", "paper"
"""The themes whose roles a theme of Textual is given; the dark one is also what a first start shows."""
NOT_OFFERED = ("ansi-dark", "ansi-light")
"""Textual's themes in the terminal's own colours: nobody can say what can be read in them."""


class QuitQuestion(Confirm):
    """Whether to quit. The key that asked, pressed again, is a yes."""


class WorkbenchApp(App[None]):
    """Home is at the bottom of the stack; runs and dialogs stand above it."""

    TITLE = "Agent workbench"
    COMMANDS = {ActionProvider}
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")
    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-normal"), (160, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-tall")]
    CSS = """
    ToastRack { dock: top; align: right top; margin-top: 1; }
    TextArea .text-area--gutter { color: $wb-quiet; }
    CommandPalette > Vertical { margin-top: 1; background: $surface; }
    CommandPalette #--input { border: none; border-bottom: solid $wb-rule; background: $surface; padding: 0 1; }
    CommandPalette #--input.--list-visible { border-bottom: solid $wb-rule; }
    CommandPalette SearchIcon { display: none; }
    CommandPalette CommandInput { background: $surface; }
    CommandPalette CommandList { border: none; background: $surface; max-height: 80vh; }
    CommandPalette CommandList > .option-list--option { text-style: none; }
    CommandPalette CommandList > .option-list--option-highlighted { background: $panel; color: $foreground; }
    """

    def __init__(self, home: Home, file: str | None = None) -> None:
        """`file` is the path of a scenario or a session to open at once."""
        self.home = home
        self._themes, problems = load_themes(home.themes)
        super().__init__()
        self.animation_level = "none"
        self._turnstile = Turnstile(self)
        self.failures: list[BaseException] = []
        """What went wrong in workers, the latest last."""
        self._file = file
        self._open_file: Callable[[], None] | None = None
        """Opens it in earnest, as soon as there is something to see."""
        self.opener = Opener(self)
        """Opens runs, matrices and comparisons."""
        self.editor = EditorOpener(self)
        """Opens scripts to be edited."""
        settings = read_settings(home.settings)
        self.own_keys: Keymap
        self.own_keys, of_keys = read_keymap(settings.keys, settings.lines, str(settings.file))
        self._problems = [*settings.problems, *of_keys, *problems]
        self._set_look(settings)

    def get_default_screen(self) -> Screen[None]:
        return HomeScreen(self.home, at_once=self._file is None)

    def on_mount(self) -> None:
        if self._file is not None:
            self._open_file = self.opener.file(Path(self._file))
        # After fg Textual draws only what has changed, on a screen that the shell has written to.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))

    async def on_ready(self) -> None:
        gc.enable()
        if self._problems:
            self.report(*self._problems)
        if self._open_file is not None:
            self._open_file()

    # ------------------------------------------------------------ looks

    def _set_look(self, settings: Settings) -> None:
        for theme in self._themes.values():
            self.register_theme(theme)
        wanted = settings.theme or DARK
        if wanted not in self.available_themes:
            near = get_close_matches(wanted, self.available_themes, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            self._problems.append(f"{settings.where('theme')}: theme: there is no theme {wanted}{hint}")
            wanted = DARK
        self.theme = wanted
        self.set_keymap(dict(self.own_keys))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return role_defaults(self.current_theme, self._themes[DARK], self._themes[LIGHT])

    def open_settings(self) -> None:
        """The settings, above what there is."""
        from workbench.tui.settings import SettingsScreen

        ours = [(name, True, theme.dark) for name, theme in self._themes.items()]
        others = [
            (name, False, theme.dark)
            for name, theme in self.available_themes.items()
            if name not in self._themes and name not in NOT_OFFERED
        ]
        screen = SettingsScreen(self.home, [*ours, *sorted(others)], self._problems)
        self.push_screen(screen, lambda problem: self.report(problem) if problem else None)

    def on_resize(self, event: events.Resize) -> None:
        if not fits(event.size) and not isinstance(self.screen, TooSmall):
            self.push_screen(TooSmall())

    # ------------------------------------------------------------ what stands on the screens

    def runs(self) -> Iterator[RunView]:
        """The Run screens there are, the one on top first."""
        return (screen for screen in reversed(self.screen_stack) if isinstance(screen, RunView))

    def next_lesson(self, path: str) -> Item | None:
        """The lesson of the course after the one in that file; None where it is none, or the last one."""
        home = self.screen_stack[0]
        return home.next_lesson(path) if isinstance(home, HomeScreen) else None

    def left(self, screen: RunView) -> None:
        """Somebody goes back from that screen: Home picks what it was about."""
        home = self.screen_stack[0]
        if isinstance(home, HomeScreen) and isinstance(screen, SessionView):
            home.shelves.come_back(screen.script_path, screen.session_path)

    def unsaved(self) -> str:
        """The name of a script whose changes would be lost; "" when there is none."""
        return next(
            (screen.unsaved for screen in self.screen_stack if isinstance(screen, Writing) and screen.unsaved), ""
        )

    # ------------------------------------------------------------ saying what went wrong

    def report(self, *sentences: str) -> None:
        """Say what went wrong: on Home, until the person moves on there, and where a person looks now."""
        home = self.screen_stack[0]
        if isinstance(home, HomeScreen):
            home.tell(sentences)
        if self.screen is not home:
            self.notify(visible("\n".join(sentences)), severity="error", markup=False, timeout=10)

    def _handle_exception(self, error: Exception) -> None:
        """A worker that failed is reported, and the app lives. Textual has no public place for this."""
        if isinstance(error, WorkerFailed):
            self.failures.append(error.error)
            self.report(f"the workbench failed at something: {error.error!r}")
        else:
            super()._handle_exception(error)

    # ------------------------------------------------------------ keys that work everywhere

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._turnstile.admits(event):
            target = self.focused or self.screen
            await super().on_event(event)
            self._turnstile.follow(event, target)

    def on_came_through(self, message: CameThrough) -> None:
        self._turnstile.came_through(message.number)

    @property
    def keys_wait(self) -> bool:
        """Whether keys were pressed that have not acted yet."""
        return not self._turnstile.is_free

    @property
    def situation(self) -> Situation:
        """The situation of the topmost screen that has one."""
        screens = (screen for screen in reversed(self.screen_stack) if isinstance(screen, Situated))
        return next((screen.situation for screen in screens), Situation(screen="home", phase="idle"))

    def action_help(self) -> None:
        from workbench.tui.help import HelpScreen

        self.push_screen(HelpScreen(self.situation.screen, self.own_keys))

    async def action_quit(self) -> None:
        """Quit at once; or ask, if a run is going or a script is not saved. What waits for a person goes on waiting."""
        going, unsaved = next((run for run in self.runs() if run.going), None), self.unsaved()
        if (going is None and not unsaved) or isinstance(self.screen, QuitQuestion):
            self._leave()
        elif going is not None:
            self._ask_to_quit("Stop the run and quit?", going.run_title)
        else:
            self._ask_to_quit("Quit without saving?", "")

    def action_interrupt(self) -> None:
        """Copy what is selected; else stop the run; else ask whether to quit, and quit when asked already."""
        if text := take_selected(self.screen):
            self.copy_to_clipboard(text)
            self.notify(copied_words(text), markup=False, timeout=3)
            return
        if any(run.interrupt() for run in self.runs()):
            return
        if isinstance(self.screen, QuitQuestion):
            self._leave()
        else:
            self._ask_to_quit("Quit?", "What waits for you goes on waiting. ctrl+c again quits, too.")

    def _ask_to_quit(self, question: str, detail: str) -> None:
        if unsaved := self.unsaved():
            detail = f"The changes in {unsaved} are lost. {detail}".strip()
        self.push_screen(QuitQuestion(question, detail, yes="quit"), lambda yes: self._leave() if yes else None)

    def _leave(self) -> None:
        self.run_worker(self._close_and_exit(), group="quit", exclusive=True)

    async def _close_and_exit(self) -> None:
        try:
            for run in list(self.runs()):
                await run.close_run()
        finally:
            self.exit()

    def copy_to_clipboard(self, text: str) -> None:
        """As everywhere; what is no Unicode is replaced, because no terminal could be told about it."""
        super().copy_to_clipboard(text.encode("utf-8", "replace").decode())
