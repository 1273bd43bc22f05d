"""A tool with a mistake in it, to show how a defect differs from a failure that the model can put right."""

from __future__ import annotations

from workbench.toolkit.api import tool


@tool(risk="read", source="nowhere")
def buggy_tool(x: int) -> int:
    """The number after a number. Call this to see what happens when a tool is broken.

    x: any whole number.
    """
    return x + "oops"  # type: ignore[operator]
