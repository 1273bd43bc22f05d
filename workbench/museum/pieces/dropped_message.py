"""The assistant's message had no text, so it was not kept."""

from __future__ import annotations

import json

from workbench.museum.acts import ChatMessage, ChatModel, Tools


async def loop(model: ChatModel, task: str, tools: Tools, max_steps: int) -> str | None:
    """The answer; None when the steps are used up."""
    messages: list[ChatMessage] = [{"role": "user", "content": task}]
    for _ in range(max_steps):
        message = await model(messages)
        calls = message.get("tool_calls") or []
        if not calls:
            return str(message["content"])
        for call in calls:
            try:
                arguments = json.loads(call["function"]["arguments"])
                content = await tools[call["function"]["name"]](**arguments)
            except Exception as error:  # noqa: BLE001 - not what this piece is about
                content = f"ERROR {type(error).__name__}: {error}"
            # the bug: results are appended, the message with the calls they belong to never is
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return None
