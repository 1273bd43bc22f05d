"""What can be broken: the faults that are armed, those there are to choose from, and where one of them is to strike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workbench.core.faults import FaultError, describe, label, when
from workbench.core.state import State
from workbench.core.striking import Armed
from workbench.core.values import Fault, FaultTarget
from workbench.faults.argument import parse_fault
from workbench.faults.catalogue import Catalogue, Entry
from workbench.faults.door import strikes_at_door
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount
from workbench.view.lines import clip, cut_line, one_line, pad, wrap
from workbench.view.visible import cells

Door = Literal["", "result", "reply"]
"""What stands at the door; "" when faults are chosen that strike later."""

TARGETS: Mapping[FaultTarget, str] = {"tool": "tool", "result": "result", "reply": "reply", "provider": "request"}
UNITS: Mapping[FaultTarget, str] = {"tool": "call", "result": "result", "reply": "reply", "provider": "request"}
ABOUT_CALLS = ("tool", "result")
NAMES = 26
"""Cells of a fault's name, at most."""
TEACHES_ROWS = 3

_LATER = "It took 30 s longer, by the time of the run; delay:seconds=5 is another time."
AT_DOOR: Mapping[Door, Sequence[Entry]] = {
    "result": (
        Entry(
            fault=Fault(name="error", on="result", do="error"),
            teaches="The tool has acted, and the model reads that it failed.",
        ),
        Entry(fault=Fault(name="delay", on="result", do="delay", seconds=30.0), teaches=_LATER),
        Entry(
            fault=Fault(name="drop", on="result", do="drop"),
            teaches="The tool has acted, and the model reads that no result arrived.",
        ),
    ),
    "reply": (Entry(fault=Fault(name="delay", on="reply", do="delay", seconds=30.0), teaches=_LATER),),
}
"""What stands before the catalogue, where something is held."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A fault of the list. `at` is its place among the armed ones, -1 for one that can be chosen."""

    fault: Fault
    teaches: str = ""
    group: str = ""
    at: int = -1


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fault strikes, in words, and the fault that does so."""

    words: str
    fault: Fault


def with_door(catalogue: Catalogue, door: Door) -> Catalogue:
    """The catalogue as it can be chosen from; what is held can be struck by some of it only."""
    if not door:
        return catalogue
    first = {entry.name: entry for entry in AT_DOOR[door]}
    fitting = {
        name: entry
        for name, entry in catalogue.items()
        if strikes_at_door(entry.fault, reply=door == "reply") and name not in first
    }
    return {**first, **fitting}


def offers(armed: Sequence[Armed], catalogue: Catalogue, query: str) -> list[Offer]:
    """The armed faults, then those of the catalogue, as far as the query finds them; names that hold it come first.

    Of a fault that is spelled out, `name:key=value`, only the name counts.
    """
    wanted = query.partition(":")[0].casefold().split()
    listed = [
        Offer(item.fault, at=index)
        for index, item in enumerate(armed)
        if all(word in describe(item.fault).casefold() for word in wanted)
    ]
    found = [entry for entry in catalogue.values() if all(word in _searched(entry) for word in wanted)]
    found.sort(key=lambda entry: _rank(entry, wanted))
    return [*listed, *(Offer(entry.fault, entry.teaches, entry.group) for entry in found)]


def _searched(entry: Entry) -> str:
    return f"{entry.name} {TARGETS[entry.fault.on]} {entry.group} {entry.teaches}".casefold()


def _rank(entry: Entry, wanted: Sequence[str]) -> int:
    name = entry.name
    return 0 if name == "-".join(wanted) else 1 if all(word in name for word in wanted) else 2


def spelled_out(query: str, catalogue: Catalogue) -> Fault | str | None:
    """The fault that `name:key=value` is, or why it is none in one sentence; None where nothing is spelled out."""
    if ":" not in query:
        return None
    try:
        return parse_fault(query.strip(), catalogue)
    except FaultError as error:
        return str(error).removeprefix("use: ")


def places(fault: Fault, state: State, tool: str) -> list[Place]:
    """Where a fault can strike from here on, the likeliest first. `tool` is that of the picked call, "" for none."""
    unit = UNITS[fault.on]
    bare = replace(fault, nth=None, step=None, every=None, after=None, burst=None, chance=None, times=None)
    found = [Place(f"the next {unit}", replace(bare, nth=1))]
    if bare != fault and replace(fault, nth=None, times=None) != bare:
        found.insert(0, Place(when(fault), fault))  # When it strikes is part of what it is.
    about_tool = bool(tool) and fault.on in ABOUT_CALLS and not fault.tool
    if about_tool:
        found.append(Place(f"the next {unit} of {cut_line(tool, NAMES)}", replace(bare, nth=1, tool=tool)))
    step = _next_step(fault, state)
    found.append(Place(f"in step {amount(step)}", replace(bare, step=step)))
    found.append(Place("every time", bare))
    if about_tool:
        found.append(Place(f"every {unit} of {cut_line(tool, NAMES)}", replace(bare, tool=tool)))
    return found


def _next_step(fault: Fault, state: State) -> int:
    """The step in which it can strike next."""
    this_one = fault.on in ABOUT_CALLS and any(record.started is None for record in state.open_calls())
    return state.total_steps + (0 if this_one else 1)


# ---------------------------------------------------------------- words


def armed_words(item: Armed, steps: int) -> str:
    """When an armed fault strikes from here on, and how often it has: "the next one · not struck yet"."""
    times = {1: "once", 2: "twice"}.get(item.fired, f"{amount(item.fired)} times")
    fired = f"struck {times}" if item.fired else "not struck yet"
    if item.spent(steps):
        return f"{fired}, it is over" if item.fired else "missed, it is over"
    nth = item.fault.nth
    rest = item.fault if nth is None else replace(item.fault, nth=nth - item.seen)
    coming = when(rest, from_here=True)
    return f"{coming} · {fired}"


def about(fault: Fault) -> str:
    """What it is about: results of add."""
    if fault.on in ABOUT_CALLS:
        whose = cut_line(fault.tool, NAMES) if fault.tool else "any tool"
        return f"{'results of ' if fault.on == 'result' else ''}{whose}{' itself' if fault.on == 'tool' else ''}"
    return "replies" if fault.on == "reply" else "requests"


def offer_line(offer: Offer, armed: Sequence[Armed], steps: int, width: int, *, picked: bool) -> Line:
    """A row of the list."""
    name, mark = one_line(label(offer.fault)), Span("▸ " if picked else "  ", "primary")
    if offer.at >= 0:
        item = armed[offer.at]
        role: Role = "quiet" if item.spent(steps) else "changed"
        words = f"{about(item.fault)}, {armed_words(item, steps)}"
        return clip((mark, Span("≠ ", role), Span(pad(name, NAMES), role, bold=picked), Span(words, "quiet")), width)
    target = TARGETS[offer.fault.on]
    return clip(
        (
            mark,
            Span("  "),
            Span(pad(cut_line(name, NAMES - 1), NAMES), bold=picked),
            Span(pad(target, 9), "quiet"),
            Span(one_line(offer.teaches), "quiet"),
        ),
        width,
    )


def teaching(offer: Offer | None, width: int) -> list[Line]:
    """What the picked fault teaches, in full; of an armed one, what it is."""
    if offer is None:
        return [(Span("no fault of that name, and none that says so", "quiet"),)]
    text = describe(offer.fault) if offer.at >= 0 else offer.teaches or describe(offer.fault)
    return wrap((Span(one_line(text)),), width)[:TEACHES_ROWS]


def place_line(found: Sequence[Place], chosen: int, width: int) -> Line:
    """Where it strikes, the chosen place marked; where there is no room for all of them, that one."""
    spans = [Span("strikes ", "quiet")]
    for index, place in enumerate(found):
        marked = index == chosen
        spans.append(Span(f"{'▸' if marked else ' '}{place.words}  ", "primary" if marked else "quiet", bold=marked))
    if sum(cells(span.text) for span in spans) <= width:
        return tuple(spans)
    count = Span(f"  {chosen + 1} of {len(found)}", "quiet")
    return clip((spans[0], Span(f"▸{found[chosen].words}", "primary", bold=True), count), width)


def armed_lines(state: State, width: int, most: int) -> list[Line]:
    """The faults that can still strike, for the side column: one a row, the rest by number."""
    live = [item for item in state.faults if not item.spent(state.total_steps)]
    lines: list[Line] = []
    for item in live[:most]:
        words = f"{one_line(label(item.fault))} · {armed_words(item, state.total_steps).partition(' · ')[0]}"
        lines.append((Span(words, "changed"),))
    if len(live) > most:
        lines.append((Span(f"{amount(len(live) - most)} more", "quiet"),))
    return [clip(line, width) for line in lines]
