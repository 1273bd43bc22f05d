"""Steps and routes as a scenario has them, for loops that follow a plan."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workbench.scenarios.fields import CaptureName, JsonTable, Many, Name, Regex, Table


class StepTable(Table):
    """One step of a plan: a call (`tool`), a question to the model (`ask`), or the `answer`."""

    name: CaptureName | None = None
    """Later steps have what this one gave as ${name}."""
    tool: Name | None = None
    """The tool that is called."""
    arguments: JsonTable = Field(default_factory=dict)
    """With tool. Templates: ${goal}, ${last}, ${result1}, ${total}, ${name}."""
    ask: str | None = None
    """What the model is asked; its reply is what the step gives."""
    answer: str | None = None
    """The answer of the run. Without such a step it is what the last one gives."""
    capture: dict[CaptureName, Regex] = Field(default_factory=dict)
    """Name to regular expression, read from what the step gives: group 1, or the match. Without a match it fails."""


class RouteTable(Table):
    """One of the rows of steps that a router has."""

    name: Annotated[str, Field(pattern=r"^\S(.*\S)?$")]
    """What the model replies to choose it."""
    about: str = ""
    """What it is for; the model reads that."""
    step: Many[StepTable] = ()
    """Its steps."""
