"""How each vendor's server speaks: requests in, replies and errors out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.ports import FailureKind
from workbench.models.wire.endpoint import WireName
from workbench.serve.answer import Answer
from workbench.serve.history import Asked

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stream:
    """A reply in pieces, each a whole event."""

    begun: Sequence[bytes]
    """The texts, and what comes before them."""
    ended: Sequence[bytes]
    """Calls, finish and figures. Without these the reply is not whole."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A failure as a vendor reports it."""

    status: int
    kind: str = ""
    """The type of the error, where the vendor has types."""
    code: str | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One vendor's server."""

    name: WireName
    problem: Callable[[Body, Mapping[str, str]], str]
    """What it answers to a body with these headers, with status 400; "" when it takes it."""
    read: Callable[[Body], Asked]
    """A body without a problem as a request."""
    idle: Callable[[Body], dict[str, Any] | None] = lambda body: None  # noqa: ARG005 - most take no such body
    """The whole reply to a body without a problem that asks for none; None where it asks for one."""
    call_id: Callable[[str], str]
    """The id of a call, from letters and digits; "" on a wire without ids."""
    whole: Callable[[Answer], dict[str, Any]]
    stream: Callable[[Answer], Stream]
    stream_type: str
    failures: Mapping[FailureKind, Failing]
    """What is not in here is a failure of the server itself."""
    error: Callable[[Failing, str, str], dict[str, Any]]
    """The body of an error, from a message and the id of the request."""
    refusals: Mapping[int, Failing]
    """What it answers by itself to a request that it does not take, by status."""
    request_id: str
    """The header of a reply that holds the id of its request."""


BROKEN = Failing(500, "server_error", "script_error")
"""The script has no reply, or the server cannot give it."""
