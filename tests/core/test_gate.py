"""What a rule speaks about, and who wins where several do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.core.gate import DECISIONS, Verdict, describe, judge, matches, rule_from, rule_to
from workbench.core.patterns import MOST_CHARS
from workbench.core.values import GateDefault, Pattern, Risk, Rule, ToolInfo


def rule(decide: GateDefault = "allow", **where: Any) -> Rule:
    return rule_from({"tool": "read_note", "where": where, "decide": decide})


def verdict(risk: Risk = "write", arguments: str = '{"path":"a.txt"}', **parts: Any) -> Verdict:
    parts = {"rules": (), "grants": (), "default": "ask", **parts}
    return judge(ToolInfo(name="read_note", risk=risk), arguments, **parts)


ALLOW, ASK, DENY = rule("allow"), rule("ask"), rule("deny")
AGAIN = "another branch of this run has already done this"


@pytest.mark.parametrize(
    ("rules", "grants", "default", "decides"),
    [
        ((), (), "ask", "ask"),
        ((), (), "allow", "allow"),
        ((), (), "deny", "deny"),
        ((ALLOW,), (), "deny", "allow"),
        ((ALLOW, ASK), (), "allow", "ask"),
        ((ALLOW, ASK, DENY), (), "allow", "deny"),
        ((ASK,), (ALLOW,), "deny", "allow"),
        ((DENY,), (ALLOW,), "allow", "deny"),
    ],
)
def test_deny_beats_a_grant_beats_ask_beats_allow_beats_the_default(
    rules: tuple[Rule, ...], grants: tuple[Rule, ...], default: GateDefault, decides: str
) -> None:
    assert verdict(rules=rules, grants=grants, default=default).decide == decides


@pytest.mark.parametrize(
    ("risk", "decides"), [("read", "free"), ("write", "ask"), ("outward", "ask"), ("undeclared", "ask")]
)
def test_a_tool_without_a_rule_is_asked_about_unless_it_only_reads(risk: Risk, decides: str) -> None:
    assert verdict(risk).decide == decides
    assert verdict(risk, rules=(rule(path="other"),)).decide == decides


def test_a_rule_can_also_forbid_or_ask_about_reading() -> None:
    assert verdict("read", rules=(DENY,)).decide == "deny"
    assert verdict("read", rules=(ASK,)).decide == "ask"


@pytest.mark.parametrize("parts", [{"default": "allow"}, {"rules": (ALLOW,)}, {"grants": (ALLOW,)}])
def test_what_may_have_been_done_already_is_asked_about_though_allowed(parts: Any) -> None:
    assert verdict(asked_anew=AGAIN, **parts) == Verdict("ask", AGAIN)


@pytest.mark.parametrize("parts", [{"default": "deny"}, {"rules": (DENY,)}])
def test_what_is_denied_is_not_asked_about_anew(parts: Any) -> None:
    assert verdict(asked_anew=AGAIN, **parts).decide == "deny"


def test_reading_is_not_asked_about_anew() -> None:
    assert verdict("read", asked_anew=AGAIN, rules=(ALLOW,)).decide == "allow"


def test_an_argument_too_long_to_be_tried_is_not_allowed_by_a_regex_and_is_asked_about_and_denied() -> None:
    long = {"path": "a" * (MOST_CHARS + 1)}
    fits = {decide: matches(rule(decide, path={"regex": "a+"}), "read_note", long) for decide in DECISIONS}
    assert fits == {"ask": True, "allow": False, "deny": True}
    assert matches(rule("allow", path={"glob": "a*"}), "read_note", long)


@pytest.mark.parametrize(
    ("where", "arguments", "fits"),
    [
        ({"path": "a.txt"}, {"path": "a.txt"}, True),
        ({"path": "a.txt"}, {"path": "A.txt"}, False),
        ({"path": "a.txt"}, {}, False),
        ({"path": "a.txt", "mode": "r"}, {"path": "a.txt"}, False),
        ({"amount": 5}, {"amount": 5.0}, True),
        ({"amount": 1}, {"amount": True}, False),
        ({"amount": 5}, {"amount": "5"}, False),
        ({"amount": {"regex": r"\d"}}, {"amount": 5}, True),
        ({"path": {"glob": "docs/*"}}, {"path": "docs/a.txt"}, True),
        ({"path": {"glob": "docs/*"}}, {"path": "Docs/a.txt"}, False),
        ({"path": {"regex": "doc"}}, {"path": "docs"}, False),
        ({"note": {"glob": "x", "more": 1}}, {"note": {"glob": "x", "more": 1}}, True),
    ],
)
def test_a_rule_covers_what_fits_all_its_patterns(where: dict[str, Any], arguments: dict[str, Any], fits: bool) -> None:
    assert matches(rule("allow", **where), "read_note", arguments) is fits
    assert matches(rule("deny", **where), "read_note", arguments) is fits


@pytest.mark.parametrize("name", ["Read_Note", "notes.read_note", "read_note2", "read_not", ""])
def test_a_rule_is_about_one_tool_and_never_about_part_of_a_name(name: str) -> None:
    assert not matches(ALLOW, name, {})


@pytest.mark.parametrize("path", ["docs/../private.txt", "docs/./../private.txt", "docs/a/../../private.txt"])
def test_an_allowed_folder_is_not_left_by_dots_and_a_forbidden_file_not_reached(path: str) -> None:
    assert not matches(rule("allow", path={"glob": "docs/**"}), "read_note", {"path": path})
    assert not matches(rule("allow", path={"regex": "docs/.*"}), "read_note", {"path": path})
    assert matches(rule("deny", path="private.txt"), "read_note", {"path": path})
    assert matches(rule("ask", path={"glob": "private*"}), "read_note", {"path": path})


@pytest.mark.parametrize("path", ["private//b.txt", "private/b.txt/", "private///b.txt//"])
def test_a_forbidden_file_is_not_reached_by_further_slashes(path: str) -> None:
    assert matches(rule("deny", path="private/b.txt"), "read_note", {"path": path})
    assert matches(rule("ask", path={"regex": "private/[^/]+"}), "read_note", {"path": path})
    assert not matches(rule("allow", path={"regex": "private/.*/.*"}), "read_note", {"path": path})
    assert matches(
        rule("allow", path={"glob": "https://docs.example/*"}), "read_note", {"path": "https://docs.example/a"}
    )


def test_a_grant_for_exactly_this_call_covers_it_however_it_is_spelled() -> None:
    for path in ("./a.txt", "../a.txt", "https://example.com/../x"):
        assert matches(rule("allow", path=path), "read_note", {"path": path})
    assert matches(rule("allow", path={"glob": "docs/**"}), "read_note", {"path": "docs/./a.txt"})


def test_rules_say_their_scope_and_survive_being_written_down() -> None:
    for made in (
        ALLOW,
        rule(path="a"),
        rule("deny", path={"glob": "docs/**"}, n={"regex": r"\d+"}),
        rule(n=None, f=1.5),
    ):
        again = rule_from(json.loads(json.dumps(rule_to(made))))
        assert again == made
        assert describe(again) == describe(made)
    assert describe(ALLOW) == "read_note with any arguments"
    assert describe(rule(path="a", to={"glob": "x*"})) == 'read_note where path = "a", to glob "x*"'


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"tool": 3},
        {"tool": "t", "decide": "always"},
        {"tool": "t", "where": 3},
        {"tool": "t", "where": {"a": {"regex": "("}}},
        "t",
        None,
    ],
)
def test_what_is_no_rule_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="rule"):
        rule_from(values)


def test_patterns_that_come_from_a_header_need_no_plain_form() -> None:
    made = Rule(tool="read_note", where=(("n", Pattern(kind="equal", value=[1, {"a": None}])),), decide="deny")
    assert matches(made, "read_note", {"n": [1, {"a": None}]})
    assert not matches(made, "read_note", {"n": [1]})
