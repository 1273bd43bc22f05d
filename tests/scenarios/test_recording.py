"""Recordings: what a real model said and what tools gave back, played again with nothing asked and nothing run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.scenarios.test_played import ACTS, REPLIES, TOOLS, Somebody, opened, played_again, shown_in
from tests.scenarios_shipped import shipped
from tests.scenarios_shipped.shipped import HOME, shipped_tools
from tests.strategies import nasty_text
from workbench.check import check_file
from workbench.clocks import VirtualClock
from workbench.core.events import (
    Decided,
    Event,
    Forked,
    ModelFailed,
    ModelReply,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.plain import to_fields
from workbench.core.statuses import Status
from workbench.core.values import Call, Header, Prices, ToolInfo
from workbench.home import Home
from workbench.opening import Opened, new_run, reopen
from workbench.results import outcome_of
from workbench.runner import Run
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import load_scenario, parse_scenario, scenario_from_plain, to_plain
from workbench.scenarios.loops import ENGINE
from workbench.scenarios.played import Played, played
from workbench.sessions.late import MemoryJournal
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedFolder

ENGINE_NAMES = [path.stem for path in shipped.SCRIPTS if load_scenario(path).loop == ENGINE]


def recorded(run: Run) -> Played:
    """The recording of a run, as if a real model had said what its script said."""
    made = played(as_if_real(run.header), run.events)
    assert to_plain(parse_scenario(made.text, "x.toml")) == made.plain
    return made


def as_if_real(header: Header) -> Header:
    model = {name: value for name, value in header.scenario.get("model", {}).items() if name != "reply"}
    return replace(header, model="m", scenario={**header.scenario, "model": {**model, "use": "openai", "name": "m"}})


@pytest.fixture
def no_tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Call it: from then on a tool that runs is a failure of the test."""

    async def run(*_: Any, **__: Any) -> Any:
        raise AssertionError("a tool ran")

    return lambda: monkeypatch.setattr(ToolBox, "run", run)


# ---------------------------------------------------------------- everything that is played is played again


@pytest.mark.parametrize("name", ENGINE_NAMES)
def test_a_recording_of_a_shipped_scenario_holds_without_its_tools(name: str, tmp_path: Path, no_tool: Any) -> None:
    run = shipped.played(name).run
    made = recorded(run)
    assert made.notes == ()
    file = tmp_path / "recorded.toml"
    file.write_text(made.text, encoding="utf-8")
    no_tool()
    verdict = asyncio.run(check_file(file, HOME, LoadedFolder()))
    assert (verdict.error, verdict.mismatches, verdict.skipped) == ("", (), "")


@pytest.mark.parametrize("name", ["pipeline-control", "pipeline-gate", "router", "router-no-route"])
def test_of_a_plan_what_a_real_model_said_is_a_script_and_that_its_tools_run_again_is_said(name: str) -> None:
    run = shipped.played(name).run
    made = recorded(run)
    assert made.notes == ("what the model said is a script here, and the tools of the steps run again",)
    scenario = parse_scenario(made.text, "x.toml")
    assert scenario.model.use == "scripted"
    assert len(scenario.model.reply) == run.state.model_calls


@example(
    [{"call": [{"tool": "stock_level", "arguments": {"warehouse": "north"}}, {"tool": "made_up", "arguments": {}}]},
     {"call": [{"tool": "made_up", "arguments": {}}]}],
    [("", 0), ("filter", 0), ("", 0), ("hold", 0), ("stop", 0)],
    None,
)  # fmt: skip
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(REPLIES, min_size=1, max_size=5), ACTS, st.sampled_from([2, 4, None]))
def test_whatever_happened_happens_again(
    replies: list[dict[str, Any]], acts: list[tuple[str, int]], steps: int | None
) -> None:
    limits = {} if steps is None else {"steps": steps}
    session = opened({"goal": "g", "protocol": "native", "tools": TOOLS, "limits": limits, "model": {"reply": replies}})
    try:
        Somebody(session.run, acts).play()
        asyncio.run(session.run.play())
    finally:
        session.close()
    made = recorded(session.run)
    again = played_again(made)
    if not made.notes:
        assert shown_in(again.run) == shown_in(session.run)
        assert outcome_of(again).unused_person == ()


@pytest.mark.parametrize("name", ["two-cities", "refund", "rate-limited-twice", "side-by-side", "polling"])
def test_a_recording_of_a_recording_is_the_same(name: str) -> None:
    first = recorded(shipped.played(name).run)
    second = played(played_again(first).run.header, played_again(first).run.events)
    assert second.plain["model"] == first.plain["model"]
    assert second.plain.get("person") == first.plain.get("person")


