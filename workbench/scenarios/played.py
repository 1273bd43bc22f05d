"""From a run that was played to a scenario that plays it again: its replies, and its person as entries.

Replies that were scripted or typed become a script, whose tools run again. A real model's are a recording, and so is a
run whose tools were those of another loop: every request is kept with its reply, tools give back what they gave, and
nothing is asked or run.

Limits and settings are those that it began with; what was changed under way is changed again at the same step. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from workbench.core import templates
from workbench.core.events import (
    ContextChanged,
    Event,
    HeldReply,
    ModelFailed,
    ModelReply,
    SettingsChanged,
    ToolResult,
    UserMessage,
)
from workbench.core.loop import AskPerson, next_move, standing
from workbench.core.plan import LOOPS
from workbench.core.protocols import protocol
from workbench.core.reading import BELIEVED
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import CLIENT, Header, RawCall
from workbench.models.scripted import RETRIED, RETRIES
from workbench.scenarios.answers import Answers, loop_of
from workbench.scenarios.loops import MUSEUM
from workbench.scenarios.models import BUILDERS
from workbench.scenarios.recorded import RECORDED
from workbench.scenarios.recording import recording
from workbench.scenarios.struck import Struck
from workbench.scenarios.summaries import SCRIPTED_FAILURES, summary_line
from workbench.scenarios.writing import scenario_text

KEPT_OF_MODEL = ("context_window", "prices")
TAKEN_OTHERWISE = "another loop took a reply in another way than it is taken here, so nothing is expected"
ANSWERED_OTHERWISE = "the other loop had its answer from elsewhere; here it is the reply that ended the run"
NOT_RETURNED = "the log lacks a result that the model has read, so nothing is expected"
TOOLS_RUN_AGAIN = "what the model said is a script here, and the tools of the steps run again"
LATE = 1.0
"""Seconds that a reply which came too late is later than it might be."""


@dataclass(frozen=True, slots=True)
class Played:
    """A scenario in its plain form, and what in it is not as it was played, a sentence each."""

    plain: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The scenario as TOML, the notes as comments at its head."""
        notes = "".join(f"# Not the same: {' '.join(note.split())}.\n" for note in self.notes)
        return f"{notes}\n{scenario_text(self.plain)}" if notes else scenario_text(self.plain)


NOT_KEPT = ("lesson", "tags", "person", "expect", "fault")
"""Of the scenario that was played: what is told anew, and its place in a course, where this is none."""


def played(header: Header, events: Sequence[Event], *, title: str = "") -> Played:
    """The scenario that plays these events of a run again, as far as they go; by default it is called as the run is."""
    answers = Answers(header)
    struck = Struck(header, answers.state)
    timed = header.limits.seconds is not None or any(_gives_a_time(event) for event in events)
    script = _Script(header, timed=timed)
    for event in events:
        script.take(event)
        answers.take(event)
        struck.take(event, answers.state)
    state, base = answers.state, header.scenario
    if state.held_reply is not None:
        script.take_held(state.held_replies[0])
    plain = {key: value for key, value in base.items() if key not in NOT_KEPT}
    plain["title"] = (title or f"{state.title or header.goal}, as played").replace("\n", " ")
    plain["about"] = f"Made from session {header.id}."
    plain["goal"] = next((event.text for event in events if isinstance(event, UserMessage)), header.goal)
    real, elsewhere = was_real(header), ran_elsewhere(header)
    if elsewhere:
        plain = {key: value for key, value in plain.items() if key not in ("limits", "authority")}
        plain["approval"] = {"default": "allow"}  # whatever that loop forbids, it asked nobody here
    plain["model"] = recording(header, events, struck.labels) if real else _model(base.get("model", {}), script)
    if faults := struck.tables(answers.stand_ins):
        plain["fault"] = faults
    if workspace := plain.pop("workspace", None):
        plain |= _workspace(workspace, header.scenario_path, needed=not real)
    if entries := answers.entries():
        plain["person"] = entries
    notes = answers.notes if real else [*script.notes, *answers.notes]
    if not real and _asked_a_real_model(header):
        notes.append(TOOLS_RUN_AGAIN)
    if kept_out := real and state.held_reply is not None:
        notes = [*notes, "the reply that is held at the door is in no recording until it is let in"]
    expect = _expected(state, exact_calls=not answers.notes)
    if elsewhere:
        otherwise = _read_otherwise(header, events)
        expect, notes = _expected_elsewhere(state, events, otherwise), [*notes, *otherwise]
    if expect and (real or script.ends_alike(state)) and not kept_out:
        plain["expect"] = expect
    return Played(plain, (*dict.fromkeys(notes),))


