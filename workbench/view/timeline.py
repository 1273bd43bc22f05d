"""The transcript as entries: which events are shown, and what each says at some point of the run.

A timeline holds one number an entry. Texts are made when asked for; what stands under a call follows the state that is
shown, so the same timeline serves now and every moment of the past. No span of an entry holds a newline.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence

from workbench.core.events import (
    ContextChanged,
    DoneElsewhere,
    Event,
    Forked,
    Held,
    HeldReply,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    Planned,
    Remark,
    SettingsChanged,
    Stopped,
    ToolResult,
    UserMessage,
)
from workbench.core.loop import Move, next_move
from workbench.core.records import RequestMark
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES
from workbench.view import words
from workbench.view.arguments import arguments_line
from workbench.view.context_words import change_lines, request_words
from workbench.view.entries import Entry, Line, Role, Span, flat, lines_of, plain
from workbench.view.figures import amount, duration
from workbench.view.lines import briefly
from workbench.view.panes import waiting_ids
from workbench.view.replies import said, thoughts
from workbench.view.setting_words import setting_words
from workbench.view.steps import planned_words
from workbench.view.timeline_lines import (
    as_drawn,
    call_lines,
    door_lines,
    effect_lines,
    lines_or_none,
    lines_under,
    struck_line,
    tool_of,
)

FOLD_LINES = 8
THOUGHT = 100
"""Characters of a thought that are shown; the rest is for who looks at the whole entry."""
WAS = 32
"""Cells of what something was before it was changed, at most, to be said beside the change."""

SHOWN = (
    *(UserMessage, ModelReply, ModelFailed, HeldReply, ToolResult, Held, LateResult, Notice, Remark, SettingsChanged),
    *(ContextChanged, Planned, Stopped, Forked, DoneElsewhere),
)
DATA = (ToolResult, Held, LateResult)
UNFOLDED = (SettingsChanged, Stopped, Forked, DoneElsewhere)

RESULT_WORDS: dict[str, tuple[str, Role]] = {
    "failed": ("ERROR", "error"),
    "invalid": ("ERROR", "error"),
    "defect": ("DEFECT", "error"),
    "denied": ("DENIED", "error"),
    "not_run": ("NOT RUN", "quiet"),
    "cancelled": ("CANCEL", "error"),
    "unknown": ("UNKNOWN", "wait"),
}
RESULT: tuple[str, Role] = ("RESULT", "result")

TIMED = frozenset({"ran", "failed", "defect"})
"""Outcomes that took the tool's time."""

EMPTY_REPLY = "(an empty reply)"
EMPTY_RESULT: tuple[Line, ...] = ((Span("(an empty result)", "quiet"),),)

Parts = tuple[int | None, str, Role, Sequence[Line], str]
"""Step, word, colour role, lines and meta line of an entry."""

KEYS = {"view": "v", "original": "o"}
"""The keys that entries name where a person has given them no other ones, by action."""


