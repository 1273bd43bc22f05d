"""One run of a matrix: the scenario as it is, or with one fault in one step, played to its end with nobody there."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from workbench.clocks import VirtualClock
from workbench.core.events import Event, ModelFailed
from workbench.core.faults import changer
from workbench.core.items import counts_as_step
from workbench.core.ports import Clock
from workbench.core.values import Fault
from workbench.faults.catalogue import Entry, armed
from workbench.home import Home
from workbench.lab.matrix import End, Trial, fault_keys, file_digest, first_line
from workbench.opening import SELF_DRIVEN, Opened, new_run
from workbench.runner import CommandError
from workbench.sandbox import effects_of
from workbench.scenarios.models import is_live
from workbench.scenarios.schema import FaultTable, Scenario
from workbench.sessions.journal import create_session
from workbench.toolkit.effects import fold_files
from workbench.toolkit.loader import LoadedFolder

MOST_MOVES = 10_000
"""An unbroken run that has made so many moves has no end of its own."""
UNBROKEN = "unbroken"
"""The name of the run without a fault, where a name is wanted."""


class NoMatrix(Exception):
    """A scenario that no matrix can be made of; the message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is broken: all that another process needs to make the runs."""

    scenario: Scenario
    home: Home
    path: str = ""
    """Of its file; "" for a scenario that is in none."""
    keep: Path | None = None
    """The folder, which is there and empty, in which each run is kept as a session; None to keep none."""
    created: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    """When the kept sessions say that they were made."""


def check_subject(scenario: Scenario, *, paid: bool = False) -> None:
    """Whether a matrix can be made of the scenario; `paid`: a person has agreed to what a live model will cost.

    Raises NoMatrix.
    """
    use = scenario.model.use
    if use == "human":
        raise NoMatrix("a matrix needs a model that replies by itself, and here you are the model")
    if use == "recorded":
        raise NoMatrix("a recorded model knows only the requests that were recorded, and every fault makes others")
    if is_live(scenario) and not paid:
        raise NoMatrix(f"a matrix asks {use} again in every cell, which takes time and may cost money; --yes agrees")
    if scenario.workspace.root is not None:
        raise NoMatrix("a matrix runs the tools many times over, so not in a real folder: use workspace.files instead")


def broken_scenario(scenario: Scenario, fault: Fault, step: int) -> Scenario:
    """The scenario with that fault of the catalogue armed in that step. It is named for that, else nothing differs."""
    table = FaultTable.model_validate({"use": fault.name, **fault_keys(fault, step)})
    title = f"{scenario.title or scenario.goal}: {fault.name} in step {step}"
    return scenario.model_copy(update={"title": title, "fault": (*scenario.fault, table)})


def open_cell(
    subject: Subject, fault: Fault | None, step: int, *, keep: bool = False, tools: LoadedFolder | None = None
) -> Opened:
    """The run of a cell before its first move; of the unbroken run where there is no fault.

    `keep`: in the sessions of the home, as any run. Raises ScenarioError and TrustNeeded.
    """
    scenario = subject.scenario if fault is None else broken_scenario(subject.scenario, fault, step)
    clock: Clock | None = VirtualClock() if scenario.model.use in SELF_DRIVEN else None
    name = UNBROKEN if fault is None else f"{fault.name}-step-{step}"
    return new_run(
        scenario,
        subject.home,
        scenario_path=subject.path,
        clock=clock,
        person=True,
        keep=keep,
        session_id="" if keep else name,
        created=None if keep else subject.created,
        tools=tools,
    )


async def try_out(
    subject: Subject, entry: Entry | None, step: int, *, most: int = MOST_MOVES, tools: LoadedFolder | None = None
) -> Trial:
    """Play one run to its end, at most so many moves. What goes wrong in it is in what is returned."""
    fault = entry.fault if entry is not None else None
    opened = open_cell(subject, fault, step, tools=tools)
    try:
        moves, end, detail = await _play(opened, most)
        wanted = armed(entry, fault_keys(entry.fault, step)) if entry is not None else None
        trial = _trial(opened, wanted, subject.path)
        if subject.keep is not None:
            _keep(opened, subject.keep)
    finally:
        opened.close()
    return replace(trial, moves=moves, end=end, detail=detail or trial.detail)


async def _play(opened: Opened, most: int) -> tuple[int, End, str]:
    """Play to the end. Returns the moves made, how it ended, and what is to be said of that."""
    run = opened.run
    for moves in range(most):
        try:
            if not await run.advance():
                return moves, "ended", run.broken
        except CommandError as error:
            return moves, "ended", f"an answer of the scenario's person does not fit: {error}"
        except Exception as error:  # noqa: BLE001 - whatever breaks in one run is what the cell has to show
            return moves, "broken", "".join(traceback.format_exception_only(error)).strip()
        await asyncio.sleep(0)
    return most, "endless", f"given up after {most:,} moves: no cap ended it"


def _trial(opened: Opened, fault: Fault | None, path: str) -> Trial:
    run, state = opened.run, opened.run.state
    stop = state.stopped
    asked, tools = _steps(opened)
    struck = fault is not None and any(item.fault == fault and item.fired for item in state.faults)
    return Trial(
        status=run.status,
        knob=stop.knob if stop is not None else "",
        detail=first_line(stop.detail if stop is not None else "").removeprefix(f"{path}: "),
        answer=state.answer,
        steps=state.total_steps,
        model_calls=state.model_calls,
        tool_calls=state.tool_calls,
        errors=state.errors,
        files={name: file_digest(text) for name, text in sorted(_files(opened).items())},
        asked=asked,
        tools=tools,
        struck=struck,
        changed=fault is not None and struck and _made_a_difference(run.events, fault),
    )


def _steps(opened: Opened) -> tuple[int, tuple[tuple[str, ...], ...]]:
    """The last step in which the model was asked, or a plan was followed, and the tools that each step started."""
    replies = asked = 0
    for event in opened.run.events:
        if counts_as_step(event):
            replies += 1
            asked = replies
        elif isinstance(event, ModelFailed):
            asked = replies + 1
    tools: list[list[str]] = [[] for _ in range(asked)]
    for record in opened.run.state.every_call():
        if record.started is not None and record.step <= asked:
            tools[record.step - 1].append(record.call.tool)
    return asked, tuple(map(tuple, tools))


def _files(opened: Opened) -> dict[str, str]:
    """The files of the sandbox, as the recorded effects leave them."""
    return fold_files(opened.scenario.workspace.files, effects_of(opened.run.events))


def _made_a_difference(events: list[Event], fault: Fault) -> bool:
    """Whether a fault that struck changed anything: a request and the time always, a text not always."""
    if fault.on == "provider" or fault.do == "delay":
        return True
    by = changer(fault)
    return any(by in getattr(event, "changed_by", "").split(", ") for event in events)


def _keep(opened: Opened, folder: Path) -> None:
    """Write the session of a run that was made in memory."""
    header = opened.run.header
    with create_session(folder / f"{header.id}.toml", header, durable=False) as journal:
        for event in opened.run.events:
            journal.append(event, sync=False)
