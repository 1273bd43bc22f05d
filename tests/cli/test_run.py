from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from workbench.core.events import SettingsChanged, ToolResult
from workbench.home import make_home
from workbench.sessions.journal import read_session

REFUND = """
title = "Refund"
goal = "Refund 6.25 for order A-1042."
protocol = "native"
tools = ["create_refund"]

[[model.reply]]
text = "Refunding."
[[model.reply.call]]
tool = "create_refund"
arguments = { order = "A-1042", amount = 6.25 }

[[model.reply]]
text = "Done."
"""
FOREVER = """
goal = "Loop forever"
protocol = "text"
tools = ["add"]

[limits]
steps = 3

[[model.reply]]
text = 'ACTION: add {"a": 1, "b": 1}'
repeat = "forever"
"""

Write = Callable[[str, str], Path]


def test_a_run_prints_the_transcript_then_the_answer_and_the_status(command: Command) -> None:
    done = command("run", "two-cities")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "    USER    Combined population of Paris and Lima?"
    assert '            → lookup_population {"city": "Paris"}' in lines
    assert "            │ 2100000" in lines
    assert "answer: 11800000" in lines
    assert "Answered in 3 steps (answered): 3 model calls, 2 tool calls, 0 errors" in lines
    assert done.err == ""


def test_what_may_be_a_slip_is_said_unless_it_is_what_was_expected(
    command: Command, scenario: Callable[[str, str], Path]
) -> None:
    path = scenario("refund", REFUND)
    done = command("run", path)
    assert done.code == 3
    assert done.err.startswith(f"≈ {path}:9: model.reply[0].call[0]: create_refund is asked about before it runs")
    assert command("run", path, "--approve", "allow").err == ""
    made_up = 'goal = "x"\n[[model.reply]]\ntext = "ACTION: ad {}"\n[[model.reply]]\ntext = "ANSWER: 1"\n'
    assert 'no tool "ad" in this script' in command("run", scenario("made-up", made_up)).err
    assert command("run", scenario("meant", f'{made_up}[expect]\nanswer = "1"\n')).err == ""


def test_a_run_is_kept_in_the_sessions_of_the_folder_and_nowhere_else(
    command: Command, home: Path, tmp_path: Path
) -> None:
    for _ in range(3):
        command("run", "two-cities")
    assert sorted(path.name for path in (home / "sessions").iterdir()) == [f"two-cities-{n}.toml" for n in (1, 2, 3)]
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not (tmp_path / "user").exists()


def test_a_run_can_be_kept_in_a_file_of_ones_own_and_is_never_written_over_another(
    command: Command, home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "new" / "my run.toml"
    assert command("run", "two-cities", "--save", path).code == 0
    before = path.read_bytes()
    assert read_session(path).events[-1].kind == "stopped"
    again = command("run", "two-cities", "--save", path)
    assert (again.code, again.err) == (
        2,
        "my run.toml is there already; a session is never written over another\n",
    )
    assert path.read_bytes() == before
    assert list((home / "sessions").iterdir()) == []


def test_json_is_one_event_a_line_and_then_the_result(command: Command, home: Path) -> None:
    done = command("run", "two-cities", "--json")
    *events, result = [json.loads(line) for line in done.out.splitlines()]
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events][:3] == ["user_message", "model_reply", "tool_started"]
    session = home / "sessions" / "two-cities-1.toml"
    assert len(events) == len(read_session(session).events)
    assert result.pop("usage").keys() == {"input", "output", "cache_read", "cache_write", "estimated"}
    assert result == {
        "status": "answered",
        "answer": "11800000",
        "steps": 3,
        "model_calls": 3,
        "tool_calls": 2,
        "errors": 0,
        "cost": 0.0,
        "seconds": 0.0,
        "session": str(session),
    }


# ---------------------------------------------------------------- options


def test_set_changes_any_key_of_the_scenario(command: Command, scenario: Write) -> None:
    scenario("forever", FOREVER)
    done = command("run", "forever", "--set", "limits.steps=4", "--set", "goal=Round and round", "--json")
    result = json.loads(done.out.splitlines()[-1])
    assert (done.code, result["status"], result["model_calls"]) == (1, "step_budget_exhausted", 4)
    assert json.loads(done.out.splitlines()[0])["text"] == "Round and round"


