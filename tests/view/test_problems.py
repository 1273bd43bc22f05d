from __future__ import annotations

from workbench.scenarios.errors import Problem
from workbench.view.entries import line_text
from workbench.view.lines import line_cells
from workbench.view.problems import problem_lines


def lines(count: int, picked: int, width: int = 60, message: str = "is wrong") -> tuple[list[str], list[int]]:
    problems = [Problem("x.toml", number, f"key{number}", f"{message} {number}") for number in range(1, count + 1)]
    shown, about = problem_lines(problems, picked, width)
    assert all(line_cells(line) <= width for line in shown)
    return [line_text(line).rstrip() for line in shown], about


def test_each_problem_has_its_line_its_key_and_its_sentence() -> None:
    assert lines(2, 1) == (["  1  key1  is wrong 1", "▸ 2  key2  is wrong 2"], [0, 1])


def test_a_remark_has_a_sign_and_another_look() -> None:
    problems = [Problem("x.toml", number, "key", f"sentence {number}") for number in (7, 3)]
    shown, _ = problem_lines(problems, 1, 60, wrong=1)
    assert [line_text(line).rstrip() for line in shown] == ["  7  key  sentence 7", "▸ ≈ 3  key  sentence 3"]
    assert [span.role for line in shown for span in line if span.bold] == ["error", "changed"]


def test_of_many_the_picked_one_is_among_those_shown_and_the_rest_is_counted() -> None:
    shown, about = lines(100, 50)
    assert any(line.startswith("▸  51") for line in shown)
    assert shown[-1] == "  … 96 more"
    assert len(about) == len(shown)


def test_the_picked_sentence_is_whole_and_others_are_cut() -> None:
    shown, about = lines(2, 0, width=30, message="one two three four five six seven")
    assert about == [0, 0, 1]
    assert " ".join(" ".join(shown[:2]).split()) == "▸ 1 key1 one two three four five six seven 1"
    assert shown[-1].endswith("…")


def test_what_hides_in_a_message_is_shown() -> None:
    shown, _ = problem_lines([Problem("x", 1, "a\x1bb", "c\x07d")], 0, 40)
    assert line_text(shown[0]) == "▸ 1  a␛b  c␇d"
