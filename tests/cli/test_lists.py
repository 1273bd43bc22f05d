from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from workbench.cli.helps import HELPS
from workbench.cli.parser import parse
from workbench.home import packaged_folder, trusted_folders

Write = Callable[[str, str], Path]


def test_tools_lists_name_risk_and_what_each_is_for(command: Command) -> None:
    done = command("tools")
    assert done.code == 0
    assert [line.split()[:2] for line in done.out.splitlines() if line.startswith("send_email")] == [
        ["send_email", "outward"]
    ]
    rows = {row["name"]: row for row in json.loads(command("tools", "--json").out)}
    assert rows["create_refund"]["asks"] is True
    assert rows["add"]["schema"]["required"] == ["a", "b"]


def test_a_bad_file_of_tools_is_told_and_hides_no_other(command: Command, tool: Write) -> None:
    path = tool("bad", "def broken(:\n    pass\n")
    tool("good", "@tool(risk='read')\ndef shout() -> str:\n    '''Loud.'''\n    return 'X'\n")
    done = command("tools")
    assert done.code == 0
    assert f"{path}:4: syntax error" in done.err
    assert "shout" in done.out


def test_a_tool_that_replaces_a_packaged_one_is_told(command: Command, tool: Write) -> None:
    tool("mine", "@tool(risk='read')\ndef add(a: int) -> int:\n    '''Mine.\n\n    a: a.'''\n    return a\n")
    done = command("tools")
    assert "add from " in done.err
    assert "replaces the one from" in done.err


def test_scripts_lists_the_good_ones_and_says_why_for_each_bad_one(command: Command, scenario: Write) -> None:
    path = scenario("bad", 'goal = "x"\nstep = 3\n')
    done = command("scripts")
    assert done.code == 0
    assert "two-cities" in done.out
    assert f"{path}:2: " in done.err
    rows = {row["name"]: row for row in json.loads(command("scripts", "--json").out)}
    assert rows["tour"]["tags"] == ["tour"]
    assert rows["tour"]["checked"] is True


def test_themes_lists_the_packaged_ones(command: Command) -> None:
    done = command("themes")
    assert done.code == 0
    assert {line.split()[0] for line in done.out.splitlines()} >= {"ink", "paper", "contrast"}


def test_where_says_what_was_found_where(command: Command, home: Path) -> None:
    rows = {row["what"]: row for row in json.loads(command("where", "--json").out)}
    assert rows["workbench folder"] == {
        "what": "workbench folder",
        "where": str(home),
        "note": "found as $WORKBENCH_HOME",
    }
    assert rows["packaged examples"]["where"] == str(packaged_folder())
    assert rows["new sessions"]["where"] == str(home / "sessions")


