"""Small questions, drawn like the bar: yes or no, and one line of text. Their callers go on in a callback."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Input, Static

from workbench.tui.screens import Dialog, KeysRow
from workbench.view.visible import visible


class Confirm(Dialog[bool]):
    """A question where only `y` is a yes: enter, n, q and esc are a no, so that a key too many does no harm."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n,q,enter,escape", "answer(False)", "no", show=False),
    ]
    DEFAULT_CSS = """
    Confirm { align: center bottom; background: $background 50%; }
    Confirm > Vertical { height: auto; max-height: 100%; background: $surface; border-top: heavy $wb-wait; }
    Confirm Static { height: auto; padding: 0 1; }
    Confirm .detail { color: $wb-quiet; padding: 0 1 0 3; }
    Confirm KeysRow { padding: 1 1 0 1; }
    Confirm.-low KeysRow { padding: 0 1; }
    """

    def __init__(self, question: str, detail: str = "", yes: str = "yes", no: str = "no") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._yes, self._no = yes, no

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content.assemble(("▲ ", "$wb-wait"), (visible(self._question), "bold $wb-wait")))
            if self._detail:
                yield Static(Content(visible(self._detail)), classes="detail")
            yield KeysRow((("y", "y", self._yes), ("n", "n enter esc", self._no)))

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class Prune(Dialog[bool | None]):
    """Whether a session goes alone (False) or with all that was forked from it (True); None is neither.

    As in every question no key but those two does harm.
    """

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(False)", "only this", show=False),
        Binding("b", "answer(True)", "the branch", show=False),
        Binding("n,q,enter,escape", "leave", "no", show=False),
    ]
    DEFAULT_CSS = Confirm.DEFAULT_CSS.replace("Confirm", "Prune")

    def __init__(self, title: str, detail: str, forks: int) -> None:
        super().__init__()
        self._title, self._detail, self._forks = title, detail, forks

    def compose(self) -> ComposeResult:
        forks = "a fork was" if self._forks == 1 else f"{self._forks:,} forks were"
        question = f"Delete {visible(self._title)}? {forks.capitalize()} made from it."
        stay = "Forks hold all of their own events: they stay whole, and move up in the list."
        with Vertical():
            yield Static(Content.assemble(("▲ ", "$wb-wait"), (question, "bold $wb-wait")))
            yield Static(Content(f"{visible(self._detail)} {stay}"), classes="detail")
            both = "both" if self._forks == 1 else f"all {self._forks + 1:,}"
            yield KeysRow((("y", "y", "only this one"), ("b", "b", both), ("n", "n enter esc", "no")))

    def action_answer(self, branch: bool) -> None:
        self.dismiss(branch)

    def action_leave(self) -> None:
        self.dismiss(None)


class Prompt(Dialog[str | None]):
    """One line of text: enter gives it, esc gives None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "cancel", show=False)]
    DEFAULT_CSS = """
    Prompt { align: center bottom; background: $background 50%; }
    Prompt > Vertical { height: auto; max-height: 100%; background: $surface; border-top: heavy $primary; }
    Prompt Static { height: auto; padding: 0 1; }
    Prompt .detail { color: $wb-quiet; padding: 0 1 0 3; }
    Prompt .problem { padding: 0 1 0 3; }
    Prompt Input { margin: 1 1 0 3; background: $background; }
    Prompt KeysRow { padding: 1 1 0 1; }
    Prompt.-low KeysRow { padding: 0 1; }
    """

    def __init__(self, title: str, value: str = "", hint: str = "", send: str = "send", *, problem: str = "") -> None:
        """`problem` is why what was given before would not do."""
        super().__init__()
        self._problem = problem
        self._send = send
        self._title = title
        self._value = value
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content.styled(visible(self._title), "bold $primary"))
            if self._hint:
                yield Static(Content(visible(self._hint)), classes="detail")
            if self._problem:
                yield Static(Content.assemble(("✗ ", "$wb-error"), visible(self._problem)), classes="problem")
            yield Input(self._value, compact=True, select_on_focus=False)
            yield KeysRow((("enter", "enter", self._send), ("escape", "esc", "cancel")))

    @on(Input.Submitted)
    def _sent(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        self.dismiss(None)


SMALLEST = (40, 12)


def fits(size: Size) -> bool:
    """Whether there is room for the workbench."""
    return size.width >= SMALLEST[0] and size.height >= SMALLEST[1]


class TooSmall(Dialog[None]):
    """In the way of everything while there is no room: what cannot be seen must not be decided."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    TooSmall { align: center middle; background: $background; color: $foreground; }
    TooSmall Static { width: auto; max-width: 100%; height: auto; padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        yield Static("")

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        wide, high = SMALLEST
        text = f"{width}×{height} is too small: the workbench needs {wide}×{high}."
        self.query_one(Static).update(Content(text))
        self._leave_if_it_fits()

    def on_screen_resume(self) -> None:
        self._leave_if_it_fits()

    def _leave_if_it_fits(self) -> None:
        if fits(self.app.size) and self.is_current:
            self.dismiss(None)
