"""The keys in the README are those of the registry: made anew with WORKBENCH_REGENERATE=1."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.tui.actions import help_sections

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- keys: begin -->\n", "<!-- keys: end -->"


def table() -> str:
    lines = ["<details><summary>All keys</summary>", ""]
    for group, rows in help_sections().items():
        lines += [f"**{group}**", "", "| keys | what they do |", "|---|---|"]
        lines += [f"| `{keys}` | {sentence} |" for keys, sentence in rows]
        lines.append("")
    return "\n".join([*lines, "</details>", ""])


def test_the_keys_in_the_readme_are_those_of_the_registry() -> None:
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    written, after = rest.split(END)
    if os.environ.get("WORKBENCH_REGENERATE"):
        README.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")
        written = table()
    assert written == table()
