"""Whole runs over real sockets: what servers have been seen to send, and what then goes into the next request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.wire.server import Exchange, Server, chat, http, local_chat, message, sse, stream
from workbench.clocks import SystemClock
from workbench.core.events import Forked, ModelFailed, ModelReply, Notice, ToolResult, UserMessage
from workbench.core.statuses import Status
from workbench.home import Home, packaged_folder
from workbench.models.live import LiveModel
from workbench.models.wire.anthropic.validate import problem as anthropic_problem
from workbench.models.wire.ollama.validate import problem as ollama_problem
from workbench.models.wire.openai.validate import problem as openai_problem
from workbench.opening import Opened, new_run, reopen
from workbench.runner import Run
from workbench.scenarios.loader import parse_scenario
from workbench.sessions.late import MemoryJournal

DATA = Path(__file__).parents[2] / "data"
PROBLEM = {"openai": openai_problem, "anthropic": anthropic_problem, "ollama": ollama_problem}
KEY = "sk-test-0000-not-a-real-key"
TOOLS = '''
from pathlib import Path

from workbench.toolkit.api import tool


@tool(risk="read", inline=True)
def read_note(path: str) -> str:
    """Read a note."""
    return f"note {path}"


@tool(risk="read", inline=True)
def list_notes() -> str:
    """List the notes."""
    return "notes.txt"


@tool(risk="read", inline=True)
def lookup_stock(store: str) -> int:
    """Stock of a store."""
    return 140


@tool(risk="write", inline=True)
def write_note(path: str, text: str) -> str:
    """Write a note."""
    with Path(__file__).with_name("written").open("a") as log:
        log.write(f"{(path, text)!r}\\n")
    return "written"
'''
ENDS = {
    "openai": http(chat("done")),
    "anthropic": http(message({"type": "text", "text": "done"})),
    "ollama": http(local_chat("done")),
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "notes.py").write_text(TOOLS)
    return Home(root=tmp_path, found="--home", packaged=packaged_folder())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def recorded(name: str, status: int = 200) -> bytes:
    return http((DATA / "bodies" / f"{name}.json").read_bytes(), status)


def opened(
    home: Home, server: Server, wire: str = "openai", more: str = "", protocol: str = "native", model: str = ""
) -> Opened:
    text = f"""
