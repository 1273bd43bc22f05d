"""How tools are listed for a model that is told of them in words."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.values import ToolInfo


def list_tools(tools: Iterable[ToolInfo]) -> str:
    """Name, description and argument schema of each tool, in the order given."""
    return "\n".join(_entry(tool) for tool in tools) or "(none)"


def _entry(tool: ToolInfo) -> str:
    about = tool.description.strip().replace("\n", "\n  ")
    return f"- {tool.name}: {about}\n  arguments (JSON Schema): {tool.schema}"
