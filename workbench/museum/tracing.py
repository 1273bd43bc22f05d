"""Where a wrong loop stood at each event of its run: its own source, led through what was recorded.

The loop is code of the workbench that acts by asking. Here nobody acts: each of its requests is answered with what the
session says came back, so a session that was saved can be followed line by line, and nothing happens twice.
"""

from __future__ import annotations

import ast
import traceback
from collections.abc import Coroutine, Sequence
from contextlib import closing
from types import FrameType
from typing import Any

from workbench.core.events import Event, ModelFailed, ModelReply, StopRequested, ToolResult, ToolStarted, UserMessage
from workbench.core.values import Header
from workbench.museum.acts import Act, Ask, Result, Use
from workbench.museum.feeding import begun, error_of_model, error_of_result
from workbench.museum.registry import BUG, Piece
from workbench.museum.scribe import as_heard, as_returned
from workbench.view.lines import one_line
from workbench.view.tracer import Trace

_DECIDED = ("denied", "answered")


def first_line(source: Sequence[str]) -> int:
    """The line, from 0, with which the code begins that is more than a docstring and imports."""
    for node in ast.parse("\n".join(source)).body:
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            return node.lineno - 1
    return 0


def traces(piece: Piece, header: Header, events: Sequence[Event]) -> list[Trace]:
    """For each event the line of the source, from 0, at which the loop stood when it was recorded."""
    source = piece.source()
    found: list[Trace] = []
    with closing(begun(piece, header)) as loop:
        walk = _Walk(piece, header, loop)
        for event in events:
            walk.take(event)
            _, bug, why = source[walk.line - 1].partition(BUG)
            caption = f"{_what_came(event)}{walk.caption}{f' The bug{why}.' if bug else ''}"
            found.append(Trace(walk.line - 1, one_line(caption)))
    return found


class _Walk:
    """One way through a loop."""

    def __init__(self, piece: Piece, header: Header, loop: Coroutine[Any, Any, Any]) -> None:
        self._loop = loop
        self._file = piece.loop.__code__.co_filename
        self._frame: FrameType = self._loop.cr_frame  # type: ignore[attr-defined]
        self._dialect = piece.dialect if header.protocol == "native" else None
        self._act: Act | None = None
        self._begun = False
        self._started: set[str] = set()
        self.line: int = self._frame.f_lineno
        self.caption = "The loop has not begun."

    def take(self, event: Event) -> None:
        """Give the loop what the event brought it, where it waits for that."""
        match event:
            case UserMessage() if not self._begun:
                self._begun = True
                self._resume()
            case ModelReply() if isinstance(self._act, Ask):
                self._resume(as_heard(event, self._dialect))
            case ModelFailed() if isinstance(self._act, Ask):
                failure = error_of_model(event)
                self._resume(error=failure) if failure is not None else self._let_go()
            case ToolStarted():
                self._started.add(event.call)
            case ToolResult() if isinstance(self._act, Use) and self._is_answer(event):
                error = error_of_result(event)
                self._resume(as_returned(event) if error is None else None, error)
            case StopRequested():
                self._let_go()

    def _is_answer(self, result: ToolResult) -> bool:
        """Whether that came of the call the loop waits for; results of calls it never made are beside it."""
        return result.call in self._started or result.outcome in _DECIDED

    def _let_go(self) -> None:
        if self._act is not None:
            self._loop.close()
            self._act = None
            self.caption = "The loop was let go here."

    def _resume(self, value: Any = None, error: Exception | None = None) -> None:
        try:
            self._act = self._loop.send(value) if error is None else self._loop.throw(error)
        except StopIteration as end:
            self._act = None
            self.line = self._frame.f_lineno
            self.caption = _returned(end.value)
        except Exception as crash:  # noqa: BLE001 - a loop that crashes is what there is to see
            self._act = None
            own = [each for each in traceback.extract_tb(crash.__traceback__) if each.filename == self._file]
            self.line = (own[-1].lineno if own else None) or self._frame.f_lineno
            self.caption = f"{type(crash).__name__}: {crash}. Nothing catches it here, so the loop ends."
        else:
            self.line = self._innermost().f_lineno
            self.caption = _wants(self._act)

    def _innermost(self) -> FrameType:
        """The frame that waits, as far as it is of the piece and not of what the piece calls."""
        frame, waits = self._frame, self._loop.cr_await  # type: ignore[attr-defined]
        while (inner := getattr(waits, "cr_frame", None)) is not None and inner.f_code.co_filename == self._file:
            frame, waits = inner, waits.cr_await
        return frame


def _what_came(event: Event) -> str:
    match event:
        case ModelReply():
            return "The reply has come. "
        case ModelFailed():
            return f"The request brought no reply: {event.failure.replace('_', ' ')}. "
        case ToolResult():
            return "The result has come. "
        case _:
            return ""


def _wants(act: Act | None) -> str:
    if isinstance(act, Ask):
        entries = len(act.history)
        return f"The loop asks the model, with {entries} {'entry' if entries == 1 else 'entries'}."
    return f"The loop calls {act.tool}." if act is not None else ""


def _returned(value: str | Result | None) -> str:
    if isinstance(value, str):
        return "The loop returns what it takes for the answer."
    if value is None:
        return "The loop returns None: who called it cannot tell why there is no answer."
    return f"The loop returns, and says how it ended: {value.status.value}."
