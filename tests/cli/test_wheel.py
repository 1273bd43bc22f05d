"""What is installed from a wheel: the package, and with it scripts, tools, themes and sessions."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import REPOSITORY

pytestmark = pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="hatchling builds the wheel")

KINDS = ("scripts", "tools", "themes", "sessions")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the content of the wheel, as `pip install` would lay it out."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", str(REPOSITORY), "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "-q", "-w", str(folder)], check=True, capture_output=True, timeout=60)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def _python(installed: Path, folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed), "XDG_DATA_HOME": str(folder / "user")}
    environment.pop("WORKBENCH_HOME", None)
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return result.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_wheel_holds_every_shipped_file(installed: Path, kind: str) -> None:
    wanted = {path.name: path.read_bytes() for path in (REPOSITORY / kind).iterdir() if path.is_file()}
    found = {path.name: path.read_bytes() for path in (installed / "workbench" / "shipped" / kind).iterdir()}
    assert found == wanted


def test_an_installed_workbench_finds_what_came_with_it(installed: Path, tmp_path: Path) -> None:
    program = "from workbench.home import packaged_folder; print(packaged_folder())"
    assert _python(installed, tmp_path, "-c", program).strip() == str(installed / "workbench" / "shipped")


def test_an_installed_workbench_runs_a_packaged_scenario_and_leaves_the_package_alone(
    installed: Path, tmp_path: Path
) -> None:
    shipped = installed / "workbench" / "shipped"
    before = sorted(shipped.rglob("*"))
    for _ in range(2):
        assert "answer: 11800000" in _python(installed, tmp_path, "-m", "workbench", "run", "two-cities")
    assert sorted(shipped.rglob("*")) == before
    kept = tmp_path / "user" / "workbench" / "sessions"
    assert sys.platform != "linux" or len(list(kept.glob("*.toml"))) == 2
