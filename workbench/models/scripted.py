"""The scripted model: replies written beforehand, as a function of the history.

Which line is due follows from the line that was served last in this branch, how often in a row, and the observation
since. Nothing is popped and nothing is remembered here, so that forks, retries and replays stay right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core import patterns, templates
from workbench.core.patterns import search
from workbench.core.ports import Clock, FailureKind, ModelFailure, OnSignal, Reply, Request, Signal, Usage
from workbench.core.state import State
from workbench.core.swift import swift
from workbench.core.templates import Template, TemplateError
from workbench.core.values import RawCall

RETRIED: frozenset[str] = frozenset({"rate_limited", "timeout", "unavailable", "malformed_body", "cut_stream"})
RETRIES = 2
_CHUNKS = 4


def no_signal(signal: Signal) -> None:
    """For callers whom nobody watches: passing it spares the making of signals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """A native call. `arguments` as a mapping becomes JSON with templates filled; as text it is sent raw."""

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One reply of a script, or one failure."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    thinking: str = ""
    repeat: int | None = 1
    """How many times in a row it is served; None is for ever."""
    when: str = ""
    """Regular expression that the latest observation must match; else the line is passed over."""
    capture: Mapping[str, str] = field(default_factory=dict)
    """Name to regular expression: group 1, or the whole match, of the latest observation."""
    delay: float = 0.0
    """Seconds."""
    usage: Usage | None = None
    finish: str = ""
    """Finish reason; empty is `stop`, or `tool_calls` where there are calls."""
    fail: FailureKind | None = None
    retry_after: float = 0.0
    """Seconds to wait before the next attempt."""


@swift
@dataclass(frozen=True, slots=True)
class _Compiled:
    """A line made ready. `ready` is the whole first serving where nothing in it depends on the history."""

    line: Line
    captures: tuple[tuple[str, str], ...]
    text: Template
    thinking: Template
    calls: tuple[tuple[str, Template], ...]
    finish: str
    usage: Usage
    chunks: tuple[str, ...]
    ready: Reply | None


class ScriptedModel:
    """Serves `replies` in order. `file` names the script in messages.

    Raises ValueError for a template or a regular expression that cannot be read.
    """

    def __init__(
        self,
        replies: Sequence[Line],
        *,
        clock: Clock,
        name: str = "scripted",
        file: str = "",
        retries: int = RETRIES,
        summaries: Sequence[Line] = (),
    ) -> None:
        self.name = name
        self._file = file
        self._clock = clock
        self._retries = retries
        self._lines = [_compile(line, index, name) for index, line in enumerate(replies)]
        self._summaries = [_compile(line, index, name) for index, line in enumerate(summaries)]

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        """The reply that is due. Scripted failures are retried in here, each attempt with the line after it.

        Raises ModelFailure as scripted; `script_exhausted` when no line is left; `script_error` for a template or a
        capture that stands for nothing here.
        """
        state = request.state
        if request.purpose == "summary":
            return await self._summary(state, on_signal)
        index, served = self._reached(state)
        attempts = 1
        while True:
            index, served = self._due(state, index, served, attempts)
            compiled = self._lines[index]
            line = compiled.line
            if compiled.ready is not None and served == 1 and attempts == 1:
                reply = compiled.ready
            else:
                reply = self._served(compiled, state, index, served, attempts)
            if line.delay or (reply.text and on_signal is not no_signal):
                await self._stream(reply.text, compiled.chunks, line.delay, on_signal)
            if line.fail is None:
                return reply
            if line.fail not in RETRIED or attempts > self._retries:
                raise self._failure(line.fail, index, served, attempts, reply.text)
            on_signal(Signal("retry", f"{line.fail}: trying again", line.retry_after))
            if line.retry_after:
                await self._clock.sleep(line.retry_after)
            attempts += 1

    async def _summary(self, state: State, on_signal: OnSignal) -> Reply:
        """The summary that is due: the one after those that this branch has used up."""
        index, attempts = state.carried.summaries, 1
        while index < len(self._summaries):
            compiled = self._summaries[index]
            line = compiled.line
            if line.delay:
                await self._clock.sleep(line.delay)
            if line.fail is None:
                return self._served(compiled, state, index, 1, attempts, "summary")
            if line.fail not in RETRIED or attempts > self._retries:
                detail = f"{self._place(index, 'summary')} is scripted to fail: {line.fail}"
                raise ModelFailure(line.fail, detail, attempts=attempts, line=index, served=1)
            on_signal(Signal("retry", f"{line.fail}: trying again", 0.0))
            index, attempts = index + 1, attempts + 1
        count = f"{index} {'summary' if index == 1 else 'summaries'}"
        detail = f"the script has {count} and a further one was asked for; [[model.summary]] gives one"
        raise ModelFailure("script_exhausted", f"{self._file}: {detail}" if self._file else detail, attempts=attempts)

    def due(self, state: State) -> Reply:
        """The reply that the request of `state` would get, with the index of its line. Nothing is served by this.

        Raises ModelFailure where there is none: the line that is due fails, a template stands for nothing, or no line
        is left. Its `line` is then the line at fault.
        """
        index, served = self._due(state, *self._reached(state), 1)
        compiled = self._lines[index]
        if compiled.line.fail is not None:
            raise self._failure(compiled.line.fail, index, served, 1)
        return self._served(compiled, state, index, served, 1)

    def _reached(self, state: State) -> tuple[int, int]:
        """The line that was served last, and how often in a row; each reply of another model since stands for one."""
        index, served = state.script_line, state.script_served
        for _ in range(state.replies_elsewhere):
            repeat = self._lines[index].line.repeat if 0 <= index < len(self._lines) else 0
            if repeat is None or served < repeat:
                served += 1
                continue
            index, served = index + 1, 1
            while index < len(self._lines) and self._lines[index].line.fail is not None:
                index += 1
        return index, served

    def _due(self, state: State, index: int, served: int, attempts: int) -> tuple[int, int]:
        """Index of the line that is due after `index` was served so many times, and which serving of it this is."""
        lines, observation = self._lines, state.last_observation
        if index >= 0:
            repeat = lines[index].line.repeat if index < len(lines) else 0
            if repeat is None or served < repeat:
                when = lines[index].line.when
                if not served or not when or search(when, observation):
                    return index, served + 1
        passed_over = []
        for following in range(index + 1, len(lines)):
            when = lines[following].line.when
            if not when or search(when, observation):
                return following, 1
            passed_over.append(str(following + 1))
        count = f"{len(lines)} {'reply' if len(lines) == 1 else 'replies'}"
        detail = f"the script has {count} and a further one was asked for"
        if passed_over:
            detail += f" (passed over, as their `when` does not match the latest observation: {', '.join(passed_over)})"
        if self._file:
            detail = f"{self._file}: {detail}"
        raise ModelFailure("script_exhausted", detail, attempts=attempts, line=index, served=served)

    def _served(
        self, compiled: _Compiled, state: State, index: int, served: int, attempts: int, what: str = "reply"
    ) -> Reply:
        try:
            # A line that was begun and not served has captured already, from the observation that it was due after.
            begun = (state.script_line, state.script_served) == (index, 0)
            captures = (
                {} if begun else templates.captured(compiled.captures, state.last_observation, "the latest observation")
            )
            known = {**state.captures, **captures}

            def lookup(name: str) -> str:
                return _value(name, state, known)

            return Reply(
                text=templates.fill(compiled.text, lookup),
                calls=tuple([RawCall(tool, templates.fill(arguments, lookup)) for tool, arguments in compiled.calls]),
                thinking=templates.fill(compiled.thinking, lookup),
                finish=compiled.finish,
                usage=compiled.usage,
                model=self.name,
                attempts=attempts,
                line=index,
                served=served,
                captures=captures,
            )
        except TemplateError as error:
            detail = f"{self._place(index, what)}: {error}"
            raise ModelFailure("script_error", detail, attempts=attempts, line=index, served=served) from None

    async def _stream(self, text: str, chunks: tuple[str, ...], delay: float, on_signal: OnSignal) -> None:
        # The clock is used in the same way whether or not anybody watches, so that both runs take the same time.
        chunks = chunks or _chunks(text)
        pause = delay / max(1, len(chunks))
        if delay and not chunks:
            await self._clock.sleep(delay)
        for chunk in chunks:
            if pause:
                await self._clock.sleep(pause)
            on_signal(Signal("delta", chunk))

    def _failure(self, fail: FailureKind, index: int, served: int, attempts: int, partial: str = "") -> ModelFailure:
        detail, after = f"{self._place(index)} is scripted to fail: {fail}", self._lines[index].line.retry_after
        return ModelFailure(fail, detail, attempts=attempts, partial=partial, line=index, served=served, after=after)

    def _place(self, index: int, what: str = "reply") -> str:
        return f"{self._file}: {what} {index + 1}" if self._file else f"{what} {index + 1} of the script"


