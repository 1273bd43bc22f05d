"""What the app and its screens know of each other, so that neither imports the other; and the base of all dialogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Static

from workbench.home import Home
from workbench.tui.actions import Keymap
from workbench.tui.keyline import KEY
from workbench.tui.situation import Situation

if TYPE_CHECKING:
    from workbench.forking import Branch
    from workbench.opening import Opened
    from workbench.view.shelf import Item

Result = TypeVar("Result")


@runtime_checkable
class Situated(Protocol):
    """A screen that says what its keys depend on."""

    @property
    def situation(self) -> Situation: ...


@runtime_checkable
class RunView(Protocol):
    """The Run screen, or another one that makes runs, as far as the app has to do with it."""

    @property
    def going(self) -> bool:
        """Whether a move is being made, or the next one will be by itself."""

    @property
    def run_title(self) -> str: ...

    def interrupt(self) -> bool:
        """Stop the run if it is going. Returns whether it was."""

    async def close_run(self) -> None:
        """End what is going on in order and close the session; what waits for a person goes on waiting."""


@runtime_checkable
class SessionView(Protocol):
    """A screen of one session, which can be looked at as it was after any of its events."""

    @property
    def session_path(self) -> Path | None: ...

    def look(self, n: int) -> None: ...


@runtime_checkable
class Writing(Protocol):
    """A screen where something is written that may not be saved."""

    @property
    def unsaved(self) -> str:
        """The name of what would be lost; "" when nothing would."""


@runtime_checkable
class Shell(Protocol):
    """The app, as far as screens have to do with it."""

    own_keys: Keymap
    home: Home

    def open_scenario(self, path: Path, *, play: bool = False, until: int | None = None) -> None:
        """A new run; `until` is the reply of its script (from 0) up to which it runs by itself."""

    def next_lesson(self, path: str) -> Item | None:
        """The lesson of the course after the one in that file; None where it is none, or the last one."""

    def open_instead(self, path: Path) -> None:
        """A new run of the scenario in that file, in place of the screen of the one on top."""

    def open_session(self, path: Path, *, play: bool = False, at: int | None = None) -> None:
        """A run as it stands, going on, or looked at as it was after event `at`."""

    def run_again(self, opened: Opened) -> None:
        """The same scenario from the start, in a new session, in place of the screen of this one."""

    def fork_run(self, opened: Opened, branch: Branch, *, play: bool = False) -> None:
        """A fork of the run, in place of its screen; the run stays as it is."""

    def open_made(self, make: Callable[[], Opened], *, play: bool = False) -> None:
        """A run that `make` opens; it may take a while, and is called in a thread."""

    def open_matrix(self, of: Path | Opened) -> None:
        """The fault matrix of a scenario file, or of the scenario of a run."""

    def compare(self, a: Path, b: Path) -> None:
        """Two sessions, aligned by their calls."""

    def compare_with_parent(self, opened: Opened) -> None:
        """A fork and the run that it comes from."""

    def leave_run(self, screen: RunView) -> None:
        """Close the run and go back to what was below it."""

    def open_settings(self) -> None: ...

    def new_script(self) -> None:
        """Begin a script, after asking with what."""

    def edit_script(self, path: Path) -> None:
        """Edit the script in that file; one of the examples in a copy."""

    def write_script(self, title: str, text: Callable[[], str]) -> None:
        """Edit a text that is in no file yet; `text` may take a while, and is called in a thread."""

    def report(self, *sentences: str) -> None:
        """Say what went wrong, here and, later, on Home."""


class Dialog(ModalScreen[Result]):
    """A modal of ours. Ctrl+c and ctrl+q work in it, as everywhere; so does going back to the shell."""

    ALLOW_MAXIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "app.suspend_process", "suspend", show=False, id="suspend_process")
    ]


KeyWords = tuple[str, str, str]
"""A key, how it is written, what it does; without words it goes with the one after it."""


class KeysRow(Static):
    """The key line of a dialog, whose keys are always the same. Clicking one is pressing it."""

    DEFAULT_CSS = "KeysRow { height: auto; padding: 0 1; background: $surface; color: $foreground; }"

    def __init__(self, keys: Sequence[KeyWords]) -> None:
        row = Content("")
        for key, written, words in keys:
            row += Content.assemble((written, KEY), " ", words).stylize(_pressing(key)) + Content(
                "   " if words else ""
            )
        super().__init__(row.rstrip())
        self.auto_links = False  # The look of links would take the colour off the keys.


def _pressing(key: str) -> Style:
    return Style.from_meta({"@click": f"app.simulate_key('{key}')"})


def copied_words(text: str) -> str:
    """What is known after a copy: the terminal was asked to keep the text, and never says whether it did."""
    return f"{len(text):,} characters sent to the terminal's clipboard; some terminals do not take them"


def keymap_of(app: Any) -> Keymap:
    """The keys of the person who uses the app; none of their own where the app is another one."""
    return app.own_keys if isinstance(app, Shell) else {}
