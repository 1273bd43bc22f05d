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
        return self._scrubber()(self._tools.preview(tool, canonical))

    def file_text(self, path: str) -> str | None:
        text = self._tools.file_text(path)
        return None if text is None else self._scrubber()(text)

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        def late(content: str, took: float) -> None:
            on_late(self._scrubber()(content), took)

        outcome = await self._tools.run(tool, canonical, within=within, key=key, on_late=late)
        scrub = self._scrubber()
        return replace(
            outcome,
            content=scrub(outcome.content),
            value=scrub(outcome.value),
            cursor=scrub(outcome.cursor),
            detail=scrub(outcome.detail),
            effects=tuple({name: scrub(text) for name, text in effect.items()} for effect in outcome.effects),
        )

    def _scrubber(self) -> Callable[[str], str]:
        """What takes the keys, as they are now, out of a text."""
        keys = [key for key in self._keys() if key]

        def scrub(text: str) -> str:
            for key in keys:
                text = key.scrub(text)
            return text

        return scrub
