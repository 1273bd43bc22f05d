"""The fault matrix: every step of a run against every fault, and what becomes of the run. Pure.

The scenario is run once as it is. Then once for each cell, with one fault armed in one step and nothing else changed;
what such a run comes to is held against what the scenario expects, or else against the unbroken run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from workbench.core.canonical import digest
from workbench.core.patterns import search
from workbench.core.statuses import SENTENCES, SUCCESSES, Status
from workbench.core.values import Fault
from workbench.faults.catalogue import Entry
from workbench.scenarios.schema import ExpectTable, ReplyTable, Scenario

End = Literal["ended", "endless", "broken"]
"""How a trial ended: by itself (a run that waits for a person has, too), given up, or with a failure around the run."""
Place = tuple[str, int]
"""Name of the fault, and step from 1."""

_SHOWN = 60


class Verdict(StrEnum):
    """What a fault in a step did to the run."""

    RECOVERED = "recovered"
    WRONG = "wrong"
    STOPPED = "stopped"
    ENDLESS = "endless"
    DEFECT = "defect"
    NOT_STRUCK = "not_struck"


SIGNS: Mapping[Verdict, str] = {
    Verdict.RECOVERED: "✓",
    Verdict.WRONG: "✗",
    Verdict.STOPPED: "■",
    Verdict.ENDLESS: "∞",
    Verdict.DEFECT: "!",
    Verdict.NOT_STRUCK: "·",
}
WORDS: Mapping[Verdict, str] = {
    Verdict.RECOVERED: "recovered",
    Verdict.WRONG: "wrong",
    Verdict.STOPPED: "stopped",
    Verdict.ENDLESS: "endless",
    Verdict.DEFECT: "defect",
    Verdict.NOT_STRUCK: "not struck",
}
MEANINGS: Mapping[Verdict, str] = {
    Verdict.RECOVERED: "the run came to what is right all the same",
    Verdict.WRONG: "it ended as if all were well, with a wrong answer or wrong files",
    Verdict.STOPPED: "it ended, or waits, without an answer",
    Verdict.ENDLESS: "nothing ended it, so it was given up",
    Verdict.DEFECT: "a tool or the loop broke",
    Verdict.NOT_STRUCK: "in this step there is nothing that the fault could change",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one run came to. No times and no paths are in it, so that the same run gives the same value everywhere."""

    end: End = "ended"
    status: Status = Status.RUNNING
    knob: str = ""
    """The knob that stopped it, and "" where none did."""
    detail: str = ""
    """What is to be said beyond the status, for people."""
    answer: str | None = None
    steps: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    errors: int = 0
    moves: int = 0
    files: Mapping[str, str] = field(default_factory=dict)
    """Path to digest (`file_digest`) of each file that the run left in its sandbox."""
    asked: int = 0
    """The last step in which the model was asked for a reply, from 1."""
    tools: tuple[tuple[str, ...], ...] = ()
    """For each step, the tools that it started."""
    struck: bool = False
    """Whether the fault came to act."""
    changed: bool = False
    """Whether that made any difference to a reply, a result, a request or the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One fault in one step."""

    verdict: Verdict
    sentence: str
    """What happened, for people; text of models and tools is in it."""
    trial: Trial | None = None
    """None where nothing had to be run to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A matrix, as far as it has been filled."""

    title: str
    caution: str = ""
    """What the model of this scenario cannot show, as a sentence; "" where there is nothing to say."""
    unbroken: Trial
    faults: tuple[Entry, ...]
    cells: Mapping[Place, Cell]

    @property
    def steps(self) -> range:
        """The columns."""
        return range(1, self.unbroken.asked + 1)

    def counts(self) -> dict[Verdict, int]:
        """How many cells there are of each verdict, in the order of the verdicts."""
        found = Counter(cell.verdict for cell in self.cells.values())
        return {verdict: found[verdict] for verdict in Verdict}


def file_digest(text: str) -> str:
    """What stands for the text of a file in a trial."""
    return digest(text)


# ---------------------------------------------------------------- what to run


def fault_keys(fault: Fault, step: int) -> dict[str, int]:
    """The keys that arm the fault in that step alone.

    The step takes the place of its own schedule; what that says of how often it strikes stays: a blip is no outage.
    """
    times = fault.times
    if fault.nth is not None or fault.chance is not None:
        times = 1
    elif fault.burst is not None:
        times = fault.burst.length if times is None else min(times, fault.burst.length)
    return {"step": step} if times is None else {"step": step, "times": times}


def idle_cells(unbroken: Trial, faults: Sequence[Entry]) -> dict[Place, Cell]:
    """The cells that need no run: a fault of calls in a step that starts none.

    Up to the step a broken run is the unbroken one, so what the fault is about does not come by in it either.
    """
    nothing = Cell(verdict=Verdict.NOT_STRUCK, sentence="no tool runs in this step")
    steps = range(1, unbroken.asked + 1)
    return {
        (entry.name, step): nothing
        for entry in faults
        if entry.fault.on in ("tool", "result")
        for step in steps
        if not started(unbroken, step)
    }


