"""A run without a screen: the transcript as it grows, then how it ended."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import suppress

from workbench.core.events import Event, to_fields
from workbench.core.loop import AskPerson, Finished
from workbench.core.statuses import SENTENCES, Status
from workbench.opening import Opened
from workbench.results import result_object
from workbench.runner import CommandError, Run
from workbench.view import words
from workbench.view.bars import one_line_arguments
from workbench.view.entries import Entry, all_lines
from workbench.view.timeline import Timeline
from workbench.view.visible import visible

Print = Callable[[str], None]


class TranscriptPrinter:
    """Prints every entry of a run once, when it is complete."""

    def __init__(self, run: Run, out: Print) -> None:
        self._timeline = Timeline(run.events, run.state)
        self._out = out
        self._printed = 0
        run.subscribe(self._event)
        self._event(None)

    def _event(self, _: Event | None) -> None:
        count = self._timeline.refresh()
        for index in range(self._printed, count):
            for line in entry_lines(self._timeline.entry(index)):
                self._out(line)
        self._printed = count


class EventPrinter:
    """Prints every event as a line of JSON."""

    def __init__(self, run: Run, out: Print) -> None:
        self._out = out
        for n, event in enumerate(run.events, 1):
            self._print(event, n)
        run.subscribe(lambda event: self._print(event, len(run.events)))

    def _print(self, event: Event, n: int) -> None:
        self._out(json.dumps({"n": n, "kind": event.kind, **to_fields(event)}))


def entry_lines(entry: Entry) -> list[str]:
    """An entry as text: step, word, and its lines beside them; what cannot be seen is shown as a sign."""
    step = f"{entry.step:>3}" if entry.step is not None else "   "
    lines = []
    for index, spans in enumerate(all_lines(entry)):
        text = visible("".join(span.text for span in spans))
        margin = f"{step} {entry.word:<8}" if index == 0 else " " * 12
        bar = "│ " if entry.data else ""
        lines.append(f"{margin}{bar}{text}".rstrip())
    return lines


async def play(opened: Opened, *, on_interrupt: bool = True) -> bool:
    """Play a run to where it stops or waits. Returns whether a person interrupted it (ctrl+c)."""
    run = opened.run
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        with suppress(CommandError):
            run.stop()

    loop = asyncio.get_running_loop()
    if on_interrupt:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        await run.play()
    finally:
        if on_interrupt:
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(signal.SIGINT)
    return interrupted


def status_lines(opened: Opened) -> list[str]:
    """How the run stands, for people: one sentence, the figures, and what is asked where something is."""
    run, state = opened.run, opened.run.state
    status = run.status
    title = words.stop_title(state) if isinstance(run.next, Finished) else SENTENCES[status].rstrip(".")
    figures = f"{state.model_calls} model calls, {state.tool_calls} tool calls, {state.errors} errors"
    lines = [f"{title} ({status.value}): {figures}"]
    if status is Status.ANSWERED and state.answer is not None:
        lines.insert(0, f"answer: {visible(state.answer)}")
    detail = state.stopped.detail if state.stopped is not None else ""
    if detail:
        lines.append(visible(detail.rstrip()))
    lines.extend(_question_lines(opened))
    if run.broken:
        lines.append(f"nothing more could be recorded: {visible(run.broken)}")
    return lines


def _question_lines(opened: Opened) -> list[str]:
    move = opened.run.next
    if not isinstance(move, AskPerson):
        return []
    lines = [
        f"  {record.call.id}  {visible(record.call.tool)} {one_line_arguments(record)}" for record in move.question.calls
    ]
    path = opened.session_path
    if path is None or not move.question.calls:
        return lines
    call = move.question.calls[0].call.id
    how = f"--allow {call}, --deny {call} REASON, --edit {call} JSON or --answer {call} TEXT"
    if move.question.on == "hold":
        how = "a screen: workbench " + str(path)
        return [*lines, f"go on with {how}"]
    return [*lines, f"go on with: workbench resume {path} with {how}"]


def print_result(opened: Opened, out: Print) -> None:
    """The last line of `--json`."""
    out(json.dumps(result_object(opened.run, opened.session_path)))
