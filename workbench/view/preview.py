"""A scenario that is being written, as lines: what a run of it will have, so that a slip can be seen before it runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.core.plan import LOOPS, PIPELINE, plan_of
from workbench.core.values import LIMIT_NAMES, ToolInfo
from workbench.scenarios.exchanges import ExchangeTable
from workbench.scenarios.loader import to_plain
from workbench.scenarios.recorded import is_recorded, recorded_infos
from workbench.scenarios.schema import CallTable, FaultTable, PersonEntry, ReplyTable, Scenario
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount
from workbench.view.lines import clip, cut_line, heading, one_line, pad, wrap
from workbench.view.plan_code import code_lines
from workbench.view.visible import cells

LABEL, WIDE_LABEL = 10, 16
GOAL_ROWS = 2
MOST = 12
"""Rows of tools, people's answers and faults that are shown."""
FEWEST_REPLIES = 6
"""Rows that the replies have at least."""

_SLOT = re.compile(r"(?<!\$)\$\{[A-Za-z_][A-Za-z0-9_]*\}")


def preview(scenario: Scenario, tools: Sequence[ToolInfo], width: int, rows: int, here: int = 0) -> list[Line]:
    """The scenario in at most so many rows; `tools` are those there are, `here` is the reply to mark."""
    above = [*_about(scenario, width), *_tools(scenario, tools, width), *_limits(scenario, width)]
    above += _plan(scenario, width)
    below = [*_faults(scenario, width), *_person(scenario, width), *_expect(scenario, width)]
    room = max(FEWEST_REPLIES, rows - len(above) - len(below) - 2)
    lines = [clip(line, width) for line in (*above, *_replies(scenario, width, room, here), *below)]
    if len(lines) > rows:
        lines[rows - 1 :] = [(Span(f"… {amount(len(lines) - rows + 1)} more rows", "quiet"),)]
    return lines


def _about(scenario: Scenario, width: int) -> list[Line]:
    goal = wrap((Span(one_line(scenario.goal)),), width - LABEL, GOAL_ROWS + 1)
    lines: list[Line] = [_row("title", scenario.title or "none", "" if scenario.title else "quiet")]
    lines += [
        (Span(pad("goal" if not index else "", LABEL), "quiet"), *row) for index, row in enumerate(goal[:GOAL_ROWS])
    ]
    if len(goal) > GOAL_ROWS:
        lines[-1] = (*lines[-1], Span(" …", "quiet"))
    if scenario.system:
        lines.append(_row("system", scenario.system))
    if scenario.loop not in LOOPS:
        lines.append(_row("protocol", ", ".join([scenario.protocol, *_options(scenario)])))
    lines.append(_row("model", _model(scenario)))
    if scenario.loop != "engine":
        lines.append(_row("loop", scenario.loop))
    return [*lines, ()]


def _options(scenario: Scenario) -> Iterator[str]:
    """The switches of the protocol that are not as usual."""
    for name, value in scenario.protocol_options.model_dump(exclude_defaults=True).items():
        yield f"{name} {_value(value)}"


def _model(scenario: Scenario) -> str:
    use = scenario.model.use
    if use == "human":
        return "you type each reply"
    return f"{use}: {scenario.model.name}" if scenario.model.name else use


def _tools(scenario: Scenario, tools: Sequence[ToolInfo], width: int) -> Iterator[Line]:
    yield heading("Tools", width, amount(len(scenario.tools)))
    there = recorded_infos(scenario) | {tool.name: tool for tool in tools}
    for name in scenario.tools[:MOST]:
        sign, role, what = _tool(there.get(name), scenario)
        yield (
            Span(f"{sign} ", role),
            Span(pad(one_line(name), 20)),
            Span(f" {what}", "quiet" if sign == "✓" else role),
        )
    yield from _more(len(scenario.tools))
    yield ()


def _tool(tool: ToolInfo | None, scenario: Scenario) -> tuple[str, Role, str]:
    if tool is None:
        return "✗", "error", "is not there"
    what = {"read": "reads", "write": "writes", "outward": "reaches out"}.get(tool.risk, "unknown")
    decides = scenario.approval.default
    ruled = ", rules" if any(rule.tool == tool.name for rule in scenario.approval.rule) else ""
    if not tool.gated:
        return "✓", "go", f"{what}{ruled}"
    asked = {"ask": "asks you", "allow": "allowed", "deny": "denied"}[decides]
    return ("▲", "wait", f"{what}, {asked}{ruled}") if decides == "ask" else ("✓", "go", f"{what}, {asked}{ruled}")


