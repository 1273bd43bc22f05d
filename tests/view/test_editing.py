from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.values import ToolInfo
from workbench.scenarios.review import Known, review
from workbench.view.draft import Draft
from workbench.view.editing import Reading, where_words
from workbench.view.entries import Line, line_text

GOOD = 'goal = "g"\ntools = ["add"]\n\n[[model.reply]]\ntext = "ANSWER: 1"\n'
BAD = GOOD.replace("goal", "gaol")
ADD = ToolInfo(name="add")
KNOWN = Known(tools=(ADD,))


def read(*texts: str, known: Known = KNOWN) -> Reading:
    """What is known after the texts have been read one after the other."""
    reading = Reading()
    for text in texts:
        reading = reading.then(text, review(text, "x.toml", known))
    return reading


def said(lines: list[Line]) -> str:
    return "\n".join(line_text(line) for line in lines)


def test_before_anything_is_read_nothing_is_claimed() -> None:
    reading = Reading()
    assert reading.state().text == "reading"
    assert line_text(reading.well()) == "reading…"
    assert reading.preview((ADD,), 1, 40, 20) == []


def test_the_state_says_how_many_problems_there_are() -> None:
    assert read(GOOD).state().text == "✓ reads well"
    assert read(BAD).state().text == "✗ 1 problem"


def test_remarks_stand_behind_the_problems_and_the_caret_finds_that_of_its_reply() -> None:
    two = GOOD + '\n[[model.reply]]\ntext = """\nTHOUGHT: x\nACTION: ad {}\n"""\n\n[[model.reply]]\ntext = "x"\n'
    reading = read(two)
    assert reading.state().text == "≈ 2 remarks"
    assert [each.line for each in reading.said] == [8, 14]
    assert [reading.said_at(line) for line in (1, 5, 7, 10, 14)] == [None, None, 0, 0, 1]
    missing = read(two.replace('["add"]', '["add", "none"]'))
    assert missing.state().text == "✗ 1 problem"
    assert [each.line for each in missing.said] == [2, 8, 14]
    assert missing.said_at(10) == 1


def test_what_could_be_read_once_is_still_shown_and_called_what_it_is() -> None:
    assert "As it would run" in said(read(GOOD).preview((ADD,), 1, 60, 20))
    before = said(read(GOOD, BAD).preview((ADD,), 1, 60, 20))
    assert "As it was, before it was wrong" in before
    assert "ANSWER: 1" in before


def test_a_tool_of_a_folder_that_may_be_trusted_is_not_in_the_way() -> None:
    text = GOOD.replace("add", "dice")
    unloaded = Known(tools=(ADD,), unloaded="The tools there are loaded when you run it.")
    wrong = read(text).in_the_way(KNOWN)
    assert wrong is not None
    assert wrong.key == "tools[0]"
    assert read(text, known=unloaded).in_the_way(unloaded) is None
    other = read(BAD, known=unloaded).in_the_way(unloaded)
    assert other is not None
    assert other.line == 1


def test_pieces_are_for_the_tools_of_the_script_and_the_protocol_of_the_text() -> None:
    titles = [piece.title for piece in read(GOOD).pieces(GOOD, (ADD, ToolInfo(name="mul")))]
    assert "a reply that calls add" in titles
    assert "a reply that calls mul" not in titles
    typed = f'protocol = "native"\n{GOOD}'
    assert "[[model.reply.call]]" in read(GOOD).pieces(typed, (ADD,))[0].text


@pytest.mark.parametrize(
    ("saved", "example", "changed", "words"),
    [
        (GOOD, None, False, "saved as scripts/a.toml"),
        (GOOD, None, True, "changed, not saved"),
        (None, None, True, "not saved yet: goes to scripts/a.toml"),
        (GOOD, Path("packaged"), False, "an example: saved as scripts/a.toml"),
    ],
)
def test_where_the_text_is_or_goes(saved: str | None, example: Path | None, changed: bool, words: str) -> None:
    draft = Draft(GOOD, Path("/home/scripts/a.toml"), saved=saved, example=example)
    assert where_words(draft, Path("/home"), changed=changed) == words
    assert where_words(draft, Path("/elsewhere"), changed=False).endswith(("saved", "/home/scripts/a.toml"))
