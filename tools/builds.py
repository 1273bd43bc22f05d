"""A build that takes its time: the same question again and again, until the answer changes."""

from __future__ import annotations

import re

from workbench.toolkit.api import ToolError, tool, workspace

CHECKS = "builds.txt"
"""One line for each time a build was asked about: that is what its state follows from."""
PENDING_CHECKS = 4
_NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")


@tool(risk="read", source="builds", polling=True)
def check_build(build: str) -> dict[str, str]:
    """Whether a build is done: "pending" or "done". Call this again while it is pending.

    build: the name of the build, for example "web-17".
    """
    if not _NAME.fullmatch(build):
        raise ToolError(f'"{build}" is not the name of a build. It looks like "web-17".')
    files = workspace()
    checks = files.read(CHECKS).splitlines() if files.exists(CHECKS) else []
    files.append(CHECKS, f"{build}\n")
    return {"build": build, "status": "pending" if checks.count(build) < PENDING_CHECKS else "done"}
