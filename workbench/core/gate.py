"""Who may decide about a call: a rule, a grant, or a person. Pure; asked again for every call."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from workbench.core import patterns
from workbench.core.values import GateDefault, Pattern, Rule, ToolInfo

DECISIONS: tuple[GateDefault, ...] = ("ask", "allow", "deny")
"""What a rule, or the default of a run, can say."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands before a call. `free` needs no decision at all."""

    decide: Literal["free", "ask", "allow", "deny"]
    why: str = ""


FREE = Verdict("free")


def judge(
    tool: ToolInfo,
    canonical: str,
    *,
    rules: tuple[Rule, ...],
    grants: tuple[Rule, ...],
    default: GateDefault,
    asked_anew: str = "",
) -> Verdict:
    """The verdict on a call of `tool` with these valid arguments.

    A deny beats everything; a grant of the person beats a rule that asks; asking beats allowing. Without a rule a
    gated tool follows `default` and any other is free. `asked_anew`, a reason, makes every allowance a question.
    """
    if not rules and not grants and not tool.gated:
        return FREE
    verdict = _standing(tool, json.loads(canonical), rules, grants, default)
    if asked_anew and tool.gated and verdict.decide != "deny":
        return Verdict("ask", asked_anew)
    return verdict


def _standing(
    tool: ToolInfo, arguments: Any, rules: tuple[Rule, ...], grants: tuple[Rule, ...], default: GateDefault
) -> Verdict:
    hits = [rule for rule in rules if matches(rule, tool.name, arguments)]
    for rule in hits:
        if rule.decide == "deny":
            return Verdict("deny", describe(rule))
    for grant in grants:
        if matches(grant, tool.name, arguments):
            return Verdict("allow", describe(grant))
    for wanted in ("ask", "allow"):
        for rule in hits:
            if rule.decide == wanted:
                return Verdict(rule.decide, describe(rule))
    if not tool.gated:
        return FREE
    why = "no risk is declared for it" if tool.risk == "undeclared" else ""
    return Verdict(default, why or (f"approval.default is {default}" if default != "ask" else ""))


def matches(rule: Rule, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the rule speaks about this call. An argument that is not there matches nothing.

    A path with ".", "..", "//" or a "/" at its end is also looked at as the path it leads to: a pattern that allows
    must fit both, and for a rule that asks or denies either is enough. An argument too long for a regular expression to
    be tried on it is not allowed by one, and is asked about or denied.
    """
    if rule.tool != tool:
        return False
    return all(name in arguments and _covers(rule, pattern, arguments[name]) for name, pattern in rule.where)


def _covers(rule: Rule, pattern: Pattern, value: Any) -> bool:
    if pattern.kind == "regex" and len(_text(value)) > patterns.MOST_CHARS:
        return rule.decide != "allow"
    as_written = _fits(pattern, value)
    if not isinstance(value, str) or not _is_roundabout(value, rule):
        return as_written
    as_meant = _fits(pattern, posixpath.normpath(value))
    if rule.decide != "allow":
        return as_written or as_meant
    return as_written and (as_meant or pattern.kind == "equal")


def _is_roundabout(text: str, rule: Rule) -> bool:
    """Whether a text, taken for a path, leads to a place that has a plainer name. Of an address that is to be allowed
    the two slashes are no detour."""
    parts = set(text.split("/"))
    detours = {".", ".."} if "://" in text and rule.decide == "allow" else {".", "..", ""}
    return (len(parts) > 1 and not detours.isdisjoint(parts)) or text in (".", "..")


def _fits(pattern: Pattern, value: Any) -> bool:
    if pattern.kind == "equal":
        return isinstance(value, bool) is isinstance(pattern.value, bool) and bool(value == pattern.value)
    text = _text(value)
    if pattern.kind == "glob":
        return fnmatchcase(text, pattern.value)
    return patterns.compiled(pattern.value).fullmatch(text) is not None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def describe(rule: Rule) -> str:
    """The exact scope of a rule, in one line."""
    if not rule.where:
        return f"{rule.tool} with any arguments"
    parts = []
    for name, pattern in rule.where:
        value = json.dumps(pattern.value, ensure_ascii=False)
        parts.append(f"{name} = {value}" if pattern.kind == "equal" else f"{name} {pattern.kind} {value}")
    return f"{rule.tool} where {', '.join(parts)}"


def rule_from(values: Mapping[str, Any]) -> Rule:
    """A rule from its plain form, as it stands in `settings_changed` events. Raises ValueError when it is none."""
    try:
        tool, where, decide = values["tool"], values.get("where", {}), values.get("decide", "allow")
        if not isinstance(tool, str) or decide not in DECISIONS:
            raise ValueError(f"a rule names a tool and decides {', '.join(DECISIONS)}, not {values!r}")
        fits = tuple((name, _pattern(value)) for name, value in where.items())
    except (TypeError, KeyError, AttributeError, patterns.PatternError) as error:
        raise ValueError(f"{values!r} is no rule: {error}") from None
    return Rule(tool=tool, where=fits, decide=decide, by="person")


def _pattern(value: Any) -> Pattern:
    if isinstance(value, Mapping):
        if set(value) == {"glob"}:
            return Pattern(kind="glob", value=str(value["glob"]))
        if set(value) == {"regex"}:
            return Pattern(kind="regex", value=value["regex"])
    return Pattern(kind="equal", value=value)


def rule_to(rule: Rule) -> dict[str, Any]:
    """The plain form of a rule."""
    where = {name: p.value if p.kind == "equal" else {p.kind: p.value} for name, p in rule.where}
    return {"tool": rule.tool, "where": where, "decide": rule.decide}
