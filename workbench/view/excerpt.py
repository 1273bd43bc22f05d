"""The transcript around one event, as text, for whoever wants to see where a run went another way."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.events import Event
from workbench.core.state import State
from workbench.view.entries import entry_lines
from workbench.view.lines import cut
from workbench.view.timeline import Timeline

BEFORE, AFTER = 3, 2
"""Entries shown on either side."""
LINES = 6
"""Lines shown of one entry."""
WIDTH = 160


def excerpt(events: Sequence[Event], state: State, n: int) -> list[str]:
    """The entries around event `n`, which is marked; long ones in part. n = 0 is the end."""
    timeline = Timeline(events, state, keys=False)
    if not len(timeline):
        return []
    at = timeline.index_of(n) if n else len(timeline) - 1
    first, last = max(0, at - BEFORE), min(len(timeline), at + 1 + AFTER)
    lines = ["  …"] if first else []
    for index in range(first, last):
        entry = entry_lines(timeline.entry(index))
        left = len(entry) - LINES
        shown = entry if left <= 1 else [*entry[:LINES], f"{' ' * 12}… {left} more lines"]
        lines += [f"{'▸ ' if index == at else '  '}{cut(line, WIDTH)}" for line in shown]
    return [*lines, *(["  …"] if last < len(timeline) else [])]