def caution(scenario: Scenario) -> str:
    """What a matrix of this scenario cannot show: a script goes on as it is written, whatever it is given to read."""
    replies = scenario.model.reply
    if scenario.model.use not in ("scripted", "simulated") or not replies:
        return ""
    reading = sum(map(_reads, replies))
    if reading == len(replies):
        return ""
    fixed = len(replies) - reading
    count = f"{fixed} of the {len(replies)} scripted replies {'does' if fixed == 1 else 'do'}"
    return (
        f"{count} not depend on what was read (when, capture, ${{…}}): "
        "recovered says that the loop held, not that a model would have noticed."
    )


def _reads(reply: ReplyTable) -> bool:
    texts = [reply.text or "", *(str(call.arguments) for call in reply.call)]
    return bool(reply.when or reply.capture or any("${" in text.replace("$${", "") for text in texts))


def started(trial: Trial, step: int) -> tuple[str, ...]:
    """The tools that a trial started in a step."""
    return trial.tools[step - 1] if step <= len(trial.tools) else ()


# ---------------------------------------------------------------- judging


def judged(trial: Trial, unbroken: Trial, expect: ExpectTable | None) -> Cell:
    """What the run of a cell shows, held against what is expected of the scenario and against the unbroken run."""
    verdict, sentence = _judge(trial, unbroken, expect)
    return Cell(verdict=verdict, sentence=sentence, trial=trial)


def _judge(trial: Trial, unbroken: Trial, expect: ExpectTable | None) -> tuple[Verdict, str]:
    if trial.end == "broken":
        return Verdict.DEFECT, trial.detail
    if trial.end == "endless":
        return Verdict.ENDLESS, trial.detail
    if not trial.struck:
        return Verdict.NOT_STRUCK, "nothing that it is about comes by in this step"
    if not trial.changed:
        return Verdict.NOT_STRUCK, "it struck, and there was nothing for it to change"
    if trial.status in SUCCESSES:
        problem = _wrong(trial, unbroken, expect)
        return (Verdict.WRONG, problem) if problem else (Verdict.RECOVERED, _right_words(trial))
    if (trial.status, trial.knob) == (unbroken.status, unbroken.knob):
        return Verdict.RECOVERED, f"it ends as without the fault: {_status_words(trial)}"
    broke = trial.status in (Status.TOOL_DEFECT, Status.INTERNAL_ERROR)
    return Verdict.DEFECT if broke else Verdict.STOPPED, _status_words(trial)


def _wrong(trial: Trial, unbroken: Trial, expect: ExpectTable | None) -> str:
    """What is wrong with a run that says it is done; "" when nothing is."""
    answer = "it ended without an answer" if trial.answer is None else f"it answered {quoted(trial.answer)}"
    if expect is not None and expect.answer is not None:
        if trial.answer != expect.answer:
            return f"{answer}; {quoted(expect.answer)} is right"
    elif expect is not None and expect.answer_matches is not None:
        if trial.answer is None or search(expect.answer_matches, trial.answer) is None:
            return f"{answer}, which does not match {expect.answer_matches}"
    elif trial.answer != unbroken.answer:
        instead = "gives no answer" if unbroken.answer is None else f"answers {quoted(unbroken.answer)}"
        return f"{answer}; the unbroken run {instead}"
    wanted = unbroken.files
    if expect is not None and expect.files is not None:
        wanted = {path: file_digest(text) for path, text in expect.files.items()}
        others = [path for path, text in wanted.items() if trial.files.get(path) != text]
    else:
        others = [path for path in {**wanted, **trial.files} if trial.files.get(path) != wanted.get(path)]
    if others:
        return f"{answer}, and left {', '.join(sorted(others))} otherwise than it should"
    return ""


def _right_words(trial: Trial) -> str:
    if trial.answer is None:
        return "it reached its goal"
    return f"it answered {quoted(trial.answer)}, as it should"


def _status_words(trial: Trial) -> str:
    sentence = SENTENCES[trial.status]
    detail = first_line(trial.detail)
    return f"{sentence} {detail}" if detail else sentence


def first_line(text: str) -> str:
    """The last line of a traceback, or else the first line there is."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1 if lines[0].startswith("Traceback") else 0].strip()


def quoted(text: str) -> str:
    """The text in quotes, on one line, and no more of it than there is room for in a sentence."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _SHOWN else f'"{line[:_SHOWN]}…"'


def estimate(done: int, left: int, seconds: float) -> str:
    """How long it will take, for people: "about 3 s left"; "" while nobody can know."""
    if not done or not left:
        return ""
    rest = seconds / done * left
    return f"about {rest / 60:.0f} min left" if rest >= 90 else f"about {max(1, round(rest))} s left"
