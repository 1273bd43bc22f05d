"""Trajectories of mini-swe-agent: the command in a fenced block is a call, the message after it its result. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.ports import Reply
from workbench.core.values import RawCall, ToolInfo
from workbench.imports import openai
from workbench.imports.bodies import is_message
from workbench.imports.conversation import Exchange, Instructed, Item, Kept, Returned, Said, Told, kept, strange_role
from workbench.models.wire.body import as_text
from workbench.models.wire.openai import decode

SHAPE = "a mini-swe-agent trajectory"
FORMAT = "mini-swe-agent"
SUBMITTED = "Submitted"
_BLOCKS = [re.compile(rf"```{word}[ \t]*\n(.*?)\n?```", re.DOTALL) for word in ("mswea_bash_command", "bash")]
"""The blocks that are run, the newer way first; where there is one of it, the older one is an example."""
_OWN_BLOCK = "```mswea_bash_command"
_SUBMITS = re.compile(r"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT")
BASH = ToolInfo(
    name="bash",
    description="Run a shell command.",
    schema=json.dumps({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}),
)
"""The one tool of that agent; commands are its only argument."""


def is_trajectory(value: Any) -> bool:
    """Whether a file holds such a trajectory: it says so, or its replies have that agent's own kind of block."""
    if isinstance(value, Mapping):
        named = value.get("trajectory_format")
        return isinstance(value.get("messages"), list) and (
            (isinstance(named, str) and named.startswith(FORMAT)) or _is_info(value.get("info"))
        )
    return isinstance(value, list) and any(
        is_message(message) and message["role"] == "assistant" and _OWN_BLOCK in as_text(message.get("content"))
        for message in value
    )


def _is_info(value: Any) -> bool:
    return isinstance(value, Mapping) and "exit_status" in value and "submission" in value


def read(value: Mapping[str, Any] | Sequence[Any]) -> Exchange:
    """The whole trajectory as one conversation."""
    whole: Mapping[str, Any] = value if isinstance(value, Mapping) else {"messages": value}
    given = whole.get("info")
    info: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    messages = list(whole["messages"])
    system, items = "", list[Item]()
    if any(is_message(message) and message.get("tool_calls") for message in messages):
        system, items = openai.read([_without_extra(message) for message in messages])
    else:
        if messages and is_message(messages[0]) and messages[0]["role"] == "system":
            system = as_text(messages[0].get("content"))
            messages = messages[1:]
        items = list(_items(messages))
    rest = {name: field for name, field in whole.items() if name != "messages"}
    return Exchange(
        shape=SHAPE,
        system=system,
        tools=(BASH,),
        model=_model(info, messages),
        items=tuple(_ended(items, info)),
        rest=rest or None,
    )


def _without_extra(message: Any) -> Any:
    return {name: field for name, field in message.items() if name != "extra"} if is_message(message) else message


def _model(info: Mapping[str, Any], messages: Sequence[Any]) -> str:
    config = info.get("config")
    model = config.get("model") if isinstance(config, Mapping) else None
    named = as_text(model.get("model_name")) if isinstance(model, Mapping) else ""
    replies = (_response(message) for message in messages if is_message(message))
    return named or next((name for response in replies if (name := as_text(response.get("model")))), "")


def _items(messages: Sequence[Any]) -> Iterator[Item]:
    asked = False
    acted = False
    for number, message in enumerate(messages, 1):
        role = message.get("role") if is_message(message) else None
        text = as_text(message.get("content")) if is_message(message) else ""
        if role == "assistant":
            said = _said(message, text)
            asked, acted = True, bool(said.reply.calls)
            yield said
        elif role == "user":
            # After a reply without exactly one command the agent says what was wrong with it.
            yield Returned("", BASH.name, text) if acted else Instructed(text, "correction") if asked else Told(text)
            asked = acted = False
        elif role == "exit":
            yield kept("the trajectory ends here, and says", message)
        else:
            yield strange_role(f"message {number}", role, message, ("system", "user", "assistant", "exit"))


def _said(message: Mapping[str, Any], text: str) -> Said:
    commands = next((found for block in _BLOCKS if (found := block.findall(text))), [])
    calls = (
        (RawCall(BASH.name, json.dumps({"command": commands[0].strip()}, ensure_ascii=False)),)
        if len(commands) == 1
        else ()
    )
    response = _response(message)
    return Said(
        Reply(
            text=text,
            calls=calls,
            thinking=as_text(message.get("reasoning_content")),
            # Without a call the reply was taken for no answer, so it is none here.
            finish="tool_calls",
            usage=decode.usage(response.get("usage")),
            model=as_text(response.get("model")),
            notes=() if len(commands) == 1 else (f"{len(commands)} commands where the agent takes one",),
        )
    )


def _response(message: Mapping[str, Any]) -> Mapping[str, Any]:
    extra = message.get("extra")
    response = extra.get("response") if isinstance(extra, Mapping) else None
    return response if isinstance(response, Mapping) else {}


def _ended(items: Sequence[Item], info: Mapping[str, Any]) -> list[Item]:
    """The items with the end as the trajectory tells it: what was submitted is the answer of the last reply."""
    status = as_text(info.get("exit_status"))
    last = max((at for at, item in enumerate(items) if isinstance(item, Said)), default=-1)
    if last < 0:
        return list(items)
    after = [item for item in items[last + 1 :] if not isinstance(item, Kept)]
    reply = items[last]
    assert isinstance(reply, Said)
    said = " ".join(call.arguments for call in reply.reply.calls)
    submits = _SUBMITS.search(said) is not None and (status == SUBMITTED or (not status and len(after) == 1))
    if submits:
        text = info.get("submission") if isinstance(info.get("submission"), str) else None
        answer = text if text is not None else after[0].text if after and isinstance(after[0], Returned) else ""
        rest = [
            item if isinstance(item, Kept) else kept("this came after the submission", item.text)
            for item in items[last + 1 :]
            if isinstance(item, Kept) or (not isinstance(item, Said) and item.text != answer)
        ]
        return [*items[:last], replace(reply, submitted=answer), *rest]
    submission = as_text(info.get("submission"))
    ended = [Kept(f"the trajectory says how the run ended: {status}", submission)] if status else []
    return [*items, *ended]
