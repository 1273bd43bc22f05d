"""Arguments look like an object, and are a string."""

from __future__ import annotations

from workbench.museum.acts import ChatMessage, ChatModel, Tools


async def loop(model: ChatModel, task: str, tools: Tools, max_steps: int) -> str | None:
    """The answer; None when the steps are used up."""
    messages: list[ChatMessage] = [{"role": "user", "content": task}]
    for _ in range(max_steps):
        message = await model(messages)
        messages.append(message)
        calls = message.get("tool_calls") or []
        if not calls:
            return str(message["content"])
        for call in calls:
            function = call["function"]
            content = await tools[function["name"]](**function["arguments"])  # the bug: that is JSON text, no object
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return None
