"""v3: a status instead of None, failures of tools told apart, and one class for all that a provider may do."""

from __future__ import annotations

import inspect
import json
from typing import Any

from workbench.core.statuses import Status
from workbench.museum.acts import ModelUnavailable, Result, TextModel, Tools
from workbench.museum.pieces.marks import find_action, find_answer
from workbench.toolkit.api import ToolError


async def execute(tools: Tools, name: str, kwargs: dict[str, Any]) -> str:
    """The tool's result. ToolError is for the model to read; everything else is a defect and goes its way."""
    if name not in tools:
        raise ToolError(f"no tool named {name!r}. Available: {sorted(tools)}")
    try:
        inspect.signature(tools[name]).bind(**kwargs)
    except TypeError as error:
        raise ToolError(f"Invalid arguments for {name}: {error}.") from error
    return await tools[name](**kwargs)


async def loop(model: TextModel, question: str, tools: Tools, max_steps: int) -> Result:
    """The answer, or why there is none."""
    transcript = [f"QUESTION: {question}"]
    for _ in range(max_steps):
        try:
            reply = await model(transcript)
        except ModelUnavailable:  # the bug: one class for all providers do; a rejected key is not in it, and crashes
            return Result(Status.MODEL_UNAVAILABLE)
        transcript.append(reply)
        answer = find_answer(reply)
        if answer is not None:
            return Result(Status.ANSWERED, answer)
        action = find_action(reply)
        if action is None:
            transcript.append("OBSERVATION: no ACTION or ANSWER found; reply with one.")
            continue
        name, arguments = action
        try:
            kwargs = json.loads(arguments)
        except json.JSONDecodeError as error:
            transcript.append(f"OBSERVATION: error: could not parse arguments as JSON: {error}")
            continue
        try:
            transcript.append(f"OBSERVATION: {await execute(tools, name, kwargs)}")
        except ToolError as error:
            transcript.append(f"OBSERVATION: error: {error}")
    return Result(Status.STEP_BUDGET_EXHAUSTED)
