"""The effect ledger in words: what a run really did after some point, and what of it is not undone by going back."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.ledger import Executed
from workbench.core.values import Header
from workbench.view import words
from workbench.view.arguments import spelled_line
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount, counted
from workbench.view.lines import clip, cut_line, one_line, pad, wrap
from workbench.view.visible import cells

FATES: dict[str, tuple[str, str, Role]] = {
    "stands": ("✗", "cannot be undone", "error"),
    "once": ("▲", "asked about again", "wait"),
    "undone": ("✓", "undone", "go"),
}
MAYBE: tuple[str, str, Role] = ("?", "may have been done", "wait")
FATE = 2 + max(cells(words_) for _, words_, _ in (*FATES.values(), MAYBE))
"""Cells of a sign and its words."""
NAMED = 3
"""Files of one call that are named."""


def fate_words(item: Executed) -> tuple[str, str, Role]:
    """Sign, words and colour role of what becomes of an effect."""
    return MAYBE if item.outcome == "unknown" else FATES[item.fate]


def effects_title(items: Sequence[Executed], after: int) -> str:
    """In one sentence what the run did after event `after`."""
    point = f"After event {amount(after)}: " if after else ""
    if not items:
        return _begun(f"{point}nothing but reading was done")
    stands = sum(item.fate == "stands" and item.outcome == "ran" for item in items)
    maybe = sum(item.outcome == "unknown" for item in items)
    parts = [f"{point}{counted(len(items), 'call')} really acted"]
    if stands:
        parts.append(f"{amount(stands)} cannot be undone")
    if maybe:
        parts.append(f"of {amount(maybe)} nobody knows")
    return _begun("; ".join(parts))


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def effect_lines(header: Header, items: Sequence[Executed], width: int) -> list[Line]:
    """Each effect on a line of at most `width` cells, and under it what is to be known before it is done again."""
    lines: list[Line] = []
    for item in items:
        sign, fate, role = fate_words(item)
        where = f"   event {amount(item.n)}"
        room = max(8, width - FATE - 2 - cells(where))
        name = Span(cut_line(item.tool, min(words.NAME_ROOM, room)), bold=True)
        call = clip((name, Span(" "), *spelled_line(item.arguments)), room)
        line = (Span(pad(f"{sign} {fate}", FATE), role), Span("  "), *call, Span(where, "quiet"))
        lines.append(clip(line, width))
        about = " ".join(filter(None, (_files(item), _consequence(header, item))))
        lines += [(Span(" " * (FATE + 2)), *row) for row in wrap((Span(about, "quiet"),), width - FATE - 2) if about]
    return lines


def _files(item: Executed) -> str:
    """What becomes of the files that it changed."""
    if not item.files or item.fate == "stands":
        return ""
    named = ", ".join(map(one_line, item.files[:NAMED]))
    more = f" and {amount(len(item.files) - NAMED)} more" if len(item.files) > NAMED else ""
    return f"{named}{more} {'is' if len(item.files) == 1 else 'are'} as before."


def _consequence(header: Header, item: Executed) -> str:
    """What the tool's author says of taking it back, where that matters."""
    tool = header.tool(item.tool)
    return one_line(tool.consequence) if tool is not None and item.fate != "undone" else ""
