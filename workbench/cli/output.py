"""Printing that neither an odd terminal nor a reader who has gone can break."""

from __future__ import annotations

import os
import sys


def prepare() -> None:
    """Let signs that the output's encoding lacks be written as escapes, instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def out(line: str) -> None:
    """Print a line at once. When whoever read has gone, as `head` does, what is being run goes on in silence."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Send all further output nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