def test_init_makes_a_folder_whose_tools_are_trusted(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done = command("init", folder)
    assert done.code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["scripts", "sessions", "themes", "tools"]
    assert folder in trusted_folders()
    assert command("init", folder).out == f"{folder} is a workbench folder already\n"


def test_init_does_not_trust_tools_that_were_there_before(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "strangers"
    (folder / "tools").mkdir(parents=True)
    done = command("init", folder)
    assert f"if you trust them: workbench trust {folder}" in done.out
    assert folder not in trusted_folders()


def test_a_folder_is_trusted_once(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for _ in range(3):
        assert command("trust", folder).code == 0
    assert (tmp_path / "user" / "trusted").read_text() == f"{folder}\n"
    gone = command("trust", tmp_path / "gone")
    assert (gone.code, gone.err) == (2, f"there is no folder {tmp_path / 'gone'}\n")


def test_a_folder_with_a_line_break_in_its_name_is_not_trusted_as_two(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / f"x\n{tmp_path}"
    folder.mkdir(parents=True)
    done = command("trust", folder)
    assert (done.code, trusted_folders()) == (2, frozenset())


def test_schema_is_a_json_schema_of_scenarios(command: Command) -> None:
    schema = json.loads(command("schema").out)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert "goal" in schema["required"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--version"], "workbench 0"),
        (["--help"], "usage: workbench"),
        (["--help"], "Begin with: workbench tour"),
        (["run", "--help"], "--approve"),
        (["resume", "--help"], "--message"),
    ],
)
def test_help_and_version_end_with_0(command: Command, arguments: list[str], words: str) -> None:
    done = command(*arguments)
    assert (done.code, words in done.out) == (0, True)


@pytest.mark.parametrize("arguments", [["run"], ["run", "a", "b"], ["show", "x", "--at", "two"], ["tools", "--jso"]])
def test_a_wrong_command_line_says_where_help_is(command: Command, arguments: list[str]) -> None:
    done = command(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith("try: workbench")


# ---------------------------------------------------------------- the app


def test_the_app_needs_a_terminal(command: Command) -> None:
    done = command("two-cities")
    assert (done.code, done.err) == (
        2,
        "the app needs a terminal; without one there is: workbench run SCENARIO\n",
    )


def test_a_misspelt_command_is_not_taken_for_a_file(command: Command) -> None:
    done = command("chekc")
    assert (done.code, done.err) == (2, "there is no scenario or session chekc; did you mean the command check?\n")


def test_a_misspelt_command_is_told_with_the_one_that_is_meant(command: Command) -> None:
    meant = "workbench: there is no command rnu; did you mean run?\ntry: workbench --help\n"
    for arguments in (["rnu", "two-cities"], ["rnu", "--help"], ["rnu", "two-cities", "--json"]):
        assert command(*arguments) == (2, "", meant)
    assert command("rnu").err == "there is no scenario or session rnu; did you mean the command run?\n"
    assert "there is no command tour; the app opens one file" in command("tour", "two-cities").err
    assert command("tour", "--jso").err.startswith("workbench: unrecognized arguments: --jso\n")


def test_help_is_there_also_for_a_scenario_that_would_open(command: Command) -> None:
    done = command("tour", "--help")
    assert done.code == 0
    assert "usage: workbench [--home DIR]" in done.out


@pytest.mark.parametrize("name", HELPS)
def test_the_help_of_every_command_has_a_sentence_and_an_example_that_it_takes(name: str, command: Command) -> None:
    done = command(name, "--help")
    assert done.code == 0
    words = " ".join(done.out.split())
    assert f"{HELPS[name].words[1:]}. " in words
    assert f"for example: workbench {HELPS[name].example}" in words
    line = shlex.split(HELPS[name].example.partition(" > ")[0])
    assert parse(line).command is not None


def test_every_table_has_headings_and_json_has_none(command: Command, scenario: Write) -> None:
    command("run", "two-cities")
    for listing in ("tools", "scripts", "sessions", "themes", "where"):
        head, *lines = command(listing).out.splitlines()
        columns = [column.casefold() for column in head.split()]
        assert set(columns) <= set(json.loads(command(listing, "--json").out)[0])
        starts = [head.index(column.upper()) for column in columns]
        assert all(line[start - 1] == " " for line in lines for start in starts[1:] if len(line) > start)


def test_scripts_are_listed_as_a_course_and_what_is_no_lesson_comes_last(command: Command, scenario: Write) -> None:
    scenario("mine", 'goal = "g"\n[[model.reply]]\ntext = "ANSWER: 1"\n')
    head, *lines = [line.split() for line in command("scripts").out.splitlines()]
    assert head == ["LESSON", "NAME", "TITLE", "ABOUT"]
    assert [line[:2] for line in lines[:2]] == [["101", "tour"], ["102", "two-cities"]]
    assert lines[-1] == ["mine"]
    rows = json.loads(command("scripts", "--json").out)
    assert [row["lesson"] for row in rows[:-1]] == sorted(row["lesson"] for row in rows[:-1])
    assert rows[-1]["lesson"] is None


def test_what_is_not_read_of_a_log_is_said_to_be_kept_and_without_a_message_there_is_no_session(
    command: Command, tmp_path: Path
) -> None:
    log = tmp_path / "log.json"
    log.write_text(
        '[{"role": "user", "content": "hi", "colour": "red"}, {"role": "asistant"}, {"role": "assistant", "content": "ho"}]'
    )
    done = command("import", log)
    assert done.code == 0
    assert done.err.splitlines() == [
        "  message 1: colour is not read",
        "  message 2 has the role 'asistant', which is not read; did you mean \"assistant\"?",
        "  what is not read is kept in the session, as it was",
    ]
    log.write_text('[{"role": "asistant", "content": "ho"}]')
    done = command("import", log)
    assert (done.code, done.out) == (2, "")
    assert "it holds no message; message 1 has the role 'asistant', which is not read; did you mean" in done.err


def test_init_makes_the_folder_that_the_environment_names(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "named"
    monkeypatch.setenv("WORKBENCH_HOME", str(named))
    assert f"workbench init {named} makes it" in command("where").err
    assert command("init").code == 0
    assert (named / "scripts").is_dir()
