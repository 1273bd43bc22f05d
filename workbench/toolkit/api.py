"""The whole surface for authors of tools.

    from workbench.toolkit.api import ToolError, tool

    @tool(risk="read", source="database")
    def lookup_population(city: str) -> int:
        '''Population of a city. Call this when a question needs one.

        city: name in any case, e.g. "Paris".'''

A tool is a function with typed parameters, async or not. Its signature becomes the schema that calls are checked by,
its docstring what the model reads. It returns text, bytes, anything JSON can hold, or a `Result`; it raises `ToolError`
for what the model can put right, and any other exception means that the tool is broken. It stays a plain function, so
that a test can call it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar, get_args, overload

from workbench.core.values import Risk
from workbench.toolkit.errors import ToolError
from workbench.toolkit.kinds import Bounds
from workbench.toolkit.results import Result
from workbench.toolkit.scope import idempotency_key, use_workspace, workspace
from workbench.toolkit.workspace import Draft

Function = TypeVar("Function", bound=Callable[..., Any])
Trust = Literal["trusted", "untrusted"]

SPEC = "__workbench_tool__"
"""The attribute of a function that holds its ToolSpec."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What the author declared; see `tool`. Raises ValueError for a value that is not one."""

    name: str
    risk: Risk = "undeclared"
    source: str = ""
    trust: Trust = "trusted"
    polling: bool = False
    idempotent: bool = False
    dedupe: bool = True
    timeout: float | None = 30.0
    max_chars: int = 8000
    max_lines: int = 400
    consequence: str = ""
    preview: Callable[..., str] | None = None
    inline: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"name is {self.name!r}; it has 1 to 64 letters, digits, _, - or .")
        if self.risk not in get_args(Risk):
            raise ValueError(f"risk is {self.risk!r}; it is one of {', '.join(get_args(Risk))}")
        if self.trust not in get_args(Trust):
            raise ValueError(f"trust is {self.trust!r}; it is one of {', '.join(get_args(Trust))}")
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"timeout is {self.timeout!r}; it is a number of seconds greater than 0, or None")
        if self.max_chars < 1 or self.max_lines < 1:
            raise ValueError("max_chars and max_lines are at least 1")
        if inspect.iscoroutinefunction(self.preview):
            raise ValueError("preview is async; it is a plain function that returns a sentence at once")


@overload
def tool(function: Function, /) -> Function: ...
@overload
def tool(
    *,
    name: str = "",
    risk: Risk = "undeclared",
    source: str = "",
    trust: Trust = "trusted",
    polling: bool = False,
    idempotent: bool = False,
    dedupe: bool = True,
    timeout: float | None = 30.0,
    max_chars: int = 8000,
    max_lines: int = 400,
    consequence: str = "",
    preview: Callable[..., str] | None = None,
    inline: bool = False,
) -> Callable[[Function], Function]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function a tool. Used bare, or with options:

    name: what the model calls it; the function's name if left out.
    risk: "read", "write" (changes something) or "outward" (reaches other people). Anything but "read" is asked about.
    source: where its results come from, in a word.
    trust: "untrusted" for text that others may have written; it can lock outward tools.
    polling: the same call may be made again and again without counting as circling.
    idempotent: calling it twice is as good as once, so it may be repeated after a time-out.
    dedupe: False lets a repeated call act again; else it returns the stored result (write and outward tools).
    timeout: seconds, or None.
    max_chars, max_lines: what the model gets of a result; the cut is announced to it.
    consequence: for the person who is asked: what a call touches, and whether it can be taken back.
    preview: a function of the same arguments that returns a sentence saying what this call would do. It may raise
        ToolError where the tool would, and write: nothing of that is kept.
    inline: True for a pure, instant function: it runs in place, without a thread, and cannot be timed out.
    """

    known = [option.name for option in fields(ToolSpec)]
    for option in options:
        if option not in known:
            raise TypeError(f"@tool has no option {option!r}; there are {', '.join(known)}")

    def mark(target: Function) -> Function:
        spec = ToolSpec(**options | {"name": options.get("name") or target.__name__})
        if spec.inline and inspect.iscoroutinefunction(target):
            raise ValueError("inline is for plain functions; an async one needs no thread anyway")
        setattr(target, SPEC, spec)
        return target

    return mark if function is None else mark(function)


__all__ = [
    "Bounds",
    "Draft",
    "Result",
    "ToolError",
    "ToolSpec",
    "idempotency_key",
    "tool",
    "use_workspace",
    "workspace",
]
