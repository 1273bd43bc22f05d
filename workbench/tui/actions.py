"""Every action a person can take, once: its keys, its words, where its keys are bound and when it applies.

Bindings, the key line, the palette and the help are made from this list; nothing else names a key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

ScreenName = Literal["home", "run"]
Phase = Literal["idle", "running", "paused", "approval", "edit", "hold", "stopped", "answered", "past", "typing"]
Where = Literal["app", "screen", "home", "run", "transcript", "bar", "limits", "viewer", "area", "search"]
"""What binds the keys: the app, every screen, one screen, or the widget that has focus."""

TOGETHER: tuple[tuple[str, tuple[Where, ...]], ...] = (
    ("Home", ("app", "screen", "home")),
    ("the Run screen", ("app", "screen", "run", "transcript")),
    ("the bar", ("app", "screen", "run", "bar")),
    ("the limits", ("app", "limits")),
    ("what it sees", ("app", "viewer")),
    ("the text area", ("app", "area")),
    ("the search field", ("app", "search")),
)
"""Places whose keys work at the same time, and so must differ."""

Keymap = Mapping[str, str]
"""Action name to keys, joined by commas; for actions that are not in it the keys of the registry hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the keys depend on, and no more."""

    screen: ScreenName = "run"
    phase: Phase = "paused"
    next_move: str = ""
    """The next move in plain words: "ask the model"."""
    submit: str = "send"
    """What sending the text area does: "run with these"."""
    calls_waiting: int = 0
    raise_to: str = ""
    """For a run stopped by the step cap: "raise to 8, go on"."""
    step_cap: bool = True
    """Whether there is one."""
    holding: bool = False
    has_entry: bool = True
    """Whether an entry, or on Home an item, is picked."""
    has_original: bool = False
    """Whether the picked entry was changed, so that there is an original to see."""
    showing_original: bool = False
    undoable: bool = False
    """Whether the held result was changed."""


Words = str | Callable[[Situation], str]


def _always(_: Situation) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing a person can do. `name` is also the name of the method, `action_…`, and of the key in a keymap."""

    name: str
    keys: tuple[str, ...]
    title: str
    """For help and palette; also the label where there is none."""
    help: str
    where: Where
    group: str
    label: Words = ""
    """For the key line, as short as a phrase can be."""
    short: Words = ""
    """For the key line below 100 columns."""
    unless: Callable[[Situation], str] = _always
    """Why it cannot act now, with the keys of other actions in braces; "" when it can."""
    pair: str = ""
    """The action that goes the other way: the key line shows both keys with the label of this one."""
    priority: bool = False


def _say(words: Words, situation: Situation) -> str:
    return words if isinstance(words, str) else words(situation)


# ---------------------------------------------------------------- when


def _not_past(s: Situation) -> str:
    return "this is the past: {latest} goes back to now" if s.phase == "past" else ""


def _while_open(s: Situation) -> str:
    return _not_past(s) or ("the run has ended" if s.phase in ("stopped", "answered") else "")


def _moves(s: Situation) -> str:
    if s.phase == "approval":
        return "waiting for you: {allow}, {deny}, {edit}, {answer_for}"
    if s.phase == "edit":
        return "the text is not sent yet: {submit} sends it, {close} goes back"
    if s.phase == "stopped" and s.raise_to:
        return "the run has stopped: {raise_cap} raises the cap, {message} sends a message"
    if s.phase in ("stopped", "answered"):
        return "the run has ended: {message} sends a message"
    return ""


def _single_moves(s: Situation) -> str:
    return "the run is going: {run} pauses it" if s.phase == "running" else _moves(s)


def _cap(s: Situation) -> str:
    return _not_past(s) or ("" if s.step_cap else "there is no step cap to raise: {cap} sets one")


def _call_waits(s: Situation) -> str:
    return "" if s.phase == "approval" else _not_past(s) or "no call is waiting"


def _editable(s: Situation) -> str:
    return "" if s.phase in ("approval", "hold") else _not_past(s) or "nothing is waiting that could be edited"


def _undo(s: Situation) -> str:
    return "" if s.phase == "hold" and s.undoable else _not_past(s) or "no held result was changed"


def _message(s: Situation) -> str:
    ready = s.phase in ("paused", "stopped", "answered")
    return "" if ready else _not_past(s) or "a message can be sent when the run is paused or has ended"


def _picked(s: Situation) -> str:
    return "" if s.has_entry else "nothing is picked"


def _original(s: Situation) -> str:
    return "" if s.has_original else "this entry was not changed"


def _in_past(s: Situation) -> str:
    return "" if s.phase == "past" else "this is now: there is nothing later"


# ---------------------------------------------------------------- words that follow the situation


