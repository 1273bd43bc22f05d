"""The bar: the one place where the run wants something of the person. It shows a question, or a field to answer in."""

from __future__ import annotations

from typing import Literal, get_args

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.tui.actions import bindings
from workbench.tui.blocks import Block
from workbench.tui.paint import contents
from workbench.tui.textarea import PlainArea
from workbench.tui.transcript.wrap import shown
from workbench.view.bars import Bar
from workbench.view.entries import Line, Role, Span
from workbench.view.lines import clip, wrap, wrapped

AreaMode = Literal["edit", "edit-result", "edit-reply", "answer", "message", "reply", "rewrite", "fork"]
FieldMode = Literal["reason", "name", "search", "filter"]
ListMode = Literal["more", "limits", "grants"]
Mode = Literal["", "question"] | AreaMode | FieldMode | ListMode

COVERS = ("edit", "edit-result", "edit-reply", "answer", "reply", "rewrite", "fork", "more", "limits", "grants")
"""What takes the place of the transcript where there are few rows. A question does too, when it wants an answer."""

LEAST_TYPED = 3
"""Rows of a text area that a note below it leaves."""
ASIDE = ("message", "name", "search", "filter", "limits", "grants")
"""What may stand in the way of a question, and says so."""


class BarArea(PlainArea):
    """Text over several lines; `ctrl+s` sends it."""

    BINDINGS = bindings("area")

    class Sent(Message):
        """A person sent the text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Insert(Message):
        """A person wants something to begin with put in."""

    class Reset(Message):
        """A person wants the text as it was."""

    enter_sends = False
    original = ""
    """The text before the person changed it."""

    def begin(self, original: str, draft: str) -> None:
        """Begin with a text; one that was typed earlier takes its place, and can be undone."""
        self.original = original
        self.load_text(original)
        if draft and draft != original:
            self.put(draft)

    def put(self, text: str) -> None:
        """Another text in place of all there is, as one change that can be undone."""
        self.history.checkpoint()
        self.replace(text, self.document.start, self.document.end)
        self.history.checkpoint()
        self.move_cursor(self.document.end)

    def action_submit(self) -> None:
        self.post_message(self.Sent(self.text))

    def action_insert(self) -> None:
        self.post_message(self.Insert())

    def action_reset(self) -> None:
        self.post_message(self.Reset())

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self.enter_sends:
            event.stop()
            event.prevent_default()
            self.action_submit()


class SearchField(Input):
    """What to find in the transcript; enter and the arrows go from place to place."""

    BINDINGS = bindings("search")

    class Find(Message):
        """Go to another place of the text that is looked for."""

        def __init__(self, *, forward: bool) -> None:
            super().__init__()
            self.forward = forward

    def action_find_next(self) -> None:
        self.post_message(self.Find(forward=True))

    def action_find_previous(self) -> None:
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


class LimitsList(VerticalScroll, can_focus=True, inherit_bindings=False):
    """The limits of the run, one a row."""

    BINDINGS = bindings("limits")
    ALLOW_MAXIMIZE = False

    class Act(Message):
        """A person wants something of the list: up, down, toggle, more, less."""

        def __init__(self, what: Literal["up", "down", "toggle", "more", "less"]) -> None:
            super().__init__()
            self.what = what

    def compose(self) -> ComposeResult:
        yield Static("")

    def show(self, lines: list[Line], picked: int) -> None:
        """Draw them, with that one in view."""
        self.query_one(Static).update(contents(lines))
        self.call_after_refresh(bring, self, picked)

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
    BarPane > .in { margin: 1 0 0 2; display: none; }
    BarPane #bar-title { height: auto; }
    BarPane #bar-scroll, BarPane #bar-limits { height: auto; scrollbar-size-vertical: 1; }
    BarPane #bar-scroll Static, BarPane #bar-limits Static { height: auto; }
    BarPane #bar-area { height: auto; min-height: 4; border: none; padding: 0; background: $background; }
    BarPane Input { height: 1; border: none; background: $background; }
    BarPane #bar-note { display: none; height: auto; margin: 0 0 0 2; }
    .-narrow BarPane, .-tiny BarPane, .-low BarPane { padding: 0 1; }
    .-narrow BarPane > .in, .-tiny BarPane > .in, .-low BarPane > .in { margin: 0 0 0 2; }
    """

    mode: Mode = ""
    aside = ""

    def compose(self) -> ComposeResult:
        yield Block(id="bar-title")
        with BarScroll(id="bar-scroll", classes="in"):
            yield Block(id="bar-body")
        yield BarArea("", id="bar-area", classes="in", tab_behavior="focus", show_line_numbers=False)
        yield Input("", id="bar-field", classes="in", compact=True, select_on_focus=False)
        yield SearchField("", id="bar-search", classes="in", compact=True)
        yield LimitsList(id="bar-limits", classes="in")
        yield Block(id="bar-note")

    # ------------------------------------------------------------ pieces

    @property
    def area(self) -> BarArea:
        return self.query_one(BarArea)

    @property
    def field(self) -> Input:
        return self.query_one("#bar-search" if self.mode == "search" else "#bar-field", Input)

    @property
    def limits(self) -> LimitsList:
        return self.query_one(LimitsList)

    @property
    def scroll(self) -> BarScroll:
        return self.query_one(BarScroll)

    @property
    def inside(self) -> Widget | None:
        """What there is in it to be focused."""
        return next((widget for widget in self.query(".in") if widget.display), None)

    # ------------------------------------------------------------ what it shows

    def close_bar(self) -> None:
        self._open("", "", ())

    def show_question(self, bar: Bar, *, covers: bool) -> None:
        """A question, a stop or the past. `covers` says whether it wants an answer."""
        self._open("question", bar.role, bar.title, inside=self.scroll if bar.body else None, covers=covers)
        self._body(bar.body)

    def show_list(self, mode: ListMode, role: Role, title: Line, lines: list[Line], picked: int = 0) -> None:
        """Choices to make by key."""
        if mode == "limits":
            self._open(mode, role, title, inside=self.limits)
            self.limits.show(lines, picked)
            self.limits.focus()
        else:
            self._open(mode, role, title, inside=self.scroll if lines else None)
            self._body(tuple(lines))

    def open_area(
        self,
        mode: AreaMode,
        role: Role,
        title: Line,
        text: str,
        draft: str = "",
        *,
        numbered: bool = False,
    ) -> None:
        """A field for text over several lines, and what was typed in it before. `numbered` numbers the lines."""
        area = self.area
        self._open(mode, role, title, inside=area)
        area.show_line_numbers = numbered or mode == "edit"
        area.enter_sends = mode == "message"
        area.begin(text, draft)
        area.move_cursor(area.document.end)
        area.focus()

    def open_field(self, mode: FieldMode, role: Role, title: Line, text: str = "", hint: str = "") -> None:
        """A field for one line."""
        field = self.query_one("#bar-search" if mode == "search" else "#bar-field", Input)
        self._open(mode, role, title, inside=field)
        field.value = shown(text)
        field.cursor_position = len(field.value)
        field.placeholder = hint
        field.focus()

    def note(self, *lines: Line) -> None:
        """Below the field: whether what is typed is valid, then what comes of it as far as there is room."""
        note, self._note = self.query_one("#bar-note", Block), lines
        width = max(4, self.app.size.width - 4)
        all_rows = wrapped([line for line in lines if line], width)
        rows = all_rows[: self._note_rows]
        if len(rows) < len(all_rows):
            rows[-1] = clip((*rows[-1], Span(" …", "quiet")), width)
        note.display = bool(rows)
        note.put(rows)
        self._fit(len(rows))

    def resized(self) -> None:
        """Title and note again, for the room that there is now."""
        self._draw_title()
        self.note(*self._note)

    @property
    def _note_rows(self) -> int:
        """How many rows a note may have: what is typed needs some, too."""
        return max(1, self._room() - self._title_rows - LEAST_TYPED)

    def _fit(self, note_rows: int) -> None:
        """Give what is open the rows that title and note leave."""
        room = self._room() - self._title_rows - max(0, note_rows - 1)
        for widget in self.query(".in"):
            widget.styles.max_height = room

    def show_aside(self, text: str) -> None:
        """What matters more than a field or list that has nothing to do with it, on a row before the title."""
        if text != self.aside:
            self.aside = text
            self._draw_title()

    def _open(
        self, mode: Mode, role: Role | str, title: Line, *, inside: Widget | None = None, covers: bool = False
    ) -> None:
        """Show the title and, of what may stand below it, `inside`. What stays as it was costs no layout."""
        self.mode, self._title = mode, title
        self.set_classes(f"open {role}" if mode else "")
        self.screen.set_class(covers or mode in COVERS, "covered")
        for widget in self.query(".in"):
            widget.display = widget is inside
        self._draw_title()
        self.note()

    _title: Line = ()
    _title_rows = 1
    _note: tuple[Line, ...] = ()

    def _draw_title(self) -> None:
        """The title on as many rows as it needs; then what is open gets the rest."""
        width = max(4, self.app.size.width - 2)
        rows = [line for part in _split(self._title, width, self.mode) for line in wrap(part, width)]
        if self.aside and self.mode in ASIDE:
            rows.insert(0, (Span(self.aside, "wait", bold=True),))
        self.query_one("#bar-title", Block).put(rows)
        self._title_rows = len(rows)
        self._fit(0)

    def _room(self) -> int:
        """Rows for the bar, without what stands around it: its line, its padding, a note."""
        width, height = self.app.size
        if height < 20:
            strip = 60 <= width < 100
            return height - 3 - strip - (width < 60) - (self.mode in get_args(AreaMode) and self.mode != "message")
        return height * 7 // 10 - (4 if width >= 100 else 2)

    def _body(self, lines: tuple[Line, ...]) -> None:
        self.query_one("#bar-body", Block).put(list(lines))
        picked = next((row for row, line in enumerate(lines) if line and line[0].text.startswith("▸")), 0)
        self.call_after_refresh(bring, self.scroll, picked)


def bring(scroll: VerticalScroll, row: int) -> None:
    """Scroll no further than it takes to see that row."""
    top, height = round(scroll.scroll_y), scroll.scrollable_content_region.height
    if not top <= row < top + height:
        scroll.scroll_to(y=max(0, row - height + 2), animate=False)


def _split(title: Line, width: int, mode: Mode) -> list[Line]:
    """A title whose quiet end does not fit: a question goes without it, elsewhere it says which keys there are."""
    if sum(len(span.text) for span in title) <= width or len(title) < 2 or title[-1].role != "quiet":
        return [title]
    *most, last = title
    return [tuple(most)] if mode == "question" else [tuple(most), (Span(last.text.strip(), "quiet"),)]
