"""How a run stands, in the words of the top line and in what the keys depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from workbench.core.door import reverted
from workbench.core.loop import AskPerson, Move
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.tui.run.script import reply_due
from workbench.tui.situation import Phase, Situation
from workbench.view import words
from workbench.view.desk import Desk
from workbench.view.entries import Span
from workbench.view.figures import amount, counted

if TYPE_CHECKING:
    from workbench.models.wire.endpoint import Endpoint
    from workbench.opening import Opened
    from workbench.runner import Run
    from workbench.tui.run.fields.field import Field

ASKED_AGAIN = (Status.MODEL_UNAVAILABLE, Status.MODEL_REJECTED, Status.STEP_FAILED, Status.NO_ROUTE)
"""Ends after which the same request may bring a reply: the server is there again, the key is set."""


def endpoint_of(run: Run) -> Endpoint | None:
    """Where a live model is asked; None for any other model."""
    endpoint: Endpoint | None = getattr(run.model, "endpoint", None)
    return endpoint


def situation_of(desk: Desk, opened: Field | None, cursor: int) -> Situation:
    """What the keys depend on: how the run stands, what is open in the bar, and which entry is picked."""
    stand = desk.stand
    phase: Phase = "approval" if stand == "interrupted" else stand
    if opened is not None:
        phase = opened.phase
    state, move = desk.run.state, desk.run.next
    waiting = move.question.calls if isinstance(move, AskPerson) and stand == "approval" else ()
    held: Literal["", "result", "reply"] = ""
    if stand == "hold":
        held = "result" if state.held_reply is None else "reply"
    return Situation(
        screen="run",
        phase=phase,
        next_move=words.short_move(desk.move) if stand in ("idle", "paused") else "",
        submit=opened.submit if opened is not None else "send",
        calls_waiting=len(waiting),
        asked=stand in ("approval", "interrupted"),
        interrupted=stand == "interrupted",
        raise_to=raise_words(desk),
        failed=phase == "stopped" and asked_again(desk),
        again="take the step again" if desk.run.state.status is Status.STEP_FAILED else "ask again",
        live=endpoint_of(desk.run) is not None,
        step_cap=state.limits.steps is not None,
        holding=state.hold is not None,
        held=held,
        undoable=_undoable(move, state),
        has_entry=cursor >= 0,
        has_original=desk.original(cursor) is not None,
        changeable=desk.changeable(cursor),
        forked=bool(desk.run.header.parent),
        reply_due=stand == "paused" and reply_due(desk.run) is not None,
    )


def _undoable(move: Move, state: State) -> bool:
    """Whether what is held was changed, and can be put back."""
    if not isinstance(move, AskPerson) or move.question.on != "hold":
        return False
    if move.question.reply is not None:
        return len(state.held_replies) > 1
    held = move.question.calls[0].held
    return held is not None and reverted(held) != held


def asked_again(desk: Desk) -> bool:
    """Whether the run was stopped by a request that brought no reply, and it can be made again."""
    return desk.run.state.status in ASKED_AGAIN


def raise_words(desk: Desk) -> str:
    """For a run that a cap stopped: what the key that raises it does; "" otherwise."""
    stop = desk.run.state.stopped
    if stop is None or stop.limit is None or not stop.knob.startswith("limits."):
        return ""
    return f"raise to {amount(words.raised(stop.knob, stop.limit), stop.knob)}, go on"


def top_facts(desk: Desk, opened: Opened, *, narrow: bool) -> str:
    """The quiet facts beside the title."""
    header, name = desk.run.header, desk.state.model.shown
    model = f"{name} model" if name in ("scripted", "human", "simulated", "unknown") else name
    endpoint = endpoint_of(desk.run)
    if endpoint is not None and not narrow:
        model = f"{model} at {urlsplit(endpoint.base_url).netloc}"
    saved = opened.read_only or ("saved" if opened.session_path is not None else "not run yet")
    if desk.run.broken:
        saved = "not saved any more"
    plan = desk.run.state.plan
    if narrow and not (desk.run.broken or opened.read_only):
        return name if plan is None else plan.loop
    if narrow:
        return saved
    if plan is None:
        return f"{header.protocol} · {model} · {saved}"
    return f"{plan.loop} · {model if plan.ever_asks else 'no model'} · {saved}"


def where_words(desk: Desk) -> str:
    """step 3 of 6; after the end 4 of 6 steps; of a cap that came too late, or was not kept, 4 steps, cap 1."""
    state = desk.state
    steps, cap = state.steps, state.limits.steps
    if cap is not None and steps > cap:
        return f"{counted(steps, 'step')}, cap {amount(cap)}"
    if state.stopped is not None:
        return f"{amount(steps)} of {amount(cap)} steps" if cap is not None else counted(steps, "step")
    return f"step {amount(steps)} of {amount(cap)}" if cap is not None else f"step {amount(steps)}"


def top_state(desk: Desk) -> tuple[Span, str]:
    """Sign and word of how the run stands, and the class that tints the line."""
    match desk.stand:
        case "past":
            return Span(f"◀ past: event {desk.state.n} of {len(desk.run.events)}", "past"), "past"
        case "running" if desk.incoming.pausing:
            return Span("… waiting to ask again", "wait"), ""
        case "running":
            return Span("▶ running", "primary"), ""
        case "elsewhere":
            return Span("▶ running elsewhere", "primary"), ""
        case "approval" | "interrupted":
            return Span("▲ waiting for you", "wait"), "approval"
        case "hold":
            return Span(f"◆ {'reply' if desk.run.state.held_reply is not None else 'result'} held", "held"), "hold"
        case "reply":
            return Span("▲ you are the model", "wait"), "approval"
        case "answered":
            stop = desk.run.state.stopped
            word = "goal reached" if stop is not None and stop.status is Status.GOAL_REACHED else "answered"
            return Span(f"✓ {word}", "go"), "answered"
        case "stopped":
            return Span(f"■ {_stop_word(desk)}", "error"), "stopped"
        case "idle":
            return Span("‖ ready"), ""
        case _:
            return Span("‖ paused"), ""


def _stop_word(desk: Desk) -> str:
    stop = desk.run.state.stopped
    if stop is None:
        return "stopped"
    if stop.knob == words.CRASHED:
        return "the loop crashed"
    knob = words.KNOBS.get(stop.knob)
    return f"stopped: {knob}" if knob is not None and stop.limit is not None else stop.status.value.replace("_", " ")
