"""What the model sees: every request as it was sent, and the next one as it would be."""

from __future__ import annotations

import json

from workbench.core.loop import AskPerson, Finished, next_move
from workbench.core.records import Message
from workbench.core.state import State
from workbench.view.entries import Line, Role, Span, lines_of

ROLES: dict[str, Role] = {"user": "user", "assistant": "model", "tool": "result", "notice": "notice"}


def request_count(state: State) -> int:
    """Requests sent so far, and one more for the next, which may never come."""
    return len(state.requests) + 1


def request_page(state: State, index: int) -> tuple[Line, list[Line]]:
    """Title and text of request `index` (from 0): instructions, tools, then every message to the letter."""
    sent = index < len(state.requests)
    if sent:
        mark = state.requests[index]
        count, chars = mark.messages, mark.chars
        tokens = f"{'~' if mark.estimated else ''}{mark.tokens:,}"
    else:
        count, chars, tokens = len(state.messages), state.chars, f"~{state.context_tokens:,}"
    title: Line = (
        Span(f"Request {index + 1} of {len(state.requests)}" if sent else "The next request", "primary", bold=True),
        Span(f"   {count} messages · {chars:,} characters · {tokens} tokens{'' if sent else _unless(state)}", "quiet"),
    )
    return title, [*_head(state), *_messages(state, count)]


def _unless(state: State) -> str:
    move = next_move(state)
    if isinstance(move, Finished):
        return " · the run has ended, it is not sent"
    return " · a question comes first" if isinstance(move, AskPerson) else ""


def _head(state: State) -> list[Line]:
    lines: list[Line] = []
    if state.system:
        lines += [(Span("system", "quiet", bold=True),), *lines_of(state.system), ()]
    if state.protocol.native_tools and state.header.tools:
        lines.append((Span("tools", "quiet", bold=True),))
        for tool in state.header.tools:
            lines.append((Span(tool.name, bold=True), Span(f"  {' '.join(tool.description.split())}", "quiet")))
            lines.append((Span(f"  {json.dumps(json.loads(tool.schema), ensure_ascii=False)}", "quiet"),))
        lines.append(())
    return lines


def _messages(state: State, count: int) -> list[Line]:
    """Text protocols are one text; native messages stand apart, each under its role."""
    if not state.protocol.native_tools:
        lines: list[Line] = []
        for message in state.messages[:count]:
            lines.extend(lines_of(message.text, "" if message.role == "assistant" else ROLES[message.role]))
        return lines
    return [line for message in state.messages[:count] for line in _message(message)]


def _message(message: Message) -> list[Line]:
    word = f"{message.role} · {message.call_id} {message.tool}" if message.call_id else message.role
    if message.is_error:
        word += " · error"
    lines: list[Line] = [(Span(word, ROLES[message.role], bold=True),)]
    if message.text:
        lines.extend(lines_of(message.text))
    lines.extend(
        (Span("→ ", "quiet"), Span(call.tool, bold=True), Span(f" {call.arguments}"), Span(f"   {call.id}", "quiet"))
        for call in message.calls
    )
    return [*lines, ()]
