"""The script editor: the text on the left, what it comes to beside it, what is wrong below."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import TextArea

from workbench.home import Home
from workbench.scenarios.insertion import insertion
from workbench.scenarios.review import Known
from workbench.tui.actions import BY_NAME, bindings, key_words, keys_of, with_keys
from workbench.tui.blocks import Block, Said, TopLine
from workbench.tui.choose import Choose
from workbench.tui.dialogs import Confirm
from workbench.tui.editor.problems import ProblemList
from workbench.tui.editor.reviewed import ReviewedArea
from workbench.tui.editor.saving import Saving
from workbench.tui.keyline import KeyLine
from workbench.tui.screens import keymap_of, shell_of
from workbench.tui.situation import Situation
from workbench.view.draft import Draft, known_to
from workbench.view.editing import where_words
from workbench.view.entries import Line, Span
from workbench.view.script_pieces import loop_in, protocol_in


class EditorScreen(Screen[None]):
    """One script. Everything wrong with it is said at its line while it is typed."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "ScriptArea"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "editor")
    DEFAULT_CSS = """
    EditorScreen {
        background: $background;
        color: $foreground;
        & #body { height: 1fr; }
        & ScriptArea { width: 1fr; height: 1fr; }
        & #preview { width: 48; height: 1fr; padding: 1 1 0 1; border-left: solid $wb-rule; }
        &.-wide #preview { width: 60; }
        &.-narrow #preview, &.-tiny #preview { display: none; }
    }
    """

    def __init__(self, draft: Draft, known: Known, home: Home) -> None:
        super().__init__()
        self.draft = draft
        self.area = ReviewedArea(draft.text, draft.path.name, known)
        self.problems = ProblemList()
        self._saving = Saving(self.area, draft, self.say)
        self._home = home

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        with Horizontal(id="body"):
            yield self.area
            yield Block(id="preview")
        yield self.problems
        yield Said()
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_screen_suspend(self) -> None:
        """What was said is old when somebody comes back."""
        self.query_one(Said).unsay()

    async def on_screen_resume(self) -> None:
        """Back from a run: it may be that its tools are trusted now."""
        home = shell_of(self.app).home
        if home != self._home:
            self._home = home
            self.area.known = await asyncio.to_thread(known_to, home)
            self.area.read_soon()

    @property
    def unsaved(self) -> str:
        """The name of the file whose changes would be lost; "" when none would."""
        return self.draft.path.name if self.draft.differs(self.area.text) else ""

    @property
    def situation(self) -> Situation:
        return Situation(screen="editor", phase="typing" if self.area.has_focus else "idle")

    # ------------------------------------------------------------ drawing

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    @on(ReviewedArea.Read)
    @on(TextArea.SelectionChanged)
    def _draw(self) -> None:
        if not self.is_attached:
            return
        line = self.area.cursor_location[0] + 1
        reading, changed = self.area.reading, bool(self.unsaved)
        where = where_words(self.draft, self._home.root, changed=changed)
        kind = "stopped" if reading.problems else ""
        picked = self.problems.picked if (here := reading.said_at(line)) is None else here
        self.query_one(TopLine).show(self.draft.path.name, where, f"line {line}", reading.state(), kind)
        self.problems.show(reading.said, len(reading.problems), reading.well(), picked)
        pane = self.query_one("#preview", Block)
        if pane.display:
            width, rows = max(20, pane.content_size.width), pane.content_size.height
            pane.put(reading.preview(self.area.known.tools, line, width, rows))

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.query_one(Said).unsay()
        self._draw()

    def on_descendant_focus(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    def say(self, message: Line) -> None:
        """A line above the keys, for a few seconds."""
        self.query_one(Said).say(message)
        self._draw()

    # ------------------------------------------------------------ keys

    @on(ProblemList.Chosen)
    def _chosen(self, event: ProblemList.Chosen) -> None:
        said = self.area.reading.said
        if 0 <= event.index < len(said):
            self.area.go_to(said[event.index].line - 1)
        self.area.focus()

    def action_next_pane(self) -> None:
        (self.problems if self.area.has_focus else self.area).focus()

    def action_previous_pane(self) -> None:
        self.action_next_pane()

    def action_close(self) -> None:
        """Leave the field, so that letters are keys; outside it say how to go on."""
        if self.area.has_focus:
            self.problems.focus()
        else:
            back, leave = (key_words(keys_of(BY_NAME[name], keymap_of(self.app))[0]) for name in ("to_problem", "back"))
            self.say((Span(f"{leave} leaves the editor, {back} goes back to the text", "primary"),))

    def action_back(self) -> None:
        if not self.unsaved:
            self.dismiss()
            return
        lost = f"The changes in {self.unsaved} are lost; {with_keys('{save}', keymap_of(self.app))} saves them."
        self.app.push_screen(Confirm("Leave without saving?", lost, yes="leave", no="stay"), self._leave)

    def _leave(self, yes: bool | None) -> None:
        if yes:
            self.dismiss()

    def action_save(self) -> None:
        self._saving.save()

    def action_run_script(self) -> None:
        """Open a run of it, before the first move."""
        self._saving.run()

    def action_run_from_here(self) -> None:
        """Run it up to the reply under the caret."""
        self._saving.run(self.area.cursor_location[0] + 1)

    def action_insert_table(self) -> None:
        """Choose a table to put in after that of the caret."""
        text = self.area.text
        offered = self.area.reading.pieces(text, self.area.known.tools)

        def chosen(index: int | None) -> None:
            if index is not None:
                self._insert(offered[index].text)

        choices = [(each.title, "") for each in offered]
        loop = loop_in(text)
        into = f"into a {loop}" if loop else f"in protocol {protocol_in(text)}"
        self.app.push_screen(Choose(f"Insert, {into}", choices), chosen)

    def _insert(self, piece: str) -> None:
        area = self.area
        lines = area.document.lines
        what = insertion("\n".join(lines), area.cursor_location[0], piece)
        if what.text:
            at_end = what.row >= len(lines)
            area.insert(what.text, (len(lines) - 1, len(lines[-1])) if at_end else (what.row, 0))
        else:
            self.say((Span("it is here already", "primary"),))
        row, column = what.caret
        area.move_cursor((row, column), center=True)
        area.move_cursor((row, column + what.open), select=True)
        area.focus()
