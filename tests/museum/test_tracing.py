"""A wrong loop is followed line by line through what was recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench.clocks import VirtualClock
from workbench.core.events import Event, StopRequested
from workbench.home import find_home, packaged_folder
from workbench.museum.registry import PIECES
from workbench.museum.run import MuseumRun
from workbench.museum.tracing import first_line, traces
from workbench.opening import new_run
from workbench.scenarios.loader import load_scenario
from workbench.view.tracer import Trace

SCRIPTS = packaged_folder() / "scripts"


def played(scenario: str, folder: Path) -> MuseumRun:
    """A shipped scenario of the museum, played to its end."""
    opened = new_run(
        load_scenario(SCRIPTS / f"{scenario}.toml"),
        find_home(str(folder)),
        clock=VirtualClock(),
        person=True,
        keep=False,
        session_id="trace",
    )
    asyncio.run(opened.run.play())
    opened.close()
    assert isinstance(opened.run, MuseumRun)
    return opened.run


def followed(run: MuseumRun, events: Sequence[Event] | None = None) -> list[tuple[str, str]]:
    """The line at each event, and its caption."""
    source = run.piece.source()
    found = traces(run.piece, run.header, run.events if events is None else events)
    return [(source[trace.line].strip().partition("  # the bug")[0], trace.caption) for trace in found]


def test_v1_ends_at_the_line_that_parses_what_the_model_wrote(tmp_path: Path) -> None:
    run = played("museum-v1", tmp_path)
    lines = followed(run)
    assert lines[0] == ("reply = await model(transcript)", "The loop asks the model, with 1 entry.")
    at, caption = lines[-1]
    assert at == "kwargs = json.loads(arguments)"
    assert caption.startswith("JSONDecodeError: Expecting value: line 1 column 14 (char 13). Nothing catches it here")
    assert "The bug: what the model wrote may be no JSON" in caption


def test_a_call_stands_at_the_line_that_makes_it_and_a_return_at_its_own(tmp_path: Path) -> None:
    run = played("museum-v2", tmp_path)
    lines = [line for line, _ in followed(run)]
    assert any("await tools[name]" in line for line in lines)
    assert lines[-1] in ("return answer", "return None")


def test_a_run_that_is_made_again_is_followed_into_the_attempt(tmp_path: Path) -> None:
    run = played("museum-retry-the-run", tmp_path)
    lines = [line for line, _ in followed(run)]
    assert lines.count("reply = await model(transcript)") >= 2


@pytest.mark.parametrize("name", sorted(PIECES))
def test_every_piece_comes_to_the_same_end_as_its_run(name: str, tmp_path: Path) -> None:
    piece = PIECES[name]
    run = played(piece.scenario, tmp_path)
    found = traces(piece, run.header, run.events)
    assert len(found) == len(run.events)
    last, stop = found[-1].caption, run.state.stopped
    assert stop is not None
    if "Traceback" in stop.detail:
        assert stop.detail.rpartition("\n")[2].partition(":")[0].rpartition(".")[2] in last
    elif run.state.answer is not None:
        assert "The loop returns" in last
    assert all(first_line(piece.source()) <= trace.line < len(piece.source()) for trace in found)


def test_every_prefix_is_the_beginning_of_the_whole(tmp_path: Path) -> None:
    run = played("museum-some-calls-answered", tmp_path)
    whole = traces(run.piece, run.header, run.events)
    for n in range(len(run.events) + 1):
        assert traces(run.piece, run.header, run.events[:n]) == whole[:n]


def test_a_loop_that_a_person_stopped_is_let_go_where_it_was(tmp_path: Path) -> None:
    run = played("museum-v2", tmp_path)
    stopped = [*run.events[:2], StopRequested(by="person")]
    found: list[Trace] = traces(run.piece, run.header, stopped)
    assert found[-1].line == found[-2].line
    assert found[-1].caption == "The loop was let go here."
