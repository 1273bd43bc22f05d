"""Calls are checked, run within their limit, and classified; what comes too late changes nothing."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.ports import Checked, ToolOutcome, Tools
from workbench.toolkit.api import ToolError, idempotency_key, tool, workspace
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_function
from workbench.toolkit.workspace import Workspace

Boxed = Callable[..., ToolBox]
Call = Callable[..., Any]


@tool(risk="read", inline=True)
def add(a: float, b: float) -> float:
    """The sum."""
    return a + b


@tool(risk="read", idempotent=True)
def lookup(city: str) -> int:
    """A figure."""
    if city == "Atlantis":
        raise ToolError("No population on file for 'Atlantis'.")
    return 2_100_000


@tool(risk="write")
def note(text: str) -> str:
    """Writes a note."""
    workspace().append("notes.txt", text)
    return idempotency_key()


@tool(risk="write", name="files.move-all")
async def move(to: Literal["a", "b"]) -> str:
    """Moves."""
    workspace().write(f"{to}/moved.txt", "x")
    return "moved"


def names(folder: Workspace) -> list[str]:
    return sorted(path.relative_to(folder.root).as_posix() for path in folder.root.rglob("*") if path.is_file())


# ---------------------------------------------------------------- checking


def test_a_box_is_what_the_runner_asks_for(boxed: Boxed) -> None:
    tools: Tools = boxed(add, lookup)
    assert [info.name for info in boxed(lookup, add).infos] == ["add", "lookup"]
    assert tools.check("add", '{"b": 1, "a": 2.5}') == Checked(canonical='{"a":2.5,"b":1}')


def test_an_unknown_tool_is_answered_with_the_sorted_list(boxed: Boxed) -> None:
    checked = boxed(lookup, add).check("get_weather", "{not even json")
    assert checked.problem == "no tool named 'get_weather'. Available: ['add', 'lookup']"
    assert checked.problem_kind == "unknown_tool"


@pytest.mark.parametrize("name", ["Add", "functions.add", " add", "ad", ""])
def test_another_spelling_of_a_name_is_an_unknown_tool(boxed: Boxed, name: str) -> None:
    assert boxed(add).check(name, "{}").problem_kind == "unknown_tool"


def test_an_endless_name_is_shortened(boxed: Boxed) -> None:
    assert len(boxed(add).check("x" * 10**6, "{}").problem) < 200


def test_malformed_arguments_are_told_apart_from_invalid_ones(boxed: Boxed) -> None:
    box = boxed(add)
    malformed = box.check("add", '{"a": 1, "b":}')
    assert malformed.problem_kind == "malformed"
    assert malformed.problem.startswith("could not parse arguments as JSON")
    invalid = box.check("add", '{"a": "x", "b": "y"}')
    assert invalid.problem_kind == "invalid"
    assert 'Parameter "a" must be a number; the text "x" is not.' in invalid.problem
    assert 'Parameter "b" must be a number; the text "y" is not.' in invalid.problem
    assert malformed.canonical == invalid.canonical == ""


def test_what_was_put_right_in_arguments_is_noted(boxed: Boxed) -> None:
    checked = boxed(lookup).check("lookup", json.dumps('{"city": "Paris"}'))
    assert checked.canonical == '{"city":"Paris"}'
    assert checked.note


def test_no_arguments_at_all_are_the_empty_object(boxed: Boxed) -> None:
    @tool
    def nothing() -> str:
        """Nothing."""
        return "ok"

    assert boxed(nothing).check("nothing", "").canonical == "{}"


def test_half_a_character_in_arguments_is_refused_in_words(boxed: Boxed) -> None:
    checked = boxed(note).check("note", '{"text": "half \\ud83d emoji"}')
    assert checked.problem_kind == "invalid"
    assert "half a character" in checked.problem
    checked.problem.encode()


BOX = ToolBox([load_function(function) for function in (add, lookup, note, move)])


@given(st.sampled_from(["add", "lookup", "files.move-all", "zzz"]), st.text() | st.binary().map(repr))
def test_checking_never_raises(name: str, arguments: str) -> None:
    checked = BOX.check(name, arguments)
    assert bool(checked.problem) == (not checked.canonical)
    assert bool(checked.problem) == bool(checked.problem_kind)


@given(st.dictionaries(st.sampled_from("abc"), st.floats() | st.integers() | st.text(max_size=3)))
def test_what_was_checked_runs(arguments: dict[str, Any]) -> None:
    checked = BOX.check("add", json.dumps(arguments))
    if checked.problem:
        return
    outcome = asyncio.run(BOX.run("add", checked.canonical, within=None, key="", on_late=lambda *_: None))
    assert outcome.outcome == "ran" or "OverflowError" in outcome.detail
    assert BOX.check("add", checked.canonical).canonical == checked.canonical


def test_hostile_arguments_take_linear_time(boxed: Boxed) -> None:
    """Quadratic work on a megabyte would not end within the time a test has."""
    box = boxed(add)
    for text in (
        "[" * 1_000_000,
        '{"a":' * 200_000,
        '{"' + "a" * 1_000_000 + '": 1}',
        " " * 1_000_000,
        '{"a": ' + "9" * 10**6,
    ):
        assert box.check("add", text).problem


# ---------------------------------------------------------------- running


@pytest.mark.parametrize("inline", [True, False])
async def test_a_result_is_text_with_its_value(boxed: Boxed, call: Call, inline: bool) -> None:
    @tool(inline=inline)
    def double(n: int) -> dict[str, int]:
        """Twice."""
        return {"n": 2 * n}

    outcome = await call(boxed(double), "double", n=4)
    assert outcome == ToolOutcome(outcome="ran", content='{"n": 8}', value='{"n": 8}')


async def test_whole_numbers_add_up_to_a_whole_number(boxed: Boxed, call: Call) -> None:
    assert (await call(boxed(add), "add", a=2_100_000, b=9_700_000)).content == "11800000"


async def test_a_plain_function_has_a_thread_and_an_inline_one_has_none(boxed: Boxed, call: Call) -> None:
    def who() -> str:
        """Where it runs."""
        thread = threading.current_thread()
        return f"{thread is threading.main_thread()} {thread.daemon} {thread.name}"

    assert (await call(boxed(tool(who)), "who")).content == "False True tool who"
    assert (await call(boxed(tool(inline=True)(who)), "who")).content == "True False MainThread"


async def test_async_tools_run_beside_each_other(boxed: Boxed, call: Call) -> None:
    met = asyncio.Barrier(2)

    @tool
    async def meet() -> str:
        """Waits for the other call."""
        await met.wait()
        return "met"

    box = boxed(meet)
    outcomes = await asyncio.gather(call(box, "meet"), call(box, "meet"))
    assert [outcome.content for outcome in outcomes] == ["met", "met"]


async def test_the_decorated_function_stays_a_plain_function() -> None:
    assert add(1, 2) == 3
    with pytest.raises(ToolError):
        lookup("Atlantis")


async def test_a_tool_error_is_for_the_model(boxed: Boxed, call: Call) -> None:
    outcome = await call(boxed(lookup), "lookup", city="Atlantis")
    assert outcome == ToolOutcome(outcome="failed", content="No population on file for 'Atlantis'.")


def _raise(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize("kind", ["inline", "thread", "async"])
@pytest.mark.parametrize(
    "error",
    [
        TypeError("takes no secret"),
        KeyError("secret"),
        RecursionError("secret"),
        SystemExit("secret"),
        KeyboardInterrupt("secret"),
        StopIteration("secret"),
        asyncio.CancelledError("secret"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_any_other_exception_is_a_defect(boxed: Boxed, call: Call, kind: str, error: BaseException) -> None:
    @tool(inline=kind == "inline")
    def broken() -> str:
        """Breaks."""
        return str(_raise(error))

    @tool(name="broken")
    async def broken_async() -> str:
        """Breaks."""
        return str(_raise(error))

    outcome = await call(boxed(broken_async if kind == "async" else broken), "broken")
    assert outcome.outcome == "defect"
    assert not outcome.retry
    assert "secret" not in outcome.content
    assert type(error).__name__ in outcome.detail
    assert "_raise" in outcome.detail


async def test_a_type_error_in_the_body_is_not_taken_for_bad_arguments(boxed: Boxed, call: Call) -> None:
    @tool
    def buggy(x: int) -> int:
        """Has a bug."""
        return len(x)  # type: ignore[arg-type]

    outcome = await call(boxed(buggy), "buggy", x=1)
    assert outcome.outcome == "defect"
    assert "object of type 'int' has no len()" in outcome.detail


async def test_a_result_that_cannot_be_shown_is_a_defect(boxed: Boxed, call: Call) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("secret")

    @tool
    def odd() -> Any:
        """Odd."""
        return Odd()

    assert (await call(boxed(odd), "odd")).outcome == "defect"


async def test_arguments_that_were_never_checked_do_not_run(boxed: Boxed) -> None:
    box = boxed(add)
    outcome = await box.run("add", '{"a":"x","b":"y"}', within=None, key="", on_late=lambda *_: None)
    assert outcome.outcome == "failed"
    assert "must be a number" in outcome.content
    gone = await box.run("gone", "{}", within=None, key="", on_late=lambda *_: None)
    assert (gone.outcome, gone.content) == ("failed", "no tool named 'gone'. Available: ['add']")


# ---------------------------------------------------------------- time limits and cancelling


class Stuck:
    """A tool in a thread that goes on only when the test lets it."""

    def __init__(self, **options: Any) -> None:
        self.started = threading.Event()
        self.go_on = threading.Event()
        self.late: asyncio.Future[tuple[str, float]] = asyncio.get_running_loop().create_future()
        self.work: Callable[[], Any] = lambda: "too late"

        @tool(**options)
        def stuck() -> Any:
            """Waits."""
            self.started.set()
            assert self.go_on.wait(10)
            return self.work()

        self.tool = stuck

    def on_late(self, content: str, took: float) -> None:
        self.late.set_result((content, took))


async def test_a_stuck_tool_is_given_up_in_time_and_its_late_result_is_told(boxed: Boxed, call: Call) -> None:
    stuck = Stuck(risk="read")
    outcome = await call(boxed(stuck.tool), "stuck", within=0.02, on_late=stuck.on_late)
    assert outcome == ToolOutcome(
        outcome="failed",
        content="stuck did not finish within 0.02 s and was given up. Trying again may help.",
    )
    assert not stuck.late.done()
    stuck.go_on.set()
    content, took = await stuck.late
    assert content == "too late"
    assert took >= 0.02


async def test_the_shorter_limit_counts(boxed: Boxed, call: Call) -> None:
    stuck = Stuck(timeout=0.02)
    outcome = await call(boxed(stuck.tool), "stuck", within=50)
    assert "within 0.02 s" in outcome.content
    stuck.go_on.set()


async def test_after_a_time_out_only_what_is_safe_to_repeat_may_be_repeated(boxed: Boxed, call: Call) -> None:
    told = {}
    for risk, idempotent in (("read", False), ("write", True), ("write", False), ("outward", False)):
        stuck = Stuck(risk=risk, idempotent=idempotent)
        outcome = await call(boxed(stuck.tool), "stuck", within=0.001)
        told[risk, idempotent] = outcome.retry
        assert ("do not call it again" in outcome.content) is not outcome.retry
        stuck.go_on.set()
    assert told == {("read", False): True, ("write", True): True, ("write", False): False, ("outward", False): False}


async def test_what_a_late_tool_writes_changes_nothing(boxed: Boxed, call: Call, folder: Workspace) -> None:
    stuck = Stuck(risk="write")

    def write() -> str:
        workspace().write("late.txt", "late")
        return "written"

    stuck.work = write
    outcome = await call(boxed(stuck.tool), "stuck", within=0.01, on_late=stuck.on_late)
    assert outcome.effects == ()
    stuck.go_on.set()
    content, _ = await stuck.late
    assert content == "This call is over; nothing more is written."
    assert names(folder) == []


async def test_what_was_written_before_the_time_was_over_is_dropped(
    boxed: Boxed, call: Call, folder: Workspace
) -> None:
    written, go_on = threading.Event(), threading.Event()

    @tool(risk="write")
    def slow() -> str:
        """Writes, then waits."""
        workspace().write("early.txt", "early")
        written.set()
        go_on.wait(10)
        return "done"

    running = asyncio.create_task(call(boxed(slow), "slow", within=0.05))
    await asyncio.to_thread(written.wait, 10)
    outcome = await running
    go_on.set()
    assert (outcome.outcome, outcome.effects) == ("unknown", ())
    assert names(folder) == []


async def test_a_stuck_tool_does_not_hold_up_the_next(boxed: Boxed, call: Call) -> None:
    stuck = Stuck()
    box = boxed(stuck.tool, lookup)
    first = asyncio.create_task(call(box, "stuck", within=5))
    await asyncio.to_thread(stuck.started.wait, 10)
    assert (await call(box, "lookup", city="Paris")).content == "2100000"
    stuck.go_on.set()
    assert (await first).content == "too late"


async def test_an_async_tool_is_cancelled_at_its_limit(boxed: Boxed, call: Call, folder: Workspace) -> None:
    cancelled = asyncio.Event()

    @tool
    async def sleeper() -> str:
        """Sleeps."""
        workspace().write("a.txt", "x")
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return "never"

    outcome = await call(boxed(sleeper), "sleeper", within=0.01)
    assert outcome.outcome == "unknown"
    await cancelled.wait()
    assert names(folder) == []


async def test_an_async_tool_that_ignores_its_end_is_reported_late(boxed: Boxed, call: Call) -> None:
    late: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @tool
    async def stubborn() -> str:
        """Does not stop."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "still here"
        return "never"

    outcome = await call(
        boxed(stubborn), "stubborn", within=0.01, on_late=lambda content, took: late.set_result(content)
    )
    assert outcome.outcome == "unknown"
    assert await late == "still here"