def _move_label(s: Situation) -> str:
    return {"hold": "pass it on", "past": "forward"}.get(s.phase, s.next_move or "one move")


def _run_label(s: Situation) -> str:
    return {"running": "pause", "hold": "pass and run", "past": "play"}.get(s.phase, "run")


def _close_label(s: Situation) -> str:
    return {"edit": "back to the question", "typing": "back", "approval": "deny", "past": "now"}.get(s.phase, "close")


def _back_label(s: Situation) -> str:
    return "quit" if s.screen == "home" else "home"


# ---------------------------------------------------------------- the list


def _group(group: str, where: Where, *rows: tuple[str, str, str, str, dict[str, object]]) -> tuple[Action, ...]:
    return tuple(
        Action(name=name, keys=tuple(keys.split()), title=title, help=text, where=where, group=group, **more)  # type: ignore[arg-type]
        for name, keys, title, text, more in rows
    )


EVERYWHERE = (
    *_group(
        "Everywhere",
        "app",
        ("help", "question_mark f1", "help", "Every key and what it does; f1 while typing.", {}),
        ("command_palette", "ctrl+p colon", "palette", "Every action by name.", {}),
        ("quit", "ctrl+q", "quit", "Quit; what waits for you goes on waiting.", {"priority": True}),
        (
            *("interrupt", "ctrl+c", "copy or stop"),
            "Copy the selected text; without one, stop the run; without a run, ask to quit.",
            {"priority": True},
        ),
        ("suspend_process", "ctrl+z", "suspend", "Back to the shell; fg comes back. In a text area: undo.", {}),
    ),
    *_group(
        "Everywhere",
        "screen",
        ("next_pane", "tab", "next pane", "To the next pane.", {"pair": "previous_pane", "label": "choose"}),
        ("previous_pane", "shift+tab", "previous pane", "To the pane before.", {}),
        (
            *(
                "close",
                "escape",
                "close",
                "Close the innermost thing: field, viewer, the past; then deny, without a reason.",
            ),
            {"label": _close_label},
        ),
        ("back", "q", "back", "Back to Home; on Home, quit.", {"label": _back_label}),
    ),
)

HOME = _group(
    "Home",
    "home",
    ("previous_item", "up k", "up", "Up the list.", {}),
    ("next_item", "down j", "down", "Down the list.", {}),
    ("other_list", "left right", "scripts, sessions", "From scripts to sessions and back.", {"short": "other list"}),
    ("open", "enter", "open", "Open it, paused before the first move.", {"unless": _picked}),
    ("open_and_run", "r", "open and run", "Open it and run.", {"unless": _picked, "short": "run"}),
    ("filter", "slash", "filter", "Show only what holds the text you type.", {}),
    ("delete", "x", "delete…", "Delete the session; asks first.", {"unless": _picked, "short": "delete"}),
    ("settings", "comma", "settings", "Themes and settings.", {}),
)

MOVING = (
    *_group(
        "Moving",
        "run",
        (
            "move",
            "space",
            "one move",
            "Make the next move, the one that NEXT names.",
            {"label": _move_label, "unless": _single_moves},
        ),
        ("run", "r", "run or pause", "Run move after move; again: pause.", {"label": _run_label, "unless": _moves}),
        ("stop", "x", "stop", "Stop the run; open calls are answered as cancelled.", {"unless": _while_open}),
        (
            *("raise_cap", "plus equals_sign", "raise the step cap"),
            "Raise the step cap; a run that it stopped goes on.",
            {"label": lambda s: s.raise_to or "raise cap", "short": "raise", "unless": _cap},
        ),
        (
            *("cap", "c", "lift or set the step cap", "Lift the step cap; again: set it as it was."),
            {"label": lambda s: "lift cap" if s.step_cap else "set cap", "short": "cap", "unless": _not_past},
        ),
        ("limits", "l", "limits", "All limits: choose one, switch it, change its value.", {}),
    ),
    *_group(
        "Limits",
        "limits",
        ("previous_limit", "up k", "up", "The limit above.", {}),
        ("next_limit", "down j", "down", "The limit below.", {}),
        ("toggle_limit", "enter", "on or off", "Switch the limit on or off.", {}),
        ("raise_limit", "plus equals_sign", "more", "Raise the limit; or type a number.", {"pair": "lower_limit"}),
        ("lower_limit", "minus", "less", "Lower the limit.", {}),
    ),
)

