"""The folder of a run: what a tool may read, what it may write, and nothing outside.

A `Workspace` is the folder on disk. A tool never writes to it: it works on a `Draft`, which holds what one call wrote
until the call has succeeded. Then all of it is applied, in order, and recorded as the call's effects. So a call that
fails, is cancelled or comes too late has changed nothing.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Literal
from uuid import uuid4

from workbench.toolkit.errors import ToolError
from workbench.toolkit.paths import quoted, refusal, refused
from workbench.toolkit.sizes import MAX_FILES, MAX_READ_BYTES, MAX_WRITE_CHARS

Effect = Mapping[str, str]
"""{"path", "content"}: the whole new text of a file; or {"path", "append"}: text added at its end."""
Kind = Literal["file", "folder", "other", ""]

_PARTIAL = ".workbench-"
"""How the name of a file begins that is being written; such a file is no part of the workspace."""
_READ_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)  # a link that was swapped in since, or a pipe without a writer, is an error instead of a way out or a wait
_NEIGHBOURS = 8


class Workspace:
    """A folder on disk. Names are what `locate` returns: relative to the root, links followed, "." for the root."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def locate(self, path: str) -> str:
        """The name of what `path` means here. Raises ToolError for anything that is not inside the root."""
        problem = refusal(path)
        if problem:
            raise ToolError(problem)
        try:
            real = (self.root / path).resolve()
        except (OSError, RuntimeError):
            raise ToolError(refused(path, "its links lead nowhere")) from None
        if not real.is_relative_to(self.root):
            raise ToolError(refused(path, "it leads outside the workspace"))
        return real.relative_to(self.root).as_posix()

    def kind(self, name: str) -> Kind:
        """What stands at that name; "" for nothing."""
        try:
            mode = os.lstat(self.root / name).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            raise _unusable(name, error) from None
        return _kind_of(mode)

    def data(self, name: str) -> bytes | None:
        """The bytes of the file of that name, None without one. Raises ToolError for what is no plain file."""
        try:
            descriptor = os.open(self.root / name, _READ_FLAGS)
            try:
                return _read(descriptor, name)
            finally:
                os.close(descriptor)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unusable(name, error) from None

    def children(self, name: str) -> dict[str, Kind]:
        """What lies directly in the folder of that name, by name. Links are not followed."""
        found: dict[str, Kind] = {}
        try:
            with os.scandir(self.root / name) as entries:
                for entry in entries:
                    if entry.name.startswith(_PARTIAL):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        found[entry.name] = "folder"
                    else:
                        found[entry.name] = "file" if entry.is_file(follow_symlinks=False) else "other"
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise _unusable(name, error) from None
        return found

    def apply(self, effects: Iterable[Effect]) -> None:
        """Carry effects out on disk, in order, each file at once or not at all. Raises ToolError, OSError."""
        for effect in effects:
            name = self.locate(effect["path"])
            added = effect.get("append")
            if added is None:
                self._replace(name, effect["content"].encode())
            else:
                self._replace(name, (self.data(name) or b"") + added.encode())

    def _replace(self, name: str, data: bytes) -> None:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.parent / f"{_PARTIAL}{uuid4().hex}"
        try:
            with partial.open("xb") as file:
                file.write(data)
            if target.exists():
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


