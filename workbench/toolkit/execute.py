"""Carrying out tool calls: check, then run within a time limit, and give back a result or a classified failure."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import replace
from typing import Any

from workbench.core.canonical import canonical, parse_object
from workbench.core.outcomes import given_up
from workbench.core.ports import Checked, OnLate, ToolOutcome
from workbench.core.values import ToolInfo
from workbench.toolkit.errors import ToolError
from workbench.toolkit.loader import LoadedTool
from workbench.toolkit.paths import quoted
from workbench.toolkit.results import defect, failed, ran, readable
from workbench.toolkit.schema import ArgumentError
from workbench.toolkit.scope import current
from workbench.toolkit.sizes import MAX_PREVIEW_CHARS
from workbench.toolkit.workspace import Draft, Effect, Workspace

Work = asyncio.Future[ToolOutcome]
_READ = json.JSONDecoder().raw_decode
"""For canonical text, which has nothing around its value: half the price of json.loads."""


class ToolBox:
    """The tools of one run, over its workspace. Implements `workbench.core.ports.Tools`."""

    def __init__(self, tools: Sequence[LoadedTool], workspace: Workspace | None = None) -> None:
        self._tools = {tool.info.name: tool for tool in sorted(tools, key=lambda tool: tool.info.name)}
        self.workspace = workspace
        self._abandoned: set[Work] = set()
        """Calls that are over for the run but not for themselves; the event loop alone would let go of them."""

    @property
    def infos(self) -> tuple[ToolInfo, ...]:
        """What the header of a run says of its tools, by name."""
        return tuple(tool.info for tool in self._tools.values())

    def check(self, tool: str, arguments: str) -> Checked:
        loaded = self._tools.get(tool)
        if loaded is None:
            return Checked(problem=self._unknown(tool), problem_kind="unknown_tool")
        parsed = parse_object(arguments)
        if parsed.value is None:
            return Checked(problem=parsed.problem, problem_kind="malformed", note=parsed.note)
        try:
            loaded.arguments.bind(parsed.value)
        except ArgumentError as error:
            return Checked(problem=str(error), problem_kind="invalid", note=parsed.note)
        return Checked(canonical=canonical(parsed.value), note=parsed.note)

    def preview(self, tool: str, canonical: str) -> str:
        loaded = self._tools.get(tool)
        if loaded is None or loaded.spec.preview is None:
            return ""
        token = current.set((self._draft(), ""))
        try:
            sentence = str(loaded.spec.preview(**loaded.arguments.bind(json.loads(canonical))))
        except ToolError as error:
            sentence = f"The tool will refuse this: {error.message}"
        except BaseException:  # noqa: BLE001 - a preview is code of the tool's author; the question must be asked anyway
            return "(the tool's preview failed)"
        finally:
            current.reset(token)
        return readable(sentence[:MAX_PREVIEW_CHARS])[0]

    def file_text(self, path: str) -> str | None:
        draft = self._draft()
        try:
            return readable(draft.read(path))[0] if draft is not None else None
        except ToolError:
            return None

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        loaded = self._tools.get(tool)
        if loaded is None:
            return ToolOutcome(outcome="failed", content=self._unknown(tool))
        try:
            arguments = loaded.arguments.bind(_READ(canonical)[0])
        except ArgumentError as error:
            return ToolOutcome(outcome="failed", content=str(error))
        draft = self._draft()
        token = current.set((draft, key))
        try:
            work = _perform(loaded, arguments) if loaded.spec.inline else _begin(loaded, arguments)
        finally:
            current.reset(token)
        if not isinstance(work, ToolOutcome):
            work = await self._finish(loaded, work, draft, within=within, on_late=on_late)
        return work if draft is None else self._settle(work, draft)

    async def _finish(
        self, tool: LoadedTool, work: Work, draft: Draft | None, *, within: float | None, on_late: OnLate
    ) -> ToolOutcome:
        """Wait for the work, at most for the time limit. Then it is let go: it can change nothing, and is late."""
        limit = _shorter(tool.spec.timeout, within)
        clock = asyncio.get_running_loop().time
        began = clock()
        in_time = False
        try:
            await asyncio.wait({work}, timeout=limit)
            in_time = work.done()
        finally:
            if not in_time:
                if draft is not None:
                    draft.close()
                self._abandon(work, lambda content: on_late(content, clock() - began))
        if in_time:
            return work.result()
        assert limit is not None
        return given_up(tool.info.name, tool.info, limit)

    def _abandon(self, work: Work, late: Callable[[str], None]) -> None:
        def arrived(work: Work) -> None:
            self._abandoned.discard(work)
            if not work.cancelled():
                late(work.result().content)

        self._abandoned.add(work)
        work.add_done_callback(arrived)
        if isinstance(work, asyncio.Task):
            work.cancel()

    def _settle(self, outcome: ToolOutcome, draft: Draft) -> ToolOutcome:
        """Let what the call wrote take place, if the call succeeded."""
        draft.close()
        effects = draft.effects
        if outcome.outcome != "ran" or not effects:
            return outcome
        assert self.workspace is not None
        done: list[Effect] = []
        try:
            for effect in effects:
                self.workspace.apply((effect,))
                done.append(effect)
        except ToolError as error:
            outcome = ToolOutcome(outcome="failed", content=error.message, retry=error.retry)
        except OSError as error:
            place, reason = quoted(effect["path"]), error.strerror or "unknown reason"
            outcome = ToolOutcome(outcome="failed", content=f"{place} could not be written: {reason}.", retry=False)
        return replace(outcome, effects=tuple(done))

    def _unknown(self, tool: str) -> str:
        return f"no tool named {tool[:100]!r}. Available: {list(self._tools)}"

    def _draft(self) -> Draft | None:
        return Draft(self.workspace) if self.workspace is not None else None


def _perform(tool: LoadedTool, arguments: dict[str, Any]) -> ToolOutcome:
    """Call a plain function. Whatever it does, there is an outcome."""
    try:
        return ran(tool.info, tool.function(**arguments))
    except ToolError as error:
        return failed(tool.info, error)
    except BaseException as error:  # noqa: BLE001 - also SystemExit: a tool must not end the app
        return defect(tool.info, error)


async def _perform_async(tool: LoadedTool, arguments: dict[str, Any]) -> ToolOutcome:
    task = asyncio.current_task()
    assert task is not None
    try:
        return ran(tool.info, await tool.function(**arguments))
    except ToolError as error:
        return failed(tool.info, error)
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and task.cancelling():
            raise
        return defect(tool.info, error)


def _begin(tool: LoadedTool, arguments: dict[str, Any]) -> Work:
    """Start the call in this context: an async tool as a task, any other in a thread of its own."""
    if tool.is_async:
        return asyncio.create_task(_perform_async(tool, arguments))
    loop = asyncio.get_running_loop()
    work: Work = loop.create_future()
    # A thread of its own, and a daemon: a function that never returns can hold up neither other calls nor the exit.
    threading.Thread(
        target=_work_in_thread,
        args=(loop, work, copy_context(), tool, arguments),
        name=f"tool {tool.info.name}",
        daemon=True,
    ).start()
    return work


def _work_in_thread(
    loop: asyncio.AbstractEventLoop, work: Work, context: Context, tool: LoadedTool, arguments: dict[str, Any]
) -> None:
    outcome = context.run(_perform, tool, arguments)

    def hand_over() -> None:
        if not work.done():
            work.set_result(outcome)

    try:
        loop.call_soon_threadsafe(hand_over)
    except RuntimeError:
        return  # the app has ended; nobody waits for the result any more


def _shorter(first: float | None, second: float | None) -> float | None:
    limits = [limit for limit in (first, second) if limit is not None]
    return min(limits) if limits else None
