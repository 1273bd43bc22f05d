"""Regular expressions that come from files: the one place that says which may be used, and that uses them.

Python's matcher backtracks, cannot be interrupted and holds the interpreter while it works. A pattern that can read one
text in exponentially many ways is therefore refused before it meets any text. Whether it can is asked of its position
automaton (Glushkov 1961; Weber and Seidl 1991): somewhere two different paths lead from a state back to it and read the
same text. What is only polynomial is bounded by looking at no more than the first `MOST_CHARS` of a text.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from re import _parser  # type: ignore[attr-defined]  # the parse tree is to be had nowhere else
from typing import Any, TypeVar

N = TypeVar("N")

MOST_CHARS = 20_000
"""Characters of a text that are looked at."""
MOST_POSITIONS = 2_000
MOST_PAIRS = 100_000
SPELLED_OUT = 9
"""A repetition of up to so many times is looked at as written; one that may be longer counts as without an end."""

_EVERY_KIND = (*range(256), 0x3B1, 0x660, 0x4E00, 0x2028, 0x1F600)
"""Characters that stand for all others of their kind: letters, a digit, a space, a sign."""


class PatternError(ValueError):
    """A regular expression that cannot be used; the message goes on after its name."""


def search(pattern: str, text: str) -> re.Match[str] | None:
    """The first place where the pattern fits, in the first `MOST_CHARS` characters. Raises PatternError."""
    return compiled(pattern).search(text, 0, MOST_CHARS)


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, ready for use. Raises PatternError when it is none, or one that could take for ever."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever reads a scenario warns its writer; an old session is as it is
            ready, tree = re.compile(pattern), _parser.parse(pattern)
        slow = _may_take_for_ever(tree, tree.state.flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"is no regular expression: {error}") from None
    if slow:
        raise PatternError(
            "is a regular expression that could take for ever: a repetition in it, in which something repeats or may be"
            " left out, can read the same text in many ways"
        )
    return ready


# ---------------------------------------------------------------- the automaton


@dataclass(slots=True)
class _Automaton:
    letters: list[tuple[str, Any, int]] = field(default_factory=list)
    """What each position reads: operation, argument and flags of the parse tree."""
    edges: dict[int, Counter[int]] = field(default_factory=dict)
    """From position to position, and in how many ways."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern: its first and last positions, each in how many ways, and in how many it reads nothing."""

    first: Counter[int]
    last: Counter[int]
    nothing: int


_NOTHING = _Part(Counter(), Counter(), 1)


def _may_take_for_ever(tree: Any, flags: int) -> bool:
    reader = _Reader()
    reader.sequence(tree, flags)
    graph = reader.automaton.edges
    home: dict[int, int] = {}
    for number, component in enumerate(_components({p: tuple(graph.get(p, ())) for p in _all(reader.automaton)})):
        home.update(dict.fromkeys(component, number))
    inside = {p: {q: n for q, n in graph.get(p, {}).items() if home[q] == home[p]} for p in home}
    if any(n > 1 for targets in inside.values() for n in targets.values()):
        return True
    alphabet = tuple(dict.fromkeys((*_EVERY_KIND, *_literals(tree))))
    letters = {p: _bits(reader.automaton.letters[p], alphabet) for p in inside if inside[p]}
    pairs = _pairs(inside, letters)
    return any(len(component) > 1 and len({a == b for a, b in component}) == 2 for component in _components(pairs))


def _all(automaton: _Automaton) -> range:
    return range(len(automaton.letters))


def _pairs(inside: Mapping[int, Mapping[int, int]], letters: Mapping[int, int]) -> dict[tuple[int, int], Any]:
    """Every pair of positions to which the same text leads from one position, and the pairs that follow it."""
    pairs: dict[tuple[int, int], Any] = {}
    waiting = [(p, p) for p in inside if inside[p]]
    while waiting:
        pair = waiting.pop()
        if pair in pairs:
            continue
        if len(pairs) > MOST_PAIRS:
            raise PatternError("is too long a regular expression to be sure that it comes to an end")
        one, other = pair
        # A pair and the same one the other way round are one.
        following = {(min(a, b), max(a, b)) for a in inside[one] for b in inside[other] if letters[a] & letters[b]}
        pairs[pair] = tuple(following)
        waiting += following
    return pairs


