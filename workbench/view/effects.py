"""The effect ledger in words: what a run really did after some point, and what of it is not undone by going back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.core.ledger import Executed
from workbench.core.values import Header
from workbench.view.arguments import spelled_line
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount, counted
from workbench.view.lines import NAME_ROOM, clip, cut_line, one_line, pad, wrap
from workbench.view.visible import cells

FATES: dict[str, tuple[str, str, Role]] = {
    "stands": ("✗", "cannot be undone", "error"),
    "once": ("▲", "asked about again", "wait"),
    "undone": ("✓", "undone", "go"),
    "logged": ("·", "by another agent", "quiet"),
}
MAYBE: tuple[str, str, Role] = ("?", "may have been done", "wait")
FATE = 2 + max(cells(words_) for _, words_, _ in (*FATES.values(), MAYBE))
"""Cells of a sign and its words."""
BRANCH = 32
"""Cells of the title of another branch."""
NAMED = 3
"""Files of one call that are named."""


def fate_words(item: Executed) -> tuple[str, str, Role]:
    """Sign, words and colour role of what becomes of an effect."""
    return MAYBE if item.outcome == "unknown" and item.fate != "logged" else FATES[item.fate]


def to_be_heeded(items: Iterable[Executed]) -> bool:
    """Whether some of it ran here and is not undone by going back."""
    return any(item.fate not in ("undone", "logged") for item in items)


def effects_title(items: Sequence[Executed], after: int) -> str:
    """In one sentence what the run did after event `after`."""
    point = f"After event {amount(after)}: " if after else ""
    ours = [item for item in items if item.fate != "logged"]
    logged = len(items) - len(ours)
    stands = sum(item.fate == "stands" and item.outcome == "ran" for item in ours)
    maybe = sum(item.outcome == "unknown" for item in ours)
    parts = [f"{counted(len(ours), 'call')} really acted"] if ours else []
    if stands:
        parts.append(f"{amount(stands)} cannot be undone")
    if maybe:
        parts.append(f"of {amount(maybe)} nobody knows")
    if logged:
        parts.append(logged_words(logged))
    return _begun(f"{point}{'; '.join(parts) or 'nothing but reading was done'}")


def logged_words(calls: int) -> str:
    """Of calls that never ran here, and whose tools nothing is known of."""
    what = "whether it changed anything" if calls == 1 else "whether they changed anything"
    return f"the log tells of {counted(calls, 'call')} of another agent, and not {what}"


def elsewhere_title(items: Sequence[Executed]) -> str:
    """In one sentence what other branches did that this one has not."""
    asked = "it is" if len(items) == 1 else "they are"
    what = counted(len(items), "thing")
    return f"Other branches of this run did {what} more; {asked} asked about before this one does the same"


def elsewhere_words(items: Sequence[Executed]) -> str:
    """The same, with what it was, as a sentence."""
    named = [f"{one_line(item.tool)} {one_line(item.arguments)} in “{one_line(item.branch)}”" for item in items[:NAMED]]
    more = f"; and {amount(len(items) - NAMED)} more" if len(items) > NAMED else ""
    return f"{elsewhere_title(items)}: {'; '.join(named)}{more}."


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def effect_lines(header: Header, items: Sequence[Executed], width: int) -> list[Line]:
    """Each effect on a line of at most `width` cells, and under it what is to be known before it is done again."""
    lines: list[Line] = []
    for item in items:
        sign, fate, role = fate_words(item)
        where = f"   in “{cut_line(item.branch, BRANCH)}”" if item.branch else f"   event {amount(item.n)}"
        room = max(8, width - FATE - 2 - cells(where))
        name = Span(cut_line(item.tool, min(NAME_ROOM, room)), bold=True)
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
