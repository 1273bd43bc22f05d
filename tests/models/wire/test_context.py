"""Runs with a context policy over real sockets: every request is valid, and the run plays again from its recording."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models.wire.server import Server, chat, http, local_chat, message
from tests.models.wire.test_runs import ENDS, PROBLEM, opened
from tests.models.wire.test_runs import home as wire_home
from tests.models.wire.test_runs import key as wire_key
from workbench.check import check_file, failure_lines
from workbench.core.events import ContextChanged
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.scenarios.played import played

home, key = wire_home, wire_key

POLICIES = {
    "window": 'policy = "window"\nkeep = 1',
    "fold": 'policy = "fold"\nkeep = 1\nchars = 5',
    "summarise": 'policy = "summarise"\nkeep = 1\nat = 1',
    "restate": 'policy = "restate"\nevery = 2',
}
PAGE = "a page that is long enough to be folded, " * 20


def reads(wire: str, number: int) -> bytes:
    arguments = {"path": f"{number} {PAGE}"}
    if wire == "openai":
        return http(chat(None, [(f"call_{number}", "read_note", json.dumps(arguments))]))
    if wire == "anthropic":
        return http(message({"type": "tool_use", "id": f"toolu_{number}", "name": "read_note", "input": arguments}))
    return http(local_chat("", [("read_note", arguments)]))


def summary(wire: str) -> bytes:
    text = "The first pages are long."
    if wire == "openai":
        return http(chat(text))
    return http(message({"type": "text", "text": text})) if wire == "anthropic" else http(local_chat(text))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("wire", PROBLEM)
async def test_every_request_is_one_that_the_vendor_takes(home: Home, wire: str, policy: str) -> None:
    answers = [reads(wire, number) for number in (1, 2, 3)]
    if policy == "summarise":
        answers.insert(2, summary(wire))
        answers.insert(4, summary(wire))
    async with Server(*answers, ENDS[wire]) as server:
        run = opened(home, server, wire, f"[context]\n{POLICIES[policy]}\n")
        try:
            await run.run.play()
        finally:
            run.close()
        bodies = server.bodies
    assert run.run.status is Status.ANSWERED
    assert [PROBLEM[wire](body) for body in bodies] == [""] * len(bodies)
    assert len(bodies) == run.run.state.model_calls == len(run.run.state.requests)
    lengths = [len(json.dumps(body["messages"])) for body in bodies]
    if policy in ("window", "summarise"):
        assert lengths[-1] < lengths[1] * 2
    assert sum(isinstance(event, ContextChanged) for event in run.run.events) == (0 if policy == "restate" else 2)
    await plays_again(run.run.header, run.run.events, home)


async def plays_again(header: Any, events: Any, home: Home) -> None:
    path = home.root / "again.toml"
    path.write_text(played(header, events).text, encoding="utf-8")
    verdict = await check_file(path, home)
    assert (verdict.skipped, failure_lines(verdict)) == ("", [])
