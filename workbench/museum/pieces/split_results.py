"""One result, one message: it reads well, and this wire wants them together."""

from __future__ import annotations

from workbench.museum.acts import ChatMessage, ChatModel, Tools


async def loop(model: ChatModel, task: str, tools: Tools, max_steps: int) -> str | None:
    """The answer; None when the steps are used up. Speaks the Messages API, where everything is a block of content."""
    messages: list[ChatMessage] = [{"role": "user", "content": task}]
    for _ in range(max_steps):
        message = await model(messages)
        messages.append(message)
        calls = [block for block in message["content"] if block["type"] == "tool_use"]
        if not calls:
            return "\n".join(block["text"] for block in message["content"])
        for call in calls:
            try:
                content = await tools[call["name"]](**call["input"])
            except Exception as error:  # noqa: BLE001 - not what this piece is about
                content = f"ERROR {type(error).__name__}: {error}"
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
            # the bug: each result goes into a user message of its own, and all belong into the next one
            messages.append({"role": "user", "content": [result]})
    return None
