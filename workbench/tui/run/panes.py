"""Keys that go from pane to pane, and the one that closes the innermost thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.tui.run.bar import BarPane
from workbench.tui.run.frame import CallsPane, Shown, SideColumn
from workbench.tui.run.parts import Part


@dataclass(eq=False)
class Panes(Part):
    """The transcript, the calls, the budget, the bar: which is shown, which has the keys, what is picked in them."""

    pane: BarPane
    closers: Sequence[Callable[[], bool]] = ()
    """What may be closed, the innermost first; each returns whether it was there to be closed."""

    # ------------------------------------------------------------ on a narrow screen

    def show(self, what: Shown) -> None:
        """On a narrow screen: the transcript, the calls or the budget in the same place."""
        self.drawing.shown = what
        body = self.screen.query_one("#body")
        body.set_class(what == "calls", "show-calls")
        body.set_class(what == "budget", "show-budget")
        self.drawing.draw()
        self.screen.call_after_refresh(self._shown)

    def _shown(self) -> None:
        # Only now is it known how much room there is.
        self.sized()
        (self._calls if self.drawing.shown == "calls" and self._calls.region else self.drawing.transcript).focus()

    def sized(self) -> None:
        """There is more or less room than before. Pick in the transcript what was picked while it was out of sight."""
        self.drawing.draw_selection()
        index = self.drawing.picked_unseen
        if index is not None and self.drawing.transcript.region:
            self.drawing.picked_unseen = None
            self.drawing.transcript.select(index)

    def action_show_transcript(self) -> None:
        self.show("transcript")

    def action_show_calls(self) -> None:
        self.show("calls")

    def action_show_budget(self) -> None:
        self.show("budget")

    # ------------------------------------------------------------ picking

    def move(self, by: int) -> None:
        """Pick the call above or below the one that is picked."""
        picked = self.desk.selected_call(self.drawing.picked)
        if picked is not None:
            self.pick(f"c{int(picked.call.id[1:]) + by}")

    def pick(self, call_id: str) -> None:
        """Pick the entry of a call."""
        index = self.desk.entry_of_call(call_id)
        if index >= 0 and self.drawing.transcript.region:
            self.drawing.transcript.select(index)
        elif index >= 0:
            self.drawing.picked_unseen = index
            self.drawing.draw_selection()

    # ------------------------------------------------------------ which has the keys

    @property
    def _calls(self) -> CallsPane:
        return self.screen.query_one(SideColumn).calls

    def action_next_pane(self) -> None:
        self._turn(1)

    def action_previous_pane(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        """From pane to pane: the transcript, what is open in the bar, the calls."""
        inside = self.pane.inside
        there = [self.drawing.transcript, *([inside] if inside is not None else []), self._calls]
        panes = [pane for pane in there if pane.region]
        if panes:
            focused = self.screen.focused
            at = panes.index(focused) if focused in panes else -by
            panes[(at + by) % len(panes)].focus()
        self.drawing.draw_keys()

    # ------------------------------------------------------------ closing

    def action_close(self) -> None:
        """The innermost thing: a field, a list, the past; then a question is denied without a reason."""
        any(close() for close in self.closers)

    def leave(self) -> bool:
        """Back to the transcript. Returns whether something else stood in its place."""
        elsewhere = self.drawing.shown != "transcript"
        if elsewhere:
            self.show("transcript")
        return elsewhere

    def focus_transcript(self) -> bool:
        """Give the keys to the transcript. Returns whether something else had them."""
        elsewhere = self.screen.focused is not self.drawing.transcript
        if elsewhere:
            self.drawing.transcript.focus()
        return elsewhere
