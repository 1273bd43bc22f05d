"""Which paths can be inside a workspace, judged by their text alone: those of scenarios and those of calls alike."""

from __future__ import annotations

import posixpath
import re

MAX_PATH_CHARS = 1_000
MAX_NAME_BYTES = 255
"""Of a file or folder, in UTF-8: file systems take no more."""
_DRIVE = re.compile(r"[A-Za-z]:")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)


def why_not(path: str) -> str:
    """Why this path cannot be one inside a workspace, as the end of a sentence; "" when its text is in order."""
    # Also without its "." and "..", since that is the name under which an effect is recorded.
    return _why_not(path) or _why_not(posixpath.normpath(path))


def _why_not(path: str) -> str:
    if not path:
        return "it is empty"
    if len(path) > MAX_PATH_CHARS:
        return f"it has more than {MAX_PATH_CHARS:,} characters"
    if any(len(part.encode("utf-8", "replace")) > MAX_NAME_BYTES for part in path.split("/")):
        return f"a name in it has more than {MAX_NAME_BYTES} bytes"
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
