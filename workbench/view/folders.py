"""Reads the scripts and sessions of a home for its lists, and finds sessions by what was said in them.

What parses files is imported when the first one is read, so that importing this costs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from time import thread_time
from typing import TYPE_CHECKING, Any

from workbench.core.statuses import Status
from workbench.home import Home
from workbench.view.query import Query, matching
from workbench.view.shelf import Bad, Item, Saved, Script, first_line, script_items, session_items

if TYPE_CHECKING:
    from workbench.scenarios.errors import Problem
    from workbench.sessions.index import SessionIndex

Stamp = tuple[int, int]
"""When a file was written, in ns, and its bytes."""
NEVER: Stamp = (0, -1)
"""The stamp of what has only been glanced at."""
GLIMPSED = 1 << 20
"""Bytes at the start of a file in which is looked for what it says of itself."""
FOLDED_UP_TO = 1_000_000
"""Bytes of a session that is read whole to see whether it waits for a person; a longer one says "not ended"."""


class Shelf:
    """Reads the folders of a home, as often as it is asked to. What has not changed since is not read again, and of
    sessions not even after a new start, as far as the index of the home knows them.

    Its methods may be called from any thread.
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        self._lock = Lock()
        self._scripts: dict[Path, tuple[Stamp, Script | Bad]] = {}
        self._sessions: dict[Path, tuple[Stamp, Saved | Bad]] = {}
        self._index: SessionIndex | None = None
        self._indexed: set[Path] = set()
        """Folders whose entries have been taken from the index."""

    def close(self) -> None:
        """Let the index go."""
        if self._index is not None:
            self._index.close()

    def glance_at_scripts(self, seconds: float) -> None:
        """Note what scenarios say of themselves, for about that much processor time, and where they can be read at all.

        Whether they are valid is not asked, so this takes a small part of the time of the first `read_scripts`.
        """
        until = thread_time() + seconds
        with self._lock:
            for path in self._script_files():
                if (
                    path not in self._scripts
                    and (script := _glance(path, example=self.home.is_shipped(path))) is not None
                ):
                    self._scripts[path] = (NEVER, script)
                if thread_time() > until:
                    break

    def read_scripts(self) -> None:
        """Read every scenario there is."""
        with self._lock:
            known, self._scripts = self._scripts, {}
            for path, stamp in self._script_files().items():
                kept = known.get(path)
                if kept is None or kept[0] != stamp:
                    kept = (stamp, _read_script(path, example=self.home.is_shipped(path)))
                self._scripts[path] = kept

    def _script_files(self) -> dict[Path, Stamp]:
        return _stamped(path for folder in self.home.scripts for path in sorted(folder.rglob("*.toml")))

    def list_sessions(self) -> list[Path]:
        """Session files that have to be read, the one written last first. Those that are gone are forgotten; those that
        have changed stand in the list as they were until they are read.
        """
        with self._lock:
            files = _stamped(path for folder in self.home.session_folders for path in folder.glob("*.toml"))
            known = self._known()
            self._sessions = {path: kept for path, kept in known.items() if path in files}
            self._opened().forget(path for path in known if path not in files)
            fresh = [path for path, stamp in files.items() if path not in known or known[path][0] != stamp]
            return sorted(fresh, key=lambda path: files[path], reverse=True)

    def _opened(self) -> SessionIndex:
        from workbench.sessions.index import SessionIndex

        if self._index is None:
            self._index = SessionIndex(self.home.index)
        return self._index

    def _known(self) -> dict[Path, tuple[Stamp, Saved | Bad]]:
        """What is known of sessions, from before and from the index; nothing where their texts have been lost."""
        from workbench.view.keeping import shown

        index, known = self._opened(), dict(self._sessions)
        resolved = cache(os.path.realpath)
        for folder in self.home.session_folders:
            if folder not in self._indexed:
                example = self.home.is_shipped(folder / "x.toml")
                for path, entry in index.entries(folder).items():
                    if (kept := shown(path, entry, example=example, resolved=resolved)) is not None:
                        known[path] = (entry.stamp, kept)
                self._indexed.add(folder)
        if index.lost:
            index.lost = False
            return {}
        return known

    def read_sessions(self, paths: Iterable[Path]) -> None:
        """Read some of the files that `list_sessions` named."""
        from workbench.view.keeping import entry_of

        read = [
            (path, stamp, *_read_session(path, example=self.home.is_shipped(path)))
            for path, stamp in _stamped(paths).items()
        ]
        with self._lock:
            self._sessions.update((path, (stamp, kept)) for path, stamp, kept, _ in read)
            self._opened().keep((path, entry_of(stamp, kept), text) for path, stamp, kept, text in read)

    def found(self, items: Sequence[Item], query: Query) -> list[Item]:
        """The items that a query finds, also by what was said in their sessions."""
        held: Mapping[str, frozenset[Path]] = {}
        if query.words:
            with self._lock:
                index = self._opened()
            held = {word.text: index.holding(word.text) for word in query.words}
        return matching(items, query, held)

    def scripts(self) -> list[Item]:
        """The list of scripts, as far as it has been read."""
        with self._lock:
            latest: dict[str, Saved] = {}
            for _, each in self._sessions.values():
                if isinstance(each, Saved):
                    before = latest.get(each.script)
                    if before is None or before.summary.modified < each.summary.modified:
                        latest[each.script] = each
            return script_items([kept for _, kept in self._scripts.values()], latest)

    def sessions(self, now: float) -> list[Item]:
        """The list of sessions, as far as it has been read; `now` in seconds since 1970."""
        with self._lock:
            return session_items([kept for _, kept in self._sessions.values()], now)