READING = (
    *_group(
        "Reading",
        "transcript",
        ("previous_entry", "up k", "up", "The entry above.", {}),
        ("next_entry", "down j", "down", "The entry below.", {}),
        ("page_up", "pageup", "page up", "A page up.", {}),
        ("page_down", "pagedown", "page down", "A page down.", {}),
        ("first_entry", "home", "first entry", "The first entry.", {}),
        (
            *("latest", "end", "latest", "The latest entry: follow the run, and leave the past."),
            {"label": lambda s: "now" if s.phase == "past" else "follow"},
        ),
        ("fold", "enter", "fold or unfold", "Fold the entry, or show all of it.", {"unless": _picked}),
    ),
    *_group(
        "Reading",
        "run",
        (
            *("view", "v", "view whole", "The whole entry, or all arguments of the waiting call."),
            {"label": lambda s: "view all" if s.phase == "approval" else "view", "short": "all", "unless": _picked},
        ),
        (
            *("original", "o", "original or changed", "What the entry said before it was changed, and back."),
            {"label": lambda s: "changed" if s.showing_original else "original", "unless": _original},
        ),
        ("copy_entry", "C", "copy entry", "Copy the text of the entry.", {"unless": _picked}),
        ("search", "slash", "search", "Find text in the transcript.", {}),
        ("show_transcript", "1", "transcript", "The transcript.", {}),
        ("show_calls", "2", "calls", "The tool calls; on a narrow screen in place of the transcript.", {}),
        ("show_budget", "3", "budget", "The budget; on a narrow screen in place of the transcript.", {}),
        (
            *("sees", "w", "what the model sees", "The exact request of the step of this entry, or the next one."),
            {
                "label": lambda s: "what it saw" if s.phase == "past" else "what it sees",
                "short": lambda s: "saw" if s.phase == "past" else "sees",
            },
        ),
    ),
    *_group(
        "What it sees",
        "viewer",
        (
            "previous_request",
            "left",
            "step before",
            "The request of the step before.",
            {"pair": "next_request", "label": "step"},
        ),
        ("next_request", "right", "step after", "The request of the step after.", {}),
    ),
)

SESSIONS = _group(
    "Sessions",
    "run",
    ("again", "R", "run again", "Run again from the start, in a new session.", {"short": "again"}),
    ("message", "m", "message", "Send a message; the run goes on with it.", {"unless": _message}),
    ("name", "s", "name it", "Give the session a name; it is saved all along.", {"short": "name"}),
    ("grants", "g", "grants", "What you allowed for this run, to look at and withdraw.", {}),
)

APPROVAL = (
    *_group(
        "Approval",
        "run",
        (
            *("allow", "y", "allow once", "Allow this call, once, with exactly these arguments."),
            {
                "label": lambda s: "allow this one" if s.calls_waiting > 1 else "allow once",
                "short": "allow",
                "unless": _call_waits,
            },
        ),
        ("deny", "n", "deny…", "Deny it, with a reason that the model reads.", {"unless": _call_waits}),
        ("edit", "e", "edit…", "Change the arguments, or the held result.", {"unless": _editable}),
        (
            *("answer_for", "a", "answer for it…"),
            "The tool does not run. The model reads your text as its result.",
            {"short": "answer…", "unless": _call_waits},
        ),
        (
            *("allow_more", "Y", "allow more…", "Allow it and more, in this run only; each choice says its scope."),
            {"short": "more…", "unless": _call_waits},
        ),
    ),
    *_group(
        "Approval",
        "bar",
        ("previous_call", "up k", "up", "The call above, or scroll the arguments up.", {}),
        ("next_call", "down j", "down", "The call below, or scroll the arguments down.", {}),
    ),
)

HOLD = _group(
    "Hold",
    "run",
    (
        *("hold", "h", "hold results", "Stop results at the door, before the model reads them; again: no longer."),
        {"label": lambda s: "stop holding" if s.holding else "hold results", "short": "hold", "unless": _while_open},
    ),
    ("undo_change", "u", "undo the change", "The held result as the tool gave it.", {"short": "undo", "unless": _undo}),
)

PAST = _group(
    "The past",
    "run",
    (
        *("event_back", "left", "event before", "The run as it was one event earlier."),
        {
            "label": lambda s: "event" if s.phase == "past" else "look back",
            "short": lambda s: "event" if s.phase == "past" else "back",
            "pair": "event_forward",
        },
    ),
    ("event_forward", "right", "event after", "One event later, up to now.", {"unless": _in_past}),
    ("step_back", "shift+left", "step before", "A whole step earlier.", {"label": "step", "pair": "step_forward"}),
    ("step_forward", "shift+right", "step after", "A whole step later, up to now.", {"unless": _in_past}),
)

FIELDS = (
    *_group(
        "Text area",
        "area",
        ("submit", "ctrl+s", "run or send", "Run with this text, or send it.", {"label": lambda s: s.submit}),
    ),
    *_group(
        "Search field",
        "search",
        ("find_next", "enter down", "next", "The next place.", {"pair": "find_previous"}),
        ("find_previous", "up", "previous", "The place before.", {}),
    ),
)