def was_real(header: Header) -> bool:
    """Whether what was said and done in the run cannot be had again: it asked a real model, or ran elsewhere."""
    if header.scenario.get("loop") in LOOPS:
        return False  # A plan makes its calls again by itself, and what the model said is a script.
    return _asked_a_real_model(header) or ran_elsewhere(header)


def _asked_a_real_model(header: Header) -> bool:
    use = header.scenario.get("model", {}).get("use", "scripted")
    return use == RECORDED or use not in BUILDERS


def ran_elsewhere(header: Header) -> bool:
    """Whether another loop ran its tools: that of a client that was served, or one whose log was imported."""
    use = header.scenario.get("model", {}).get("use", "scripted")
    imported = use in BUILDERS and not header.free and header.prices is None  # else it would be free, or have prices
    return imported or any(tool.source == CLIENT for tool in header.tools)


def _read_otherwise(header: Header, events: Sequence[Event]) -> list[str]:
    """What another loop made of replies that ours reads in another way, a sentence each."""
    notes = []
    for event in events:
        if isinstance(event, ModelReply) and event.finish in BELIEVED:
            calls = tuple([RawCall(call.tool, call.arguments, provider_id=call.provider_id) for call in event.calls])
            reading = protocol(header.protocol).read(event.text, calls, header.options)
            if (reading.kind == "answer") != (event.reading == "answer"):
                notes.append(TAKEN_OTHERWISE)
            elif reading.kind == "answer" and reading.answer != event.answer:
                notes.append(ANSWERED_OTHERWISE)
        elif isinstance(event, ToolResult) and event.outcome == "unknown":
            notes.append(NOT_RETURNED)
    return notes


def _expected_elsewhere(state: State, events: Sequence[Event], otherwise: Sequence[str]) -> dict[str, Any]:
    """What a recording of what another loop did comes to here, where that is known.

    A log that ends where the model is to reply is a recording that runs out there.
    """
    if TAKEN_OTHERWISE in otherwise or NOT_RETURNED in otherwise:
        return {}
    if not any(isinstance(event, ModelReply) for event in events):
        return {}
    expect = _expected(state, exact_calls=not state.open_calls())
    if ANSWERED_OTHERWISE in otherwise:
        expect.pop("answer", None)
    if state.stopped is not None:
        return expect
    names = [record.call.tool for record in state.every_call()]
    cut = {"status": Status.SCRIPT_EXHAUSTED.value, "model_calls": state.model_calls + 1}
    return {**cut, "calls": names} if names else cut


def _gives_a_time(event: Event) -> bool:
    return isinstance(event, SettingsChanged) and event.changes.get("limits.seconds") is not None


def _model(base: Mapping[str, Any], script: _Script) -> dict[str, Any]:
    model = {"use": "scripted", **{key: base[key] for key in KEPT_OF_MODEL if key in base}}
    if script.retries is not None and script.retries != RETRIES:
        model["retries"] = script.retries
    if script.lines:
        model["reply"] = script.lines
    if script.summaries:
        model["summary"] = script.summaries
    return model


def _workspace(table: Mapping[str, Any], scenario_path: str, *, needed: bool) -> dict[str, Any]:
    """A real folder is named from where the scenario was, as the new one may lie elsewhere; left out where no tool is
    going to run in it.
    """
    root = table.get("root")
    if root is not None and not needed:
        return {}
    if root is not None and scenario_path and not str(root).startswith("~"):
        table = {**table, "root": str(PurePath(scenario_path).parent / root)}
    return {"workspace": table}


def _expected(state: State, *, exact_calls: bool) -> dict[str, Any]:
    """What the run came to, as `[expect]`; nothing where it was only paused."""
    status = _status(state)
    if status is None:
        return {}
    expect: dict[str, Any] = {"status": status.value}
    if state.answer is not None:
        expect["answer"] = state.answer
    expect["model_calls"] = state.model_calls
    if exact_calls:
        expect["tool_calls"] = state.tool_calls
        if names := [record.call.tool for record in state.every_call()]:
            expect["calls"] = names
    return expect


def _status(state: State) -> Status | None:
    if state.stopped is not None and state.status is not Status.RUNNING:
        return state.status
    move = next_move(state)
    if not isinstance(move, AskPerson) or move.question.on == "interrupted":
        return None
    return standing(move, state.status)


# ---------------------------------------------------------------- the script


