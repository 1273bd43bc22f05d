"""A sandbox folder as a fold: seed files plus the recorded effects give the folder at any point of a run."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from workbench.toolkit.errors import ToolError
from workbench.toolkit.workspace import Effect, Workspace


def fold_files(files: Mapping[str, str], effects: Iterable[Effect]) -> dict[str, str]:
    """The files of a sandbox, path to text, after `effects` on top of the seed `files`.

    Raises ValueError for an effect that is none.
    """
    folded = {posixpath.normpath(path): text for path, text in files.items()}
    for effect in effects:
        try:
            path, added = effect["path"], effect.get("append")
            folded[path] = effect["content"] if added is None else folded.get(path, "") + added
        except (TypeError, KeyError, AttributeError):
            raise ValueError(f"{effect!r:.80} is no effect: it needs path, and content or append") from None
    return folded


def apply_effects(root: Path, files: Mapping[str, str], effects: Iterable[Effect]) -> Workspace:
    """Build the sandbox that `files` and `effects` add up to in the folder `root`, which is made, or empty.

    Raises ValueError for a folder with something in it (it may be a person's own), and for a path that is refused or
    that is both a file and a folder.
    """
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise ValueError(f"{root} is not empty: a sandbox is built in an empty folder")
    workspace = Workspace(root)
    folded = fold_files(files, effects)
    for path in folded:
        if path == "." or any(str(parent) in folded for parent in PurePosixPath(path).parents):
            raise ValueError(f"the workspace cannot hold {path!r}: there is a folder, or a file in its way")
    try:
        workspace.apply({"path": path, "content": text} for path, text in folded.items())
    except ToolError as error:
        raise ValueError(error.message) from None
    return workspace
