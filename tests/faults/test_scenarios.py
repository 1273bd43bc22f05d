"""Faults of a scenario, of the user's own file, and of the command line."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.cli.errors import BadInput
from workbench.cli.faults import faults as faults_command
from workbench.core.events import ToolResult
from workbench.core.values import Burst, Fault, Pattern, ToolInfo
from workbench.faults.catalogue import shipped
from workbench.home import Home, packaged_folder
from workbench.opening import new_run, reopen
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.header import build_header
from workbench.scenarios.loader import load_scenario, parse_scenario
from workbench.scenarios.overrides import add_faults

SCENARIO = """\
goal = "Combined population of Paris and Lima?"
protocol = "text"
tools = ["lookup_population"]
[[model.reply]]
text = 'ACTION: lookup_population {"city": "Paris"}'
[[model.reply]]
text = 'ACTION: lookup_population {"city": "Lima"}'
[[model.reply]]
text = 'ANSWER: ${total}'
"""
INFOS = [ToolInfo(name="lookup_population", risk="read")]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(root=tmp_path, found="--home", packaged=packaged_folder())


def refused(text: str, **catalogue: object) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        build_header(parse_scenario(SCENARIO + text, "x.toml"), INFOS, id="r", path="x.toml", **catalogue)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


# ---------------------------------------------------------------- fault tables


def test_a_fault_that_is_named_and_one_that_is_spelled_out() -> None:
    text = """
