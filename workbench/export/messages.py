"""A run as the body of the request that would go on with it, in the shape of one of the wires.

The last reply with calls that have no result yet is left out: no API takes such a list. Nothing is said in the user's
name: a run that was answered ends with the answer, and whoever goes on adds a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.ports import Request
from workbench.core.records import Message
from workbench.core.state import State
from workbench.export.forms import CannotExport, Recorded, Written
from workbench.export.json_text import json_text
from workbench.models.wire.body import clean
from workbench.models.wire.endpoint import Endpoint, WireName
from workbench.models.wire.transcript import Encode, Transcript, Turn
from workbench.models.wire.wires import WIRES, Wire
from workbench.view.figures import counted


def write(run: Recorded, name: WireName) -> Written:
    """The body as JSON. Raises CannotExport for a run in which nothing was said."""
    messages, notes = _complete(run.state)
    if not messages:
        raise CannotExport("nothing has been said in this session that could be sent")
    return Written(json_text(body(run, name, messages)) + "\n", notes)


def body(run: Recorded, name: WireName, messages: Sequence[Message]) -> dict[str, Any]:
    """The body of a request with these messages of the run."""
    state, wire = run.state, WIRES[name]
    native = state.protocol.native_tools
    tools = run.header.tools if native else ()
    transcript = Transcript(wire.name, _encoder(wire, messages, native), wire.may_be_id)
    encoded = transcript.encoded(messages, native=native)
    endpoint = Endpoint(wire=name, model=state.model.shown, base_url=wire.base_url, stream=False)
    request = Request(system=state.system, messages=state.sent, tools=tools, options=run.header.options, state=state)
    return wire.encode_body(endpoint, request, encoded, wire.encode_tools(tools))


def _complete(state: State) -> tuple[list[Message], tuple[str, ...]]:
    """The messages that are sent, up to where every call has its result."""
    messages = list(state.sent)
    changed = sum(message.stands_for for message in messages)
    notes = (f"messages that the context policy has left out, or made shorter: {changed}",) if changed else ()
    if state.plan is not None:
        made = len(state.every_call())
        note = f"{counted(made, 'call')} of the plan {'is' if made == 1 else 'are'} not among what the model was told"
        return messages, (*notes, note) if made else notes
    waiting = state.open_calls()
    if not waiting:
        return messages, notes
    end = max(at for at, message in enumerate(messages) if message.role == "assistant")
    names = ", ".join(record.call.tool for record in waiting)
    return messages[:end], (*notes, f"the last reply is left out, because its calls have no result yet: {names}")


def _encoder(wire: Wire, messages: Sequence[Message], native: bool) -> Encode:
    """As the wire encodes a turn, without the words that it adds where nothing was said to the model."""
    told = _told(messages, native)

    def encode(turn: Turn) -> list[dict[str, Any]]:
        texts = next(told)
        if wire.name == "anthropic":
            encoded = wire.encode_turn(turn)
            return encoded if turn.results or any(map(str.strip, texts)) else encoded[:-1]
        # The others take several messages of the user one after the other, so each stays one.
        return [*wire.encode_turn(replace(turn, told="")), *({"role": "user", "content": text} for text in texts)]

    return encode


def _told(messages: Sequence[Message], native: bool) -> Iterator[list[str]]:
    """For each turn, what was told to the model in it, results apart where they go beside the texts."""
    texts: list[str] = []
    begun = False
    for message in messages:
        if message.role == "assistant":
            if begun:
                yield texts
            texts = []
        elif message.role != "tool" or not native:
            texts.append(clean(message.text))
        begun = True
    if begun:
        yield texts
