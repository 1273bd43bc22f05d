"""A run as markdown. Every text from outside stands in a fence that it cannot close, so it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.export.forms import Recorded, Written
from workbench.export.transcript import REQUEST_COLUMNS, Part, ending, facts, parts, requests, told
from workbench.view.entries import content, line_text
from workbench.view.visible import visible

_TICKS = re.compile("`+")
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#+!|~&-])")


def write(run: Recorded) -> Written:
    """The title, how it ended, the figures, and the transcript."""
    lines = [f"# {_plain(run.title)}", "", f"**{_plain(line_text(ending(run)))}**", ""]
    lines += _table(("", ""), facts(run))
    lines += ["", "## Transcript", ""]
    for part in parts(run):
        lines += _part(part)
    if sections := told(run):
        lines += ["## What the model was told", ""]
        for title, text in sections:
            lines += [f"**{_plain(title)}**", "", *_fenced(text), ""]
    if rows := requests(run):
        lines += ["## Requests", "", *_table(REQUEST_COLUMNS, rows), ""]
    return Written("\n".join(lines).rstrip("\n") + "\n")


def _part(part: Part) -> Iterator[str]:
    entry = part.entry
    step = f"{entry.step} · " if entry.step is not None else ""
    meta = f" · {_plain(entry.meta)}" if entry.meta else ""
    yield f"### {step}{_plain(entry.word)}{meta}"
    yield ""
    yield from _fenced(content(entry))
    yield ""
    for title, text in part.more:
        yield f"<details><summary>{title}</summary>"
        yield ""
        yield from _fenced(text)
        yield ""
        yield "</details>"
        yield ""


def _fenced(text: str) -> list[str]:
    text = visible(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", text, fence]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(map(_plain, row))} |" for row in rows)]


def _plain(text: str) -> str:
    """A text within a line, none of its characters meaning anything."""
    return _ACTIVE.sub(r"\\\1", visible(text).replace("\n", " "))
