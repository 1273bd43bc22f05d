"""Whether a run came to what its scenario expects. Pure: what there is to know of the run comes in one value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workbench.core.patterns import search
from workbench.core.statuses import SUCCESSES, Status
from workbench.scenarios.schema import ExpectTable, RangeTable

_SHOWN = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run came to."""

    status: Status
    answer: str | None = None
    steps: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    errors: int = 0
    calls: tuple[str, ...] = ()
    """Names of the tools called, in call order."""
    chars_seen: tuple[int, ...] = ()
    """Characters of the transcript in each request, instructions apart."""
    observations: tuple[str, ...] = ()
    """What the model was given after its replies, in order."""
    transcript: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path to content, for every file of the run's sandbox."""
    stopped_by: str = ""
    """The knob that ended the run; "" where there is none."""
    unused_replies: tuple[int, ...] = ()
    """Indices of scripted replies that were never served."""
    unused_summaries: tuple[int, ...] = ()
    """Indices of scripted summaries that were never asked for."""
    unused_exchanges: tuple[int, ...] = ()
    """Indices of recorded exchanges that the run did not come to."""
    unused_person: tuple[int, ...] = ()
    """Indices of `[[person]]` entries that were never used."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One expectation that does not hold: its key, what was expected, what came. All are for people."""

    key: str
    expected: str
    actual: str


def check(expect: ExpectTable, outcome: RunOutcome) -> list[Mismatch]:
    """Every expectation that does not hold, and scripted lines and person entries that were never used."""
    return [
        *_ending(expect, outcome),
        *_figures(expect, outcome),
        *_calls(expect, outcome),
        *_texts(expect, outcome),
        *_unused(outcome),
    ]


def of_any_model(expect: ExpectTable) -> ExpectTable | None:
    """What is expected whoever is asked: a good end, its answer, its files; None where nothing of that is.

    How many steps it takes, which tools are called and in which words is the business of the model.
    """
    status = expect.status if expect.status in SUCCESSES else None
    left = ExpectTable(status=status, answer=expect.answer, answer_matches=expect.answer_matches, files=expect.files)
    return None if left == ExpectTable() else left


def check_any_model(expect: ExpectTable, outcome: RunOutcome) -> list[Mismatch]:
    """Every expectation of `of_any_model` that does not hold. An answer need not be given in the same words."""
    as_given = expect.answer is not None and outcome.answer is not None and expect.answer in outcome.answer
    if as_given:
        expect = expect.model_copy(update={"answer": outcome.answer})
    return [*_ending(expect, outcome), *_files(expect, outcome)]


def _ending(expect: ExpectTable, outcome: RunOutcome) -> Iterator[Mismatch]:
    if expect.status is not None and expect.status is not outcome.status:
        yield Mismatch("status", expect.status.value, outcome.status.value)
    if expect.stopped_by is not None and expect.stopped_by != outcome.stopped_by:
        yield Mismatch("stopped_by", expect.stopped_by, outcome.stopped_by or "no knob")
    answer = "no answer" if outcome.answer is None else _quoted(outcome.answer)
    if expect.answer is not None and expect.answer != outcome.answer:
        yield Mismatch("answer", _quoted(expect.answer), answer)
    pattern = expect.answer_matches
    if pattern is not None and (outcome.answer is None or search(pattern, outcome.answer) is None):
        yield Mismatch("answer_matches", pattern, answer)


def _figures(expect: ExpectTable, outcome: RunOutcome) -> Iterator[Mismatch]:
    for key, wanted, actual in (
        ("steps", expect.steps, outcome.steps),
        ("model_calls", expect.model_calls, outcome.model_calls),
        ("tool_calls", expect.tool_calls, outcome.tool_calls),
    ):
        if wanted is not None and not _within(wanted, actual):
            yield Mismatch(key, _bounds(wanted), str(actual))
    if expect.chars_seen is not None and expect.chars_seen != outcome.chars_seen:
        yield Mismatch("chars_seen", str(list(expect.chars_seen)), str(list(outcome.chars_seen)))


def _within(wanted: int | RangeTable, actual: int) -> bool:
    if isinstance(wanted, int):
        return wanted == actual
    return (wanted.min is None or wanted.min <= actual) and (wanted.max is None or actual <= wanted.max)


def _bounds(wanted: int | RangeTable) -> str:
    if isinstance(wanted, int):
        return str(wanted)
    if wanted.max is None:
        return f"{wanted.min} or more"
    return f"{wanted.max} or fewer" if wanted.min is None else f"{wanted.min} to {wanted.max}"


def _calls(expect: ExpectTable, outcome: RunOutcome) -> Iterator[Mismatch]:
    if expect.calls is not None and not _calls_match(expect.calls, outcome.calls, expect.calls_match):
        how = "" if expect.calls_match == "exact" else f" ({expect.calls_match})"
        yield Mismatch("calls", f"{_names(expect.calls)}{how}", _names(outcome.calls))


def _calls_match(wanted: Sequence[str], actual: Sequence[str], how: Literal["exact", "in_order", "any_order"]) -> bool:
    if how == "exact":
        return list(wanted) == list(actual)
    if how == "any_order":
        return Counter(wanted) <= Counter(actual)
    rest = iter(actual)
    return all(name in rest for name in wanted)


def _texts(expect: ExpectTable, outcome: RunOutcome) -> Iterator[Mismatch]:
    if expect.observations is not None:
        rest = iter(outcome.observations)
        for index, wanted in enumerate(expect.observations):
            if not any(wanted in text for text in rest):
                seen = _quoted(" | ".join(outcome.observations)) if outcome.observations else "no observation"
                order = " after the ones before it" if index else ""
                yield Mismatch(f"observations[{index}]", f"{_quoted(wanted)} in an observation{order}", seen)
                break
    if expect.transcript is not None and expect.transcript != outcome.transcript:
        yield Mismatch("transcript", *_first_difference(expect.transcript, outcome.transcript))
    yield from _files(expect, outcome)


def _files(expect: ExpectTable, outcome: RunOutcome) -> Iterator[Mismatch]:
    for name, content in (expect.files or {}).items():
        actual = outcome.files.get(name)
        if actual != content:
            there = "no such file" if actual is None else _quoted(actual)
            yield Mismatch(f"files.{json.dumps(name, ensure_ascii=False)}", _quoted(content), there)


def _first_difference(wanted: str, actual: str) -> tuple[str, str]:
    ours, theirs = wanted.split("\n"), actual.split("\n")
    pairs = zip(ours, theirs, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
    lines = [_quoted(text[at]) if at < len(text) else "the end" for text in (ours, theirs)]
    return f"line {at + 1}: {lines[0]}", f"line {at + 1}: {lines[1]}"


def _unused(outcome: RunOutcome) -> Iterator[Mismatch]:
    for index in outcome.unused_replies:
        yield Mismatch(f"model.reply[{index}]", "used", "never used")
    for index in outcome.unused_summaries:
        yield Mismatch(f"model.summary[{index}]", "used", "never used")
    for index in outcome.unused_exchanges:
        yield Mismatch(f"model.exchange[{index}]", "used", "never used")
    for index in outcome.unused_person:
        yield Mismatch(f"person[{index}]", "used", "never used")


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "no calls"


def _quoted(text: str) -> str:
    return json.dumps(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…", ensure_ascii=False)
