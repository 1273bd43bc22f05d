"""Tools from files: each `*.py` of a folder is run under a private module name, and its tools are collected.

Loading a file runs it; whether a folder is trusted is decided before. A bad file is reported with its line, and the
others load.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.core.values import ToolInfo
from workbench.toolkit.api import SPEC, ToolSpec
from workbench.toolkit.kinds import SchemaError
from workbench.toolkit.schema import Arguments, describe


@dataclass(frozen=True, slots=True)
class LoadedTool:
    """A tool that can run."""

    info: ToolInfo
    spec: ToolSpec
    function: Callable[..., Any]
    arguments: Arguments
    is_async: bool = False
    file: Path | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file, or a tool in it, is not there. `line` is 0 when it concerns the whole file."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


@dataclass(frozen=True, slots=True)
class LoadedFolder:
    """What came of loading: the tools by name, sorted; what is wrong; and what a person may want to know."""

    tools: dict[str, LoadedTool] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def load_tools(folders: Sequence[Path]) -> LoadedFolder:
    """The tools of several folders. A tool of an earlier folder replaces one of the same name, and a note says so."""
    tools: dict[str, LoadedTool] = {}
    problems: list[Problem] = []
    notes: list[str] = []
    for path in folders:
        folder = load_folder(path)
        problems += folder.problems
        for name, loaded in folder.tools.items():
            if name in tools:
                notes.append(f"{name} from {tools[name].file} replaces the one from {loaded.file}")
            else:
                tools[name] = loaded
    return LoadedFolder(dict(sorted(tools.items())), tuple(problems), tuple(notes))


def load_folder(path: Path) -> LoadedFolder:
    """The tools of every `*.py` in a folder, except names that begin with `_` or `.`. Never raises for a bad file."""
    if not path.is_dir():
        return LoadedFolder(problems=(Problem(path, 0, "there is no such folder"),))
    tools: dict[str, LoadedTool] = {}
    problems: list[Problem] = []
    for file in sorted(path.glob("*.py")):
        if file.name.startswith(("_", ".")):
            continue
        found, wrong = _load_file(file)
        problems += wrong
        for loaded in found:
            name = loaded.info.name
            if name in tools:
                first = tools[name]
                problems.append(
                    Problem(file, loaded.line, f"there is a tool {name!r} already, in {first.file}:{first.line}")
                )
            else:
                tools[name] = loaded
    return LoadedFolder(dict(sorted(tools.items())), tuple(problems))


def load_function(function: Callable[..., Any], file: Path | None = None) -> LoadedTool:
    """A function marked with `@tool`, as a tool that can run. Raises SchemaError, or TypeError if it is not marked."""
    spec = getattr(function, SPEC, None)
    if not isinstance(spec, ToolSpec):
        raise TypeError(f"{function!r} is not marked with @tool")
    description, texts = describe(function)
    arguments = Arguments(spec.name, function, texts)
    info = ToolInfo(
        name=spec.name,
        description=description,
        schema=arguments.schema,
        risk=spec.risk,
        source=spec.source,
        trust=spec.trust,
        polling=spec.polling,
        idempotent=spec.idempotent,
        dedupe=spec.dedupe,
        timeout=spec.timeout,
        max_chars=spec.max_chars,
        max_lines=spec.max_lines,
        consequence=spec.consequence,
    )
    is_async = inspect.iscoroutinefunction(function)
    return LoadedTool(info, spec, function, arguments, is_async, file, _line(function))


def _load_file(file: Path) -> tuple[list[LoadedTool], list[Problem]]:
    try:
        source = importlib.util.decode_source(file.read_bytes())
        tree = ast.parse(source, str(file))
    except SyntaxError as error:
        return [], [Problem(file, error.lineno or 0, f"syntax error: {error.msg}")]
    except (OSError, ValueError) as error:
        return [], [Problem(file, 0, f"cannot be read: {error}")]
    problems = list(_defined_twice(file, tree))
    module = ModuleType(_module_name(file))
    module.__file__ = str(file)
    # Registered while it lives, as pydantic and dataclasses look types up there.
    sys.modules[module.__name__] = module
    try:
        # Compiled here rather than imported, so that no stale byte code is used and none is written beside the file.
        exec(compile(tree, str(file), "exec"), module.__dict__)  # noqa: S102 - loading a tool is running its file
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool's file can raise anything
        del sys.modules[module.__name__]
        return [], [Problem(file, _raised_at(error, file), f"{type(error).__name__}: {error}")]
    tools = []
    for function in _marked(module):
        try:
            tools.append(load_function(function, file))
        except SchemaError as error:
            problems.append(Problem(file, _line(function), f"{function.__name__}: {error}"))
    if not tools:
        del sys.modules[module.__name__]
    if not tools and not problems:
        problems.append(Problem(file, 0, "there is no function marked with @tool in it"))
    return tools, problems


def _module_name(file: Path) -> str:
    place = blake2b(str(file.resolve()).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f"workbench_tools_{place}_{file.stem}"


def _marked(module: ModuleType) -> Iterable[Callable[..., Any]]:
    """The tools defined in the module, in order; one that was imported belongs to another file."""
    own = {
        id(item): item
        for item in vars(module).values()
        if isinstance(getattr(item, SPEC, None), ToolSpec) and item.__module__ == module.__name__
    }
    return own.values()


def _defined_twice(file: Path, tree: ast.Module) -> Iterable[Problem]:
    """Python lets a later function silently take the place of one of the same name."""
    seen: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            if node.name in seen:
                yield Problem(file, node.lineno, f"{node.name} is defined in line {seen[node.name]} already")
            seen[node.name] = node.lineno


def _line(function: Callable[..., Any]) -> int:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_firstlineno if code is not None else 0


def _raised_at(error: BaseException, file: Path) -> int:
    """The line of the file itself that led to the error; 0 when none did."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(file):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
