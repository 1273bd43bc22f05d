from __future__ import annotations

from typing import get_args

import pytest

from tests.scenarios_shipped.shipped import shipped_tools
from workbench.core.protocols import protocol as protocol_of
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall
from workbench.scenarios.loader import parse_scenario
from workbench.scenarios.review import Known, review
from workbench.view.script_pieces import loop_in, plan_pieces, protocol_in, script_pieces

PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
TOOLS = [shipped_tools().tools[name].info for name in ("add", "project_field", "submit_answer")]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_reply_is_right_for_the_protocol_of_the_script(protocol: ProtocolName) -> None:
    names = ", ".join(f'"{tool.name}"' for tool in TOOLS)
    head = f'goal = "g"\nprotocol = "{protocol}"\ntools = [{names}]\n\n'
    read = {}
    for piece in script_pieces(protocol, TOOLS):
        found = review(head + piece.text, "x", Known(tools=tuple(TOOLS)))
        assert found.problems == (), piece.title
        assert found.scenario is not None
        for reply in found.scenario.model.reply:
            calls = [RawCall(call.tool, str(call.arguments)) for call in reply.call]
            if reply.fail is None:
                reading = protocol_of(protocol).read(reply.text or "", tuple(calls), ProtocolOptions())
                read[piece.title] = (reading.kind, [call.tool for call in reading.calls])
    assert read["a reply that calls add"] == ("calls", ["add"])
    assert read["a reply that calls project_field"] == ("calls", ["project_field"])
    assert read["a reply that calls a made-up tool"] == ("calls", ["get_weather"])
    assert read["a reply that answers"] == ("answer", [])
    assert "a reply that calls submit_answer" not in read


def test_where_a_tool_ends_the_run_the_answer_is_a_call_of_it() -> None:
    pieces = {piece.title: piece.text for piece in script_pieces("native", TOOLS, finish="tool")}
    reply = parse_scenario(f'goal = "g"\nprotocol = "native"\n{pieces["a reply that answers"]}', "x").model.reply[0]
    assert [call.tool for call in reply.call] == ["submit_answer"]


@pytest.mark.parametrize("loop", ["pipeline", "router"])
def test_a_script_that_follows_a_plan_is_offered_steps_in_the_place_of_calls(loop: str) -> None:
    names = ", ".join(f'"{tool.name}"' for tool in TOOLS)
    head = f'goal = "g"\nloop = "{loop}"\ntools = [{names}]\n\n'
    assert loop_in(head) == loop
    offered = {piece.title: piece.text for piece in plan_pieces(loop, TOOLS)}
    assert {"a step that calls add", "a step that asks the model", "a step that answers"} <= set(offered)
    assert ("a route" in offered) == (loop == "router")
    for title in [title for title in offered if title.startswith(("a step that calls", "a step that asks", "a route"))]:
        before = "" if title == "a route" or loop == "pipeline" else '[[route]]\nname = "a"\n\n'
        found = review(f"{head}{before}{offered[title]}", "x", Known(tools=tuple(TOOLS)))
        assert found.problems == (), (title, offered[title])
    assert loop_in('loop = "v1"') == loop_in("") == ""


@pytest.mark.parametrize(
    ("text", "protocol"),
    [
        ("", "text"),
        ('goal = "x"\nprotocol = "json" # why\n[[model.reply', "json"),
        ("protocol='native'", "native"),
        ('protocol = "xml"', "text"),
        ('# protocol = "json"', "text"),
    ],
)
def test_the_protocol_is_found_in_a_text_that_cannot_be_read(text: str, protocol: str) -> None:
    assert protocol_in(text) == protocol