goal = "Read the notes."
protocol = "{protocol}"
tools = ["read_note", "list_notes", "lookup_stock", "write_note"]
{more}
[model]
use = "{wire}"
name = "m"
base_url = "{server.url}"
{model}
[approval]
default = "allow"
"""
    return new_run(parse_scenario(text, "x.toml"), home, headless=True)


async def played(home: Home, server: Server, wire: str = "openai", **options: str) -> Run:
    """A run to its end; every request of it is one that the vendor takes."""
    run = opened(home, server, wire, **options)
    try:
        await run.run.play()
    finally:
        run.close()
    for body in server.bodies:
        assert PROBLEM[wire](body) == ""
    return run.run


def results(run: Run) -> list[tuple[str, str]]:
    return [(event.outcome, event.content) for event in run.events if isinstance(event, ToolResult)]


def replies(run: Run) -> list[ModelReply]:
    return [event for event in run.events if isinstance(event, ModelReply)]


# ---------------------------------------------------------------- recorded bodies


async def test_arguments_encoded_twice(home: Home) -> None:
    async with Server(recorded("openai-arguments-double-encoded"), ENDS["openai"]) as server:
        run = await played(home, server)
    assert results(run) == [("ran", "note notes.txt")]
    assert replies(run)[0].calls[0].note == "the arguments were encoded twice"
    assert server.bodies[1]["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"path":"notes.txt"}'


async def test_arguments_that_are_an_empty_text(home: Home) -> None:
    async with Server(recorded("openai-arguments-empty-string"), ENDS["openai"]) as server:
        run = await played(home, server)
    assert results(run) == [("ran", "notes.txt")]
    assert server.bodies[1]["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(
    ("more", "outcomes"),
    [
        ("", ["ran", "ran"]),
        ("[protocol_options]\nparallel = false", ["ran", "not_run"]),
        ("[limits]\ntool_calls = 1", ["ran", "not_run"]),
    ],
)
async def test_two_calls_have_two_results_in_their_order(home: Home, more: str, outcomes: list[str]) -> None:
    async with Server(recorded("openai-two-parallel-calls"), ENDS["openai"]) as server:
        run = opened(home, server, more=more)
        await run.run.play()
        if run.run.state.status is not Status.ANSWERED:
            run.run.change({"limits.tool_calls": 9})
            run.run.message("And now?")
            await run.run.play()
        run.close()
    by_call = {event.call: event.outcome for event in run.run.events if isinstance(event, ToolResult)}
    assert [by_call["c1"], by_call["c2"]] == outcomes
    tools = [item for item in server.bodies[1]["messages"] if item["role"] == "tool"]
    assert [item["tool_call_id"] for item in tools] == ["call_a", "call_b"]
    assert openai_problem(server.bodies[1]) == ""


async def test_duplicate_ids(home: Home) -> None:
    async with Server(recorded("openai-duplicate-call-ids"), ENDS["openai"]) as server:
        run = await played(home, server)
    assert results(run) == [("ran", "note a.txt"), ("ran", "note b.txt")]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("openai-length-with-parseable-call", Status.REPLY_CUT_OFF),
        ("openai-length-empty-content", Status.REPLY_CUT_OFF),
        ("openai-content-filter", Status.REPLY_BLOCKED),
    ],
)
async def test_what_is_cut_or_blocked_is_no_answer_and_runs_nothing(home: Home, name: str, status: Status) -> None:
    async with Server(recorded(name)) as server:
        run = await played(home, server)
    assert (run.status, run.state.answer, run.state.tool_calls) == (status, None, 0)


async def test_a_reply_that_calls_nothing_although_it_says_so(home: Home) -> None:
    async with Server(recorded("anthropic-tool-use-without-call")) as server:
        run = await played(home, server, "anthropic", more="[limits]\nprotocol_errors = 3")
    assert (run.status, len(server.requests), run.state.steps) == (Status.PROTOCOL_ERRORS, 3, 3)


async def test_parts_of_a_content(home: Home) -> None:
    async with Server(recorded("openai-content-parts")) as server:
        run = await played(home, server, protocol="text")
    assert run.state.answer == "140 mugs"
    assert "sticker" in replies(run)[0].notes[0]


async def test_an_empty_reply_is_corrected(home: Home) -> None:
    async with Server(recorded("openai-content-null"), ENDS["openai"]) as server:
        run = await played(home, server)
    assert run.state.answer == "done"
    assert [event.topic for event in run.events if isinstance(event, Notice)] == ["correction"]


async def test_half_a_pair_breaks_nothing(home: Home) -> None:
    async with Server(recorded("openai-lone-surrogate"), ENDS["openai"]) as server:
        run = await played(home, server)
    ((outcome, content),) = results(run)
    assert (run.status, outcome) == (Status.ANSWERED, "invalid")
    assert "half a character" in content
    assert server.bodies[1]["messages"][1]["content"] == "lone \ufffd here"


async def test_no_figure_is_not_zero(home: Home) -> None:
    async with Server(recorded("ollama-arguments-object"), ENDS["ollama"]) as server:
        run = await played(home, server, "ollama")
    assert (results(run), replies(run)[0].input_tokens) == ([("ran", "note notes.txt")], None)
    assert run.state.estimated


# ---------------------------------------------------------------- thinking, kept through everything


async def test_thinking_goes_back_after_save_and_resume_and_in_a_fork(home: Home) -> None:
    blocks = json.loads((DATA / "bodies" / "anthropic-thinking-with-tool.json").read_text())["content"]
    async with Server(recorded("anthropic-thinking-with-tool"), ENDS["anthropic"]) as server:
        run = opened(home, server, "anthropic")
        while run.run.state.tool_calls == 0:
            await run.run.advance()
        path = run.session_path
        run.close()
        assert path is not None
        again = reopen(path, home, headless=True)
        events = list(again.run.events)
        await again.run.play()
        again.close()
        assert isinstance(again.run.model, LiveModel)
        fork = Run(
            again.run.header, model=again.run.model, tools=again.run.tools, journal=MemoryJournal(), clock=SystemClock(),
            events=[*events, Forked(parent="x", at=len(events))],
        )  # fmt: skip
        await fork.play()
        again.run.model.close()
    assert (again.run.status, fork.status) == (Status.ANSWERED, Status.ANSWERED)
    for body in server.bodies[1:]:
        _, assistant, user = body["messages"]
        assert assistant["content"] == blocks
        assert user["content"] == [{"type": "tool_result", "tool_use_id": "toolu_a", "content": "140"}]
        assert anthropic_problem(body) == ""


async def test_a_fork_onto_another_wire_has_the_words_and_the_calls(home: Home) -> None:
    async with Server(recorded("anthropic-thinking-with-tool"), ENDS["anthropic"]) as server:
        first = await played(home, server, "anthropic")
    events = [event for event in first.events if not isinstance(event, UserMessage)][:-2]
    async with Server(ENDS["openai"]) as other:
        run = opened(home, other)
        fork = Run(
            run.run.header, model=run.run.model, tools=run.run.tools, journal=MemoryJournal(), clock=SystemClock(),
            events=[UserMessage(text="Read the notes."), *events],
        )  # fmt: skip
        await fork.play()
        run.close()
    assert fork.status is Status.ANSWERED
    assert openai_problem(other.bodies[0]) == ""
    assert "Stock first" not in other.requests[0].body.decode()


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (recorded("http-401-reflects-key", 401), Status.MODEL_REJECTED),
        (recorded("http-400-context-length", 400), Status.CONTEXT_WINDOW_EXCEEDED),
        (http({}, 402), Status.MODEL_REJECTED),
        (http({}, 422), Status.MODEL_REJECTED),
        (http(b"<html>", content_type="text/html"), Status.MODEL_UNAVAILABLE),
    ],
)
async def test_what_a_failure_comes_to(home: Home, answer: bytes, status: Status) -> None:
    async with Server(answer) as server:
        run = await played(home, server, model="retries = 0")
    assert (run.status, len(server.requests)) == (status, 1)


async def test_only_the_request_is_repeated_and_never_what_a_tool_did(home: Home) -> None:
    call = ("1", "write_note", '{"path": "a", "text": "b"}')
    async with Server(http(chat(None, [call])), http({}, 500, retry_after_ms="1"), ENDS["openai"]) as server:
        run = await played(home, server)
    assert (home.root / "tools" / "written").read_text().count("\n") == 1
    assert [event.attempts for event in replies(run)] == [1, 2]
    assert (run.state.steps, run.state.model_calls) == (2, 2)


async def test_without_a_price_a_cost_limit_lets_nothing_through(home: Home) -> None:
    async with Server(ENDS["openai"]) as server:
        run = await played(home, server, more="[limits]\ncost = 0.01")
    assert (run.status, run.state.cost, server.requests) == (Status.COST_BUDGET_EXHAUSTED, None, [])


async def test_with_a_price_the_cost_is_known(home: Home) -> None:
    body = chat("done")
    body["usage"] = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 600}}
    prices = "prices = { input = 10.0, output = 20.0, cache_read = 1.0 }"
    async with Server(http(body)) as server:
        run = await played(home, server, model=prices)
    assert run.state.cost == pytest.approx((400 * 10 + 600 * 1 + 100 * 20) / 1e6)


async def test_a_request_beyond_what_the_prices_are_for_costs_nobody_knows_what(home: Home) -> None:
    body = chat("done")
    body["usage"] = {"prompt_tokens": 1001, "completion_tokens": 1}
    async with Server(http(body)) as server:
        run = await played(home, server, model="prices = { input = 10.0, output = 20.0, upto = 1000 }")
    assert run.state.cost is None


WRONG_CALLS: dict[str, tuple[str, dict[str, int | str]]] = {
    "unknown": ("no_such_tool", {"x": 1}),
    "not by the schema": ("read_note", {"file": "a"}),
}


def calling(wire: str, name: str, arguments: dict[str, int | str]) -> bytes:
    if wire == "openai":
        return http(chat(None, [("1", name, json.dumps(arguments))]))
    if wire == "anthropic":
        return http(message({"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}))
    return http(local_chat("", [(name, arguments)]))


@pytest.mark.parametrize("wire", ENDS)
@pytest.mark.parametrize("wrong", WRONG_CALLS)
async def test_a_call_that_cannot_run_is_no_failure_and_the_model_reads_why(home: Home, wire: str, wrong: str) -> None:
    name, arguments = WRONG_CALLS[wrong]
    async with Server(calling(wire, name, arguments), ENDS[wire]) as server:
        run = await played(home, server, wire)
    ((outcome, content),) = results(run)
    assert (run.state.answer, outcome, run.state.tool_calls, len(server.requests)) == ("done", "invalid", 0, 2)
    assert "read_note" in content or "path" in content
    assert content in json.dumps(server.bodies[1], ensure_ascii=False).replace('\\"', '"')


CUT_ARGUMENTS = [
    ("openai", stream(sse(
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "1", "function": {"name": "write_note", "arguments": '{"path": "a", "te'}}]}, "finish_reason": None}]},
        {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}, "[DONE]",
    ))),
    ("anthropic", stream(sse(
        {"type": "message_start", "message": {"usage": {}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "write_note"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"path": "a", "te'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}, {"type": "message_stop"},
        named=True,
    ))),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "cut"), CUT_ARGUMENTS, ids=["openai", "anthropic"])
async def test_arguments_that_end_too_early_never_run_and_the_model_reads_why(
    home: Home, wire: str, cut: bytes
) -> None:
    """The server says that the reply is whole, so it is the model that is told."""
    async with Server(cut, ENDS[wire]) as server:
        run = await played(home, server, wire)
    ((outcome, _),) = results(run)
    assert (run.state.answer, outcome, run.state.tool_calls) == ("done", "invalid", 0)
    assert not (home.root / "tools" / "written").exists()


# ---------------------------------------------------------------- cancelling


async def test_at_the_deadline_the_line_is_closed(home: Home) -> None:
    async with Server(Exchange.until_hung_up) as server:
        run = opened(home, server, more="[limits]\nseconds = 0.3")
        await asyncio.wait_for(run.run.play(), 60)
        run.close()
        await asyncio.wait_for(server.requests[0].hung_up.wait(), 60)
    assert (run.run.status, len(server.requests)) == (Status.DEADLINE_EXCEEDED, 1)


async def test_a_person_who_stops_a_stream_hangs_up_and_can_go_on(home: Home) -> None:
    async def slowly(exchange: Exchange) -> None:
        await exchange.send(
            stream(sse({"choices": [{"delta": {"content": "one"}, "finish_reason": None}]}), whole=False)
        )
        await exchange.until_hung_up()

    seen = asyncio.Event()
    async with Server(slowly, ENDS["openai"]) as server:
        run = opened(home, server)
        run.run.subscribe_signals(lambda _: seen.set())
        playing = asyncio.create_task(run.run.play())
        await asyncio.wait_for(seen.wait(), 60)
        run.run.stop()
        await asyncio.wait_for(playing, 60)
        await asyncio.wait_for(server.requests[0].hung_up.wait(), 60)
        assert run.run.status is Status.CANCELLED
        run.run.message("Go on.")
        await run.run.play()
        run.close()
    assert run.run.state.answer == "done"
    assert not any(isinstance(event, ModelFailed) for event in run.run.events)
    assert openai_problem(server.bodies[1]) == ""


# ---------------------------------------------------------------- all protocols over all wires


def lines(wire: str, *texts: str) -> Iterator[bytes]:
    for text in texts:
        whole = {"openai": chat(text), "anthropic": message({"type": "text", "text": text}), "ollama": local_chat(text)}
        yield http(whole[wire])


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize(
    ("protocol", "texts"),
    [
        ("text", ('ACTION: read_note {"path": "a"}', "ANSWER: done")),
        (
            "json",
            ('{"type": "tool", "tool": "read_note", "input": {"path": "a"}}', '{"type": "answer", "text": "done"}'),
        ),
    ],
)
async def test_text_protocols_over_real_models(home: Home, wire: str, protocol: str, texts: tuple[str, str]) -> None:
    async with Server(*lines(wire, *texts)) as server:
        run = await played(home, server, wire, protocol=protocol)
    assert (run.state.answer, results(run)) == ("done", [("ran", "note a")])
    assert "tools" not in server.bodies[0]
    assert "read_note" in json.dumps(server.bodies[0])


async def test_a_finish_tool_ends_the_run(home: Home) -> None:
    more = '[protocol_options]\nfinish = "tool"'
    scenario = f"""
goal = "Read the notes."
protocol = "native"
tools = ["read_note", "submit_answer"]
{more}
[model]
use = "openai"
name = "m"
tool_choice = "required"
"""
    async with Server(ENDS["openai"], http(chat(None, [("1", "submit_answer", '{"answer": "seven"}')]))) as server:
        text = scenario + f'base_url = "{server.url}"\n'
        run = new_run(parse_scenario(text, "x.toml"), home, headless=True)
        await run.run.play()
        run.close()
    assert (run.run.status, run.run.state.answer) == (Status.ANSWERED, "seven")
    assert server.bodies[0]["tool_choice"] == "required"
