from __future__ import annotations

import ast
from pathlib import Path

import pytest

import workbench.core
from tests.museum.halls import shipped
from workbench.museum.registry import PIECES, Piece
from workbench.scenarios.loops import MUSEUM

EVERY = [pytest.param(piece, id=piece.name) for piece in PIECES.values()]


def test_every_loop_that_a_scenario_can_name_is_there_in_the_same_order() -> None:
    assert list(PIECES) == list(MUSEUM)


@pytest.mark.parametrize("piece", EVERY)
def test_a_piece_is_one_page_of_plain_code_with_its_bug_marked(piece: Piece) -> None:
    source = piece.source()
    assert len(source) <= 55
    assert source[0].startswith('"""')
    bugs = piece.bugs()
    assert len(bugs) == (4 if piece.name == "find-the-bugs" else 1)
    assert all("# the bug" in source[number - 1] for number in bugs)


@pytest.mark.parametrize("piece", EVERY)
def test_a_piece_has_two_sentences_on_what_it_teaches_and_one_on_its_fix(piece: Piece) -> None:
    assert piece.title
    assert sum(piece.lesson.count(end) for end in (". ", ".”")) + piece.lesson.endswith(".") >= 2
    assert piece.fix.endswith(".")
    assert ". " not in piece.fix


@pytest.mark.parametrize("piece", EVERY)
def test_a_piece_and_its_fix_are_shown_on_the_same_task(piece: Piece) -> None:
    wrong, right = shipped(piece.scenario), shipped(piece.fixed)
    assert wrong.loop == piece.name
    assert right.loop == "engine"
    assert wrong.goal == right.goal
    assert wrong.protocol == right.protocol == piece.protocol


def test_the_engine_knows_nothing_of_the_museum() -> None:
    for path in Path(workbench.core.__path__[0]).rglob("*.py"):
        words = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
        assert not words & set(PIECES), path
        assert "workbench.museum" not in path.read_text(), path
