"""A live model on the screen: what it says while it says it, what goes wrong on the way, and how it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.models.wire.echoes import KEY, echoed, refused
from tests.models.wire.server import Answer, Exchange, Server, chat, http, ndjson, sse, stream
from tests.tui.run.stage import Stage, staged, write_scenario
from workbench.clocks import SystemClock
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.opening import new_run
from workbench.scenarios.loader import load_scenario

PRICES = "prices = { input = 1.0, output = 2.0 }"
HEAD = {
    kind: f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    for kind in ("text/event-stream", "application/x-ndjson")
}


def piece(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def says(text: str = "", *, thinking: str = "", finish: str | None = None) -> bytes:
    """A chunk of a streamed chat completion."""
    delta = {"content": text} if text else {"reasoning_content": thinking} if thinking else {}
    return piece(sse({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))


class Slowly:
    """Answers with pieces of a stream, each when the test lets it go."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces
        self._turn = asyncio.Semaphore(0)
        self.exchange: Exchange | None = None

    def go(self) -> None:
        self._turn.release()

    async def __call__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        await exchange.send(HEAD["text/event-stream"])
        for data in self._pieces:
            await self._turn.acquire()
            await exchange.send(data)
        await exchange.until_hung_up()


@asynccontextmanager
async def at(
    home: Home,
    *answers: Answer,
    wire: str = "openai",
    model: str = PRICES,
    limits: str = "model_calls = 1000",
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[tuple[Stage, Server]]:
    """The Run screen of a live scenario, before its first request."""
    async with Server(*answers) as server:
        text = f"""
goal = "Say hello."
protocol = "native"
tools = []
limits = {{ {limits} }}
[model]
use = "{wire}"
name = "small"
base_url = "{server.url}"
{model}
"""
        path = write_scenario(home, text)
        opened = new_run(load_scenario(path), home, scenario_path=str(path), clock=SystemClock())
        async with staged(opened, home, size=size) as stage:
            yield stage, server


def transcript_of(stage: Stage) -> str:
    """What is in the transcript, wherever its lines are broken."""
    return " ".join(" ".join(row[13:70] for row in stage.rows).split())


def together(stage: Stage) -> str:
    """What is on the terminal, wherever its lines are broken."""
    return " ".join(stage.text.split())


# ---------------------------------------------------------------- while it streams


async def test_what_is_streamed_is_seen_while_it_comes(home: Home) -> None:
    slow = Slowly(says("Hello "), says("there,\nyou"), says(finish="stop") + piece(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    async with at(home, slow) as (stage, server):
        await stage.send("space")
        await server.asked()
        await stage.reach(lambda: stage.sees("NOW     asking the model …"))
        slow.go()
        await stage.reach(lambda: stage.sees("MODEL   Hello"))
        slow.go()
        await stage.reach(lambda: stage.sees("MODEL   Hello there,"))
        assert stage.rows[stage.row_of("Hello there,") + 1].strip().startswith("you")
        assert "model_reply" not in stage.kinds
        slow.go()
        await stage.settle(lambda: stage.run.status is Status.ANSWERED)
        assert stage.sees("ANSWER  Hello there,")


async def test_a_token_is_drawn_alone_and_no_clock_is_in_its_way(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the screen only the rows from the token on are painted; what is drawn by the clock does not hold it up."""
    slow = Slowly(says("Hello\n"), says("there,"), says(" you"))
    async with at(home, slow) as (stage, _):
        await stage.send("space")
        slow.go()
        await stage.reach(lambda: stage.sees("Hello"))
        screen = stage.screen
        slow.go()
        await stage.reach(lambda: stage.sees("there,") and stage.drawn and not screen._dirty_widgets)
        painted: list[int] = []
        draw = stage.app._display

        def drawn(screen: Any, update: Any) -> None:
            painted.extend(y for y, _, _ in update.spans)
            draw(screen, update)

        monkeypatch.setattr(stage.app, "_display", drawn)
        last = screen.drawing.drawn_at
        screen.driver.tick()
        assert screen.drawing.drawn_at == last
        slow.go()
        await stage.reach(lambda: stage.sees("there, you"))
        assert min(painted) == stage.row_of("there, you")
        await stage.press("x")


async def test_thinking_stands_quiet_and_folded_before_what_is_said_and_afterwards(home: Home) -> None:
    thought = "First, I weigh it.\nThen I weigh it again, at length: " + "word " * 60 + "end."
    slow = Slowly(
        says(thinking=thought[:18]), says(thinking=thought[18:]), says("Done."),
        says(finish="stop") + piece(b"data: [DONE]\n\n") + b"0\r\n\r\n",
    )  # fmt: skip
    async with at(home, slow) as (stage, _):
        await stage.send("space")
        slow.go()
        await stage.reach(lambda: stage.sees("thinking: First, I weigh it. … 18 characters"))
        slow.go()
        await stage.reach(lambda: f"word end. … {len(thought)} characters" in transcript_of(stage))
        slow.go()
        await stage.reach(lambda: stage.sees("Done."))
        assert f"thinking: First, I weigh it. … {len(thought)} characters" in transcript_of(stage)
        slow.go()
        await stage.settle(lambda: stage.run.status is Status.ANSWERED)
        assert f"thinking: First, I weigh it. … {len(thought)} characters, v shows all" in transcript_of(stage)
        await stage.press("v")
        assert "at length" in stage.text


async def test_the_thinking_of_a_local_server_is_shown_too(home: Home) -> None:
    lines = ndjson(
        {"message": {"role": "assistant", "content": "", "thinking": "Hm."}, "done": False},
        {"message": {"role": "assistant", "content": "Hi."}, "done": True, "done_reason": "stop"},
    )
    async with at(home, stream(lines, "application/x-ndjson"), wire="ollama") as (stage, _):
        await stage.press("space")
        assert stage.sees("thinking: Hm.")
        assert stage.sees("Hi.")


async def test_control_characters_never_reach_the_terminal(home: Home) -> None:
    slow = Slowly(says("\x1b]0;x\x07[red]hi[/red]"))
    async with at(home, slow) as (stage, _):
        await stage.send("space")
        slow.go()
        await stage.reach(lambda: stage.sees("[red]hi[/red]"))
        assert "\x1b" not in stage.text
        assert "\x07" not in stage.text
        await stage.press("x")


# ---------------------------------------------------------------- stopping


@pytest.mark.parametrize("begun", [True, False], ids=["in a stream", "before a reply"])
async def test_x_closes_the_connection_at_once(home: Home, begun: bool) -> None:
    slow = Slowly(says("Hello "))
    answers: list[Answer] = [slow if begun else Exchange.until_hung_up, http(chat("again"))]
    async with at(home, *answers) as (stage, server):
        await stage.send("r")
        exchange = await server.asked()
        if begun:
            slow.go()
            await stage.reach(lambda: stage.sees("Hello"))
        assert not exchange.hung_up.is_set()
        await stage.press("x")
        await asyncio.wait_for(exchange.hung_up.wait(), 60)
        assert stage.run.status is Status.CANCELLED
        assert len(server.requests) == 1
        # What had come in is not the beginning of the next reply.
        await stage.press("m")
        await stage.type("Go on.")
        await stage.press("ctrl+s")
        await stage.settle(lambda: stage.run.status is Status.ANSWERED)
        assert stage.run.state.answer == "again"


async def test_leaving_the_screen_closes_the_connection(home: Home) -> None:
    slow = Slowly(says("Hello "))
    async with at(home, slow) as (stage, server):
        await stage.send("r")
        exchange = await server.asked()
        slow.go()
        await stage.reach(lambda: stage.sees("Hello"))
        await stage.press("q")
        await asyncio.wait_for(exchange.hung_up.wait(), 60)


# ---------------------------------------------------------------- waiting to try again


async def test_a_pause_is_counted_down_and_what_came_before_is_gone(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("workbench.tui.run.drawing.monotonic", lambda: now[0])
    cut = HEAD["text/event-stream"] + says("half a")
    slow_down = http({"error": {"message": "slow down"}}, 429, retry_after="60")
    async with at(home, cut, slow_down) as (stage, server):
        await stage.send("r")
        await server.asked(2)
        await stage.reach(lambda: stage.sees("again in 60 s, attempt 3"))
        assert stage.sees("WAIT    too many requests (429: slow down)")
        assert stage.sees("… waiting to ask again")
        assert not stage.sees("half a")
        now[0] += 20
        await stage.reach(lambda: stage.sees("again in 40 s, attempt 3"))
        await stage.press("x")
        assert stage.run.status is Status.CANCELLED
        assert len(server.requests) == 2


async def test_a_request_that_takes_long_says_how_long(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("workbench.tui.run.drawing.monotonic", lambda: now[0])
    async with at(home, Exchange.until_hung_up) as (stage, server):
        await stage.send("r")
        await server.asked()
        await stage.reach(lambda: stage.sees("asking the model …"))
        now[0] += 75
        await stage.reach(lambda: stage.sees("asking the model … 1:15"))
        await stage.press("x")


# ---------------------------------------------------------------- failures

FAILED: list[tuple[Answer, str, str]] = [
    (http({"error": {"message": "no"}}, 401), "The model's service does not accept the key", "the key was not accepted"),
    (http({"error": {"message": "pay"}}, 402), "The account of the model's service has no credit left", "402: pay"),
    (http({"error": {"message": "odd"}}, 422), "The model's service rejected the request", "422: odd"),
    (http({"error": {"message": "who"}}, 404), "The model's service rejected the request", "there is no such model"),
    (http({"error": {"code": "context_length_exceeded"}}, 400), "The request does not fit the model's context", "context.policy"),
    (http({"error": "down"}, 503), "The model is not available", "503: down"),
    (http({}, 429), "The model's service is limiting the rate", "429"),
    (http({}, 504), "The model did not reply in time", "model.timeout"),
    (http(b"<html>", content_type="text/html"), "The model's service sent a body that cannot be read", "cannot be used"),
    (HEAD["text/event-stream"] + says("half"), "The reply broke off", "model.retries"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "title", "body"), FAILED, ids=[title.replace(" ", "-") + str(index) for index, (_, title, _) in enumerate(FAILED)])  # fmt: skip
async def test_each_failure_has_a_card_in_its_own_words(home: Home, answer: Answer, title: str, body: str) -> None:
    async with at(home, answer, model=f"{PRICES}\nretries = 0") as (stage, _):
        await stage.press("r")
        assert stage.bar_title.startswith(f"■ {title}, no answer")
        assert "recovered" not in stage.text
        assert body in together(stage)
        assert stage.sees(f"ERROR   {title}")


async def test_what_failed_is_asked_again_with_a_key(home: Home) -> None:
    async with at(home, http({}, 503), http(chat("hello")), model=f"{PRICES}\nretries = 0") as (stage, server):
        await stage.press("r")
        assert stage.run.status is Status.MODEL_UNAVAILABLE
        assert "r ask again" in stage.key_row
        await stage.press("r")
        assert (stage.run.state.answer, len(server.requests)) == ("hello", 2)
        assert server.bodies[0] == server.bodies[1]


async def test_space_asks_again_once(home: Home) -> None:
    async with at(home, http({}, 401), model=PRICES) as (stage, server):
        await stage.press("space", "space")
        assert (stage.run.status, len(server.requests)) == (Status.MODEL_REJECTED, 2)


# ---------------------------------------------------------------- what it costs, where it is, whether it answers


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
async def test_a_key_that_everybody_says_back_is_never_on_the_screen(
    home: Home, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_KEY"):
        monkeypatch.setenv(variable, KEY)
    (home.root / "models.toml").write_text(
        f'[[model]]\nname = "mine"\nwire = "{wire}"\nmodel = "small"\nkey_env = "LOCAL_KEY"\n'
    )
    seen: list[str] = []
    async with at(home, *echoed(wire, KEY, streams=True), refused(KEY), wire="mine", model="retries = 3") as (stage, _):
        await stage.send("r")
        while stage.run.status is not Status.ANSWERED:
            await stage.pilot.pause()
            seen.append(stage.text)
        await stage.settle()
        for keys in (["up", "up", "enter"], ["escape"], ["w"], ["escape"], ["p"]):
            await stage.press(*keys)
            seen += [stage.text, stage.app.export_screenshot()]
    assert "[key]" in "".join(seen)
    assert all(KEY not in text for text in seen)
    assert all(KEY.encode() not in file.read_bytes() for file in home.root.rglob("*") if file.is_file())


async def test_a_cost_that_nobody_knows_is_said_before_and_all_along(home: Home) -> None:
    async with at(home, http(chat("hello")), model="") as (stage, _):
        assert "no price is known for small: the cost is unknown, not 0" in together(stage)
        await stage.press("r")
        assert any("cost" in row and row.rstrip().endswith("unknown") for row in stage.rows)


async def test_a_run_that_only_its_model_can_end_is_told_before_anything_is_sent(home: Home) -> None:
    async with at(home, http(chat("hello")), limits="") as (stage, server):
        assert "no limit ends this run" in together(stage)
        assert server.requests == []


async def test_it_says_which_model_is_asked_where(home: Home) -> None:
    async with at(home, http(chat("hello"))) as (stage, server):
        assert f"native · small at 127.0.0.1:{server.port}" in stage.rows[0]


async def test_a_key_that_is_missing_is_said_before_anything_is_sent(home: Home) -> None:
    path = write_scenario(home, 'goal = "g"\n[model]\nuse = "openai"\nname = "small"')
    opened = new_run(load_scenario(path), home, scenario_path=str(path))
    async with staged(opened, home) as stage:
        assert "no key: set OPENAI_API_KEY" in together(stage)


async def test_p_asks_whether_the_server_answers(home: Home) -> None:
    listed: dict[str, Any] = {"data": [{"id": "small"}]}
    foreign: dict[str, Any] = {"error": {"message": "no\x1b]0;[b]x\x07"}}
    async with at(home, http(listed), http({"data": []}), http(foreign, 401)) as (stage, server):
        await stage.press("p")
        assert stage.notice == f"✓ openai at {server.url}: answers, and has the model"
        await stage.press("p")
        assert "answers, but has no model at all" in stage.notice
        await stage.press("p")
        assert stage.notice.startswith(f"✗ openai at {server.url}: the key was not accepted")
        assert "[b]x" in stage.notice
        assert not {"\x1b", "\x07"} & set(stage.notice)
        assert [exchange.path for exchange in server.requests] == ["/models"] * 3
        assert stage.run.state.model_calls == 0


async def test_p_has_nobody_to_ask_where_the_model_is_not_live(home: Home) -> None:
    path = write_scenario(home, 'goal = "g"\n[[model.reply]]\ntext = "ANSWER: 1"')
    async with staged(new_run(load_scenario(path), home, scenario_path=str(path)), home) as stage:
        await stage.press("p")
        assert stage.notice == "the model is not asked over a network"
