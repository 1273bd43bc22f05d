"""What is held at the door before it is believed: a filter over results and replies, read from one line. Pure.

    tool:lookup_population arg:city=Paris      both must hold; `or`, `not` and brackets join terms, too
    reply text:"refund"                        a reply of the model

    result, reply      what it is                    tool:NAME        a call of this tool; * stands for anything
    error              a result that is an error     arg:NAME=VALUE   a call with this argument; * as above
    step:3  step:3-5   the step it belongs to        text:WORDS       it says so, in capitals or not

What stands between two `or` is about results, unless it says `reply` or `result` itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

from workbench.core.canonical import parse_object

Kind = Literal["result", "reply"]

EXAMPLE = "tool:lookup_population arg:city=Paris"
TERMS = ("result", "reply", "error", "tool", "arg", "step", "text")
_VALUED = ("tool", "arg", "step", "text")
_FORMS = "result, reply, error, tool:NAME, arg:NAME=VALUE, step:N, text:WORDS"
_DEEPEST = 50
"""Brackets and negations inside each other."""

_TOKEN = re.compile(r'\s*+(?:(?P<sign>[()|&!])|(?P<word>(?:"(?:[^"\\]|\\.)*+"|[^\s()|&!"])++)|(?P<open>"))')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_STEPS = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?")


class FilterError(ValueError):
    """A text that is no filter. `at` is the column, from 1, of what is wrong; `message` is for people."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(f"column {at}: {message}")
        self.at = at
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """What stands before the door: a result with its call, or a reply with those it asks for."""

    kind: Kind
    step: int
    text: str
    calls: tuple[tuple[str, str], ...] = ()
    """Tool and arguments as JSON text; those of a reply are as the model wrote them."""
    is_error: bool = False


Test = Callable[[Passing], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """What is held. Two filters of the same text are the same."""

    text: str

    def holds(self, item: Passing) -> bool:
        """Whether that has to wait at the door."""
        kinds, test = _compiled(self.text)
        return item.kind in kinds and test(item)

    def looks_at(self, kind: Kind) -> bool:
        """Whether anything of the kind can be held at all."""
        return kind in _compiled(self.text)[0]


def read_filter(text: str) -> Filter:
    """The filter that the text is. Raises FilterError."""
    text = text.strip()
    _compiled(text)
    return Filter(text)


def missing_tools(found: Filter, tools: Collection[str]) -> list[str]:
    """What a filter calls tools and fits none of these. Where it looks at replies there is nothing missing: a model may
    ask for a tool that is not there."""
    if found.looks_at("reply"):
        return []
    words = [piece for _, piece in _tokens(found.text)]
    named = [_unquoted(word.removeprefix("tool:")) for word in words if word.startswith("tool:")]
    return [name for name in named if not any(fnmatchcase(tool, _pattern(name)) for tool in tools)]


def filter_from(value: Any) -> Filter | None:
    """The filter of a setting: true is every result, false nothing. Raises ValueError."""
    if isinstance(value, bool):
        return EVERY_RESULT if value else None
    if isinstance(value, str):
        return read_filter(value)
    raise ValueError(f"hold is true, false or a filter, not {value!r:.60}")


@lru_cache(maxsize=64)
def _compiled(text: str) -> tuple[tuple[Kind, ...], Test]:
    """Of what kinds it may be, and the test."""
    branches = _Reader(text).whole()
    kinds: tuple[Kind, ...] = ("result", "reply") if any(names_a_kind for _, names_a_kind in branches) else ("result",)
    tests = [test if names_a_kind else _of_results(test) for test, names_a_kind in branches]
    return kinds, lambda item: any(test(item) for test in tests)


def _of_results(test: Test) -> Test:
    return lambda item: item.kind == "result" and test(item)


# ---------------------------------------------------------------- reading


class _Reader:
    """Reads one filter, from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._end = len(text) + 1
        self._at = 0
        self._depth = 0
        self._names_a_kind = False

    def whole(self) -> list[tuple[Test, bool]]:
        """The tests of which one must hold, and whether each names a kind of its own."""
        if not self._tokens:
            raise FilterError(1, f"the filter is empty; write one such as {EXAMPLE}")
        branches = [(self._all(), self._names_a_kind)]
        while self._next in ("or", "|"):
            self._at += 1
            self._names_a_kind = False
            branches.append((self._all(), self._names_a_kind))
        if self._at < len(self._tokens):
            raise FilterError(self._place, "this ) closes nothing")
        return branches

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    @property
    def _place(self) -> int:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else self._end

    def _either(self) -> Test:
        tests = [self._all()]
        while self._next in ("or", "|"):
            self._at += 1
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else lambda item: any(test(item) for test in tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self._next not in ("", ")", "or", "|"):
            if self._next in ("and", "&"):
                self._at += 1
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda item: all(test(item) for test in tests)

    def _one(self) -> Test:
        at, piece = self._place, self._next
        self._at += 1
        if piece in ("", ")", "and", "or", "|", "&"):
            before = f'after "{self._tokens[self._at - 2][1]}" ' if self._at > 1 else ""
            raise FilterError(at, f"{before}something to hold must follow: {_FORMS}")
        if piece not in ("not", "!", "("):
            return self._term(at, piece)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise FilterError(at, f"at most {_DEEPEST} brackets and negations can lie in each other")
        if piece == "(":
            inner = self._either()
            if self._next != ")":
                raise FilterError(at, "this ( is never closed")
            self._at += 1
        else:
            positive = self._one()

            def inner(item: Passing) -> bool:
                return not positive(item)

        self._depth -= 1
        return inner

    def _term(self, at: int, token: str) -> Test:
        name, colon, raw = token.partition(":")
        if name not in TERMS:
            near = get_close_matches(name.lower(), TERMS, n=1)
            meant = f"{near[0]}{':' if near[0] in _VALUED else ''}" if near else ""
            hint = f"did you mean {meant}?" if meant else f"there are {_FORMS}; a word of its own is text:{_cut(token)}"
            raise FilterError(at, f'nothing is called "{_cut(name)}" here; {hint}')
        value = _unquoted(raw)
        if name in _VALUED and not value:
            raise FilterError(at, f"{name}: needs {_NEEDED[name]} right behind it")
        if name not in _VALUED and colon:
            raise FilterError(at, f'"{name}" stands alone, without a value')
        self._names_a_kind = self._names_a_kind or name in ("result", "reply")
        return _TESTS[name](at, value)


_NEEDED = {
    "tool": "the name of a tool",
    "arg": "NAME=VALUE",
    "step": "a number, as in step:3 or step:3-5",
    "text": "words, in quotes where there are blanks",
}


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Column and text of each piece; `and`, `or`, `not` are words like others."""
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        assert match is not None, "every character is a sign, part of a word, or a quote that is never closed"
        column = match.start(match.lastgroup or 0) + 1
        if match["open"]:
            raise FilterError(column, "this quote is never closed")
        yield column, match["sign"] or match["word"]
        at = match.end()


def _unquoted(raw: str) -> str:
    return _QUOTED.sub(lambda found: re.sub(r"\\(.)", r"\1", found[1]), raw)


def _cut(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:30]}…"


