"""The effect ledger: what a run has really done, and what of it is undone by going back to an earlier point. Pure.

A call counts as done once its tool has started. Calls that only read leave nothing behind and are not listed. What
stays, whatever is forked: what reached outside, what a tool without a declared risk did, what was written into a real
folder. What was written into the sandbox is undone, as the sandbox is built anew from the effects up to that point;
whether it may simply be done again is for the author of the tool to say (`idempotent`, `dedupe`). A call in the log of
another agent never ran here, and where its tool is not known, nobody can say whether it changed anything.

A lineage is all runs that come from one root. What one of its branches has done stays done for every other one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from workbench.core.canonical import digest
from workbench.core.events import (
    DoneElsewhere,
    Event,
    Forked,
    Held,
    LateResult,
    ModelReply,
    Planned,
    ToolResult,
    ToolStarted,
)
from workbench.core.values import Call, Header, Risk, ToolInfo

Fate = Literal["stands", "once", "undone", "logged"]
"""Of an effect, when one goes back to before it: it stands; its files are as they were, but it is not to be done twice
unasked; it is undone. `logged` is a call of another agent, of which only its log tells."""
Outcome = Literal["ran", "unknown"]

NOTHING_DONE = ("failed", "not_run")
"""Outcomes of a started call that has changed nothing."""
_ORDER = {"stands": 0, "once": 1, "undone": 2, "logged": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """One call that really ran, or that was started and may have."""

    tool: str
    arguments: str
    """Canonical JSON."""
    key: str
    """Idempotency key, the same in every branch of the lineage."""
    call: str = ""
    """Its id, in the run that made it; "" where the session of another branch is told of it."""
    branch: str = ""
    """What the session is called that did it, where that is another one."""
    n: int = 0
    """Number of the event that says it started; of the one that tells it, for what another branch did."""
    told: int = 0
    """Number of the event that says what came of it, or that another branch did it; 0 while nobody knows."""
    risk: Risk = "undeclared"
    outcome: Outcome = "ran"
    fate: Fate = "stands"
    result: str = ""
    """What the tool gave back; "" where nobody knows."""
    files: tuple[str, ...] = ()
    """Files of the sandbox that it changed."""


ABOUT_CALLS = frozenset({ModelReply, Planned, ToolStarted, ToolResult, Held, LateResult})
ABOUT_OTHERS = frozenset({Forked, DoneElsewhere})
"""Events that tell what was done, here and in other branches."""


@dataclass(slots=True)
class _Start:
    event: ToolStarted
    n: int
    told: ToolResult | Held | None = None
    """The first that was heard of what it came to."""
    told_at: int = 0
    late: bool = False
    """Whether something came of it when nobody waited for it any more."""


def executed(header: Header, events: Sequence[Event], after: int = 0) -> tuple[Executed, ...]:
    """What was done after event `after`: what stands first, then in the order in which it was done."""
    done = _done(header, events)
    return tuple(_in_order(since(done, after)))


def since(done: Sequence[Executed], after: int) -> list[Executed]:
    """Those of `done` that were done after event `after`.

    A call that had been started by then counts when its result came later: a fork there does not know the result.
    """
    return [item for item in done if item.told > after or not item.told]


def elsewhere(own: Sequence[Executed], others: Iterable[Executed]) -> tuple[Executed, ...]:
    """What other branches have done that this one has not, nor has been told, and that cannot simply be done again.

    `own` is all that `executed` finds in this run. Each key is there once; who knows what came of it is believed.
    """
    known = {item.key for item in own if item.outcome == "ran"}
    guessed = {item.key for item in own}
    found: dict[str, Executed] = {}
    for item in others:
        if item.fate == "undone" or item.key in known or (item.outcome == "unknown" and item.key in guessed):
            continue
        if item.key not in found or found[item.key].outcome == "unknown":
            found[item.key] = item
    return tuple(_in_order(found.values()))


def _in_order(items: Iterable[Executed]) -> list[Executed]:
    return sorted(items, key=lambda item: (_ORDER[item.fate], item.outcome, item.n))


def _done(header: Header, events: Sequence[Event]) -> list[Executed]:
    gated = {tool.name: tool for tool in header.tools if tool.gated}
    calls: dict[str, Call] = {}
    starts: list[_Start] = []
    latest: dict[str, _Start] = {}
    found: list[Executed] = []
    telling = ABOUT_CALLS | ABOUT_OTHERS if gated else ABOUT_OTHERS
    for n, event in enumerate(events, 1):
        if type(event) not in telling:  # most of a long run
            continue
        match event:
            case ModelReply() | Planned():
                for call in event.calls:
                    if call.tool in gated:
                        calls[call.id] = call
            case ToolStarted() if event.call in calls:
                latest[event.call] = _Start(event, n)
                starts.append(latest[event.call])
            case ToolResult() | Held() if event.call in latest:
                start = latest[event.call]
                if start.told is None:
                    start.told, start.told_at = event, n
            case LateResult() if event.call in latest:
                latest[event.call].late = True
            case Forked() | DoneElsewhere():
                found += (replace(entry_from(entry), n=n, told=n) for entry in event.effects)
    real = bool(_workspace(header).get("root"))
    for start in starts:
        call = calls[start.event.call]
        found += filter(None, (_entry(header, gated[call.tool], start, call, real=real),))
    return found


def _workspace(header: Header) -> Mapping[str, Any]:
    table = header.scenario.get("workspace", {})
    return table if isinstance(table, Mapping) else {}


def _entry(header: Header, tool: ToolInfo, start: _Start, call: Call, *, real: bool) -> Executed | None:
    """None for a call that is known to have changed nothing."""
    told = start.told
    came_to = (told.original_outcome or told.outcome) if told is not None else "unknown"
    if came_to in NOTHING_DONE and not start.late:
        return None
    ran = told is not None and came_to == "ran"
    files = tuple(dict.fromkeys(str(effect.get("path", "")) for effect in told.effects)) if told is not None else ()
    arguments = start.event.arguments or call.canonical
    return Executed(
        tool=tool.name,
        arguments=arguments,
        key=start.event.key or digest(header.lineage, tool.name, arguments),
        call=call.id,
        n=start.n,
        told=start.told_at,
        risk=tool.risk,
        outcome="ran" if ran else "unknown",
        fate=_fate(tool, sandboxed=bool(files) and not real, ours=bool(start.event.key)),
        result="" if told is None or not ran else told.original if told.changed_by else told.content,
        files=files,
    )


def _fate(tool: ToolInfo, *, sandboxed: bool, ours: bool) -> Fate:
    """`ours`: whether it ran here. A call of a tool that may change something gets a key before it starts."""
    if tool.risk == "undeclared" and not ours:
        return "logged"
    if tool.risk != "write" or not sandboxed:
        return "stands"
    return "once" if tool.deduplicates else "undone"


# ---------------------------------------------------------------- plain form


def entry_to(item: Executed) -> dict[str, Any]:
    """The plain form of an entry, as events carry it."""
    plain: dict[str, Any] = {"tool": item.tool, "arguments": item.arguments, "key": item.key, "risk": item.risk}
    plain |= {"outcome": item.outcome, "fate": item.fate}
    if item.branch:
        plain["branch"] = item.branch
    if item.result:
        plain["result"] = item.result
    if item.files:
        plain["files"] = list(item.files)
    return plain


def entry_from(values: Mapping[str, Any]) -> Executed:
    """The entry of that plain form. Raises ValueError when it is none."""
    texts = {name: values.get(name, "") for name in ("tool", "arguments", "key", "branch", "result")}
    words = {
        "risk": (values.get("risk", "undeclared"), get_args(Risk)),
        "outcome": (values.get("outcome", "ran"), get_args(Outcome)),
        "fate": (values.get("fate", "stands"), get_args(Fate)),
    }
    if odd := next((name for name, text in texts.items() if not isinstance(text, str)), ""):
        raise ValueError(f"{odd} of an effect is text, not {texts[odd]!r:.80}")
    for name, (word, known) in words.items():
        if word not in known:
            raise ValueError(f"{name} of an effect is {', '.join(known)}, not {word!r:.80}")
    chosen: dict[str, Any] = {name: word for name, (word, _) in words.items()}
    return Executed(**texts, **chosen, files=tuple(map(str, values.get("files", ()))))
