"""`workbench serve SCENARIO`: the scenario's model, for agents that speak with it over HTTP."""

from __future__ import annotations

import argparse
import asyncio
import errno
import signal
import socket
import sys
from importlib.util import find_spec

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of, scenario_file
from workbench.models.wire.endpoint import is_local
from workbench.results import EXIT_OK
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.loader import load_scenario
from workbench.scenarios.overrides import add_faults, apply_overrides
from workbench.serve.server import listening, server_of, serving
from workbench.view.visible import visible

LAST_PORT = 65535


def serve_scenario(options: argparse.Namespace) -> int:
    """`workbench serve SCENARIO`."""
    if find_spec("uvicorn") is None:
        raise BadInput("serve needs a package more: pip install 'agent-workbench[serve]'")
    home = home_of(options)
    path = scenario_file(options.scenario, home)
    changes = [*options.changes, *([f"seed={options.seed}"] if options.seed is not None else [])]
    scenario = apply_overrides(load_scenario(path), changes)
    if options.faults:
        scenario = add_faults(scenario, options.faults, load_catalogue(home.faults).entries)
    with _listener(options.host, options.port) as listener:
        url = _url(options.host, listener)
        public = not is_local(url)
        served = serving(scenario, home, name=path.stem, path=str(path), say=out, public=public)
        out(visible(f"serving {scenario.title or path.stem} ({path})"))
        for line in (f"OpenAI     base_url={url}/v1", f"Anthropic  base_url={url}", f"Ollama     host={url}"):
            out(f"  {line}")
        for note in served.notes:
            out(visible(note))
        if public:
            print("everybody who can reach this machine can use it", file=sys.stderr)
        out(visible(f"each conversation is a session in {home.sessions}; ctrl+c ends"))
        # When all has gone out in order the signal is passed on: an end that was asked for ends like ctrl+c.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            asyncio.run(server_of(served.app).serve(sockets=[listener]))
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGTERM, before)
            served.close()
    return EXIT_OK


def _listener(host: str, port: int) -> socket.socket:
    if not 0 <= port <= LAST_PORT:
        raise BadInput(f"there is no port {port}; they go up to {LAST_PORT}")
    try:
        return listening(host, port)
    except OSError as error:
        hint = "; --port 0 takes a free one" if error.errno == errno.EADDRINUSE else ""
        raise BadInput(f"cannot listen on {host}, port {port}: {error.strerror}{hint}") from None


def _url(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"
