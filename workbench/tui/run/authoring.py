"""Being the model, changing what the script says next, and making scripts of runs."""

from __future__ import annotations

import json
from pathlib import Path

from textual import on
from textual.widgets import TextArea

from workbench.models.human import HumanModel
from workbench.models.written import write, written_problem
from workbench.tui.choose import Choose
from workbench.tui.run.bar import BarArea
from workbench.tui.run.keeping import Keeping
from workbench.tui.run.moving import Moving
from workbench.tui.run.script import reply_due
from workbench.tui.screens import shell_of
from workbench.view.authoring import Piece, reading_line, reply_pieces
from workbench.view.bars import Bar, reply_bar
from workbench.view.entries import Line, Span

WRITING = ("reply", "rewrite", "edit-reply")
"""What is open in the bar when a reply is written."""


class Authoring(Moving, Keeping):
    """A person writes what the model says."""

    reply_draft = ""
    """A reply that was typed and not sent."""
    put_off = -1
    """How many events there were when the person closed the field for the reply that is due."""

    # ------------------------------------------------------------ being the model

    def draw(self) -> None:
        super().draw()
        due = self.is_attached and self.desk.stand == "reply" and not self.opened.read_only
        if due and self.bar.mode in ("", "question") and self.put_off != len(self.run_.events):
            self.write_reply()

    def wanted_bar(self) -> Bar | None:
        if self.desk.stand == "reply":
            return reply_bar(self.run_.state, self.reply_draft, max(20, self.size.width - 5))
        return super().wanted_bar()

    def write_reply(self) -> None:
        """The field for the reply that is due."""
        title: Line = (
            Span("▲ You are the model", "wait", bold=True),
            Span(
                self.worded("   the run waits for your reply; {sees} shows all that the model reads", typing=True),
                "quiet",
            ),
        )
        self.bar.open_area("reply", "wait", title, "", self.reply_draft, numbered=self._native)
        self._judge(self.reply_draft)
        self.draw_keys()

    def action_move(self) -> None:
        if self.desk.stand == "reply" and self.can("move"):
            self.keep_going = False
            self.write_reply()
        else:
            super().action_move()

    def action_run(self) -> None:
        if self.desk.stand == "reply" and self.can("run"):
            self.keep_going = True
            self.write_reply()
        else:
            super().action_run()

    def action_close(self) -> None:
        if self.bar.mode == "reply":
            self.put_off = len(self.run_.events)
        super().action_close()

    @property
    def _native(self) -> bool:
        return self.run_.state.protocol.native_tools

    # ------------------------------------------------------------ the next reply of a script

    def action_rewrite(self) -> None:
        """The reply that is due, as text to be changed."""
        due = reply_due(self.run_)
        if not self.can("rewrite") or due is None:
            return
        title: Line = (
            Span("What the script says next", "primary", bold=True),
            Span(f"   reply {due.line + 1}, changed for this run only", "quiet"),
        )
        changed = self.run_.state.next_reply or ""
        self.bar.open_area("rewrite", "primary", title, self._scripted(), changed, numbered=self._native)
        self.draw_keys()

    def _scripted(self) -> str:
        """The reply that is due, as a person would write it."""
        due = reply_due(self.run_)
        return "" if due is None else write(due.text, due.calls, native=self._native)

    # ------------------------------------------------------------ the field

    @on(TextArea.Changed, "#bar-area")
    def _reply_changed(self, event: TextArea.Changed) -> None:
        if self.bar.mode == "reply":
            self.reply_draft = event.text_area.text
        elif self.bar.mode == "edit-reply":
            self.reply_edit = (len(self.run_.events), event.text_area.text)
        if self.bar.mode in WRITING:
            self._judge(event.text_area.text)

    def _judge(self, text: str) -> None:
        """Say what the run would make of it."""
        self.bar.note(reading_line(self.run_.state, text, self.run_.tools.check))

    @on(BarArea.Sent)
    def _reply_sent(self, event: BarArea.Sent) -> None:
        mode, text = self.bar.mode, event.text
        if mode not in WRITING or self._refused(text):
            return
        if mode == "rewrite":
            changed = None if text == self._scripted() else text
            self.close_field()
            if self.command(lambda: self.run_.change({"next_reply": changed})):
                self.say("the script says what it says" if changed is None else "the next reply is what you wrote")
            return
        if mode == "edit-reply":
            self.close_field()
            self.pass_on(text)
            return
        model = self.run_.model
        assert isinstance(model, HumanModel), "nobody else waits for a reply"
        model.say(text)
        self.reply_draft = ""
        self.close_field()
        self.drive(play=self.keep_going)

    def _refused(self, text: str) -> bool:
        """Whether this cannot be sent; why is said, and the caret goes there."""
        problem = written_problem(text, native=self._native) if text.strip() else "the reply is empty"
        if not problem:
            return False
        self.say(problem)
        try:
            json.loads(text or "0")
        except json.JSONDecodeError as error:
            self.bar.area.move_cursor((error.lineno - 1, error.colno - 1))
        except (ValueError, RecursionError):
            pass
        return True

    @on(BarArea.Insert)
    def _offer_pieces(self) -> None:
        if not self.can("insert"):
            return
        offered = reply_pieces(self.run_.state)

        def chosen(index: int | None) -> None:
            if index is not None and self.bar.mode in WRITING:
                self._put_in(offered[index])

        self.app.push_screen(Choose("Insert", [(title, "") for title, _ in offered]), chosen)

    def _put_in(self, piece: Piece) -> None:
        """A JSON object takes the place of what is there; of anything else there may be more than one."""
        area = self.bar.area
        whole = self._native or not area.text.strip()
        start = area.document.start if whole else area.selection.start
        area.replace(piece[1], start, area.document.end if whole else area.selection.end)
        area.focus()

    # ------------------------------------------------------------ scripts

    def action_edit_scenario(self) -> None:
        """The script that this run was made of; where its file is gone, as it was."""
        header = self.run_.header
        path = Path(header.scenario_path)
        if header.scenario_path and path.is_file():
            shell_of(self.app).editor.file(path)
            return

        def as_it_was(_: str) -> str:
            from workbench.scenarios.writing import scenario_text

            return scenario_text(header.scenario)

        shell_of(self.app).editor.text(self.run_title, as_it_was)

    def action_make_scenario(self) -> None:
        """A script that plays this session again, to be looked at and saved."""
        if not self.can("make_scenario"):
            return
        header, events = self.run_.header, tuple(self.run_.events)

        def text(title: str) -> str:
            from workbench.scenarios.played import played

            return played(header, events, title=title).text

        shell_of(self.app).editor.text(f"{self.run_title}, as played", text)
