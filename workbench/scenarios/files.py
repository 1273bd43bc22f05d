"""Scripts as files: read to be edited, written whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

_BREAKS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for an editor and not for TOML, so that it would be lost."""


class ScriptFileError(Exception):
    """A file that cannot be read or written as a script; the message is a sentence for people."""


Stamp = tuple[int, int]
"""When a file was written, in nanoseconds, and its size: the same as long as nobody has written it since."""


def read_script(path: Path) -> tuple[str, Stamp]:
    """The text of a script, without a byte order mark, and its stamp. Raises ScriptFileError."""
    try:
        stamp = _stamp(path)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ScriptFileError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ScriptFileError(f"{path}:{line}: is not UTF-8: byte 0x{error.object[error.start]:02x}") from None
    if found := _BREAKS.search(text):
        line, code = text.count("\n", 0, found.start()) + 1, f"U+{ord(found[0]):04X}"
        raise ScriptFileError(f"{path}:{line}: {code} would not survive being edited here; write it as \\u{code[2:]}")
    return text, stamp


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of the file as it is now; None where there is none."""
    try:
        return _stamp(path)
    except OSError:
        return None


def save_script(path: Path, text: str) -> Stamp:
    """Write the text and give the file's stamp. Raises ScriptFileError, and then the file is as it was."""
    try:
        write_whole(path, text)
        return _stamp(path)
    except (OSError, UnicodeEncodeError) as error:
        reason = "it holds half of a character" if isinstance(error, UnicodeEncodeError) else error.strerror or error
        raise ScriptFileError(f"{path} cannot be written: {reason}") from None


def write_whole(file: Path, text: str) -> None:
    """Write a file whole or not at all. A link stays a link, and what it leads to is written. Raises OSError."""
    data = text.encode("utf-8")
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name[:200]}.{os.getpid()}.tmp")
    try:
        with unfinished.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            shutil.copymode(file, unfinished)
        unfinished.replace(file)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def free_path(folder: Path, name: str) -> Path:
    """A path in the folder that is not taken: with that name, or with a number after it."""
    path, number = folder / name, 2
    while path.exists():
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        number += 1
    return path


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_mtime_ns, status.st_size
