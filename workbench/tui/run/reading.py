"""Keys for reading: whole entries, originals, search, panes, and what the model sees."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.widgets import Input

from workbench.tui.run.bar import BarField
from workbench.tui.run.base import RunBase
from workbench.tui.run.frame import CallsPane, Shown
from workbench.tui.run.loop_view import LoopView
from workbench.tui.transcript import Transcript
from workbench.tui.viewer import RequestViewer, Viewer
from workbench.view.entries import Line, Span, all_lines
from workbench.view.requests import request_count, request_page


class Reading(RunBase):
    """Nothing in here changes the run."""

    # ------------------------------------------------------------ the transcript

    @on(Transcript.Selected)
    def _selected(self) -> None:
        if self.is_attached:
            self.draw_selection()

    @on(Transcript.FollowChanged)
    def _follow_changed(self) -> None:
        self.draw_notice()

    @on(CallsPane.Picked)
    def _call_picked(self, event: CallsPane.Picked) -> None:
        index = self.desk.entry_of_call(event.call_id)
        if index >= 0:
            self.transcript.select(index)

    def action_view(self) -> None:
        """The whole entry; while a call waits, all of its arguments."""
        if self.desk.stand in ("approval", "interrupted") and self.bar.mode == "question":
            self.show_whole()
            return
        if not self.can("view"):
            return
        index = self.transcript.cursor
        entry = self.desk.timeline.entry(index)
        title: Line = (Span(entry.word, entry.role, bold=True), Span(f"   event {entry.key}", "quiet"))
        body = [*all_lines(entry), *self.desk.hidden_lines(index)]
        self.app.push_screen(
            Viewer(title, body, facts=f"{sum(len(s.text) for line in body for s in line):,} characters")
        )

    def action_original(self) -> None:
        if self.can("original"):
            index = self.transcript.cursor
            self.desk.timeline.toggle_original(index)
            self.transcript.changed(index)
            self.draw()

    def action_copy_entry(self) -> None:
        if self.can("copy_entry"):
            text = self.transcript.content_of(self.transcript.cursor)
            self.app.copy_to_clipboard(text)
            self.say(f"copied {len(text):,} characters to the clipboard")

    # ------------------------------------------------------------ search

    def action_search(self) -> None:
        title: Line = (Span("Find in the transcript", "primary"), Span("   enter next · ↑ before · esc stays", "quiet"))
        self.bar.open_field("search", "primary", title, self.search_text, hint="text")
        self.draw_keys()

    search_text = ""

    @on(Input.Changed, "#bar-field")
    def _search_changed(self, event: Input.Changed) -> None:
        if self.bar.mode == "search":
            self.search_text = event.value
            self.transcript.search(event.value)

    @on(BarField.Find)
    def _find(self, event: BarField.Find) -> None:
        self.transcript.find(forward=event.forward)

    @on(Transcript.Found)
    def _found(self, event: Transcript.Found) -> None:
        if self.bar.mode == "search":
            if event.place is None:
                self.bar.note((Span("nothing found", "error"),))
            else:
                self.bar.note((Span("round the end, from the start" if event.wrapped else "", "quiet"),))

    # ------------------------------------------------------------ panes

    def show(self, what: Shown) -> None:
        """On a narrow screen: the transcript, the calls or the budget in the same place."""
        self.shown = what
        body = self.query_one("#body")
        body.set_class(what == "calls", "show-calls")
        body.set_class(what == "budget", "show-budget")
        if what == "transcript" or not self.narrow:
            self.transcript.focus()
        self.call_after_refresh(self.draw)

    def action_show_transcript(self) -> None:
        self.show("transcript")

    def action_show_calls(self) -> None:
        self.show("calls" if self.narrow else "transcript")

    def action_show_budget(self) -> None:
        self.show("budget" if self.narrow else "transcript")

    # ------------------------------------------------------------ what the model sees

    def action_sees(self) -> None:
        """The exact request of the step of the picked entry, or the next one."""
        state = self.desk.state
        pages = [partial(request_page, state, index) for index in range(request_count(state))]
        at = min(self.desk.request_of_entry(self.transcript.cursor), len(pages) - 1)
        self.app.push_screen(RequestViewer(pages, at))

    def action_loop(self) -> None:
        """The loop laid open, from the frame that is looked at."""
        self.app.push_screen(LoopView(self.desk))
