"""A real server on loopback that tests put one scenario after another on, and what they ask of it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.events import Event
from workbench.home import Home, packaged_folder
from workbench.scenarios.loader import scenario_from_plain
from workbench.scenarios.schema import Scenario
from workbench.serve.app import App
from workbench.serve.exchange import LARGEST, Receive, Scope, Send
from workbench.serve.server import Serving, listening, server_of, serving
from workbench.sessions.journal import Session, fold_session, read_session

LONGEST = 60.0
"""Seconds after which a test gives up."""

TWO_CITIES = """
title = "Two cities"
goal = "-"
protocol = "native"
[[model.reply]]
text = "Looking at both."
[[model.reply.call]]
tool = "population"
arguments = { city = "Paris" }
[[model.reply.call]]
tool = "population"
arguments = { city = "Lima" }
[[model.reply]]
[[model.reply.call]]
tool = "add"
arguments = { a = "${result1}", b = "${result2}" }
[[model.reply]]
text = "Together ${last}."
"""
"""A loop with two calls in one reply, one in the next, and an answer made of results."""

GOAL = "How many people live there?"
ANSWER = "Together 12100000."
TOOLS: dict[str, dict[str, Any]] = {
    "population": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "add": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
}
PEOPLE = {"Paris": 2_100_000, "Lima": 10_000_000}


def ran(tool: str, arguments: dict[str, Any]) -> str:
    """What a client's tool gives back."""
    return str(PEOPLE[arguments["city"]] if tool == "population" else arguments["a"] + arguments["b"])


def scenario(text: str) -> Scenario:
    """The scenario of a TOML text."""
    return scenario_from_plain(tomllib.loads(text))


def says(*replies: str, protocol: str = "native", more: str = "") -> str:
    """A scenario whose replies are these lines of TOML each."""
    lines = "\n".join(f"[[model.reply]]\n{reply}" for reply in replies)
    return f'title = "Said"\ngoal = "-"\nprotocol = "{protocol}"\n{more}\n{lines}\n'


