from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.subjects import HOME, of_text, subject
from workbench.core.statuses import Status
from workbench.faults.catalogue import shipped
from workbench.lab.matrix import Trial
from workbench.lab.trials import NoMatrix, Subject, broken_scenario, check_subject, open_cell, try_out
from workbench.scenarios.loader import scenario_from_plain
from workbench.sessions.journal import read_session

FAULTS = shipped()


async def tried(broken: Subject, fault: str = "", step: int = 1, most: int = 500) -> Trial:
    return await try_out(broken, FAULTS[fault] if fault else None, step, most=most)


async def test_the_unbroken_run_says_what_each_step_does() -> None:
    trial = await tried(subject("two-cities"))
    assert (trial.status, trial.answer, trial.asked) == (Status.ANSWERED, "11800000", 3)
    assert trial.tools == (("lookup_population",), ("lookup_population",), ())
    assert not trial.struck


async def test_a_request_that_fails_belongs_to_the_step_it_would_have_made() -> None:
    trial = await tried(subject("status-unavailable"))
    assert (trial.steps, trial.asked) == (0, 1)


async def test_a_fault_strikes_in_its_step_and_nowhere_else() -> None:
    scenario = of_text('ACTION: add {"a": 1, "b": 2}', 'ACTION: add {"a": 3, "b": 4}', "ANSWER: ${result1} ${result2}")
    assert (await tried(subject(scenario))).answer == "3 7"
    first, second = [await tried(subject(scenario), "factor-of-ten", step) for step in (1, 2)]
    assert (first.answer, second.answer) == ("30 7", "3 70")
    assert first.struck
    assert first.changed


async def test_a_fault_without_anything_to_change_is_told_from_one_that_never_came() -> None:
    trial = await tried(subject("two-cities"), "shuffled-result", 1)
    assert (trial.struck, trial.changed) == (True, False)
    trial = await tried(subject("two-cities"), "wrong-number", 3)
    assert (trial.struck, trial.changed) == (False, False)


async def test_a_blip_of_the_provider_is_no_outage() -> None:
    assert (await tried(subject("two-cities"), "provider-blip", 2)).status is Status.ANSWERED
    assert (await tried(subject("two-cities"), "provider-down", 2)).status is Status.MODEL_UNAVAILABLE


async def test_waiting_takes_no_time() -> None:
    trial = await tried(subject("two-cities"), "tool-timeout", 1)
    assert trial.changed


async def test_the_files_a_run_leaves_are_in_the_trial() -> None:
    right, wrong = await tried(subject("tour")), await tried(subject("tour"), "permission-denied", 4)
    assert list(right.files) == ["answer.txt"]
    assert wrong.files == {}


async def test_a_run_without_an_end_is_given_up() -> None:
    scenario = scenario_from_plain({"goal": "Go.", "model": {"reply": [{"text": "Hm.", "repeat": "forever"}]}})
    trial = await tried(subject(scenario), "prose-only", 1, most=50)
    assert (trial.end, trial.moves) == ("endless", 50)
    assert "50 moves" in trial.detail


async def test_an_answer_of_the_persons_that_does_not_fit_leaves_the_run_waiting() -> None:
    trial = await tried(subject("refund-edited"), "unknown-tool", 2)
    assert trial.end == "ended"
    assert trial.status in (Status.AWAITING_APPROVAL, Status.ANSWERED)


async def test_the_same_cell_is_the_same_trial_twice() -> None:
    first, second = [await tried(subject("refund"), "garbled-result", 2) for _ in range(2)]
    assert first == second


async def test_a_run_is_kept_as_a_session_of_its_own(tmp_path: Path) -> None:
    await tried(subject("two-cities", keep=tmp_path), "wrong-number", 2)
    session = read_session(tmp_path / "wrong-number-step-2.toml")
    assert [(fault.name, fault.step) for fault in session.header.faults] == [("wrong-number", 2)]


def test_a_cell_can_be_opened_like_any_run() -> None:
    opened = open_cell(subject("two-cities"), FAULTS["wrong-number"].fault, 2)
    opened.close()
    assert [(fault.name, fault.step) for fault in opened.run.header.faults] == [("wrong-number", 2)]


def test_the_faults_that_a_scenario_has_stay_armed() -> None:
    scenario = of_text("ANSWER: 1", fault=[{"use": "slow-reply"}])
    broken = broken_scenario(scenario, FAULTS["provider-blip"].fault, 3)
    assert [fault.use for fault in broken.fault] == ["slow-reply", "provider-blip"]
    assert (broken.fault[1].step, broken.fault[1].times) == (3, 1)


# ---------------------------------------------------------------- what no matrix can be made of


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"model": {"use": "human"}}, "you are the model"),
        ({"model": {"use": "recorded"}}, "only the requests that were recorded"),
        ({"model": {"use": "openai", "name": "m"}}, "--yes agrees"),
        ({"workspace": {"root": "here"}, "model": {"reply": [{"text": "ANSWER: 1"}]}}, "workspace.files"),
    ],
)
def test_what_no_matrix_can_be_made_of_is_refused_in_a_sentence(keys: dict[str, object], words: str) -> None:
    with pytest.raises(NoMatrix, match=words):
        check_subject(scenario_from_plain({"goal": "Go.", **keys}))


def test_a_live_model_is_asked_when_a_person_has_agreed() -> None:
    check_subject(scenario_from_plain({"goal": "Go.", "model": {"use": "openai", "name": "m"}}), paid=True)
    assert HOME.packaged
