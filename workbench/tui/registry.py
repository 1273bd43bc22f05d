"""Every action a person can take, once: its keys, its words, where its keys are bound and when it applies.

Bindings, the key line, the palette and the help are made from this list; nothing else names a key.
"""

from __future__ import annotations

from functools import partial

from workbench.tui import situation as when
from workbench.tui.action import Action, Where
from workbench.tui.compare.actions import COMPARE
from workbench.tui.matrix.actions import MATRIX
from workbench.tui.run.break_actions import BREAK
from workbench.tui.situation import Situation

TOGETHER: tuple[tuple[str, tuple[Where, ...]], ...] = (
    ("Home", ("app", "screen", "home")),
    ("the Run screen", ("app", "screen", "run", "transcript")),
    ("the bar", ("app", "screen", "run", "bar")),
    ("the limits", ("app", "limits")),
    ("what it sees", ("app", "viewer")),
    ("the text area", ("app", "area")),
    ("the search field", ("app", "search")),
    ("break it", ("app", "breaker")),
    ("the script editor", ("app", "screen", "editor", "problems")),
    ("the fault matrix", ("app", "screen", "matrix")),
    ("the comparison", ("app", "screen", "compare")),
    ("the text of a script", ("editor", "script")),  # where ctrl+z is undo, as in every text area
)
"""Places whose keys work at the same time, and so must differ."""

_app = partial(Action, where="app", group="Everywhere")
_screen = partial(Action, where="screen", group="Everywhere")
_home = partial(Action, where="home", group="Home")
_moving = partial(Action, where="run", group="Moving")
_limits = partial(Action, where="limits", group="Limits")
_reading = partial(Action, where="transcript", group="Reading")
_looking = partial(Action, where="run", group="Reading")
_viewer = partial(Action, where="viewer", group="What it sees")
_sessions = partial(Action, where="run", group="Sessions")
_approval = partial(Action, where="run", group="Approval")
_bar = partial(Action, where="bar", group="Approval")
_past = partial(Action, where="run", group="The past")
_area = partial(Action, where="area", group="Text area")
_search = partial(Action, where="search", group="Search field")
_editor = partial(Action, where="editor", group="Script editor")
_script = partial(Action, where="script", group="Script editor")
_problems = partial(Action, where="problems", group="Script editor")


def _allow_words(s: Situation) -> str:
    if s.phase == "scopes":
        return "grant what is marked"
    if s.interrupted:
        return "run it again"
    return "allow this one" if s.calls_waiting > 1 else "allow once"


def _event_words(s: Situation) -> str:
    return "event" if s.phase == "past" else "look back"