def test_no_limit_takes_a_cap_off(command: Command) -> None:
    done = command("run", "no-termination", "--no-limit", "steps", "--json")
    result = json.loads(done.out.splitlines()[-1])
    assert (done.code, result["status"], result["steps"]) == (1, "script_exhausted", 50)


def test_seed_is_the_seed_of_the_run(command: Command, home: Path) -> None:
    command("run", "two-cities", "--seed", "41")
    assert read_session(home / "sessions" / "two-cities-1.toml").header.seed == 41


@pytest.mark.parametrize(
    ("approve", "code", "status", "tool_calls"),
    [("allow", 0, "answered", 1), ("deny", 0, "answered", 0), ("ask", 3, "awaiting_approval", 0)],
)
def test_approve_decides_about_gated_calls(
    command: Command, scenario: Write, approve: str, code: int, status: str, tool_calls: int
) -> None:
    scenario("refund", REFUND)
    done = command("run", "refund", "--approve", approve, "--json")
    result = json.loads(done.out.splitlines()[-1])
    assert (done.code, result["status"], result["tool_calls"]) == (code, status, tool_calls)


def test_tools_of_a_folder_that_is_named_are_loaded(command: Command, scenario: Write, tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "shout.py").write_text(
        "from workbench.toolkit.api import tool\n\n\n"
        "@tool(risk='read')\ndef shout(text: str) -> str:\n    '''Louder.\n\n    text: what.'''\n    return text.upper()\n"
    )
    scenario(
        "shout",
        """
        goal = "Shout"
        protocol = "text"
        tools = ["shout"]
        [[model.reply]]
        text = 'ACTION: shout {"text": "mugs"}'
        [[model.reply]]
        text = "ANSWER: ${last}"
        """,
    )
    assert command("run", "shout").code == 2
    done = command("run", "shout", "--tools", folder)
    assert (done.code, "answer: MUGS" in done.out) == (0, True)


# ---------------------------------------------------------------- exit codes


def test_a_run_whose_expectations_hold_ends_with_0_however_it_stopped(command: Command) -> None:
    assert command("run", "no-termination").code == 0


def test_a_run_that_misses_its_expectations_ends_with_1_and_names_them(command: Command) -> None:
    done = command("run", "two-cities", "--set", "limits.steps=2")
    assert done.code == 1
    assert "expected status answered, got step_budget_exhausted" in done.out
    assert 'expected answer "11800000", got no answer' in done.out


def test_json_output_stays_json_when_expectations_are_missed(command: Command) -> None:
    done = command("run", "two-cities", "--set", "limits.steps=2", "--json")
    assert done.code == 1
    assert [json.loads(line) for line in done.out.splitlines()][-1]["status"] == "step_budget_exhausted"
    assert "expected status answered, got step_budget_exhausted" in done.err


def test_a_run_without_expectations_ends_with_1_unless_it_answered(command: Command, scenario: Write) -> None:
    scenario("forever", FOREVER)
    assert command("run", "forever").code == 1


def test_a_run_that_waits_for_a_person_ends_with_3_and_says_how_to_go_on(
    command: Command, scenario: Write, home: Path
) -> None:
    scenario("refund", REFUND)
    done = command("run", "refund")
    assert done.code == 3
    assert "(awaiting_approval)" in done.out
    assert '  c1  create_refund {"order": "A-1042", "amount": 6.25}' in done.out
    assert f"go on with: workbench resume {home / 'sessions' / 'refund-1.toml'} and --allow c1" in done.out
    assert read_session(home / "sessions" / "refund-1.toml").events[-1].kind == "model_reply"


def test_a_model_that_is_a_person_leaves_the_run_waiting_and_kept(command: Command, scenario: Write) -> None:
    scenario("me", 'title = "Me"\ngoal = "Who replies?"\nprotocol = "text"\n[model]\nuse = "human"\n')
    done = command("run", "me")
    assert done.code == 3
    assert "(awaiting_person)" in done.out
    assert "saved as " in done.out


def test_a_traceback_of_a_broken_tool_is_printed_for_the_person(command: Command) -> None:
    done = command("run", "broken-tool")
    assert done.code == 0
    assert "A tool is broken" in done.out
    assert "TypeError: unsupported operand" in done.out


