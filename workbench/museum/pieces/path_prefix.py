"""Paths are held inside the workspace by comparing text."""

from __future__ import annotations

import json
import posixpath

from workbench.museum.acts import TextModel, Tools
from workbench.museum.pieces.marks import find_action, find_answer
from workbench.toolkit.api import ToolError

ROOT = "workspace"


def inside(path: str) -> str:
    """The path below ROOT that is meant. Raises ValueError for one that leads out of it; that is the idea."""
    full = posixpath.normpath(posixpath.join(ROOT, path))
    if not full.startswith(ROOT):  # the bug: "workspace2/keys.txt" starts with "workspace" as well
        raise ValueError("the path leads outside the workspace")
    return full


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
            kwargs["path"] = inside(kwargs.get("path", "."))
            transcript.append(f"OBSERVATION: {await tools[name](**kwargs)}")
        except (KeyError, ValueError, ToolError) as error:
            transcript.append(f"OBSERVATION: error: {error}")
    return None
