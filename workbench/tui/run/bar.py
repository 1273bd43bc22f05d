"""The bar: the one place where the run wants something of the person. It shows a question, or a field to answer in."""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from workbench.tui.actions import bindings
from workbench.tui.blocks import Block
from workbench.tui.paint import contents
from workbench.tui.run.fields.field import Field, LineField, ListField, TextField
from workbench.tui.textarea import PlainArea
from workbench.tui.transcript.wrap import shown
from workbench.view.bars import Bar
from workbench.view.entries import Line, Role, Span
from workbench.view.lines import clip, wrap, wrapped

LEAST_TYPED = 3
"""Rows of a text area that a note below it leaves."""


class Act(Message):
    """A key was pressed that a widget has a binding for, and no business of its own with."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what


def acts(what: str) -> Callable[[Widget], None]:
    """The method of an action that says what its key does, and leaves it to others."""

    def act(widget: Widget) -> None:
        widget.post_message(Act(what))

    return act


class BarArea(PlainArea):
    """Text over several lines; `ctrl+s` sends it."""

    BINDINGS = bindings("area")

    class Sent(Message):
        """A person sent the text."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

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

    def restore(self) -> bool:
        """The text as it was before the person changed it. Returns whether it was another."""
        changed = self.text != self.original
        if changed:
            self.put(self.original)
        return changed

    def put_in(self, text: str, *, alone: bool) -> None:
        """A text where the caret is; `alone`: in place of all there is."""
        whole = alone or not self.text.strip()
        start = self.document.start if whole else self.selection.start
        self.replace(text, start, self.document.end if whole else self.selection.end)
        self.focus()

    def action_submit(self) -> None:
        self.post_message(self.Sent(self.text))

    action_insert = acts("insert")
    action_reset = acts("reset")

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self.enter_sends:
            event.stop()
            event.prevent_default()
            self.action_submit()


