"""Which paths a tool may name, judged by their text alone; what they lead to is the workspace's business."""

from __future__ import annotations

import json

from workbench.core.paths import why_not

_RULE = 'Paths are relative to the workspace and use "/", for example "sub/notes.txt".'


def quoted(text: str, most: int = 100) -> str:
    """`text` in double quotes, with escapes, shortened to `most` characters: safe in a sentence for a model."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return json.dumps(shown.encode("utf-8", "replace").decode(), ensure_ascii=False)


def refused(path: str, why: str) -> str:
    """The sentence that refuses a path."""
    return f"{quoted(path)} is refused: {why}. {_RULE}"


def refusal(path: str) -> str:
    """Why this path cannot be one inside a workspace, as a sentence; "" when its text is in order."""
    why = why_not(path)
    return refused(path, why) if why else ""
