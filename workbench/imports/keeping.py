"""Imports a file: each conversation in it becomes a session in the sessions folder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workbench import __version__
from workbench.core.events import Remark
from workbench.home import Home
from workbench.imports.conversation import NotUnderstood
from workbench.imports.files import read_file
from workbench.imports.session import session_of
from workbench.sessions.header import stamp
from workbench.sessions.store import SessionStore, new_id
from workbench.toolkit.loader import load_tools


@dataclass(frozen=True, slots=True)
class Imported:
    """A session that was made of a conversation."""

    path: Path
    title: str
    what: str
    """What it was made from, as a sentence without its first capital."""
    notes: tuple[str, ...]
    """What could not be read, and is kept as remarks in the session."""


def import_file(
    path: Path, home: Home, *, only: int | None = None, model: str = "", base_url: str = "", save: Path | None = None
) -> list[Imported]:
    """Make sessions of all conversations in a file, or of number `only`, from 1.

    They are kept in the sessions folder, or the single one in `save`; `model` as in `session_of`. Raises NotUnderstood,
    ScenarioError, and SessionError when a session cannot be written.
    """
    found = read_file(path)
    if only is not None:
        if not 0 < only <= len(found):
            raise NotUnderstood(f"{path} holds {len(found)} conversations; there is no number {only}")
        found = found[only - 1 : only]
    if save is not None and len(found) > 1:
        raise NotUnderstood(f"{path} holds {len(found)} conversations; one file takes one: say which with --only N")
    known = {name: tool.info for name, tool in load_tools(home.tools).tools.items()}
    store = SessionStore(home.sessions)
    made = []
    for number, conversation in enumerate(found, 1):
        now = datetime.now(UTC).replace(microsecond=0)
        title = path.name.partition(".")[0] or path.name
        header, events = session_of(
            conversation,
            id=new_id(now),
            title=title if len(found) == 1 else f"{title}, {number} of {len(found)}",
            source=path.name,
            created=stamp(now),
            workbench=__version__,
            model=model,
            base_url=base_url,
            known=known,
        )
        with store.create(header, events, save) as journal:
            what, *notes = (event.text for event in events if isinstance(event, Remark))
            made.append(Imported(journal.path, header.title, what, tuple(notes)))
    return made
