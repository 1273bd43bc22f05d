"""What a wrong loop is written against: a model and tools that are awaited, and the ways in which they fail.

A loop runs as a coroutine that yields what it wants done. Whoever drives it does that and sends back what came of it,
so a loop is plain code from top to bottom, can be stepped act by act, and never runs by itself.
"""

from __future__ import annotations

import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any

from workbench.core.statuses import Status

ChatMessage = dict[str, Any]
"""One message as the OpenAI-style wire carries it."""
TextModel = Callable[[list[str]], Awaitable[str]]
"""Takes the whole transcript, one entry a line, and gives the next reply."""
ChatModel = Callable[[list[ChatMessage]], Awaitable[ChatMessage]]
"""Takes the whole conversation and gives the assistant's next message."""
Tools = Mapping[str, Callable[..., Awaitable[str]]]
"""Name to function. Called with keyword arguments, as they are: nothing checks them. Raises what the tool raises."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a loop returns that says how it ended."""

    status: Status
    answer: str | None = None


Loop = Callable[[Any, str, Tools, int], Coroutine[Any, Any, "str | Result | None"]]
"""A loop: model, task, tools, most steps. It gives the answer, or None for none, or a Result.

What it keeps of a reply it appends to its history before it calls a tool; what it makes of a tool's result, after that.
"""


# ---------------------------------------------------------------- what goes wrong


class ModelUnavailable(Exception):
    """The model could not be reached; another try may help."""

    status = Status.MODEL_UNAVAILABLE


class ModelRejected(Exception):
    """The model's service does not take this request; `status` says why in the words of the workbench."""

    def __init__(self, message: str, status: Status = Status.MODEL_REJECTED) -> None:
        super().__init__(message)
        self.status = status


class Defect(Exception):
    """Base of what a broken tool raised; its subclass has the name of the real exception."""

    status = Status.TOOL_DEFECT


# ---------------------------------------------------------------- acts


@dataclass(frozen=True, slots=True)
class Ask:
    """The loop wants the model's reply to this history, which goes on being the loop's own list."""

    history: list[Any]


@dataclass(frozen=True, slots=True)
class Use:
    """The loop wants a tool called."""

    tool: str
    arguments: dict[str, Any]


Act = Ask | Use


@types.coroutine
def _perform(act: Act) -> Generator[Act, Any, Any]:
    return (yield act)


async def ask(history: list[Any]) -> Any:
    """The model, as a loop sees it: a TextModel or a ChatModel."""
    return await _perform(Ask(history))


def tool(name: str, schema: Mapping[str, Any]) -> Callable[..., Awaitable[str]]:
    """The tool of that name, as a loop sees it: a function with the parameters of its JSON Schema."""

    async def use(**arguments: Any) -> Any:
        return await _perform(Use(name, arguments))

    # Python names the function in its own errors, as it would name the real one.
    use.__name__ = use.__qualname__ = name
    use.__module__ = "tools"
    required = schema.get("required", ())
    parameters = [
        Parameter(each, Parameter.KEYWORD_ONLY, default=Parameter.empty if each in required else None)
        for each in schema.get("properties", ())
        if each.isidentifier()
    ]
    vars(use)["__signature__"] = Signature(parameters)
    return use
