"""The native protocol: calls come beside the text, as the provider's own tool calls; text alone is the answer."""

from __future__ import annotations

from workbench.core.protocols import thinking
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, Reading, ToolInfo

_EMPTY = "the reply was empty; call a tool, or give the answer as text."
_EMPTY_TO_CALL = "the reply was empty; call a tool. To finish, call submit_answer."
_TO_FINISH = "a reply without a tool call does not end this run; to finish, call submit_answer with your answer."


class NativeProtocol:
    """Calls as the wire carries them; messages as they are."""

    name: ProtocolName = "native"
    native_tools = True

    def read(self, text: str, calls: tuple[RawCall, ...], options: ProtocolOptions) -> Reading:
        """All calls of the reply, also where `parallel` allows one: which of them run is the loop's to say."""
        if calls:
            return Reading(kind="calls", calls=calls)
        answer = thinking.visible(text, thinking.start(text), len(text)).strip()
        if options.finish == "tool":
            return Reading(kind="malformed", problem=_TO_FINISH if answer else _EMPTY_TO_CALL)
        if not answer:
            return Reading(kind="malformed", problem=_EMPTY)
        return Reading(kind="answer", answer=answer)

    def user(self, text: str) -> str:
        return text

    def observation(self, tool: str, content: str, *, is_error: bool) -> str:  # noqa: ARG002 - the wire says both
        return content

    def notice(self, text: str, *, is_error: bool) -> str:  # noqa: ARG002
        return text

    def instructions(self, tools: tuple[ToolInfo, ...], options: ProtocolOptions) -> str:  # noqa: ARG002
        if options.finish == "tool" and options.instructions:
            return "When you know the answer, call submit_answer; a reply without a tool call does not end the run."
        return ""