async def test_cancelling_comes_through_at_once_and_closes_the_files(
    boxed: Boxed, call: Call, folder: Workspace
) -> None:
    stuck = Stuck(risk="write")
    stuck.work = lambda: workspace().write("late.txt", "late")
    running = asyncio.create_task(call(boxed(stuck.tool), "stuck", on_late=stuck.on_late))
    await asyncio.to_thread(stuck.started.wait, 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    stuck.go_on.set()
    assert (await stuck.late)[0] == "This call is over; nothing more is written."
    assert names(folder) == []


async def test_cancelling_ends_an_async_tool(boxed: Boxed, call: Call) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    @tool
    async def waits() -> None:
        """Waits."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    running = asyncio.create_task(call(boxed(waits), "waits"))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await ended.wait()


def test_a_result_after_the_end_of_the_app_is_nobodys(boxed: Boxed, call: Call) -> None:
    go_on, threads = threading.Event(), list[threading.Thread]()

    @tool
    def stuck() -> str:
        """Waits."""
        threads.append(threading.current_thread())
        go_on.wait(10)
        return "late"

    asyncio.run(call(boxed(stuck), "stuck", within=0.01))
    go_on.set()
    threads[0].join(10)
    assert not threads[0].is_alive()


# ---------------------------------------------------------------- the sandbox


async def test_what_a_call_wrote_takes_place_and_is_recorded(boxed: Boxed, call: Call, folder: Workspace) -> None:
    box = boxed(note, move)
    first = await call(box, "note", text="one\n", key="k1")
    assert first.content == "k1"
    assert first.effects == ({"path": "notes.txt", "append": "one\n"},)
    second = await call(box, "files.move-all", to="b")
    assert second.effects == ({"path": "b/moved.txt", "content": "x"},)
    assert names(folder) == ["b/moved.txt", "notes.txt"]
    assert box.file_text("notes.txt") == "one\n"


async def test_calls_at_the_same_time_see_their_own_files(boxed: Boxed, call: Call, folder: Workspace) -> None:
    box = boxed(note)
    outcomes = await asyncio.gather(*(call(box, "note", text=f"{n}\n", key=f"k{n}") for n in range(8)))
    assert [outcome.content for outcome in outcomes] == [f"k{n}" for n in range(8)]
    assert sorted((folder.root / "notes.txt").read_text().split()) == [str(n) for n in range(8)]


@pytest.mark.parametrize("error", [ToolError("no"), ValueError("bug")])
async def test_a_call_that_fails_has_changed_nothing(
    boxed: Boxed, call: Call, folder: Workspace, error: Exception
) -> None:
    @tool
    def half() -> None:
        """Writes and fails."""
        workspace().write("half.txt", "x")
        raise error

    outcome = await call(boxed(half), "half")
    assert outcome.effects == ()
    assert names(folder) == []


async def test_a_write_that_the_disk_refuses_is_a_failure_with_its_reason(
    boxed: Boxed, call: Call, folder: Workspace
) -> None:
    @tool
    def both() -> str:
        """Writes two files; in between somebody makes a folder of the second."""
        workspace().write("a.txt", "x")
        workspace().write("b.txt", "x")
        (folder.root / "b.txt").mkdir()
        return "done"

    outcome = await call(boxed(both), "both")
    assert outcome.outcome == "failed"
    assert outcome.content == '"b.txt" could not be written: Is a directory.'
    assert outcome.effects == ({"path": "a.txt", "content": "x"},)


async def test_a_run_without_a_workspace_says_so(call: Call) -> None:
    box = ToolBox([load_function(note)])
    outcome = await call(box, "note", text="x")
    assert (outcome.outcome, outcome.retry) == ("failed", False)
    assert outcome.content == "This run has no workspace, so there are no files to use."
    assert box.file_text("a.txt") is None


def test_the_text_of_a_file_or_none(boxed: Boxed, folder: Workspace) -> None:
    (folder.root / "a.bin").write_bytes(b"a\xff")
    (folder.root / "sub").mkdir()
    box = boxed(add)
    assert box.file_text("a.bin") == "a\ufffd"
    for path in ("absent", "sub", "../a.bin", "\0"):
        assert box.file_text(path) is None


# ---------------------------------------------------------------- previews


def test_a_preview_gets_the_arguments_and_sees_the_files(boxed: Boxed, folder: Workspace) -> None:
    (folder.root / "a.txt").write_text("12345")

    def preview(path: str, times: int = 1) -> str:
        workspace().write(path, "a preview changes nothing")
        return f"Deletes {path} with {len((folder.root / path).read_text())} characters, {times} times."

    @tool(preview=preview)
    def delete(path: str, times: int = 1) -> None:
        """Deletes."""

    assert boxed(delete).preview("delete", '{"path":"a.txt"}') == "Deletes a.txt with 5 characters, 1 times."
    assert (folder.root / "a.txt").read_text() == "12345"


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit()])
def test_a_preview_that_breaks_says_so(boxed: Boxed, error: BaseException) -> None:
    @tool(preview=lambda: _raise(error))
    def delete() -> None:
        """Deletes."""

    assert boxed(delete).preview("delete", "{}") == "(the tool's preview failed)"


def test_a_preview_that_raises_what_the_tool_would_says_why_it_will_be_refused(boxed: Boxed) -> None:
    @tool(preview=lambda: _raise(ToolError("There is nothing to delete.")))
    def delete() -> None:
        """Deletes."""

    assert boxed(delete).preview("delete", "{}") == "The tool will refuse this: There is nothing to delete."


def test_no_preview_is_an_empty_sentence(boxed: Boxed) -> None:
    assert boxed(add).preview("add", '{"a":1,"b":2}') == ""
    assert boxed(add).preview("gone", "{}") == ""


def test_a_preview_is_short_and_valid_text(boxed: Boxed) -> None:
    @tool(preview=lambda: "half \ud83d" + "x" * 10_000)
    def delete() -> None:
        """Deletes."""

    sentence = boxed(delete).preview("delete", "{}")
    assert sentence.startswith("half \ufffdxx")
    assert len(sentence) == 1000
