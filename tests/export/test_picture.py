from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, of, shipped, written
from tests.export.test_page import hostile
from tests.view.nasty import NastyRun, nasty_runs
from workbench.core.events import UserMessage
from workbench.core.values import Header
from workbench.export.forms import CannotExport, recorded
from workbench.export.picture import CELL, COLUMNS, MARGIN

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[ET.Element]:
    return list(ET.fromstring(picture).iter(f"{SVG}text"))


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_session_is_a_picture_of_its_transcript(name: str) -> None:
    run = shipped(name)
    drawn = " ".join(element.text or "" for element in texts(written("svg", run).text))
    assert run.title in drawn
    for call in run.state.every_call():
        assert call.call.tool in drawn


@settings(max_examples=25, deadline=None)
@given(nasty_runs())
def test_any_run_is_a_picture_inside_its_frame(run: NastyRun) -> None:
    picture = written("svg", of(run.header, run.events)).text
    root = ET.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "title", "style", "rect", "text"}
    width, height = (float(root.get(name, "")) for name in ("width", "height"))
    for element in texts(picture):
        x, y, length = (float(element.get(name, "")) for name in ("x", "y", "textLength"))
        assert x >= MARGIN
        assert x + length <= width - MARGIN + CELL
        assert MARGIN <= y <= height - MARGIN


def test_hostile_text_is_drawn_as_text() -> None:
    drawn = "".join(element.text or "" for element in texts(written("svg", of(*hostile())).text))
    assert "<script>alert(1)</script>" in drawn
    assert "␛[31m⟨U+202E⟩" in drawn


def test_every_row_has_its_place_on_the_grid() -> None:
    run = of(Header(id="x", goal="g"), [UserMessage(text="a 漢字\n   indented")])
    spans = {(element.text or ""): element for element in texts(written("svg", run).text)}
    assert float(spans["a 漢字"].get("textLength", "")) == pytest.approx(6 * CELL, abs=0.1)
    assert float(spans["indented"].get("x", "")) == pytest.approx(MARGIN + 15 * CELL, abs=0.1)


def test_long_entries_are_folded() -> None:
    run = of(Header(id="x", goal="g"), [UserMessage(text="word " * 5 * COLUMNS)])
    drawn = [element.text for element in texts(written("svg", run).text)]
    assert "… " in "".join(text or "" for text in drawn)
    assert len(drawn) < 20


def test_the_theme_gives_the_colours() -> None:
    header, events = Header(id="x", goal="g"), [UserMessage(text="g")]
    assert 'fill="#faf8f4"' in written("svg", of(header, events, "paper")).text
    with pytest.raises(CannotExport, match="colours of a theme"):
        written("svg", recorded(header, events))
