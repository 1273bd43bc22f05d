"""The simulated model: a script as it should go, and slips by chance, so that experiments need no network.

Whether it slips in a step is a hash of the seed, the kind of slip and the number of the request: nothing is remembered,
and the same run goes the same way every time. After a slip that cannot go unnoticed, such as a tool that is not there,
the same line of the script is due again; after a wrong figure the script goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from workbench.core.canonical import digest
from workbench.core.ports import OnSignal, Reply, Request, Signal
from workbench.core.state import State
from workbench.core.values import RawCall, Reading
from workbench.models.scripted import ScriptedModel, no_signal

_DIGITS = re.compile("[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How likely each slip is in a step, from 0 to 1. They are tried in this order, and one step has one at most."""

    unknown_tool: float = 0.0
    """The call is of a tool that is not there."""
    malformed: float = 0.0
    """The JSON of the call is not closed."""
    repeat: float = 0.0
    """What it said before is said again."""
    wrong_value: float = 0.0
    """A digit among the arguments of the call is another one."""
    not_stopping: float = 0.0
    """In place of the answer, what it said before is said again."""
    wrong_sum: float = 0.0
    """A digit of the answer is another one."""


@dataclass(frozen=True, slots=True)
class _Due:
    """The reply that is due, what it is read as, and a number of this step's own to choose by."""

    reply: Reply
    reading: Reading
    state: State
    number: int


class SimulatedModel:
    """Replies as `script` does, and slips as often as `noise` says."""

    def __init__(self, script: ScriptedModel, noise: Noise, seed: int) -> None:
        self.name = script.name
        self._script = script
        self._noise = noise
        self._seed = seed

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        """The reply that is due, or what the slip of this step makes of it. Raises ModelFailure as the script does."""
        if request.purpose == "summary":
            return await self._script.reply(request, on_signal)
        tempted = [item.name for item in fields(Noise) if self._happens(item.name, request.state)]
        if not tempted:
            return await self._script.reply(request, on_signal)
        reply = await self._script.reply(request, no_signal)  # what is streamed is what is said in the end
        state = request.state
        reading = state.protocol.read(reply.text, reply.calls, state.header.options)
        for kind in tempted:
            slipped = _SLIPS[kind](_Due(reply, reading, state, int(self._seal(f"{kind}: which", state), 16)))
            if slipped is not None:
                reply = slipped
                break
        if reply.text:
            on_signal(Signal("delta", reply.text))
        return reply

    def _happens(self, kind: str, state: State) -> bool:
        chance: float = getattr(self._noise, kind)
        return chance > 0 and int(self._seal(kind, state), 16) < chance * 2**64

    def _seal(self, what: str, state: State) -> str:
        return digest(str(self._seed), "simulated", what, str(state.model_calls + 1))


def _unknown_tool(due: _Due) -> Reply | None:
    def other(name: str, arguments: str) -> tuple[str, str]:
        head, *rest = name.split("_")
        return (head + "".join(map(str.capitalize, rest)) if rest else f"{name}_tool"), arguments

    return _begun(_with_call(due, other), due)


def _malformed(due: _Due) -> Reply | None:
    def unclosed(name: str, arguments: str) -> tuple[str, str]:
        before, _, after = arguments.rpartition("}")
        return name, f"{before}{after}"

    return _begun(_with_call(due, unclosed), due)


def _wrong_value(due: _Due) -> Reply | None:
    return _with_call(due, lambda name, arguments: (name, _misread(arguments, due.number)))


def _repeat(due: _Due) -> Reply | None:
    return _as_before(due) if due.reading.calls else None


def _not_stopping(due: _Due) -> Reply | None:
    return _as_before(due) if due.reading.kind == "answer" else None


def _wrong_sum(due: _Due) -> Reply | None:
    if due.reading.kind != "answer":
        return None
    before, answer, after = due.reply.text.rpartition(due.reading.answer)
    wrong = _misread(answer, due.number)
    return replace(due.reply, text=f"{before}{wrong}{after}") if wrong != answer else None


_SLIPS: dict[str, Callable[[_Due], Reply | None]] = {
    "unknown_tool": _unknown_tool,
    "malformed": _malformed,
    "repeat": _repeat,
    "wrong_value": _wrong_value,
    "not_stopping": _not_stopping,
    "wrong_sum": _wrong_sum,
}
"""What each slip makes of the reply that is due; None where there is nothing in it to get wrong."""


def _with_call(due: _Due, change: Callable[[str, str], tuple[str, str]]) -> Reply | None:
    """The reply with name and arguments of its first call changed; None where that makes no difference."""
    if not due.reading.calls:
        return None
    if due.reply.calls:
        first, *others = due.reply.calls
        tool, arguments = change(first.tool, first.arguments)
        changed = replace(due.reply, calls=(replace(first, tool=tool, arguments=arguments), *others))
    else:
        before, name, after = due.reply.text.rpartition(due.reading.calls[0].tool)
        tool, arguments = change(name, after)
        changed = replace(due.reply, text=f"{before}{tool}{arguments}")
    return changed if changed != due.reply else None


def _as_before(due: _Due) -> Reply | None:
    """What the model said last, once more; None where it has said nothing yet."""
    said = next((each for each in reversed(list(due.state.messages)) if each.role == "assistant"), None)
    if said is None:
        return None
    native = due.state.protocol.native_tools
    calls = tuple([RawCall(call.tool, call.arguments) for call in said.calls]) if native else ()
    finish = "tool_calls" if calls else "stop"
    return _begun(replace(due.reply, text=said.text, calls=calls, finish=finish), due)


def _begun(reply: Reply | None, due: _Due) -> Reply | None:
    """The reply as one that has begun its line and not served it: the line is due again."""
    return replace(reply, served=due.reply.served - 1) if reply is not None else None


def _misread(text: str, number: int) -> str:
    """The text with one of its digits read as another that is not 0; as it is where it has none."""
    places = [match.start() for match in _DIGITS.finditer(text)]
    if not places:
        return text
    at = places[number % len(places)]
    others = "123456789".replace(text[at], "")
    return f"{text[:at]}{others[number // len(places) % len(others)]}{text[at + 1 :]}"
