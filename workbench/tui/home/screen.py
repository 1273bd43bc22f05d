"""Home: what is done with the item that is picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from workbench.tui.actions import BY_NAME, key_words, keys_of, with_keys
from workbench.tui.home.base import HomeBase
from workbench.tui.home.lists import ItemList
from workbench.tui.screens import keymap_of, shell_of
from workbench.view.entries import Line, Span
from workbench.view.figures import counted
from workbench.view.shelf import Item
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.core.events import Event
    from workbench.core.values import Header
    from workbench.imports.keeping import Imported
    from workbench.sessions.store import SessionStore

_RECORD = "a session is a record: opened, {make_scenario} makes a script of it"


class HomeScreen(HomeBase):
    """Open a script or a session, run it; name a session, or delete it."""

    def action_open(self) -> None:
        self._open(play=False)

    def action_open_and_run(self) -> None:
        self._open(play=True)

    @on(ItemList.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    @on(Input.Submitted)
    async def _submitted(self) -> None:
        """Whoever comes back is done with typing: the filter stays, and the keys are about the list."""
        await self.shelves.found()
        self.shelves.active.list.focus()
        self.action_open()

    def _open(self, *, play: bool) -> None:
        item = self.shelves.item
        if not self.can("open") or item is None:
            return
        if item.kind == "bad":
            self.tell(item.why)
            return
        self.note.say()
        if item.kind == "script":
            shell_of(self.app).opener.scenario(item.path, play=play)
        else:
            shell_of(self.app).opener.session(item.path, play=play)

    def action_rename(self) -> None:
        """Another name for a session of one's own; its file keeps its name."""
        from workbench.tui.dialogs import Prompt

        item = self.shelves.item
        if not self.can("rename") or item is None:
            return
        if self.shelves.active is self.shelves.scripts:
            self.note.say((Span("a script is named in its file: e edits it", "primary"),))
        elif not self._refused(item):
            prompt = Prompt("Name this session", item.title, send="name it")
            self.app.push_screen(prompt, lambda name: self._rename(item, (name or "").strip()))

    def _rename(self, item: Item, name: str) -> None:
        if name and name != item.title:
            self._change(lambda store: store.rename(item.path, name), f"named {visible(name)}")

    def action_delete(self) -> None:
        """A session of one's own, alone or with its forks; asks first."""
        from workbench.tui.dialogs import Confirm, Prune

        item = self.shelves.item
        if not self.can("delete") or item is None:
            return
        if self.shelves.active is self.shelves.scripts:
            reason = "a script is a file of its own: only sessions are deleted here"
            self.note.say((Span(reason, "primary"),))
            return
        if self._refused(item):
            return
        steps = f", {item.steps}" if item.steps else ""
        detail = f"{item.path.name}{steps}. It cannot be brought back."
        if item.forks:
            self.app.push_screen(Prune(item.title, detail, item.forks), lambda branch: self._prune(item, branch))
        else:
            self.app.push_screen(
                Confirm(f"Delete {item.title}?", detail, yes="delete"),
                lambda yes: self._prune(item, branch=False) if yes else None,
            )

    def _refused(self, item: Item) -> bool:
        """Whether that is no session of one's own; why it stays as it is is said."""
        own = item.path.parent == self.home.sessions
        if not own:
            self.note.say((Span("this session comes with the package: it stays", "primary"),))
        return not own

    def _prune(self, item: Item, branch: bool | None) -> None:
        """Delete a session, and its whole branch if need be: what was forked last goes first."""
        if branch is None:
            return
        paths = [each.path for each in reversed(self.shelves.active.with_forks(item))] if branch else [item.path]

        def delete(store: SessionStore) -> None:
            for path in paths:
                store.delete(path)

        forks = f" and {counted(item.forks, 'fork')}" if branch else ""
        self._change(delete, f"deleted {visible(item.title)}{forks}")

    def _change(self, change: Callable[[SessionStore], None], done: str) -> None:
        """Change something in the folder of sessions, and list what there is then."""
        from workbench.sessions.errors import SessionError
        from workbench.sessions.store import SessionStore

        try:
            change(SessionStore(self.home.sessions))
        except SessionError as error:
            self.tell([str(error)])
        else:
            self.note.say((Span(done, "quiet"),))
        self.shelves.read_again()

    def action_new_script(self) -> None:
        shell_of(self.app).editor.new()

    def action_edit_script(self) -> None:
        """A script, also one that cannot be read: that is where it is put right."""
        item = self.shelves.item
        if item is None or not self.can("edit_script"):
            return
        if self.shelves.active is self.shelves.scripts:
            self.note.say()
            shell_of(self.app).editor.file(item.path)
        else:
            self.note.say((Span(with_keys(_RECORD, keymap_of(self.app)), "primary"),))

    def action_compare(self) -> None:
        """Two sessions: the first press chooses one, the next one on another compares them."""
        item, sessions = self.shelves.item, self.shelves.sessions.list
        if item is None or not self.can("compare"):
            return
        if item.kind == "bad":
            self.tell(item.why)
        elif item.kind != "session":
            self.note.say((Span("a script has done nothing yet: its sessions are compared", "primary"),))
        elif sessions.noted in ("", item.key):
            self._note_down("" if sessions.noted else item.key, item.title)
        else:
            first = Path(sessions.noted)
            self._note_down("", "")
            shell_of(self.app).opener.compare(first, item.path)

    def _note_down(self, key: str, title: str) -> None:
        """Remember the session that is to be compared; none for an empty key."""
        self.shelves.sessions.list.noted = key
        press = key_words(keys_of(BY_NAME["compare"], keymap_of(self.app))[0])
        line: Line = (
            *(Span("A  ", "primary", bold=True), Span(visible(title)), Span("   on another session ", "quiet")),
            *(Span(press, "primary", bold=True), Span(" compares the two", "quiet")),
        )
        self.note.say(*([line] if key else []))
        self.draw_keys()

    def action_close(self) -> None:
        """The filter, then what is to be compared, then what was said."""
        if self.shelves.sessions.list.noted and not self._filter.is_open:
            self._note_down("", "")
        else:
            super().action_close()

    def action_matrix(self) -> None:
        """Every step of the picked script against every fault."""
        item = self.shelves.item
        if item is None or not self.can("matrix"):
            return
        if item.kind == "script":
            self.note.say()
            shell_of(self.app).opener.matrix(item.path)
        elif item.kind == "bad":
            self.tell(item.why)
        else:
            self.note.say(
                (Span("a matrix is made of a script: a session, opened, has one of its scenario", "primary"),)
            )

    def action_import_log(self) -> None:
        from workbench.tui.exchange import Importing

        self.note.say()
        Importing(self.app, self._show_imported).ask()

    def _show_imported(self, made: list[Imported]) -> None:
        """Say what came of it, and go to the first of the new sessions."""
        lines: list[Line] = []
        for session in made:
            lines.append((Span(visible(session.what)),))
            lines += [(Span(f"  {visible(note)}", "quiet"),) for note in session.notes]
        self.note.say(*lines)
        self.shelves.show_session(made[0].path)

    def action_export_session(self) -> None:
        """A session as its file tells it; a script is a file that can be taken along as it is."""
        item = self.shelves.item
        if item is None or not self.can("export_session"):
            return
        if item.kind != "session":
            self.note.say((Span("only sessions are exported: a script is a file already", "primary"),))
            return
        from workbench.tui.exchange import Exporting

        self.note.say()
        Exporting(self.app, partial(_read, item.path), item.path.stem).ask()

    def action_settings(self) -> None:
        shell_of(self.app).open_settings()

    async def action_back(self) -> None:
        """There is nothing behind Home but the shell."""
        await self.run_action("app.quit")


def _read(path: Path) -> tuple[Header, Sequence[Event]]:
    from workbench.sessions.journal import read_session

    session = read_session(path)
    return session.header, session.events