def _stamped(paths: Iterable[Path]) -> dict[Path, Stamp]:
    """The paths with their stamps, without those that have gone meanwhile."""
    found = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _read_script(path: Path, *, example: bool) -> Script | Bad:
    from workbench.scenarios.errors import ScenarioError
    from workbench.scenarios.loader import load_scenario

    try:
        scenario = load_scenario(path)
    except ScenarioError as error:
        return Bad(path=path, short=_short(error.problems[0]), why=tuple(map(str, error.problems)))
    texts = (scenario.title, scenario.about, scenario.goal)
    return _script(path, texts, tuple(scenario.tags), scenario.lesson, example=example)


def _glance(path: Path, *, example: bool) -> Script | None:
    try:
        values = _first_keys(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    texts = (str(values.get("title", "")), str(values.get("about", "")), str(values.get("goal", "")))
    given, lesson = values.get("tags"), values.get("lesson")
    tags = tuple(map(str, given if isinstance(given, list) else ()))
    return _script(path, texts, tags, lesson if isinstance(lesson, int) else None, example=example)


def _first_keys(text: str) -> dict[str, Any]:
    """The keys above the first table. Raises ValueError."""
    import tomllib

    try:
        return tomllib.loads(text.partition("\n[")[0])
    except tomllib.TOMLDecodeError:  # the line that seemed to begin a table stands in a text
        return tomllib.loads(text)


def _script(
    path: Path, texts: tuple[str, str, str], tags: tuple[str, ...], lesson: int | None, *, example: bool
) -> Script:
    """`texts` are title, about and goal, as the file has them."""
    title, about, goal = texts
    return Script(
        path=path,
        title=title or first_line(goal) or path.stem,
        about=first_line(about) or first_line(goal),
        tags=tags,
        lesson=lesson,
        example=example,
    )


def _short(problem: Problem) -> str:
    """The problem for a list in which the file is named already."""
    line = f"line {problem.line}" if problem.line else ""
    return ": ".join(part for part in (line, problem.key, problem.message) if part)


def _read_session(path: Path, *, example: bool) -> tuple[Saved | Bad, str]:
    """What is shown of a session, and the text of it that is searched."""
    from workbench.sessions.errors import SessionError
    from workbench.sessions.gist import gist

    try:
        found = gist(path)
        status = found.summary.status
        if status is Status.RUNNING and path.stat().st_size <= FOLDED_UP_TO:
            status = _waiting(path)
    except SessionError as error:
        return Bad(path=path, short=str(error).removeprefix(f"{path.name}: "), why=(str(error),)), ""
    except OSError as error:
        reason = f"{path.name} cannot be read: {error.strerror}"
        return Bad(path=path, short=reason, why=(reason,)), ""
    script = found.summary.scenario_path
    kept = Saved(
        summary=found.summary,
        status=status,
        script=os.path.realpath(script) if script else "",
        example=example,
        tools=found.tools,
        cost=found.cost,
    )
    return kept, found.text


def _waiting(path: Path) -> Status:
    """How a run that has not ended stands: a question that nobody has answered is in no event. Raises SessionError."""
    from workbench.core.state import fold
    from workbench.models.human import seen_status
    from workbench.sessions.journal import read_session

    session = read_session(path)
    try:
        return seen_status(fold(session.header, session.events))
    except Exception:  # noqa: BLE001 - events written by hand may make no run; whoever opens it is told
        return Status.RUNNING


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What a file says of itself before anything else."""

    session: bool
    """Whether it says that it is a session; any other is taken for a scenario."""
    title: str
    goal: str = ""


def glimpse(path: Path) -> Glimpse:
    """What can be told of a scenario or a session without reading it in earnest. Raises OSError."""
    import tomllib

    with path.open("rb") as file:
        head = file.read(GLIMPSED).removeprefix(b"\xef\xbb\xbf").partition(b"\n[[event]]")[0]
    try:
        document = tomllib.loads(head.decode())
    except (ValueError, RecursionError):
        return Glimpse(session=head.lstrip().startswith((b"format", b"[session]")), title=path.stem)
    session = "session" in document or "format" in document
    own = document.get("scenario") if session else document
    goal = own.get("goal") if isinstance(own, dict) else ""
    named = document.get("session") if session else document
    title = named.get("title") if isinstance(named, dict) else ""
    goal, title = (text if isinstance(text, str) else "" for text in (goal, title))
    return Glimpse(session=session, title=title or first_line(goal) or path.stem, goal=goal.strip("\n"))