class Draft:
    """What one call sees of the workspace: the files as they are, with its own writes on top.

    This is what a tool gets from `workspace()`. Paths are relative to the root, with "/". Every method raises
    ToolError, with a text for the model, for a path that is not inside the workspace or not what the method needs.
    """

    def __init__(self, folder: Workspace) -> None:
        self._folder = folder
        self._staged: dict[str, str] = {}
        self._effects: list[Effect] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What was written so far, in order."""
        return tuple(self._effects)

    def read(self, path: str) -> str:
        """The text of a file. Bytes that are not UTF-8 come as lone surrogates and are shown to the model as "�"."""
        name = self._folder.locate(path)
        text = self._text(name)
        if text is None:
            raise self._missing("file", name)
        return text

    def write(self, path: str, text: str) -> None:
        """Make `text` the whole content of a file, which need not exist yet, nor its folders."""
        self._stage(path, text, append=False)

    def append(self, path: str, text: str) -> None:
        """Add `text` at the end of a file, which need not exist yet. Safe beside other calls that append to it."""
        self._stage(path, text, append=True)

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder at that path."""
        return self._kind(self._folder.locate(path)) != ""

    def entries(self, path: str = ".") -> list[str]:
        """The names directly in a folder, sorted; a folder's name ends in "/"."""
        name = self._folder.locate(path)
        if self._kind(name) != "folder":
            raise self._missing("folder", name)
        return [f"{child}/" if kind == "folder" else child for child, kind in sorted(self._children(name).items())]

    def files(self, path: str = ".") -> list[str]:
        """The paths of all files below a folder, sorted; for a file, its own path. Links are not followed."""
        name = self._folder.locate(path)
        kind = self._kind(name)
        if kind == "file":
            return [name]
        if kind != "folder":
            raise self._missing("file or folder", name)
        found, folders = [], [name]
        while folders:
            folder = folders.pop()
            for child, child_kind in self._children(folder).items():
                below = child if folder == "." else f"{folder}/{child}"
                if child_kind == "folder":
                    folders.append(below)
                elif child_kind == "file":
                    found.append(below)
            if len(found) > MAX_FILES:
                raise ToolError(f"There are more than {MAX_FILES:,} files in {quoted(name)}; name a folder in it.")
        return sorted(found)

    def close(self) -> None:
        """Refuse every further write: the call is over. Never waits, not even for a write that hangs."""
        self._closed = True

    def _stage(self, path: str, text: str, *, append: bool) -> None:
        with self._lock:
            if self._closed:
                raise ToolError("This call is over; nothing more is written.", retry=False)
            name = self._folder.locate(path)
            self._require_place_for_file(name)
            whole = (self._text(name) or "") + text if append else text
            if len(whole) > MAX_WRITE_CHARS:
                raise ToolError(
                    f"{quoted(name)} would have {len(whole):,} characters; a file here may have {MAX_WRITE_CHARS:,}."
                )
            if not text.isascii() and text != text.encode("utf-8", "replace").decode():
                raise ToolError("The text holds half a character (a lone surrogate); leave it out.")
            self._staged[name] = whole
            self._effects.append({"path": name, "append" if append else "content": text})

    def _require_place_for_file(self, name: str) -> None:
        kind = self._kind(name)
        if kind in ("folder", "other"):
            raise ToolError(f"{quoted(name)} is {_IS[kind]}, so it cannot be written as a file.")
        for parent in PurePosixPath(name).parents:
            if self._kind(str(parent)) == "file":
                raise ToolError(f"{quoted(str(parent))} is a file, so nothing can lie below it.")

    def _text(self, name: str) -> str | None:
        staged = self._staged.get(name)
        if staged is not None:
            return staged
        data = self._folder.data(name)
        return None if data is None else data.decode("utf-8", "surrogateescape")

    def _kind(self, name: str) -> Kind:
        if name in self._staged:
            return "file"
        if any(staged.startswith(f"{name}/") for staged in self._staged):
            return "folder"
        return self._folder.kind(name)

    def _children(self, name: str) -> dict[str, Kind]:
        found = self._folder.children(name)
        prefix = "" if name == "." else f"{name}/"
        for staged in self._staged:
            if staged.startswith(prefix):
                child, *below = staged[len(prefix) :].split("/", 1)
                found[child] = "folder" if below else "file"
        return found

    def _missing(self, what: str, name: str) -> ToolError:
        """The error for a path where nothing fitting stands, with what does stand beside it."""
        if self._kind(name):
            return ToolError(f"{quoted(name)} is {_IS[self._kind(name)]}, not a {what}.")
        parent = str(PurePosixPath(name).parent)
        there = [quoted(child) for child in sorted(self._children(parent))]
        more = f" and {len(there) - _NEIGHBOURS} more" if len(there) > _NEIGHBOURS else ""
        beside = f" Beside it there are {', '.join(there[:_NEIGHBOURS])}{more}." if there else ""
        return ToolError(f"There is no {what} {quoted(name)} in the workspace.{beside}")


_IS: dict[Kind, str] = {"file": "a file", "folder": "a folder", "other": "no plain file", "": "gone"}


def _kind_of(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "other"


def _read(descriptor: int, name: str) -> bytes:
    status = os.fstat(descriptor)
    kind = _kind_of(status.st_mode)
    if kind != "file":
        raise ToolError(f"{quoted(name)} is {_IS[kind]}, so it cannot be read as a file.")
    if status.st_size > MAX_READ_BYTES:
        raise ToolError(f"{quoted(name)} is too large to be read: {status.st_size:,} bytes.", retry=False)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(MAX_READ_BYTES)


def _unusable(name: str, error: OSError) -> ToolError:
    """The operating system's reason without its path: that one would tell where the workspace lies."""
    return ToolError(f"{quoted(name)} cannot be used: {error.strerror or 'unknown reason'}.")
