"""What each storey may load, tried in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCREEN = ("textual", "rich", "pygments", "httpx")


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("workbench.core.loop", (*SCREEN, "pydantic", "tomli_w", "workbench.models", "workbench.toolkit")),
        ("workbench.models.scripted", (*SCREEN, "pydantic", "workbench.toolkit", "workbench.scenarios")),
        ("workbench.toolkit.execute", (*SCREEN, "pydantic", "workbench.models", "workbench.scenarios")),
        ("workbench.sessions.store", (*SCREEN, "workbench.runner", "workbench.tui")),
        ("workbench.runner", (*SCREEN, "pydantic", "workbench.view", "workbench.tui")),
        ("workbench.headless", (*SCREEN, "workbench.tui")),
        ("workbench.cli.runs", (*SCREEN, "workbench.tui")),
        ("workbench.lab.filling", (*SCREEN, "workbench.tui")),
        ("workbench.tui.app", ("pydantic", "httpx", "tomli_w", "workbench.scenarios.schema", "workbench.toolkit")),
        ("workbench.cli.app", ("pydantic", "httpx", "tomli_w", "workbench.scenarios.schema", "workbench.toolkit")),
    ],
)
def test_importing_a_storey_loads_nothing_above_it(module: str, forbidden: tuple[str, ...]) -> None:
    code = f"import {module}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & set(forbidden)
