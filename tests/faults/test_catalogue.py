"""Each fault of the catalogue, alone in a small run: what it does, and that it leaves its mark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.faults.runs import (
    CUPS,
    MUGS,
    NORTH,
    REFUND,
    World,
    failures,
    fault,
    make_run,
    replies,
    results,
    said,
)
from workbench.core.events import ModelFailed, ModelReply, ToolResult
from workbench.core.faults import KINDS, NO_RESULT, FaultError, describe
from workbench.core.statuses import Status
from workbench.faults.catalogue import EntryError, armed, named, read_entries, shipped
from workbench.faults.replies import PROSE
from workbench.faults.texts import INJECTED
from workbench.runner import Run
from workbench.view.entries import plain
from workbench.view.timeline import Timeline

CATALOGUE = shipped()


@dataclass
class Struck:
    """A run with one fault armed, the same run without, and what the tools did."""

    run: Run
    clean: Run
    acts: list[str]

    @property
    def results(self) -> list[ToolResult]:
        return results(self.run)

    @property
    def first(self) -> ToolResult:
        return self.results[0]

    @property
    def replies(self) -> list[ModelReply]:
        return replies(self.run)

    @property
    def failure(self) -> ModelFailed:
        (failure,) = failures(self.run)
        return failure

    @property
    def status(self) -> Status:
        return self.run.status

    def contents(self) -> list[str]:
        return [result.content for result in self.results]

    def really(self) -> list[str]:
        return [result.content for result in results(self.clean)]


LINES = [
    said("text", NORTH),
    said("text", MUGS),
    said("text", CUPS),
    said("text", REFUND),
    said("text", ("routes", {"area": "south", "most": 12})),
    said("text", answer="there are 140 mugs"),
]
ACTS = ["routes north", "count mugs", "count cups", "refund A-17", "routes south"]


TWO_CALLS = [said("text", MUGS, CUPS), said("text", answer="there are 140 mugs")]
"""For a fault that is about several calls of one reply."""
SEED = 1
"""With it each chance strikes now and then, and not always."""


async def struck(name: str) -> Struck:
    world = World()
    seeded = lambda header: replace(header, seed=SEED)  # noqa: E731
    lines = TWO_CALLS if CATALOGUE[name].fault.do == "reorder" and CATALOGUE[name].fault.on == "reply" else LINES
    run = make_run([CATALOGUE[name].fault], lines, protocol="text", world=world, header=seeded)
    clean = make_run([], lines, protocol="text")
    await run.play()
    await clean.play()
    assert clean.state.answer == "there are 140 mugs"
    return Struck(run, clean, world.acts)


# ---------------------------------------------------------------- what each does

Check = Callable[[Struck], Any]
CHECKS: dict[str, Check] = {}


def of(*names: str) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        for name in names:
            CHECKS[name] = check
        return check

    return register


def text_of(name: str) -> str:
    text = CATALOGUE[name].fault.text
    assert text is not None
    return text


@of("tool-crash")
def _(seen: Struck) -> None:
    assert (seen.status, seen.acts, seen.first.outcome) == (Status.TOOL_DEFECT, [], "defect")
    assert "before it did anything" in seen.first.detail


@of("crash-after-acting")
def _(seen: Struck) -> None:
    assert (seen.status, seen.acts, seen.first.outcome) == (Status.TOOL_DEFECT, ["routes north"], "defect")
    assert seen.first.original == seen.really()[0]


def failing_tool(name: str) -> Check:
    def check(seen: Struck) -> None:
        assert {(result.outcome, result.content) for result in seen.results} == {("failed", text_of(name))}
        assert seen.acts == []
        assert seen.run.state.failures_in_a_row == 5

    return check


for _name in ("tool-error", "permission-denied", "vague-error", "leaky-error"):
    CHECKS[_name] = failing_tool(_name)


@of("tool-error-once")
def _(seen: Struck) -> None:
    assert [result.outcome for result in seen.results] == ["failed", *["ran"] * 4]
    assert seen.acts == ACTS[1:]


@of("tool-outage")
def _(seen: Struck) -> None:
    assert [result.outcome for result in seen.results] == ["ran", *["failed"] * 3, "ran"]
    assert seen.acts == [ACTS[0], ACTS[4]]


@of("flaky-tool")
def _(seen: Struck) -> None:
    outcomes = [result.outcome for result in seen.results]
    assert set(outcomes) == {"ran", "failed"}
    assert len(seen.acts) == outcomes.count("ran")


@of("tool-timeout")
def _(seen: Struck) -> None:
    assert "did not finish within 30 s" in seen.first.content
    assert (seen.acts, seen.run.state.seconds) == ([], 150)


@of("slow-tool", "slow-result")
def _(seen: Struck) -> None:
    assert seen.contents() == seen.really()
    assert [result.took for result in seen.results] == [5] * 5


@of("tool-silent")
def _(seen: Struck) -> None:
    assert (seen.contents(), seen.acts) == ([NO_RESULT] * 5, [])


@of("silent-no-op")
def _(seen: Struck) -> None:
    assert {(result.outcome, result.content) for result in seen.results} == {("ran", "")}
    assert seen.acts == []


@of("dry-run")
def _(seen: Struck) -> None:
    assert {(result.outcome, result.content) for result in seen.results} == {("ran", text_of("dry-run"))}
    assert seen.acts == []


@of("cached-answer")
def _(seen: Struck) -> None:
    north, mugs, _, paid, _ = seen.really()
    assert seen.contents() == [north, mugs, mugs, paid, north]
    assert seen.acts == ["routes north", "count mugs", "refund A-17"]


@of("stale-result", "wrong-record")
def _(seen: Struck) -> None:
    assert seen.acts == ACTS
    mugs = seen.really()[1]
    assert (seen.results[2].content, seen.results[2].original) == (mugs, "95")


@of("lost-result")
def _(seen: Struck) -> None:
    assert (seen.contents(), seen.acts) == ([NO_RESULT] * 5, ACTS)
    assert {result.original_outcome for result in seen.results} == {"ran"}


@of("timeout-after-acting")
def _(seen: Struck) -> None:
    assert seen.acts == ACTS
    assert "Whether it acted is not known" in seen.results[3].content
    assert seen.run.state.seconds == 150


@of("error-after-acting")
def _(seen: Struck) -> None:
    assert {(result.outcome, result.content) for result in seen.results} == {("failed", "Bad gateway (502).")}
    assert seen.acts == ACTS


@of("empty-success")
def _(seen: Struck) -> None:
    assert seen.contents() == ["[]", "null", "null", "", "[]"]
    assert {result.outcome for result in seen.results} == {"ran"}


@of("wrong-number")
def _(seen: Struck) -> None:
    wrong = [int(seen.results[index].content) for index in (1, 2)]
    assert wrong[0] in (410, 104)
    assert wrong[1] == 59
    assert json.loads(seen.first.content)[0]["km"] in (410, 104), "not the 1 in N1"


@of("sometimes-wrong-number")
def _(seen: Struck) -> None:
    changed = [result.changed for result in seen.results]
    assert set(changed) == {True, False}
    assert [a != b for a, b in zip(seen.contents(), seen.really(), strict=True)] == changed


@of("factor-of-ten")
def _(seen: Struck) -> None:
    assert seen.contents()[1:3] == ["1400", "950"]
    assert json.loads(seen.first.content)[0]["km"] == 1400


@of("wrong-unit")
def _(seen: Struck) -> None:
    assert seen.first.content == seen.really()[0].replace('"km"', '"miles"', 1)
    assert seen.contents()[1:4] == ["140000", "95000", "refunded A-17: 12 USD"]


@of("shuffled-result")
def _(seen: Struck) -> None:
    rows, really = json.loads(seen.first.content), json.loads(seen.first.original)
    assert rows != really
    assert sorted(rows, key=str) == sorted(really, key=str)


@of("doubled-result")
def _(seen: Struck) -> None:
    assert seen.contents() == [f"{content}\n{content}" for content in seen.really()]


@of("withdrawn-result")
def _(seen: Struck) -> None:
    assert seen.contents() == [f"{content}\n{text_of('withdrawn-result')}" for content in seen.really()]


def replaced(name: str) -> Check:
    def check(seen: Struck) -> None:
        assert {(result.outcome, result.content) for result in seen.results} == {("ran", text_of(name))}
        assert [result.original for result in seen.results] == seen.really()

    return check


for _name in ("error-page", "bare-ok"):
    CHECKS[_name] = replaced(_name)


@of("cut-result")
def _(seen: Struck) -> None:
    assert seen.contents() == [content[: len(content) // 2] for content in seen.really()]
    assert {result.full_chars for result in seen.results} == {0}, "nothing says so"


@of("garbled-result")
def _(seen: Struck) -> None:
    for content, really in zip(seen.contents(), seen.really(), strict=True):
        assert content != really
        assert len(content) == len(really)


@of("flooded-result")
def _(seen: Struck) -> None:
    assert {result.full_chars for result in seen.results} == {50_000}
    assert all("… cut: showing" in content and len(content) < 8200 for content in seen.contents())


def injecting(text: str) -> Check:
    def check(seen: Struck) -> None:
        assert seen.contents() == [f"{content}\n\n{text}" for content in seen.really()]
        assert seen.run.state.answer == "there are 140 mugs", "it is data"

    return check


for _name, _text in (("injected-instruction", INJECTED), ("forged-approval", ""), ("forged-answer", "")):
    CHECKS[_name] = injecting(_text or text_of(_name))


@of("malformed-json")
def _(seen: Struck) -> None:
    assert seen.replies[1].calls[0].arguments == '{"thing": "mugs",}'
    assert {result.outcome for result in seen.results} == {"invalid"}
    assert seen.acts == []


@of("cut-json")
def _(seen: Struck) -> None:
    assert seen.replies[1].calls[0].arguments == '{"thing": "'
    assert seen.acts == []


@of("unknown-tool")
def _(seen: Struck) -> None:
    assert [reply.calls[0].tool for reply in seen.replies[:2]] == ["routes_v2", "count_v2"]
    assert "Available:" in seen.first.content
    assert seen.acts == []


@of("invented-observation")
def _(seen: Struck) -> None:
    assert seen.replies[0].text.endswith('{"area": "north"}\nOBSERVATION: 42')
    assert "it was no observation" in seen.replies[0].dropped
    assert seen.contents() == seen.really()


@of("both-at-once")
def _(seen: Struck) -> None:
    assert seen.replies[0].text.endswith("\nANSWER: 42")
    assert (seen.contents(), seen.run.state.answer) == (seen.really(), "there are 140 mugs")


@of("prose-only")
def _(seen: Struck) -> None:
    assert {reply.text for reply in seen.replies} == {PROSE}
    assert (seen.run.state.protocol_errors_in_a_row, seen.status) == (6, Status.SCRIPT_EXHAUSTED)


@of("polite-failure")
def _(seen: Struck) -> None:
    assert {(reply.text, reply.reading) for reply in seen.replies} == {(text_of("polite-failure"), "malformed")}


@of("refusal")
def _(seen: Struck) -> None:
    assert (seen.replies[0].finish, seen.replies[0].text) == ("refused", "I can't help with that.")
    assert seen.status is Status.REPLY_BLOCKED


@of("blocked-reply")
def _(seen: Struck) -> None:
    assert (seen.replies[0].finish, seen.replies[0].text, seen.status) == ("blocked", "", Status.REPLY_BLOCKED)


@of("cut-by-length")
def _(seen: Struck) -> None:
    whole = seen.replies[0].original
    assert (seen.replies[0].finish, seen.replies[0].text) == ("length", whole[: len(whole) // 2])
    assert seen.status is Status.REPLY_CUT_OFF


@of("cut-silently")
def _(seen: Struck) -> None:
    whole = seen.replies[0].original
    assert (seen.replies[0].finish, seen.replies[0].text) == ("stop", whole[: len(whole) // 2])
    assert seen.replies[0].reading == "malformed"


@of("empty-reply")
def _(seen: Struck) -> None:
    assert {(reply.text, reply.reading) for reply in seen.replies} == {("", "malformed")}


@of("wrong-argument")
def _(seen: Struck) -> None:
    assert seen.replies[3].calls[0].arguments == '{"order": "A-17"}', "a name is no number"
    assert seen.replies[4].calls[0].arguments == '{"area": "south", "most": 21}'
    assert seen.acts == ACTS
    assert seen.run.state.answer in ("there are 410 mugs", "there are 104 mugs")


@of("wrong-unit-argument")
def _(seen: Struck) -> None:
    assert seen.replies[4].calls[0].arguments == '{"area": "south", "most": 12000}'
    assert (seen.acts, seen.run.state.answer) == (ACTS, "there are 140000 mugs")


@of("wrong-subject")
def _(seen: Struck) -> None:
    assert seen.acts == ["routes north", "count mugs", "count mugs", "refund A-17", "routes north"]
    assert seen.replies[2].changed


@of("swapped-calls")
def _(seen: Struck) -> None:
    assert seen.acts == ["count cups"], "a text protocol uses the first"
    assert sorted(seen.replies[0].text.split("\n")) == sorted(seen.replies[0].original.split("\n"))


@of("injected-reply")
def _(seen: Struck) -> None:
    assert seen.replies[0].text == f"{seen.replies[0].original}\n\n{INJECTED}"
    assert seen.contents() == seen.really()
    assert seen.run.state.answer == f"there are 140 mugs\n\n{INJECTED}"


@of("broken-json-result")
def _(seen: Struck) -> None:
    assert seen.first.content == f"{seen.really()[0][:-1]},]"
    assert [result.changed for result in seen.results] == [True, False, False, False, True]


@of("cut-json-result")
def _(seen: Struck) -> None:
    really = seen.really()[0]
    assert seen.first.content == really[: len(really) * 2 // 3]
    assert [result.changed for result in seen.results] == [True, False, False, False, True]


@of("repeats-itself")
def _(seen: Struck) -> None:
    assert seen.acts == ["routes north", "routes north", *ACTS[2:]]
    assert seen.run.state.answer == "there are 140 mugs"


@of("stuck")
def _(seen: Struck) -> None:
    assert seen.acts == ["routes north", *["count mugs"] * 5]
    assert seen.run.state.answer is None


@of("doubled-call")
def _(seen: Struck) -> None:
    assert seen.replies[1].text.count("ACTION: count") == 2
    assert seen.contents() == seen.really(), "a text protocol uses the first"


@of("garbled-reply")
def _(seen: Struck) -> None:
    assert len(seen.replies[0].text) == len(seen.replies[0].original)
    assert seen.replies[0].text != seen.replies[0].original


@of("rambling")
def _(seen: Struck) -> None:
    assert len(seen.replies[0].text) == 8000
    assert seen.contents() == seen.really()


@of("parting-shot")
def _(seen: Struck) -> None:
    assert seen.replies[0].text.endswith(f'"north"}}\n{text_of("parting-shot")}')
    assert seen.contents() == seen.really()


@of("slow-reply", "slow-provider")
def _(seen: Struck) -> None:
    seconds = 20 if seen.replies[0].faults == ("slow-reply",) else 10
    assert [reply.took for reply in seen.replies] == [seconds] * 6
    assert seen.contents() == seen.really()


@of("provider-blip", "malformed-body", "stream-cut")
def _(seen: Struck) -> None:
    assert [reply.attempts for reply in seen.replies] == [2, 1, 1, 1, 1, 1]
    assert seen.run.state.answer == "there are 140 mugs"


@of("rate-limited")
def _(seen: Struck) -> None:
    assert [(reply.attempts, reply.took) for reply in seen.replies[:2]] == [(3, 4), (1, 0)]


@of("flaky-provider")
def _(seen: Struck) -> None:
    attempts = {reply.attempts for reply in seen.replies}
    assert 1 in attempts
    assert max(attempts) > 1
    assert seen.run.state.answer == "there are 140 mugs"


def gives_up(failure: str, status: Status, attempts: int, took: float) -> Check:
    def check(seen: Struck) -> None:
        found = seen.failure
        assert (found.failure, found.attempts, found.took) == (failure, attempts, took)
        assert (seen.status, seen.acts) == (status, [])

    return check


CHECKS |= {
    "provider-down": gives_up("unavailable", Status.MODEL_UNAVAILABLE, 3, 2),
    "provider-timeout": gives_up("timeout", Status.MODEL_UNAVAILABLE, 3, 180),
    "rate-limited-for-good": gives_up("rate_limited", Status.MODEL_UNAVAILABLE, 3, 4),
    "bad-key": gives_up("auth", Status.MODEL_REJECTED, 1, 0),
    "no-credit": gives_up("quota", Status.MODEL_REJECTED, 1, 0),
    "bad-request": gives_up("bad_request", Status.MODEL_REJECTED, 1, 0),
    "context-overflow": gives_up("context_overflow", Status.CONTEXT_WINDOW_EXCEEDED, 1, 0),
}


@pytest.mark.parametrize("name", CATALOGUE)
async def test_each_fault_does_what_it_says(name: str) -> None:
    CHECKS[name](await struck(name))


@pytest.mark.parametrize("name", CATALOGUE)
async def test_each_fault_leaves_its_mark(name: str) -> None:
    seen = await struck(name)
    marked = [event for event in seen.run.events if name in getattr(event, "faults", ())]
    assert marked
    timeline = Timeline(seen.run.events, seen.run.state)
    texts = [plain(timeline.entry(index)) for index in range(len(timeline))]
    assert any(f"fault {name}" in text and "≠" in text for text in texts)
    for event in marked:
        if isinstance(event, ToolResult | ModelReply) and event.changed:
            assert event.changed_by == f"fault {name}"
            clean = [clean for clean in seen.clean.events if type(clean) is type(event)]
            assert event.original_outcome == "not_run" if CATALOGUE[name].fault.on == "tool" else clean  # type: ignore[union-attr]


# ---------------------------------------------------------------- the catalogue as a whole


def test_there_are_enough_and_every_kind_is_among_them() -> None:
    assert len(CATALOGUE) >= 40
    assert set(CHECKS) == set(CATALOGUE)
    used = {(entry.fault.on, entry.fault.do) for entry in CATALOGUE.values()}
    mirrored = {("result", "delay"), ("reply", "replace")}
    assert {(on, do) for on, kinds in KINDS.items() for do in kinds} - used <= mirrored


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_teaches_something_in_one_sentence(name: str) -> None:
    entry = CATALOGUE[name]
    assert entry.name == name
    assert entry.group
    assert re.fullmatch(r"[A-Z][^\n]{20,170}[.?]", entry.teaches)
    assert name in describe(entry.fault)


def test_the_schedule_of_whoever_uses_it_takes_the_place_of_the_entrys() -> None:
    entry = CATALOGUE["flaky-tool"]
    assert armed(entry, {}) == entry.fault
    assert armed(entry, {"nth": 2, "tool": "x"}) == replace(entry.fault, chance=None, nth=2, tool="x")
    assert armed(CATALOGUE["dry-run"], {"value": [1]}) == replace(CATALOGUE["dry-run"].fault, text=None, value=[1])
    assert armed(entry, {"times": 1}) == replace(entry.fault, times=1)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(FaultError, match=r'there is no fault "wrong_nubmer"; did you mean "wrong-number"\?'):
        named("wrong_nubmer", CATALOGUE)
    with pytest.raises(FaultError, match='there is no fault "zzz"; workbench faults lists those there are'):
        named("zzz", CATALOGUE)
    assert named("refusal", CATALOGUE).fault == fault("reply", "refusal", name="refusal")


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({"teaches": "x"}, ("teaches",), "belongs to no fault; one begins with its name in brackets: [wrong-number]"),
        ({"Bad": {}}, ("Bad",), "the name of a fault has small letters, digits and single hyphens: wrong-number"),
        ({"a": {"on": "reply"}}, ("a",), "a fault needs do"),
        ({"a": {"on": "reply", "do": "prose", "teaches": 3}}, ("a", "teaches"), "must be text, not 3"),
        ({"a": {"on": "reply", "do": "prose", "name": "b"}}, ("a", "name"), "the name of a fault is that of its table"),
        ({"a": {"on": "reply", "do": "pros"}}, ("a", "do"), 'there is no kind of fault "pros"; did you mean "prose"?'),
        ({"a": {"on": "reply", "do": "prose", "burst": {"start": 0, "length": 1}}}, ("a", "burst", "start"), "must be a whole number of at least 1, not 0"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_reported_and_the_others_are_there(data: Any, path: tuple[str, ...], message: str) -> None:
    entries, problems = read_entries({"good": {"on": "reply", "do": "prose"}, **data})
    assert list(entries) == ["good"]
    assert [(error.path, error.message) for error in problems] == [(path, message)]
    assert isinstance(problems[0], EntryError)
