"""What the runtime says to the model by itself."""

from __future__ import annotations

from workbench.core.events import Notice
from workbench.core.records import CallRecord


def goal_not_met() -> Notice:
    """To an answer that does not end the run."""
    text = "That does not end the run: its goal check does not hold yet. Go on."
    return Notice(topic="correction", text=text)


def nudge(tool: str, times: int) -> Notice:
    """To a model that makes the same call again and again."""
    text = (
        f"This was call number {times} of {tool} with the same arguments, and nothing new came of it. "
        "Change the arguments, use another tool, or stop and say what you know so far."
    )
    return Notice(topic="repeat", text=text)


def edited(record: CallRecord) -> Notice:
    """After a call that ran with other arguments than the model wrote."""
    text = (
        f"A person changed the arguments of your call of {record.call.tool}: it ran with {record.arguments}, "
        f"not with {record.call.arguments.strip()}."
    )
    return Notice(topic="edited", text=text, call=record.call.id)
