"""Tools beside a live model: what they give back is recorded and shown, so the model's key is taken out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.core.ports import Checked, OnLate, ToolOutcome, Tools
from workbench.models.wire.scrub import Secret


class KeylessTools:
    """Other tools, whose results do not hold the key. `key` finds it, each time anew."""

    def __init__(self, tools: Tools, key: Callable[[], Secret]) -> None:
        self._tools = tools
        self._key = key

    def check(self, tool: str, arguments: str) -> Checked:
        return self._tools.check(tool, arguments)

    def preview(self, tool: str, canonical: str) -> str:
        return self._key().scrub(self._tools.preview(tool, canonical))

    def file_text(self, path: str) -> str | None:
        text = self._tools.file_text(path)
        return None if text is None else self._key().scrub(text)

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        scrub = self._key().scrub

        def late(content: str, took: float) -> None:
            on_late(scrub(content), took)

        outcome = await self._tools.run(tool, canonical, within=within, key=key, on_late=late)
        return replace(
            outcome,
            content=scrub(outcome.content),
            value=scrub(outcome.value),
            cursor=scrub(outcome.cursor),
            detail=scrub(outcome.detail),
            effects=tuple({name: scrub(text) for name, text in effect.items()} for effect in outcome.effects),
        )
