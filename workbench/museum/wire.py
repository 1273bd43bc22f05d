"""What a strict chat endpoint says of a list of messages, and the messages as lines. Offline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.models.wire.openai.validate import messages_problem as problem

__all__ = ["listing", "problem"]

_SHOWN = 500


def listing(messages: Sequence[Mapping[str, Any]]) -> str:
    """The messages of a request as lines, for whoever wants to see what was sent."""
    lines = []
    for index, message in enumerate(messages):
        text = json.dumps(dict(message), ensure_ascii=False, default=str)
        lines.append(f"messages[{index}] {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'}")
    return "\n".join(lines)
