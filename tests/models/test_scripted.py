from __future__ import annotations

import asyncio

import pytest

from workbench.clocks import VirtualClock
from workbench.core.events import ModelFailed, ModelReply, Notice, ToolResult
from workbench.core.ports import ModelFailure, OnSignal, Reply, Request, Signal, Usage
from workbench.core.state import State
from workbench.core.values import Call, Header, ModelInfo, RawCall
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel, no_signal, unused_lines


def fresh() -> State:
    return State(Header(id="r", goal="g", protocol="text"))


def elsewhere(state: State, replies: int) -> None:
    """Replies of another model, before the script goes on."""
    own, state.model = state.model, ModelInfo(use="human", shown="human")
    for _ in range(replies):
        state.apply(ModelReply(text="from elsewhere"))
    state.model = own


def observe(state: State, *contents: str) -> None:
    """Results of tool calls that the last reply made."""
    calls = tuple(Call(id=f"c{state.call_count + i + 1}", tool="t", arguments="{}") for i in range(len(contents)))
    state.apply(ModelReply(calls=calls, line=state.script_line, served=state.script_served))
    for call, content in zip(calls, contents, strict=True):
        state.apply(ToolResult(call=call.id, content=content))


async def ask(model: ScriptedModel, state: State, on_signal: OnSignal = no_signal) -> Reply:
    request = Request(system="", messages=state.messages, tools=(), options=state.header.options, state=state)
    return await model.reply(request, on_signal)


async def take(model: ScriptedModel, state: State) -> str:
    """One turn: the reply, recorded."""
    reply = await ask(model, state)
    state.apply(ModelReply(text=reply.text, line=reply.line, served=reply.served, captures=reply.captures))
    return reply.text


def scripted(*lines: Line | str, clock: VirtualClock | None = None, file: str = "two.toml") -> ScriptedModel:
    given = [Line(text=line) if isinstance(line, str) else line for line in lines]
    return ScriptedModel(given, clock=clock or VirtualClock(), file=file)


async def test_replies_come_in_order_and_depend_on_the_history_alone() -> None:
    model, state = scripted("one", "two", "three"), fresh()
    assert await take(model, state) == "one"
    fork = state.copy()
    assert await take(model, state) == "two"
    assert [await take(model, fork), await take(model, fork)] == ["two", "three"]
    assert await take(scripted("one", "two", "three"), state) == "three"


async def test_a_script_that_runs_out_names_the_file_and_the_count() -> None:
    model, state = scripted("one", "two"), fresh()
    await take(model, state)
    await take(model, state)
    for _ in range(2):
        with pytest.raises(ModelFailure) as failure:
            await take(model, state)
        assert failure.value.kind == "script_exhausted"
        assert failure.value.detail == "two.toml: the script has 2 replies and a further one was asked for"


@pytest.mark.parametrize(
    ("replies", "then"),
    [(0, "one"), (1, "two"), (2, "two"), (3, "three"), (4, "last"), (9, "last")],
)
async def test_each_reply_of_another_model_takes_the_place_of_one_of_the_script(replies: int, then: str) -> None:
    lines = ("one", Line(text="two", repeat=2), Line(fail="timeout"), "three", Line(text="last", repeat=None))
    model, state = scripted(*lines), fresh()
    elsewhere(state, replies)
    assert await take(model, state) == then
    assert state.replies_elsewhere == 0


async def test_a_line_that_was_begun_and_not_said_is_due_whatever_came_meanwhile_with_what_it_had_captured() -> None:
    model, state = scripted("one", Line(text="stock ${n}", when="stock", capture={"n": r"\d+"}), "three"), fresh()
    await take(model, state)
    state.apply(ModelReply(text="a slip", line=1, served=0, captures={"n": "140"}))
    state.last_observation = "no such tool"
    assert await take(model, state) == "stock 140"
    assert (state.script_line, state.script_served) == (1, 1)


async def test_a_script_that_others_have_used_up_is_exhausted() -> None:
    model, state = scripted("one", "two"), fresh()
    elsewhere(state, 3)
    with pytest.raises(ModelFailure, match="the script has 2 replies and a further one was asked for"):
        await take(model, state)


async def test_an_empty_script_has_no_reply() -> None:
    with pytest.raises(ModelFailure, match="the script has 0 replies"):
        await ask(scripted(), fresh())


async def test_a_line_is_repeated_so_many_times_or_for_ever() -> None:
    model, state = scripted(Line(text="again", repeat=2), Line(text="ever", repeat=None), "never"), fresh()
    assert [await take(model, state) for _ in range(5)] == ["again", "again", "ever", "ever", "ever"]
    assert (state.script_line, state.script_served) == (1, 3)


async def test_a_line_whose_condition_does_not_match_is_passed_over() -> None:
    model = scripted("start", Line(text="bad", when="no route"), Line(text="good", when="140"), "end")
    state = fresh()
    await take(model, state)
    observe(state, "140")
    assert await take(model, state) == "good"
    assert await take(model, state) == "end"


