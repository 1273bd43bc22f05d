"""The house stands: storeys import downwards only, proved on the text of the code and in fresh interpreters."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import workbench

ROOT = Path(__file__).parents[2]
CONTRACTS = Path(__file__).with_name("importlinter.ini")

HEAVY = {"textual", "rich", "httpx", "pygments", "markdown_it"}
"""What a run without a screen and without a network has no use for."""

PYDANTIC = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
NEEDS: dict[str, set[str]] = {
    "core": set(),
    "faults": set(),
    "sessions": {"tomli_w"},
    "scenarios": {"tomli_w", *PYDANTIC},
}
"""What a package and all that is in it may load besides the standard library."""

THE_ENGINE = ["core", "faults", "models", "toolkit", "sessions", "recording", "performing", "runner", "alarm", "clocks"]

REPORT = """
import importlib, json, sys
before = set(sys.modules)
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps(sorted({module.partition(".")[0] for module in set(sys.modules) - before})))
"""


def python(code: str, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own, in that folder, which is also its home."""
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "-c", code, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(cwd), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def loaded(names: list[str], folder: Path) -> set[str]:
    """The packages, other than ours and those of the standard library, that importing these modules loads."""
    result = python(REPORT, *names, cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    found = set(json.loads(result.stdout)) - {"workbench"} - sys.stdlib_module_names
    return {name for name in found if not name.startswith("_sysconfigdata")}  # named after the machine it is for


def modules(package: str) -> list[str]:
    """The package and everything in it, at any depth."""
    prefix = f"workbench.{package}"
    path = ROOT / "workbench" / package
    below = [item.name for item in pkgutil.walk_packages([str(path)], f"{prefix}.")] if path.is_dir() else []
    return [prefix, *below]


def test_the_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", str(CONTRACTS)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("package", NEEDS)
def test_a_package_loads_what_it_needs_and_nothing_else(package: str, tmp_path: Path) -> None:
    assert loaded(modules(package), tmp_path) <= NEEDS[package]


def test_the_engine_loads_without_screen_network_and_schemas(tmp_path: Path) -> None:
    assert loaded([f"workbench.{name}" for name in THE_ENGINE], tmp_path) == set()


@pytest.mark.parametrize("module", ["headless", "check", "cli", "view", "opening"])
def test_the_way_without_a_screen_loads_none(module: str, tmp_path: Path) -> None:
    assert not loaded([f"workbench.{module}"], tmp_path) & HEAVY


@pytest.mark.parametrize("module", ["tui.app", "cli.app"])
def test_nothing_but_the_screen_is_loaded_before_the_first_frame(module: str, tmp_path: Path) -> None:
    assert not loaded([f"workbench.{module}"], tmp_path) & {"httpx", "tomli_w", *PYDANTIC - {"typing_extensions"}}


RUN = """
import sys
from workbench.cli import main
code = main(["run", sys.argv[1]])
print(sorted({module.partition(".")[0] for module in sys.modules} & set(sys.argv[2:])), file=sys.stderr)
sys.exit(code)
"""


def test_a_run_without_a_screen_loads_none(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "two-cities.toml"
    result = python(RUN, str(script), *HEAVY, cwd=tmp_path, WORKBENCH_HOME=str(tmp_path))
    assert "answered" in result.stdout
    assert (result.returncode, result.stderr) == (0, "[]\n")


def test_importing_has_no_effect(tmp_path: Path) -> None:
    """Nothing printed, no file made, no thread begun, no warning, by any module there is."""
    names = [name for item in pkgutil.iter_modules(workbench.__path__) for name in modules(item.name)]
    names.remove("workbench.__main__")
    code = REPORT + "\nimport threading; assert threading.active_count() == 1, threading.enumerate()"
    result = python(code, *names, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert len(result.stdout.splitlines()) == 1
    assert list(tmp_path.rglob("*")) == []
