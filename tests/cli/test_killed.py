"""Kill -9 at any moment: nothing is done twice, nothing that was done is lost, and a run goes on as if nothing had been.

Eight runs each time, 200 with WORKBENCH_DEEP=1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import REPOSITORY, environment
from tests.core.runs import DEEP

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def test_killed_at_any_moment_nothing_is_done_twice_and_nothing_is_lost(tmp_path: Path) -> None:
    folder, count = tmp_path / "home", 200 if DEEP else 8
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "tests" / "cli" / "killed.py"), str(folder), str(count), "1"],
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["problems"] == []
    assert report["killed"] == count
    assert report["stood"]["answered"] > 0
