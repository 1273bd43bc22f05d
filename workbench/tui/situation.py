"""What the keys depend on: the situation of a screen, why an action cannot act in it, and the words that follow it.

A reason is one line for a person, with other actions' keys as their names in braces; "" means that nothing forbids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ScreenName = Literal["home", "run", "editor", "matrix", "compare"]
Phase = Literal[
    "idle",
    "running",
    "paused",
    "approval",
    "edit",
    "hold",
    "reply",
    "stopped",
    "answered",
    "past",
    "elsewhere",
    "typing",
    "writing",
    "field",
    "limits",
    "scopes",
    "list",
]
"""In `reply` the person is the model. `edit`, `typing` and `writing` (of a reply) are text areas, `field` is a line of
text; `limits`, `scopes` and `list` are choices in the bar."""


StandInWord = Literal["", "ready", "acting", "by hand", "spent"]
"""Of the person of a script: there is none, they can act, they do, somebody has decided already, all was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that keys and their labels depend on, and no more."""

    screen: ScreenName = "run"
    phase: Phase = "paused"
    below: ScreenName = "home"
    """What is seen again when the screen is left."""
    next_move: str = ""
    """The next move in plain words: "ask the model"."""
    submit: str = "send"
    """What sending the text area does: "run with these"."""
    calls_waiting: int = 0
    asked: bool = False
    """Whether a call waits for a decision, also behind what is open in the bar."""
    interrupted: bool = False
    """The call that waits has started before, and nobody knows what came of it."""
    raise_to: str = ""
    """For a run stopped by a cap: "raise to 8, go on"."""
    failed: bool = False
    """Whether a request that brought no reply stopped the run, or a step that failed, and it can be made again."""
    again: str = "ask again"
    """What that is called."""
    read_only: bool = False
    """Whether nothing can be recorded: the session is only read here."""
    live: bool = False
    """Whether the model is asked over a network."""
    step_cap: bool = True
    """Whether there is one."""
    holding: bool = False
    has_entry: bool = True
    """Whether an entry, or on Home an item, is picked."""
    has_original: bool = False
    """Whether the picked entry was changed, so that there is an original to see."""
    changeable: bool = False
    """Whether the picked entry can be given another text, in a fork."""
    showing_original: bool = False
    held: Literal["", "result", "reply"] = ""
    """What stands at the door and wants the person."""
    undoable: bool = False
    """Whether what is held was changed."""
    next_lesson: str = ""
    """The title of the lesson after that of a run that has ended; "" where there is none."""
    differs: bool = False
    """Whether the run has ended otherwise than its scenario expects."""
    reply_due: bool = False
    """Whether the next move asks for a reply of a script, which can be changed beforehand."""
    forked: bool = False
    """Whether the run comes from another one."""
    stand_in: StandInWord = ""
    scripted: str = ""
    """What the person of the script does now: "allow it"; "" where nothing is theirs to do."""
    opens: str = ""
    """Where two runs are compared: "open A at event 4"."""


ELSEWHERE = "somebody else makes the moves of this session: here it is only read"

# ---------------------------------------------------------------- why not


def back_words(s: Situation) -> str:
    """What leaving the screen does."""
    if s.screen == "run":
        return {"editor": "to the editor", "matrix": "to the matrix", "compare": "to the comparison"}.get(
            s.below, "home"
        )
    return {"home": "quit", "editor": "leave"}.get(s.screen, "back")


def always(_: Situation) -> str:
    return ""


def not_past(s: Situation) -> str:
    return "this is the past: {latest} goes back to now" if s.phase == "past" else ""


def writable(s: Situation) -> str:
    return "this session is read only: {fork} goes on from here in one of its own" if s.read_only else ""


def recording(s: Situation) -> str:
    return not_past(s) or writable(s)


def while_open(s: Situation) -> str:
    return recording(s) or ("the run has ended" if s.phase in ("stopped", "answered") else "")


def breakable(s: Situation) -> str:
    ended = "the run has ended: {again} runs it again, or {event_back} and {fork} go on from earlier; break it there"
    return recording(s) or (ended if s.phase in ("stopped", "answered") else "")


def moves(s: Situation) -> str:
    if s.phase == "elsewhere":
        return ELSEWHERE
    if s.read_only and s.phase != "past":
        return writable(s)
    if s.stand_in == "acting" and s.scripted and s.phase in ("approval", "stopped", "answered"):
        return ""
    if s.phase == "approval":
        return "waiting for you: {allow}, {deny}, {edit}, {answer_for}"
    if s.phase == "scopes":
        return "a number chooses, {allow} grants what is marked, {close} goes back"
    if s.phase in ("edit", "writing"):
        return "the text is not sent yet: {submit} sends it, {close} goes back"
    if s.phase == "stopped" and s.raise_to:
        return "the run has stopped: {raise_cap} raises the cap, {message} sends a message"
    if s.phase in ("stopped", "answered") and not s.failed:
        return "the run has ended: {message} sends a message"
    return "a question waits: {close} goes back to it" if s.asked and s.phase != "past" else ""


def single_moves(s: Situation) -> str:
    return "the run is going: {run} pauses it" if s.phase == "running" else moves(s)


def stands_in(s: Situation) -> str:
    if s.stand_in == "acting":
        return recording(s)
    why = {
        "": "the script says nothing of what its person does",
        "spent": "all that the script's person does has been done",
        "by hand": "you have decided here yourself: {again} starts anew, {as_scripted} lets the script's person act",
    }.get(s.stand_in, "")
    due_now = s.phase not in ("stopped", "answered") or s.scripted
    return recording(s) or why or ("" if due_now else "nothing that the script's person does is due here")


def has_parent(s: Situation) -> str:
    return "" if s.forked else "this run is no fork: on Home {compare} compares any two"


def opens_there(s: Situation) -> str:
    return "" if s.opens else "there is nothing to open"


def is_live(s: Situation) -> str:
    return "" if s.live else "the model is not asked over a network"


def has_step_cap(s: Situation) -> str:
    there = s.step_cap or s.raise_to
    return recording(s) or ("" if there else "there is no step cap to raise: {cap} sets one")


def call_waits(s: Situation) -> str:
    if s.phase == "approval":
        return writable(s)
    return recording(s) or ("a question waits: {close} goes back to it" if s.asked else "no call is waiting")


def allowable(s: Situation) -> str:
    return "" if s.phase == "scopes" else call_waits(s)


def more_waits(s: Situation) -> str:
    return "it has started already: decide about this one call" if s.interrupted else call_waits(s)


def closable(s: Situation) -> str:
    return writable(s) if s.phase == "approval" else ""


def editable(s: Situation) -> str:
    if s.interrupted:
        return "it has started already: what it got cannot be changed"
    if s.phase in ("approval", "hold"):
        return writable(s)
    if s.phase in FORKS:
        return "" if s.changeable else "a fork can have another message, reply or result: pick one first"
    return still(s) or call_waits(s)


FORKS = ("idle", "paused", "reply", "stopped", "answered", "past")
"""Phases in which the picked entry can be given another text, in a fork."""


def undoable(s: Situation) -> str:
    return recording(s) or ("" if s.phase == "hold" and s.undoable else "nothing that is held was changed")


def messages(s: Situation) -> str:
    ready = s.phase in ("paused", "reply", "stopped", "answered")
    return recording(s) or ("" if ready else "a message can be sent when the run is paused or has ended")


def rewritable(s: Situation) -> str:
    return recording(s) or ("" if s.reply_due else "the next move asks for no reply of a script")


def inserting(s: Situation) -> str:
    return "" if s.phase == "writing" else "this is for a reply that you write"


def still(s: Situation) -> str:
    return "the run is going: {run} pauses it" if s.phase == "running" else ""


def model_changes(s: Situation) -> str:
    return recording(s) or still(s)


def has_next_lesson(s: Situation) -> str:
    if s.next_lesson:
        return ""
    return "no lesson follows this one" if s.phase in ("stopped", "answered") else "the run has not ended"


def picked(s: Situation) -> str:
    return "" if s.has_entry else "nothing is picked"


def has_original(s: Situation) -> str:
    return "" if s.has_original else "this entry was not changed"


def has_differences(s: Situation) -> str:
    if s.differs:
        return ""
    ended = s.phase in ("stopped", "answered")
    return not_past(s) or ("nothing differs from what is expected" if ended else "the run has not ended")


def making(s: Situation) -> str:
    return "" if s.phase == "running" else "no runs are being made"


def made(s: Situation) -> str:
    return "" if s.has_entry else "there is nothing yet: the unbroken run comes first"


def in_past(s: Situation) -> str:
    return "" if s.phase == "past" else "this is now: there is nothing later"


# ---------------------------------------------------------------- words


def move_words(s: Situation) -> str:
    if s.stand_in == "acting" and s.scripted and s.phase != "past":
        return f"as scripted: {s.scripted}"
    hold = "let it in" if s.held == "reply" else "pass it on"
    words = {"hold": hold, "reply": "write the reply", "past": "forward", "stopped": s.again}
    return words.get(s.phase, s.next_move)


def run_words(s: Situation) -> str:
    if s.stand_in == "acting" and s.scripted and s.phase in ("stopped", "answered"):
        return f"as scripted: {s.scripted}"
    hold = "let in and run" if s.held == "reply" else "pass and run"
    words = {"running": "pause", "hold": hold, "reply": "write and run on", "past": "play", "stopped": s.again}
    return words.get(s.phase, "run")


def stand_in_words(s: Situation) -> str:
    if s.stand_in == "acting":
        return "decide yourself"
    return f"as scripted: {s.scripted}" if s.scripted else "as scripted"


def next_lesson_words(s: Situation) -> str:
    return f"next: {s.next_lesson}" if s.next_lesson else "next lesson"


def close_words(s: Situation) -> str:
    if s.screen == "editor":
        return "out of the text"
    return {
        "edit": "back to the question",
        **dict.fromkeys(("typing", "writing", "field", "limits", "scopes", "list"), "back"),
        "approval": "deny at once",
        "past": "now",
    }.get(s.phase, "close")