def _limits(scenario: Scenario, width: int) -> Iterator[Line]:
    yield heading("Limits", width)
    given: dict[str, Any] = {name: getattr(scenario.limits, name) for name in LIMIT_NAMES}
    on = {name: value for name, value in given.items() if value is not None}
    for name, value in on.items():
        if name == "repeats":
            yield _row("repeats", f"told at {value.nudge}, stopped at {value.stop}", label=WIDE_LABEL)
        else:
            yield _row(name.replace("_", " "), amount(value, f"limits.{name}"), label=WIDE_LABEL)
    if not on:
        yield (Span("none: only the end of the script stops it", "wait"),)
    yield ()


def _plan(scenario: Scenario, width: int) -> Iterator[Line]:
    """The steps of a pipeline, or the routes with theirs."""
    plan = plan_of(to_plain(scenario))
    if plan is None:
        return
    yield heading("Routes" if plan.routes else "Steps", width, amount(len(plan.routes or plan.steps)))
    for line in code_lines(plan)[1:][:MOST]:
        yield _slots(cut_line(line, width))
    yield from _more(len(code_lines(plan)) - 1)
    yield ()


# ---------------------------------------------------------------- replies


def _replies(scenario: Scenario, width: int, room: int, here: int) -> Iterator[Line]:
    replies = scenario.model.reply
    if is_recorded(scenario):
        yield from _exchanges(scenario.model.exchange, width, room)
    if not replies and (scenario.model.use != "scripted" or scenario.loop == PIPELINE):
        return
    yield heading("Replies", width, amount(len(replies)))
    first, last = _window(replies, room, here)
    if first:
        yield (Span(f"  … {amount(first)} above", "quiet"),)
    for index in range(first, last):
        yield from _reply(replies[index], index, width, scenario, picked=index == here)
    if last < len(replies):
        yield (Span(f"  … {amount(len(replies) - last)} more", "quiet"),)
    if not replies:
        yield (Span("none: the first request finds nothing", "wait"),)
    yield ()


def _exchanges(exchanges: Sequence[ExchangeTable], width: int, room: int) -> Iterator[Line]:
    yield heading("Replies, recorded", width, amount(len(exchanges)))
    for index, exchange in enumerate(exchanges[:room], 1):
        number = Span(f" {pad(str(index), 3, right=True)} ", "quiet")
        if exchange.fail is not None:
            yield (number, Span(f"✗ failed: {exchange.fail}", "error"))
            continue
        called = ", ".join(one_line(call.tool) for call in exchange.call)
        said = cut_line(" ".join(exchange.text.split()), width - 5)
        yield (number, Span("→ ", "quiet"), Span(called, bold=True)) if called else (number, Span(said or "(empty)"))
    if len(exchanges) > room:
        yield (Span(f"  … {amount(len(exchanges) - room)} more", "quiet"),)
    yield ()


def _window(replies: Sequence[ReplyTable], room: int, here: int) -> tuple[int, int]:
    """Which replies are shown: as many around the marked one as there is room for."""
    if not replies:
        return 0, 0
    here = min(max(0, here), len(replies) - 1)
    first = last = here
    used = 0
    while last < len(replies) and used + _rows(replies[last]) <= room:
        used += _rows(replies[last])
        last += 1
    last = max(last, here + 1)
    while first > 0 and used + _rows(replies[first - 1]) <= room:
        first -= 1
        used += _rows(replies[first])
    return first, last


def _rows(reply: ReplyTable) -> int:
    return max(1, bool(reply.text) + len(reply.call))