@pytest.mark.parametrize("name", ["broken-tool", "held-result"])
def test_where_there_is_no_screen_no_key_of_it_is_named(command: Command, name: str) -> None:
    out = command("run", name).out
    assert "o original" not in out
    assert "see it: v" not in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["two-citys"], "there is no scenario two-citys; did you mean two-cities?"),
        (["nothing-like-it"], "there is no scenario nothing-like-it; workbench scripts lists those there are"),
        (["."], ". is a folder; a scenario is a file"),
        (["a" * 300], f"{'a' * 300}: File name too long"),
        (["two-cities", "--set", "limits.stepz=3"], '--set limits.stepz=3: limits: unknown key "stepz"; did you mean "steps"?'),
        (["two-cities", "--set", "limits.steps=0"], "--set limits.steps=0: limits.steps: must be at least 1, not 0"),
        (["two-cities", "--set", "limits.steps"], "--set limits.steps: needs the form KEY=VALUE, e.g. limits.steps=4"),
        (["two-cities", "--no-limit", "stepz"], '--no-limit stepz: there is no limit "stepz"; did you mean "steps"?'),
        (["two-cities", "--home", "/nope"], "--home: there is no folder /nope; workbench init /nope makes it"),
        (["two-cities", "--tools", "/nope"], "--tools: there is no folder /nope"),
        (["two-cities", "--trust", "/nope"], "--trust: there is no folder /nope"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(command: Command, arguments: list[str], sentence: str) -> None:
    done = command("run", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"{sentence}\n")


def test_a_bad_scenario_is_named_with_file_line_and_key(command: Command, scenario: Write) -> None:
    path = scenario("bad", 'goal = "x"\nprotocol = "text"\n\n[limits]\nstepz = 3\n')
    done = command("run", "bad")
    assert (done.code, done.err) == (2, f'{path}:5: limits: unknown key "stepz"; did you mean "steps"?\n')


def test_a_missing_tool_comes_with_what_is_wrong_with_the_files_of_tools(
    command: Command, scenario: Write, tool: Write
) -> None:
    path = tool("shout", "@tool(risk='read'\ndef shout() -> str:\n    return 'x'\n")
    scenario("shout", 'goal = "x"\ntools = ["shout"]\n[[model.reply]]\ntext = "x"\n')
    done = command("run", "shout")
    assert done.code == 2
    assert 'tools[0]: no tool "shout"' in done.err
    assert f"{path}:4: syntax error" in done.err


@pytest.mark.parametrize("option", ["--fault"])
def test_there_are_no_options_that_do_nothing(command: Command, option: str) -> None:
    done = command("run", "two-cities", option, "x")
    assert done.code == 2
    assert option in done.err


# ---------------------------------------------------------------- folders and trust


def test_a_scenario_that_works_in_a_real_folder_asks_once(command: Command, scenario: Write, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "notes.txt").write_text("mugs\n")
    scenario(
        "notes",
        f"""
        goal = "What do the notes say?"
        protocol = "text"
        tools = ["read_file"]
        [[model.reply]]
        text = 'ACTION: read_file {{"path": "notes.txt"}}'
        [[model.reply]]
        text = "ANSWER: ${{last}}"
        [workspace]
        root = "{real.as_posix()}"
        """,
    )
    refused = command("run", "notes")
    assert refused.code == 2
    assert f"say that this is all right with: --trust {real}" in refused.err
    assert "answer: mugs" in command("run", "notes", "--trust", real).out
    assert command("run", "notes").code == 0


def test_a_real_folder_that_is_not_there_is_named(command: Command, scenario: Write) -> None:
    path = scenario("notes", 'goal = "x"\n[[model.reply]]\ntext = "x"\n[workspace]\nroot = "gone"\n')
    done = command("run", "notes")
    assert (done.code, done.err) == (2, f"{path}: workspace.root: there is no folder {path.parent / 'gone'}\n")


# ---------------------------------------------------------------- what is printed


def test_hostile_tool_output_is_printed_harmlessly_and_kept_as_it_was(
    command: Command, scenario: Write, tool: Write, home: Path
) -> None:
    data = Path(__file__).parents[1] / "data" / "outputs" / "terminal-escapes.bin"
    tool(
        "hostile", f"@tool(risk='read')\ndef hostile() -> bytes:\n    '''Bytes.'''\n    return {data.read_bytes()!r}\n"
    )
    scenario(
        "hostile",
        """
        title = "Hostile"
        goal = "Read it"
        protocol = "text"
        tools = ["hostile"]
        [[model.reply]]
        text = "ACTION: hostile {}"
        [[model.reply]]
        text = "ANSWER: ${last}"
        """,
    )
    session = home / "sessions" / "hostile-1.toml"
    outputs = [command("run", "hostile")]
    outputs += [command("show", session, "--as", form) for form in ("text", "json", "requests", "cost")]
    outputs += [command("resume", session), command("sessions")]
    for done in outputs:
        assert done.code == 0
        printed = (done.out + done.err).replace("\n", "")
        assert [char for char in printed if not char.isprintable()] == []
    content = next(event.content for event in read_session(session).events if isinstance(event, ToolResult))
    assert "\x1b" in content
    assert b"\x1b" not in session.read_bytes()


def test_a_tool_name_cannot_forge_a_line_of_the_transcript(command: Command, scenario: Write) -> None:
    scenario(
        "forged",
        r"""
        goal = "x"
        protocol = "native"
        [[model.reply]]
        [[model.reply.call]]
        tool = "x\n    RESULT  | 9999"
        [[model.reply]]
        text = "done"
        """,
    )
    done = command("run", "forged")
    assert not [line for line in done.out.splitlines() if line.startswith("    RESULT")]


def test_what_is_decided_is_printed_under_the_call_and_in_order(command: Command) -> None:
    out = command("run", "batch-three-decisions").out
    marks = ["allowed by the scenario's person", "changed", "denied by", "RESULT", "NOTE", "ANSWER"]
    assert [out.index(mark) for mark in marks] == sorted(out.index(mark) for mark in marks)
    assert "waiting for you" not in out


def test_a_run_of_the_same_scenario_prints_the_same(command: Command) -> None:
    first, second = (command("run", "refund").out for _ in range(2))
    assert first.replace("mug-1.toml", "mug-2.toml") == second


def test_the_stop_of_a_cap_is_undone_by_the_person_of_the_scenario(command: Command, home: Path) -> None:
    assert command("run", "limit-steps").code == 0
    events: list[Any] = read_session(home / "sessions" / "cap-on-steps-raised-once-1.toml").events
    assert [event.changes for event in events if isinstance(event, SettingsChanged)] == [{"limits.steps": 4}]


NAPPING = """
from workbench.toolkit.api import tool


@tool(risk="read")
def nap() -> str:
    \"\"\"Sleep.\"\"\"
    return "slept"
"""
NAPS = """
goal = "Sleep."
tools = ["nap"]
[[model.reply]]
text = "ACTION: nap {}"
[[model.reply]]
text = "ANSWER: ${last}"
"""


@pytest.fixture
def bedroom(tmp_path: Path) -> Path:
    """A workbench folder of somebody's, with a tool and a scenario that needs it."""
    folder = tmp_path / "bed room"
    make_home(folder)
    (folder / "tools" / "napping.py").write_text(NAPPING, "utf-8")
    (folder / "scripts" / "naps.toml").write_text(NAPS, "utf-8")
    return folder


@pytest.mark.usefixtures("home")
def test_tools_beside_a_scenario_elsewhere_are_named_with_the_option_that_loads_them(
    command: Command, bedroom: Path
) -> None:
    naps = bedroom / "scripts" / "naps.toml"
    done = command("run", naps)
    assert done.code == 2
    assert f"{bedroom / 'tools'}: not loaded, since the workbench folder is " in done.err
    assert done.err.endswith(f"to load it: --home '{bedroom}'\n")
    assert command("run", naps, "--home", bedroom).code == 0


def test_tools_of_a_folder_nobody_has_trusted_are_named_with_the_command_that_trusts_it(
    command: Command, home: Path, bedroom: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_HOME")
    monkeypatch.chdir(bedroom)
    done = command("run", "naps")
    assert done.code == 2
    assert done.err.endswith(f"if you trust it: workbench trust '{bedroom}'\n")
    assert command("trust", bedroom).code == 0
    assert command("run", "naps").code == 0