def test_two_runs_of_a_recording_are_the_same_to_the_byte(tmp_path: Path) -> None:
    made = recorded(shipped.played("refund").run)
    bodies = []
    for number in (1, 2):
        again = played_again(made)
        (tmp_path / str(number)).mkdir()
        bodies.append(shipped.journal_bytes(again.run.header, again.run.events, tmp_path / str(number)))
    assert bodies[0] == bodies[1]


def test_a_reply_that_is_still_held_is_not_in_it_and_nothing_is_promised() -> None:
    session = opened({"goal": "g", "protocol": "native", "model": {"reply": [{"text": "One."}]}})
    try:
        session.run.change({"hold": "reply"})
        asyncio.run(session.run.play())
    finally:
        session.close()
    assert session.run.state.held_reply is not None
    made = recorded(session.run)
    assert made.notes == ("the reply that is held at the door is in no recording until it is let in",)
    assert made.text.startswith(f"# Not the same: {made.notes[0]}.\n")
    assert "expect" not in made.plain
    assert played_again(made).run.status is Status.SCRIPT_EXHAUSTED


# ---------------------------------------------------------------- to the byte

TOOL = ToolInfo(name="note", description="A note.", risk="read", timeout=None)
ODD = "a \"quote\", three ''' and \\ud83d\r\n\x1b[31m\x00 \ud83d half \ude00\ud83d\n"


def events_with(text: str) -> list[Event]:
    call = Call(id="c1", tool="note", arguments=text, problem="no object", problem_kind="malformed", provider_id=text)
    run = Call(id="c2", tool="note", arguments="{}", canonical="{}", provider_id="é")
    return [
        UserMessage(text="g"),
        ModelReply(text=text, thinking=text, calls=(call, run), finish="tool_calls", model=text, attempts=3, took=1.25,
                   input_tokens=2**70, output_tokens=0, cache_read=1, opaque=text, notes=(text, "n"), original=text,
                   changed_by="fault prose, you"),
        ToolResult(call="c1", outcome="invalid", content="no object"),
        ToolStarted(call="c2"),
        ToolResult(call="c2", content=text, value='{"x": NaN}', took=0.5, full_chars=9, cursor=text, detail=text,
                   effects=({"path": "a/b.txt", "append": text}, {"path": "c", "content": text})),
        ModelFailed(failure="cut_stream", detail=text, partial=text, attempts=2, took=2.0),
    ]  # fmt: skip


def played_events(text: str) -> list[Event]:
    header = Header(
        id="s", goal="g", protocol="native", tools=(TOOL,), model="m", prices=Prices(input=1.0, output=2.0),
        scenario={"goal": "g", "protocol": "native", "tools": ["note"], "model": {"use": "openai", "name": "m"}},
    )  # fmt: skip
    made = played(header, events_with(text))
    scenario = parse_scenario(made.text, "x.toml")
    assert to_plain(scenario) == made.plain
    again = new_run(scenario, HOME, keep=False, session_id="s", tools=LoadedFolder())
    try:
        asyncio.run(again.run.play())
    finally:
        again.close()
    assert again.run.header.tools == (TOOL,)
    return list(again.run.events)


@given(nasty_text() | st.just(ODD))
@settings(max_examples=60, deadline=None)
def test_every_text_of_a_run_comes_back_as_it_was(text: str) -> None:
    before, after = (
        {event.kind: to_fields(event) for event in events if event.kind != "stopped"}
        for events in (events_with(text), played_events(text))
    )
    for kind, added in (("model_reply", {"line", "served", "cost", "input_estimate", "output_estimate", "reading"}),):
        for name in added | {"changed_by"}:
            before[kind].pop(name, None)
            after[kind].pop(name, None)
    assert after["model_reply"] == before["model_reply"] | {"model": text or "m"}
    assert after["tool_result"] == before["tool_result"]
    assert {**after["model_failed"], "line": 0, "served": 0} == {**before["model_failed"], "line": 0, "served": 0}


def test_what_was_changed_before_it_was_recorded_says_so() -> None:
    reply = next(event for event in played_events("x") if isinstance(event, ModelReply))
    assert (reply.original, reply.changed_by) == ("x", "fault prose, script")


# ---------------------------------------------------------------- what it costs, and how it is called