def unused_lines(replies: Sequence[Line], served: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Indices of the lines that were never served in a branch.

    `served` holds line and attempts of each recorded reply or failure of the branch, in order. Failures that were
    retried inside a call are not recorded: they are the lines between two records that are scripted to fail.
    """
    used: set[int] = set()
    before = -1
    for index, attempts in served:
        if index < 0:
            continue
        used.add(index)
        if attempts > 1:
            used.update(i for i in range(max(0, before), index) if _is_retried(replies[i]))
        before = index
    return tuple(index for index in range(len(replies)) if index not in used)


def _is_retried(line: Line) -> bool:
    return line.fail is not None and line.fail in RETRIED


def _compile(line: Line, index: int, model: str) -> _Compiled:
    for pattern in filter(None, (line.when, *line.capture.values())):
        patterns.compiled(pattern)
    text, thinking = templates.compile_text(line.text), templates.compile_text(line.thinking)
    calls = []
    for call in line.calls:
        raw = isinstance(call.arguments, str)
        compiled = templates.compile_text(str(call.arguments)) if raw else templates.compile_json(call.arguments)
        calls.append((call.tool, compiled))
    finish = line.finish or ("tool_calls" if calls else "stop")
    usage = line.usage or Usage()
    plain = templates.literal(text)
    ready = None
    fixed = templates.is_literal
    if not line.capture and fixed(text) and fixed(thinking) and all(fixed(arguments) for _, arguments in calls):
        ready = Reply(
            text=plain,
            calls=tuple([RawCall(tool, templates.literal(arguments)) for tool, arguments in calls]),
            thinking=templates.literal(thinking),
            finish=finish,
            usage=usage,
            model=model,
            line=index,
            served=1,
        )
    return _Compiled(
        line=line,
        captures=tuple(line.capture.items()),
        text=text,
        thinking=thinking,
        calls=tuple(calls),
        finish=finish,
        usage=usage,
        chunks=_chunks(plain) if fixed(text) else (),
        ready=ready,
    )


def _value(name: str, state: State, captures: Mapping[str, str]) -> str:
    if name in captures:
        return captures[name]
    if name == "last":
        return state.last_observation
    if name == "total":
        return templates.total(state.results)
    if not templates.is_builtin(name):
        raise TemplateError(f"${{{name}}} stands for nothing: no reply before this one has captured it")
    return templates.nth_result(name, state.results)


def _chunks(text: str) -> tuple[str, ...]:
    size = max(1, -(-len(text) // _CHUNKS))
    return tuple([text[at : at + size] for at in range(0, len(text), size)])
