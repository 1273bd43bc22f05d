"""Choosing a model: those there are, each with what it lacks, and any other by its wire, its name and its address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from workbench.tui.choose import Choose
from workbench.tui.dialogs import Prompt
from workbench.tui.screens import shell_of

if TYPE_CHECKING:
    from workbench.scenarios.schema import Scenario

Chosen = Callable[[str, str], None]
"""Gets what was chosen, as `asking.asked_instead` takes it, and an address that was typed, "" for none."""
OTHER = ("another…", "WIRE:NAME, and its address where that is not the vendor's own; or a script, FILE.toml")
HINT = "openai:NAME, anthropic:NAME, ollama:NAME, then an address: http://127.0.0.1:8080/v1; or a script: FILE.toml"


def choose_model(app: App[Any], scenario: Scenario, then: Chosen) -> None:
    """Ask which model a run of the scenario is to ask; without a choice `then` is not called."""
    from workbench.asking import options
    from workbench.scenarios.errors import ScenarioError

    shell = shell_of(app)
    try:
        offered = options(scenario, shell.home)
    except ScenarioError as error:
        shell.report(*map(str, error.problems))
        return

    def typed(text: str | None) -> None:
        text = (text or "").strip()
        choice, _, address = (text, "", "") if text.endswith(".toml") else text.partition(" ")
        if choice:
            then(choice, address.strip())

    def chosen(index: int | None) -> None:
        if index is None:
            return
        if index < len(offered):
            then(offered[index].choice, "")
        else:
            app.push_screen(Prompt("Another model", hint=HINT, send="choose it"), typed)

    rows = [(option.choice, "; ".join(filter(None, (*option.missing, option.about)))) for option in offered]
    app.push_screen(Choose("Which model is asked from here on?", [*rows, OTHER]), chosen)