def test_the_cost_is_that_of_the_recording_and_unknown_where_it_was() -> None:
    plain = {"goal": "g", "model": {"reply": [{"text": "ANSWER: 1", "usage": {"input": 10, "output": 1}}]}}
    session = opened(plain)
    asyncio.run(session.run.play())
    session.close()
    header = as_if_real(session.run.header)
    priced = played(replace(header, prices=Prices(input=1.0, output=2.0)), session.run.events)
    assert played_again(priced).run.state.cost == pytest.approx(12e-6)
    assert played_again(played(header, session.run.events)).run.state.cost is None


def test_it_never_looks_like_the_model_itself() -> None:
    again = played_again(recorded(shipped.played("two-cities").run))
    assert again.run.header.model == "recorded m"


def test_a_real_folder_is_neither_named_nor_needed() -> None:
    header = Header(
        id="s", goal="g", scenario={"goal": "g", "workspace": {"root": "/no/such"}, "model": {"use": "openai"}}
    )
    assert "workspace" not in played(header, []).plain


# ---------------------------------------------------------------- a request that is not the recorded one


def stopped(plain: dict[str, Any], tools: LoadedFolder | None = None) -> tuple[Status, str]:
    session = new_run(
        scenario_from_plain(plain), HOME, keep=False, person=True, session_id="s", tools=tools or shipped_tools(),
        scenario_path="mugs.toml",
    )  # fmt: skip
    try:
        asyncio.run(session.run.play())
    finally:
        session.close()
    stop = session.run.state.stopped
    return session.run.status, stop.detail if stop is not None else ""


NATIVE = {
    "goal": "How many mugs?",
    "system": "Be brief.",
    "protocol": "native",
    "tools": ["stock_level", "create_refund"],
    "model": {
        "reply": [
            {"text": "I look.", "call": [{"tool": "stock_level", "arguments": {"warehouse": "north"}}]},
            {"call": [{"tool": "create_refund", "arguments": {"order": "A-1042", "amount": 6.25}}]},
            {"text": "140 mugs"},
        ]
    },
    "person": [{"on": "approval", "do": "deny", "text": "not today"}],
}


@pytest.fixture
def mugs() -> dict[str, Any]:
    session = opened(NATIVE, person=True)
    asyncio.run(session.run.play())
    session.close()
    return dict(recorded(session.run).plain)


def test_the_recording_itself_holds(mugs: dict[str, Any]) -> None:
    assert stopped(mugs) == (Status.ANSWERED, "")


