"""The fault matrix: ten steps against forty faults, as the command makes it, and what a run in it costs.

    PYTHONPATH=. python tests/bench/bench_matrix.py [--rounds 3]

The command is started as a person starts it, with one process for the runs and with two. Beside each time on the wall
stands the CPU time of all its processes, which other work on the machine disturbs less. The same 400 cells must
give the same bytes every time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

STEPS = 10
FAULTS = 40


def scenario_text(steps: int = STEPS) -> str:
    """A run of so many steps: look-ups and sums whose arguments come from what was read, then an answer."""
    script = ['ACTION: lookup_population {"city": "Paris"}']
    script += [f'ACTION: add {{"a": ${{result{step}}}, "b": {step}}}' for step in range(1, steps - 1)]
    replies = "\n".join(f"[[model.reply]]\ntext = '{text}'\n" for text in [*script, "ANSWER: ${last}"])
    head = 'title = "Ten steps"\ngoal = "Go on adding."\ntools = ["add", "lookup_population"]\n'
    return f"{head}\n[limits]\nsteps = {steps + 2}\n\n{replies}"


def fault_names(count: int) -> list[str]:
    """The first faults of the catalogue that strike calls, and then the others."""
    from workbench.faults.catalogue import shipped

    return list(shipped())[:count]


def measured(scenario: Path, jobs: int) -> tuple[float, float, str]:
    """Seconds on the wall, CPU seconds, and a digest of what was printed."""
    command = [sys.executable, "-m", "workbench", "matrix", str(scenario), "--json", "--jobs", str(jobs)]
    command += ["--faults", ",".join(fault_names(FAULTS))]
    before, began = os.times(), perf_counter()
    done = subprocess.run(command, capture_output=True, check=True)
    wall, after = perf_counter() - began, os.times()
    cpu = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return wall, cpu, hashlib.sha256(done.stdout).hexdigest()[:12]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=3)
    rounds: int = options.parse_args().rounds
    digests = set()
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "ten.toml"
        scenario.write_text(scenario_text())
        print(f"{STEPS} steps x {FAULTS} faults{'wall':>14}{'CPU':>10}{'CPU a cell':>14}")
        for jobs in (1, 2):
            figures = [measured(scenario, jobs) for _ in range(rounds)]
            digests |= {digest for _, _, digest in figures}
            wall = statistics.median(wall for wall, _, _ in figures)
            cpu = statistics.median(cpu for _, cpu, _ in figures)
            per_cell = cpu / (STEPS * FAULTS) * 1000
            print(f"{jobs} process{'es' if jobs > 1 else '  '}{wall:>22.2f} s{cpu:>8.2f} s{per_cell:>11.2f} ms")
    assert len(digests) == 1, f"not the same bytes: {digests}"


if __name__ == "__main__":
    main()
