"""What a person can allow at once: each choice with its exact scope, as rules for this run only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.gate import describe
from workbench.core.records import CallRecord
from workbench.core.values import Pattern, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One choice: its words, the calls it allows now, and the rules it puts in force."""

    words: str
    calls: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()


def scopes(waiting: Sequence[CallRecord]) -> list[Scope]:
    """The choices for the first of these calls, the narrowest first."""
    record = waiting[0]
    tool, arguments = record.call.tool, json.loads(record.arguments)
    found = []
    if len(waiting) > 1:
        ids = tuple(each.call.id for each in waiting)
        found.append(Scope(words=f"these {len(waiting)} calls, once", calls=ids))
    exact = _rule(tool, arguments)
    found.append(Scope(words=f"exactly these arguments, from now on: {describe(exact)}", rules=(exact,)))
    named = {name: value for name, value in arguments.items() if isinstance(value, str)}
    if named and len(arguments) > 1:
        name = next(iter(named))
        narrowed = _rule(tool, {name: named[name]})
        others = ", ".join(other for other in arguments if other != name)
        found.append(Scope(words=f"this {name}, any {others}: {describe(narrowed)}", rules=(narrowed,)))
    wide = Rule(tool=tool, decide="allow", by="person")
    found.append(Scope(words=f"any arguments: {describe(wide)}", rules=(wide,)))
    return found


def _rule(tool: str, arguments: dict[str, object]) -> Rule:
    where = tuple((name, Pattern(kind="equal", value=value)) for name, value in arguments.items())
    return Rule(tool=tool, where=where, decide="allow", by="person")
