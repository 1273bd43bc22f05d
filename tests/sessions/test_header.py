from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given, settings

from tests.strategies import FRAGMENTS, exactly, headers
from workbench.core.values import GoalCheck, Header, Limits, Pattern, RepeatLimit, Rule, ToolInfo
from workbench.sessions.header import header_from, header_text, session_table

GOOD = """
format = 1
[session]
id = "20260131-100000-7f3a"
[run]
goal = "Two cities"
[run.limits]
steps = 6
[[tool]]
name = "add"
"""


def plain(value: Any) -> Any:
    if is_dataclass(value):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def read_back(header: Header) -> Header:
    return header_from(tomllib.loads(header_text(header).encode().decode()))


@given(headers())
@settings(max_examples=40)
def test_any_header_reads_back_exactly(header: Header) -> None:
    again = read_back(header)
    assert isinstance(again.rules, tuple)
    assert all(isinstance(tool, ToolInfo) for tool in again.tools)
    assert exactly(plain(again), plain(header))


@given(headers())
@settings(max_examples=40)
def test_the_session_table_is_found_without_the_rest(header: Header) -> None:
    data = header_text(header).encode()
    table = session_table(data[: data.index(b"\n[run]")] + b"\n[run]\nthis is not TOML")
    assert table["id"] == header.id
    assert table.get("title", "") == header.title
    assert table.get("created", "") == header.created
    assert table.get("parent_at", 0) == header.parent_at


@given(headers())
@settings(max_examples=40)
def test_no_line_of_a_header_looks_like_an_event_or_a_trailer(header: Header) -> None:
    lines = header_text(header).split("\n")
    assert "[[event]]" not in lines
    assert not [line for line in lines if line.startswith("#~ ")]


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_awkward_text_in_a_scenario_reads_back_exactly(fragment: str) -> None:
    scenario = {"goal": f"a\n{fragment}\nb", fragment: [fragment, {"text": fragment, "none": None}]}
    header = Header(id="x", goal=fragment, title=fragment, created=fragment, scenario=scenario)
    assert read_back(header) == header


def test_none_is_kept_where_it_means_no_limit() -> None:
    header = Header(
        id="x",
        goal="g",
        limits=Limits(repeats=RepeatLimit(nudge=None, stop=4)),
        tools=(ToolInfo(name="slow", timeout=None),),
        rules=(
            Rule(
                tool="slow",
                where=(("path", Pattern(kind="glob", value="docs/**")), ("n", Pattern(kind="equal", value=None))),
            ),
        ),
        goal_check=GoalCheck(file="out.txt", contains=""),
    )
    assert read_back(header) == header


def test_people_can_read_a_header() -> None:
    header = Header(
        id="20260131-100000-7f3a",
        goal="Combined population?",
        title="Two cities",
        created="2026-01-31T10:00:00Z",
        parent="20260130-100000-0001",
        parent_at=4,
        limits=Limits(steps=6),
        tools=(ToolInfo(name="add"),),
        scenario={"goal": "Combined population?", "model": {"reply": [{"text": "THOUGHT: …\nANSWER: 11800000\n"}]}},
    )
    text = header_text(header)
    assert text.startswith(
        "format = 1\n\n"
        "[session]\n"
        'id = "20260131-100000-7f3a"\n'
        'title = "Two cities"\n'
        "created = 2026-01-31T10:00:00Z\n"
        'parent = "20260130-100000-0001"\n'
        "parent_at = 4\n\n"
        "[run]\n"
        'goal = "Combined population?"\n'
    )
    assert "\n[run.limits]\nsteps = 6\n" in text
    assert '\n[[tool]]\nname = "add"\n' in text
    assert '\n[[scenario.model.reply]]\ntext = """\nTHOUGHT: …\nANSWER: 11800000\n"""\n' in text


def test_a_default_that_matters_is_written_so_that_an_old_session_keeps_its_meaning() -> None:
    document = tomllib.loads(header_text(Header(id="x", goal="g", tools=(ToolInfo(name="add"),))))
    assert document["run"]["options"]["both"] == "first"
    assert document["tool"][0]["timeout"] == 30.0


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("format = 1", "format = 2", "session format 2 is not known here; this workbench reads format 1"),
        ("format = 1", "", "it is not a session"),
        ('id = "20260131-100000-7f3a"', "id = 7", "'id' of .session. has to be a text, not 7"),
        ('id = "20260131-100000-7f3a"', "", "'id' of .session. has to be a text"),
        ("id =", "idd = 1\nid =", ".session. has no key 'idd'; did you mean 'id'"),
        ("goal =", 'gaol = ""\ngoal =', ".run. has no key 'gaol'; did you mean 'goal'"),
        ('goal = "Two cities"', "", "the header has no 'goal'"),
        ("[run]", '[run]\nprotocol = "xml"', "'protocol' of the header is 'xml'; it can be 'text', 'json', 'native'"),
        ("steps = 6", "step = 6", "'limits' of the header has no key 'step'; did you mean 'steps'"),
        ("steps = 6", 'steps = "6"', "'steps' of 'limits' of the header has to be a whole number, not '6'"),
        ("steps = 6", "steps = true", "has to be a whole number, not True"),
        ("[[tool]]", "[tool]", "'tools' of the header has to be a list"),
        ('name = "add"', "", "'tools' of the header has no 'name'"),
        ("[run]", "[runs]", "the file has no key 'runs'; did you mean 'run'"),
        ("[run]", "[run]\nrules = [{tool = 't', where = [['path']]}]", "'rules' of the header has 1 items, not 2"),
    ],
)
def test_a_header_that_is_wrong_says_where_and_what_is_valid(old: str, new: str, complaint: str) -> None:
    header_from(tomllib.loads(GOOD))
    with pytest.raises(ValueError, match=complaint):
        header_from(tomllib.loads(GOOD.replace(old, new, 1)))
