"""What may be meant so and may be a slip: replies that the loop will not read as what they seem to be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from workbench.core.protocols import protocol as protocol_of
from workbench.core.templates import filled_in
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall
from workbench.scenarios.recorded import is_recorded
from workbench.scenarios.schema import ReplyTable, Scenario

_WANTED: dict[ProtocolName, str] = {
    "text": 'in protocol "text" it has a line ACTION: tool {"argument": "value"} or ANSWER: text',
    "json": 'in protocol "json" it is {"type": "tool", "tool": "…", "input": {…}} or {"type": "answer", "text": "…"}',
    "native": 'in protocol "native" a call is a table below the reply, [[model.reply.call]]',
}
_LOOKS_LIKE_A_CALL = re.compile(r'^\s*(?:ACTION:|\{\s*"(?:type|tool|name|function)"\s*:)', re.MULTILINE)
ENGINE = "engine"


def remarks(scenario: Scenario) -> Iterator[tuple[int, str]]:
    """The reply (from 0; -1 for the script) and one sentence, for each one that may be a slip."""
    if scenario.loop != ENGINE or scenario.model.use != "scripted" or is_recorded(scenario):
        return
    if not scenario.model.reply:
        yield -1, "the script has no reply, so a run ends at once: write [[model.reply]], and below it text"
    for index, reply in enumerate(scenario.model.reply):
        if sentence := _about(reply, scenario):
            yield index, sentence


def _about(reply: ReplyTable, scenario: Scenario) -> str:
    if reply.fail is not None or reply.finish is not None:
        return ""
    protocol, text = scenario.protocol, filled_in(reply.text or "")
    options = ProtocolOptions(**scenario.protocol_options.model_dump())
    calls = tuple(
        RawCall(c.tool, c.arguments if isinstance(c.arguments, str) else json.dumps(c.arguments)) for c in reply.call
    )
    reading = protocol_of(protocol).read(text, calls, options)
    if reading.kind == "malformed":
        return f"the loop cannot read this reply, and says so to the model; {_WANTED[protocol]}"
    if protocol == "native" and not calls and _LOOKS_LIKE_A_CALL.search(text):
        return f"this reply calls nothing, it is the answer; {_WANTED[protocol]}"
    made_up = [call.tool for call in reading.calls if call.tool not in scenario.tools]
    return f'there is no tool "{made_up[0]}" in this script: nothing runs, and the model reads that' if made_up else ""