# ---------------------------------------------------------------- terms


def _tool(_: int, value: str) -> Test:
    pattern = _pattern(value)
    return lambda item: any(fnmatchcase(tool, pattern) for tool, _ in item.calls)


def _argument(at: int, value: str) -> Test:
    name, equals, wanted = value.partition("=")
    pattern = _pattern(wanted)
    if not name or not equals:
        raise FilterError(at, f'arg: needs {_NEEDED["arg"]} right behind it, not "{_cut(value)}"')

    def test(item: Passing) -> bool:
        return any(_fits(pattern, parse_object(arguments).value or {}, name) for _, arguments in item.calls)

    return test


def _pattern(value: str) -> str:
    """A glob in which nothing but * is special."""
    return value.replace("[", "[[]").replace("?", "[?]")


def _fits(pattern: str, arguments: dict[str, Any], name: str) -> bool:
    if name not in arguments:
        return False
    value = arguments[name]
    return fnmatchcase(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), pattern)


def _step(at: int, value: str) -> Test:
    steps = _STEPS.fullmatch(value)
    if steps is None:
        raise FilterError(at, f'step: needs {_NEEDED["step"]}, not "{_cut(value)}"')
    first = int(steps[1])
    last = first if steps[2] is None else int(steps[3]) if steps[3] else None
    if first < 1 or (last is not None and last < first):
        raise FilterError(at, f"there is no step in {value}: steps are counted from 1, the smaller one first")
    return lambda item: item.step >= first and (last is None or item.step <= last)


def _text(_: int, words: str) -> Test:
    wanted = words.casefold()
    return lambda item: wanted in item.text.casefold()


_TESTS: dict[str, Callable[[int, str], Test]] = {
    "result": lambda *_: lambda item: item.kind == "result",
    "reply": lambda *_: lambda item: item.kind == "reply",
    "error": lambda *_: lambda item: item.is_error,
    "tool": _tool,
    "arg": _argument,
    "step": _step,
    "text": _text,
}

EVERY_RESULT = Filter("result")
