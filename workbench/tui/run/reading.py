"""Keys for reading: whole entries, originals, and what the model sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from workbench.core.door import reply_at
from workbench.core.records import CallRecord
from workbench.faults.replies import written_out
from workbench.tui.copying import copied_words
from workbench.tui.run.loop_view import LoopView
from workbench.tui.run.parts import Part
from workbench.tui.viewer import RequestViewer, Viewer
from workbench.view.arguments import argument_lines
from workbench.view.entries import Line, Span, lines_of
from workbench.view.requests import request_count, request_page
from workbench.view.words import name_of


@dataclass(eq=False)
class Reading(Part):
    """Nothing in here changes the run."""

    show_whole: Callable[[], None]
    """Shows all of the call in front."""

    # ------------------------------------------------------------ entries

    def action_view(self) -> None:
        """The whole entry; while something waits for the person, all of that."""
        asks = self.bar.opened is None
        if asks and self.bar.waiting.reply is not None:
            lines = list(lines_of(written_out(reply_at(self.bar.waiting.reply))))
            self._view((Span("◆ Held: ", "held"), Span("the reply", bold=True)), lines)
            return
        asked = self.bar.waiting.calls() if asks else []
        if asked and self.desk.stand == "approval":
            self.show_whole()
        elif asked:
            self._view_asked(asked[0])
        elif self.can("view"):
            index = self.drawing.picked
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
        self.screen.app.push_screen(Viewer(title, body, facts=facts))

    def action_original(self) -> None:
        if self.can("original"):
            index = self.drawing.picked
            self.desk.timeline.toggle_original(index)
            self.drawing.transcript.changed(index)
            self.drawing.draw()

    def action_copy_entry(self) -> None:
        if self.can("copy_entry"):
            held = self.desk.held_text(self.drawing.picked)
            text = self.drawing.transcript.content_of(self.drawing.picked) if held is None else held
            self.screen.app.copy_to_clipboard(text)
            self.say(copied_words(text))

    # ------------------------------------------------------------ what the model sees

    def action_sees(self) -> None:
        """The exact request of the step of the picked entry, or the next one."""
        state = self.desk.state
        pages = [partial(request_page, state, index) for index in range(request_count(state))]
        at = min(self.desk.request_of_entry(self.drawing.picked), len(pages) - 1)
        self.screen.app.push_screen(RequestViewer(pages, at))

    def action_loop(self) -> None:
        """The loop laid open, from the frame that is looked at."""
        self.screen.app.push_screen(LoopView(self.desk))
