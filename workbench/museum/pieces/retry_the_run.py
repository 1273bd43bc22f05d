"""The model's service failed in the middle of a run, so the run is made again."""

from __future__ import annotations

import json

from workbench.museum.acts import ModelUnavailable, TextModel, Tools
from workbench.museum.pieces.marks import find_action, find_answer
from workbench.toolkit.api import ToolError

TRIES = 3


async def attempt(model: TextModel, question: str, tools: Tools, max_steps: int) -> str | None:
    """One whole run."""
    transcript = [f"QUESTION: {question}"]
    for _ in range(max_steps):
        reply = await model(transcript)
        transcript.append(reply)
        answer = find_answer(reply)
        if answer is not None:
            return answer
        action = find_action(reply)
        if action is None:
            transcript.append("OBSERVATION: no ACTION or ANSWER found; reply with one.")
            continue
        name, arguments = action
        try:
            transcript.append(f"OBSERVATION: {await tools[name](**json.loads(arguments))}")
        except (KeyError, ValueError, ToolError) as error:
            transcript.append(f"OBSERVATION: error: {error}")
    return None


async def loop(model: TextModel, question: str, tools: Tools, max_steps: int) -> str | None:
    """The answer of the first attempt that comes to an end."""
    for _ in range(TRIES - 1):
        try:
            return await attempt(model, question, tools, max_steps)
        except ModelUnavailable:
            continue  # the bug: one request failed, and every tool that has acted already acts once more
    return await attempt(model, question, tools, max_steps)
