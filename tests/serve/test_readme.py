"""The lines that the README gives to whoever has an agent do what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.serve.stage import Play, says

README = Path(__file__).parents[2] / "README.md"
LINES = re.findall(r"^((openai|anthropic|ollama)\..+)$", README.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("line", "package"), LINES, ids=[package for _, package in LINES])
def test_a_line_of_the_readme_works(
    play: Callable[..., Play], clients: dict[str, Any], line: str, package: str
) -> None:
    play(says('text = "Hello."'))
    call = re.sub(rf"^{package}\.\w+\(.*?\)\.", "client.", line)
    assert call != line
    messages = [{"role": "user", "content": "Hello?"}]
    reply = eval(call, {"client": clients[package], "messages": messages})
    assert "Hello." in repr(reply)
    constructor = re.match(rf"{package}\.(\w+)\((.*?)\)\.", line)
    assert constructor is not None
    assert hasattr(import_module(package), constructor[1])


def test_there_is_one_for_each_vendor() -> None:
    assert [package for _, package in LINES] == ["openai", "anthropic", "ollama"]
