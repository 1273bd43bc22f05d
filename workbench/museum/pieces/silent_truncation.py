"""Long results are cut, so that they do not fill the context. So far, so good."""

from __future__ import annotations

import json

from workbench.museum.acts import TextModel, Tools
from workbench.museum.pieces.marks import find_action, find_answer
from workbench.toolkit.api import ToolError

MOST = 800
"""Characters. Real loops cut at 8,000 or so; a tenth of that fails in the same way, on a page that can be read."""


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
            result = await tools[name](**json.loads(arguments))
            transcript.append(f"OBSERVATION: {result[:MOST]}")  # the bug: nothing says that there is more
        except (KeyError, ValueError, ToolError) as error:
            transcript.append(f"OBSERVATION: error: {error}")
    return None
