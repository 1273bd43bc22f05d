"""Healthy or circling, told by what happened."""

from __future__ import annotations

import pytest

from tests.runner.parts import answer, calls, make
from workbench.core.health import Health, health
from workbench.models.scripted import Line
from workbench.toolkit.api import ToolError, tool


@tool(risk="read", inline=True)
def look(number: int) -> int:
    """Fails for odd numbers."""
    if number % 2:
        raise ToolError("odd")
    return number


def see(*numbers: int) -> list[Line]:
    return [calls(("look", {"number": number})) for number in numbers]


@pytest.mark.parametrize(
    ("script", "word", "because"),
    [
        ([answer()], "steady", ""),
        (see(2, 4), "steady", ""),
        (see(1, 2), "steady", "1 error, recovered"),
        (see(1, 3), "steady", "2 errors"),
        (see(2, 2), "circling?", "same call twice"),
        (see(2, 2, 2), "circling?", "same call 3 times"),
        (see(2, 2, 4), "steady", ""),
        (see(1, 3, 5), "circling?", "3 in a row without success"),
        ([Line(), Line(), Line()], "circling?", "3 in a row without success"),
        ([*see(1, 3, 5, 2), answer()], "steady", "3 errors, recovered"),
    ],
)
async def test_health_is_a_word_and_the_counter_behind_it(script: list[Line], word: str, because: str) -> None:
    run = make(script, look)
    for _ in script:
        await run.step()
        await run.step()
    found = health(run.state)
    assert (found.word, found.because) == (word, because)


def test_a_run_that_has_not_begun_is_well() -> None:
    assert health(make([answer()]).state) == Health(circling=False, same_call=0, since_success=0, errors=0)
