"""A run of a wrong loop: the same surface as any run, so screens, headless runs and checks need not know of it.

The loop stands where `next_move` stands elsewhere, and only there. Model, tools, the gate, the person and the journal
are the ordinary ones. The limits are not: a loop reads its cap by itself, or has none, and is shown as it is.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.core import ports
from workbench.core.canonical import canonical
from workbench.core.events import (
    Decided,
    Event,
    ModelFailed,
    ModelReply,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.gate import judge
from workbench.core.loop import AskModel, AskPerson, Finished, Move, Record, RunTools, next_move
from workbench.core.ports import Clock, Journal, Model, ModelFailure, OnSignal, Person, Question
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Header
from workbench.museum.acts import Act, Ask, Defect, ModelRejected, ModelUnavailable, Result, Use
from workbench.museum.dialects import Dialect, listing
from workbench.museum.feeding import begun, cap_of, error_of_model, error_of_result
from workbench.museum.registry import Piece
from workbench.museum.scribe import Ending, Scribe, sent
from workbench.runner import CommandError, Run
from workbench.view.words import CRASHED

CHANGEABLE = frozenset({"title", "approval.default", "grants", "faults"})
_PIECES = Path(__file__).parent / "pieces"


class MuseumRun(Run):
    """One run of a piece. Its place in the loop is in memory only: a saved one can be looked at, not gone on with."""

    def __init__(
        self,
        piece: Piece,
        header: Header,
        *,
        model: Model,
        tools: ports.Tools,
        journal: Journal,
        clock: Clock,
        person: Person | None = None,
        events: Sequence[Event] = (),
    ) -> None:
        super().__init__(header, model=model, tools=tools, journal=journal, clock=clock, person=person, events=events)
        self.piece = piece
        self._scribe = Scribe(self.state, piece.dialect)
        self._loop: Coroutine[Any, Any, Any] | None = None
        self._act: Act | None = None
        """What the loop wants now; None before it has begun and when it is over."""
        self._due: deque[Event] = deque() if events else deque([UserMessage(text=header.goal)])
        """What is known and not yet written down, in order."""
        self._lost = bool(events) and self.state.status is Status.RUNNING

    @property
    def history(self) -> list[Any]:
        """What the loop sends to the model with its next request; nothing while it wants something else."""
        return self._act.history if isinstance(self._act, Ask) else []

    @property
    def asked(self) -> Model:
        """The model, which gets what the loop sends and not what the run has recorded."""
        return _OwnHistory(self.model, self.history, self.piece.dialect)

    # ------------------------------------------------------------ what is next

    @property
    def next(self) -> Move:
        if self._due:
            return Record(self._due[0])
        match self._act:
            case Ask():
                return AskModel()
            case Use():
                return self._before_tool(self._act)
        return Finished(self.state.status) if self._lost else next_move(self.state)

    def move_from(self, state: State) -> Move:
        """What happened next, where there is something later; else what is next."""
        if state.n >= len(self.events):
            return self.next
        event = self.events[state.n]
        if isinstance(event, ModelReply | ModelFailed):
            return AskModel()
        record = state.record(event.call) if isinstance(event, ToolStarted | ToolResult) else None
        return RunTools((record,)) if record is not None else Record(event)

    def _before_tool(self, act: Use) -> Move:
        """Run the tool, or what comes before: the gate stands here as it stands in every run."""
        record = self._called(act)
        call_id, decision = record.call.id, record.decision
        if decision is not None and decision.decision == "deny":
            reason = decision.reason or decision.rule
            text = f"Denied: {reason}" if reason else "Denied."
            return Record(ToolResult(call=call_id, outcome="denied", content=text, retry=False))
        if decision is not None and decision.decision == "answer":
            return Record(ToolResult(call=call_id, outcome="answered", content=decision.answer, source="a person"))
        info = self.state.tool(act.tool)
        if decision is not None or info is None:
            return RunTools((record,))
        rules, grants, default = self.header.rules, self.state.grants, self.state.approval
        verdict = judge(info, record.arguments, rules=rules, grants=grants, default=default)
        if verdict.decide == "free":
            return RunTools((record,))
        if verdict.decide == "ask":
            return AskPerson(Question(on="approval", calls=(record,)))
        return Record(Decided(call=call_id, decision=verdict.decide, by="rule", rule=verdict.why))

    def _called(self, act: Use) -> CallRecord:
        """The call of the reply that the loop makes now, with the arguments that the loop gives it."""
        record = next((each for each in self.state.open_calls() if each.call.tool == act.tool), None)
        if record is None:
            raise RuntimeError(f"{self.piece.name} uses {act.tool}, for which the reply did not ask")
        given = canonical(act.arguments)
        if record.decision is not None or record.call.canonical == given:
            return record
        own = record.copy()
        own.call = replace(record.call, canonical=given)
        return own

    # ------------------------------------------------------------ between the loop and the journal

    def _record(self, event: Event) -> None:
        """Write an event down, as the loop makes it: what comes from outside goes through the loop first."""
        if self._due and event is self._due[0]:
            self._due.popleft()
        elif isinstance(self._act, Ask) and isinstance(event, ModelReply):
            event = self._heard(event)
        elif isinstance(self._act, Use) and isinstance(event, ToolResult):
            event = self._came_back(event)
        elif isinstance(self._act, Use) and isinstance(event, ToolStarted):
            event = self._with_own_arguments(event)
        super()._record(event)
        if isinstance(event, StopRequested):
            self._let_go()
        elif isinstance(event, ModelFailed) and self._act is not None:
            self._failed(event)
        elif isinstance(event, UserMessage) and self._loop is None:
            self._begin()

    def _begin(self) -> None:
        self._loop = begun(self.piece, self.header)
        self._resume()

    def _heard(self, reply: ModelReply) -> Event:
        messages = sent(self.state, self.history, self.piece.dialect)
        read = self.state.context.system + sum(message.tokens for message in messages)
        self._resume(self._scribe.said(replace(reply, input_estimate=read)))
        return self._due.popleft()

    def _came_back(self, result: ToolResult) -> Event:
        self._scribe.ran(replace(result, goal_met=False))
        error = error_of_result(result)
        self._resume(result.content if error is None else None, error)
        return self._due.popleft()

    def _with_own_arguments(self, started: ToolStarted) -> ToolStarted:
        """The arguments are in the event when they are not those that the model wrote."""
        record = self.state.record(started.call)
        if record is None or record.decision is not None or not isinstance(self._act, Use):
            return started
        given = canonical(self._act.arguments)
        return replace(started, arguments="" if given == record.call.canonical else given)

    def _failed(self, event: ModelFailed) -> None:
        error = error_of_model(event)
        if error is None:
            self._let_go()
        else:
            self._resume(error=error)

    def _resume(self, value: Any = None, error: Exception | None = None) -> None:
        """Let the loop go on to its next act or its end; what it did on the way is due then."""
        assert self._loop is not None
        act: Act | None = None
        ending: Ending | None = None
        try:
            act = self._loop.send(value) if error is None else self._loop.throw(error)
        except StopIteration as end:
            ending = _returned(end.value, cap_of(self.header))
        except Exception as crash:  # noqa: BLE001 - a loop that crashes is what there is to see
            ending = _crashed(crash)
        self._act = act
        self._due.extend(self._scribe.settle(act, ending))

    def _let_go(self) -> None:
        """The loop is over, wherever it is; what is still open is closed by the engine."""
        if self._loop is not None:
            self._loop.close()
        self._act = None
        self._due.clear()

    # ------------------------------------------------------------ commands

    def _ask_person(self, question: Question) -> bool:
        """Only the gate has questions: such a loop listens to nobody between its steps, or after its end."""
        if self._lost:
            raise CommandError(f"{self.piece.name} cannot go on from the middle of its loop: run it again")
        return question.on == "approval" and super()._ask_person(question)

    def change(self, changes: Mapping[str, Any]) -> None:
        """As in any run, but for what this loop does not know."""
        for key in changes:
            if key not in CHANGEABLE:
                what = "reads its cap once, at the start" if key == "limits.steps" else f"knows no {key}"
                raise CommandError(f"{self.piece.name} {what}: a change would do nothing")
        super().change(changes)

    def go_on(self) -> None:
        """Raises CommandError: a function that has returned is over."""
        raise CommandError(f"{self.piece.name} has returned and cannot go on: run it again")

    def message(self, text: str) -> None:  # noqa: ARG002
        """Raises CommandError: such a loop takes one task."""
        raise CommandError(f"{self.piece.name} takes one task and no message after it")


class _OwnHistory:
    """The model of a run, asked with what the loop sends, and by the rules of the wire where that is what it speaks."""

    def __init__(self, model: Model, history: list[Any], dialect: Dialect) -> None:
        self.name = model.name
        self._dialect = dialect
        self._model = model
        self._history = history

    async def reply(self, request: ports.Request, on_signal: OnSignal) -> ports.Reply:
        """As the model's own; also raises ModelFailure for messages that an endpoint would not take."""
        if request.state.protocol.native_tools and (problem := self._dialect.problem(self._history)):
            raise ModelFailure("bad_request", f"400: {problem}\n{listing(self._history)}")
        messages = sent(request.state, self._history, self._dialect)
        return await self._model.reply(replace(request, messages=messages), on_signal)


def _returned(value: str | Result | None, cap: int) -> Ending:
    """The ending of a loop that returned this."""
    if isinstance(value, str):
        return Ending(Stopped(status=Status.ANSWERED), answer=value)
    status = value.status if value is not None else Status.STEP_BUDGET_EXHAUSTED
    detail = "" if value is not None else "The loop returned None: who called it cannot tell why there is no answer."
    capped = status is Status.STEP_BUDGET_EXHAUSTED
    stopped = Stopped(
        status=status, knob="limits.steps" if capped else "", limit=cap if capped else None, detail=detail
    )
    return Ending(stopped, answer=value.answer if value is not None else None)


def _crashed(error: Exception) -> Ending:
    """The ending of a loop that let this exception through: the status says whose fault the exception was."""
    status = error.status if isinstance(error, ModelUnavailable | ModelRejected | Defect) else Status.INTERNAL_ERROR
    frames = [
        traceback.FrameSummary(Path(frame.filename).name, frame.lineno, frame.name, line=frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == _PIECES
    ]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames)]
    detail = "".join([*lines, *traceback.format_exception_only(error)]).rstrip()
    return Ending(Stopped(status=status, knob=CRASHED, detail=detail), problem=str(error))