class SearchField(Input):
    """What to find in the transcript; enter and the arrows go from place to place."""

    BINDINGS = bindings("search")

    action_find_next = acts("next")
    action_find_previous = acts("before")


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

    def compose(self) -> ComposeResult:
        yield Static("")

    def show(self, lines: list[Line], picked: int) -> None:
        """Draw them, with that one in view."""
        self.query_one(Static).update(contents(lines))
        self.call_after_refresh(bring, self, picked)

    action_previous_limit = acts("up")
    action_next_limit = acts("down")
    action_toggle_limit = acts("toggle")
    action_raise_limit = acts("more")
    action_lower_limit = acts("less")


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

    def __init__(self) -> None:
        super().__init__(id="bar")
        self.opened: Field | None = None
        """The field that is open; None where there is none, be it that something is asked."""
        self.question: Bar | None = None
        """What the bar asks or says by itself, while no field is open."""
        self.inside: Widget | None = None
        """What there is in it to be focused."""
        self.aside = ""
        self._title: Line = ()
        self._title_rows = 1
        self._note: tuple[Line, ...] = ()
        self.scroll = BarScroll(Block(id="bar-body"), id="bar-scroll", classes="in")
        self.area = BarArea("", id="bar-area", classes="in", tab_behavior="focus", show_line_numbers=False)
        self.line = Input("", id="bar-field", classes="in", compact=True, select_on_focus=False)
        self.search = SearchField("", id="bar-search", classes="in", compact=True)
        self.limits = LimitsList(id="bar-limits", classes="in")

    def compose(self) -> ComposeResult:
        yield Block(id="bar-title")
        yield from (self.scroll, self.area, self.line, self.search, self.limits)
        yield Block(id="bar-note")

    # ------------------------------------------------------------ what it shows

    def close_bar(self) -> None:
        self._show("", ())

    def show_question(self, bar: Bar, *, covers: bool) -> None:
        """A question, a stop or the past. `covers` says whether it wants an answer."""
        self._show(bar.role, bar.title, question=bar, inside=self.scroll if bar.body else None, covers=covers)
        self._body(bar.body)

    def show_list(self, field: ListField, lines: list[Line]) -> None:
        """Choices to make by key."""
        self._open(field, self.scroll if lines else None)
        self._body(tuple(lines))

    def show_limits(self, field: ListField, lines: list[Line], picked: int) -> None:
        """Choices, of which one is picked and has keys of its own."""
        self._open(field, self.limits)
        self.limits.show(lines, picked)
        self.limits.focus()

    def show_area(self, field: TextField, text: str, draft: str) -> None:
        """Text over several lines, and what was typed in place of it before."""
        area = self.area
        self._open(field, area)
        area.show_line_numbers = field.numbered
        area.enter_sends = field.enter_sends
        area.begin(text, draft)
        area.move_cursor(area.document.end)
        self.note(*field.judged(area.text))
        area.focus()

    def show_line(self, field: LineField, line: Input) -> None:
        """One line of text."""
        self._open(field, line)
        line.value = shown(field.text())
        line.cursor_position = len(line.value)
        line.placeholder = field.hint
        self.note(*field.judged(line.value))
        line.focus()

    def note(self, *lines: Line) -> None:
        """Below the field: whether what is typed is valid, then what comes of it as far as there is room."""
        note, self._note = self.query_one("#bar-note", Block), lines
        width = max(4, self.app.size.width - 4)
        all_rows = wrapped([line for line in lines if line], width)
        rows = all_rows[: max(1, self._room() - self._title_rows - LEAST_TYPED)]  # what is typed needs some, too
        if len(rows) < len(all_rows):
            rows[-1] = clip((*rows[-1], Span(" …", "quiet")), width)
        note.display = bool(rows)
        note.put(rows)
        self._fit(len(rows))

    def resized(self) -> None:
        """Title and note again, for the room that there is now."""
        self._draw_title()
        self.note(*self._note)

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

    def _open(self, field: Field, inside: Widget | None) -> None:
        self._show(field.role, field.title(), field=field, inside=inside, covers=field.covers)

    def _show(
        self,
        role: Role,
        title: Line,
        *,
        question: Bar | None = None,
        field: Field | None = None,
        inside: Widget | None = None,
        covers: bool = False,
    ) -> None:
        """Show the title and, of what may stand below it, `inside`. What stays as it was costs no layout."""
        self.opened, self.question, self.inside, self._title = field, question, inside, title
        self.set_classes(f"open {role}" if field or question else "")
        self.screen.set_class(covers, "covered")
        for widget in self.query(".in"):
            widget.display = widget is inside
        self._draw_title()
        self.note()

    # ------------------------------------------------------------ what is typed in it

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _changed(self, event: TextArea.Changed | Input.Changed) -> None:
        if self.opened is not None and event.control is self.inside:
            text = event.value if isinstance(event, Input.Changed) else event.text_area.text
            self.opened.changed(text)
            self.note(*self.opened.judged(text))

    @on(BarArea.Sent)
    @on(Input.Submitted)
    def _sent(self, event: BarArea.Sent | Input.Submitted) -> None:
        if self.opened is not None:
            self.opened.sent(event.value)

    @on(Act)
    def _act(self, event: Act) -> None:
        if self.opened is not None:
            self.opened.does(event.what)

    # ------------------------------------------------------------ room

    def _draw_title(self) -> None:
        """The title on as many rows as it needs; then what is open gets the rest."""
        width = max(4, self.app.size.width - 2)
        parts = _split(self._title, width, asks=self.question is not None)
        rows = [line for part in parts for line in wrap(part, width)]
        if self.aside and self.opened is not None and self.opened.aside:
            rows.insert(0, (Span(self.aside, "wait", bold=True),))
        self.query_one("#bar-title", Block).put(rows)
        self._title_rows = len(rows)
        self._fit(0)

    def _room(self) -> int:
        """Rows for the bar, without what stands around it: its line, its padding, a note."""
        width, height = self.app.size
        if height < 20:
            strip = 60 <= width < 100
            typed = isinstance(self.opened, TextField) and self.opened.covers
            return height - 3 - strip - (width < 60) - typed
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


def _split(title: Line, width: int, *, asks: bool) -> list[Line]:
    """A title whose quiet end does not fit: a question goes without it, elsewhere it says which keys there are."""
    if sum(len(span.text) for span in title) <= width or len(title) < 2 or title[-1].role != "quiet":
        return [title]
    *most, last = title
    return [tuple(most)] if asks else [tuple(most), (Span(last.text.strip(), "quiet"),)]
