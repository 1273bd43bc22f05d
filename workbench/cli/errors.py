"""Which exceptions are bad input, and how they are said."""

from __future__ import annotations

from workbench.home import HomeError
from workbench.opening import TrustNeeded
from workbench.runner import CommandError, JournalBroken
from workbench.scenarios.errors import ScenarioError
from workbench.sessions.errors import SessionError
from workbench.view.visible import visible


class BadInput(Exception):
    """Something on the command line that cannot be done; the message is a sentence for people."""


def explained(error: Exception) -> str | None:
    """What to tell a person about an error that is not a defect of ours; None for a defect."""
    if isinstance(error, TrustNeeded):
        return f"{visible(str(error))}\nsay that this is all right with: --trust {error.folder}"
    if isinstance(error, BadInput | HomeError | CommandError | JournalBroken | ScenarioError | SessionError):
        return visible(str(error))
    return None
