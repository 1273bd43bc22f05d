"""What the person of a script does, in words: for whoever sits at the screen and may let them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workbench.view.figures import amount
from workbench.view.lines import cut_line, one_line

if TYPE_CHECKING:
    from workbench.scenarios.schema import PersonEntry

TEXT = 60
"""Cells of a text that they give."""


def entry_words(entry: PersonEntry) -> str:
    """What the entry does, in short: allow it, say: and now?, limits.steps = 9."""
    text = f": {cut_line(entry.text, TEXT)}" if entry.text else ""
    match entry.do:
        case "edit":
            return f"edit it: {cut_line(json.dumps(entry.arguments, ensure_ascii=False), TEXT)}"
        case "answer":
            return f"answer for it{text}"
        case "replace":
            return f"replace it{text or ' with nothing'}"
        case "delay":
            return f"let it take {amount(entry.seconds or 0.0)} s longer"
        case "set":
            changes = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in (entry.set or {}).items()]
            return one_line(", ".join(changes))
    return f"{_PLAIN[entry.do]}{text}"


_PLAIN = {
    "allow": "allow it",
    "deny": "deny it",
    "pass": "pass it on",
    "error": "make it an error",
    "drop": "lose it",
    "revert": "put it back as it came",
    "cancel": "stop the run",
    "message": "say",
}
