from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.statuses import Status
from workbench.core.values import Burst, Fault
from workbench.faults.catalogue import Entry, armed, shipped
from workbench.lab.matrix import (
    Cell,
    Grid,
    Trial,
    Verdict,
    caution,
    estimate,
    fault_keys,
    file_digest,
    first_line,
    idle_cells,
    judged,
)
from workbench.scenarios.loader import scenario_from_plain
from workbench.scenarios.schema import ExpectTable

UNBROKEN = Trial(status=Status.ANSWERED, answer="7", steps=2, asked=2, tools=(("add",), ()))


def struck(**values: Any) -> Trial:
    return Trial(**{"status": Status.ANSWERED, "answer": "7", "struck": True, "changed": True, **values})


def verdict(trial: Trial, unbroken: Trial = UNBROKEN, **expect: Any) -> tuple[Verdict, str]:
    cell = judged(trial, unbroken, ExpectTable(**expect) if expect else None)
    assert cell.trial is trial
    return cell.verdict, cell.sentence


# ---------------------------------------------------------------- judging


def test_a_run_that_answers_as_without_the_fault_has_recovered() -> None:
    assert verdict(struck()) == (Verdict.RECOVERED, 'it answered "7", as it should')


def test_an_answer_of_its_own_is_wrong_when_the_unbroken_run_gives_another() -> None:
    assert verdict(struck(answer="8")) == (Verdict.WRONG, 'it answered "8"; the unbroken run answers "7"')


def test_what_the_scenario_expects_weighs_more_than_what_the_unbroken_run_answers() -> None:
    assert verdict(struck(answer="8"), answer="8")[0] is Verdict.RECOVERED
    assert verdict(struck(answer="7"), answer="8") == (Verdict.WRONG, 'it answered "7"; "8" is right')
    assert verdict(struck(answer="about 7"), answer_matches="7$")[0] is Verdict.RECOVERED
    assert verdict(struck(answer="eight"), answer_matches="7$")[0] is Verdict.WRONG


def test_an_end_without_an_answer_is_wrong_where_one_is_due() -> None:
    reached = struck(status=Status.GOAL_REACHED, answer=None)
    assert verdict(reached) == (Verdict.WRONG, 'it ended without an answer; the unbroken run answers "7"')
    goal = Trial(status=Status.GOAL_REACHED, asked=1)
    assert verdict(reached, goal) == (Verdict.RECOVERED, "it reached its goal")


def test_the_right_answer_with_other_files_is_wrong() -> None:
    unbroken = Trial(status=Status.ANSWERED, answer="7", asked=2, files={"out.txt": file_digest("7")})
    assert verdict(struck(files=unbroken.files), unbroken)[0] is Verdict.RECOVERED
    expected = (Verdict.WRONG, 'it answered "7", and left out.txt otherwise than it should')
    assert verdict(struck(files={"out.txt": file_digest("70")}), unbroken) == expected
    assert verdict(struck(), unbroken) == expected
    assert verdict(struck(files={**unbroken.files, "more.txt": "x"}), unbroken)[0] is Verdict.WRONG


def test_files_that_the_scenario_expects_are_the_ones_that_are_looked_at() -> None:
    files = {"out.txt": file_digest("7"), "log.txt": file_digest("whatever")}
    assert verdict(struck(files=files), files={"out.txt": "7"})[0] is Verdict.RECOVERED
    assert verdict(struck(files=files), files={"out.txt": "8"})[0] is Verdict.WRONG


@pytest.mark.parametrize("status", [Status.STEP_BUDGET_EXHAUSTED, Status.AWAITING_APPROVAL, Status.MODEL_UNAVAILABLE])
def test_a_run_without_an_answer_is_stopped(status: Status) -> None:
    assert verdict(struck(status=status, answer=None))[0] is Verdict.STOPPED


def test_a_run_that_ends_as_it_does_without_the_fault_has_recovered() -> None:
    capped = Trial(status=Status.STEP_BUDGET_EXHAUSTED, knob="limits.steps", asked=2)
    again = struck(status=capped.status, knob=capped.knob, answer=None)
    assert verdict(again, capped)[0] is Verdict.RECOVERED
    assert verdict(struck(status=Status.CALL_BUDGET_EXHAUSTED, answer=None), capped)[0] is Verdict.STOPPED
    assert verdict(struck(answer="7"), capped)[0] is Verdict.WRONG


def test_what_broke_is_a_defect() -> None:
    assert verdict(struck(status=Status.TOOL_DEFECT, answer=None))[0] is Verdict.DEFECT
    assert verdict(struck(status=Status.INTERNAL_ERROR, answer=None))[0] is Verdict.DEFECT
    assert verdict(Trial(end="broken", detail="ValueError: no")) == (Verdict.DEFECT, "ValueError: no")


