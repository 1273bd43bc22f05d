"""What is typed to find sessions: words, and filters on what a session called, came to and cost.

refund "blue mug"          holds both, in any case: title, file name, what was said, arguments, results
tool:refund                called a tool in whose name that is; tool=add is that name and no other
status:answered            ended so, or waits: any part of a status or of the word that lists show for it
cost>0.1  steps<=4         with > < >= <= = and a figure; cost in USD; cost:unknown
-tool:add                  a hyphen before anything: not that
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.statuses import Status

if TYPE_CHECKING:
    from workbench.view.shelf import Item, Saved

Test = Callable[["Saved"], bool]

EXAMPLES: Mapping[str, str] = {"tool": "tool:add", "status": "status:answered", "cost": "cost>0.1", "steps": "steps>3"}
COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
}
_PART = re.compile(r'(?P<no>-?)(?:(?P<key>[A-Za-z]{2,})(?P<how>:|>=|<=|[><=]))?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S*))')
_FIGURE = re.compile(r"\$?(\d{1,15}(?:\.\d*)?|\.\d+)")


class BadFilter(ValueError):
    """A filter that cannot be understood; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Word:
    """A text to look for, in lower case, and whether it is wanted or must not be there."""

    text: str
    wanted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for; everything has to hold. Without anything, all is found."""

    text: str = ""
    """As it was typed, without blanks around it."""
    words: tuple[Word, ...] = ()
    tests: tuple[Test, ...] = field(default=(), compare=False)
    problem: str = ""
    """What in it cannot be understood, as a sentence, and is left out; "" when nothing is."""

    @property
    def is_empty(self) -> bool:
        """Whether all is found."""
        return not self.words and not self.tests

    def holds(self, item: Item, held: Mapping[str, Collection[Path]]) -> bool:
        """Whether an item is found. `held` has, for each word, the files in whose text it is."""
        for word in self.words:
            found = word.text in item.text or item.path in held.get(word.text, ())
            if found is not word.wanted:
                return False
        saved = item.saved
        return all(saved is not None and test(saved) for test in self.tests)


EVERYTHING = Query()


def read_query(text: str) -> Query:
    """The query that a person typed."""
    words: list[Word] = []
    tests: list[Test] = []
    problem = ""
    for part in _PART.finditer(text):
        value = part["quoted"] if part["quoted"] is not None else part["plain"]
        wanted = not part["no"]
        if part["key"] is None:
            if value:
                words.append(Word(value.casefold(), wanted))
            elif not wanted:
                words.append(Word("-", wanted=True))
            continue
        try:
            test = _test(part["key"].casefold(), part["how"], value.casefold())
        except BadFilter as error:
            problem = problem or str(error)
        else:
            tests.append(test if wanted else _not(test))
    return Query(text=text.strip(), words=tuple(words), tests=tuple(tests), problem=problem)


def _not(test: Test) -> Test:
    return lambda saved: not test(saved)


def _test(key: str, how: str, value: str) -> Test:
    """Raises BadFilter."""
    if key not in EXAMPLES:
        near = get_close_matches(key, EXAMPLES, 1)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(EXAMPLES)}; in quotes it is text"
        raise BadFilter(f"there is no filter {key}; {known}")
    if not value:
        raise BadFilter(f"{key}{how} lacks what to look for, as in {EXAMPLES[key]}")
    if key == "tool":
        return _of_tool(how, value)
    if key == "status":
        return _of_status(how, value)
    return _of_figure(key, how, value)


def _of_tool(how: str, name: str) -> Test:
    if how == ":":
        return lambda saved: any(name in tool.casefold() for tool in saved.tools)
    if how == "=":
        return lambda saved: any(name == tool.casefold() for tool in saved.tools)
    raise BadFilter(f"a tool is not more or less than another: {EXAMPLES['tool']}")


def _of_status(how: str, name: str) -> Test:
    from workbench.view.shelf import OUTCOMES

    if how not in (":", "="):
        raise BadFilter(f"a status is not more or less than another: {EXAMPLES['status']}")
    known = [(text, status) for status in Status for text in (_spaced(status.value), OUTCOMES[status][1])]
    wanted = _spaced(name)
    found = frozenset(status for text, status in known if (wanted in text if how == ":" else wanted == text))
    if not found:
        near = get_close_matches(wanted, [text for text, _ in known], 1)
        hint = f"did you mean {near[0].replace(' ', '-')}?" if near else "as in status:answered or status:waiting"
        raise BadFilter(f"there is no status {name}; {hint}")
    return lambda saved: saved.status in found


def _spaced(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _of_figure(key: str, how: str, value: str) -> Test:
    if key == "cost" and how in (":", "=") and value == "unknown":
        return lambda saved: saved.cost is None
    figure = _FIGURE.fullmatch(value)
    if how == ":" or figure is None:
        raise BadFilter(f"{key} is compared with a figure, as in {EXAMPLES[key]}")
    limit, compare = float(figure[1]), COMPARE[how]
    if key == "steps":
        return lambda saved: compare(saved.summary.steps, limit)
    return lambda saved: saved.cost is not None and compare(saved.cost, limit)


def matching(items: Sequence[Item], query: Query, held: Mapping[str, Collection[Path]] | None = None) -> list[Item]:
    """The items that are found, in their order."""
    if query.is_empty:
        return list(items)
    return [item for item in items if query.holds(item, held or {})]