def _reply(reply: ReplyTable, index: int, width: int, scenario: Scenario, *, picked: bool) -> Iterator[Line]:
    number = Span(pad(str(index + 1), 3, right=True) + " ", "primary" if picked else "quiet", bold=picked)
    mark = Span("▸" if picked else " ", "primary")
    note = _notes(reply)
    room = width - 5 - cells(note)
    parts: list[Line] = []
    if reply.fail is not None:
        parts.append((Span(f"✗ fails: {reply.fail}", "error"),))
    elif reply.text or not reply.call:
        parts.append(
            _slots(_said(reply.text or "", scenario.protocol, room)) if reply.text else (Span("(empty)", "quiet"),)
        )
    parts += [_call(call, width - 5) for call in reply.call]
    for at, part in enumerate(parts):
        if at:
            yield (Span("     "), *part)
        else:
            yield (mark, number, *part, Span(note, "quiet"))


def _said(text: str, protocol: str, room: int) -> str:
    """A reply on one line. What it does says more than why: in the text protocol thoughts come after."""
    lines = [line.strip() for line in text.strip().split("\n")]
    if protocol == "text":
        lines.sort(key=lambda line: not line.startswith(("ACTION:", "ANSWER:")))
    return cut_line(" ↵ ".join(line for line in lines if line), room)


def _slots(text: str) -> Line:
    """The text with its templates coloured."""
    spans, at = [], 0
    for slot in _SLOT.finditer(text):
        spans += [Span(text[at : slot.start()]), Span(slot[0], "changed")]
        at = slot.end()
    return tuple(span for span in (*spans, Span(text[at:])) if span.text)


def _call(call: CallTable, room: int) -> Line:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    name = one_line(call.tool)
    return (
        Span("→ ", "quiet"),
        Span(name, bold=True),
        *_slots(cut_line(f" {arguments}", max(8, room - 2 - cells(name)))),
    )


def _notes(reply: ReplyTable) -> str:
    """What else there is to a reply, in a few words."""
    times = "" if reply.repeat == 1 else "×∞" if reply.repeat == "forever" else f"×{reply.repeat}"
    said = [times, "if" if reply.when else "", "captures" if reply.capture else "", reply.finish or ""]
    return "".join(f" {word}" for word in said if word)


# ---------------------------------------------------------------- the rest


def _faults(scenario: Scenario, width: int) -> Iterator[Line]:
    if scenario.fault:
        yield heading("Faults", width, amount(len(scenario.fault)))
        for fault in scenario.fault[:MOST]:
            yield (Span("≠ ", "changed"), Span(_fault(fault)))
        yield from _more(len(scenario.fault))
        yield ()


def _fault(fault: FaultTable) -> str:
    what = fault.use or f"{(fault.do or '').replace('_', ' ')} on {fault.on}"
    when = [
        f"{name} {value}" for name in ("nth", "step", "every", "after", "chance") if (value := getattr(fault, name))
    ]
    return one_line(", ".join([what, *([fault.tool] if fault.tool else []), *when]))


def _person(scenario: Scenario, width: int) -> Iterator[Line]:
    if scenario.person:
        yield heading("Person", width, amount(len(scenario.person)))
        for entry in scenario.person[:MOST]:
            yield (Span(pad(entry.on, LABEL), "quiet"), Span(_deed(entry)))
        yield from _more(len(scenario.person))
        yield ()


def _deed(entry: PersonEntry) -> str:
    what: Any = entry.text if entry.text is not None else entry.arguments or entry.set
    told = f": {_value(what)}" if what else ""
    return one_line(f"{entry.do}{f' {entry.tool}' if entry.tool else ''}{told}")


def _expect(scenario: Scenario, width: int) -> Iterator[Line]:
    expect = scenario.expect
    yield heading("Expect", width)
    if expect is None:
        yield (Span("nothing: workbench check passes it over", "quiet"),)
        return
    for name, value in expect.model_dump(mode="json", exclude_none=True, exclude_unset=True).items():
        yield _row(name.replace("_", " "), _value(value), label=WIDE_LABEL)


def _more(count: int) -> Iterator[Line]:
    if count > MOST:
        yield (Span(f"  … {amount(count - MOST)} more", "quiet"),)


def _row(name: str, value: str, role: Role = "", label: int = LABEL) -> Line:
    return (Span(pad(name, label), "quiet"), Span(one_line(value), role))


def _value(value: Any) -> str:
    """A value as it stands in a file, without the quotes of a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(item)}" for name, item in value.items())
    return json.dumps(value, ensure_ascii=False) if not isinstance(value, list) else ", ".join(map(_value, value))
