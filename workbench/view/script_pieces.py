"""What can be put into a script: replies in its own protocol, for its own tools, and every other kind of table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, get_args

from workbench.core.fold import FINISH_TOOL
from workbench.core.plan import LOOPS, PIPELINE, ROUTER
from workbench.core.values import ProtocolName, ToolInfo
from workbench.faults.replies import written_answer, written_call
from workbench.scenarios.templates import Piece, pieces
from workbench.scenarios.writing import scenario_text
from workbench.view.authoring import BROKEN, MADE_UP, MOST, example

ANSWER = "the answer"
_LOOP = re.compile(rf"""^loop\s*=\s*["']({"|".join(LOOPS)})["']""", re.MULTILINE)
_PROTOCOL = re.compile(r"""^protocol\s*=\s*["'](\w+)["']""", re.MULTILINE)


def protocol_in(text: str) -> ProtocolName:
    """The protocol that the text of a script names, also one that cannot be read as a whole; "text" without one."""
    found = _PROTOCOL.search(text)
    return next((name for name in get_args(ProtocolName) if found is not None and name == found[1]), "text")


def loop_in(text: str) -> str:
    """The loop that the text of a script names, where it follows a plan; "" for any other."""
    found = _LOOP.search(text)
    return found[1] if found is not None else ""


def plan_pieces(loop: str, tools: Sequence[ToolInfo]) -> list[Piece]:
    """Every piece for a script whose loop follows a plan: steps with these tools, routes, and what a model says."""
    does: list[tuple[str, dict[str, Any]]] = [
        (f"a step that calls {tool.name}", {"tool": tool.name, "arguments": json.loads(example(tool))})
        for tool in tools[:MOST]
    ]
    does.append(("a step that asks the model", {"ask": "What follows from this? ${last}"}))
    does.append(("a step that answers", {"answer": "${last}"}))
    header = "[[step]]" if loop == PIPELINE else "[[route.step]]"
    made = [
        Piece(title, scenario_text({"step": [step]}).replace("[[step]]", header, 1).lstrip("\n"))
        for title, step in does
    ]
    if loop == ROUTER:
        route = {"name": "other", "about": "anything else", "step": [{"answer": ANSWER}]}
        made.insert(0, Piece("a route", scenario_text({"route": [route]}).lstrip("\n")))
    return [*made, _piece("what the model says", {"text": ANSWER}), *pieces()]


def script_pieces(protocol: ProtocolName, tools: Sequence[ToolInfo], *, finish: str = "text") -> list[Piece]:
    """Every piece for a script of that protocol with these tools; `finish` is how its runs end."""
    able = [tool for tool in tools if tool.name != FINISH_TOOL][:MOST]
    name = able[0].name if able else "add"
    calls = [(f"a reply that calls {tool.name}", tool.name, example(tool)) for tool in able]
    calls.append(("a reply that calls a made-up tool", *MADE_UP))
    calls.append(("a reply with broken JSON", name, BROKEN))
    replies = [_piece(title, _call(protocol, tool, arguments)) for title, tool, arguments in calls]
    replies.insert(len(able), _piece("a reply that answers", _answer(protocol, finish)))
    return [*replies, *pieces()]


def _piece(title: str, reply: dict[str, Any]) -> Piece:
    return Piece(title, scenario_text({"model": {"reply": [reply]}}))


def _call(protocol: ProtocolName, tool: str, arguments: str) -> dict[str, Any]:
    if protocol != "native":
        return {"text": written_call(protocol, tool, arguments)}
    try:
        return {"call": [{"tool": tool, "arguments": json.loads(arguments)}]}
    except ValueError:
        return {"call": [{"tool": tool, "arguments": arguments}]}  # as text it is sent as it is


def _answer(protocol: ProtocolName, finish: str) -> dict[str, Any]:
    if finish == "tool":
        return _call(protocol, FINISH_TOOL, json.dumps({"answer": ANSWER}))
    return {"text": written_answer(protocol, ANSWER)}
