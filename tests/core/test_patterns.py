"""Which regular expressions from files are used, and which could take for ever."""

from __future__ import annotations

import pytest

from workbench.core.gate import matches, rule_from
from workbench.core.patterns import MOST_CHARS, PatternError, compiled, search
from workbench.core.values import GoalCheck, Pattern

HARMLESS = [
    r"(\d+)", r"^(a|b)+$", r"(?:\w+ )*\w+", r"showing \d+ of (\d+) rows", r"\d{1,3}(?:,\d{3})*", r"(?:\d{32}\s)*",
    r"(?:[^\"\\]|\\.)*", r"(?:a|b|cd)+x", r"\s*(\w+)\s*=\s*(\w+)\s*", r"(?i)error|warning", r"(?s).*end", r"(a*)b*",
    r"^(?:[a-z]+\.)+[a-z]+$", r"(?:.+\n)*", r"((a{2})b?)*c{3,}", r"(?=x+)y", r"(a)?(?(1)b|c)", r"(\w+) \1", "", "a++",
    r"(?:,\s*\w+)*", r"(?:(?:ab)+c)*", r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b", r"(?:foo|bar|baz)*", r"(?:a|\w)+$", r"(?i:a|A)*$", r"(?P<x>[^,]*)(?:,[^,]*)*",
]  # fmt: skip
HARMFUL = [
    r"(a+)+$", r"(\w+\s?)*", r"(a*)*b", r"(?:a|a)*b", r"(?:a|ab|b)*c", r"(?:a?b?)*c", r"(\s*\w+\s*)*x", r"(.*)*x",
    r"((a+)b?)+c", r"(?:\d+|\d+\.\d*)*x", r"(?:x{1,40}){2,}y", r"(?!(a+)+$)b", r"(?:αb|αb?)*x",
    r"(a{1,20}){1,20}$", r"(?:.|\s)*x", r"(?s)(?:.|\n)*x", r"(?:(?:a|b)*)*c", r"(?:a|)+(?:(?:b||)c)*d(?:e(?:|)f?)*g",
]  # fmt: skip


@pytest.mark.parametrize("pattern", HARMLESS)
def test_what_reads_a_text_in_few_ways_is_used(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


@pytest.mark.parametrize("pattern", HARMFUL)
def test_what_reads_a_text_in_exponentially_many_ways_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="could take for ever"):
        compiled(pattern)


def test_what_is_no_regular_expression_says_so() -> None:
    with pytest.raises(PatternError, match="is no regular expression: missing"):
        compiled("(")


def test_a_pattern_that_is_too_long_to_be_judged_is_refused_at_once() -> None:
    words = "|".join(f"{number:05}" for number in range(3000))
    with pytest.raises(PatternError, match="too long"):
        compiled(f"(?:{words})*")


def test_only_the_beginning_of_a_very_long_text_is_searched() -> None:
    assert search("x$", "a" * (MOST_CHARS - 1) + "x" + "b") is not None
    assert search("x", "a" * MOST_CHARS + "x") is None


def test_neither_a_rule_nor_a_goal_check_can_be_made_with_a_harmful_pattern() -> None:
    for make in (
        lambda: Pattern(kind="regex", value="(a+)+$"),
        lambda: GoalCheck(answer_matches="(a+)+$"),
        lambda: GoalCheck(file="out.txt", matches="(a+)+$"),
        lambda: rule_from({"tool": "read_file", "where": {"path": {"regex": r"(\w+\s?)*"}}}),
    ):
        with pytest.raises(ValueError, match="could take for ever"):
            make()


def test_an_argument_too_long_for_a_pattern_is_denied_by_it_and_never_allowed() -> None:
    long = {"text": "b" * (MOST_CHARS + 1)}
    for decide, speaks in (("allow", False), ("ask", True), ("deny", True)):
        rule = rule_from({"tool": "write_file", "where": {"text": {"regex": "b*"}}, "decide": decide})
        assert matches(rule, "write_file", long) is speaks
        assert matches(rule, "write_file", {"text": "b"})
