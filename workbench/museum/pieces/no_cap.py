"""The model will know when it is done."""

from __future__ import annotations

import json

from workbench.museum.acts import TextModel, Tools
from workbench.museum.pieces.marks import find_action, find_answer
from workbench.toolkit.api import ToolError


async def loop(model: TextModel, question: str, tools: Tools, max_steps: int) -> str:  # noqa: ARG001 - that is the bug
    """The answer, whenever the model gives one."""
    transcript = [f"QUESTION: {question}"]
    while True:  # the bug: `max_steps` is never looked at, so this ends when the model likes
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
