"""Server-sent events as bytes."""

from __future__ import annotations

from typing import Any

from workbench.models.wire.body import to_json


def event(data: dict[str, Any] | str, name: str = "") -> bytes:
    """One event, with its name where it has one."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + (data.encode() if isinstance(data, str) else to_json(data)) + b"\n\n"
