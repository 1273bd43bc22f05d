"""What `resume` is told about what is held at the door: results by their call, a reply by the word `reply`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.cli.errors import BadInput
from workbench.core import commands
from workbench.core.commands import CommandError
from workbench.core.faults import NO_RESULT
from workbench.core.holding import FilterError, missing_tools, read_filter
from workbench.core.values import Fault, FaultTarget
from workbench.runner import Run
from workbench.scenarios.errors import unknown

REPLY = "reply"
"""What a held reply is called where a call has its id."""
OFF = "off"
FOR_RESULTS = ("error", "drop")
MUCH = 1e9
"""Seconds beyond any run."""


@dataclass(frozen=True, slots=True)
class Release:
    """What is to be done about one thing at the door."""

    what: str
    """A call's id, or `reply`."""
    do: str
    text: str = ""


def hold_setting(text: str, tools: Sequence[str]) -> bool | str:
    """The setting that --hold asks for, in a run with these tools. Raises BadInput."""
    if text.strip() == OFF:
        return False
    try:
        missing = missing_tools(read_filter(text), tools)
    except FilterError as error:
        raise BadInput(f"--hold: {error}") from None
    if missing:
        raise BadInput(f"--hold: {unknown(missing[0], tools, 'this run has no tool')}")
    return text.strip()


def releases(run: Run, options: argparse.Namespace) -> list[Release]:
    """What the options say is done about each thing at the door. Raises BadInput for what cannot be done."""
    asked = [
        *(Release(what, "pass") for what in options.passed),
        *(Release(what, "replace", text) for what, text in options.replace),
        *(Release(what, "error", text) for what, text in options.error),
        *(Release(what, "drop") for what in options.drop),
        *(Release(what, "delay", seconds) for what, seconds in options.delay),
        *(Release(what, "revert") for what in options.revert),
    ]
    done: set[str] = set()
    for release in asked:
        if release.what in done:
            raise BadInput(f"{release.what} is let through twice")
        done.add(release.what)
        _check(run, release)
    return asked


def let_through(run: Run, release: Release) -> None:
    """Do it. Raises CommandError."""
    reply = release.what == REPLY
    call = "" if reply else release.what
    if release.do == "delay":
        on: FaultTarget = "reply" if reply else "result"
        run.strike(Fault(on=on, do="delay", seconds=float(release.text)), call)
    elif release.do == "revert":
        run.put_back(call)
    text = release.text if release.do == "replace" else None
    if reply:
        run.let_in(text)
    elif release.do in FOR_RESULTS:
        run.release(call, outcome="failed", content=release.text if release.do == "error" else NO_RESULT)
    else:
        run.release(call, content=text)


def _check(run: Run, release: Release) -> None:
    state, option = run.state, f"--{release.do} {release.what}"
    reply = release.what == REPLY
    if reply and release.do in FOR_RESULTS:
        raise BadInput(f"{option}: a reply that has come can neither fail nor be lost; --replace gives it another text")
    if release.do == "delay" and not _is_delay(release.text):
        raise BadInput(f"{option}: needs a number of seconds above 0, not {release.text!r}")
    try:
        if reply:
            commands.standing_reply(state)
        else:
            commands.standing(state, release.what)
        if release.do == "revert":
            commands.put_back(state, "" if reply else release.what)
    except CommandError as error:
        raise BadInput(f"{option}: {error}; {_held(run)}") from None


def _is_delay(text: str) -> bool:
    try:
        return 0 < float(text) < MUCH
    except ValueError:
        return False


def _held(run: Run) -> str:
    names = [record.call.id for record in run.state.open_calls() if record.held is not None]
    names += [REPLY] if run.state.held_reply is not None else []
    return f"held: {', '.join(names)}" if names else "nothing is held"
