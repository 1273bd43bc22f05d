from __future__ import annotations

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from tests.core.planned import any_plans
from tests.core.runs import Plan, drive, examples
from tests.sessions.samples import HEADER, RUN, write
from workbench.core.events import ModelReply, SettingsChanged, ToolResult, UserMessage
from workbench.core.values import Call, Header
from workbench.sessions.errors import SessionError
from workbench.sessions.gist import MOST, PIECE, gist
from workbench.sessions.store import summary

TRAILERS = re.compile(rb"^#~ .*\n", re.MULTILINE)


def test_a_gist_has_tools_and_all_that_was_said(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    write(path)
    found = gist(path)
    assert found.summary == summary(path)
    assert found.tools == ("look_up",)
    for words in (
        "two cities",
        "combined population",
        "both: é漢🙂",
        'look_up {"city": "paris"}',
        "kind = ",
        'c:\\new """',
    ):
        assert words in found.text


def test_without_checksums_it_is_the_same(tmp_path: Path) -> None:
    path, bare = tmp_path / "a.toml", tmp_path / "b.toml"
    data = write(path, RUN[:3])
    bare.write_bytes(TRAILERS.sub(b"", data))
    assert (gist(bare).tools, gist(bare).text, gist(bare).cost) == (gist(path).tools, gist(path).text, gist(path).cost)


@pytest.mark.parametrize(
    ("costs", "free", "cost"),
    [((), True, 0.0), ((0.25, 0.5), False, 0.75), ((0.25, None), False, None), ((0.25, None), True, 0.25)],
)
def test_a_cost_is_known_or_it_is_not(
    tmp_path: Path, costs: tuple[float | None, ...], free: bool, cost: float | None
) -> None:
    path = tmp_path / "a.toml"
    write(path, [ModelReply(text="x", cost=each) for each in costs], Header(id="a", goal="g", free=free))
    assert gist(path).cost == cost


@pytest.mark.parametrize(("free", "cost"), [(True, 0.25), (False, None)])
def test_a_model_that_was_chosen_under_way_may_have_a_price(tmp_path: Path, free: bool, cost: float | None) -> None:
    path = tmp_path / "a.toml"
    chosen = SettingsChanged(changes={"model": {"use": "local", "free": free}})
    write(path, [ModelReply(text="x", cost=0.25), chosen, ModelReply(text="y")], Header(id="a", goal="g"))
    assert gist(path).cost == cost


def test_what_is_searched_is_cut_and_tools_and_costs_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    long = "x" * PIECE
    last = Call(id="c9", tool="last", arguments="{}")
    events = [
        UserMessage(text=f"{long}beyond"),
        *(ToolResult(call="c1", content=long) for _ in range(MOST // PIECE)),
        ModelReply(text="unsaid", calls=(last,), cost=0.5),
    ]
    write(path, events, HEADER)
    found = gist(path)
    assert "beyond" not in found.text
    assert "unsaid" not in found.text
    assert found.text.count("x") == MOST
    assert (found.tools, found.cost) == (("last",), 0.5)


def test_what_is_no_session_has_no_gist(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("format = 99\n")
    with pytest.raises(SessionError, match=r"a\.toml: session format 99 is not known here"):
        gist(path)


@examples(25)
@given(any_plans())
def test_it_agrees_with_what_the_events_make(plan: Plan) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    state = run.state
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.toml"
        write(path, run.events, plan.header)
        found = gist(path)
    assert found.tools == tuple(dict.fromkeys(record.call.tool for record in state.every_call()))
    assert state.cost is None or found.cost == pytest.approx(state.cost)
    for event in run.events:
        if isinstance(event, UserMessage | ModelReply):
            assert event.text[:PIECE].casefold() in found.text
        elif isinstance(event, ToolResult):
            assert event.content[:PIECE].casefold() in found.text
