"""What every part of the Run screen builds on: its pieces, what its keys depend on, and its one-line messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from workbench.tui.actions import bindings, reason_not, with_keys
from workbench.tui.blocks import Block, TopLine
from workbench.tui.guard import KeyGuard, time_now
from workbench.tui.keyline import KeyLine
from workbench.tui.run.bar import BarPane
from workbench.tui.run.frame import Shown, SideColumn, ThirdColumn
from workbench.tui.run.judging import Verdict
from workbench.tui.run.standing import situation_of
from workbench.tui.screens import Shell, Situated, keymap_of
from workbench.tui.situation import ScreenName, Situation
from workbench.tui.transcript.widget import Transcript
from workbench.view.desk import Desk
from workbench.view.entries import Span
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.opening import Opened

FRAME = 1 / 60
SAID_FOR = 5.0
"""Seconds a one-line message stays, at most."""


class RunBase(Screen[None]):
    """The widgets. What they show, and what keys do, is in the parts built on it."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "run")

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        super().__init__()
        self.opened = opened
        self.run_ = opened.run
        self.desk = Desk(opened.run)
        self.verdict = Verdict(opened, self.desk)
        self.guard = KeyGuard()
        self.shown: Shown = "transcript"
        self.chosen = ""
        """The call of a batch that the bar is about."""
        self.until = until
        """The reply of the script (from 0) before which the run pauses; None once it has, or when it is not to."""
        self.keep_going = play or until is not None
        """Whether the run goes on by itself after a question has been answered."""
        self.picked_unseen: int | None = None
        """The entry that was picked while the transcript was out of sight."""
        self._said = ""
        self._said_until = 0.0

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        yield Block(id="strip")
        with Horizontal(id="body"):
            yield Transcript(self.desk.timeline, id="transcript")
            yield SideColumn()
            yield ThirdColumn()
        yield Block(id="notice")
        yield BarPane(id="bar")
        yield KeyLine(keymap_of(self.app), id="keys")

    # ------------------------------------------------------------ pieces

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def bar(self) -> BarPane:
        return self.query_one(BarPane)

    @property
    def picked(self) -> int:
        """The entry that is picked; -1 where there is none."""
        return self.transcript.cursor if self.picked_unseen is None else self.picked_unseen

    @property
    def narrow(self) -> bool:
        return self.size.width < 100

    @property
    def situation(self) -> Situation:
        """What the keys depend on now."""
        now = situation_of(self.desk, self.bar.mode, self.picked)
        differs, read_only = bool(self.verdict.differs), bool(self.opened.read_only)
        now = replace(now, below=self._below(), differs=differs, read_only=read_only)
        if now.phase not in ("stopped", "answered") or not isinstance(self.app, Shell):
            return now
        following = self.app.next_lesson(self.run_.header.scenario_path)
        return replace(now, next_lesson=following.title if following is not None else "")

    def _below(self) -> ScreenName:
        stack = self.app.screen_stack
        under = stack[: stack.index(self)] if self in stack else ()
        return next((each.situation.screen for each in reversed(under) if isinstance(each, Situated)), "home")

    @property
    def going(self) -> bool:
        """Whether a move is being made, or the next one will be by itself."""
        return self.run_.in_flight is not None or self.run_.playing

    @property
    def at_work(self) -> bool:
        """Whether moves are being made, here or elsewhere."""
        return self.going or self.desk.stand == "elsewhere"

    @property
    def run_title(self) -> str:
        return self.run_.state.title or self.run_.header.goal

    @property
    def session_path(self) -> Path | None:
        """Where the run is kept."""
        return self.opened.session_path

    @property
    def script_path(self) -> Path | None:
        """Where its scenario is from; None where that is known no more."""
        path = self.run_.header.scenario_path
        return Path(path) if path else None

    def focus_something(self) -> None:
        """Focus what the keys are for, where nothing has it any more."""
        bar = self.bar
        if self.focused is not None and self.focused.display and self.focused.region:
            return
        inside = bar.inside
        if self.has_class("covered") and self.has_class("-low") and inside is not None:
            inside.focus()
        elif self.shown == "calls" and self.narrow:
            self.query_one(SideColumn).calls.focus()
        else:
            self.transcript.focus()

    # ------------------------------------------------------------ saying something

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        reason = reason_not(action, self.situation, keymap_of(self.app))
        if reason:
            self.say(reason)
        return not reason

    def worded(self, words: str, *, typing: bool = False) -> str:
        """Words of ours in which actions in braces stand for their keys."""
        return with_keys(words, keymap_of(self.app), typing=typing)

    def say(self, text: str) -> None:
        """One line above the bar, until the next key and for a few seconds at most."""
        self._said, self._said_until = visible(text), time_now() + SAID_FOR
        self.draw_notice()
        self.set_timer(SAID_FOR, self.draw_notice)

    def unsay(self) -> None:
        """Another key was pressed: what was said is about the one before."""
        if self._said:
            self._said = ""
            self.set_timer(FRAME, self.draw_notice)  # what the key says itself comes first

    def draw_notice(self) -> None:
        """The one-line message, else how much is below what can be seen."""
        notice = self.query_one("#notice", Block)
        transcript = self.transcript
        below = transcript.below if transcript.region and not transcript.follows else 0
        if self._said and time_now() < self._said_until:
            notice.put([(Span(f" {self._said}", "primary"),)])
        elif below > 0:
            notice.put([(Span(f" ▼ {below:,} more · {self.worded('{latest} follows')}", "quiet"),)])
        notice.display = below > 0 or bool(self._said and time_now() < self._said_until)
