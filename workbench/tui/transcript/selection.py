"""The text that is selected with the mouse: without gutter, bar and wrapping."""

from __future__ import annotations

from textual.selection import Selection

from workbench.tui.transcript.flow import Flow
from workbench.view.visible import visible


def selected_text(flow: Flow, selection: Selection) -> str:
    """The text as drawn; offsets are rows of the flow, and characters from where the text of a row starts.

    Entries between the first and the last one come whole, also where they are folded.
    """
    start, end = selection
    first, first_row = flow.locate(0 if start is None else start.y)
    last, last_row = flow.locate(flow.total - 1 if end is None else end.y)
    out = []
    for index in range(first, min(last, flow.count) + 1):
        if first < index < last and flow.source is not None:
            out.append(visible(flow.source.text(index)))
            continue
        begin = (first_row, 0 if start is None else max(0, start.x)) if index == first else (0, 0)
        stop = (last_row, None if end is None else max(0, end.x)) if index == last else (None, None)
        out.append(_part(flow, index, begin, stop))
    return "\n".join(out).strip("\n")


def _part(flow: Flow, index: int, begin: tuple[int, int], stop: tuple[int | None, int | None]) -> str:
    """The text of an entry from one (row, character) to another; None is the last one."""
    layout = flow.layout(index)
    if layout is None:
        return ""
    pieces: list[str] = []
    for row, place in enumerate(layout.rows):
        if row < begin[0] or (stop[0] is not None and row > stop[0]):
            continue
        if place.start == 0 and row > begin[0]:
            pieces.append("\n")
        text = layout.lines[place.line].text[place.start : place.end]
        pieces.append(text[begin[1] if row == begin[0] else 0 : stop[1] if row == stop[0] else None])
    return "".join(pieces).rstrip(" ")
