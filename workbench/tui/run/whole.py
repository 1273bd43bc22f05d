"""All arguments of a call that waits, on a screen of their own, where it can be allowed, too."""

from __future__ import annotations

from time import monotonic

from textual import events

from workbench.core.records import CallRecord
from workbench.runner import Run
from workbench.tui.guard import KeyGuard
from workbench.tui.viewer import Viewer
from workbench.view.bars import consequences
from workbench.view.entries import Line, Span
from workbench.view.panes import json_lines
from workbench.view.visible import visible


class WholeCall(Viewer):
    """Ends with True when the person allowed the call here; only `y` does, and only when it was not pressed ahead."""

    def __init__(self, run: Run, record: CallRecord) -> None:
        title: Line = (
            Span("▲ The model wants to run ", "wait"),
            Span(visible(record.call.tool), "wait", bold=True),
            Span("   y allows it once · esc goes back to the question", "quiet"),
        )
        body = [*json_lines(record.call.arguments), (), *consequences(run.state, record, run.tools.preview, 100)]
        super().__init__(title, body, facts=f"call {record.call.id.removeprefix('c')}")
        self._guard = KeyGuard()
        self._waits = record.phase == "proposed"

    def on_mount(self) -> None:
        self.call_after_refresh(lambda: self._guard.drawn(monotonic()))

    def on_key(self, event: events.Key) -> None:
        self._guard.pressed(event.key, event.time)
        if event.key == "y" and self._waits:
            event.stop()
            if self._guard.allows("y"):
                self.dismiss(True)
            else:
                self.notify("press y again", markup=False, timeout=2)