ACTIONS: tuple[Action, ...] = (*EVERYWHERE, *HOME, *MOVING, *READING, *SESSIONS, *APPROVAL, *HOLD, *PAST, *FIELDS)
BY_NAME: dict[str, Action] = {action.name: action for action in ACTIONS}

_ENDED = ("message", "event_back", "again", "name", "back")
KEY_LINES: dict[tuple[ScreenName, Phase], tuple[str, ...]] = {
    ("home", "idle"): ("open", "open_and_run", "other_list", "filter", "delete", "settings", "back"),
    ("home", "typing"): ("close",),
    ("run", "idle"): ("move", "run", "event_back", "sees", "hold", "cap"),
    ("run", "paused"): ("move", "run", "event_back", "sees", "original", "hold", "cap"),
    ("run", "running"): ("run", "stop", "event_back", "sees", "hold", "cap"),
    ("run", "approval"): ("allow", "deny", "edit", "answer_for", "allow_more", "view", "next_pane"),
    ("run", "edit"): ("submit", "close"),
    ("run", "hold"): ("move", "run", "edit", "undo_change", "hold", "sees"),
    ("run", "stopped"): ("raise_cap", *_ENDED),
    ("run", "answered"): _ENDED,
    ("run", "past"): ("event_back", "step_back", "latest", "sees", "run"),
    ("run", "typing"): ("submit", "close"),
}
"""The actions on the key line, in order: what moves the run, then looking, then breaking. Help is always the last."""


# ---------------------------------------------------------------- what is made from it


def label(action: Action, situation: Situation, *, short: bool = False) -> str:
    """The words for the key line."""
    words = _say(action.short, situation) if short else ""
    return words or _say(action.label, situation) or action.title


def keys_of(action: Action, keymap: Keymap | None = None) -> tuple[str, ...]:
    """The keys in force, the first one being the one that is shown."""
    own = (keymap or {}).get(action.name)
    return tuple(own.split(",")) if own else action.keys


_KEY_WORDS = {
    **{"escape": "esc", "pageup": "pgup", "pagedown": "pgdn", "up": "↑", "down": "↓", "left": "←", "right": "→"},
    **{"question_mark": "?", "colon": ":", "comma": ",", "slash": "/", "plus": "+", "minus": "-", "equals_sign": "="},
}


def key_words(key: str) -> str:
    """A key as a person reads it: "?" for question_mark, "shift+←" for shift+left."""
    modifiers, plus, last = key.rpartition("+")
    return f"{modifiers}{plus}{_KEY_WORDS.get(last, last)}"


def reason_not(name: str, situation: Situation, keymap: Keymap | None = None) -> str:
    """Why an action cannot act now, as one line for a person; "" when it can."""
    reason = BY_NAME[name].unless(situation)
    if "{" not in reason:
        return reason
    return reason.format_map({each.name: key_words(keys_of(each, keymap)[0]) for each in ACTIONS})


def line_actions(situation: Situation) -> tuple[Action, ...]:
    """The actions on the key line now: those of the situation that can act."""
    names = KEY_LINES.get((situation.screen, situation.phase), ())
    return tuple(action for name in names if not (action := BY_NAME[name]).unless(situation))


def bindings(*where: Where) -> list[BindingType]:
    """Textual bindings for those places. Their ids are the action names, for `App.set_keymap`."""
    return [
        Binding(",".join(each.keys), each.name, each.title, show=False, priority=each.priority, id=each.name)
        for each in ACTIONS
        if each.where in where
    ]


def palette(situation: Situation) -> list[tuple[Action, str]]:
    """What the palette offers: actions of this screen that can act now, each with its title."""
    places = ("app", "screen", "home") if situation.screen == "home" else ("app", "screen", "run", "transcript")
    return [(each, each.title.capitalize()) for each in ACTIONS if each.where in places and not each.unless(situation)]


def help_sections(keymap: Keymap | None = None) -> list[tuple[str, list[tuple[str, str]]]]:
    """(heading, [(keys, sentence)]) for the help screen, in the order of the registry."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in ACTIONS:
        keys = " ".join(key_words(key) for key in keys_of(each, keymap))
        sections.setdefault(each.group, []).append((keys, each.help))
    return list(sections.items())


def clashes(keymap: Keymap | None = None, actions: Iterable[Action] = ACTIONS) -> list[tuple[str, str, str, str]]:
    """(place, key, action, action) for every key that two actions claim where both would work."""
    found = []
    for place, wheres in TOGETHER:
        taken: dict[str, str] = {}
        for each in actions:
            if each.where not in wheres:
                continue
            for key in keys_of(each, keymap):
                other = taken.setdefault(key, each.name)
                if other != each.name:
                    found.append((place, key, other, each.name))
    return found
