"""What a loop gets: its arguments at the beginning, and what comes back from the model and from its tools."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from typing import Any

from workbench.core.events import NO_ERROR, ModelFailed, ToolResult
from workbench.core.ports import FAILURE_STATUS
from workbench.core.statuses import Status
from workbench.core.values import Header
from workbench.museum.acts import Defect, ModelRejected, ModelUnavailable, ask, tool
from workbench.museum.registry import Piece
from workbench.toolkit.api import ToolError

DEFAULT_STEPS = 6
"""The cap of a loop whose scenario has none."""
_END_OF_SCRIPT = frozenset({"script_exhausted", "script_error"})


def cap_of(header: Header) -> int:
    """How many steps the loop is told that it may take."""
    return header.limits.steps or DEFAULT_STEPS


def begun(piece: Piece, header: Header) -> Coroutine[Any, Any, Any]:
    """The loop of a run, before its first act. It asks for what it needs and touches nothing by itself."""
    tools = {info.name: tool(info.name, json.loads(info.schema)) for info in header.tools}
    return piece.loop(ask, header.goal, tools, cap_of(header))


def error_of_model(event: ModelFailed) -> ModelUnavailable | ModelRejected | None:
    """What the loop catches, or not, where the model failed. None at the end of a script.

    No loop could know of that: there is nothing more to show, whatever it would do.
    """
    if event.failure in _END_OF_SCRIPT:
        return None
    status = FAILURE_STATUS[event.failure]
    text = event.detail.partition("\n")[0] or event.failure
    return ModelUnavailable(text) if status is Status.MODEL_UNAVAILABLE else ModelRejected(text, status)


def error_of_result(result: ToolResult) -> ToolError | Defect | None:
    """What a tool raised; None where it returned something."""
    if result.outcome in NO_ERROR:
        return None
    return _defect(result.detail) if result.detail else ToolError(result.content)


def _defect(detail: str) -> Defect:
    """What a broken tool raised, by the last line of its traceback: same name, same text."""
    name, _, text = detail.rstrip().rpartition("\n")[2].partition(": ")
    kind: type[Defect] = type(name.rpartition(".")[2] or "Exception", (Defect,), {"__module__": "builtins"})
    return kind(text)
