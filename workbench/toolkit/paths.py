"""Which paths a tool may name, judged by their text alone; what they lead to is the workspace's business."""

from __future__ import annotations

import json
import posixpath
import re

from workbench.toolkit.sizes import MAX_PATH_CHARS

_RULE = 'Paths are relative to the workspace and use "/", for example "sub/notes.txt".'
_DRIVE = re.compile(r"[A-Za-z]:")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)


def quoted(text: str, most: int = 100) -> str:
    """`text` in double quotes, with escapes, shortened to `most` characters: safe in a sentence for a model."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return json.dumps(shown.encode("utf-8", "replace").decode(), ensure_ascii=False)


def refused(path: str, why: str) -> str:
    """The sentence that refuses a path."""
    return f"{quoted(path)} is refused: {why}. {_RULE}"


def refusal(path: str) -> str:
    """Why this path cannot be one inside a workspace, as a sentence; "" when its text is in order."""
    # Also without its "." and "..", since that is the name under which an effect is recorded.
    why = _why_not(path) or _why_not(posixpath.normpath(path))
    return refused(path, why) if why else ""


def _why_not(path: str) -> str:
    if not path:
        return "it is empty"
    if len(path) > MAX_PATH_CHARS:
        return f"it has more than {MAX_PATH_CHARS:,} characters"
    if "\0" in path:
        return "it holds a NUL character"
    if not path.isascii() and path != path.encode("utf-8", "replace").decode():
        return "it holds half a character"
    if "\\" in path:
        return "it holds a backslash"
    if _URL.match(path):
        return "it is a URL"
    if _DRIVE.match(path):
        return "it begins with a drive letter"
    if path.startswith("/"):
        return "it is absolute"
    parts = path.split("/")
    if parts[0] == "~":
        return '"~" does not stand for a home folder here'
    return "it leads outside the workspace" if _climbs_out(parts) else ""


def _climbs_out(parts: list[str]) -> bool:
    """Whether the path leaves its root on the way, even if it came back: that would tell the root's own name."""
    depth = 0
    for part in parts:
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False
