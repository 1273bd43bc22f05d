"""Small runs written by hand, over a journal on disk, so that they can be killed and opened again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from workbench.clocks import VirtualClock
from workbench.core.events import Event
from workbench.core.ports import Clock, Journal, Model, Person
from workbench.core.values import Header, ToolInfo
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.runner import Run
from workbench.sessions.journal import JournalWriter, create_session, open_session
from workbench.sessions.late import MemoryJournal
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedTool, load_function

E = TypeVar("E", bound=Event)
Function = Callable[..., Any]


def calls(*items: tuple[str, dict[str, Any] | str], **more: Any) -> Line:
    """A native reply with these calls: tool, and arguments as a table or as raw text."""
    made = [ScriptedCall(tool=name, arguments=a if isinstance(a, str) else json.dumps(a)) for name, a in items]
    return Line(calls=tuple(made), **more)


def answer(text: str = "done") -> Line:
    return Line(text=text)


def infos(*functions: Function) -> tuple[ToolInfo, ...]:
    return tuple(load_function(function).info for function in functions)


def make(
    lines: Sequence[Line],
    *functions: Function,
    model: Model | None = None,
    journal: Journal | None = None,
    clock: Clock | None = None,
    person: Person | None = None,
    events: Sequence[Event] = (),
    **header: Any,
) -> Run:
    """A run of a script with these tools; `header` are fields of the header."""
    clock = clock if clock is not None else VirtualClock()
    tools: list[LoadedTool] = [load_function(function) for function in functions]
    return Run(
        Header(**{"id": "run", "goal": "go", "tools": tuple(tool.info for tool in tools), **header}),
        model=model if model is not None else ScriptedModel(lines, clock=clock, file="script.toml"),
        tools=ToolBox(tools),
        journal=journal if journal is not None else MemoryJournal(),
        clock=clock,
        person=person,
        events=events,
    )


class Kept:
    """A run that is kept in a file. `open` begins it, or takes it up as after a crash."""

    def __init__(self, folder: Path, lines: Sequence[Line], *functions: Function, **parts: Any) -> None:
        self.path = folder / "run.toml"
        self._lines = lines
        self._functions = functions
        self._parts = parts
        self._journal: JournalWriter | None = None

    def open(self) -> Run:
        if self._journal is not None:
            self._journal.close()
        if not self.path.exists():
            header = make(self._lines, *self._functions, **self._parts).header
            self._journal = create_session(self.path, header, durable=False)
            return make(self._lines, *self._functions, journal=self._journal, **self._parts)
        session, self._journal = open_session(self.path, durable=False)
        return make(self._lines, *self._functions, journal=self._journal, events=session.events, **self._parts)

    def write(self, event: Event) -> None:
        """The last thing that the process wrote before it died."""
        assert self._journal is not None
        self._journal.append(event, sync=True)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


async def kill(task: asyncio.Task[Any]) -> None:
    """End whoever drives a run without a word to the run, as the death of the process would."""
    task.cancel()
    await asyncio.wait([task])


async def until(holds: Callable[[], object]) -> None:
    """Let others work until that is so."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - what a test waits for has no event of its own
            await asyncio.sleep(0)


def of(run: Run, kind: type[E]) -> list[E]:
    """The events of that kind."""
    return [event for event in run.events if isinstance(event, kind)]


def kinds(run: Run) -> list[str]:
    return [event.kind for event in run.events]


def outcomes(run: Run) -> dict[str, str]:
    """Outcome of each call that has a result."""
    return {r.call.id: r.result.outcome for r in run.state.every_call() if r.result is not None}
