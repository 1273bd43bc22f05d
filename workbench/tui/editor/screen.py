"""The script editor: the text on the left, what it comes to beside it, what is wrong below."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import TextArea

from workbench.core.values import ToolInfo
from workbench.home import Home
from workbench.scenarios.files import ScriptFileError
from workbench.scenarios.review import Known, Review, review
from workbench.scenarios.schema import Scenario
from workbench.scenarios.templates import Piece
from workbench.tui.actions import BY_NAME, bindings, key_words, keys_of
from workbench.tui.choose import Choose
from workbench.tui.dialogs import Confirm
from workbench.tui.editor.area import ScriptArea
from workbench.tui.editor.draft import Draft, known_to
from workbench.tui.editor.insertion import insertion
from workbench.tui.editor.problems import ProblemList
from workbench.tui.keyline import KeyLine
from workbench.tui.run.frame import Block, TopLine
from workbench.tui.screens import keymap_of, shell_of
from workbench.tui.situation import Situation
from workbench.view.entries import Line, Span
from workbench.view.figures import counted
from workbench.view.lines import heading
from workbench.view.preview import preview
from workbench.view.script_pieces import protocol_in, script_pieces

PAUSE = 0.12
"""Seconds after a key until the text is read: somebody who types fast is not interrupted."""
SAID_FOR = 6.0


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
        & #preview Block { height: auto; }
        & #said { display: none; height: auto; padding: 0 1; background: $background; }
        &.-wide #preview { width: 60; }
        &.-narrow #preview, &.-tiny #preview { display: none; }
    }
    """

    def __init__(self, draft: Draft, known: Known, home: Home) -> None:
        super().__init__()
        self.draft = draft
        self.known = known
        self.review = Review()
        self.reviewed: str | None = None
        """The text that the review is about."""
        self._home = home
        self._good: Scenario | None = None
        """The scenario of the last text that could be read."""
        self._waiting: Timer | None = None
        self._said: Timer | None = None

    def compose(self) -> ComposeResult:
        yield TopLine("", id="top")
        with Horizontal(id="body"):
            yield ScriptArea(self.draft.text, id="text")
            with Vertical(id="preview"):
                yield Block("")
        yield ProblemList(id="problems")
        yield Block("", id="said")
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_mount(self) -> None:
        self._read()
        self._draw()

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def on_screen_suspend(self) -> None:
        """What was said is old when somebody comes back."""
        self._unsay()

    async def on_screen_resume(self) -> None:
        """Back from a run: it may be that its tools are trusted now."""
        shell = shell_of(self.app)
        if shell.home != self._home:
            self._home = shell.home
            self.known = await asyncio.to_thread(known_to, shell.home)
            self._read()

    # ------------------------------------------------------------ pieces

    @property
    def area(self) -> ScriptArea:
        return self.query_one(ScriptArea)

    @property
    def problems(self) -> ProblemList:
        return self.query_one(ProblemList)

    @property
    def text(self) -> str:
        return self.area.text

    @property
    def unsaved(self) -> str:
        """The name of the file whose changes would be lost; "" when none would."""
        return self.draft.path.name if self.draft.differs(self.text) else ""

    @property
    def situation(self) -> Situation:
        return Situation(screen="editor", phase="typing" if self.area.has_focus else "idle")

    # ------------------------------------------------------------ reading what is typed

    @on(TextArea.Changed)
    def _typed(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE, self._read)
        self._unsay()
        self._draw_top()

    def _read(self) -> None:
        """Look through the text as it is now."""
        self.run_worker(self._review(), group="review", exclusive=True)

    async def _review(self) -> Review:
        text = self.text
        found = await asyncio.to_thread(review, text, self.draft.path.name, self.known)
        self.review, self.reviewed = found, text
        self._good = found.scenario or self._good
        self._draw()
        return found

    @on(TextArea.SelectionChanged)
    def _moved(self) -> None:
        self._draw_top()
        self._draw_problems()
        self._draw_preview()

    def on_descendant_focus(self) -> None:
        self._draw_keys()

    # ------------------------------------------------------------ drawing

    def _draw(self) -> None:
        if not self.is_attached:
            return
        self.area.mark(problem.line - 1 for problem in self.review.problems)
        self._draw_problems()
        self._draw_preview()
        self._draw_top()
        self._draw_keys()

    def _draw_top(self) -> None:
        count = len(self.review.problems)
        if self.reviewed is None:
            state = Span("reading", "quiet")
        elif count:
            state = Span(f"✗ {counted(count, 'problem')}", "error")
        else:
            state = Span("✓ reads well", "go")
        row = self.area.cursor_location[0] + 1
        kind = "stopped" if count else ""
        self.query_one(TopLine).show(self.draft.path.name, self._facts(), f"line {row}", state, kind)

    def _facts(self) -> str:
        """Where the text is, or goes: from the workbench folder, which Home names."""
        draft = self.draft
        where = draft.path.relative_to(self._home.root) if draft.path.is_relative_to(self._home.root) else draft.path
        if draft.example is not None:
            return f"an example: saved as {where}"
        if draft.saved is None:
            return f"not saved yet: goes to {where}"
        return "changed, not saved" if self.unsaved else f"saved as {where}"

    def _draw_problems(self) -> None:
        row = self.area.cursor_location[0] + 1
        problems = self.review.problems
        picked = next((index for index, problem in enumerate(problems) if problem.line == row), None)
        well: Line = (Span("✓ ", "go"), Span("nothing is wrong with it", "quiet"))
        if self.reviewed is None:
            well = (Span("reading…", "quiet"),)
        elif remark := self.review.remark_at(row):
            about = f"line {remark.line}: {remark.message}"
            well = (*well, Span("   ≈ ", "changed"), Span(about))
        self.problems.show(problems, well, self.problems.picked if picked is None else picked)

    def _draw_preview(self) -> None:
        pane = self.query_one("#preview")
        if not pane.display or self._good is None:
            return
        width, rows = max(20, pane.content_size.width), pane.content_size.height
        title = "As it would run" if self.review.scenario is not None else "As it was, before it was wrong"
        here = self.review.reply_at(self.area.cursor_location[0] + 1)
        lines = preview(self._good, self._tools, width, rows - 2, here)
        pane.query_one(Block).put([heading(title, width), *lines])

    @property
    def _tools(self) -> tuple[ToolInfo, ...]:
        return self.known.tools

    def _draw_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    def say(self, text: str, *, wrong: bool = False) -> None:
        """A line above the keys, for a few seconds."""
        said = self.query_one("#said", Block)
        said.put([(Span("✗ " if wrong else "", "error"), Span(text, "" if wrong else "primary"))])
        said.display = True
        if self._said is not None:
            self._said.stop()
        self._said = self.set_timer(SAID_FOR, self._unsay)

    def _unsay(self) -> None:
        for said in self.query("#said"):
            said.display = False

    # ------------------------------------------------------------ moving about

    @on(ProblemList.Chosen)
    def _chosen(self, event: ProblemList.Chosen) -> None:
        if 0 <= event.index < len(self.review.problems):
            self.area.go_to(self.review.problems[event.index].line - 1)
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
            self.say(f"{leave} leaves the editor, {back} goes back to the text")

    def action_back(self) -> None:
        if not self.unsaved:
            self.dismiss()
            return
        lost = f"The changes in {self.unsaved} are lost; ctrl+s saves them."
        self.app.push_screen(Confirm("Leave without saving?", lost, yes="leave", no="stay"), self._leave)

    def _leave(self, yes: bool | None) -> None:
        if yes:
            self.dismiss()

    # ------------------------------------------------------------ saving

    def action_save(self) -> None:
        self.run_worker(self._save(), group="save", exclusive=True)

    async def _save(self) -> bool:
        """Write the file, after asking where somebody else has written it meanwhile. Returns whether it was written."""
        draft, text = self.draft, self.text
        if draft.overwritten() and not await self._overwrite():
            return False
        try:
            await asyncio.to_thread(draft.save, text)
        except ScriptFileError as error:
            self.say(str(error), wrong=True)
            return False
        found = self.review if self.reviewed == text else await self._review()
        count = len(found.problems)
        # The path comes last: it may be long, and what is cut is its end.
        wrong = f", with {counted(count, 'problem')}," if count else ""
        self.say(f"saved{wrong} as {_short(draft.path)}")
        self._draw_top()
        return True

    async def _overwrite(self) -> bool:
        why = "It was changed, or removed, since it was opened here. What is in it now is lost."
        asked: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self.app.push_screen(Confirm(f"Overwrite {self.draft.path.name}?", why, yes="overwrite"), asked.set_result)
        return bool(await asked)

    # ------------------------------------------------------------ running

    def action_run_script(self) -> None:
        """Open a run of it, before the first move."""
        self.run_worker(self._run(None), group="save", exclusive=True)

    def action_run_from_here(self) -> None:
        """Run it up to the reply under the caret."""
        row = self.area.cursor_location[0] + 1
        self.run_worker(self._run(row), group="save", exclusive=True)

    async def _run(self, row: int | None) -> None:
        found = await self._review()
        wrong = next((problem for problem in found.problems if not self._may_be_trusted(problem.key)), None)
        if wrong is not None:
            self.area.go_to(wrong.line - 1)
            self.area.focus()
            self.say(f"it cannot run yet: line {wrong.line}", wrong=True)
            return
        scenario = found.scenario
        assert scenario is not None, "what cannot be read has a problem"
        until = None if row is None else found.reply_at(row)
        if until is not None and not scenario.model.reply:
            self.say("there is no script to run up to: its replies do not come from this file", wrong=True)
        elif not self.draft.differs(self.text) or await self._save():
            shell_of(self.app).opener.scenario(self.draft.source, until=until)

    def _may_be_trusted(self, key: str) -> bool:
        """Whether this is about a tool that may be there once the person trusts it, which is asked when it runs."""
        return bool(self.known.unloaded) and key.startswith("tools[")

    # ------------------------------------------------------------ pieces

    def action_insert_table(self) -> None:
        """Choose a table to put in after that of the caret."""
        offered = self._pieces()

        def chosen(index: int | None) -> None:
            if index is not None:
                self._insert(offered[index])

        protocol = protocol_in(self.text)
        self.app.push_screen(Choose(f"Insert, in protocol {protocol}", [(each.title, "") for each in offered]), chosen)

    def _pieces(self) -> list[Piece]:
        """What can be put in: replies as this script has them, and for its tools."""
        scenario = self._good
        named = scenario.tools if scenario is not None else ()
        tools = [tool for name in named for tool in self.known.tools if tool.name == name]
        finish = scenario.protocol_options.finish if scenario is not None else "text"
        return script_pieces(protocol_in(self.text), tools, finish=finish)

    def _insert(self, piece: Piece) -> None:
        area = self.area
        lines = area.document.lines
        what = insertion("\n".join(lines), area.cursor_location[0], piece.text)
        if what.text:
            at_end = what.row >= len(lines)
            area.insert(what.text, (len(lines) - 1, len(lines[-1])) if at_end else (what.row, 0))
        else:
            self.say("it is here already")
        area.go_to(what.caret)
        area.focus()


def _short(path: Path) -> str:
    """The path as people write it."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(path)
