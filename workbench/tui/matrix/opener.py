"""From a scenario to its fault matrix; called in a thread, for it reads and imports."""

from __future__ import annotations

from pathlib import Path

from workbench.home import Home
from workbench.lab.filling import Filling, chosen
from workbench.lab.trials import Subject, check_subject
from workbench.lab.workers import processors
from workbench.opening import Opened
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.loader import load_scenario
from workbench.tui.matrix.screen import MatrixScreen


def matrix_of(of: Path | Opened, home: Home) -> MatrixScreen:
    """The matrix of a scenario file, or of the scenario of a run from its start, against the whole catalogue.

    Raises ScenarioError, TrustNeeded and NoMatrix.
    """
    if isinstance(of, Path):
        subject = Subject(scenario=load_scenario(of), home=home, path=str(of))
    else:
        subject = Subject(scenario=of.scenario, home=home, path=of.run.header.scenario_path)
    check_subject(subject.scenario)
    return MatrixScreen(Filling(subject, chosen((), load_catalogue(home.faults).entries), jobs=processors()))
