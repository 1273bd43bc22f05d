"""What is wrong with a script that is being written, as lines: the line, the key, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.scenarios.errors import Problem
from workbench.view.entries import Line, Span
from workbench.view.lines import cut, one_line, pad, wrap

ROWS = 4
"""Problems that are shown at once; the picked one is among them."""
SENTENCE_ROWS = 3
"""Rows of the sentence of the picked one."""
MOST_OF_KEY = 24


def problem_lines(
    problems: Sequence[Problem], picked: int, width: int, rows: int = ROWS, *, wrong: int | None = None
) -> tuple[list[Line], list[int]]:
    """At most so many problems, the picked one with its whole sentence, and which problem each line is about.

    The first `wrong` of them, by default all, are wrong; the others are remarks.
    """
    wrong = len(problems) if wrong is None else wrong
    first = max(0, min(picked - rows + 1, len(problems) - rows)) if picked >= rows else 0
    shown = range(first, min(len(problems), first + rows))
    number = max((len(str(problem.line)) for problem in problems), default=1)
    key = min(MOST_OF_KEY, max((len(problem.key) for problem in problems), default=0))
    lines: list[Line] = []
    about: list[int] = []
    for index in shown:
        problem, here = problems[index], index == picked
        sign = () if index < wrong else (Span("≈ ", "changed"),)
        head = (
            Span("▸ " if here else "  ", "primary"),
            *sign,
            Span(f"{problem.line:>{number}}  ", "changed" if sign else "error", bold=True),
            Span(f"{pad(one_line(problem.key), key)}  " if key else "", "quiet"),
        )
        indent = sum(len(span.text) for span in head)
        sentence = one_line(problem.message)
        if here:
            own = wrap((Span(sentence),), max(10, width - indent), SENTENCE_ROWS)
        else:
            own = [(Span(cut(sentence, max(10, width - indent))),)]
        for row, line in enumerate(own):
            lines.append((*head, *line) if row == 0 else (Span(" " * indent), *line))
            about.append(index)
    more = len(problems) - len(shown)
    if more:
        lines.append((Span(f"  … {more:,} more", "quiet"),))
        about.append(shown[-1])
    return lines, about
