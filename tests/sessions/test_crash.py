"""A process that is killed while it writes."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions.samples import HEADER, write
from workbench.core.events import ToolResult
from workbench.sessions.journal import open_session, read_session

WRITE = """
import sys
from pathlib import Path
from workbench.core.events import ToolResult
from workbench.sessions.journal import open_session
_, journal = open_session(Path(sys.argv[1]), durable=False)
n = journal.last
while True:
    n += 1
    journal.append(ToolResult(call=f"c{n}", content=f"line {n}\\n[[event]]\\n" * (n % 300)), sync=False)
    sys.stdout.write(f"{n}\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_writer_loses_nothing_it_has_reported(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "a.toml"
    write(path, [])
    reported = 0
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(random.Random(seed).randrange(1, 400)):
                reported = int(process.stdout.readline())
            process.kill()
            reported = max([reported, *map(int, process.stdout.read().splitlines(keepends=False)[:-1])])
        session, journal = open_session(path, durable=False)
        with journal:
            assert len(session.events) >= reported
            assert session.events == [
                ToolResult(call=f"c{n}", content=f"line {n}\n[[event]]\n" * (n % 300))
                for n in range(1, len(session.events) + 1)
            ]
        assert read_session(path).header == HEADER