def changed(table: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {**table, **values}


def test_the_first_difference_is_said_to_the_character(mugs: dict[str, Any]) -> None:
    status, detail = stopped(changed(mugs, goal="How many jugs?"))
    assert status is Status.SCRIPT_EXHAUSTED
    assert detail == (
        "mugs.toml: request 1 is not the recorded one: message 1, the user, text: they part at character 10: "
        'recorded "How many mugs?", now "How many jugs?"; '
        'model.match = "messages" compares only the messages'
    )


def test_another_decision_of_a_person_leads_elsewhere(mugs: dict[str, Any]) -> None:
    denied = changed(mugs["person"][0], text="never")
    _, detail = stopped(changed(mugs, person=[denied]))
    assert "request 3 is not the recorded one: message 5, a tool result (create_refund c2), text:" in detail
    allowed = {"on": "approval", "do": "allow", "tool": "create_refund"}
    _, detail = stopped(changed(mugs, person=[allowed]))
    assert 'now "no such call was made when this run' in detail


def test_the_prompt_and_the_tools_are_part_of_a_request(mugs: dict[str, Any]) -> None:
    _, detail = stopped(changed(mugs, system="Be long."))
    assert "request 1 is not the recorded one: system: they part at character 4" in detail
    _, detail = stopped(changed(mugs, tools=["stock_level"], person=[]))
    assert "tools: recorded stock_level, create_refund, now stock_level" in detail
    table = changed(mugs["model"]["tool"][0], description="Stock.")
    other = changed(mugs["model"], tool=[table, mugs["model"]["tool"][1]])
    _, detail = stopped(changed(mugs, model=other))
    assert "tools[0] stock_level, description: " in detail


def test_what_is_compared_can_be_less(mugs: dict[str, Any]) -> None:
    looser = changed(mugs["model"], match="messages")
    assert stopped(changed(mugs, system="Be long.", model=looser)) == (Status.ANSWERED, "")
    status, detail = stopped(changed(mugs, goal="Other?", model=looser))
    assert (status, 'model.match = "nothing" gives the replies' in detail) == (Status.SCRIPT_EXHAUSTED, True)
    assert stopped(changed(mugs, goal="Other?", model=changed(looser, match="nothing"))) == (Status.ANSWERED, "")


def test_a_tool_that_is_not_there_any_more_is_as_it_was(mugs: dict[str, Any]) -> None:
    assert stopped(mugs, LoadedFolder()) == (Status.ANSWERED, "")


def test_a_recording_that_ends_is_said_with_its_file_and_count(mugs: dict[str, Any]) -> None:
    shorter = changed(mugs["model"], exchange=mugs["model"]["exchange"][:1])
    assert stopped(changed(mugs, model=shorter)) == (
        Status.SCRIPT_EXHAUSTED,
        "mugs.toml: the recording has 1 reply and a further one was asked for",
    )


def test_exchanges_that_are_never_reached_fail_a_check(mugs: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    from workbench.scenarios.writing import scenario_text

    file.write_text(scenario_text(changed(mugs, limits={"steps": 1})))
    verdict = asyncio.run(check_file(file, HOME, shipped_tools()))
    assert [mismatch.key for mismatch in verdict.mismatches][-3:] == [
        "model.exchange[1]",
        "model.exchange[2]",
        "person[0]",
    ]


# ---------------------------------------------------------------- a part of a recording


def test_it_goes_on_after_being_closed_at_any_event(mugs: dict[str, Any], tmp_path: Path) -> None:
    home = Home(root=tmp_path, found="--home", packaged=HOME.packaged)
    polled = dict(recorded(shipped.played("polling").run).plain)
    for plain in (mugs, polled):
        whole = stopped(plain)
        count = len(played_events_of(plain))
        for cut in range(1, count):
            path = tmp_path / f"{len(plain)}-{cut}.toml"
            session = new_run(scenario_from_plain(plain), home, person=True, save=path, session_id="s")
            while len(session.run.events) < cut:
                asyncio.run(session.run.advance())
            session.close()
            again = reopen(path, home, person=True)
            asyncio.run(again.run.play())
            again.close()
            assert (again.run.status, again.run.state.answer is not None) == (whole[0], whole[0] is Status.ANSWERED)
            path.unlink()


def played_events_of(plain: dict[str, Any]) -> Sequence[Event]:
    session = opened(plain, person=True)
    asyncio.run(session.run.play())
    session.close()
    return session.run.events


def test_a_fork_of_a_recording_goes_on_where_it_was(mugs: dict[str, Any]) -> None:
    session: Opened = opened(mugs, person=True)
    asyncio.run(session.run.play())
    at = next(n for n, event in enumerate(session.run.events, 1) if isinstance(event, Decided))
    kept = [*session.run.events[: at - 1], Forked(parent="s", at=at - 1)]
    fork = Run(session.run.header, model=session.run.model, tools=session.run.tools, journal=MemoryJournal(),
               clock=VirtualClock(), events=kept)  # fmt: skip
    fork.decide("c2", "deny", reason="not today")
    asyncio.run(fork.play())
    session.close()
    assert fork.state.answer == "140 mugs"


# ---------------------------------------------------------------- a file that somebody changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[model.exchange]]\ntext = "a"', 'x.toml:3: model.exchange: needs use = "recorded", not "scripted"'),
        ('[model]\nuse = "recorded"\n[[model.reply]]\ntext = "a"', "x.toml:5: model.reply: use = \"recorded\" replies from its exchanges"),
        ('[model]\nuse = "recorded"\n[[model.exchange]]\n[[model.exchange.message]]\nrole = "user"', "model.exchange[0].message[0]: needs text"),
        ('[model]\nuse = "recorded"\n[[model.exchange]]\n[[model.exchange.message]]\nrole = "tool"\ncall = "c1"', "needs call, one of those before it: none"),
        ('[model]\nuse = "recorded"\n[[model.exchange]]\n[[model.exchange.result]]\ncall = "c7"', "there is no call c7 up to here"),
        ('[model]\nuse = "recorded"\n[[model.exchange]]\nfail = "auth"\n[[model.exchange.call]]\ntool = "a"\narguments = "{}"', "a request that failed has no call"),
        ('[model]\nuse = "recorded"\n[[model.exchange]]\nfail = "oops"', 'model.exchange[0].fail: must be "timeout", "unavailable"'),
        ('[model]\nuse = "recorded"\nmatch = "most"', 'model.match: must be "request", "messages" or "nothing"'),
        ('loop = "v1"\n[model]\nuse = "recorded"', "keeps no cap that can be relied on, so it takes"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_its_line_and_key(text: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(f'goal = "g"\n\n{text}', "x.toml")
    assert said in str(caught.value)