def test_what_does_not_end_is_endless_also_when_nothing_struck() -> None:
    assert verdict(Trial(end="endless", detail="given up after 9 moves")) == (
        Verdict.ENDLESS,
        "given up after 9 moves",
    )


def test_a_fault_that_came_to_nothing_has_not_struck() -> None:
    assert verdict(struck(struck=False, changed=False))[0] is Verdict.NOT_STRUCK
    cell = verdict(struck(changed=False))
    assert cell == (Verdict.NOT_STRUCK, "it struck, and there was nothing for it to change")


@given(
    st.builds(
        Trial,
        end=st.sampled_from(["ended", "endless", "broken"]),
        status=st.sampled_from([status for status in Status if status is not Status.RUNNING]),
        answer=st.none() | st.text(),
        detail=st.text(),
        files=st.dictionaries(st.text(), st.text(), max_size=2),
        struck=st.booleans(),
        changed=st.booleans(),
    ),
    st.none() | st.builds(ExpectTable, answer=st.none() | st.text()),
)
def test_every_trial_has_one_verdict_and_the_unbroken_one_recovers(trial: Trial, expect: ExpectTable | None) -> None:
    cell = judged(trial, UNBROKEN, expect)
    assert (cell.verdict is Verdict.ENDLESS) == (trial.end == "endless")
    if trial.end == "ended" and trial.struck and trial.changed:
        assert judged(trial, trial, None).verdict is Verdict.RECOVERED
        assert cell.verdict is not Verdict.NOT_STRUCK


# ---------------------------------------------------------------- what is armed


@pytest.mark.parametrize(
    ("schedule", "keys"),
    [
        ({}, {"step": 4}),
        ({"nth": 2}, {"step": 4, "times": 1}),
        ({"chance": 0.3}, {"step": 4, "times": 1}),
        ({"burst": Burst(start=2, length=3)}, {"step": 4, "times": 3}),
        ({"burst": Burst(start=2, length=3), "times": 2}, {"step": 4, "times": 2}),
        ({"every": 2, "times": 5}, {"step": 4, "times": 5}),
    ],
)
def test_a_fault_is_armed_in_one_step_and_strikes_as_often_as_its_own_schedule_says(
    schedule: dict[str, Any], keys: dict[str, int]
) -> None:
    assert fault_keys(Fault(on="tool", do="error", **schedule), 4) == keys


@pytest.mark.parametrize("entry", shipped().values(), ids=list(shipped()))
def test_every_fault_of_the_catalogue_can_be_armed_in_a_step(entry: Entry) -> None:
    fault = armed(entry, fault_keys(entry.fault, 2))
    assert (fault.step, fault.nth, fault.burst, fault.chance) == (2, None, None, None)


def test_a_fault_of_calls_needs_no_run_where_no_tool_starts() -> None:
    faults = [shipped()[name] for name in ("wrong-number", "tool-error", "refusal", "provider-down")]
    assert sorted(idle_cells(UNBROKEN, faults)) == [("tool-error", 2), ("wrong-number", 2)]


# ---------------------------------------------------------------- words


def test_counts_name_every_verdict() -> None:
    cells = {("a", 1): Cell(verdict=Verdict.WRONG, sentence=""), ("a", 2): Cell(verdict=Verdict.WRONG, sentence="")}
    counts = Grid(title="", unbroken=UNBROKEN, faults=(), cells=cells).counts()
    assert list(counts) == list(Verdict)
    assert counts[Verdict.WRONG] == sum(counts.values()) == 2


def scripted(*replies: dict[str, Any], **more: Any) -> Any:
    return scenario_from_plain({"goal": "Go.", "model": {"reply": list(replies)}, **more})


def test_of_a_script_that_reads_nothing_it_is_said() -> None:
    fixed = {"text": "ANSWER: 7"}
    assert caution(scripted(fixed)).startswith("1 of the 1 scripted replies does not depend on what was read")
    assert "2 of the 2 scripted replies do not depend on" in caution(scripted(fixed, {"text": "costs $${last}"}))
    assert "1 of the 2 scripted replies does not depend on" in caution(scripted(fixed, {"text": "ANSWER: ${last}"}))
    assert caution(scripted({"text": "ANSWER: 7", "when": "7"})) == ""
    assert caution(scenario_from_plain({"goal": "Go.", "model": {"use": "human"}})) == ""


def test_of_a_traceback_the_last_line_is_told() -> None:
    assert first_line("Traceback (most recent call last):\n  File x\nValueError: no\n") == "ValueError: no"
    assert first_line("\nThe first.\nThe second.") == "The first."
    assert first_line("") == ""


def test_an_estimate_is_given_when_there_is_something_to_go_by() -> None:
    assert estimate(0, 10, 3.0) == ""
    assert estimate(10, 0, 3.0) == ""
    assert estimate(30, 60, 3.0) == "about 6 s left"
    assert estimate(1, 200, 3.0) == "about 10 min left"
