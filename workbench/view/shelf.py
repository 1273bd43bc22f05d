"""What Home shows, as plain values: scripts by tag, sessions under their parents, and files that cannot be read."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench.core.statuses import Status
from workbench.view.entries import Role

if TYPE_CHECKING:
    from workbench.sessions.store import SessionSummary

Kind = Literal["script", "session", "bad", "theme", "key"]
Outcome = tuple[str, str, Role]
"""Sign, word of at most 12 characters, colour role."""

OUTCOMES: dict[Status, Outcome] = {
    Status.RUNNING: ("·", "not ended", "quiet"),
    Status.ANSWERED: ("✓", "answered", "go"),
    Status.GOAL_REACHED: ("✓", "goal reached", "go"),
    Status.STEP_BUDGET_EXHAUSTED: ("■", "step cap", "error"),
    Status.CALL_BUDGET_EXHAUSTED: ("■", "call cap", "error"),
    Status.TOKEN_BUDGET_EXHAUSTED: ("■", "token cap", "error"),
    Status.COST_BUDGET_EXHAUSTED: ("■", "cost cap", "error"),
    Status.DEADLINE_EXCEEDED: ("■", "time cap", "error"),
    Status.CONTEXT_WINDOW_EXCEEDED: ("■", "context full", "error"),
    Status.REPEATED_ACTION: ("■", "repeating", "error"),
    Status.TOO_MANY_FAILURES: ("■", "failures", "error"),
    Status.PROTOCOL_ERRORS: ("■", "unreadable", "error"),
    Status.STEP_FAILED: ("■", "step failed", "error"),
    Status.NO_ROUTE: ("■", "no route", "error"),
    Status.REPLY_CUT_OFF: ("■", "cut off", "error"),
    Status.REPLY_BLOCKED: ("■", "blocked", "error"),
    Status.SCRIPT_EXHAUSTED: ("■", "script over", "error"),
    Status.MODEL_UNAVAILABLE: ("✗", "no model", "error"),
    Status.MODEL_REJECTED: ("✗", "rejected", "error"),
    Status.POLICY_DENIED: ("⊘", "locked", "error"),
    Status.AWAITING_APPROVAL: ("▲", "waiting", "wait"),
    Status.AWAITING_PERSON: ("▲", "waiting", "wait"),
    Status.CANCELLED: ("⊘", "cancelled", "error"),
    Status.TOOL_DEFECT: ("✗", "tool defect", "error"),
    Status.INTERNAL_ERROR: ("✗", "internal", "error"),
}
UNREADABLE = "cannot be read"
EXAMPLES = "examples"
UNTAGGED = "other"
OWN = "your own"
"""Where scripts of one's own stand that name no tag."""
COPY = "your copy of an example"
TOUR = "tour"
"""The name, or a tag, of the scenario that a first start begins with."""
FIRST = (TOUR, "first-steps")
"""Tags whose scripts are for beginners: they stand before the others."""


DEEPEST = 6
"""Forks further away from their root than this are drawn no deeper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing in a list. Texts are as they came: they are made visible where they are drawn."""

    kind: Kind
    key: str
    """What makes it the same thing in a list drawn later: its path, as a rule."""
    title: str
    note: str = ""
    """A quiet second line."""
    outcome: Outcome | None = None
    steps: str = ""
    age: str = ""
    group: str = ""
    """The heading it stands under."""
    depth: int = 0
    """How many forks it is away from a session that is none, as far as the list knows."""
    forks: int = 0
    """How many items after it are forks of it, or of those."""
    why: tuple[str, ...] = ()
    """For a file that cannot be read: every reason, a sentence each."""
    example: bool = False
    """Whether it comes with the package."""
    tour: bool = False
    """Whether a first start begins with it."""
    lesson: int | None = None
    """Its place in a course; None where it has none."""
    saved: Saved | None = None
    """The session that it is."""

    @property
    def path(self) -> Path:
        return Path(self.key)

    @property
    def text(self) -> str:
        """What a filter looks at."""
        word = self.outcome[1] if self.outcome is not None else ""
        name = self.key.rpartition(os.sep)[2]
        return "\n".join((self.title, self.note, word, self.group, name)).casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What is shown of a scenario file."""

    path: Path
    title: str
    about: str
    tags: tuple[str, ...]
    lesson: int | None = None
    example: bool = False
    """Whether it comes with the package."""

    @property
    def is_tour(self) -> bool:
        return self.path.stem == TOUR or TOUR in self.tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """A file that cannot be read, and why: in short, and as whole sentences."""

    path: Path
    short: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What is shown of a session file."""

    summary: SessionSummary
    status: Status
    """As people see it: a question that nobody has answered is no event, and so not in the summary."""
    script: str
    """The path of its scenario, with links resolved; "" when it has none."""
    example: bool
    tools: tuple[str, ...] = ()
    """The tools that the model called, each once."""
    cost: float | None = 0.0
    """USD; None where it is unknown."""

    @property
    def outcome(self) -> Outcome:
        return OUTCOMES[self.status]