class _Reader:
    """Makes an automaton of a parse tree. What looks around is read too, beside the rest."""

    def __init__(self) -> None:
        self.automaton = _Automaton()

    def sequence(self, items: Iterable[Any], flags: int) -> _Part:
        whole = _NOTHING
        for op, argument in items:
            whole = self._joined(whole, self._item(str(op), argument, flags))
        return whole

    def _item(self, op: str, argument: Any, flags: int) -> _Part:
        match op:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self._position(op, argument, flags)
            case "BRANCH":
                parts = [self.sequence(items, flags) for items in argument[1]]
                return _Part(_sum(p.first for p in parts), _sum(p.last for p in parts), sum(p.nothing for p in parts))
            case "SUBPATTERN":
                return self.sequence(argument[3], (flags | argument[1]) & ~argument[2])
            case "ATOMIC_GROUP":
                return self.sequence(argument, flags)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, items = argument
                return self._repeated(int(least), int(most), items, flags)
            case "GROUPREF":
                return self._position("ANY", None, flags | re.DOTALL)
            case "GROUPREF_EXISTS":
                parts = [self.sequence(items, flags) if items else _NOTHING for items in argument[1:]]
                return _Part(_sum(p.first for p in parts), _sum(p.last for p in parts), 1)
            case "ASSERT" | "ASSERT_NOT":
                self.sequence(argument[1], flags)
        return _NOTHING

    def _position(self, op: str, argument: Any, flags: int) -> _Part:
        number = len(self.automaton.letters)
        if number >= MOST_POSITIONS:
            raise PatternError("is too long a regular expression to be sure that it comes to an end")
        self.automaton.letters.append((op, argument, flags))
        return _Part(Counter({number: 1}), Counter({number: 1}), 0)

    def _joined(self, one: _Part, other: _Part) -> _Part:
        self._link(one.last, other.first)
        first, last = one.first, other.last
        if one.nothing:
            first = first + _times(other.first, one.nothing)
        if other.nothing:
            last = last + _times(one.last, other.nothing)
        return _Part(first, last, min(2, one.nothing * other.nothing))

    def _link(self, last: Counter[int], first: Counter[int]) -> None:
        for p, ways in last.items():
            self.automaton.edges.setdefault(p, Counter()).update({q: n * ways for q, n in first.items()})

    def _repeated(self, least: int, most: int, items: Any, flags: int) -> _Part:
        whole = _NOTHING
        for _ in range(min(least, SPELLED_OUT if most > least else 4 * SPELLED_OUT)):
            whole = self._joined(whole, self.sequence(items, flags))
        if most == least:
            return whole
        if most <= SPELLED_OUT:
            rest = _NOTHING
            for _ in range(most - least):
                part = self._joined(self.sequence(items, flags), rest)
                rest = _Part(part.first, part.last, 1)
            return self._joined(whole, rest)
        if least == 1:
            return self._looped(whole)
        return self._joined(whole, self._looped(self.sequence(items, flags), nothing=1))

    def _looped(self, part: _Part, nothing: int | None = None) -> _Part:
        self._link(part.last, part.first)
        return _Part(part.first, part.last, part.nothing if nothing is None else nothing)


def _bits(reads: tuple[str, Any, int], alphabet: tuple[int, ...]) -> int:
    """A bit for each character of the alphabet that a position reads."""
    op, argument, flags = reads
    return sum(1 << index for index, code in enumerate(alphabet) if _reads(op, argument, code, flags))


def _reads(op: str, argument: Any, code: int, flags: int) -> bool:
    if op == "ANY":
        return code != 10 or bool(flags & re.DOTALL)
    if op == "NOT_LITERAL":
        return not _reads("LITERAL", argument, code, flags)
    codes = {code}
    if flags & re.IGNORECASE:
        codes |= {ord(c) for c in (chr(code).lower(), chr(code).upper()) if len(c) == 1}
    if op == "LITERAL":
        return argument in codes
    negated = bool(argument) and str(argument[0][0]) == "NEGATE"
    return negated != any(_one_of(str(kind), value, each) for kind, value in argument for each in codes)


def _one_of(kind: str, value: Any, code: int) -> bool:
    if kind == "LITERAL":
        return bool(code == value)
    if kind == "RANGE":
        return bool(value[0] <= code <= value[1])
    return kind == "CATEGORY" and _in_category(str(value), code)


@cache
def _in_category(name: str, code: int) -> bool:
    kind = name.removeprefix("CATEGORY_")
    letter = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[kind.removeprefix("NOT_")]
    return (re.fullmatch(letter, chr(code)) is None) is kind.startswith("NOT_")


def _literals(tree: Any) -> Iterable[int]:
    """The characters above the first 256 that the pattern names, wherever it does."""
    if isinstance(tree, int):
        if 255 < tree < 0x110000:
            yield tree
    elif isinstance(tree, tuple | list | _parser.SubPattern):
        for part in tree:
            yield from _literals(part)


def _sum(counters: Iterable[Counter[int]]) -> Counter[int]:
    total: Counter[int] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def _times(counter: Counter[int], factor: int) -> Counter[int]:
    return Counter({key: min(2, n * factor) for key, n in counter.items()})


def _components(graph: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """The strongly connected components (Kosaraju, without recursion)."""
    order: list[N] = []
    back: dict[N, list[N]] = {node: [] for node in graph}
    seen: set[N] = set()
    for root in graph:
        stack = [] if root in seen else [(root, iter(graph[root]))]
        seen.add(root)
        while stack:
            node, following = stack[-1]
            after = next(following, None)
            if after is None:
                order.append(node)
                stack.pop()
                continue
            back[after].append(node)
            if after not in seen:
                seen.add(after)
                stack.append((after, iter(graph[after])))
    found: list[list[N]] = []
    placed: set[N] = set()
    for root in reversed(order):
        component, waiting = [], [] if root in placed else [root]
        while waiting:
            node = waiting.pop()
            if node not in placed:
                placed.add(node)
                component.append(node)
                waiting += back[node]
        if component:
            found.append(component)
    return found
