"""All arguments of a call that waits, on a screen of their own, where it can be allowed, too."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from workbench.core.records import CallRecord
from workbench.runner import Run
from workbench.tui.actions import BY_NAME, key_words, keys_of
from workbench.tui.guard import KeyGuard, time_now
from workbench.tui.screens import keymap_of
from workbench.tui.viewer import Viewer
from workbench.view.arguments import argument_lines
from workbench.view.bars import consequences
from workbench.view.entries import Line, Span
from workbench.view.words import name_of

WIDTH = 100


class WholeCall(Viewer):
    """Ends with True when the person allowed the call here; only `y` does, and only when it was not pressed ahead."""

    KEYS = (("y", "y", "allow once"), *Viewer.KEYS)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(BY_NAME["allow"].keys, "allow", "allow once", show=False, id="allow")
    ]

    def __init__(self, run: Run, record: CallRecord) -> None:
        title: Line = (
            Span("▲ The model wants to run ", "wait"),
            Span(name_of(record.call.tool), "wait", bold=True),
        )
        lines = argument_lines(record.call.arguments)
        body = [*lines, (), *consequences(run.state, record, run.tools.preview, WIDTH)]
        super().__init__(title, body, facts=f"call {record.call.id.removeprefix('c')} · {len(lines):,} lines")
        self._guard = KeyGuard()

    def on_mount(self) -> None:
        self.call_after_refresh(lambda: self._guard.drawn(time_now()))

    def on_key(self, event: events.Key) -> None:
        self._guard.pressed(event.key, event.time)

    def action_allow(self) -> None:
        """Allow the call, unless the key was pressed ahead."""
        keys = keys_of(BY_NAME["allow"], keymap_of(self.app))
        if self._guard.allows(*keys):
            self.dismiss(True)
        else:
            self.notify(f"press {key_words(keys[0])} again", markup=False, timeout=2)
