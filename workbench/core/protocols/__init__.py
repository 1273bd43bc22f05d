"""Protocols: how a reply is read, and how the runtime's side of the conversation is written down. Pure, linear time."""

from __future__ import annotations

from typing import Protocol

from workbench.core.protocols.json import JsonProtocol
from workbench.core.protocols.native import NativeProtocol
from workbench.core.protocols.text import TextProtocol
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, Reading, ToolInfo


class WireProtocol(Protocol):
    """One way of speaking with a model. Stateless."""

    name: ProtocolName
    native_tools: bool
    """Whether tools are offered on the wire, and calls come back beside the text."""

    def read(self, text: str, calls: tuple[RawCall, ...], options: ProtocolOptions) -> Reading:
        """What a reply says, from its text and the native calls beside it. Never raises, whatever the text."""
        ...

    def user(self, text: str) -> str:
        """A user's message as it stands in the transcript."""
        ...

    def observation(self, tool: str, content: str, *, is_error: bool) -> str:
        """A tool's result as it stands in the transcript."""
        ...

    def notice(self, text: str, *, is_error: bool) -> str:
        """The runtime speaking to the model, as it stands in the transcript."""
        ...

    def instructions(self, tools: tuple[ToolInfo, ...], options: ProtocolOptions) -> str:
        """System text that teaches the protocol and lists the tools; "" when there is nothing to say."""
        ...


_PROTOCOLS: dict[ProtocolName, WireProtocol] = {
    "text": TextProtocol(),
    "json": JsonProtocol(),
    "native": NativeProtocol(),
}


def protocol(name: ProtocolName) -> WireProtocol:
    """The protocol of that name."""
    return _PROTOCOLS[name]


__all__ = ["WireProtocol", "protocol"]
