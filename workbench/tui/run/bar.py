"""The bar: the one place where the run wants something of the person. It shows a question, or a field to answer in."""

from __future__ import annotations

from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from workbench.tui.actions import bindings
from workbench.tui.paint import content, contents
from workbench.view.bars import Bar, fitted
from workbench.view.entries import Line, Role

AreaMode = Literal["edit", "edit-result", "answer", "message"]
FieldMode = Literal["reason", "name", "search"]
ListMode = Literal["more", "limits", "grants"]
Mode = Literal["", "question"] | AreaMode | FieldMode | ListMode


class BarArea(TextArea):
    """Text over several lines; `ctrl+s` sends it."""

    BINDINGS = bindings("area")

    class Sent(Message):
        """A person sent the text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def action_submit(self) -> None:
        self.post_message(self.Sent(self.text))


class BarField(Input):
    """One line of text. While it searches, enter and the arrows go from place to place."""

    BINDINGS = bindings("search")

    class Find(Message):
        """Go to another place of the text that is looked for."""

        def __init__(self, *, forward: bool) -> None:
            super().__init__()
            self.forward = forward

    searching = False

    async def action_find_next(self) -> None:
        if self.searching:
            self.post_message(self.Find(forward=True))
        else:
            await self.action_submit()

    def action_find_previous(self) -> None:
        if self.searching:
            self.post_message(self.Find(forward=False))


class BarScroll(VerticalScroll, inherit_bindings=False):
    """The body of the bar, for arguments and lists that are longer than it."""

    BINDINGS = bindings("bar")
    ALLOW_MAXIMIZE = False

    class Moved(Message):
        """A person asked for the call, or the lines, above or below."""

        def __init__(self, *, down: bool) -> None:
            super().__init__()
            self.down = down

    def action_previous_call(self) -> None:
        self.post_message(self.Moved(down=False))

    def action_next_call(self) -> None:
        self.post_message(self.Moved(down=True))


class LimitsList(Static, can_focus=True):
    """The limits of the run, one a row."""

    BINDINGS = bindings("limits")

    class Act(Message):
        """A person wants something of the list: up, down, toggle, more, less."""

        def __init__(self, what: Literal["up", "down", "toggle", "more", "less"]) -> None:
            super().__init__()
            self.what = what

    def action_previous_limit(self) -> None:
        self.post_message(self.Act("up"))

    def action_next_limit(self) -> None:
        self.post_message(self.Act("down"))

    def action_toggle_limit(self) -> None:
        self.post_message(self.Act("toggle"))

    def action_raise_limit(self) -> None:
        self.post_message(self.Act("more"))

    def action_lower_limit(self) -> None:
        self.post_message(self.Act("less"))


class BarPane(Vertical):
    """Draws one bar, or the field that is open in it."""

    DEFAULT_CSS = """
    BarPane { display: none; height: auto; max-height: 70%; padding: 0 1 1 1; background: $surface; }
    BarPane.open { display: block; border-top: heavy $wb-rule; }
    BarPane.wait { border-top: heavy $wb-wait; }
    BarPane.held { border-top: heavy $wb-held; }
    BarPane.go { border-top: heavy $wb-go; }
    BarPane.error { border-top: heavy $wb-error; }
    BarPane.past { border-top: heavy $wb-past; }
    BarPane.primary { border-top: heavy $primary; }
    BarPane #bar-title { height: auto; }
    BarPane #bar-scroll { height: auto; max-height: 24; padding: 1 0 0 2; scrollbar-size-vertical: 1; }
    BarPane #bar-body { height: auto; }
    BarPane #bar-area { display: none; height: auto; min-height: 4; max-height: 12; margin: 1 0 0 2; border: none; }
    BarPane #bar-area { background: $background; padding: 0; }
    BarPane #bar-field { display: none; height: 1; margin: 1 0 0 2; border: none; background: $background; }
    BarPane #bar-limits { display: none; height: auto; margin: 1 0 0 2; }
    BarPane #bar-note { display: none; height: auto; margin: 0 0 0 2; }
    .-narrow BarPane, .-tiny BarPane, .-low BarPane { padding: 0 1; }
    .-narrow #bar-scroll, .-tiny #bar-scroll, .-low #bar-scroll { padding: 0 0 0 2; }
    .-narrow #bar-area, .-tiny #bar-area { margin: 0 0 0 2; }
    .-narrow #bar-field, .-tiny #bar-field { margin: 0 0 0 2; }
    """

    mode: Mode = ""

    def compose(self) -> ComposeResult:
        yield Static("", id="bar-title")
        with BarScroll(id="bar-scroll"):
            yield Static("", id="bar-body")
        yield BarArea("", id="bar-area", tab_behavior="focus", show_line_numbers=False)
        yield BarField("", id="bar-field", compact=True)
        yield LimitsList("", id="bar-limits")
        yield Static("", id="bar-note")

    # ------------------------------------------------------------ pieces

    @property
    def area(self) -> BarArea:
        return self.query_one(BarArea)

    @property
    def field(self) -> BarField:
        return self.query_one(BarField)

    @property
    def limits(self) -> LimitsList:
        return self.query_one(LimitsList)

    @property
    def scroll(self) -> BarScroll:
        return self.query_one(BarScroll)

    @property
    def typing(self) -> bool:
        """Whether a text field is open."""
        return self.mode in ("edit", "edit-result", "answer", "message", "reason", "name", "search")

    # ------------------------------------------------------------ what it shows

    def close_bar(self) -> None:
        self._open("", "", ())
        self.set_class(False, "open")

    def show_question(self, bar: Bar) -> None:
        """A question, a stop or the past."""
        self._open("question", bar.role, bar.title)
        self._body(bar.body)

    def show_list(self, mode: ListMode, role: Role, title: Line, lines: list[Line]) -> None:
        """Choices to make by key."""
        self._open(mode, role, title)
        if mode == "limits":
            self.limits.update(contents(lines))
            self.limits.display = True
            self.limits.focus()
        else:
            self._body(tuple(lines))

    def open_area(
        self, mode: AreaMode, role: Role, title: Line, text: str, caret: tuple[int, int] | None = None
    ) -> None:
        """A field for text over several lines."""
        self._open(mode, role, title)
        area = self.area
        area.show_line_numbers = mode == "edit"
        area.load_text(text)
        area.display = True
        area.move_cursor(caret if caret is not None else area.document.end)
        area.focus()

    def open_field(self, mode: FieldMode, role: Role, title: Line, text: str = "", hint: str = "") -> None:
        """A field for one line."""
        self._open(mode, role, title)
        field = self.field
        field.searching = mode == "search"
        field.value = text
        field.placeholder = hint
        field.display = True
        field.focus()

    def note(self, line: Line) -> None:
        """A line below the field: whether what is typed is valid."""
        note = self.query_one("#bar-note", Static)
        note.display = bool(line)
        note.update(content(line))

    def _open(self, mode: Mode, role: Role | str, title: Line) -> None:
        self.mode = mode
        self.set_classes(f"open {role}")
        self.query_one("#bar-title", Static).update(content(fitted(title, self.app.size.width - 2)))
        self.scroll.display = False
        for widget in (self.area, self.field, self.limits):
            widget.display = False
        self.note(())

    def _body(self, lines: tuple[Line, ...]) -> None:
        self.scroll.display = bool(lines)
        self.query_one("#bar-body", Static).update(contents(lines) if lines else Content(""))
