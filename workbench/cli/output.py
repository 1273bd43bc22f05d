"""Printing that neither an odd terminal nor a reader who has gone can break."""

from __future__ import annotations

import os
import sys

_failed: list[OSError] = []
"""What went wrong with the output of this command; what it does goes on all the same, and is told at its end."""


def prepare() -> None:
    """Let signs that the output's encoding lacks be written as escapes, instead of ending the command."""
    _failed.clear()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def failure() -> str:
    """Why the output could not be written, as a sentence; "" when it could, or when nobody wanted any more of it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
    except OSError as error:
        _failed.append(error)
        silence()
    return f"the output cannot be written: {_failed[0].strerror}" if _failed else ""


def out(line: str) -> None:
    """Print a line at once. Where that fails (whoever read has gone, the disk is full), what is being run goes on
    in silence."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        silence()
    except OSError as error:
        _failed.append(error)
        silence()


def silence() -> None:
    """Send all further output nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
