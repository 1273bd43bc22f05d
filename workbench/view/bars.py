"""The bar: the one place for what wants the person now. Approval, hold, an interrupted call, a stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from workbench.core.door import NEVER_RAN, reply_at
from workbench.core.events import Held, HeldReply
from workbench.core.gate import describe, matches
from workbench.core.ledger import Executed
from workbench.core.loop import AskPerson, Move
from workbench.core.plan import Plan
from workbench.core.ports import Reply
from workbench.core.reading import Check, read_reply
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES, Status
from workbench.faults.replies import written_out
from workbench.view import words
from workbench.view.arguments import argument_rows, brief_line, one_line_arguments
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount, counted
from workbench.view.highlight import highlight, language_of
from workbench.view.lines import NAME_ROOM, clip, cut_line, one_line, pad, text_rows, within, wrap
from workbench.view.panes import number_of
from workbench.view.visible import cells

BarKind = Literal["approval", "batch", "hold", "interrupted", "reply", "stop", "answered", "past"]
Preview = Callable[[str, str], str]
"""A tool's own sentence about a call with these canonical arguments; "" when it has none."""

ANSWER_ROWS = 6
"""Rows of an answer on the card of a run that ended."""
BRIEF_ROWS = 2
"""Rows of a preview under a call of a batch."""
RESULT_ROOM = 120
"""Cells of what another branch was given back."""
NAMES = 24
"""Cells of the longest tool name in a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What the bar shows: a title, a quiet word beside it, and lines. `whole` is False where something was cut."""

    kind: BarKind
    role: Role
    title: Line
    body: tuple[Line, ...] = ()
    calls: tuple[str, ...] = ()
    """The calls it is about; the first is decided now."""
    whole: bool = True

    @property
    def asks(self) -> bool:
        """Whether it wants an answer."""
        return self.kind in ("approval", "batch", "interrupted", "hold")


def bar_for(
    state: State,
    move: Move,
    *,
    width: int,
    rows: int,
    preview: Preview,
    check: Check,
    chosen: str = "",
    saved_as: str = "",
) -> Bar | None:
    """The bar for a run that stands at `move`; None when nothing wants the person. `check` validates calls.

    No line of the body takes more than `width` cells; arguments and results take at most `rows` rows.
    """
    if isinstance(move, AskPerson):
        question = move.question
        if question.on == "approval":
            return _approval(state, question.calls, width, rows, preview, chosen)
        if question.reply is not None:
            return _hold_reply(state, question.reply, check, width, rows)
        if question.on == "hold":
            return _hold(state, question.calls[0], width, rows)
        if question.on == "interrupted":
            return _interrupted(question.calls[0], width)
        return None
    if state.stopped is not None:
        return _stop(state, width, saved_as)
    return None


# ---------------------------------------------------------------- approval


def _approval(state: State, calls: tuple[CallRecord, ...], width: int, rows: int, preview: Preview, chosen: str) -> Bar:
    ids = [record.call.id for record in calls]
    at = ids.index(chosen) if chosen in ids else 0
    order = (ids[at], *ids[:at], *ids[at + 1 :])
    if len(calls) > 1:
        return _batch(state, calls, at, order, width, preview)
    record = calls[at]
    title = (
        Span(f"▲ {_who(state)} wants to run ", "wait"),
        Span(words.name_of(record.call.tool), "wait", bold=True),
        Span(f"   call {number_of(record)} · {_step_words(state)}", "quiet"),
    )
    shown, whole = argument_rows(record.call.arguments.strip(), width - 2, rows)
    body = (*shown, *consequences(state, record, preview, width - 2))
    return Bar(kind="approval", role="wait", title=title, body=body, calls=order, whole=whole)


def _who(state: State) -> str:
    """Who makes the calls that are open."""
    return "The model" if state.planned is None else f"Step {state.planned.step} of the plan"


