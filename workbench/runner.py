"""Performs the moves of a run. The only place where model, tools, person, clock and journal meet.

A run has one owner task at a time, which calls `advance`, `step` or `play`. Commands (`decide`, `stop`, `change`, …)
are plain functions that may be called at any time on the same event loop: they record a fact and return; whoever drives
the run goes on from there. A command that makes no sense now raises `CommandError` with a sentence for people.
"""

from __future__ import annotations

import asyncio
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.events import (
    Decided,
    Event,
    Held,
    LateResult,
    ModelFailed,
    Outcome,
    Resumed,
    SettingsChanged,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.gate import judge, rule_to
from workbench.core.limits import changed
from workbench.core.loop import AskModel, AskPerson, Finished, Move, Record, RunTools, next_move, passed
from workbench.core.ports import (
    Clock,
    Journal,
    Model,
    ModelFailure,
    NobodyThere,
    OnSignal,
    Person,
    Question,
    Request,
    Signal,
    ToolOutcome,
    Tools,
)
from workbench.core.reading import read_reply
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Header, Rule, ToolInfo

Listener = Callable[[Event], None]
SYNCED = (Decided, ToolStarted, ToolResult, Held)
"""Events that must survive a power cut before anything else happens."""


class CommandError(Exception):
    """A command that cannot be carried out now; the message is a sentence for people."""


class Run:
    """One run, live. `state` is the fold of `events`; both only ever grow."""

    def __init__(
        self,
        header: Header,
        *,
        model: Model,
        tools: Tools,
        journal: Journal,
        clock: Clock,
        person: Person | None = None,
        events: Sequence[Event] = (),
    ) -> None:
        self.header = header
        self.model = model
        self.tools = tools
        self.clock = clock
        self.person = person
        self.events: list[Event] = []
        self.state = State(header)
        self.in_flight: Move | None = None
        """The move that is being made; None while nothing outside is at work."""
        self.broken: str = ""
        """Why this run can record nothing more; empty while all is well."""
        self._journal = journal
        self._listeners: list[Listener] = []
        self._signal_listeners: list[OnSignal] = []
        self._paused = True
        self._owner: asyncio.Task[Any] | None = None
        self._cancelled_by_stop = False
        self._reply_awaited = False
        """Whether the model is a person, who was asked and has not replied yet."""
        for event in events:
            self.state.apply(event)
            self.events.append(event)

    # ------------------------------------------------------------ watching

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each event; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def subscribe_signals(self, listener: OnSignal) -> Callable[[], None]:
        """Call `listener` for each passing signal; returns how to stop that."""
        self._signal_listeners.append(listener)
        return lambda: self._signal_listeners.remove(listener)

    @property
    def next(self) -> Move:
        return next_move(self.state)

    @property
    def playing(self) -> bool:
        return not self._paused

    @property
    def status(self) -> Status:
        """The status people see: a question that nobody has answered is a status, too."""
        if self.in_flight is not None:
            return Status.RUNNING
        move = self.next
        if isinstance(move, AskPerson):
            return Status.AWAITING_APPROVAL if move.question.on == "approval" else Status.AWAITING_PERSON
        if self._reply_awaited and isinstance(move, AskModel):
            return Status.AWAITING_PERSON
        return self.state.status

    # ------------------------------------------------------------ driving

    async def play(self) -> None:
        """Make moves until the run stops, waits for a person, or is paused."""
        self._paused = False
        try:
            while not self._paused:
                if not await self.advance():
                    break
                # Keys, signals and other runs have their turn, also where neither model nor tool ever waits.
                await asyncio.sleep(0)
        finally:
            self._paused = True

    async def step(self) -> bool:
        """Make one move that a person would count as one, and the bookkeeping around it.

        Returns whether anything was recorded.
        """
        before = len(self.events)
        while isinstance(self.next, Record) and await self.advance():
            pass
        if await self.advance():
            while isinstance(self.next, Record) and await self.advance():
                pass
        return len(self.events) > before

    async def advance(self) -> bool:
        """Make one move. Returns False when there is nothing to do without a person, or no more at all."""
        if self.in_flight is not None:
            raise CommandError("a move is being made already")
        if self.broken:
            return False
        try:
            return await self._make(self.next)
        except (CommandError, JournalBroken):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the run ends in order and the app lives
            return self._internal_error(error)

    def pause(self) -> None:
        """Let the move that is being made finish, and make no further one."""
        self._paused = True

    async def _make(self, move: Move) -> bool:
        match move:
            case Record(event):
                self._record(event)
                return True
            case AskModel(within):
                return await self._in_flight(move, self._ask_model(within))
            case RunTools(records, within):
                return await self._in_flight(move, self._run_tools(records, within))
            case AskPerson(question):
                return self._ask_person(question)
            case Finished(status):
                return self._ask_person(Question(on="stop", status=status))

    async def _in_flight(self, move: Move, work: Any) -> bool:
        self.in_flight = move
        self._owner = asyncio.current_task()
        try:
            return bool(await work)
        except asyncio.CancelledError:
            if not self._cancelled_by_stop:
                raise
            self._cancelled_by_stop = False
            if self._owner is not None:
                self._owner.uncancel()
            return True
        finally:
            self.in_flight = self._owner = None

    def _ask_person(self, question: Question) -> bool:
        if self.person is None:
            return False
        answer = self.person.answer(question, self.state)
        if not answer:
            return False
        for event in answer:
            self._record(self._validated(event))
        return True

    # ------------------------------------------------------------ the model

    async def _ask_model(self, within: float | None) -> bool:
        if self._ask_person(Question(on="step")):
            return True
        state, began = self.state, self.clock.now()
        request = Request(
            system=state.system,
            messages=state.messages.copy(),
            tools=self.header.tools if state.protocol.native_tools else (),
            options=self.header.options,
            state=state,
        )
        try:
            if within is None:
                reply = await self.model.reply(request, self._signal)
            else:
                async with asyncio.timeout(within):
                    reply = await self.model.reply(request, self._signal)
                if self.clock.now() - began > within:
                    raise TimeoutError
        except ModelFailure as failure:
            self._record(_failed(failure, self.clock.now() - began))
        except TimeoutError:
            detail = f"no reply within the {within:g} seconds that were left"
            self._record(_failed(ModelFailure("deadline", detail), self.clock.now() - began))
        except NobodyThere:
            self._reply_awaited = True
            return False
        else:
            self._record(read_reply(state, reply, self.tools.check, self.clock.now() - began))
        return True

    def _signal(self, signal: Signal) -> None:
        for listener in self._signal_listeners:
            listener(signal)

    # ------------------------------------------------------------ tools

    async def _run_tools(self, records: Sequence[CallRecord], within: float | None) -> bool:
        for record in records:
            self._record(self._start(record))
        if len(records) == 1:
            await self._run_tool(records[0], within)
            return True
        async with asyncio.TaskGroup() as group:
            for record in records:
                group.create_task(self._run_tool(record, within))
        return True

    def _start(self, record: CallRecord) -> ToolStarted:
        tool, canonical = self.state.tool(record.call.tool), record.arguments
        edited = canonical if canonical != record.call.canonical else ""
        key = self.state.effect_key(record.call.tool, canonical) if tool is not None and tool.gated else ""
        return ToolStarted(call=record.call.id, arguments=edited, key=key)

    async def _run_tool(self, record: CallRecord, within: float | None) -> None:
        call_id, name, began = record.call.id, record.call.tool, self.clock.now()
        key = record.started.key if record.started is not None else ""
        tool = self.state.tool(name)
        limit = tool.timeout if tool is not None else None
        if within is not None:
            limit = within if limit is None else min(limit, within)

        def late(content: str, took: float) -> None:
            self._record(LateResult(call=call_id, content=content, took=took))

        try:
            outcome = await self.tools.run(name, record.arguments, within=limit, key=key, on_late=late)
        except asyncio.CancelledError:
            if self._cancelled_by_stop:
                content = f"{name} was cancelled by a person while it ran; whether it took effect is unknown."
                self._record(ToolResult(call=call_id, outcome="cancelled", content=content, retry=False))
            raise
        result = _result(call_id, outcome, tool, self.clock.now() - began)
        if self.header.goal_check is not None and outcome.outcome == "ran":
            result = replace(result, goal_met=self._goal_met(name, result.content))
        if self.state.hold and self.state.stop is None and outcome.outcome != "defect":
            self._record(_held(result))
        else:
            self._record(result)

    def _goal_met(self, tool: str, content: str) -> bool:
        check = self.header.goal_check
        assert check is not None
        if check.file:
            text = self.tools.file_text(check.file)
        elif check.result_of == tool:
            text = content
        else:
            return False
        if text is None:
            return False
        if check.contains is not None and check.contains not in text:
            return False
        return check.matches is None or re.search(check.matches, text) is not None

    # ------------------------------------------------------------ commands

    def decide(self, call_id: str, decision: str, *, arguments: str = "", reason: str = "", answer: str = "") -> None:
        """Decide about a call that waits: allow, deny with a reason, edit with JSON arguments, or answer in its place.

        Also says what an interrupted call means: allow runs it again, deny tells the model that it is unknown.
        """
        record = self.state.record(call_id)
        if record is None:
            raise CommandError(f"there is no call {call_id}")
        if record.phase == "held":
            raise CommandError(f"{call_id} has run and its result is held; it can be passed on or changed")
        waiting = record.interrupted and self.in_flight is None
        if record.phase != "proposed" and not waiting:
            raise CommandError(f"{call_id} is not waiting for a decision")
        match decision:
            case "allow":
                event = Decided(call=call_id, decision="allow", arguments=record.arguments)
            case "deny":
                event = Decided(call=call_id, decision="deny", reason=reason.strip())
            case "edit":
                event = Decided(call=call_id, decision="edit", arguments=arguments)
            case "answer":
                event = Decided(call=call_id, decision="answer", answer=answer)
            case _:
                raise CommandError(f"{decision!r} is no decision; there are allow, deny, edit and answer")
        self._record(self._validated(event))

    def check_edit(self, call_id: str, arguments: str) -> str:
        """What is wrong with these arguments for that call; "" when they may run."""
        record = self.state.record(call_id)
        if record is None:
            return f"there is no call {call_id}"
        checked = self.tools.check(record.call.tool, arguments)
        if checked.problem:
            return checked.problem
        tool = self.state.tool(record.call.tool)
        if tool is None:
            return ""
        rules = self.header.rules
        verdict = judge(tool, checked.canonical, rules=rules, grants=(), default="ask")
        return f"a rule of this run denies that: {verdict.why}" if verdict.decide == "deny" else ""

    def release(
        self, call_id: str, *, content: str | None = None, outcome: Outcome | None = None, by: str = "you"
    ) -> None:
        """Pass a held result on: as it is, or with another content or outcome."""
        record = self.state.record(call_id)
        if record is None or record.held is None or record.result is not None:
            raise CommandError(f"{call_id} is not held")
        result = passed(record.held)
        if content is not None or outcome is not None:
            result = replace(
                result,
                content=result.content if content is None else content,
                outcome=result.outcome if outcome is None else outcome,
                original=result.content,
                changed_by=by,
            )
        self._record(result)

    def stop(self) -> None:
        """Stop the run: what is being done is cancelled, open calls are answered, the journal is whole."""
        if self.state.status is not Status.RUNNING:
            raise CommandError("the run has stopped already")
        if self.state.stop is None:
            self._record(StopRequested())
        if self.in_flight is not None and self._owner is not None and not self._cancelled_by_stop:
            self._cancelled_by_stop = True
            self._owner.cancel()

    def change(self, changes: Mapping[str, Any]) -> None:
        """Change settings while the run lives, e.g. {"limits.steps": 9}; None lifts a cap."""
        for key, value in changes.items():
            if key.startswith("limits."):
                try:
                    changed(self.state.limits, key.removeprefix("limits."), value)
                except ValueError as error:
                    raise CommandError(str(error)) from None
            elif key not in ("approval.default", "grants", "hold", "title"):
                raise CommandError(f"there is no setting {key!r} that a run can change")
        self._record(SettingsChanged(changes=dict(changes)))

    def grant(self, rule: Rule) -> None:
        """Allow, for this run only, every further call in the scope of `rule`."""
        self.change({"grants": [rule_to(grant) for grant in (*self.state.grants, rule)]})

    def withdraw(self, index: int) -> None:
        """Take the grant at that place of the list back."""
        grants = list(self.state.grants)
        if not 0 <= index < len(grants):
            raise CommandError("there is no such grant")
        del grants[index]
        self.change({"grants": [rule_to(grant) for grant in grants]})

    def go_on(self) -> None:
        """Let a stopped run go on; the caller has removed the reason for the stop."""
        if self.state.status is Status.RUNNING:
            raise CommandError("the run has not stopped")
        self._record(Resumed())

    def message(self, text: str) -> None:
        """A follow-up of the user: continues an ended run, or speaks into one that stands between two requests."""
        if not text.strip():
            raise CommandError("the message is empty")
        if self.in_flight is not None or self.state.open_calls():
            raise CommandError("a message can be given when no call is open")
        if self.state.status is Status.RUNNING and not self.state.started:
            raise CommandError("the run has not begun; it begins with its goal")
        self._record(UserMessage(text=text))

    # ------------------------------------------------------------ recording

    def _validated(self, event: Event) -> Event:
        if not isinstance(event, Decided) or event.decision != "edit":
            return event
        problem = self.check_edit(event.call, event.arguments)
        if problem:
            raise CommandError(problem)
        record = self.state.record(event.call)
        assert record is not None
        return replace(event, arguments=self.tools.check(record.call.tool, event.arguments).canonical)

    def _record(self, event: Event) -> None:
        """Journal first, then state, then everybody who watches."""
        if self.broken:
            raise JournalBroken(self.broken)
        try:
            self._journal.append(event, sync=isinstance(event, SYNCED))
        except Exception as error:
            self.broken = f"the session cannot be written: {error}"
            raise JournalBroken(self.broken) from error
        self.state.apply(event)
        self.events.append(event)
        self._reply_awaited = False
        for listener in self._listeners:
            listener(event)

    def _internal_error(self, error: Exception) -> bool:
        """Stop in order; where even that is under way already, do nothing more."""
        detail = "".join(traceback.format_exception(error))
        if self.state.status is not Status.RUNNING or self.state.stop is not None:
            self.broken = f"the workbench failed while it stopped the run: {error!r}"
            return False
        self._record(StopRequested(by="engine", status=Status.INTERNAL_ERROR, detail=detail))
        return True


class JournalBroken(Exception):
    """Nothing more can be recorded, so nothing more may happen. The file holds everything up to here."""


def _failed(failure: ModelFailure, took: float) -> ModelFailed:
    return ModelFailed(
        failure=failure.kind,
        detail=failure.detail,
        attempts=failure.attempts,
        partial=failure.partial,
        took=took,
        line=failure.line,
        served=failure.served,
    )


def _result(call_id: str, outcome: ToolOutcome, tool: ToolInfo | None, took: float) -> ToolResult:
    return ToolResult(
        call=call_id,
        outcome=outcome.outcome,
        content=outcome.content,
        value=outcome.value,
        source=tool.source if tool is not None else "",
        trust=tool.trust if tool is not None else "trusted",
        full_chars=outcome.full_chars,
        cursor=outcome.cursor,
        took=took,
        effects=outcome.effects,
        retry=outcome.retry,
        detail=outcome.detail,
    )


def _held(result: ToolResult) -> Held:
    return Held(
        call=result.call,
        outcome=result.outcome,
        content=result.content,
        value=result.value,
        source=result.source,
        trust=result.trust,
        full_chars=result.full_chars,
        cursor=result.cursor,
        took=result.took,
        effects=result.effects,
        detail=result.detail,
        goal_met=result.goal_met,
    )
