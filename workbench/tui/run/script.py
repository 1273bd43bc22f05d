"""What the script of a run says next, where it has one."""

from __future__ import annotations

from workbench.core.loop import AskModel, Finished, Move
from workbench.core.ports import ModelFailure, Reply
from workbench.models.scripted import ScriptedModel
from workbench.runner import Run
from workbench.scenarios.answers import loop_of
from workbench.scenarios.loops import MUSEUM


def reply_due(run: Run) -> Reply | None:
    """The reply of a script that the next move asks for; None where it asks for none, or for one that fails."""
    if not isinstance(run.model, ScriptedModel) or not _replies(run.next) or loop_of(run.header) in MUSEUM:
        return None
    try:
        return run.model.due(run.state)
    except ModelFailure:
        return None


def reached(run: Run, line: int) -> bool:
    """Whether the run has come to this line of its script (from 0), or past it: it may be passed over."""
    if run.state.script_line >= line or isinstance(run.next, Finished):
        return True
    if not isinstance(run.model, ScriptedModel) or not _replies(run.next):
        return False
    try:
        return run.model.due(run.state).line >= line
    except ModelFailure as failure:
        return failure.line >= line


def _replies(move: Move) -> bool:
    """Whether the next line of a script is what the move asks for."""
    return isinstance(move, AskModel) and move.older is None
