from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from workbench.scenarios.errors import Path
from workbench.scenarios.locate import locate

TEXT = """\
# a comment with [table] and key = 1
title = "x"
tools = [   # [not a table]
  "add",
  { a = 1, b.c = [2,
    3] },
]

[limits]
steps = 6
"odd key".'x.y' = '''
[fake]
a = 1
'''

[[model.reply]]
text = \"\"\"
[[model.reply]] \\\"\"\" ""\"\"\"
usage = { input = 1 }
[[model.reply]]
text = 'b'
[[model.reply.call]]
tool = "t"
[model.reply.usage]
output = 2
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("tools",), 3),
        (("tools", 0), 4),
        (("tools", 1, "a"), 5),
        (("tools", 1, "b", "c"), 5),
        (("tools", 1, "b", "c", 1), 6),
        (("limits",), 9),
        (("limits", "steps"), 10),
        (("limits", "odd key", "x.y"), 11),
        (("model", "reply", 0), 16),
        (("model", "reply", 0, "text"), 17),
        (("model", "reply", 0, "usage", "input"), 19),
        (("model", "reply", 1), 20),
        (("model", "reply", 1, "call", 0, "tool"), 23),
        (("model", "reply", 1, "usage", "output"), 25),
        (("model", "reply", 1, "nowhere"), 20),
        (("nowhere",), 1),
        ((), 1),
    ],
)
def test_every_key_has_its_line(path: Path, line: int) -> None:
    assert locate(TEXT).line(path) == line
    assert locate(TEXT.replace("\n", "\r\n")).line(path) == line


def test_tables_made_by_dots_are_told_from_tables_that_are_written() -> None:
    found = locate('a.b = 1\n[c]\nd = { e = 1 }\n"f.g" = 2\n')
    assert [found.is_dotted(path) for path in (("a",), ("c",), ("c", "d"), ("c", "f.g"), ("c", "f"))] == [
        *(True, False, False, False, False)
    ]


@pytest.mark.parametrize(
    ("text", "path", "first", "second"),
    [
        ("a = 1\nb = 2\na = 3\n", ("a",), 1, 3),
        ("[t]\na = 1\n[t]\n", ("t",), 1, 3),
        ("a.b = 1\na = 2\n", ("a",), 1, 2),
        ("a = 1\na.b = 2\n", ("a",), 1, 2),
        ("[t]\nx = { a = 1,\n", None, 0, 0),
        ("x = { a = 1, a = 2 }\n", ("x", "a"), 1, 1),
        ("[[t]]\na = 1\n[[t]]\na = 1\na = 2\n", ("t", 1, "a"), 4, 5),
        ("[a.b]\n[a]\nc = 1\n", None, 0, 0),
    ],
)
def test_what_is_given_twice_is_found(text: str, path: Path | None, first: int, second: int) -> None:
    assert locate(text).twice == ([] if path is None else [(path, first, second)])


keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    st.integers(-9, 9) | st.booleans() | st.text(st.sampled_from("a\"'\\\n[]{}#=, é"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)


def paths_of(value: Any, path: Path = ()) -> list[Path]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(*path, key) for key, _ in parts] + [p for key, item in parts for p in paths_of(item, (*path, key))]


@given(st.dictionaries(keys, values, max_size=4), st.booleans())
def test_every_path_of_any_document_is_found(data: dict[str, Any], multiline: bool) -> None:
    text = tomli_w.dumps(data, multiline_strings=multiline)
    found = locate(text)
    lines = text.split("\n")
    assert set(paths_of(tomllib.loads(text))) <= set(found.places)
    assert not found.twice
    assert all(1 <= place.line <= len(lines) for place in found.places.values())


@given(st.text(st.sampled_from("ab.=[]{}\"'\\\n#, 1"), max_size=60))
def test_no_text_makes_the_scanner_fail(text: str) -> None:
    locate(text)


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "a = " + "[" * 50_000, "a = " + "{b = " * 20_000, 'a = """' + '"\\' * 9]
)
def test_hostile_texts_end_in_good_time(text: str) -> None:
    locate(text)