# ---------------------------------------------------------------- arranging


def script_items(scripts: Sequence[Script | Bad], latest: Mapping[str, Saved]) -> list[Item]:
    """Scripts under their first tag, in the order of their lessons: tags with scripts of one's own first, and files
    that cannot be read last.

    `latest` has, by the path of a script, its session that was written last.
    """
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    examples = [script for script in scripts if isinstance(script, Script) and script.example]
    known = {*(script.title for script in examples), *(script.path.name for script in examples)}
    for script in scripts:
        if isinstance(script, Bad):
            groups[UNREADABLE].append(_bad_item(script))
            continue
        group = script.tags[0] if script.tags else UNTAGGED if script.example else OWN
        last = latest.get(os.path.realpath(script.path))
        groups[group].append(
            Item(
                kind="script",
                key=str(script.path),
                title=script.title,
                note=f"{COPY} · {script.about}" if _is_copy(script, known) else script.about,
                outcome=last.outcome if last is not None else None,
                group=group,
                example=script.example,
                tour=script.is_tour,
                lesson=script.lesson,
            )
        )
    order = sorted(groups, key=lambda name: _group_place(name, groups[name]))
    return [item for name in order for item in sorted(groups[name], key=_place_in_group)]


def _is_copy(script: Script, known: set[str]) -> bool:
    """Whether it is of one's own, and called like an example; `known` has their titles and file names."""
    return not script.example and not known.isdisjoint((script.title, script.path.name))


def _group_place(name: str, items: Sequence[Item]) -> tuple[bool, bool, int, float, bool, str]:
    beginning = FIRST.index(name) if name in FIRST else len(FIRST)
    first = min(map(_lesson, items))
    return (name == UNREADABLE, all(item.example for item in items), beginning, first, name == UNTAGGED, name)


def _place_in_group(item: Item) -> tuple[bool, float, str]:
    return (item.example, _lesson(item), item.path.stem)


def _lesson(item: Item) -> float:
    return math.inf if item.lesson is None else item.lesson


def next_lesson(items: Sequence[Item], path: str) -> Item | None:
    """The lesson that follows the one in that file; None where it is none, or the last one."""
    here = next((item for item in items if item.lesson is not None and item.key == path), None)
    if here is None:
        return None
    later = [item for item in items if item.lesson is not None and (_lesson(item), item.key) > (_lesson(here), path)]
    return min(later, key=lambda item: (_lesson(item), item.key), default=None)


def first_script(items: Sequence[Item]) -> tuple[str, bool]:
    """The key of the script to begin with, "" for none, and whether it is the tour."""
    scripts = [item for item in items if item.kind == "script"]
    tour = next((item for item in scripts if item.tour), None)
    start = tour or next(iter(scripts), None)
    return (start.key if start is not None else "", tour is not None)


def session_items(sessions: Sequence[Saved | Bad], now: float) -> list[Item]:
    """Sessions with their forks under them, what was written last first; then the examples, then what is unreadable."""
    good = [each for each in sessions if isinstance(each, Saved)]
    bad = [each for each in sessions if isinstance(each, Bad)]
    return [
        *_tree([each for each in good if not each.example], now),
        *_tree([each for each in good if each.example], now),
        *(_bad_item(each) for each in sorted(bad, key=lambda each: each.path)),
    ]