class _Script:
    """The replies and failures of a run as lines of a script."""

    def __init__(self, header: Header, *, timed: bool) -> None:
        self.lines: list[dict[str, Any]] = []
        self.summaries: list[dict[str, Any]] = []
        self.retries: int | None = None
        self.notes: list[str] = []
        self._native = header.protocol == "native"
        self._engine = loop_of(header) not in MUSEUM
        self._timed = timed
        """Whether the run had a cap on time, so that it matters how long a reply took."""
        self._tools_took = False
        self._given_up = False

    def take(self, event: Event) -> None:
        if isinstance(event, ModelReply):
            # Another loop may keep less of a reply than the model said, and does so again.
            lost = not self._engine and event.changed_by not in ("", "you")
            heard = replace(event, text=event.original) if lost else event
            self._add(reply_line(heard, native=self._native, timed=self._timed))
        elif isinstance(event, ModelFailed) and event.purpose == "step":
            self._fail(event)
        elif isinstance(event, ModelFailed | ContextChanged):
            self._sum_up(event)
        elif isinstance(event, ToolResult):
            self._tools_took = self._tools_took or event.took > 0

    def _sum_up(self, event: ModelFailed | ContextChanged) -> None:
        line = summary_line(event, timed=self._timed)
        if not line:
            return
        again = event.attempts if line.get("fail") in RETRIED else 1
        self.retries = max(self.retries or 0, again - 1) if again > 1 else self.retries
        self.summaries += [line] * again

    def take_held(self, event: HeldReply) -> None:
        """A reply that stands at the door in the end."""
        calls = [{"tool": call.tool, "arguments": _arguments(call.arguments)} for call in event.calls]
        self._add(_line(event, calls, timed=self._timed))

    def ends_alike(self, state: State) -> bool:
        """Whether the end does not hang on time that no script can take."""
        by_time = state.stopped is not None and state.stopped.knob == "limits.seconds"
        return not self._given_up and not (by_time and self._tools_took)

    def _add(self, line: dict[str, Any]) -> None:
        last = self.lines[-1] if self.lines else {}
        if {**last, "repeat": 1} == {**line, "repeat": 1}:
            last["repeat"] = last.get("repeat", 1) + 1
        else:
            self.lines.append(line)

    def _fail(self, event: ModelFailed) -> None:
        if event.failure == "deadline":
            self._give_up(event)
        kind = SCRIPTED_FAILURES.get(event.failure)
        if kind is None or (not self._engine and event.line < 0):
            return  # The script ran out, or could not go on, or the loop sent what nobody takes: that comes again.
        line: dict[str, Any] = {"fail": kind}
        if kind in RETRIED:
            self.retries = max(self.retries or 0, event.attempts - 1)
            if event.attempts > 1:
                line["repeat"] = event.attempts
        if kind == "cut_stream" and event.partial:
            line["text"] = _literal(event.partial)
        self.lines.append(line)

    def _give_up(self, event: ModelFailed) -> None:
        """A reply that would have come too late: the line before once more, where that takes long enough."""
        last = self.lines[-1] if self.lines else {}
        if last.get("delay", 0.0) >= event.took > 0:
            last["repeat"] = last.get("repeat", 1) + 1
            return
        self._given_up = True
        self.lines.append({"text": "", "delay": event.took + LATE})
        self.notes.append("a request was given up when its time was over, so what the model would have said is unknown")


def reply_line(event: ModelReply, *, native: bool, timed: bool = False) -> dict[str, Any]:
    """A reply as a `[[model.reply]]` table: what was read, whoever changed it. `timed` keeps how long it took."""
    # Outside the native protocol the calls are in the text.
    calls = [{"tool": call.tool, "arguments": _arguments(call.arguments)} for call in event.calls] if native else []
    return _line(event, calls, timed=timed)


def _line(event: ModelReply | HeldReply, calls: list[dict[str, Any]], *, timed: bool) -> dict[str, Any]:
    line: dict[str, Any] = {}
    if event.text or not calls:
        line["text"] = _literal(event.text)
    if event.thinking:
        line["thinking"] = _literal(event.thinking)
    if event.finish != ("tool_calls" if calls else "stop"):
        line["finish"] = event.finish
    usage = {
        "input": event.input_tokens,
        "output": event.output_tokens,
        "cache_read": event.cache_read,
        "cache_write": event.cache_write,
    }
    if given := {name: count for name, count in usage.items() if count is not None}:
        line["usage"] = given
    if timed and event.took:
        line["delay"] = event.took
    if calls:
        line["call"] = calls
    return line


def _arguments(raw: str) -> dict[str, Any] | str:
    """The arguments as a table where a script makes the same text of it, else as text that is sent as it is."""
    try:
        value = _literals(json.loads(raw))
        if isinstance(value, dict) and templates.literal(templates.compile_json(value)) == raw:
            return value
    except (ValueError, RecursionError):
        pass
    return _literal(raw)


def _literals(value: Any) -> Any:
    """The JSON value with its texts as templates that stand for them. Raises ValueError for null, which TOML lacks."""
    if isinstance(value, str):
        return _literal(value)
    if isinstance(value, dict):
        return {key: _literals(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_literals(item) for item in value]
    if value is None:
        raise ValueError("null")
    return value


def _literal(text: str) -> str:
    """The text as a template that stands for it."""
    return text.replace("${", "$${")
