"""Logs to import: those in the data folder, and some written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench.core.events import Event, Remark
from workbench.core.state import State, fold
from workbench.core.values import Header
from workbench.imports.conversation import Conversation
from workbench.imports.files import conversations
from workbench.imports.session import session_of

LOGS = Path(__file__).parents[1] / "data" / "logs"
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"at": "North"}'}}
OTHER_CALL = {"id": "call_2", "type": "function", "function": {"name": "look", "arguments": '{"at": "South"}'}}


def user(text: str = "Which one has more?") -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str | None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text} | ({"tool_calls": list(calls)} if calls else {})


def result(text: str, call: str = "call_1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": text}


def read(*values: Any) -> list[Conversation]:
    """The conversations in a file with these values, one a line."""
    return conversations("\n".join(map(json.dumps, values)).encode())


def one(*values: Any) -> Conversation:
    """The only conversation there is."""
    [found] = read(*values)
    return found


def session(conversation: Conversation, **options: Any) -> tuple[Header, list[Event]]:
    return session_of(conversation, id="i1", title="log", source="log.json", **options)


def state(conversation: Conversation) -> State:
    """Where the session of a conversation stands."""
    return fold(*session(conversation))


def remarks(conversation: Conversation) -> list[tuple[str, str]]:
    """What is said of what could not be read, with the pieces."""
    _, events = session(conversation)
    return [(event.text, event.raw) for event in events if isinstance(event, Remark)][1:]


def kinds(conversation: Conversation) -> list[str]:
    """The kinds of the events of the session, the first remark apart."""
    return [event.kind for event in session(conversation)[1]][1:]
