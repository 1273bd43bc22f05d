"""What tools give back is recorded, shown and read by models, so that keys are taken out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from workbench.core.ports import Checked, OnLate, ToolOutcome, Tools
from workbench.models.wire.scrub import Secret


class KeylessTools:
    """Other tools, whose results hold no key. `keys` finds them, each time anew."""

    def __init__(self, tools: Tools, keys: Callable[[], Iterable[Secret]]) -> None:
        self._tools = tools
        self._keys = keys

    def check(self, tool: str, arguments: str) -> Checked:
        return self._tools.check(tool, arguments)

    def preview(self, tool: str, canonical: str) -> str:
        return self._scrub(self._tools.preview(tool, canonical))

    def file_text(self, path: str) -> str | None:
        text = self._tools.file_text(path)
        return None if text is None else self._scrub(text)

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        def late(content: str, took: float) -> None:
            on_late(self._scrub(content), took)

        outcome = await self._tools.run(tool, canonical, within=within, key=key, on_late=late)
        return replace(
            outcome,
            content=self._scrub(outcome.content),
            value=self._scrub(outcome.value),
            cursor=self._scrub(outcome.cursor),
            detail=self._scrub(outcome.detail),
            effects=tuple({name: self._scrub(text) for name, text in effect.items()} for effect in outcome.effects),
        )

    def _scrub(self, text: str) -> str:
        for key in self._keys() if text else ():
            text = key.scrub(text)
        return text
