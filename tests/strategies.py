"""Hypothesis strategies for what a run is made of. They follow the dataclasses, so a new field is covered by itself."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from workbench.core.events import Event
from workbench.core.fields import MEASURES
from workbench.core.plain import EVENT_TYPES
from workbench.core.values import GoalCheck, Header, Pattern

FRAGMENTS = (
    *("\n", "\r\n", "\r", "\t", "\0", "\x1b[31m", "\x7f", "\x85", "\x9b", "\u2028", "\u202e", "\ufeff", "\ufffe"),
    *(
        '"',
        '"""',
        '""""""',
        "'",
        "'''",
        "\\",
        "\\\n  ",
        "\\u0041",
        "é漢🙂",
        "e\u0301",
        "\ud83d",
        "\ude00",
        "\ud83d\ude00",
    ),
    *("[[event]]", "[[event]]\n", '\n[[event]]\nn = 1\nkind = "stopped"\nstatus = "answered"\n', "[session]\n"),
    *(
        "#",
        "# ",
        "#~ 1 00000000\n",
        "\n#~ 2 9f3c21ab\n",
        '"""\n#~ 1 00000000\n',
        "null",
        "NaN",
        "_json",
        "$text",
        "${last}",
    ),
)

LARGE_INTEGERS = (2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**400)


def nasty_text() -> st.SearchStrategy[str]:
    """Any text at all, lone surrogates included, with a taste for what breaks files, terminals and parsers."""
    pieces = st.sampled_from(FRAGMENTS) | st.text(st.characters(), max_size=5)
    return st.lists(pieces, max_size=6).map("".join)


def json_values() -> st.SearchStrategy[Any]:
    """Any nested plain value, with NaN, infinities, large integers and odd keys."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.sampled_from(LARGE_INTEGERS)
        | st.floats()
        | st.just(-0.0)
        | nasty_text()
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(nasty_text(), inner, max_size=3),
        max_leaves=8,
    )


def events(*kinds: str) -> st.SearchStrategy[Event]:
    """An event of one of these kinds, by default of any."""
    classes: list[Any] = [EVENT_TYPES[kind] for kind in kinds or EVENT_TYPES]
    return st.one_of([_instances(cls) for cls in classes])


def headers() -> st.SearchStrategy[Header]:
    """A header with anything in every field."""
    return _instances(Header)


@cache
def _instances(cls: Any) -> st.SearchStrategy[Any]:
    if cls is Pattern:
        return _patterns()
    if cls is GoalCheck:
        matched = nasty_text().map(re.escape)
        return st.builds(
            cls,
            **{name: nasty_text() for name in ("result_of", "file")},
            contains=st.none() | nasty_text(),
            answer_matches=matched,
            matches=st.none() | matched,
        )
    hints = get_type_hints(cls)
    return st.builds(
        cls,
        **{
            item.name: _measures(hints[item.name])
            if issubclass(cls, Event) and item.name in MEASURES
            else _of_type(hints[item.name])
            for item in fields(cls)
        },
    )


def _measures(hint: Any) -> st.SearchStrategy[Any]:
    measures = st.floats(min_value=0, allow_infinity=False)
    return measures if hint is float else measures | st.none()


def _patterns() -> st.SearchStrategy[Pattern]:
    """A regular expression is one that may be used; what else there is can be anything."""
    regex = st.builds(Pattern, kind=st.just("regex"), value=nasty_text().map(re.escape))
    return regex | st.builds(Pattern, kind=st.sampled_from(("equal", "glob")), value=json_values())


def _of_type(hint: Any) -> st.SearchStrategy[Any]:
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return json_values()
    if origin in (Union, types.UnionType):
        return st.one_of([_of_type(arm) for arm in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        if args[-1] is Ellipsis:
            return st.lists(_of_type(args[0]), max_size=2).map(tuple)
        return st.tuples(*map(_of_type, args))
    if origin is Mapping:
        return st.dictionaries(nasty_text(), _of_type(args[1]), max_size=3)
    plain = {
        str: nasty_text(),
        int: st.integers() | st.sampled_from(LARGE_INTEGERS),
        float: st.floats(),
        bool: st.booleans(),
        types.NoneType: st.none(),
    }
    if hint in plain:
        return plain[hint]
    return st.sampled_from(hint) if issubclass(hint, Enum) else _instances(hint)


def exactly(one: Any, other: Any) -> bool:
    """Whether two plain values are the same in type and value, the order of keys apart; NaN is NaN, 0.0 is not -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(exactly(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(exactly, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)
