from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.imports.logs import CALL, LOGS, result, said, user
from workbench.core.statuses import Status
from workbench.home import Home, packaged_folder
from workbench.imports.conversation import NotUnderstood
from workbench.imports.keeping import import_file
from workbench.imports.openai import ROLES
from workbench.models.human import HumanModel
from workbench.models.wire.openai.encode import encode_tools
from workbench.opening import reopen
from workbench.sessions.errors import SessionExists
from workbench.sessions.journal import read_session
from workbench.sessions.store import summary
from workbench.toolkit.loader import load_tools


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "home"
    root.mkdir()
    return Home(root=root, found="--home", packaged=packaged_folder())


def log(tmp_path: Path, *values: object, name: str = "log.json") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, values)), encoding="utf-8")
    return path


def test_a_session_is_kept_under_the_name_of_the_file(home: Home) -> None:
    [made] = import_file(LOGS / "openai-messages-airline-2.json", home)
    assert made.path == home.sessions / "openai-messages-airline-2-1.toml"
    assert made.what == "imported from openai-messages-airline-2.json: OpenAI chat messages, 23 messages"
    listed = summary(made.path)
    assert (listed.title, listed.status, listed.steps, listed.torn) == (
        "openai-messages-airline-2",
        Status.RUNNING,
        11,
        False,
    )


def test_several_conversations_are_several_sessions(home: Home, tmp_path: Path) -> None:
    path = log(tmp_path, {"messages": [user("a")]}, {"messages": [user("b")]}, name="runs.jsonl")
    assert [made.title for made in import_file(path, home)] == ["runs, 1 of 2", "runs, 2 of 2"]
    [only] = import_file(path, home, only=2)
    assert (only.title, read_session(only.path).header.goal) == ("runs", "b")
    with pytest.raises(NotUnderstood, match="there is no number 3"):
        import_file(path, home, only=3)
    with pytest.raises(NotUnderstood, match="one file takes one: say which with --only N"):
        import_file(path, home, save=tmp_path / "x.toml")


def test_a_session_can_be_kept_elsewhere_and_overwrites_nothing(home: Home, tmp_path: Path) -> None:
    path, save = log(tmp_path, [user(), said("Hi.")]), tmp_path / "deep" / "kept.toml"
    [made] = import_file(path, home, save=save)
    assert made.path == save
    with pytest.raises(SessionExists):
        import_file(path, home, save=save)


def test_what_could_not_be_read_is_told(home: Home, tmp_path: Path) -> None:
    path = log(tmp_path, [user(), {"role": "alien"}, said("Hi.")])
    [made] = import_file(path, home)
    assert made.notes == (f"message 2 has the role 'alien', which is not read; there is {', '.join(ROLES)}",)


def test_an_imported_run_goes_on_with_a_message_and_a_person_as_the_model(home: Home, tmp_path: Path) -> None:
    path = log(tmp_path, [user(), said(None, CALL), result("5"), said("North.")])
    [made] = import_file(path, home)
    opened = reopen(made.path, home)
    try:
        run = opened.run
        assert (run.status, opened.notes) == (
            Status.ANSWERED,
            ("the tool look is not there any more; a call of it fails",),
        )
        run.message("And South?")
        assert isinstance(run.model, HumanModel)
        run.model.say("Three.")
        asyncio.run(run.play())
        assert (run.status, run.state.answer) == (Status.ANSWERED, "Three.")
    finally:
        opened.close()
    assert summary(made.path).steps == 3


def test_tools_that_are_here_are_recognised_by_name_and_schema(home: Home, tmp_path: Path) -> None:
    [tool] = encode_tools([load_tools(home.tools).tools["add"].info])
    path = log(tmp_path, {"messages": [user(), said("Hi.")], "tools": [tool]})
    [made] = import_file(path, home)
    opened = reopen(made.path, home)
    opened.close()
    assert [info.risk for info in opened.run.header.tools] == ["read"]
    assert opened.notes == ()
