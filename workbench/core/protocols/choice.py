"""What counts of the things found in a reply: the switches `both`, `several` and `finish`, for text and json alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.core.values import ProtocolOptions, RawCall, Reading

MAX_FOUND = 200
"""Things looked at in one reply. A reply with more is no reply but a runaway, and its rest counts as dropped."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing a reply holds, in reading order.

    `broken` was meant as an action or answer and cannot be read: `text` tells the model why. `invented` is the model
    speaking for the runtime (an observation of its own, say). `unread` is what an option passes over.
    """

    kind: Literal["action", "answer", "broken", "invented", "unread"]
    call: RawCall | None = None
    text: str = ""


INVENTED = Found("invented")
UNREAD = Found("unread")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A protocol's corrections. `several` holds `{n}`; `to_finish` says how to end a run that ends by a tool."""

    nothing: str
    nothing_to_call: str
    both: str
    several: str
    to_finish: str


def choose(found: Sequence[Found], options: ProtocolOptions, wording: Wording) -> Reading:
    """The reading of a reply that holds these things: the first one meant for the runtime decides, but for `both`."""
    actions = [index for index, item in enumerate(found) if item.kind == "action"]
    answers = [index for index, item in enumerate(found) if item.kind == "answer"]
    first = next((item for item in found if item.kind in ("action", "answer", "broken")), None)
    if first is None:
        return _malformed(wording.nothing if options.finish == "text" else wording.nothing_to_call)
    if first.kind == "broken":
        return _malformed(first.text)
    if actions and answers and options.both == "refuse":
        return _malformed(wording.both)
    if not actions and options.finish == "tool":
        return _malformed(wording.to_finish)
    if answers and _answer_wins(answers[0], actions, options):
        return Reading(kind="answer", answer=found[answers[0]].text, dropped=_dropped("answer", found, answers[:1]))
    if len(actions) > 1 and options.several == "refuse":
        return _malformed(wording.several.format(n=len(actions)))
    used = _batch(found, actions) if options.several == "all" else actions[:1]
    calls = tuple(call for index in used if (call := found[index].call) is not None)
    return Reading(kind="calls", calls=calls, dropped=_dropped("action", found, used))


def _malformed(problem: str) -> Reading:
    return Reading(kind="malformed", problem=problem)


def _answer_wins(answer: int, actions: Sequence[int], options: ProtocolOptions) -> bool:
    if not actions:
        return True
    if options.finish == "tool" or options.both == "action":
        return False
    return options.both == "answer" or answer < actions[0]


def _batch(found: Sequence[Found], actions: Sequence[int]) -> list[int]:
    """The actions that belong together: those behind an invented observation rest on what never happened."""
    used = [actions[0]]
    for index in actions[1:]:
        if any(item.kind == "invented" for item in found[used[-1] : index]):
            break
        used.append(index)
    return used


def _dropped(what: str, found: Sequence[Found], used: Sequence[int]) -> str:
    """What was left out, as one sentence; "" when nothing was."""
    unused = [index for index in range(len(found)) if index not in used]
    if not unused:
        return ""
    if what == "answer":
        kept, it = "the answer of your reply was", "it"
    elif len(used) == 1:
        kept, it = "the first action of your reply was", "it"
    else:
        kept, it = f"the first {len(used)} actions of your reply were", "them"
    rest = f"what stood after {it}" if unused[0] > used[-1] else "the rest"
    invented = ", it was no observation" if any(found[index].kind == "invented" for index in unused) else ""
    return f"Only {kept} used; {rest} was dropped{invented}."
