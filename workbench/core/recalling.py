"""To have a folded result again: the tools of a run, with its own history for one of them. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workbench.core.carried import recalls
from workbench.core.events import ToolResult
from workbench.core.ports import Checked, OnLate, ToolOutcome, Tools

if TYPE_CHECKING:
    from workbench.core.state import State


class Recalling:
    """`tools`, of which `recall` gives a result of the run's own: all of it, as it was before it was folded."""

    def __init__(self, tools: Tools, state: State) -> None:
        self._tools = tools
        self._state = state

    def check(self, tool: str, arguments: str) -> Checked:
        return self._tools.check(tool, arguments)

    def preview(self, tool: str, canonical: str) -> str:
        return self._tools.preview(tool, canonical)

    def file_text(self, path: str) -> str | None:
        return self._tools.file_text(path)

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        if recalls(self._state, tool):
            return recalled(self._state, canonical)
        return await self._tools.run(tool, canonical, within=within, key=key, on_late=on_late)


def kept_under(state: State, canonical: str) -> ToolResult | None:
    """The result under the key of these arguments; None where there is none."""
    key = json.loads(canonical).get("key")
    record = state.record(key) if isinstance(key, str) else None
    return record.result if record is not None else None


def recalled(state: State, canonical: str) -> ToolOutcome:
    """The whole result under the key of these arguments, or what keys there are."""
    kept = kept_under(state, canonical)
    if kept is not None:
        return ToolOutcome(outcome="ran", content=kept.content)
    folded = [message.call_id for message in state.sent if message.role == "tool" and message.stands_for]
    keys = f"there are {', '.join(folded)}" if folded else "nothing is folded at present"
    return ToolOutcome(outcome="failed", content=f"No result is kept under that key; {keys}.")
