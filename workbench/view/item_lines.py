"""What an item of a run shows: one line, and for a call one for the call, for the decision, and for the result."""

from __future__ import annotations

from typing import NamedTuple

from workbench.core.events import (
    ContextChanged,
    Forked,
    ModelFailed,
    ModelReply,
    Notice,
    SettingsChanged,
    Stopped,
    UserMessage,
)
from workbench.core.items import Aspect, Item
from workbench.core.records import CallRecord
from workbench.core.values import ProtocolName
from workbench.view import words
from workbench.view.arguments import arguments_line
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount, counted
from workbench.view.lines import one_line
from workbench.view.replies import said
from workbench.view.setting_words import setting_words

LONGEST = 400
"""Characters of a text that a line is made of: more are never seen in one."""


class ItemLine(NamedTuple):
    """One line of an item. The word names the item, in its first line only; a call has an arrow for it."""

    line: Line
    word: str = ""
    role: Role = ""


def height(item: Item | None) -> int:
    """How many lines it has."""
    if item is None:
        return 0
    return 1 if item.call is None else 2 + (item.decision is not None)


def line_of(item: Item, aspect: Aspect) -> int:
    """The line that shows in what two items differ."""
    return {Aspect.WHAT: 0, Aspect.DECISION: min(1, height(item) - 1), Aspect.RESULT: height(item) - 1}[aspect]


def item_lines(item: Item, protocol: ProtocolName) -> list[ItemLine]:
    """The lines, to be cut where they are drawn. What is in them is data, and made visible."""
    if item.call is not None:
        return _call(item)
    match item.event:
        case UserMessage(text=text):
            return [_line("USER", "user", text)]
        case ModelReply():
            return [_reply(item.event, protocol)]
        case ModelFailed(failure=failure):
            return [_line("ERROR", "error", words.FAILURES.get(failure, failure))]
        case Notice(text=text):
            return [_line("NOTE", "notice", text)]
        case ContextChanged(policy=policy):
            return [_line("CONTEXT", "notice", policy)]
        case Stopped():
            return [_stop(item.event)]
        case SettingsChanged(changes=changes):
            sentences = [text for key, value in changes.items() for text in setting_words(key, value)]
            return [_line("SET", "quiet", " · ".join(sentences), "quiet")]
        case Forked():
            return [_line("FORK", "past", f"forked from {item.event.parent} at event {amount(item.event.at)}", "quiet")]
        case _:
            return [_line(item.kind.upper(), "quiet", "")]


def _line(word: str, role: Role, text: str, text_role: Role = "") -> ItemLine:
    return ItemLine((Span(_short(text), text_role),), word, role)


def _short(text: str) -> str:
    return one_line(text[:LONGEST].strip())


def _reply(event: ModelReply, protocol: ProtocolName) -> ItemLine:
    if event.reading == "answer":
        return _line("ANSWER", "go", event.answer or "(an empty answer)")
    before, _ = said(event, protocol)
    if event.reading != "calls":
        line = (Span(f"✗ {event.reading.replace('_', ' ')}: ", "error"), Span(_short(before or event.problem)))
        return ItemLine(line, "MODEL", "model")
    if not before:
        return _line("MODEL", "model", counted(len(event.calls), "call"), "quiet")
    return _line("MODEL", "model", before)


def _stop(event: Stopped) -> ItemLine:
    cap = f": {words.KNOBS.get(event.knob, event.knob)} {amount(event.limit, event.knob)}" if event.limit else ""
    crashed = "the loop crashed: " if event.knob == words.CRASHED else ""
    return _line("STOP", "quiet", f"{crashed}{event.status.value.replace('_', ' ')}{cap}", "quiet")


def _call(item: Item) -> list[ItemLine]:
    call = item.call
    assert call is not None
    record = CallRecord(
        call, item.step, item.n, item.decision, item.started, result=item.result, result_n=item.result_n
    )
    asks = (Span("→ ", "quiet"), Span(_short(call.tool), bold=True), Span(f" {_short(arguments_line(call))}"))
    lines = [ItemLine(asks)]
    decided = words.decision_words(record)
    if decided is not None:
        lines.append(ItemLine((Span(f"  {_short(decided[0])}", decided[1]),)))
    return [*lines, ItemLine(_result(record))]


def _result(record: CallRecord) -> Line:
    result = record.result
    if result is None:
        return (Span("  · nothing has come of it yet", "quiet"),)
    sign, word, role = words.call_word(record)
    text = Span(_short(result.content) or "(an empty result)")
    if word == "ok":
        return (Span("  = ", "quiet"), text)
    by = f" by {words.changer_words(result.changed_by)}" if result.changed else ""
    word = "changed" if result.changed else word
    return (Span(f"  {sign} {word}{by}: ", role), text)
