"""A run without a screen: the transcript as it grows, then how it ended."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress

from workbench.core.door import reply_at
from workbench.core.events import Event, ToolResult
from workbench.core.loop import AskPerson, Finished, Record
from workbench.core.plain import to_fields
from workbench.core.statuses import SENTENCES, SUCCESSES, Status
from workbench.faults.replies import written_out
from workbench.opening import Opened
from workbench.results import result_object
from workbench.runner import CommandError, JournalBroken, Run
from workbench.view import words
from workbench.view.arguments import one_line_arguments
from workbench.view.bars import known_before
from workbench.view.entries import entry_lines
from workbench.view.timeline import Timeline
from workbench.view.visible import visible

Print = Callable[[str], None]


class TranscriptPrinter:
    """Prints every entry of a run once, when it is complete: a reply with calls, when they are decided about.

    `finish` prints what is not complete, after the run has come to where it stops or waits.
    """

    def __init__(self, run: Run, out: Print) -> None:
        self._run = run
        self._timeline = Timeline(run.events, run.state, keys=False)
        self._out = out
        self._printed = 0
        run.subscribe(self._event)
        self._event(None)

    def finish(self) -> None:
        """Print what was held back."""
        self._print(self._timeline.refresh())

    def _event(self, _: Event | None) -> None:
        count, state = self._timeline.refresh(), self._run.state
        undecided = bool(state.open_calls()) and isinstance(self._run.next, AskPerson | Record)
        self._print(self._timeline.index_of(state.batch[0].n) if undecided else count)

    def _print(self, count: int) -> None:
        for index in range(self._printed, count):
            for line in entry_lines(self._timeline.entry(index)):
                self._out(line)
        self._printed = max(self._printed, count)


class EventPrinter:
    """Prints every event as a line of JSON."""

    def __init__(self, run: Run, out: Print) -> None:
        self._out = out
        for n, event in enumerate(run.events, 1):
            out(event_line(n, event))
        run.subscribe(lambda event: out(event_line(len(run.events), event)))

    def finish(self) -> None:
        """Nothing is held back."""


def event_line(n: int, event: Event) -> str:
    """An event as one line of JSON."""
    return json.dumps({"n": n, "kind": event.kind, **to_fields(event)})


async def play(opened: Opened) -> bool:
    """Play a run to where it stops or waits. Returns whether a person interrupted it (ctrl+c)."""
    run = opened.run
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        with suppress(CommandError, JournalBroken):
            run.stop()

    loop = asyncio.get_running_loop()
    # Where a loop cannot watch for signals (on Windows, in a thread), ctrl+c is a KeyboardInterrupt.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        # `broken` and the status lines tell of a journal that cannot be written.
        with suppress(JournalBroken):
            await run.play()
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)
    return interrupted


def status_lines(opened: Opened, options: Sequence[str] = ()) -> list[str]:
    """How the run stands, for people: one sentence, the figures, and what is asked where something is.

    `options` are those that whoever answers has to give again, so that the same tools are there.
    """
    run, state = opened.run, opened.run.state
    status = run.status
    title = words.stop_title(state) if isinstance(run.next, Finished) else SENTENCES[status].rstrip(".")
    figures = ", ".join(
        [
            _counted(state.model_calls, "model call"),
            _counted(state.tool_calls, "tool call"),
            _counted(state.errors, "error"),
        ]
    )
    lines = [f"{title} ({status.value}): {figures}"]
    if status in SUCCESSES and state.answer is not None:
        lines.insert(0, f"answer: {visible(state.answer)}")
    detail = state.stopped.detail if state.stopped is not None else ""
    lines += [visible(text.rstrip()) for text in (detail, _traceback(opened)) if text]
    lines += _question_lines(opened, options)
    if run.broken:
        lines.append(f"nothing more could be recorded: {visible(run.broken)}")
    return lines


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _traceback(opened: Opened) -> str:
    """What broke a tool: for whoever runs this, and never for the model."""
    if opened.run.state.status is not Status.TOOL_DEFECT:
        return ""
    results = (event for event in reversed(opened.run.events) if isinstance(event, ToolResult))
    return next((event.detail for event in results if event.outcome == "defect"), "")


def _question_lines(opened: Opened, options: Sequence[str]) -> list[str]:
    """What a person is asked, and how to answer."""
    run, path = opened.run, opened.session_path
    move = run.next
    calls = move.question.calls if isinstance(move, AskPerson) else ()
    lines = []
    for record in calls:
        lines.append(f"  {record.call.id}  {visible(record.call.tool)} {one_line_arguments(record)}")
        lines += [f"      {visible(why)}" for why in (known_before(run.state, record, record.arguments),) if why]
    if path is None or run.status not in (Status.AWAITING_APPROVAL, Status.AWAITING_PERSON):
        return lines
    file = visible(shlex.join([str(path), *options]))
    held = run.state.held_reply
    if held is not None:
        lines += [f"  {visible(line)}" for line in written_out(reply_at(held)).split("\n")]
        back = ", --revert reply" if len(run.state.held_replies) > 1 else ""
        how = f"--pass reply, --replace reply TEXT{back} or --delay reply SECONDS"
        return [*lines, f"go on with: workbench resume {file} and {how}"]
    if not calls:
        return [*lines, f"go on with a screen: workbench {file}"]
    call = calls[0].call.id
    if calls[0].held is not None:
        lines += [f"  {visible(line)}" for line in calls[0].held.content.split("\n")]
        back = f", --revert {call}" if calls[0].held.changed_by else ""
        how = (
            f"--pass {call}, --replace {call} TEXT, --error {call} TEXT, --drop {call}{back} or --delay {call} SECONDS"
        )
        return [*lines, f"go on with: workbench resume {file} and {how}"]
    how = f"--allow {call}, --deny {call} REASON, --edit {call} JSON or --answer {call} TEXT"
    if calls[0].interrupted:
        lines.append(
            "It was started, and whether it took effect is unknown: --allow runs it again, --deny says unknown."
        )
        how = f"--allow {call}, --deny {call} REASON or --answer {call} TEXT"
    return [*lines, f"go on with: workbench resume {file} and {how}"]


def print_result(opened: Opened, out: Print) -> None:
    """The last line of `--json`."""
    out(json.dumps(result_object(opened.run, opened.session_path)))
