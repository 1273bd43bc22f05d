"""The model stopped calling tools, so it must be done."""

from __future__ import annotations

import json

from workbench.museum.acts import ChatMessage, ChatModel, Tools


async def loop(model: ChatModel, task: str, tools: Tools, max_steps: int) -> str | None:
    """The answer; None when the steps are used up."""
    messages: list[ChatMessage] = [{"role": "user", "content": task}]
    for _ in range(max_steps):
        message = await model(messages)
        messages.append(message)
        calls = message.get("tool_calls") or []
        if not calls:
            return str(message["content"])  # the bug: stuck, lost, or cut off in mid-sentence comes without calls, too
        for call in calls:
            try:
                arguments = json.loads(call["function"]["arguments"])
                content = await tools[call["function"]["name"]](**arguments)
            except Exception as error:  # noqa: BLE001 - not what this piece is about
                content = f"ERROR {type(error).__name__}: {error}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return None
