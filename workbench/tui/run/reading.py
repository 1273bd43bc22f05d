"""Keys for reading: whole entries, originals, search, panes, and what the model sees."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.widgets import Input

from workbench.core.door import reply_at
from workbench.core.records import CallRecord
from workbench.faults.replies import written_out
from workbench.tui.copying import copied_words
from workbench.tui.run.bar import SearchField
from workbench.tui.run.deciding import Deciding
from workbench.tui.run.frame import CallsPane, Shown, SideColumn, ThirdColumn
from workbench.tui.run.loop_view import LoopView
from workbench.tui.transcript.widget import Transcript
from workbench.tui.viewer import RequestViewer, Viewer
from workbench.view.arguments import argument_lines
from workbench.view.entries import Line, Span, lines_of
from workbench.view.requests import request_count, request_page
from workbench.view.words import name_of


class Reading(Deciding):
    """Nothing in here changes the run."""

    # ------------------------------------------------------------ the transcript

    def on_mount(self) -> None:
        self.watch(self.transcript, "cursor", self._selected, init=False)
        self.watch(self.transcript, "standing", self.draw_notice, init=False)

    def _selected(self) -> None:
        if self.is_attached and not self.drawing and self.picked != self.drawn_cursor:
            self.draw_selection()
            self.draw_keys()

    @on(CallsPane.Moved)
    def _call_moved(self, event: CallsPane.Moved) -> None:
        picked = self.desk.selected_call(self.picked)
        if picked is not None:
            self._pick_call(f"c{int(picked.call.id[1:]) + event.by}")

    @on(CallsPane.Picked)
    def _call_picked(self, event: CallsPane.Picked) -> None:
        self._pick_call(event.call_id)

    def _pick_call(self, call_id: str) -> None:
        index = self.desk.entry_of_call(call_id)
        if index >= 0 and self.transcript.region:
            self.transcript.select(index)
        elif index >= 0:
            self.picked_unseen = index
            self.draw_selection()

    def action_view(self) -> None:
        """The whole entry; while something waits for the person, all of that."""
        reply = self.run_.state.held_reply
        if reply is not None and self.bar.mode == "question" and self.desk.stand == "hold":
            lines = list(lines_of(written_out(reply_at(reply))))
            self._view((Span("◆ Held: ", "held"), Span("the reply", bold=True)), lines)
            return
        asked = self.waiting() if self.bar.mode == "question" else []
        if asked and self.desk.stand == "approval":
            self.show_whole()
        elif asked:
            self._view_asked(asked[0])
        elif self.can("view"):
            index = self.picked
            entry = self.desk.timeline.entry(index)
            title: Line = (Span(entry.word, entry.role, bold=True), Span(f"   event {entry.key}", "quiet"))
            self._view(title, self.desk.whole(index))

    def _view_asked(self, record: CallRecord) -> None:
        """The arguments of a call that was interrupted, or the result that is held."""
        name = Span(name_of(record.call.tool), bold=True)
        if record.held is not None:
            self._view((Span("◆ Held: ", "held"), name), list(lines_of(record.held.content)))
        else:
            self._view((Span("▲ Interrupted: ", "wait"), name), argument_lines(record.arguments))

    def _view(self, title: Line, body: list[Line]) -> None:
        facts = f"{sum(len(span.text) for line in body for span in line):,} characters"
        self.app.push_screen(Viewer(title, body, facts=facts))

    def action_original(self) -> None:
        if self.can("original"):
            index = self.picked
            self.desk.timeline.toggle_original(index)
            self.transcript.changed(index)
            self.draw()

    def action_copy_entry(self) -> None:
        if self.can("copy_entry"):
            held = self.desk.held_text(self.picked)
            text = self.transcript.content_of(self.picked) if held is None else held
            self.app.copy_to_clipboard(text)
            self.say(copied_words(text))

    # ------------------------------------------------------------ search

    def action_search(self) -> None:
        title: Line = (Span("Find in the transcript", "primary"), Span("   enter next · ↑ before · esc stays", "quiet"))
        self.bar.open_field("search", "primary", title, self.search_text, hint="text")
        self.draw_keys()

    search_text = ""

    @on(Input.Changed, "#bar-search")
    def _search_changed(self, event: Input.Changed) -> None:
        if self.bar.mode == "search":
            self.search_text = event.value
            self.transcript.search(event.value)
            self.bar.note()

    @on(SearchField.Find)
    def _find(self, event: SearchField.Find) -> None:
        self.transcript.find(forward=event.forward)

    @on(Transcript.Found)
    def _found(self, event: Transcript.Found) -> None:
        if self.bar.mode == "search":
            nothing, round_ = [(Span("nothing found", "error"),)], [(Span("round the end, from the start", "quiet"),)]
            self.bar.note(*(nothing if event.place is None else round_ if event.wrapped else ()))

    # ------------------------------------------------------------ panes

    def show(self, what: Shown) -> None:
        """On a narrow screen: the transcript, the calls or the budget in the same place."""
        self.shown = what
        body = self.query_one("#body")
        body.set_class(what == "calls", "show-calls")
        body.set_class(what == "budget", "show-budget")
        self.draw()
        self.call_after_refresh(self._shown)

    @on(SideColumn.Sized)
    @on(ThirdColumn.Sized)
    def _sized(self) -> None:
        self.draw_selection()
        self._pick_seen()

    def _pick_seen(self) -> None:
        """Pick in the transcript what was picked while it was out of sight."""
        index = self.picked_unseen
        if index is not None and self.transcript.region:
            self.picked_unseen = None
            self.transcript.select(index)

    def _shown(self) -> None:
        # Only now is it known how much room there is.
        self.draw_selection()
        self._pick_seen()
        calls = self.query_one(SideColumn).calls
        (calls if self.shown == "calls" and calls.region else self.transcript).focus()

    def action_show_transcript(self) -> None:
        self.show("transcript")

    def action_show_calls(self) -> None:
        self.show("calls")

    def action_show_budget(self) -> None:
        self.show("budget")

    # ------------------------------------------------------------ what the model sees

    def action_sees(self) -> None:
        """The exact request of the step of the picked entry, or the next one."""
        state = self.desk.state
        pages = [partial(request_page, state, index) for index in range(request_count(state))]
        at = min(self.desk.request_of_entry(self.picked), len(pages) - 1)
        self.app.push_screen(RequestViewer(pages, at))

    def action_loop(self) -> None:
        """The loop laid open, from the frame that is looked at."""
        self.app.push_screen(LoopView(self.desk))
