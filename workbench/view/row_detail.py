"""One row of a comparison in full: what it is, in what the two differ, and what each of them says."""

from __future__ import annotations

from workbench.core.divergence import Row
from workbench.core.events import ModelReply, Notice, Stopped, UserMessage
from workbench.core.items import Aspect, Item
from workbench.models.differences import text_difference
from workbench.view import words
from workbench.view.arguments import argument_lines
from workbench.view.comparing import NAMES, Pair
from workbench.view.entries import Line, Span, line_text, lines_of
from workbench.view.item_lines import item_lines
from workbench.view.lines import one_line, text_rows

DIFFERENT = {Aspect.WHAT: "they differ", Aspect.DECISION: "decided differently", Aspect.RESULT: "another result"}
LABEL = 3
"""Cells of the name of a run and what stands behind it."""


def event_of(row: Row, side: int) -> int:
    """The number of the event of that run at which the row is seen: the result, where it is the result that differs."""
    item = row.b if side else row.a
    if item is None:
        return 0
    return item.result_n if row.aspect is Aspect.RESULT and item.result_n else item.n


def row_title(pair: Pair, index: int) -> str:
    """The step, what happens in the row, and how far the two are alike in it."""
    row = pair.found.rows[index]
    item = row.a or row.b
    assert item is not None
    step = f"Step {item.step:,} · " if item.step else ""
    return f"{step}{_noun(item)} · {_alike(row)}"


def _noun(item: Item) -> str:
    if item.call is not None:
        return words.name_of(item.call.tool)
    return {"message": "the user", "reply": "the model", "step": "the plan", "failure": "the model fails"}.get(
        item.kind, item.kind
    )


def _alike(row: Row) -> str:
    if row.a is None or row.b is None:
        return f"only in {NAMES[0 if row.b is None else 1]}"
    if row.aspect is not None:
        return DIFFERENT[row.aspect]
    return "the same in other words" if row.reworded else "the same"


def row_lines(pair: Pair, index: int, width: int, rows: int) -> list[Line]:
    """What both say, in at most so many rows, the one below the other; once, where they say the same."""
    row = pair.found.rows[index]
    texts = [_text(pair, row, side) for side in (0, 1)]
    if texts[0] == texts[1]:
        return _labelled("=", texts[0], width, rows)
    shown = [(name, text) for name, text in zip(NAMES, texts, strict=True) if text is not None]
    each = max(1, rows // len(shown))
    return [line for name, text in shown for line in _labelled(name, text, width, each)]


def _labelled(name: str, text: str | None, width: int, rows: int) -> list[Line]:
    lines, _ = text_rows(text or "", width - LABEL, rows)
    return [
        (Span(f"{name if number == 0 else '':<{LABEL}}", "quiet", bold=True), *line)
        for number, line in enumerate(lines)
    ]


def _text(pair: Pair, row: Row, side: int) -> str | None:
    """What a run says in a row, in the respect in which the two differ."""
    item = row.b if side else row.a
    if item is None:
        return None
    lines = item_lines(item, pair.both[side].side.header.protocol)
    if item.call is not None:
        if row.aspect is Aspect.DECISION:
            return line_text(lines[1].line).strip() if len(lines) > 2 else "nobody was asked"
        if row.aspect is Aspect.WHAT:
            return f"{item.call.tool} {item.call.arguments.strip()}"
        return item.result.content if item.result is not None else "nothing has come of it yet"
    if isinstance(item.event, ModelReply):
        return item.event.answer if item.event.reading == "answer" else item.event.text or line_text(lines[0].line)
    if isinstance(item.event, Stopped):
        return f"{line_text(lines[0].line)}{f'. {item.event.detail}' if item.event.detail else ''}"
    if isinstance(item.event, UserMessage | Notice):
        return item.event.text
    return line_text(lines[0].line)


def whole_lines(pair: Pair, index: int) -> list[Line]:
    """All that both say in a row, and where it parts."""
    row = pair.found.rows[index]
    lines: list[Line] = []
    for side, (name, run) in enumerate(zip(NAMES, pair.both, strict=True)):
        item = row.b if side else row.a
        lines += [(), (Span(f"{name}  {one_line(run.title)}", "primary", bold=True),)] if lines else []
        lines = lines or [(Span(f"{name}  {one_line(run.title)}", "primary", bold=True),)]
        lines += _whole(item) if item is not None else [(Span("nothing here", "quiet"),)]
    one, other = (_text(pair, row, side) for side in (0, 1))
    if one and other and one != other:
        lines += [(), (Span(one_line(text_difference(one, other, NAMES)), "changed"),)]
    return lines


def _first(item: Item) -> Line:
    return item_lines(item, "native")[0].line


def _whole(item: Item) -> list[Line]:
    if item.call is None:
        event = item.event
        if isinstance(event, ModelReply):
            thought = [(Span("thinking", "quiet"),), *lines_of(event.thinking), ()] if event.thinking else []
            return [*thought, *lines_of(event.text or event.answer)]
        return list(lines_of(event.text)) if isinstance(event, UserMessage | Notice) else [_first(item)]
    lines: list[Line] = [(Span("→ ", "quiet"), Span(one_line(item.call.tool), bold=True))]
    lines += argument_lines(item.call.canonical or item.call.arguments)
    lines += [each.line for each in item_lines(item, "native")[1:-1]]
    if item.result is None:
        return [*lines, (Span("nothing has come of it yet", "quiet"),)]
    result = item.result
    lines += [(Span(f"{result.outcome.replace('_', ' ')}:", "quiet"),), *lines_of(result.content)]
    if result.changed:
        lines += [(Span(f"changed by {words.changer_words(result.changed_by)}; it was:", "changed"),)]
        lines += lines_of(result.original)
    return lines
