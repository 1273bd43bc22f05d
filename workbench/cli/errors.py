"""Which exceptions are bad input, and how they are said."""

from __future__ import annotations


class BadInput(Exception):
    """Something on the command line that cannot be done; the message is a sentence for people."""


def explained(error: Exception) -> str | None:
    """What to tell a person about an error that is not a defect of ours; None for a defect."""
    # Imported only now: the app is to paint its first frame before any of this is loaded.
    from workbench.export.forms import CannotExport
    from workbench.export.palette import NoPalette
    from workbench.home import HomeError
    from workbench.imports.conversation import NotUnderstood
    from workbench.runner import CommandError, JournalBroken
    from workbench.sandbox import TrustNeeded
    from workbench.scenarios.errors import ScenarioError
    from workbench.sessions.errors import SessionError
    from workbench.view.visible import visible

    match error:
        case TrustNeeded():
            return visible(error.in_a_terminal)
        case BadInput() | HomeError() | NotUnderstood() | CannotExport() | NoPalette():
            return visible(str(error))
        case CommandError() | JournalBroken() | ScenarioError() | SessionError():
            return visible(str(error))
        case OSError(filename=str(name), strerror=str(reason)):
            return visible(f"{name}: {reason}")
        case _:
            return None
