"""What an author of tools can declare, and what is refused at once."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from workbench.toolkit.api import SPEC, ToolError, ToolSpec, tool


def spec_of(**options: Any) -> ToolSpec:
    @tool(**options)
    def sample() -> None:
        """Sample."""

    spec: ToolSpec = getattr(sample, SPEC)
    return spec


def test_bare_and_with_options() -> None:
    @tool
    def sample() -> str:
        """Sample."""
        return "x"

    assert sample() == "x"
    assert getattr(sample, SPEC) == ToolSpec(name="sample")
    spec = spec_of(
        name="files.read-all", risk="outward", polling=True, dedupe=False, timeout=None, consequence="Sends."
    )
    assert spec == ToolSpec(
        name="files.read-all", risk="outward", polling=True, dedupe=False, timeout=None, consequence="Sends."
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"risk": "harmless"}, "risk is 'harmless'; it is one of read, write, outward, undeclared"),
        ({"trust": "maybe"}, "trust is 'maybe'; it is one of trusted, untrusted"),
        ({"timeout": 0}, "timeout is 0; it is a number of seconds greater than 0, or None"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"max_chars": 0}, "max_chars and max_lines are at least 1"),
        ({"max_lines": -1}, "max_chars and max_lines are at least 1"),
        ({"name": "two words"}, "name is 'two words'"),
        ({"name": "x" * 65}, "name is "),
    ],
)
def test_a_value_that_is_none_is_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        spec_of(**options)


def test_what_cannot_work_is_refused() -> None:
    async def preview() -> str:
        return ""

    with pytest.raises(ValueError, match="preview is async"):
        spec_of(preview=preview)
    with pytest.raises(ValueError, match="inline is for plain functions"):

        @tool(inline=True)
        async def sample() -> None:
            """Sample."""


def test_a_tool_error_carries_its_text_and_advice() -> None:
    error = ToolError("Unknown city.", retry=False)
    assert (str(error), error.message, error.retry) == ("Unknown city.", "Unknown city.", False)
    assert ToolError("x").retry


def test_importing_the_surface_is_light_and_has_no_side_effects() -> None:
    code = (
        "import sys, workbench.toolkit.api\n"
        "heavy = {'pydantic', 'annotated_types', 'textual', 'httpx', 'asyncio'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
