"""What the app and its screens know of each other, so that neither imports the other; and the base of all dialogs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from textual.app import App
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
    from workbench.tui.editor.opener import EditorOpener
    from workbench.tui.opener import Opener
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

    @property
    def script_path(self) -> Path | None: ...

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
    opener: Opener
    """Opens runs, matrices and comparisons."""
    editor: EditorOpener
    """Opens scripts to be edited."""

    def next_lesson(self, path: str) -> Item | None:
        """The lesson of the course after the one in that file; None where it is none, or the last one."""

    def open_settings(self) -> None: ...

    def report(self, *sentences: str) -> None:
        """Say what went wrong, here and, later, on Home."""


def shell_of(app: App[Any]) -> Shell:
    """The app of a screen, as what it is."""
    shell: Any = app
    assert isinstance(shell, Shell)
    return shell


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


def keymap_of(app: Any) -> Keymap:
    """The keys of the person who uses the app; none of their own where the app is another one."""
    return app.own_keys if isinstance(app, Shell) else {}
