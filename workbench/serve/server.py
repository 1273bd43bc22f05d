"""From a scenario to a server that runs until it is told to stop."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench import __version__
from workbench.core.faults import describe
from workbench.core.plan import LOOPS
from workbench.core.values import Header, Limits, ToolInfo
from workbench.home import Home
from workbench.scenarios.errors import Problem, ScenarioError
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.header import build_header
from workbench.scenarios.models import build_model
from workbench.scenarios.overrides import apply_overrides
from workbench.scenarios.schema import Scenario
from workbench.serve.app import App
from workbench.serve.conversations import Conversations
from workbench.serve.exchange import LARGEST
from workbench.serve.journals import Journals

if TYPE_CHECKING:
    from uvicorn import Server

KEEP_ALIVE = 75
"""Seconds that an idle connection is kept; longer than clients keep theirs, so that they never meet a closed one."""
PATIENCE = 1
"""Seconds that replies which are still going out have when the server stops."""
PLAYED = ("scripted", "recorded")
"""Models that say what is written down."""
STRIKING = ("reply", "provider")
"""Where a fault can be that strikes here."""
THE_CLIENTS = ("limits", "approval", "person", "goal_check", "authority", "context", "workspace")
"""Tables about the loop and its tools, which are the client's here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A scenario that is being served. Close it when done."""

    app: App
    journals: Journals
    notes: tuple[str, ...]
    """What of the scenario does not come into play, a sentence each."""

    def close(self) -> None:
        self.journals.close_all()


def serving(
    scenario: Scenario,
    home: Home,
    *,
    name: str,
    path: str,
    say: Callable[[str], None],
    largest: int = LARGEST,
    public: bool = False,
) -> Serving:
    """A server of that scenario, whose sessions go to those of `home`. Raises ScenarioError.

    Tries again are the client's, so a failure that would be retried inside a call goes out as it is.
    """
    if scenario.model.use not in PLAYED:
        message = f'serve plays a script or a recording, which use = "{scenario.model.use}" is not'
        raise ScenarioError([Problem(path, 0, "model.use", message)])
    if scenario.loop in LOOPS:
        message = f"a client has a loop of its own, and in a {scenario.loop} the calls are the code's; serve a script"
        raise ScenarioError([Problem(path, 0, "loop", message)])
    scenario = apply_overrides(scenario, ["model.retries=0"])
    header = header_of(scenario, home, path)
    strikes = tuple(fault for fault in header.faults if fault.on in STRIKING)
    journals = Journals(home.sessions)
    conversations = Conversations(
        replace(header, faults=strikes), lambda clock: build_model(scenario, clock, path), journals
    )
    native = scenario.protocol == "native"
    app = App(conversations, model=name, native=native, say=say, largest=largest, public=public)
    return Serving(app=app, journals=journals, notes=tuple(_notes(scenario, header)))


def header_of(scenario: Scenario, home: Home, path: str) -> Header:
    """What the sessions begin with. Loop, tools, limits and gate are the client's, and so is what it says first.

    Raises ScenarioError.
    """
    header = build_header(
        scenario,
        [ToolInfo(name=name) for name in scenario.tools],
        id="",
        workbench=__version__,
        path=path,
        catalogue=load_catalogue(home.faults if scenario.fault else None).entries,
    )
    return replace(
        header,
        options=replace(header.options, instructions=False, parallel=True),
        limits=Limits(),
        rules=(),
        split=False,
        goal_check=None,
        context=None,
    )


def _notes(scenario: Scenario, header: Header) -> Iterator[str]:
    for fault in header.faults:
        if fault.on not in STRIKING:
            yield f"the client runs the tools, so this fault does not strike: {describe(fault)}"
    tables = [name for name in THE_CLIENTS if name in scenario.model_fields_set]
    if tables:
        yield f"the loop is the client's, so nothing comes of {', '.join(f'[{name}]' for name in tables)}"
    if scenario.protocol != "native":
        yield f'replies go out as plain text, as protocol = "{scenario.protocol}" has the calls in it'


def listening(host: str, port: int) -> socket.socket:
    """A socket at that address; port 0 is a free one. Raises OSError.

    It knows its protocol, as one of `socket.create_server` does not: asyncio sends at once only on such sockets, and
    what is sent in two parts is held back for 40 ms on others.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name != "nt":  # where it would let two servers have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def server_of(app: App) -> Server:
    """The HTTP server around an application; it logs nothing by itself. Needs uvicorn."""
    import uvicorn  # an extra of its own

    config = uvicorn.Config(
        app,
        http="h11",  # the other one that it knows takes headers of any length
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=PATIENCE,
    )
    return uvicorn.Server(config)
