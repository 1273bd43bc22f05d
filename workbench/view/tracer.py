"""The loop laid open: its pseudo-code, the line a run is at, and a sentence for every move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.events import (
    ContextChanged,
    Decided,
    Event,
    ModelFailed,
    ModelReply,
    Notice,
    Planned,
    SettingsChanged,
    Stopped,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.loop import AskModel, AskPerson, RunTools, next_move
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES, Status
from workbench.view import words
from workbench.view.context_words import change_words
from workbench.view.entries import Line, Span
from workbench.view.lines import cut
from workbench.view.visible import visible

LOOP = (
    "history = [goal]",
    "for step in 1..cap:",
    "  reply = model(history)",
    "  history += reply",
    "  if reply is an answer: return it",
    "  try:    result = run the tool",
    "  except: result = the error",
    "  history += result",
    'return "stopped: step cap"',
)
START, PASS, ASK, RECORD_REPLY, ANSWER, RUN, FAIL, RECORD_RESULT, STOP = range(len(LOOP))

FRAMES = (UserMessage, ModelReply, ModelFailed, Planned, ToolResult, Notice, ContextChanged)
"""Events that make a frame: each changes the history, or fails to. A stop belongs to the frame before it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the loop is: the index of the lit line, and what happens there in a sentence."""

    line: int
    caption: str


def trace(state: State, event: Event | None, *, running: bool = True) -> Trace:
    """The place of a run whose latest event is `event`. A call that has started is at work only while `running`."""
    if state.stopped is not None:
        return _stopped(state, state.stopped)
    if running and isinstance(event, ToolStarted):
        return Trace(RUN, f"{_tool(state, event.call)} is running. That it started is on disk already.")
    move = next_move(state)
    if isinstance(move, AskPerson):
        return _asked(move)
    match event:
        case None:
            return Trace(START, "Nothing has happened yet.")
        case UserMessage():
            return Trace(START, "The history starts with just the goal. Nothing has been asked yet.")
        case ModelReply():
            return _replied(state, event)
        case ModelFailed():
            return Trace(ASK, f"The request brought no reply: {event.failure.replace('_', ' ')}.")
        case Decided():
            return Trace(RUN, f"It is decided what becomes of {_tool(state, event.call)}. Now the loop acts on it.")
        case ToolResult():
            return _result(state, event)
        case ContextChanged():
            return Trace(PASS, f"What is sent was made shorter: {change_words(event)}.")
        case Notice():
            return Trace(RECORD_RESULT, "The runtime speaks to the model; it reads this like any other entry.")
        case SettingsChanged():
            return Trace(PASS, "A setting changed. It counts from the next move on.")
        case _:
            return Trace(PASS, "The loop goes on.")


def _asked(move: AskPerson) -> Trace:
    match move.question.on:
        case "approval":
            return Trace(RUN, "A gate stands before the tool. Nothing has run yet.")
        case "hold" if move.question.reply is not None:
            return Trace(ASK, "The reply has come; it stands at the door, and nothing in it is believed yet.")
        case "hold":
            return Trace(RUN, "The tool has run; the model has not read the result.")
        case _:
            return Trace(RUN, "The tool had started when the run broke off. Nobody knows what it did.")


def _replied(state: State, event: ModelReply) -> Trace:
    step = f"Step {state.steps}."
    if event.reading == "answer":
        return Trace(ANSWER, f"{step} The reply is an answer, so the loop returns it.")
    if event.reading == "malformed":
        text = f"{step} The reply is neither an answer nor a call, so the model is told the protocol."
        return Trace(RECORD_REPLY, text)
    if event.reading in ("cut_off", "blocked"):
        return Trace(RECORD_REPLY, f"{step} {event.problem}")
    names = ", ".join(visible(call.tool) for call in event.calls)
    return Trace(
        RECORD_REPLY, f"{step} The model asks for {names}. It is not an answer, so the loop goes on to run it."
    )


def _result(state: State, event: ToolResult) -> Trace:
    tool = _tool(state, event.call)
    if event.outcome in ("failed", "invalid", "unknown"):
        return Trace(FAIL, f"{tool} fails. The failure becomes a result that the model reads; nothing crashes.")
    if event.outcome == "denied":
        return Trace(FAIL, f"{tool} is denied. The model reads that as its result.")
    if event.outcome in ("not_run", "cancelled"):
        return Trace(FAIL, f"{tool} did not run. The call gets its one result all the same.")
    move = next_move(state)
    if isinstance(move, RunTools):
        return Trace(RECORD_RESULT, f"The result of {tool} is recorded. The next call of the same reply follows.")
    if isinstance(move, AskModel):
        return Trace(RECORD_RESULT, f"The result of {tool} is recorded. The next pass sends the whole history again.")
    return Trace(RECORD_RESULT, f"The result of {tool} is recorded.")


def _stopped(state: State, stop: Stopped) -> Trace:
    if stop.status is Status.ANSWERED:
        return Trace(ANSWER, "The reply is an answer, so the loop returns it, with the reason it stopped.")
    if stop.status in SUCCESSES:
        return Trace(RECORD_RESULT, "The goal check holds, so the loop stops, whatever the model thinks.")
    if stop.knob == "limits.steps":
        return Trace(STOP, f"The cap is checked before the next pass. It forbade step {state.steps + 1}.")
    return Trace(STOP, f"{words.stop_title(state)}.")


def _tool(state: State, call_id: str) -> str:
    record = state.record(call_id)
    return visible(record.call.tool) if record is not None else call_id


# ---------------------------------------------------------------- frames


def frames(events: Sequence[Event]) -> list[int]:
    """The numbers of the events that make a frame; the last frame goes on to the latest event."""
    found = [n for n, event in enumerate(events, 1) if isinstance(event, FRAMES)]
    return [*found[:-1], len(events)] if found else []


def frame_event(events: Sequence[Event], n: int) -> Event | None:
    """The event that the frame at event n is about."""
    return next((events[at] for at in range(n - 1, -1, -1) if isinstance(events[at], FRAMES)), None)


def loop_lines(place: Trace, width: int, code: Sequence[str] = LOOP) -> list[Line]:
    """The code with the current line lit."""
    lines: list[Line] = []
    for number, text in enumerate(code):
        lit = number == place.line
        shown = f"{cut(text, width - 2):<{width - 2}}"
        lines.append((Span("▸ " if lit else "  ", "primary"), Span(shown, "lit" if lit else "quiet", bold=lit)))
    return lines


def around(lines: Sequence[Line], line: int, rows: int) -> Sequence[Line]:
    """At most `rows` of the lines, that line among them."""
    first = max(0, min(line - rows // 2, len(lines) - rows))
    return lines[first : first + rows]


def history_rows(state: State, width: int, rows: int) -> list[Line]:
    """The history as a table: number and entry, the latest last."""
    messages = state.messages
    first = max(0, len(messages) - rows)
    lines: list[Line] = [(Span(f"{first:,} earlier entries", "quiet"),)] if first else []
    for number, message in enumerate(messages[first:], first + 1):
        role = {"assistant": "model", "tool": "error" if message.is_error else "result", "notice": "note"}.get(
            message.role, message.role
        )
        text = message.text or ", ".join(f"{call.tool} {call.arguments}" for call in message.calls)
        shown = cut(visible(text).replace("\n", " ↵ "), width - 13)
        colour = {"model": "model", "result": "result", "error": "error", "user": "user", "note": "notice"}[role]
        lines.append((Span(f"{number:>3} ", "quiet"), Span(f"{role:<9}", colour), Span(shown)))  # type: ignore[arg-type]
    return lines


def counters(state: State) -> Line:
    """Model calls, tool runs and errors, in this order."""
    pairs = (("model calls", state.model_calls), ("tool runs", state.tool_calls), ("errors", state.errors))
    spans: list[Span] = []
    for name, value in pairs:
        spans += [Span(f"{name} ", "quiet"), Span(f"{value}", bold=True), Span("   ")]
    return tuple(spans[:-1])
