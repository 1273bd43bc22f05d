from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, of, shipped, written
from tests.scenarios_shipped.shipped import HOME
from tests.view.nasty import NastyRun, nasty_runs
from workbench.core.events import Event, ModelReply, ToolResult, UserMessage
from workbench.core.values import Call, Header
from workbench.export.palette import palettes
from workbench.view.visible import visible

VOID = {"meta", "br", "hr"}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&lt;b&gt;\"'</style></pre></main>\x1b[31m\u202e"


class Reader(HTMLParser):
    """What a browser would see: tags, attributes, and the text that is shown."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


def hostile() -> tuple[Header, list[Event]]:
    call = Call(id="c1", tool=HOSTILE, arguments=HOSTILE, problem="no such tool", problem_kind="unknown_tool")
    events: list[Event] = [
        UserMessage(text=HOSTILE),
        ModelReply(text=HOSTILE, thinking=f"{HOSTILE}\n" * 3, calls=(call,)),
        ToolResult(call="c1", outcome="defect", content=HOSTILE, detail=HOSTILE, original=f"was {HOSTILE}", changed_by="you"),
        ModelReply(text=HOSTILE, reading="answer", answer=HOSTILE),
    ]  # fmt: skip
    return Header(id=HOSTILE, goal=HOSTILE, title=HOSTILE, model=HOSTILE, system=HOSTILE), events


def test_text_stays_text() -> None:
    reader = Reader(written("html", of(*hostile())).text)
    assert not {"script", "img"} & set(reader.tags)
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert reader.text.count(visible(HOSTILE)) >= 10
    assert "\x1b" not in reader.text


@settings(max_examples=25, deadline=None)
@given(nasty_runs())
def test_any_run_is_a_page_in_which_nothing_moves(run: NastyRun) -> None:
    page = written("html", of(run.header, run.events)).text
    reader = Reader(page)
    assert set(reader.tags) <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "dl", "dt", "dd", "section", "div", "pre",
        "span", "b", "i", "details", "summary", "table", "tr", "th", "td", "footer",
    }  # fmt: skip
    assert {name for name, _ in reader.attributes} <= {
        "lang",
        "charset",
        "name",
        "content",
        "http-equiv",
        "class",
        "id",
    }
    assert visible(page) == page


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_session_is_whole_on_its_page(name: str) -> None:
    run = shipped(name)
    text = Reader(written("html", run).text).text
    for message in run.state.messages:
        for line in message.text.split("\n"):
            words = re.sub(r"^(QUESTION|OBSERVATION|ANSWER|ACTION): ", "", line)
            assert words in text or "ACTION" in line or "{" in line
    assert run.header.id in text


def test_the_page_fetches_nothing_and_is_dark_or_light() -> None:
    page = written("html", shipped("two-cities-answered")).text
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|url\(|@import|<link", page)
    dark, light = palettes(HOME.themes)
    assert f"color-scheme: dark; --background: {dark.colours['background']}" in page
    assert "@media (prefers-color-scheme: light)" in page
    assert light.colours["background"] in page
    alone = written("html", of(*_run(), theme="paper")).text
    assert dark.colours["background"] not in alone


def _run() -> tuple[Header, list[UserMessage]]:
    return Header(id="x", goal="g"), [UserMessage(text="g")]


def test_a_long_entry_is_folded_with_its_rest_at_hand() -> None:
    lines = "\n".join(f"line {number}" for number in range(40))
    page = written("html", of(Header(id="x", goal="g"), [UserMessage(text=lines)])).text
    assert "… 32 more lines</summary>" in page
    assert "line 39" in page
    long = "x" * 3000
    page = written("html", of(Header(id="x", goal="g"), [UserMessage(text=long)])).text
    assert "… 2,200 more characters</summary>" in page
    assert page.count("x" * 2200) == 1
