"""The bar: how things stand, unless something else is open in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.screen import Screen

from workbench.home import written
from workbench.tui.actions import BY_NAME, key_words, keys_of
from workbench.tui.guard import KeyGuard, time_now
from workbench.tui.run.bar import BarArea, BarPane
from workbench.tui.run.drawing import Drawing
from workbench.tui.run.fields.field import Field
from workbench.tui.run.notice import Notice
from workbench.tui.run.waiting import Waiting
from workbench.tui.screens import keymap_of
from workbench.tui.transcript.widget import Transcript
from workbench.view.bars import Bar, bar_for
from workbench.view.desk import Desk
from workbench.view.entries import Line
from workbench.view.past import past_bar

if TYPE_CHECKING:
    from workbench.opening import Opened

HOLDS = "◆ held at the door: {close}, then {move} or {edit}"
ASKS = "▲ waiting for you: {close}, then {allow} or {deny}"


@dataclass(eq=False)
class Asking:
    """Draws the bar, and opens and closes what can be open in it. Nothing in here changes the run."""

    session: Opened
    desk: Desk
    waiting: Waiting
    pane: BarPane
    drawing: Drawing
    notice: Notice
    guard: KeyGuard
    screen: Screen[None]
    adds: Sequence[Callable[[Bar | None], Bar | None]] = ()
    """What else is said of how things stand: each makes of the bar another one, in this order."""
    _drawn: object = None
    """What the bar was drawn for."""

    # ------------------------------------------------------------ how things stand

    def draw(self) -> None:
        """The bar for how things stand, unless something else is open in it."""
        pane, wanted = self.pane, self.wanted()
        asks = wanted is not None and wanted.asks
        pane.show_aside("" if not asks else self.notice.worded(HOLDS if self.desk.stand == "hold" else ASKS))
        if pane.opened is not None:
            if pane.opened.decides and self.guard.armed:
                self._arm()
            return
        key = (wanted, self.screen.size, len(self.desk.run.events) if asks else 0)
        if key == self._drawn:
            return
        self._drawn = key
        if wanted is None:
            pane.close_bar()
        else:
            pane.show_question(wanted, covers=asks)
        if asks:
            self._arm()
        self.screen.call_after_refresh(self.drawing.focus_something)

    def wanted(self) -> Bar | None:
        """The bar for how things stand."""
        wanted = self._standing()
        for add in self.adds:
            wanted = add(wanted)
        return wanted

    def _standing(self) -> Bar | None:
        desk, run = self.desk, self.desk.run
        if desk.looking_back:
            return past_bar(run.events, desk.state, self.width, desk.done)
        if desk.stand in ("running", "elsewhere"):
            return None
        path = self.session.session_path
        return bar_for(
            run.state,
            run.next,
            width=self.width,
            rows=max(3, self.screen.size.height // 3),
            preview=run.tools.preview,
            check=run.tools.check,
            chosen=self.waiting.chosen,
            saved_as=written(path) if path is not None else "",
        )

    def reset(self) -> None:
        """Draw the bar anew, also where it would say the same."""
        self._drawn = None

    def redraw(self) -> None:
        """Draw everything, the bar also where it would say the same."""
        self.reset()
        self.drawing.draw()

    # ------------------------------------------------------------ keys that decide

    def _arm(self) -> None:
        """A question is drawn anew: keys pressed before it can be seen do not decide."""
        self.guard.arm()
        self.screen.call_after_refresh(lambda: self.guard.drawn(time_now()))

    def guarded(self, action: str) -> bool:
        """Whether the press of the key of that action may decide; if not, that is said."""
        keys = keys_of(BY_NAME[action], keymap_of(self.screen.app))
        if self.guard.allows(*keys):
            return True
        self.notice.say(f"press {key_words(keys[0])} again")
        return False

    # ------------------------------------------------------------ what is open

    @property
    def opened(self) -> Field | None:
        """What is open; None also where the bar itself says how things stand."""
        return self.pane.opened

    @property
    def area(self) -> BarArea:
        """The text over several lines that is open."""
        return self.pane.area

    @property
    def width(self) -> int:
        """Cells of a row of what is open."""
        return max(20, self.screen.size.width - 5)

    @property
    def has_keys(self) -> bool:
        """Whether keys go to what is open."""
        return self.pane.inside is not None and self.screen.focused is self.pane.inside

    def open(self, field: Field) -> None:
        """Open it in place of what is there; of what is open already, draw it as it is now."""
        field.draw(self.pane)
        if field.decides:
            self._arm()
        self.drawing.draw_keys()

    def close(self) -> None:
        """Close whatever is open in the bar."""
        self.pane.close_bar()
        self.reset()
        self.screen.query_one(Transcript).focus()

    def reopen(self) -> None:
        """Close whatever is open in the bar, and show how things stand."""
        self.close()
        self.drawing.draw()

    def leave(self) -> bool:
        """A person closes what is open. Returns whether anything was."""
        opened = self.opened
        if opened is None:
            return False
        opened.closed()
        self.reopen()
        return True

    def note(self, *lines: Line) -> None:
        """Say something below what is open."""
        self.pane.note(*lines)