[[fault]]
use = "wrong-number"
tool = "lookup_population"
where = { city = { glob = "P*" } }
nth = 1
[[fault]]
on = "provider"
do = "rate_limited"
seconds = 2
burst = { start = 2, length = 2 }
[[fault]]
use = "flaky-tool"
times = 1
"""
    header = build_header(parse_scenario(SCENARIO + text, "x.toml"), INFOS, id="r")
    flaky = shipped()["flaky-tool"].fault
    assert header.faults == (
        Fault(
            on="result",
            do="wrong_number",
            name="wrong-number",
            tool="lookup_population",
            where=(("city", Pattern(kind="glob", value="P*")),),
            nth=1,
        ),
        Fault(on="provider", do="rate_limited", seconds=2.0, burst=Burst(start=2, length=2)),
        replace(flaky, times=1),
    )


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('use = "wrong-nubmer"', 'fault[0].use: there is no fault "wrong-nubmer"; did you mean "wrong-number"?'),
        ('use = "bad-key"\ntool = "lookup_population"', 'fault[0].tool: a fault on = "provider" is not about a call, so it has no tool'),
    ],
)  # fmt: skip
def test_what_the_catalogue_cannot_serve_is_told_at_its_line(tmp_path: Path, table: str, sentence: str) -> None:
    assert refused(f"[[fault]]\n{table}\n") == [f"x.toml: {sentence}"]
    file = tmp_path / "there.toml"
    file.write_text(f"{SCENARIO}[[fault]]\n{table}\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        build_header(load_scenario(file), INFOS, id="r", path=str(file))
    line = SCENARIO.count("\n") + 1 + len(table.split("\n"))
    assert [str(problem) for problem in caught.value.problems] == [f"{file}:{line}: {sentence}"]


def test_every_kind_can_be_spelled_out_and_no_kind_in_the_wrong_place() -> None:
    with pytest.raises(
        ScenarioError, match=r'x.toml:12: fault\[0\]\.do: on = "tool" knows no "garble", which is for on = "result" or'
    ):
        parse_scenario(f'{SCENARIO}[[fault]]\non = "tool"\ndo = "garble"\n', "x.toml")
    with pytest.raises(ScenarioError, match=r'x.toml:12: fault\[0\]\.do: must be "crash", .* did you mean "garble"\?'):
        parse_scenario(f'{SCENARIO}[[fault]]\non = "reply"\ndo = "grable"\n', "x.toml")


# ---------------------------------------------------------------- faults.toml


def test_a_file_of_ones_own_adds_to_the_catalogue_and_takes_the_place_of_what_it_names(home: Home) -> None:
    home.faults.write_text(
        '[my-error]\ngroup = "mine"\nteaches = "It is mine."\non = "tool"\ndo = "error"\ntext = "No."\n'
        '[wrong-number]\non = "result"\ndo = "wrong_number"\nvalue = 2\n',
        encoding="utf-8",
    )
    loaded = load_catalogue(home.faults)
    assert loaded.problems == ()
    assert len(loaded.entries) == len(shipped()) + 1
    assert loaded.entries["my-error"].teaches == "It is mine."
    assert loaded.entries["wrong-number"].fault.value == 2

    scenario = parse_scenario(f'{SCENARIO}[[fault]]\nuse = "my-error"\nnth = 1\n', "x.toml")
    opened = new_run(scenario, home, keep=False)
    assert [(fault.name, fault.text, fault.nth) for fault in opened.run.header.faults] == [("my-error", "No.", 1)]
    opened.close()


def test_what_is_wrong_with_it_is_told_with_its_line_and_the_rest_is_there(home: Home) -> None:
    home.faults.write_text('[ok]\non = "reply"\ndo = "prose"\n\n[bad]\non = "reply"\ndo = "pros"\n', encoding="utf-8")
    loaded = load_catalogue(home.faults)
    assert "ok" in loaded.entries
    assert [str(problem) for problem in loaded.problems] == [
        f'{home.faults}:7: bad.do: there is no kind of fault "pros"; did you mean "prose"?'
    ]
    scenario = parse_scenario(f'{SCENARIO}[[fault]]\nuse = "bad"\n', "x.toml")
    with pytest.raises(ScenarioError) as caught:
        new_run(scenario, home, keep=False)
    assert "there is no fault" in str(caught.value)
    assert f"{home.faults}:7" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "is not UTF-8: byte 0xff"),
        (b"a = ", "is not TOML: "),
        (b'\xef\xbb\xbf[ok]\non="reply"\ndo="prose"', ""),
    ],
)
def test_a_file_that_cannot_be_read_adds_nothing(home: Home, data: bytes, message: str) -> None:
    home.faults.write_bytes(data)
    loaded = load_catalogue(home.faults)
    assert [problem.message.startswith(message) for problem in loaded.problems] == ([True] if message else [])
    assert len(loaded.entries) == len(shipped()) + (not message)
    assert load_catalogue(home.root / "none.toml").problems == ()
    assert load_catalogue(home.root).problems[0].message.startswith("cannot be read: ")


# ---------------------------------------------------------------- --fault


def test_faults_of_the_command_line_are_part_of_the_scenario() -> None:
    scenario = parse_scenario(f'{SCENARIO}[[fault]]\nuse = "stuck"\n', "x.toml")
    more = add_faults(scenario, ["wrong-number:tool=lookup_population,nth=1", "provider-blip"], shipped())
    assert [table.use for table in more.fault] == ["stuck", "wrong-number", "provider-blip"]
    assert (more.fault[1].tool, more.fault[1].nth) == ("lookup_population", 1)
    assert add_faults(scenario, [], shipped()) == scenario


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("wrong-nubmer:nth=1", 'use: there is no fault "wrong-nubmer"; did you mean "wrong-number"?'),
        (
            "wrong-number:tool=lookup_pop",
            'tool: this scenario has no tool "lookup_pop"; did you mean "lookup_population"?',
        ),
        ("wrong-number:nth=0", "nth: must be a whole number of at least 1, not 0"),
        (
            "wrong-number:where.a=2026-01-01",
            'where.a: a date or time is no JSON value; write it in quotes: "2026-01-01"',
        ),
    ],
)
def test_a_wrong_one_is_named(argument: str, sentence: str) -> None:
    scenario = parse_scenario(f'{SCENARIO}[[fault]]\nuse = "stuck"\n', "x.toml")
    with pytest.raises(ScenarioError) as caught:
        add_faults(scenario, ["provider-blip", argument], shipped())
    assert [str(problem) for problem in caught.value.problems] == [f"--fault {argument}: {sentence}"]


async def test_a_wrong_first_look_up_is_carried_into_the_sum_and_into_the_session(home: Home) -> None:
    scenario = add_faults(
        parse_scenario(SCENARIO, "x.toml"), ["wrong-number:tool=lookup_population,where.city=Paris"], shipped()
    )
    path = home.root / "run.toml"
    opened = new_run(scenario, home, save=path, headless=True, session_id="20260131-100000-7f3a")
    await opened.run.play()
    opened.close()
    wrong, right = [event for event in opened.run.events if isinstance(event, ToolResult)]
    assert (wrong.original, wrong.changed_by, right.changed) == ("2100000", "fault wrong-number", False)
    assert opened.run.state.answer == str(int(wrong.content) + 9_700_000) != "11800000"

    again = reopen(path, home, read_only=True)
    assert again.run.events == opened.run.events
    assert again.run.state.faults == opened.run.state.faults
    assert again.scenario.fault == scenario.fault
    again.close()
    text = path.read_text(encoding="utf-8")
    assert 'original = "2100000"' in text
    assert 'changed_by = "fault wrong-number"' in text


async def test_a_session_keeps_the_fault_of_a_file_that_has_gone(home: Home) -> None:
    home.faults.write_text('[mine]\non = "tool"\ndo = "error"\ntext = "No."\n', encoding="utf-8")
    path = home.root / "run.toml"
    scenario = parse_scenario(f'{SCENARIO}[[fault]]\nuse = "mine"\nnth = 2\n', "x.toml")
    opened = new_run(scenario, home, save=path, headless=True)
    for _ in range(3):
        await opened.run.advance()
    opened.close()
    home.faults.unlink()
    again = reopen(path, home, headless=True)
    await again.run.play()
    again.close()
    contents = [event.content for event in again.run.events if isinstance(event, ToolResult)]
    assert contents == ["2100000", "No."]


# ---------------------------------------------------------------- workbench faults


def options(home: Home, **given: object) -> argparse.Namespace:
    return argparse.Namespace(
        **{"home": str(home.root), "tools": [], "trust": None, "name": None, "json": False, **given}
    )


def test_the_catalogue_is_listed_by_group(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    home.faults.write_text('[mine]\non = "reply"\ndo = "prose"\n[bad]\n', encoding="utf-8")
    assert faults_command(options(home)) == 0
    printed = capsys.readouterr()
    assert "\n\nprovider\n  provider-blip " in printed.out
    assert "\n\nothers\n  mine\n" in printed.out
    assert printed.err == f"{home.faults}:4: bad: a fault needs on\n"
    assert all(entry.teaches in printed.out for entry in shipped().values())


def test_one_fault_is_explained(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert faults_command(options(home, name="tool-outage")) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("tool-outage: Failures come in rows")
    assert "when      numbers 2 to 4" in printed
    assert "--fault tool-outage:tool=…,nth=1" in printed
    assert faults_command(options(home, name="bad-key")) == 0
    assert "tool" not in capsys.readouterr().out.split("in a scenario:")[1]
    with pytest.raises(BadInput, match=r'there is no fault "tool-outrage"; did you mean "tool-outage"\?'):
        faults_command(options(home, name="tool-outrage"))


def test_as_json_there_is_everything(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert faults_command(options(home, json=True)) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(shipped())
    blip = next(row for row in rows if row["name"] == "provider-blip")
    assert {key: blip[key] for key in ("group", "on", "do", "nth", "seconds")} == {
        "group": "provider",
        "on": "provider",
        "do": "unavailable",
        "nth": 1,
        "seconds": 1,
    }
