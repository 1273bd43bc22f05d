"""What came of a call whose tool was not waited for to the end."""

from __future__ import annotations

from workbench.core.ports import ToolOutcome
from workbench.core.values import ToolInfo


def given_up(tool: str, info: ToolInfo | None, seconds: float) -> ToolOutcome:
    """A call that did not finish in time. Whether one that acts has acted by then, nobody knows."""
    harmless = info is not None and (info.idempotent or info.risk == "read")
    advice = (
        "Trying again may help."
        if harmless
        else "Whether it acted is not known, so do not call it again before you have checked."
    )
    content = f"{tool} did not finish within {seconds:g} s and was given up. {advice}"
    return ToolOutcome(outcome="failed" if harmless else "unknown", content=content, retry=harmless)
