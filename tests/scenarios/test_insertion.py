from __future__ import annotations

import pytest

from workbench.core.values import ToolInfo
from workbench.scenarios.insertion import insertion
from workbench.scenarios.loader import parse_scenario
from workbench.scenarios.review import Known, review
from workbench.scenarios.templates import Piece
from workbench.view.script_pieces import script_pieces

REPLY = '[[model.reply]]\ntext = "new"\n'
LIMITS = "[limits]\nsteps = 9\n"
NATIVE = """\
goal = "g"
protocol = "native"

[[model.reply]]
text = "one"
[[model.reply.call]]
tool = "add"

[[model.reply]]
text = "two"
"""
NATIVE_PIECES = script_pieces("native", [ToolInfo(name="add")])


def put(document: str, line: int, piece: str) -> tuple[str, int]:
    """The document with the piece put in for a caret on that line, and the line of the caret after it, from 1."""
    what = insertion(document, line - 1, piece)
    lines = document.split("\n")
    if what.row >= len(lines):
        return document + what.text, what.caret[0] + 1
    lines[what.row] = what.text + lines[what.row]
    return "\n".join(lines), what.caret[0] + 1


def texts(document: str) -> list[str | None]:
    return [reply.text for reply in parse_scenario(document, "x").model.reply]


@pytest.mark.parametrize(
    ("line", "order"),
    [(1, ["new", "one", "two"]), (4, ["one", "new", "two"]), (7, ["one", "new", "two"]), (10, ["one", "two", "new"])],
)
def test_a_reply_goes_behind_the_table_of_the_caret_and_takes_no_call_away(line: int, order: list[str]) -> None:
    document, caret = put(NATIVE, line, REPLY)
    assert texts(document) == order
    assert document.split("\n")[caret - 1] == 'text = "new"'
    assert [len(reply.call) for reply in parse_scenario(document, "x").model.reply] == [text == "one" for text in order]


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_a_blank_line_stands_around_what_is_put_in(end: str) -> None:
    document, _ = put(f"goal = 'g'{end}", 1, LIMITS)
    assert document.startswith("goal = 'g'\n\n[limits]\nsteps = 9\n")
    crowded, _ = put("goal = 'g'\n[model]\nuse = 'human'\n", 1, LIMITS)
    assert crowded == "goal = 'g'\n\n[limits]\nsteps = 9\n\n[model]\nuse = 'human'\n"


def test_into_nothing() -> None:
    assert put("", 1, LIMITS) == ("[limits]\nsteps = 9\n", 2)


def test_a_table_that_is_there_already_is_gone_to() -> None:
    what = insertion("goal = 'g'\n\n[limits]\nsteps = 6\n", 0, LIMITS)
    assert (what.text, what.caret) == ("", (2, 8))


@pytest.mark.parametrize(
    ("piece", "before", "open_"),
    [
        (REPLY, 'text = "new', 0),
        (LIMITS, "steps = 9", 0),
        ('[[model.reply]]\ntext = \'ACTION: look {"city": "…"}\'\n', 'text = \'ACTION: look {"city": "', 1),
        ("[expect]\n# Also …, answer\nstatus = 'answered'\n", "status = 'answered", 0),
        (
            "[[model.reply]]\n[[model.reply.call]]\ntool = 'a'\narguments = { city = '…' }\n",
            "arguments = { city = '",
            1,
        ),
    ],
)
@pytest.mark.parametrize("line", [1, 11])
def test_the_caret_goes_to_where_somebody_goes_on_writing(line: int, piece: str, before: str, open_: int) -> None:
    document, _ = put(NATIVE, line, piece)
    what = insertion(NATIVE, line - 1, piece)
    row, column = what.caret
    assert document.split("\n")[row][:column] == before
    assert what.open == open_


def test_brackets_inside_a_text_begin_no_table() -> None:
    document = "goal = '''\n[x]\n'''\nseed = 1\n"
    assert put(document, 1, LIMITS)[0] == f"{document}\n{LIMITS}"


@pytest.mark.parametrize("line", range(1, 12))
@pytest.mark.parametrize("piece", NATIVE_PIECES, ids=[piece.title for piece in NATIVE_PIECES])
def test_every_piece_can_be_put_everywhere(piece: Piece, line: int) -> None:
    document, _ = put(NATIVE, line, piece.text)
    assert review(document, "x", Known(tools=(ToolInfo(name="add"),))).problems == ()
