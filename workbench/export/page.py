"""A run as a page of HTML that stands alone: its style inside, no script, nothing fetched, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from workbench import __version__
from workbench.export.forms import CannotExport, Recorded, Written
from workbench.export.palette import Palette
from workbench.export.transcript import REQUEST_COLUMNS, Fact, Part, ending, facts, parts, requests, told
from workbench.view.entries import Entry, Line, Span, line_text, lines_of
from workbench.view.figures import counted
from workbench.view.lines import line_cells
from workbench.view.visible import visible

ROW = 100
"""Characters of a row by which it is told how much of a long entry is seen at once."""
_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--foreground);
  font: 14px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
main { max-width: 120ch; margin: 0 auto; padding: 2rem 1.5rem 3rem; }
h1 { font-size: 1.25rem; margin: 0 0 .25rem; }
h2 { font-size: 1rem; color: var(--quiet); border-bottom: 1px solid var(--rule); margin: 2rem 0 .75rem; }
.ending { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 2ch; margin: 0; }
dt, th { color: var(--quiet); font-weight: normal; text-align: left; }
dd { margin: 0; overflow-wrap: anywhere; }
.entry { display: grid; grid-template-columns: 4ch 8ch minmax(0, 1fr); padding: .35rem 0; }
.step { color: var(--quiet); text-align: right; padding-right: 1ch; }
.word { font-weight: bold; }
.data .body { border-left: 2px solid currentColor; padding-left: 1ch; }
.data .body > * { color: var(--foreground); }
.data .body > .meta { color: var(--quiet); }
pre { margin: 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .15rem 0; }
summary { color: var(--quiet); cursor: pointer; }
summary:hover, summary:focus { color: var(--primary); }
details > pre { background: var(--surface); padding: .25rem 1ch; }
.entry details.rest > pre { background: none; padding: 0; }
table { border-collapse: collapse; }
th, td { padding: 0 2ch 0 0; text-align: right; }
.meta { color: var(--quiet); }
footer { color: var(--quiet); margin-top: 2.5rem; }
b { font-weight: bold; } i { font-style: italic; }
@media (max-width: 60ch) { .entry { grid-template-columns: 4ch 1fr; } .entry .body { grid-column: 1 / -1; } }
@media print { details > * { display: block; } }
"""
_ROLES = (
    "quiet", "primary", "user", "model", "result", "notice", "error", "changed", "go", "wait", "held", "past", "rule",
)  # fmt: skip


def write(run: Recorded) -> Written:
    """The page. With two palettes it is dark or light as its reader likes it. Raises CannotExport without any."""
    if not run.palettes:
        raise CannotExport("a page needs the colours of a theme")
    title = _text(run.title)
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        f"<title>{title}</title>",
        f"<style>{_colours(run.palettes)}{_STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{title}</h1>",
        f'<p class="ending">{_line(ending(run))}</p>',
        *_facts(facts(run)),
        "<h2>Transcript</h2>",
        *(line for part in parts(run) for line in _part(part)),
        *_told(told(run)),
        *_requests(requests(run)),
        f"<footer>Written by the agent workbench {_text(__version__)}.</footer>",
        "</main>",
        "</body>",
        "</html>",
    ]
    return Written("\n".join(lines) + "\n")


def _colours(palettes: Sequence[Palette]) -> str:
    """The colours as variables; the first palette is the one of whoever has no wish."""
    first, *others = palettes
    rules = [f":root {{ color-scheme: {_scheme(first)}; {_variables(first)} }}"]
    rules += [
        f"@media (prefers-color-scheme: {_scheme(other)}) {{ :root {{ color-scheme: {_scheme(other)}; "
        f"{_variables(other)} }} }}"
        for other in others
    ]
    rules += [f".r-{role} {{ color: var(--{role}); }}" for role in _ROLES]
    return "\n" + "\n".join(rules)


def _scheme(palette: Palette) -> str:
    return "dark" if palette.dark else "light"


def _variables(palette: Palette) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in palette.colours.items())


# ---------------------------------------------------------------- pieces


def _facts(rows: Iterable[Fact]) -> list[str]:
    return ["<dl>", *(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in rows), "</dl>"]


def _part(part: Part) -> Iterator[str]:
    entry = part.entry
    step = str(entry.step) if entry.step is not None else ""
    yield f'<section class="entry{" data" if entry.data else ""}" id="e{entry.key}">'
    yield f'<div class="step">{step}</div><div class="word{_role(entry.role)}">{_text(entry.word)}</div>'
    yield f'<div class="body{_role(entry.role) if entry.data else ""}">'
    if entry.meta:
        yield f'<div class="meta">{_text(entry.meta)}</div>'
    yield from _body(entry)
    for title, text in part.more:
        yield f"<details><summary>{_text(title)}</summary>{_pre(lines_of(text))}</details>"
    yield "</div></section>"


def _body(entry: Entry) -> Iterator[str]:
    """The lines; the rest of a long entry is folded, as in the app."""
    head, rest = (entry.lines, ()) if entry.fold_at is None else _folded(entry.lines, entry.fold_at)
    yield _pre(head)
    if rest:
        letters = sum(len(line_text(line)) for line in rest)
        left = counted(len(rest), "more line") if len(rest) > 1 else counted(letters, "more character")
        yield f'<details class="rest"><summary>… {left}</summary>{_pre(rest)}</details>'


def _folded(lines: Sequence[Line], rows: int) -> tuple[Sequence[Line], Sequence[Line]]:
    """What is seen at once, in so many rows of a common width, and the rest; a line that is too long is cut."""
    room = rows * ROW
    for at, line in enumerate(lines):
        length = line_cells(line)
        used = max(1, -(-length // ROW)) * ROW
        if used <= room:
            room -= used
        elif room == 0:
            return lines[:at], lines[at:]
        else:
            first, second = _cut(line, room)
            return (*lines[:at], first), (second, *lines[at + 1 :])
    return lines, ()


def _cut(line: Line, room: int) -> tuple[Line, Line]:
    """The line in two, the first part with so many characters."""
    first: list[Span] = []
    for at, span in enumerate(line):
        if len(span.text) > room:
            before, after = replace(span, text=span.text[:room]), replace(span, text=span.text[room:])
            return (*first, before), (after, *line[at + 1 :])
        first.append(span)
        room -= len(span.text)
    return tuple(first), ()


def _pre(lines: Sequence[Line]) -> str:
    # A newline right after the tag is dropped by readers of HTML.
    return "<pre>\n" + "\n".join(map(_line, lines)) + "</pre>"


def _line(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    text = _text(span.text)
    if span.italic:
        text = f"<i>{text}</i>"
    if span.bold:
        text = f"<b>{text}</b>"
    return f'<span class="r-{span.role}">{text}</span>' if span.role in _ROLES else text


def _role(role: str) -> str:
    return f" r-{role}" if role in _ROLES else ""


def _told(sections: Sequence[Fact]) -> Iterator[str]:
    if sections:
        yield "<h2>What the model was told</h2>"
    for title, text in sections:
        yield f"<details><summary>{_text(title)}</summary>{_pre(lines_of(text))}</details>"


def _requests(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    yield "<h2>Requests</h2>"
    yield "<table>"
    yield f"<tr>{''.join(f'<th>{_text(name)}</th>' for name in REQUEST_COLUMNS)}</tr>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>"
    yield "</table>"


def _text(text: str) -> str:
    """Text from outside: what cannot be seen is a sign, and nothing in it is markup."""
    return escape(visible(text))
