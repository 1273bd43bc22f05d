"""Performs the moves of a run. The only place where model, tools, person, clock and journal meet.

A run has one owner task at a time, which calls `advance`, `step` or `play`. Commands (`decide`, `stop`, `change`, …)
are plain functions that may be called at any time on the same event loop (see `commanding`).
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

from workbench import performing
from workbench.alarm import Alarm
from workbench.commanding import Commanded
from workbench.core import commands, door
from workbench.core.commands import CommandError
from workbench.core.events import Event, LateResult, StopRequested
from workbench.core.loop import AskModel, AskPerson, Finished, Move, Record, RunTools, TakeStep, next_move, standing
from workbench.core.model_info import model_to
from workbench.core.planning import planned
from workbench.core.ports import Branches, Clock, Journal, Model, NobodyThere, Person, Question, Tools
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Header, ModelInfo
from workbench.recording import JournalBroken

TURN = 0.002
"""Seconds after which others have their turn, also where neither model nor tool ever waits."""


class Run(Commanded):
    """One run, live. Raises ValueError when `events` are not those of a run with that header."""

    def __init__(
        self,
        header: Header,
        *,
        model: Model,
        tools: Tools,
        journal: Journal,
        clock: Clock,
        person: Person | None = None,
        branches: Branches | None = None,
        events: Sequence[Event] = (),
    ) -> None:
        super().__init__(header, journal, events)
        self.model = model
        self.tools = tools
        self.clock = clock
        self.person = person
        self.branches = branches
        """The other branches of the lineage, where they are kept; they may do the same as this run."""
        self.in_flight: Move | None = None
        self._paused = True
        self._owner: asyncio.Task[Any] | None = None
        """Whoever drives the run, while something is in flight."""
        self._cut: Literal["", "stop", "time"] = ""
        """Why the move that is being made was cancelled."""
        self._alarm = Alarm(lambda: self._cut_short("time"))
        self._nobody_there_at = -1
        """How many events there were when the model, a person, was asked and was not there."""

    # ------------------------------------------------------------ reading

    @property
    def next(self) -> Move:
        return next_move(self.state)

    def move_from(self, state: State) -> Move:
        """What happens next from a state of this run; in the past, what was to happen."""
        return next_move(state)

    @property
    def asked(self) -> Model:
        """The model as the next request reaches it."""
        return self.model

    @property
    def playing(self) -> bool:
        return not self._paused

    @property
    def going(self) -> bool:
        """Whether a move is being made, or the next one will be by itself."""
        return self.in_flight is not None or self.playing

    @property
    def status(self) -> Status:
        """The status people see: a question that nobody has answered is a status, too."""
        if self.in_flight is not None:
            return Status.RUNNING
        move = self.next
        if self._nobody_there_at == len(self.events) and isinstance(move, AskModel):
            return Status.AWAITING_PERSON
        return standing(move, self.state.status)

    # ------------------------------------------------------------ driving

    async def play(self) -> None:
        """Make moves until the run stops, waits for a person, or is paused. Raises as `advance` does."""
        if self.playing:
            raise CommandError("the run is being played already")
        owner, now = _driver(), time.monotonic
        turn = now()
        self._paused = False
        try:
            while await self._advance(owner) and not self._paused:
                if now() - turn > TURN:
                    await asyncio.sleep(0)
                    turn = now()
        finally:
            self._paused = True

    async def step(self) -> bool:
        """Make one move that a person would count as one, and the bookkeeping around it.

        Returns whether anything was recorded. Raises as `advance` does.
        """
        before = len(self.events)
        while isinstance(self.next, Record) and await self.advance():
            pass
        if await self.advance():
            while isinstance(self.next, Record) and await self.advance():
                pass
        return len(self.events) > before

    async def advance(self) -> bool:
        """Make one move. Returns False when there is nothing to do without a person, or no more at all.

        Raises CommandError when a move is being made already, or when a scripted person answers what cannot be;
        JournalBroken when the journal fails, once: afterwards `broken` says why there are no more moves. Any other
        error of ours stops the run; it is raised only where the run has stopped, or is about to.
        """
        return await self._advance(_driver())

    def pause(self) -> None:
        """Let the move that is being made finish, and make no further one."""
        self._paused = True

    async def _advance(self, owner: asyncio.Task[Any]) -> bool:
        if self.in_flight is not None:
            raise CommandError("a move is being made already")
        if self.broken:
            return False
        try:
            if self._failure is not None:
                raise self._failure
            match self.next:
                case AskModel() as move:
                    return await self._in_flight(move, owner, self._ask_model(move))
                case TakeStep() as move:
                    return await self._in_flight(move, owner, self._take_step())
                case RunTools() as move:
                    return await self._in_flight(move, owner, self._run_tools(move.records, move.within))
                case Record(event):
                    self._record(event)
                    return True
                case AskPerson(question):
                    return self._ask_person(question)
                case Finished(status):
                    return self._ask_person(Question(on="stop", status=status))
        except (CommandError, JournalBroken, asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            self._failure = None
            if self.broken:
                raise JournalBroken(self.broken) from error
            if self.state.status is not Status.RUNNING or self.state.stop is not None:
                raise
            # Whatever it is, the run ends in order and the app lives.
            detail = "".join(traceback.format_exception(error))
            self._record(StopRequested(by="engine", status=Status.INTERNAL_ERROR, detail=detail))
            return True

    async def _in_flight(self, move: Move, owner: asyncio.Task[Any], work: Coroutine[Any, Any, bool]) -> bool:
        """Make a move that reaches outside. To cut it short is not to cancel whoever drives the run."""
        self.in_flight, self._owner = move, owner
        try:
            done = await work
            if self._cut:
                # Nothing was left to cut, and the cancellation is still to come.
                await asyncio.sleep(0)
            return done
        except asyncio.CancelledError as error:
            if not owner.cancelling():
                raise RuntimeError("a model or a tool was cancelled from within") from error
            if not self._cut or owner.cancelling() > 1:
                raise
            return True
        finally:
            if self._cut:
                self._cut = ""
                owner.uncancel()
            self.in_flight = self._owner = None

    def _cut_short(self, reason: Literal["stop", "time"]) -> None:
        """Cancel the move that is being made, if one is."""
        if self._owner is not None and not self._cut:
            self._cut = reason
            self._owner.cancel()

    def _ask_person(self, question: Question) -> bool:
        if self.person is None:
            return False
        answer = self.person.answer(question, self.state)
        if not answer:
            return False
        for event in answer:
            self._record(commands.validated(self.state, self.tools.check, event))
        return True

    async def _ask_model(self, move: AskModel) -> bool:
        within = move.within
        if move.older is None and self.person is not None and self._ask_person(Question(on="step")):
            return True
        try:
            if within is not None:
                self._alarm.set(within)
            event = await self._answer_of_model(move)
        except NobodyThere:
            self._nobody_there_at = len(self.events)
            return False
        except asyncio.CancelledError:
            if self._cut == "time" and within is not None:
                purpose: Literal["step", "summary"] = "step" if move.older is None else "summary"
                self._record(replace(performing.out_of_time(within), purpose=purpose))
            raise
        finally:
            self._alarm.clear()
        self._record(event)
        await self._look_around()
        return True

    async def _take_step(self) -> bool:
        if self.person is not None and self._ask_person(Question(on="step")):
            return True
        self._record(planned(self.state, self.tools.check))
        await self._look_around()
        return True

    async def _answer_of_model(self, move: AskModel) -> Event:
        """What comes of the request: a reply or a summary, or why there is none."""
        asked, state, clock = self.asked, self.state, self.clock
        if move.older is not None:
            return await performing.ask_summary(
                asked, state, move.older, clock, within=move.within, on_signal=self._signal
            )
        return await performing.ask_model(
            asked, self.tools.check, state, clock, within=move.within, on_signal=self._signal
        )

    async def _look_around(self) -> None:
        """Before a call that may change something: whether another branch has done the same."""
        tools = (self.state.tool(record.call.tool) for record in self.state.open_calls())
        if self.branches is not None and any(tool is not None and tool.gated for tool in tools):
            self.told(await asyncio.to_thread(self.branches.done))

    async def _run_tools(self, records: Sequence[CallRecord], within: float | None) -> bool:
        before = self.state.n
        await self._look_around()
        if self.state.n != before:
            return True  # what was found, or was said meanwhile, may forbid it
        for record in records:
            self._record(performing.started(self.state, record))
        if len(records) == 1:
            await self._run_tool(records[0], within)
            return True
        async with asyncio.TaskGroup() as group:
            for record in records:
                group.create_task(self._run_tool(record, within))
        return True

    async def _run_tool(self, record: CallRecord, within: float | None) -> None:
        def late(content: str, took: float) -> None:
            # Nobody waits for it: where it cannot be recorded any more, it is lost.
            if not self.broken:
                with suppress(JournalBroken):
                    self._record(LateResult(call=record.call.id, content=content, took=took))

        try:
            result = await performing.run_tool(self.tools, self.state, record, self.clock, within=within, on_late=late)
        except asyncio.CancelledError:
            if self._cut:
                self._record(performing.cancelled(record))
            raise
        hold = self.state.hold
        may_wait = self.state.stop is None and result.outcome != "defect"
        waits = may_wait and hold is not None and hold.holds(door.passing(record, result))
        self._record(door.held(result) if waits else result)

    # ------------------------------------------------------------ commands

    def stop(self) -> None:
        """Stop the run: what is being done is cancelled, open calls are answered, the journal is whole."""
        if self.state.status is not Status.RUNNING:
            raise CommandError("the run has stopped already")
        if self.state.stop is None:
            self._record(StopRequested())
        self._cut_short("stop")

    def ask(self, model: Model, info: ModelInfo, tools: Tools) -> None:
        """Ask another model from here on; `tools` are those that there are beside it."""
        if self.in_flight is not None:
            raise CommandError("the model can be changed when no move is being made")
        self.change({"model": model_to(info)})
        self.model, self.tools = model, tools


def _driver() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


__all__ = ["CommandError", "JournalBroken", "Run"]