async def test_a_repeated_line_is_left_when_its_condition_no_longer_matches() -> None:
    model, state = scripted("start", Line(text="wait", when="pending", repeat=None), "done"), fresh()
    await take(model, state)
    for observation in ("pending", "pending"):
        observe(state, observation)
        assert await take(model, state) == "wait"
    observe(state, "ok")
    assert await take(model, state) == "done"


async def test_exhaustion_names_the_lines_that_were_passed_over() -> None:
    with pytest.raises(ModelFailure, match=r"passed over, as their `when` does not match .*: 1, 2"):
        await ask(scripted(Line(text="a", when="x"), Line(text="b", when="y")), fresh())


async def test_results_fill_the_templates_of_the_first_lesson() -> None:
    model, state = scripted('ACTION: add {"a": ${result1}, "b": ${result2}}', "${total} ${last}"), fresh()
    observe(state, "2100000", "9700000")
    assert await take(model, state) == 'ACTION: add {"a": 2100000, "b": 9700000}'
    observe(state, "11800000")
    assert await take(model, state) == "23600000 11800000"


@pytest.mark.parametrize(
    ("contents", "total"),
    [(("1", "2.5", "error: no", " 3 "), "6.5"), (("1e3",), "1000.0"), (("-4", "true", "null", "NaN"), "-4"), ((), "0")],
)
async def test_the_total_adds_up_numbers_only(contents: tuple[str, ...], total: str) -> None:
    state = fresh()
    observe(state, *contents)
    assert await take(scripted("${total}"), state) == total


@pytest.mark.parametrize("contents", [("9" * 5000,), ("1e308", "1e308"), ("1e400",)])
async def test_a_total_that_cannot_be_written_is_a_script_error(contents: tuple[str, ...]) -> None:
    state = fresh()
    observe(state, *contents)
    with pytest.raises(ModelFailure, match="too many digits"):
        await ask(scripted("${total}"), state)


async def test_captures_are_there_in_the_same_reply_and_later() -> None:
    model = scripted(Line(text="got ${paris}", capture={"paris": r"(\d+)", "whole": r"p.p"}), "still ${paris} ${whole}")
    state = fresh()
    observe(state, "pop 2100000")
    assert await take(model, state) == "got 2100000"
    observe(state, "nothing")
    assert await take(model, state) == "still 2100000 pop"


async def test_a_capture_that_finds_nothing_says_where() -> None:
    with pytest.raises(ModelFailure, match=r"two\.toml: reply 1: capture paris = .* finds nothing") as failure:
        await ask(scripted(Line(text="x", capture={"paris": r"\d+"})), fresh())
    assert (failure.value.kind, failure.value.line, failure.value.served) == ("script_error", 0, 1)


async def test_a_result_that_is_not_there_says_how_many_there_are() -> None:
    state = fresh()
    observe(state, "5")
    with pytest.raises(ModelFailure, match=r"two\.toml: reply 1: \$\{result3\} .* only 1 result so far"):
        await ask(scripted("${result3}"), state)
    with pytest.raises(ModelFailure, match=r"\$\{paris\} stands for nothing"):
        await ask(scripted("${paris}"), state)


async def test_a_correction_counts_as_the_latest_observation() -> None:
    state = fresh()
    state.apply(ModelReply(text="prose", reading="malformed", problem="say ANSWER", line=-1))
    state.apply(Notice(topic="correction", text="say ANSWER"))
    assert await ask(scripted(Line(text="ok ${last}", when="ANSWER")), state) == Reply(
        text="ok say ANSWER", model="scripted", line=0, served=1
    )


async def test_native_calls_carry_tables_as_json_and_text_raw() -> None:
    state = fresh()
    observe(state, "140")
    line = Line(
        text="both",
        thinking="hm ${last}",
        calls=(
            ScriptedCall(tool="put", arguments={"n": "${result1}", "s": "n=${result1}"}),
            ScriptedCall(tool="put", arguments='{"n": ${last}, "bro'),
        ),
        usage=Usage(input=900, output=40),
    )
    reply = await ask(scripted(line), state)
    assert reply.calls == (RawCall("put", '{"n": 140, "s": "n=140"}'), RawCall("put", '{"n": 140, "bro'))
    assert (reply.finish, reply.thinking, reply.usage) == ("tool_calls", "hm 140", Usage(input=900, output=40))


async def test_a_finish_reason_is_passed_on() -> None:
    assert (await ask(scripted(Line(text="cut", finish="length")), fresh())).finish == "length"


async def test_failures_are_retried_inside_the_call_with_the_wait_they_ask_for() -> None:
    clock, signals, state = VirtualClock(), list[Signal](), fresh()
    model = scripted(
        Line(fail="rate_limited", retry_after=2.0), Line(fail="unavailable"), "ANSWER: 1", "ANSWER: 2", clock=clock
    )
    reply = await ask(model, state, signals.append)
    assert (reply.text, reply.attempts, reply.line) == ("ANSWER: 1", 3, 2)
    assert clock.now() == 2.0
    assert [(s.kind, s.seconds) for s in signals if s.kind == "retry"] == [("retry", 2.0), ("retry", 0.0)]
    state.apply(ModelReply(text=reply.text, line=reply.line, served=reply.served, attempts=reply.attempts))
    assert await take(model, state) == "ANSWER: 2"