def _tree(sessions: Sequence[Saved], now: float) -> list[Item]:
    placed = lineage(sessions)
    ends = _ends([depth for _, depth in placed])
    return [_session_item(each, depth, now, ends[at] - at - 1) for at, (each, depth) in enumerate(placed)]


def _ends(depths: Sequence[int]) -> list[int]:
    """Where in a list of depths, parents before their forks, what is below each one ends."""
    ends = [len(depths)] * len(depths)
    above: list[int] = []
    for at, depth in enumerate(depths):
        while above and depths[above[-1]] >= depth:
            ends[above.pop()] = at
        above.append(at)
    return ends


def lineage(sessions: Sequence[Saved]) -> list[tuple[Saved, int]]:
    """Every session with its depth, forks below their parents; a family stands where its newest member would.

    Files may say anything: a fork whose parent is not there stands below the root of its lineage, or is a root where
    that is not there either; and a circle of parents is cut somewhere.
    """
    newest = sorted(sessions, key=lambda each: each.summary.modified, reverse=True)
    by_id = {each.summary.id: each for each in reversed(newest)}
    forks: defaultdict[str, list[Saved]] = defaultdict(list)
    for each in newest:
        parent = _parent(each, by_id)
        if parent is not None:
            forks[parent.summary.id].append(each)
    placed: dict[Path, tuple[Saved, int]] = {}
    for each in newest:
        if each.summary.path not in placed:
            _place(_root(each, by_id), forks, placed)
            _place(each, forks, placed)  # Where files copied by hand share an id, only one of them is found by it.
    return list(placed.values())


def _parent(session: Saved, by_id: Mapping[str, Saved]) -> Saved | None:
    found = by_id.get(session.summary.parent) or (by_id.get(session.summary.root) if session.summary.parent else None)
    return found if found is not session else None


def _root(session: Saved, by_id: Mapping[str, Saved]) -> Saved:
    seen = {session.summary.id}
    while (parent := _parent(session, by_id)) is not None and parent.summary.id not in seen:
        seen.add(parent.summary.id)
        session = parent
    return session


def _place(root: Saved, forks: Mapping[str, list[Saved]], placed: dict[Path, tuple[Saved, int]]) -> None:
    waiting = [(root, 0)]
    while waiting:
        each, depth = waiting.pop()
        if each.summary.path in placed:
            continue
        placed[each.summary.path] = (each, depth)
        waiting += [(fork, depth + 1) for fork in reversed(forks.get(each.summary.id, []))]


def _session_item(kept: Saved, depth: int, now: float, forks: int) -> Item:
    summary = kept.summary
    return Item(
        kind="session",
        key=str(summary.path),
        title=first_line(summary.title) or summary.path.stem,
        outcome=kept.outcome,
        steps="1 step" if summary.steps == 1 else f"{summary.steps:,} steps",
        age="" if kept.example else age(now - summary.modified),
        group=EXAMPLES if kept.example else "",
        depth=depth,
        forks=forks,
        example=kept.example,
        saved=kept,
    )


def branch_sign(depth: int) -> str:
    """What stands before the title of a fork, so that a list is a tree."""
    depth = min(depth, DEEPEST)
    return f"{'  ' * (depth - 1)}└ " if depth else ""


def _bad_item(bad: Bad) -> Item:
    return Item(
        kind="bad",
        key=str(bad.path),
        title=bad.path.name,
        note=bad.short,
        outcome=("✗", "", "error"),
        group=UNREADABLE,
        why=bad.why,
    )


AGES = ((60, "min"), (3600, "h"), (86_400, "d"), (7 * 86_400, "wk"), (30 * 86_400, "mo"), (365 * 86_400, "y"))


def age(seconds: float) -> str:
    """How long ago, in at most 6 characters: now, 5 min, 3 h, 2 d, 3 wk, 4 mo, 2 y."""
    size, unit = next(((size, unit) for size, unit in reversed(AGES) if seconds >= size), (0, ""))
    return f"{int(seconds // size)} {unit}" if size else "now"


def first_line(text: str) -> str:
    """The first line that is not blank, without the blanks around it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
