"""The loops that a scenario can name, and the protocol that each of them reads."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.values import ProtocolName

ENGINE = "engine"

MUSEUM: Mapping[str, ProtocolName] = {
    "v1": "text",
    "v2": "text",
    "v3": "text",
    "find-the-bugs": "json",
    "dropped-message": "native",
    "some-calls-answered": "native",
    "arguments-as-object": "native",
    "arguments-sent-back": "native",
    "text-as-success": "native",
    "catch-all": "native",
    "silent-truncation": "text",
    "path-prefix": "text",
    "retry-the-run": "text",
    "no-cap": "text",
}
"""The wrong loops, in the order in which they are shown. Each is written for one protocol and reads no other."""
