"""Works in the demo, fails in production: four bugs in ten lines."""

from __future__ import annotations

import json

from workbench.museum.acts import TextModel, Tools


async def loop(model: TextModel, goal: str, tools: Tools, max_steps: int) -> str:  # noqa: ARG001 - that is bug 1
    """The answer, whenever the model gives one."""
    history = [goal]
    while True:  # the bug, 1 of 4: no step limit, so only the model can end this
        reply = json.loads(await model(history))
        if reply["type"] == "answer":
            return str(reply["text"])  # the bug, 2 of 4: text alone does not say how the run ended
        result = await tools[reply["tool"]](**reply["input"])  # the bug, 3 of 4: a wrong name or a failing tool crashes
        entry = {"type": "result", "tool": reply["tool"], "content": result}
        history.append(json.dumps(entry, ensure_ascii=False))  # the bug, 4 of 4: the request itself is not recorded
