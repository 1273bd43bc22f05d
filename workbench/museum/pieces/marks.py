"""The text protocol as small loops read it: one ACTION line or one ANSWER line. Right as it is; no piece by itself."""

from __future__ import annotations

import re

_ACTION = re.compile(r"^ACTION:[ \t]*(?P<tool>\w+)[ \t]*(?P<arguments>\{.*\})[ \t]*$", re.MULTILINE)
_ANSWER = re.compile(r"^ANSWER:[ \t]*(?P<answer>.*)$", re.MULTILINE)


def find_answer(reply: str) -> str | None:
    """The text behind the first ANSWER: of a reply; None when there is none."""
    found = _ANSWER.search(reply)
    return found["answer"].strip() if found else None


def find_action(reply: str) -> tuple[str, str] | None:
    """Tool and arguments, still as text, of the first ACTION line; None when there is none."""
    found = _ACTION.search(reply)
    return (found["tool"], found["arguments"]) if found else None
