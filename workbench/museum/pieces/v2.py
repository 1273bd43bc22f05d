"""v2: the parser is in safe hands now, and so is every bug of the tools."""

from __future__ import annotations

import json

from workbench.museum.acts import TextModel, Tools
from workbench.museum.pieces.marks import find_action, find_answer


async def loop(model: TextModel, question: str, tools: Tools, max_steps: int) -> str | None:
    """The answer; None when the steps are used up."""
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
            kwargs = json.loads(arguments)
        except json.JSONDecodeError as error:
            transcript.append(f"OBSERVATION: error: could not parse arguments as JSON: {error}")
            continue
        if name not in tools:
            transcript.append(f"OBSERVATION: error: no tool named {name!r}. Available: {sorted(tools)}")
            continue
        try:
            transcript.append(f"OBSERVATION: {await tools[name](**kwargs)}")
        except Exception as error:  # noqa: BLE001  # the bug: a broken tool is no mistake of the model, which is told all
            transcript.append(f"OBSERVATION: error: {type(error).__name__}: {error}")
    return None
