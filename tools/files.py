"""The files of the run's workspace: list, read, search, write."""

from __future__ import annotations

from typing import Annotated

from workbench.toolkit.api import Bounds, Draft, ToolError, tool, workspace

LONGEST_LINE = 200


@tool(risk="read", source="workspace")
def list_dir(path: str = ".") -> str:
    """The names of the files and folders directly in a folder, one a line; a folder's name ends in "/".

    Call this before read_file when you do not know yet that a path exists.

    path: the folder, relative to the workspace; "." is the workspace itself.
    """
    return "\n".join(workspace().entries(path)) or "(this folder is empty)"


@tool(risk="read", source="workspace")
def read_file(path: str) -> str:
    """The text of one file. Call this when you need what a file says; a long file is cut, and the cut is announced.

    path: the file, relative to the workspace, as list_dir and search_files name it.
    """
    return workspace().read(path)


@tool(risk="read", source="workspace")
def search_files(text: Annotated[str, Bounds(min_length=1)], path: str = ".") -> str:
    """The lines that contain a text, each as `path:line: the line`. Call this to find where something is said.

    text: what to look for, letter for letter; upper and lower case count.
    path: the folder or file to search, relative to the workspace.
    """
    files = workspace()
    found, unread = [], []
    for name in files.files(path):
        try:
            lines = files.read(name).splitlines()
        except ToolError:
            unread.append(name)
            continue
        for number, line in enumerate(lines, 1):
            if text in line:
                found.append(f"{name}:{number}: {line.strip()[:LONGEST_LINE]}")
    if unread:
        found.append(f"… not searched, as they cannot be read: {', '.join(unread)}")
    if not found:
        raise ToolError(f'No line in "{path}" contains that text. Try a shorter text, or another folder.')
    return "\n".join(found)


def _preview_write(path: str, text: str) -> str:
    files = workspace()
    there = files.exists(path)
    before = f"Replaces {_amount(files, path)} of {path}" if there else f"Creates {path}"
    files.write(path, text)  # in a draft that is thrown away: what cannot be written is refused here, too
    return f"{before} with {len(text):,} characters."


def _amount(files: Draft, path: str) -> str:
    try:
        return f"the {len(files.read(path)):,} characters"
    except ToolError:
        return "all"  # one that cannot be read can still be replaced


@tool(
    risk="write",
    source="workspace",
    idempotent=True,
    preview=_preview_write,
    consequence="Writes one file in this run's workspace. What stood in it before is replaced.",
)
def write_file(path: str, text: str) -> str:
    """Make a text the whole content of one file, new or not. Call this to create a file or to replace one.

    path: the file, relative to the workspace; folders on the way are made.
    text: everything the file is to contain.
    """
    workspace().write(path, text)
    return f"Wrote {len(text):,} characters to {path}."