def _batch(
    state: State, calls: tuple[CallRecord, ...], at: int, order: tuple[str, ...], width: int, preview: Preview
) -> Bar:
    title = (
        Span(f"▲ The model wants to run {len(calls)} tools: one decision each", "wait"),
        Span(f"   {_step_words(state)}", "quiet"),
    )
    numbers = max(cells(number_of(record)) for record in calls) + 1
    names = min(NAMES, max(8, width // 3), max(cells(one_line(record.call.tool)) for record in calls))
    room = width - 2 - numbers - names - 2
    body: list[Line] = []
    for index, record in enumerate(calls):
        picked = index == at
        line = (
            Span("▸ " if picked else "  ", "primary"),
            Span(pad(number_of(record), numbers), "primary" if picked else "quiet"),
            Span(pad(cut_line(record.call.tool, names), names + 2), bold=True),
            *brief_line(record, room),
        )
        body.append(clip(line, width))
        if picked:
            about = consequences(state, record, preview, width - 4, brief=True)
            body += [(Span("    "), *row) for row in about]
    whole = cells(one_line_arguments(calls[at])) <= room
    return Bar(kind="batch", role="wait", title=title, body=tuple(body), calls=order, whole=whole)


def consequences(
    state: State, record: CallRecord, preview: Preview, width: int, *, brief: bool = False, arguments: str = ""
) -> list[Line]:
    """What a call would do, in the tool's own words, and why the person is asked; in brief only a why that warns.

    `arguments` are others that it would get instead of its own, in canonical form.
    """
    tool = state.tool(record.call.tool)
    lines: list[Line] = []
    sentence = one_line(preview(record.call.tool, arguments or record.arguments))
    if sentence:
        rows = wrap((Span(sentence, "quiet" if brief else ""),), width)
        lines += within(rows, width, BRIEF_ROWS)[0] if brief else rows
    if tool is not None and tool.consequence:
        lines += wrap((Span(one_line(tool.consequence), "quiet"),), width)
    why = known_before(state, record, arguments or record.arguments) or ("" if brief else _why_asked(state, record))
    if why:
        lines += wrap((Span(why, "quiet"),), width)
    return lines


def _why_asked(state: State, record: CallRecord) -> str:
    """The reason for the question, in the order in which the gate finds one."""
    tool = state.tool(record.call.tool)
    if tool is None:
        return ""
    name = words.name_of(tool.name)
    arguments = _arguments(record)
    for rule in state.header.rules:
        if rule.decide == "ask" and matches(rule, tool.name, arguments):
            return f"Asked because of a rule of this run: {one_line(describe(rule))}."
    return {
        "write": f"Asked because {name} writes.",
        "outward": f"Asked because {name} reaches outside.",
        "undeclared": f"Asked because {name} does not declare what it may do.",
    }.get(tool.risk, "")


def known_before(state: State, record: CallRecord, arguments: str) -> str:
    """That the call has been made before, or may have been; "" where nothing is known of that."""
    key = state.effect_key(record.call.tool, arguments)
    if (done := state.elsewhere.get(key)) is not None:
        return f"{_done_before(done)} {_came_of(done)}".rstrip()
    if key in state.unsure_keys:
        return "Asked because nobody knows what came of the same call before: it may have taken effect already."
    return ""


def _done_before(done: Executed) -> str:
    """Who has done it, where that is known."""
    if done.fate == "logged":
        return "Asked because the agent whose log this is has already done this."
    if not done.branch:
        return "Asked because another branch of this run has already done this."
    return f"Asked because this is done already, in “{cut_line(done.branch, NAME_ROOM)}”."


def _came_of(done: Executed) -> str:
    """What the model read there, and how to give it that here without doing it again."""
    result = cut_line(done.result, RESULT_ROOM)
    return f"It gave back: {result} To answer with that does not do it again." if result else ""


def _arguments(record: CallRecord) -> dict[str, Any]:
    value = json.loads(record.arguments) if record.arguments else {}
    return value if isinstance(value, dict) else {}


def _step_words(state: State) -> str:
    cap = state.limits.steps
    return f"step {amount(state.steps)} of {amount(cap)}" if cap is not None else f"step {amount(state.steps)}"


# ---------------------------------------------------------------- the others


def _hold(state: State, record: CallRecord, width: int, rows: int) -> Bar:
    held = record.held
    assert held is not None
    reader = "the model has not read" if state.planned is None else "no later step has read"
    title = (
        Span(f"◆ Held at the door: {reader} this result", "held"),
        Span(f"   {words.name_of(record.call.tool)} · call {number_of(record)}", "quiet"),
    )
    head: list[Line] = []
    if held.outcome != "ran":
        head = [(Span(f"✗ {held.outcome.replace('_', ' ')}", "error"),)]
    head += _change(held, width - 2)
    lines, whole = _data_rows(held.content, width - 2, rows)
    body = [row for line in head for row in wrap(line, width - 2)] + lines
    return Bar(kind="hold", role="held", title=title, body=tuple(body), calls=(record.call.id,), whole=whole)


def _hold_reply(state: State, held: HeldReply, check: Check, width: int, rows: int) -> Bar:
    title = (
        Span("◆ Held at the door: nothing in this reply is believed yet", "held"),
        Span(f"   reply of step {amount(state.total_steps + 1)}", "quiet"),
    )
    reply = reply_at(held)
    written, whole = text_rows(written_out(reply) or "(an empty reply)", width - 2, rows)
    body = [*_change(held, width - 2), *written]
    body += wrap((Span(_read_as(state, reply, check), "quiet"),), width - 2)
    return Bar(kind="hold", role="held", title=title, body=tuple(body), whole=whole)


def _change(held: Held | HeldReply, width: int) -> list[Line]:
    """Who changed what is held, and what it was."""
    if not held.changed_by:
        return []
    never_ran = isinstance(held, Held) and held.original_outcome == NEVER_RAN
    was = "the tool did not run" if never_ran else f"was {one_line(held.original) or 'nothing'}"
    line = (Span(f"≠ changed by {words.changer_words(held.changed_by)}", "changed"), Span(f"   {was}", "quiet"))
    return [clip(line, width)]


def _read_as(state: State, reply: Reply, check: Check) -> str:
    """What the loop would make of a reply, in one or two sentences."""
    read = read_reply(state, reply, check, 0.0)
    if read.reading in ("cut_off", "blocked"):
        return f"It would not be believed: {read.problem[:1].lower()}{one_line(read.problem[1:])}"
    if read.reading == "malformed":
        return f"It could not be read: {one_line(read.problem)}"
    dropped = [one_line(read.dropped)] if read.dropped else []
    if read.reading == "answer" and state.plan is not None:
        return _chosen(state.plan, read.answer) if state.plan.chooses(state.place) else "Later steps would have this."
    if read.reading == "answer":
        return " ".join(["It would be read as an answer, which ends the run.", *dropped])
    valid = words.names_of([call.tool for call in read.calls if not call.problem])
    said = [f"It would be read as a call of {valid}."] if valid else ["No tool would run."]
    said += [f"{_WRONG[call.problem_kind]}: {one_line(call.problem)}" for call in read.calls if call.problem][:1]
    return " ".join([*said, *dropped])


def _chosen(plan: Plan, said: str) -> str:
    route = plan.chosen(said)
    return f"It would choose route {one_line(route.name)}." if route is not None else "It would choose no route."


_WRONG = {
    "malformed": "Arguments are no JSON object",
    "unknown_tool": "A tool is called that is not there",
    "invalid": "Arguments do not fit",
    "not_run": "A call would not run",
    "": "",
}
"""What is wrong with a call of a reply, before what the model would read of it."""


def _data_rows(text: str, width: int, rows: int) -> tuple[list[Line], bool]:
    """A result in a few rows, in colours where it is JSON of a reasonable size."""
    if not text:
        return [(Span("(an empty result)", "quiet"),)], True
    if language_of(text) == "json" and text == one_line(text):
        return within(highlight(text, "json"), width, rows)
    return text_rows(text, width, rows)


def _interrupted(record: CallRecord, width: int) -> Bar:
    title = (
        Span(f"▲ {words.name_of(record.call.tool)} had started when the run was interrupted", "wait"),
        Span(f"   call {number_of(record)}", "quiet"),
    )
    body = [brief_line(record, width - 2)]
    body += wrap((Span("Nobody knows whether it took effect. Nothing runs again by itself."),), width - 2)
    choices = "Tell the model that it is unknown, answer for the tool, or run it again."
    body += wrap((Span(choices, "quiet"),), width - 2)
    return Bar(kind="interrupted", role="wait", title=title, body=tuple(body), calls=(record.call.id,))


def reply_bar(state: State, draft: str, width: int) -> Bar:
    """For a person who is the model and looks at something else: the reply is still to be written."""
    title = (
        Span("▲ You are the model", "wait"),
        Span(f"   {_step_words(state)} · the run waits for your reply", "quiet"),
    )
    body: tuple[Line, ...] = ()
    if draft.strip():
        body = (clip((Span("written, not sent: ", "quiet"), Span(cut_line(draft.strip(), width))), width),)
    return Bar(kind="reply", role="wait", title=title, body=body)


def _stop(state: State, width: int, saved_as: str) -> Bar:
    stop = state.stopped
    assert stop is not None
    good = stop.status in SUCCESSES
    role: Role = "go" if good else "error"
    counts = [counted(state.model_calls, "model call"), counted(state.tool_calls, "tool call")]
    if state.errors:
        counts.append(counted(state.errors, "error"))
    title = (
        Span(f"{'✓' if good else '■'} {words.stop_title(state)}", role),
        Span(f"   {stop.status.value} · {', '.join(counts)}", "quiet"),
    )
    body: list[Line] = []
    if state.answer:
        body += text_rows(state.answer, width - 2, ANSWER_ROWS)[0]
    if stop.detail.strip() and not good:
        # Of a traceback the last line says what it was; all of it stands with its entry.
        last = stop.detail.strip().rpartition("\n")[2]
        body += within([(Span(one_line(last)),)], width - 2, ANSWER_ROWS)[0]
    if state.failure in words.ADVICE and not state.header.free:
        body += wrap((Span(words.ADVICE[state.failure], "quiet"),), width - 2)
    saved = f"Saved as {one_line(saved_as)}." if saved_as else ""
    going = "" if good or stop.status is Status.CANCELLED else "Going on keeps everything above."
    if saved or going:
        body += wrap((Span(" ".join(part for part in (saved, going) if part), "quiet"),), width - 2)
    return Bar(kind="answered" if good else "stop", role=role, title=title, body=tuple(body))
