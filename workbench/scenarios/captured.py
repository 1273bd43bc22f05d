"""What is wrong with the templates in the texts of a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core import templates
from workbench.core.templates import Template, TemplateError
from workbench.scenarios.errors import Path, nearest


def template_problems(value: Any, captured: set[str], place: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with the templates in a text, or in arguments, where these names have been captured."""
    try:
        template = templates.compile_text(value) if isinstance(value, str) else templates.compile_json(value)
    except TemplateError as error:
        yield place, str(error)
    else:
        yield from _names(template, captured, place)


def _names(template: Template, captured: set[str], path: Path) -> Iterator[tuple[Path, str]]:
    for name in templates.names(template):
        if name in captured or templates.is_builtin(name):
            continue
        near = nearest(name, ("last", "total", "result1", *captured))
        hint = f"did you mean ${{{near}}}?" if near else "there are ${last}, ${total}, ${result1}, ${result2}, …"
        yield path, f"${{{name}}} stands for nothing, as no reply up to here captures it; {hint} A literal ${{ is $${{"
