"""Tools that take whatever they are called with, as they do in a loop that only looks up their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.toolkit.loader import LoadedTool
from workbench.toolkit.schema import Arguments


class _Anything(Arguments):
    """The schema is what the model is shown; a call is not held against it."""

    def __init__(self, schema: str) -> None:
        self.schema = schema

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return dict(given)


def unchecked(tool: LoadedTool) -> LoadedTool:
    """The same tool without the check of its arguments."""
    return replace(tool, arguments=_Anything(tool.arguments.schema))
