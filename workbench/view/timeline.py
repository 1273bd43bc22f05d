"""The transcript as entries: which events are shown, and what each says at some point of the run.

A timeline holds one number an entry. Texts are made when asked for; what stands under a call follows the state that is
shown, so the same timeline serves now and every moment of the past.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence

from workbench.core.events import (
    NO_ERROR,
    Event,
    Forked,
    Held,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    SettingsChanged,
    Stopped,
    ToolResult,
    UserMessage,
)
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES
from workbench.core.values import Call
from workbench.view import figures, words
from workbench.view.entries import Entry, Line, Role, Span, lines_of, plain

FOLD_LINES = 8
SHOWN = (UserMessage, ModelReply, ModelFailed, ToolResult, Held, LateResult, Notice, SettingsChanged, Stopped, Forked)

FAILURES: dict[str, str] = {
    "timeout": "The model did not reply in time",
    "unavailable": "The model could not be reached",
    "rate_limited": "The model's service is limiting the rate",
    "malformed_body": "The model's service sent a body that cannot be read",
    "cut_stream": "The reply broke off",
    "auth": "The model's service does not accept the key",
    "quota": "The account of the model's service has no credit left",
    "bad_request": "The model's service rejected the request",
    "context_overflow": "The request does not fit the model's context",
    "script_exhausted": "The script ran out",
    "script_error": "The script cannot go on",
    "deadline": "The time of the run was used up",
}


class Timeline:
    """The entries of a run, as a source for the transcript. `show` says how much of it is looked at, and as when.

    `keys`: whether there is a keyboard to look further with, so that entries name the keys for it.
    """

    def __init__(self, events: Sequence[Event], state: State, *, keys: bool = True) -> None:
        self._events = events
        self._keys = keys
        self._numbers = array("l")
        self._taken = 0
        self._state = state
        self._count = 0
        self._open_original: set[int] = set()
        self.refresh()

    # ------------------------------------------------------------ growing and looking back

    def refresh(self) -> int:
        """Take in events that were added; returns how many entries there are in all."""
        events = self._events
        for index in range(self._taken, len(events)):
            event = events[index]
            if isinstance(event, SHOWN) and not (isinstance(event, Stopped) and event.status in SUCCESSES):
                self._numbers.append(index + 1)
        self._taken = len(events)
        self.show(self._state)
        return len(self._numbers)

    def show(self, state: State) -> int:
        """Look at the run as `state` says it was; returns how many entries there were then."""
        self._state = state
        self._count = bisect_right(self._numbers, state.n)
        return self._count

    def index_of(self, n: int) -> int:
        """The entry that shows event n, or the last one before it; -1 when there is none."""
        return min(bisect_right(self._numbers, n), self._count) - 1

    def number(self, index: int) -> int:
        """The number of the event that entry shows."""
        return self._numbers[index]

    def toggle_original(self, index: int) -> bool:
        """Show what a changed entry was before; returns False when nothing was changed."""
        event = self.event(index)
        if not isinstance(event, ToolResult | ModelReply) or not event.changed:
            return False
        self._open_original ^= {self._numbers[index]}
        return True

    def event(self, index: int) -> Event | None:
        """The event an entry shows; None where there is no such entry."""
        return self._events[self._numbers[index] - 1] if 0 <= index < self._count else None

    # ------------------------------------------------------------ the source of the transcript

    def __len__(self) -> int:
        return self._count

    def text(self, index: int) -> str:
        event = self.event(index)
        if isinstance(event, ToolResult) and not event.changed and event.outcome != "defect" and event.content:
            return f"{self._meta(event)}\n{_shown(event.content)}"
        if isinstance(event, UserMessage | Notice):
            return event.text
        return plain(self.entry(index))

    def data(self, index: int) -> bool:
        return isinstance(self.event(index), ToolResult | Held | LateResult)

    def fold_at(self, index: int) -> int | None:
        event = self.event(index)
        if isinstance(event, ModelReply):
            return FOLD_LINES * 2
        return None if isinstance(event, SettingsChanged | Stopped | Forked) else FOLD_LINES

    def entry(self, index: int) -> Entry:
        n = self._numbers[index]
        event = self._events[n - 1]
        return _ENTRIES[type(event)](self, n, event)

    # ------------------------------------------------------------ one entry

    def _user(self, n: int, event: UserMessage) -> Entry:
        return Entry(n, None, "USER", "user", _plain(event.text), fold_at=FOLD_LINES)

    def _reply(self, n: int, event: ModelReply) -> Entry:
        step = self._step(n)
        lines: list[Line] = []
        if event.thinking:
            lines.append((Span(f"thinking: {_first_line(event.thinking)}", "quiet"),))
        if event.reading == "answer":
            lines.extend(_plain(said(event, self._state.header.protocol)))
            lines.extend(_plain(event.answer))
            return Entry(n, step, "ANSWER", "go", tuple(lines), fold_at=FOLD_LINES * 2)
        lines.extend(_plain(said(event, self._state.header.protocol)))
        for call in event.calls:
            lines.extend(self._call_lines(call))
        if event.reading in ("cut_off", "blocked"):
            lines.append((Span(f"✗ {event.problem}", "error"),))
        if not lines:
            lines.append((Span("(an empty reply)", "quiet"),))
        if event.changed:
            lines.append(self._changed_line(n, event.changed_by))
            if n in self._open_original:
                lines.extend(_plain(event.original, "quiet"))
        return Entry(n, step, "MODEL", "model", tuple(lines), fold_at=FOLD_LINES * 2)

    def _call_lines(self, call: Call) -> list[Line]:
        lines: list[Line] = [(Span("→ ", "quiet"), Span(call.tool, bold=True), Span(f" {arguments_line(call)}"))]
        if call.note:
            lines.append((Span(f"  {call.note}", "quiet"),))
        record = self._state.record(call.id)
        if record is None:
            return lines
        decided = words.decision_words(record)
        if decided is not None:
            lines.append((Span(f"  {decided[0]}", decided[1]),))
            if record.decision is not None and record.decision.decision == "edit":
                lines.append((Span(f"    ran with {record.arguments}", "changed"),))
        elif record.phase == "proposed" and self._asks(record):
            lines.append((Span("  ▲ waiting for you", "wait"),))
        return lines

    def _asks(self, record: CallRecord) -> bool:
        tool = self._state.tool(record.call.tool)
        return tool is not None and tool.gated and not record.call.problem and self._state.stopped is None

    def _failed(self, n: int, event: ModelFailed) -> Entry:
        tries = f" · {event.attempts} attempts" if event.attempts > 1 else ""
        lines: list[Line] = [(Span(f"{FAILURES.get(event.failure, event.failure)}{tries}"),)]
        if event.detail:
            lines.extend(_plain(event.detail, "quiet"))
        return Entry(n, self._step(n), "ERROR", "error", tuple(lines), fold_at=FOLD_LINES)

    def _result(self, n: int, event: ToolResult) -> Entry:
        word, role = _RESULT_WORDS.get(event.outcome, ("RESULT", "result"))
        lines = list(_plain(_shown(event.content)))
        if event.changed:
            lines.append(self._changed_line(n, event.changed_by))
            if n in self._open_original:
                lines.extend(_plain(event.original, "quiet"))
        reminder = self._reminder(event)
        if reminder:
            lines.append((Span(reminder, "quiet"),))
        return Entry(n, None, word, role, tuple(lines), self._meta(event), data=True, fold_at=FOLD_LINES)

    def _meta(self, event: ToolResult) -> str:
        record = self._state.record(event.call)
        parts = [record.call.tool if record is not None else event.call]
        if event.source:
            parts.append(event.source)
        if event.outcome in NO_ERROR or event.outcome == "failed":
            parts.append("stored, not run again" if event.outcome == "stored" else duration(event.took))
        else:
            parts.append(event.outcome.replace("_", " "))
        if event.trust == "untrusted":
            parts.append("not trusted")
        return " · ".join(parts)

    def _reminder(self, event: ToolResult) -> str:
        if event.outcome != "defect":
            return ""
        return f"The traceback is for you only; the model does not see it{': v' if self._keys else '.'}"

    def _held(self, n: int, event: Held) -> Entry:
        record = self._state.record(event.call)
        name = record.call.tool if record is not None else event.call
        waits = record is None or record.result is None
        says = "the model has not read this yet" if waits else "was held at the door"
        meta = f"{name} · {event.source} · {duration(event.took)}"
        return Entry(n, None, "HELD", "held", ((Span(says, "quiet"),),), meta, data=True, fold_at=FOLD_LINES)

    def _late(self, n: int, event: LateResult) -> Entry:
        meta = f"{event.call} · {duration(event.took)} · too late: the model does not see it"
        return Entry(n, None, "LATE", "quiet", _plain(event.content, "quiet"), meta, data=True, fold_at=FOLD_LINES)

    def _notice(self, n: int, event: Notice) -> Entry:
        return Entry(n, None, "NOTE", "notice", _plain(event.text), fold_at=FOLD_LINES)

    def _settings(self, n: int, event: SettingsChanged) -> Entry:
        lines = tuple((Span(setting_words(key, value), "quiet"),) for key, value in event.changes.items())
        return Entry(n, None, "SET", "quiet", lines)

    def _stopped(self, n: int, event: Stopped) -> Entry:
        text = event.status.value.replace("_", " ")
        if event.limit is not None:
            text += f": {words.KNOBS.get(event.knob, event.knob)} {figures.amount(event.limit, event.knob)}"
        return Entry(n, None, "STOP", "error", ((Span(text, "quiet"),),))

    def _forked(self, n: int, event: Forked) -> Entry:
        return Entry(n, None, "FORK", "past", ((Span(f"forked from {event.parent} at event {event.at}", "quiet"),),))

    def _changed_line(self, n: int, by: str) -> Line:
        who = {"person": "you", "script": "the scenario's person"}.get(by, by)
        changed = Span(f"≠ changed by {who}", "changed")
        hint = "o changed" if n in self._open_original else "o original"
        return (changed, Span(f"   {hint}", "quiet")) if self._keys else (changed,)

    def _step(self, n: int) -> int | None:
        requests = self._state.requests
        low, high = 0, len(requests)
        while low < high:
            middle = (low + high) // 2
            if requests[middle].n < n:
                low = middle + 1
            else:
                high = middle
        return requests[low].step if low < len(requests) and requests[low].n == n else None


_RESULT_WORDS: dict[str, tuple[str, Role]] = {
    "failed": ("ERROR", "error"),
    "invalid": ("ERROR", "error"),
    "defect": ("DEFECT", "error"),
    "denied": ("DENIED", "error"),
    "not_run": ("NOT RUN", "quiet"),
    "cancelled": ("CANCEL", "error"),
    "unknown": ("UNKNOWN", "wait"),
}

_ENTRIES: dict[type[Event], Callable[..., Entry]] = {
    UserMessage: Timeline._user,
    ModelReply: Timeline._reply,
    ModelFailed: Timeline._failed,
    ToolResult: Timeline._result,
    Held: Timeline._held,
    LateResult: Timeline._late,
    Notice: Timeline._notice,
    SettingsChanged: Timeline._settings,
    Stopped: Timeline._stopped,
    Forked: Timeline._forked,
}


def said(event: ModelReply, protocol: str) -> str:
    """What the model said besides its call or answer, which are shown in their own way."""
    text = event.text.strip()
    if event.reading == "malformed" or protocol == "native":
        return "" if event.reading == "answer" and protocol == "native" else text
    lines = text.split("\n")
    opening = ("ACTION:", "ANSWER:") if protocol == "text" else ("{", "```")
    for index, line in enumerate(lines):
        if line.lstrip().startswith(opening):
            return "\n".join(lines[:index]).strip()
    return text


def _plain(text: str, role: Role = "") -> tuple[Line, ...]:
    return lines_of(text, role) if text else ()


def _shown(text: str) -> str:
    """Data as it is drawn: the newline that ends a file opens no further line."""
    return text.removesuffix("\n")


def _first_line(text: str) -> str:
    line, _, rest = text.strip().partition("\n")
    return f"{line} …" if rest else line


def arguments_line(call: Call) -> str:
    """The arguments of a call on one line: as the model wrote them, unless it wrote them over several lines."""
    raw = call.arguments.strip()
    if "\n" not in raw:
        return raw
    return json.dumps(json.loads(call.canonical), ensure_ascii=False) if call.canonical else raw.replace("\n", "↵")


def duration(seconds: float) -> str:
    """0.4 ms · 12 ms · 3.2 s · 2:05."""
    if seconds >= 60:
        return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def setting_words(key: str, value: object) -> str:
    """A changed setting as a sentence."""
    if key.startswith("limits."):
        name = words.KNOBS.get(key, key.removeprefix("limits.").replace("_", " "))
        return f"{name} lifted" if value is None else f"{name} set to {_figure(value, key)}"
    if key == "hold":
        return "results are held at the door" if value else "results are no longer held"
    if key == "grants":
        count = len(value) if isinstance(value, list | tuple) else 0
        return f"{count} grant{'s' if count != 1 else ''} in force"
    return f"{key} set to {value}"


def _figure(value: object, key: str) -> str:
    return figures.amount(float(value), key) if isinstance(value, int | float) else str(value)