class Timeline:
    """The entries of a run, as a source for the transcript. `show` says how much of it is looked at, and as when.

    `keys`: whether there is a keyboard to look further with, so that entries name the keys for it (`named_keys`).
    `move_from` tells what comes next from a state: whether a person is being asked.
    """

    def __init__(
        self,
        events: Sequence[Event],
        state: State,
        *,
        keys: bool = True,
        move_from: Callable[[State], Move] = next_move,
    ) -> None:
        self._events = events
        self._keys = keys
        self.named_keys: Mapping[str, str] = KEYS
        """The keys that entries name, by action."""
        self._move_from = move_from
        self._numbers = array("l")
        self._taken = 0
        self._latest = state
        """The run as it is now; entries beyond what is looked at say what they say now."""
        self._state = state
        self._count = 0
        self._asked: tuple[State, int, frozenset[str]] | None = None
        """The calls a person is asked about, and for which state that was found out."""
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
        """Show what a changed entry was before, or no longer; returns False when nothing was changed."""
        event = self.event(index)
        if not isinstance(event, ToolResult | ModelReply) or not event.changed:
            return False
        self._open_original ^= {self._numbers[index]}
        return True

    def shows_original(self, index: int) -> bool:
        """Whether a changed entry shows what it was before."""
        return 0 <= index < self._count and self._numbers[index] in self._open_original

    def event(self, index: int) -> Event | None:
        """The event an entry shows; None where there is no such entry."""
        return self._events[self._numbers[index] - 1] if 0 <= index < self._count else None

    # ------------------------------------------------------------ the source of the transcript

    def __len__(self) -> int:
        return self._count

    def text(self, index: int) -> str:
        event = self._events[self._numbers[index] - 1]
        if type(event) is ToolResult:
            if event.content and not event.changed_by and event.outcome != "defect":
                meta, shown = self._meta(index, event), as_drawn(event.content)
                return f"{meta}\n{shown}" if meta else shown
        elif type(event) is ModelReply:
            if event.reading == "calls" and not (
                event.changed_by
                or event.faults
                or event.notes
                or event.dropped
                or event.thinking
                or "think" in event.text
            ):
                return self._calls_text(index, event)
        elif type(event) is UserMessage or type(event) is Notice:
            return event.text
        return plain(self.entry(index))

    def data(self, index: int) -> bool:
        return isinstance(self._events[self._numbers[index] - 1], DATA)

    def fold_at(self, index: int) -> int | None:
        event = self._events[self._numbers[index] - 1]
        if isinstance(event, ModelReply):
            return FOLD_LINES * 2
        return None if isinstance(event, UNFOLDED) else FOLD_LINES

    def entry(self, index: int) -> Entry:
        event = self._events[self._numbers[index] - 1]
        step, word, role, lines, meta = _ENTRIES[type(event)](self, index, event)
        key = self._numbers[index]
        return Entry(key, step, word, role, tuple(lines), meta, data=self.data(index), fold_at=self.fold_at(index))

    # ------------------------------------------------------------ one entry

    def _user(self, _: int, event: UserMessage) -> Parts:
        return None, "USER", "user", lines_of(event.text), ""

    def _notice(self, _: int, event: Notice) -> Parts:
        return None, "NOTE", "notice", lines_of(event.text), ""

    def _reply(self, index: int, event: ModelReply) -> Parts:
        state = self._state_at(index)
        before, after = said(event, state.header.protocol)
        lines: list[Line] = []
        thought = thoughts(event)
        if thought:
            lines.append((Span(self._thought_words(thought), "quiet"),))
        lines += lines_or_none(before)
        if event.reading == "answer":
            lines += lines_or_none(event.answer)
        asked = self._asked_of(state, event)
        for call in event.calls:
            lines += call_lines(state, call, asked)
        lines += [(Span(text, "wait"),) for text in words.waiting_words(len(asked))]
        if event.dropped and after:
            lines.append((Span("not used:", "quiet"),))
        lines += lines_or_none(after, "quiet" if event.dropped else "")
        if event.reading in ("cut_off", "blocked"):
            lines.append((Span(f"✗ {flat(event.problem)}", "error"),))
        if not lines:
            lines.append((Span(EMPTY_REPLY, "quiet"),))
        if event.changed:
            lines += self._changed_lines(index, event)
        elif event.faults:
            lines.append(struck_line(event.faults))
        lines += [(Span(f"note: {flat(note)}", "quiet"),) for note in event.notes]
        ends = event.reading == "answer" and state.plan is None
        word: tuple[str, Role] = ("ANSWER", "go") if ends else ("MODEL", "model")
        return self._step(index), *word, lines, ""

    def _calls_text(self, index: int, event: ModelReply) -> str:
        """What `_reply` says of a reply that only makes calls, without the looks."""
        state = self._state_at(index)
        before, after = said(event, state.header.protocol)
        asked = self._asked_of(state, event)
        parts = [before] if before else []
        for call in event.calls:
            parts.append(f"→ {flat(call.tool)} {arguments_line(call)}")
            parts += [text for text, _ in lines_under(state, call, asked)]
        parts += words.waiting_words(len(asked))
        if after:
            parts.append(after)
        return "\n".join(parts) or EMPTY_REPLY

    def _planned(self, index: int, event: Planned) -> Parts:
        state = self._state_at(index)
        lines: list[Line] = list(lines_or_none(event.text))
        asked = self._asked_of(state, event)
        for call in event.calls:
            lines += call_lines(state, call, asked)
        if event.problem:
            lines.append((Span(f"✗ {flat(event.problem)}", "error"),))
        record = state.record(event.calls[0].id) if event.calls else None
        word: tuple[str, Role] = ("ANSWER", "go") if event.does == "answer" else ("STEP", "notice")
        return record.step if record is not None else None, *word, lines, planned_words(event, state)

    def _failed(self, index: int, event: ModelFailed) -> Parts:
        tries = " · it was asked for a summary" if event.purpose == "summary" else ""
        tries += f" · {amount(event.attempts)} attempts" if event.attempts > 1 else ""
        lines: list[Line] = [(Span(f"{words.FAILURES.get(event.failure, flat(event.failure))}{tries}"),)]
        lines += lines_or_none(event.detail, "quiet")
        if event.faults:
            lines.append(struck_line(event.faults))
        return self._step(index), "ERROR", "error", lines, ""

    def _result(self, index: int, event: ToolResult) -> Parts:
        lines = list(lines_of(as_drawn(event.content)) if event.content else EMPTY_RESULT)
        if event.changed:
            lines += self._changed_lines(index, event)
        if event.outcome == "defect":
            hint = f": {self.named_keys['view']}" if self._keys else "."
            lines.append((Span(f"The traceback is for you only; the model does not see it{hint}", "quiet"),))
        return None, *RESULT_WORDS.get(event.outcome, RESULT), lines, self._meta(index, event)

    def _held(self, index: int, event: Held) -> Parts:
        state = self._state_at(index)
        record = state.record(event.call)
        waits = record is None or (record.result is None and record.held in (None, event))
        reader = "the model has not read" if state.plan is None else "no later step has"
        lines = door_lines(event, f"{reader} this yet" if waits else "")
        parts = [tool_of(record, event.call), flat(event.source), duration(event.took)]
        if event.trust == "untrusted":
            parts.append("not trusted")
        return None, "HELD", "held", lines, " · ".join(part for part in parts if part)

    def _held_reply(self, index: int, event: HeldReply) -> Parts:
        waits = event in self._state_at(index).held_replies[-1:]
        lines = door_lines(event, "nothing in this reply is believed yet" if waits else "")
        return None, "HELD", "held", lines, f"reply of the model · {duration(event.took)}"

    def _late(self, index: int, event: LateResult) -> Parts:
        name = tool_of(self._state_at(index).record(event.call), event.call)
        meta = f"{name} · {duration(event.took)} · too late: the model does not see it"
        return None, "LATE", "quiet", lines_of(as_drawn(event.content), "quiet"), meta

    def _remark(self, _: int, event: Remark) -> Parts:
        raw = [(Span(line, "quiet"),) for line in as_drawn(event.raw).split("\n")] if event.raw else []
        return None, "REMARK", "quiet", [*lines_of(event.text), *raw], ""

    def _settings(self, _: int, event: SettingsChanged) -> Parts:
        sentences = [text for key, value in event.changes.items() for text in setting_words(key, value)]
        return None, "SET", "quiet", [(Span(flat(text), "quiet"),) for text in sentences], ""

    def _context(self, _: int, event: ContextChanged) -> Parts:
        return None, "CONTEXT", "past", list(change_lines(event)), request_words(event)

    def _stopped(self, _: int, event: Stopped) -> Parts:
        text = event.status.value.replace("_", " ")
        if event.limit is not None:
            text += f": {words.KNOBS.get(event.knob, flat(event.knob))} {amount(event.limit, event.knob)}"
        return None, "STOP", "error", [(Span(text, "quiet"),)], ""

    def _forked(self, _: int, event: Forked) -> Parts:
        parent = flat(event.title or event.parent)
        lines: list[Line] = [(Span(f"forked from {parent} at event {amount(event.at)}", "quiet"),)]
        return None, "FORK", "past", [*lines, *effect_lines(event)], ""

    def _done_elsewhere(self, _: int, event: DoneElsewhere) -> Parts:
        lines: list[Line] = [(Span("done already in another branch of this run", "quiet"),)]
        return None, "DONE", "past", [*lines, *effect_lines(event)], ""

    # ------------------------------------------------------------ pieces

    def _state_at(self, index: int) -> State:
        return self._state if index < self._count else self._latest

    def _step(self, index: int) -> int | None:
        """The step of the request that this event answered."""
        requests, n = self._state_at(index).requests, self._numbers[index]
        at = bisect_left(requests, n, key=_number)
        return requests[at].step if at < len(requests) and requests[at].n == n else None

    def _asked_of(self, state: State, event: ModelReply | Planned) -> frozenset[str]:
        """The calls of this reply that a person is being asked about."""
        batch = state.batch
        if not event.calls or not batch or batch[0].call.id != event.calls[0].id or state.delivered == len(batch):
            return frozenset()
        if self._asked is None or self._asked[0] is not state or self._asked[1] != state.n:
            waiting = waiting_ids(self._move_from(state))
            self._asked = state, state.n, waiting & {r.call.id for r in batch if r.phase == "proposed"}
        return self._asked[2]

    def _thought_words(self, thought: str) -> str:
        first = thought.partition("\n")[0][:THOUGHT]
        if first == thought:
            return f"thinking: {thought}"
        hint = f", {self.named_keys['view']} shows all" if self._keys else ""
        return f"thinking: {first} … {len(thought):,} characters{hint}"

    def _changed_lines(self, index: int, event: ToolResult | ModelReply) -> list[Line]:
        who = words.changer_words(event.changed_by)
        really = words.CLOSED.get(event.original_outcome) if isinstance(event, ToolResult) else None
        opened = self._numbers[index] in self._open_original
        was = "" if opened else briefly(event.original, WAS)
        told = f", really {really[1]}" if really else f", was {was}" if was else ""
        line: Line = (Span(f"≠ changed by {who}{told}", "changed"),)
        if self._keys and (really or not was):
            hint = f"   {self.named_keys['original']} {'changed' if opened else 'original'}"
            line = (*line, Span(hint, "quiet"))
        return [line, *lines_or_none(event.original, "quiet")] if opened else [line]

    def _meta(self, index: int, event: ToolResult) -> str:
        """The quiet line over a result: tool, source, time, trust; for one that is not the tool's, what it is."""
        record = self._state_at(index).record(event.call)
        parts = [tool_of(record, event.call)]
        if event.outcome in TIMED:
            if event.source:
                parts.append(flat(event.source))
            if event.took:  # 0 is no figure: nobody has measured it
                parts.append(duration(event.took))
            if event.trust == "untrusted":
                parts.append("not trusted")
        else:
            parts.append(words.instead_words(event, record))
        if event.faults and not event.changed:
            parts.append(struck_line(event.faults)[0].text)
        return " · ".join(parts)


def _number(mark: RequestMark) -> int:
    return mark.n


_ENTRIES: dict[type[Event], Callable[..., Parts]] = {
    UserMessage: Timeline._user,
    ModelReply: Timeline._reply,
    Planned: Timeline._planned,
    ModelFailed: Timeline._failed,
    ToolResult: Timeline._result,
    Held: Timeline._held,
    HeldReply: Timeline._held_reply,
    LateResult: Timeline._late,
    Notice: Timeline._notice,
    Remark: Timeline._remark,
    SettingsChanged: Timeline._settings,
    ContextChanged: Timeline._context,
    Stopped: Timeline._stopped,
    Forked: Timeline._forked,
    DoneElsewhere: Timeline._done_elsewhere,
}
