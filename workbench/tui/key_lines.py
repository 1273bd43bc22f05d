"""What the key line shows where: the names of actions, by screen and by what goes on there."""

from __future__ import annotations

from workbench.tui.situation import Phase, ScreenName

_HOME = (
    "open",
    "open_and_run",
    "show_scripts",
    "filter",
    "new_script",
    "edit_script",
    "rename",
    "matrix",
    "compare",
    "delete",
    "import_log",
    "settings",
    "back",
)
_ENDED = (
    *("next_lesson", "message", "event_back", "fork", "again", "compare_parent", "make_scenario", "verdict", "name"),
    "back",
)
_APPROVAL = ("allow", "deny", "edit", "answer_for", "allow_more")
_PAUSED = ("move", "run", "as_scripted", "event_back", "sees", "loop", "original", "break_it", "hold", "cap", "rewrite")
_COMPARE = ("open_at", "choose_a", "next_difference", "to_parting", "view_row", "back")
_MATRIX = ("open_cell", "cell_left", "next_finding", "save_matrix", "back")
KEY_LINES: dict[tuple[ScreenName, Phase], tuple[str, ...]] = {
    ("home", "idle"): _HOME,
    ("home", "typing"): ("close",),
    ("run", "idle"): _PAUSED,
    ("run", "paused"): _PAUSED,
    ("run", "running"): ("run", "stop", "as_scripted", "sees", "break_it", "hold", "cap"),
    ("run", "approval"): (*_APPROVAL, "view", "as_scripted", "close"),
    ("run", "edit"): ("submit", "close", "reset"),
    ("run", "hold"): ("move", "run", "as_scripted", "edit", "break_it", "undo_change", "hold", "sees"),
    ("run", "stopped"): ("raise_cap", "run", "as_scripted", "ping", *_ENDED),
    ("run", "answered"): ("run", "as_scripted", *_ENDED),
    ("run", "elsewhere"): ("event_back", "sees", "loop", "original", "back"),
    ("run", "past"): ("event_back", "step_back", "latest", "fork", "edit", "sees", "loop", "run"),
    ("run", "reply"): ("move", "run", "sees", "event_back", "loop", "hold", "make_scenario", "cap"),
    ("run", "typing"): ("submit", "close"),
    ("run", "writing"): ("submit", "insert", "sees", "close", "reset"),
    ("run", "field"): ("close",),
    ("run", "limits"): ("toggle_limit", "raise_limit", "close"),
    ("run", "scopes"): ("allow", "close"),
    ("run", "list"): ("close",),
    ("editor", "typing"): ("save", "run_script", "run_from_here", "insert_table", "close", "undo"),
    ("matrix", "idle"): _MATRIX,
    ("compare", "idle"): _COMPARE,
    ("matrix", "running"): ("stop_matrix", *_MATRIX),
    ("editor", "idle"): ("to_problem", "back", "save", "run_script", "run_from_here", "insert_table"),
}
"""The actions on the key line, in order: what moves the run first, then looking, then breaking. Help is always last."""