ACTIONS: tuple[Action, ...] = (
    _app("help", "question_mark,f1", "help", "Every key and what it does; f1 while typing."),
    _app("command_palette", "ctrl+p,colon", "palette", "Every action by name."),
    _app("quit", "ctrl+q", "quit", "Quit; what waits for you goes on waiting.", priority=True),
    _app(
        "interrupt",
        "ctrl+c",
        "copy or stop",
        "Copy the selected text; without one, stop the run; without a run, ask to quit.",
        priority=True,
    ),
    _app("suspend_process", "ctrl+z", "suspend", "Back to the shell, until fg. In a text area: undo."),
    _screen("next_pane", "tab", "next pane", "To the next pane.", label="choose"),
    _screen("previous_pane", "shift+tab", "previous pane", "To the pane before."),
    _screen(
        "close",
        "escape",
        "close",
        "Close the innermost thing: field, viewer, the past; only then deny, without a reason.",
        label=when.close_words,
        short=lambda s: "out" if s.screen == "editor" else "",
        unless=when.closable,
    ),
    _screen(
        "back",
        "q",
        "back",
        "Back to what is below; on Home, quit.",
        label=when.back_words,
    ),
    # ---- Home
    _home("previous_item", "up,k", "up", "Up the list."),
    _home("next_item", "down,j", "down", "Down the list."),
    _home(
        "show_scripts",
        "left",
        "scripts",
        "To the scripts.",
        label="scripts, sessions",
        short="other list",
        pair="show_sessions",
    ),
    _home("show_sessions", "right", "sessions", "To the sessions."),
    _home("open", "enter", "open", "Open it, paused before the first move.", unless=when.picked),
    _home("open_and_run", "r", "open and run", "Open it and run.", short="run", unless=when.picked),
    _home("filter", "slash", "filter", "Show only what holds the words: also tool:add, status:answered, cost>0.1."),
    _home("new_script", "n", "new script…", "Begin a script: choose what it starts with, and name it.", short="new…"),
    _home("edit_script", "e", "edit script", "Edit the script; an example is edited in a copy.", unless=when.picked),
    _home("rename", "s", "name it…", "Give the session another name.", short="name…", unless=when.picked),
    _home(
        "import_log",
        "i",
        "import…",
        "Make sessions of the log of another agent: messages, requests and replies, spans, a trajectory.",
    ),
    _home("export_session", "X", "export…", "Write the session in a form for others.", unless=when.picked),
    _home("delete", "x", "delete…", "Delete the session, or a whole branch of forks; asks first.", unless=when.picked),
    _home(
        "matrix",
        "M",
        "fault matrix",
        "Every step of the script against every fault, and what becomes of each run.",
        short="matrix",
        unless=when.picked,
    ),
    _home(
        "compare",
        "d",
        "compare",
        "Choose the session; then, on another one, compare the two.",
        label=lambda s: s.opens or "compare",
        short="compare",
        unless=when.picked,
    ),
    _home("settings", "comma", "settings", "Themes and settings."),
    # ---- moving the run
    _moving(
        "move",
        "space",
        "one move",
        "Make the next move, the one that NEXT names.",
        label=when.move_words,
        unless=when.single_moves,
    ),
    _moving("run", "r", "run or pause", "Run move after move; again: pause.", label=when.run_words, unless=when.moves),
    _moving(
        "as_scripted",
        "P",
        "as scripted",
        "Let the person of the script act in your place from here on; again: you decide.",
        label=when.stand_in_words,
        short=lambda s: "you decide" if s.stand_in == "acting" else "as scripted",
        unless=when.stands_in,
    ),
    _moving(
        "ping",
        "p",
        "ask whether it answers",
        "Ask the server of a live model whether it answers and has the model; nothing is said to the model.",
        label="does it answer",
        short="ping",
        unless=when.is_live,
    ),
    _moving("stop", "x", "stop", "Stop the run; open calls are answered as cancelled.", unless=when.while_open),
    _moving(
        "raise_cap",
        "plus,equals_sign",
        "raise the step cap",
        "Raise the step cap; a run that it stopped goes on.",
        label=lambda s: s.raise_to or "raise cap",
        unless=when.has_step_cap,
    ),
    _moving(
        "cap",
        "c",
        "lift or set the step cap",
        "Lift the step cap; again: set it as it was.",
        label=lambda s: "lift cap" if s.step_cap else "set cap",
        short="cap",
        unless=when.recording,
    ),
    _moving(
        "rewrite",
        "T",
        "change the next reply",
        "Change what the script says next, for this run only.",
        short="change reply",
        unless=when.rewritable,
    ),
    _moving("limits", "l", "limits", "All limits, and what is sent: choose one, switch it, change its value."),
    _limits("previous_limit", "up,k", "up", "The limit above."),
    _limits("next_limit", "down,j", "down", "The limit below."),
    _limits("toggle_limit", "enter", "on or off", "Switch the limit on or off."),
    _limits(
        "raise_limit",
        "plus,equals_sign",
        "more",
        "Raise the limit; or type a number.",
        label="more, less",
        pair="lower_limit",
    ),
    _limits("lower_limit", "minus", "less", "Lower the limit."),
    # ---- reading
    _reading("previous_entry", "up,k", "up", "The entry above."),
    _reading("next_entry", "down,j", "down", "The entry below."),
    _reading("page_up", "pageup", "page up", "A page up."),
    _reading("page_down", "pagedown", "page down", "A page down."),
    _reading("first_entry", "home", "first entry", "The first entry."),
    _reading(
        "latest",
        "end",
        "latest",
        "The latest entry: follow the run, and leave the past.",
        label=lambda s: "now" if s.phase == "past" else "follow",
    ),
    _reading("fold", "enter", "fold or unfold", "Fold the entry, or show all of it.", unless=when.picked),
    _looking(
        "view",
        "v",
        "view whole",
        "The whole entry, or all arguments of the waiting call.",
        label=lambda s: "view all" if s.phase == "approval" else "view whole",
        short="all",
        unless=when.picked,
    ),
    _looking(
        "original",
        "o",
        "original or changed",
        "What the entry said before it was changed, and back.",
        label=lambda s: "changed" if s.showing_original else "original",
        unless=when.has_original,
    ),
    _looking(
        "verdict",
        "V",
        "what differs",
        "What the scenario expects of a run that has ended, and did not get.",
        unless=when.has_differences,
    ),
    _looking("copy_entry", "C", "copy entry", "Copy the text of the entry.", unless=when.picked),
    _looking("search", "slash", "search", "Find text in the transcript."),
    _looking("show_transcript", "1", "transcript", "The transcript."),
    _looking("show_calls", "2", "calls", "The tool calls; on a narrow screen in place of the transcript."),
    _looking("show_budget", "3", "budget", "The budget; on a narrow screen in place of the transcript."),
    _looking(
        "sees",
        "w,f3",
        "what the model sees",
        "The exact request of the step of this entry, or of the next one.",
        label=lambda s: "what it saw" if s.phase == "past" else "what it sees",
        short=lambda s: "saw" if s.phase == "past" else "sees",
    ),
    _looking(
        "loop",
        "t",
        "the loop",
        "The loop as pseudo-code, frame by frame: which line, what it does, what the history holds.",
    ),
    _viewer("previous_request", "left", "step before", "The request of the step before, or the frame before."),
    _viewer("next_request", "right", "step after", "The request of the step after, or the next frame."),
    # ---- sessions
    _sessions("fork", "F", "fork…", "A new session from here; what is not undone is said first.", unless=when.still),
    _sessions("model", "A", "another model…", "Who is asked from here on.", short="model…", unless=when.model_changes),
    _sessions("again", "R", "run again", "Run again from the start, in a new session.", short="again"),
    _sessions("message", "m", "message", "Send a message; the run goes on with it.", unless=when.messages),
    _sessions(
        "name", "s", "name it", "Give the session a name; it is saved all along.", short="name", unless=when.writable
    ),
    _sessions("edit_scenario", "E", "edit the scenario", "The script of this run, to be edited."),
    _sessions(
        "make_scenario",
        "S",
        "make a scenario",
        "A script that plays this session again: its replies, and what you decided.",
        label="make a script",
        short="script",
        unless=when.still,
    ),
    _sessions(
        "next_lesson",
        "N",
        "next lesson",
        "The lesson of the course that comes after this one.",
        label=when.next_lesson_words,
        short="next lesson",
        unless=when.has_next_lesson,
    ),
    _sessions(
        "compare_parent",
        "d",
        "compare with the parent",
        "Where this fork parts from the run that it comes from.",
        label="compare",
        unless=when.has_parent,
    ),
    _sessions("matrix_of_run", "M", "fault matrix", "Every step of its scenario against every fault."),
    _sessions(
        "export_run", "X", "export…", "Write this run as a scenario, a test, messages, a page, a picture, spans."
    ),
    _sessions("grants", "g", "grants", "What you allowed for this run, to look at and to withdraw."),
    # ---- approval
    _approval(
        "allow",
        "y",
        "allow once",
        "Allow this call, once, with exactly these arguments.",
        label=_allow_words,
        short=lambda s: "grant" if s.phase == "scopes" else "again" if s.interrupted else "allow",
        unless=when.allowable,
    ),
    _approval(
        "deny",
        "n",
        "deny…",
        "Deny it, with a reason that the model reads.",
        label=lambda s: "tell it: unknown" if s.interrupted else "deny…",
        unless=when.call_waits,
    ),
    _approval("edit", "e", "edit…", "What waits; what was said before, in a fork.", unless=when.editable),
    _approval(
        "answer_for",
        "a",
        "answer for it…",
        "The tool does not run. The model reads your text as its result.",
        short="answer…",
        unless=when.call_waits,
    ),
    _approval(
        "allow_more",
        "Y",
        "allow more…",
        "Allow it and more, in this run only; each choice says its scope.",
        short="more…",
        unless=when.more_waits,
    ),
    _bar("previous_call", "up,k", "up", "The call above, or the arguments a line up."),
    _bar("next_call", "down,j", "down", "The call below, or the arguments a line down."),
    *BREAK,
    # ---- the past
    _past(
        "event_back",
        "left",
        "event before",
        "The run as it was one event earlier.",
        label=_event_words,
        short=lambda s: "event" if s.phase == "past" else "back",
        pair="event_forward",
    ),
    _past("event_forward", "right", "event after", "One event later, up to now.", unless=when.in_past),
    _past("step_back", "shift+left", "step before", "A whole step earlier.", label="step", pair="step_forward"),
    _past("step_forward", "shift+right", "step after", "A whole step later, up to now.", unless=when.in_past),
    # ---- fields
    _area("submit", "ctrl+s", "run or send", "Run with this text, or send it.", label=lambda s: s.submit),
    _area(
        "insert",
        "f2",
        "insert…",
        "While you are the model: an action, an answer, broken JSON, a made-up tool.",
        unless=when.inserting,
    ),
    _area("reset", "ctrl+o", "as it was", "The text as it was before you changed it; ctrl+z undoes that, too."),
    _search("find_next", "enter,down", "next", "The next place."),
    _search("find_previous", "up", "previous", "The place before."),
    # ---- the script editor
    _editor("save", "ctrl+s", "save", "Save the script; an example is saved as a copy of your own."),
    _editor("run_script", "f5", "run", "Save it and open a run of it, before the first move."),
    _editor(
        "run_from_here",
        "ctrl+r",
        "run from here",
        "Save it, run it up to the reply under the caret, and pause there.",
        short="from here",
    ),
    _editor("insert_table", "f2", "insert…", "A reply, a limit, a fault, …, after the table under the caret."),
    _script("undo", "ctrl+z", "undo", "Take the last change back."),
    _script("redo", "ctrl+y", "redo", "Make it again."),
    _script("text_start", "ctrl+home", "start", "To the start of the text."),
    _script("text_end", "ctrl+end", "end", "To its end."),
    _problems("previous_problem", "up,k", "up", "The problem above."),
    _problems("next_problem", "down,j", "down", "The problem below."),
    _problems("to_problem", "enter", "to the text", "To the line of the problem, or back to the text."),
    *MATRIX,
    *COMPARE,
)
BY_NAME: dict[str, Action] = {action.name: action for action in ACTIONS}
