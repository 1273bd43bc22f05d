"""A result of the run itself, once more: for runs in which long results are folded."""

from __future__ import annotations

from workbench.toolkit.api import ToolError, tool


@tool(risk="read", source="this run", inline=True, max_chars=100_000, max_lines=10_000)
def recall(key: str) -> str:
    """Give the whole of an earlier result of which only the beginning is left. Call this when it is needed again.

    key: as it stands where the result was folded, e.g. "c3".
    """
    raise ToolError(f'Nothing is kept under "{key}" here: only a run that folds its results keeps them.')
