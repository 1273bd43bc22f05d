"""A person as the model: each reply is typed, or was written down beforehand; without one the run waits."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.loop import AskModel, next_move, standing
from workbench.core.ports import NobodyThere, OnSignal, Reply, Request
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.models.written import read_written


def seen_status(state: State) -> Status:
    """The status people see of a run that nobody drives: one that waits for a person says so, be that the one who is
    asked or the one who is the model.
    """
    move = next_move(state)
    if isinstance(move, AskModel) and _is_awaited(state):
        return Status.AWAITING_PERSON
    return standing(move, state.status)


def _is_awaited(state: State) -> bool:
    """Whether the request that `state` makes goes to a person who has prepared no reply to it."""
    prepared = sum(entry.get("on") == "reply" for entry in state.header.scenario.get("person", ()))
    return state.model.use == HumanModel.name and state.script_line + 1 >= prepared


class HumanModel:
    """Serves what was typed; else, where nobody is there, `prepared` texts in order, as a function of the history; else
    raises NobodyThere.

    Texts are whole replies, written as `models.written` says.
    """

    name = "human"

    def __init__(self, prepared: Sequence[str] = ()) -> None:
        self._prepared = tuple(prepared)
        self._typed: str | None = None
        self.attended = False
        """Whether somebody is there to reply, who is not to be forestalled by what was prepared."""

    def prepared_left(self, state: State) -> int:
        """How many prepared replies have not been served in this branch."""
        return max(0, len(self._prepared) - state.script_line - 1)

    def say(self, text: str) -> None:
        """Give the reply to the next request. A second one before that request takes the place of the first."""
        self._typed = text

    def waits(self, state: State) -> bool:
        """Whether the reply to the request that `state` makes has still to be typed."""
        if self._typed is not None:
            return False
        move = next_move(state)
        to_sum_up = isinstance(move, AskModel) and move.older is not None
        return to_sum_up or self.attended or not self.prepared_left(state)

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:  # noqa: ARG002 - nothing passes here
        state = request.state
        if request.purpose == "summary":
            return self._summary()
        if self.waits(state):
            raise NobodyThere
        if self._typed is not None:
            # It is not one of those that were prepared: their place stays where it is.
            text, line, served = self._typed, -1, 0
            self._typed = None
        else:
            line, served = state.script_line + 1, 1
            text = self._prepared[line]
        written = read_written(text, native=state.protocol.native_tools)
        return Reply(
            text=written.text,
            calls=written.calls,
            finish="tool_calls" if written.calls else "stop",
            model=self.name,
            line=line,
            served=served,
        )

    def _summary(self) -> Reply:
        """What was typed is the summary, to the letter; none is prepared."""
        if self._typed is None:
            raise NobodyThere
        text, self._typed = self._typed, None
        return Reply(text=text, model=self.name)
