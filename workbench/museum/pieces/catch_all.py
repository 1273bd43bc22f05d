"""Whatever goes wrong in here, the model is told that it was a tool."""

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
            try:
                content = await tools[function["name"]](
                    **function["arguments"]
                )  # a mistake of this loop, not yet fatal
            except Exception as error:  # noqa: BLE001  # the bug: it comes out as if the model had made it, every time
                content = f"ERROR {type(error).__name__}: {error}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return None
