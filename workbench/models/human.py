"""A person as the model: each reply is typed, or was written down beforehand; without one the run waits."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.ports import NobodyThere, OnSignal, Reply, Request


class HumanModel:
    """Serves what was typed; else `prepared` texts in order, as a function of the history; else raises NobodyThere."""

    name = "human"

    def __init__(self, prepared: Sequence[str] = ()) -> None:
        self._prepared = tuple(prepared)
        self._typed: str | None = None

    def say(self, text: str) -> None:
        """Give the reply to the next request. A second one before that request takes the place of the first."""
        self._typed = text

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:  # noqa: ARG002 - nothing passes here
        state = request.state
        if self._typed is not None:
            text, self._typed = self._typed, None
            # The place in what was prepared stays where it is.
            return Reply(text=text, model=self.name, line=state.script_line, served=state.script_served)
        due = state.script_line + 1
        if due < len(self._prepared):
            return Reply(text=self._prepared[due], model=self.name, line=due, served=1)
        raise NobodyThere
