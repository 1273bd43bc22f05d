"""What can be wrong with a reply before it has any meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Malformed(Exception):
    """A reply that cannot be used, with a status that said all is well; the message says what is wrong with it."""


class StreamError(Exception):
    """A server that reports an error under a status that said all is well, with the object it sent."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__("the server reported an error in its reply")
        self.error = error


class Unreachable(Exception):
    """No reply, or only the beginning of one. `begun` says which; `slow` that time ran out."""

    def __init__(self, reason: str, *, slow: bool = False, begun: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.slow = slow
        self.begun = begun


class Unsendable(Exception):
    """A request that can go nowhere as it is: a broken address, say."""
