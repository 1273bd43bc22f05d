"""Every run that there is, in every form: of each shipped scenario, each shipped session, each log of another agent.

What is run again comes to the same; what is read again holds the same; what somebody else reads is valid for them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.export.runs import SESSIONS, of, written
from tests.export.test_messages import PROBLEMS, body, imported, same, sendable
from tests.imports.logs import LOGS
from tests.imports.logs import session as session_of_log
from tests.scenarios_shipped.shipped import HOME, shipped_tools
from workbench.check import check_file, failure_lines
from workbench.core.events import ContextChanged, ModelFailed, ModelReply
from workbench.core.items import counts_as_step
from workbench.core.records import Message
from workbench.export.forms import FORMS, CannotExport, Recorded
from workbench.imports.conversation import NotUnderstood
from workbench.imports.files import conversations, read_file
from workbench.models.wire.endpoint import WireName
from workbench.sessions.journal import read_session
from workbench.view.timeline import Timeline

JOURNALS = sorted((Path(__file__).parents[1] / "data" / "journals").glob("*.toml"))
FILES = [*JOURNALS, *SESSIONS, *sorted(LOGS.glob("*.json"))]
OUTSIDE = {"src", "srcset", "href", "action", "data", "poster", "background"}
LOADING = {"script", "link", "iframe", "img", "object", "embed", "base", "video", "audio"}

Check = Callable[[Recorded, str, Path], None]


def plays_again(_: Recorded, text: str, folder: Path) -> None:
    path = folder / "a.toml"
    path.write_text(text, encoding="utf-8")
    verdict = asyncio.run(check_file(path, HOME, shipped_tools()))
    assert (verdict.skipped, failure_lines(verdict)) == ("", [])


def passes(_: Recorded, text: str, folder: Path) -> None:
    names: dict[str, Any] = {}
    exec(compile(text, "test_a.py", "exec"), names)
    (test,) = [value for name, value in names.items() if name.startswith("test_")]
    test()


def can_be_sent(wire: WireName) -> Check:
    def check(_: Recorded, text: str, __: Path) -> None:
        exported = json.loads(text)
        assert PROBLEMS[wire](sendable(exported)) == ""
        assert same(body(imported(exported), wire), exported)

    return check


def tells_each_step(run: Recorded, text: str, _: Path) -> None:
    records = [json.loads(line) for line in text.splitlines()]
    calls = [record.call.tool for record in run.state.every_call()]
    assert [record["tool"] for record in records if record["tool"] is not None] == calls
    steps = [event for event in run.events if isinstance(event, ModelFailed) or counts_as_step(event)]
    summaries = [record for record in records if record["outcome"] == "summary"]
    assert len(summaries) == sum(isinstance(e, ContextChanged) and e.policy == "summarise" for e in run.events)
    assert len(records) - len(summaries) == sum(len(getattr(event, "calls", ())) or 1 for event in steps)
    assert {record["run_id"] for record in records} <= {run.header.id}
    assert sum(record["input_tokens"] or 0 for record in records) == run.state.input_tokens
    assert sum(record["output_tokens"] or 0 for record in records) == run.state.output_tokens


def holds_the_messages(run: Recorded, text: str, _: Path) -> None:
    """Those of each request, and the last reply; of what came after, as much as the spans of tools tell.

    Where a context policy changed what is sent, the next request goes on with no earlier one.
    """
    if not run.state.requests:
        with pytest.raises(NotUnderstood):
            conversations(text.encode())
        return
    read = conversations(text.encode())
    assert len(read) == 1 or any(isinstance(event, ContextChanged) for event in run.events)
    found = [[message.text for message in of(*session_of_log(each)).state.messages] for each in read]
    for mark in run.state.requests:
        sent = [message.text for message in mark.sent]
        assert sent in [texts[: len(sent)] for texts in found]
    last = run.state.requests[-1]
    replied = isinstance(run.events[last.n - 1], ModelReply)
    said = [*(message.text for message in last.sent), *(message.text for message in after(run, last.n))]
    assert len(found[-1]) >= len(last.sent) + replied
    assert found[-1] == said[: len(found[-1])]


def after(run: Recorded, n: int) -> list[Message]:
    """The messages from the reply that is event n on."""
    return [message for message in run.state.messages if message.n >= n]


def is_a_page_of_its_own(_: Recorded, text: str, __: Path) -> None:
    page = _Page()
    page.feed(text)
    page.close()
    assert page.outside == []
    assert "url(" not in text.partition("</style>")[0]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in LOADING:
            self.outside.append(tag)
        self.outside += [f"{tag} {name}" for name, value in attrs if name in OUTSIDE and not f"{value}".startswith("#")]


def is_a_picture(_: Recorded, text: str, __: Path) -> None:
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


def is_text(run: Recorded, text: str, _: Path) -> None:
    timeline = Timeline(run.events, run.state, keys=False)
    assert text.startswith("# ")
    assert text.count("\n### ") >= len(timeline)


CHECK: dict[str, Check] = {
    "scenario": plays_again,
    "pytest": passes,
    "openai": can_be_sent("openai"),
    "anthropic": can_be_sent("anthropic"),
    "ollama": can_be_sent("ollama"),
    "records": tells_each_step,
    "otel": holds_the_messages,
    "markdown": is_text,
    "html": is_a_page_of_its_own,
    "svg": is_a_picture,
}


def runs_in(path: Path) -> list[Recorded]:
    if path.suffix == ".toml":
        session = read_session(path)
        return [of(session.header, session.events)]
    return [of(*session_of_log(conversation)) for conversation in read_file(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_form_of_every_run(path: Path, tmp_path: Path) -> None:
    for run in runs_in(path):
        for form in FORMS:
            text = form.write(run).text
            text.encode()
            try:
                CHECK[form.name](run, text, tmp_path)
            except (AssertionError, ElementTree.ParseError, CannotExport) as error:
                raise AssertionError(f"{path.name} as {form.name}: {error}") from error


@pytest.mark.parametrize("wire", PROBLEMS)
def test_every_run_is_of_the_types_of_the_vendors(wire: WireName) -> None:
    official = pytest.importorskip("tests.models.wire.official")

    for path in FILES:
        for run in runs_in(path):
            official.CHECKS[wire](json.loads(written(wire, run).text))
