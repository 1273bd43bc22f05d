"""The end of a run as a tool call, for runs in which a plain text does not end it."""

from __future__ import annotations

from workbench.toolkit.api import tool


@tool(risk="read", source="answer", inline=True, max_chars=100_000, max_lines=10_000)
def submit_answer(answer: str) -> str:
    """Hand in the final answer. Call this once, when the question is answered; nothing follows it.

    answer: the whole answer, as the person is to read it.
    """
    return answer
