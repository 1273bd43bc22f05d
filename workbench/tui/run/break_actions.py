"""What a person can do to break a run on purpose. The registry has these among all others."""

from __future__ import annotations

from functools import partial

from workbench.tui import situation as when
from workbench.tui.action import Action

_break = partial(Action, where="run", group="Break it")
_breaker = partial(Action, where="breaker", group="Break it")
_hold = partial(Action, where="run", group="Hold")

BREAK: tuple[Action, ...] = (
    # ---- break it
    _break("break_it", "f", "break…", "Arm a fault, or strike what is held; see what is armed.", unless=when.breakable),
    _breaker("previous_fault", "up", "up", "The fault above."),
    _breaker("next_fault", "down", "down", "The fault below."),
    _breaker("next_place", "tab", "elsewhere", "Where it strikes: the next one, this tool, a step, every time."),
    _breaker("previous_place", "shift+tab", "back", "Where it strikes: the choice before."),
    _breaker("arm", "enter", "arm it", "Arm the fault; of something held, let it strike now."),
    _breaker("disarm", "delete,backspace", "disarm", "Disarm the picked fault that is armed."),
    # ---- hold
    _hold(
        "hold",
        "h",
        "hold results",
        "Stop results at the door, before the model reads them; again: hold nothing.",
        label=lambda s: "stop holding" if s.holding else "hold",
        short=lambda s: "unhold" if s.holding else "hold",
        unless=when.breakable,
    ),
    _hold(
        "hold_some",
        "H",
        "hold some…",
        "Hold what a filter says, also replies: tool:add or reply.",
        unless=when.breakable,
    ),
    _hold("undo_change", "u", "undo", "What is held as the tool, or the model, gave it.", unless=when.undoable),
)
