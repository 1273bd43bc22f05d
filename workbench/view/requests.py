"""What the model sees: every request as it was sent, and the next one as it would be."""

from __future__ import annotations

from workbench.core.carried import summary_mark, summary_request
from workbench.core.loop import AskModel, AskPerson, Finished, TakeStep, next_move
from workbench.core.persistent import Log
from workbench.core.records import Message, RequestMark
from workbench.core.state import State
from workbench.view.entries import Line, Role, Span, lines_of
from workbench.view.figures import amount, counted, tokens
from workbench.view.lines import one_line

ROLES: dict[str, Role] = {"user": "user", "assistant": "model", "tool": "result", "notice": "notice"}


def request_count(state: State) -> int:
    """Requests sent so far, and one more for the next, which may never come."""
    return len(state.requests) + 1


def request_page(state: State, index: int) -> tuple[Line, list[Line]]:
    """Title and text of request `index` (from 0): instructions, tools, then every message to the letter."""
    sent = index < len(state.requests)
    mark = state.requests[index] if sent else _next(state)
    name = f"Request {index + 1} of {len(state.requests)}" if sent else "The next request"
    name += ", for a summary" if mark.purpose == "summary" else ""
    read = tokens(mark.tokens, estimated=mark.estimated)
    size = f"{counted(len(mark.sent), 'message')} · {amount(mark.chars)} characters · {read} tokens"
    facts = size if sent else size + _unless(state)
    title: Line = (Span(name, "primary", bold=True), Span(f"   {facts}", "quiet"))
    return title, [*_head(state), *_messages(state, mark.sent)]


def _next(state: State) -> RequestMark:
    """The request that has not been sent, as it would be."""
    move = next_move(state)
    if isinstance(move, AskModel) and move.older is not None:
        return summary_mark(state, summary_request(state, move.older))
    return RequestMark(state.n, state.sent, state.chars, state.context_tokens, True, 0, state.total_steps + 1)


def _unless(state: State) -> str:
    move = next_move(state)
    if isinstance(move, Finished):
        return " · the run has ended, it is not sent"
    if isinstance(move, TakeStep):
        return " · none is due, the next step is the plan's"
    return " · a question comes first" if isinstance(move, AskPerson) else ""


def _head(state: State) -> list[Line]:
    lines: list[Line] = []
    if state.system:
        lines += [(Span("system", "quiet", bold=True),), *lines_of(state.system), ()]
    if state.protocol.native_tools and state.header.tools:
        lines.append((Span("tools", "quiet", bold=True),))
        for tool in state.header.tools:
            lines.append(
                (Span(one_line(tool.name), bold=True), Span(f"  {' '.join(tool.description.split())}", "quiet"))
            )
            lines += [(Span(f"  {line}", "quiet"),) for line in tool.schema.split("\n")]
        lines.append(())
    return lines


def _messages(state: State, carried: Log[Message]) -> list[Line]:
    """In the text protocol they are one text; in the others they stand apart, each under its role."""
    if state.protocol.name == "text":
        lines: list[Line] = [(Span("transcript", "quiet", bold=True),)]
        for message in carried:
            lines += _gap(message)
            lines.extend(lines_of(message.text, "" if message.role == "assistant" else ROLES[message.role]))
        return lines
    native = state.protocol.native_tools
    return [line for message in carried for line in _message(message, native=native)]


def _gap(message: Message) -> list[Line]:
    """Where something was taken out, and that what follows stands in its place."""
    if not message.stands_for:
        return []
    what = "a result that was folded" if message.role == "tool" else counted(message.stands_for, "message")
    return [(Span(f"┄ in place of {what}", "past"),)]


def _message(message: Message, *, native: bool) -> list[Line]:
    lines: list[Line] = [*_gap(message), (Span(one_line(_word(message)), ROLES[message.role], bold=True),)]
    if message.text:
        lines += lines_of(message.text)
    for call in message.calls if native else ():
        first, *others = call.arguments.split("\n")
        name = Span(one_line(call.tool), bold=True)
        lines.append((Span("→ ", "quiet"), name, Span(f" {first}"), Span(f"   {call.id}", "quiet")))
        lines += [(Span(line),) for line in others]
    return [*lines, ()]


def _word(message: Message) -> str:
    word = f"{message.role} · {message.call_id} {message.tool}" if message.call_id else message.role
    return f"{word} · error" if message.is_error else word