async def test_a_failure_that_outlasts_the_retries_is_not_served_again() -> None:
    model, state = scripted(Line(fail="timeout", repeat=3), "ANSWER: 1"), fresh()
    with pytest.raises(ModelFailure) as failure:
        await ask(model, state)
    assert (failure.value.kind, failure.value.attempts) == ("timeout", 3)
    assert (failure.value.line, failure.value.served) == (0, 3)
    state.apply(ModelFailed(failure="timeout", line=failure.value.line, served=failure.value.served))
    assert await take(model, state) == "ANSWER: 1"


async def test_a_script_that_ends_in_failures_says_so_after_its_attempts() -> None:
    with pytest.raises(ModelFailure) as failure:
        await ask(scripted(Line(fail="timeout")), fresh())
    assert (failure.value.kind, failure.value.attempts) == ("script_exhausted", 2)
    assert (failure.value.line, failure.value.served) == (0, 1)


@pytest.mark.parametrize("kind", ["auth", "bad_request", "context_overflow"])
async def test_what_a_retry_cannot_help_is_raised_at_once(kind: str) -> None:
    model = ScriptedModel([Line(fail=kind), Line(text="later")], clock=VirtualClock())  # type: ignore[arg-type]
    with pytest.raises(ModelFailure) as failure:
        await ask(model, fresh())
    assert (failure.value.kind, failure.value.attempts) == (kind, 1)


async def test_a_cut_stream_keeps_what_had_arrived() -> None:
    signals = list[Signal]()
    model = ScriptedModel([Line(text="THOUGHT: I n", fail="cut_stream")], clock=VirtualClock(), retries=0)
    with pytest.raises(ModelFailure) as failure:
        await ask(model, fresh(), signals.append)
    assert failure.value.partial == "THOUGHT: I n" == "".join(s.text for s in signals)


@pytest.mark.parametrize("text", ["", "a", "déjà 漢字 🙂", "x" * 1001, "${last}"])
async def test_streamed_deltas_are_the_whole_text(text: str) -> None:
    state, signals = fresh(), list[Signal]()
    observe(state, "an observation")
    reply = await ask(scripted(text), state, signals.append)
    assert "".join(s.text for s in signals) == reply.text
    assert len(signals) <= 4


@pytest.mark.parametrize("text", ["", "a longer text", "${last}"])
async def test_a_delay_takes_the_same_time_whether_or_not_anybody_watches(text: str) -> None:
    times = []
    for on_signal in (no_signal, list[Signal]().append):
        clock = VirtualClock()
        await ask(scripted(Line(text=text, delay=0.5), clock=clock), fresh(), on_signal)
        times.append(clock.now())
    assert times == [0.5, 0.5]


class Stopwatch(VirtualClock):
    """Never wakes up; says when somebody went to sleep."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asleep.set()
        await asyncio.Event().wait()


async def test_a_delay_can_be_cancelled() -> None:
    clock = Stopwatch()
    task = asyncio.create_task(ask(scripted(Line(text="late", delay=60), clock=clock), fresh()))
    await clock.asleep.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_lines_that_were_never_served_are_found() -> None:
    lines = [
        Line(text="0"),
        Line(text="1", when="x"),
        Line(fail="timeout"),
        Line(fail="auth", when="y"),
        Line(text="4"),
        Line(text="5"),
    ]
    assert unused_lines(lines, [(0, 1), (-1, 1), (4, 2)]) == (1, 3, 5)
    assert unused_lines(lines, []) == (0, 1, 2, 3, 4, 5)
    assert unused_lines(lines, [(0, 1), (3, 1), (4, 1), (5, 1)]) == (1, 2)


async def test_the_reply_that_is_due_can_be_looked_at_and_is_served_all_the_same() -> None:
    model, state = scripted("one", Line(text="got ${last}", when="7")), fresh()
    assert (model.due(state).text, model.due(state).line) == ("one", 0)
    await take(model, state)
    observe(state, "7")
    assert (model.due(state).text, model.due(state).line) == ("got 7", 1)
    assert await take(model, state) == "got 7"


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        (Line(fail="unavailable"), "unavailable", "two.toml: reply 1 is scripted to fail: unavailable"),
        (Line(text="${result1}"), "script_error", "two.toml: reply 1: ${result1} stands for nothing"),
        (Line(text="x", when="no"), "script_exhausted", "passed over"),
    ],
)
def test_where_no_reply_is_due_it_is_said_why(line: Line, kind: str, said: str) -> None:
    with pytest.raises(ModelFailure) as failure:
        scripted(line).due(fresh())
    assert failure.value.kind == kind
    assert said in failure.value.detail