class Log:
    """The lines of a server's log. A line is there soon after the reply has gone out, so whoever reads one waits."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._grown = threading.Condition()

    def say(self, line: str) -> None:
        with self._grown:
            self._lines.append(line)
            self._grown.notify_all()

    def lines(self, count: int) -> list[str]:
        """The first lines, once there are so many, and not one more than that."""
        with self._grown:
            assert self._grown.wait_for(lambda: len(self._lines) >= count, LONGEST)
            assert len(self._lines) == count
            return self._lines[:count]


@dataclass
class Play:
    """A scenario that is being served."""

    url: str
    home: Home
    served: Serving
    log: Log

    @property
    def sessions(self) -> list[Session]:
        """What was written, in the order in which it was begun."""
        paths = self.home.sessions.glob("*.toml")
        return [read_session(path) for path in sorted(paths, key=lambda path: int(path.stem.rpartition("-")[2]))]

    @property
    def session(self) -> Session:
        """The only one; that it is the session of a run is checked by the way."""
        (session,) = self.sessions
        fold_session(session)
        return session

    def statuses(self, count: int) -> list[int]:
        """Those of the requests, of which there were so many."""
        return [int(line.split()[3]) for line in self.log.lines(count)]


def kinds(events: list[Event]) -> list[str]:
    """What happened, in words."""
    return [event.kind for event in events]


class Stage:
    """One server for all tests: what it plays is put on by `play`."""

    def __init__(self, listener: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        await self.app(scope, receive, send)

    @contextmanager
    def play(self, text: str, folder: Path, *, largest: int = LARGEST) -> Iterator[Play]:
        """Serve the scenario of a TOML text; its sessions go into a folder."""
        home = Home(root=folder, found="--home", packaged=packaged_folder())
        log = Log()
        served = serving(scenario(text), home, name="two-cities", path="said.toml", say=log.say, largest=largest)
        self.app = served.app
        try:
            yield Play(self.url, home, served, log)
        finally:
            self.app = None
            served.close()


@contextmanager
def staged() -> Iterator[Stage]:
    """A server in a thread of its own, for as long as the context lasts."""
    with listening("127.0.0.1", 0) as listener:
        stage = Stage(listener)
        server = server_of(stage)  # type: ignore[arg-type]
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            yield stage
        finally:
            server.should_exit = True
            thread.join()


# ---------------------------------------------------------------- whole loops, as the vendors' clients make them


def openai_loop(client: Any, *, stream: bool, **more: Any) -> list[dict[str, Any]]:
    """Ask until there are no calls any more; returns the history."""
    tools = [{"type": "function", "function": {"name": name, "parameters": TOOLS[name]}} for name in TOOLS]
    messages: list[dict[str, Any]] = [{"role": "user", "content": GOAL}]
    while True:
        asked = {"model": "gpt-4o", "messages": messages, "tools": tools, **more}
        if stream:
            with client.chat.completions.stream(**asked) as events:
                message = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(**asked).choices[0].message
        messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        if not message.tool_calls:
            return messages
        for call in message.tool_calls:
            result = ran(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def responses_loop(client: Any, *, stream: bool, **more: Any) -> list[dict[str, Any]]:
    """Ask until there are no calls any more; returns the items, and last what was said, as a message of a chat."""
    tools = [{"type": "function", "name": name, "parameters": TOOLS[name], "strict": False} for name in TOOLS]
    items: list[dict[str, Any]] = [{"role": "user", "content": GOAL}]
    while True:
        asked = {"model": "gpt-4o", "input": items, "tools": tools, **more}
        if stream:
            with client.responses.stream(**asked) as events:
                response = events.get_final_response()
        else:
            response = client.responses.create(**asked)
        unsent = {"parsed", "parsed_arguments", "status"}
        said = [item.model_dump(exclude_none=True, exclude=unsent) for item in response.output]
        for item in said:
            for part in item.get("content", ()):
                part.pop("parsed", None)
        items += said
        calls = [item for item in said if item["type"] == "function_call"]
        if not calls:
            return [*items, {"role": "assistant", "content": response.output_text}]
        for call in calls:
            output = ran(call["name"], json.loads(call["arguments"]))
            items.append({"type": "function_call_output", "call_id": call["call_id"], "output": output})


def anthropic_loop(client: Any, *, stream: bool, **more: Any) -> list[dict[str, Any]]:
    """Ask until there are no calls any more; returns the history."""
    tools = [{"name": name, "input_schema": schema} for name, schema in TOOLS.items()]
    messages: list[dict[str, Any]] = [{"role": "user", "content": GOAL}]
    while True:
        asked = {"model": "claude", "max_tokens": 500, "messages": messages, "tools": tools, **more}
        if stream:
            with client.messages.stream(**asked) as events:
                message = events.get_final_message()
        else:
            message = client.messages.create(**asked)
        blocks = [block.model_dump(exclude_none=True, exclude={"parsed_output"}) for block in message.content]
        messages.append({"role": "assistant", "content": blocks})
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if not calls:
            return messages
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": ran(call["name"], call["input"])}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def ollama_loop(client: Any, *, stream: bool, **more: Any) -> list[dict[str, Any]]:
    """Ask until there are no calls any more; returns the history."""
    tools = [{"type": "function", "function": {"name": name, "parameters": TOOLS[name]}} for name in TOOLS]
    messages: list[dict[str, Any]] = [{"role": "user", "content": GOAL}]
    while True:
        reply = client.chat(model="llama", messages=messages, tools=tools, stream=stream, **more)
        parts = list(reply) if stream else [reply]
        assert parts[-1].done
        calls = [call.model_dump() for part in parts for call in part.message.tool_calls or ()]
        text = "".join(part.message.content or "" for part in parts)
        messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        if not calls:
            return messages
        for call in calls:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            messages.append({"role": "tool", "tool_name": name, "content": ran(name, arguments)})


LOOPS: dict[str, Callable[..., list[dict[str, Any]]]] = {
    "openai": openai_loop,
    "responses": responses_loop,
    "anthropic": anthropic_loop,
    "ollama": ollama_loop,
}
