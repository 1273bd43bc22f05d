"""How a simulated model slips, as a scenario says it."""

from __future__ import annotations

from workbench.models.simulated import Noise
from workbench.scenarios.fields import Chance, Table


class NoiseTable(Table):
    """How likely each slip of a simulated model is in a step, from 0 to 1; one step has one at most.

    After the first three and not_stopping the same reply is due again. Captures stay what they were; ${resultN} and
    ${last} are of what came meanwhile, too.
    """

    unknown_tool: Chance = 0.0
    """The call is of a tool that is not there."""
    malformed: Chance = 0.0
    """The JSON of the call is not closed."""
    repeat: Chance = 0.0
    """What it said before is said again, in place of the next call."""
    wrong_value: Chance = 0.0
    """A digit among the arguments of the call is another one."""
    not_stopping: Chance = 0.0
    """What it said before is said again, in place of the answer."""
    wrong_sum: Chance = 0.0
    """A digit of the answer is another one."""

    def noise(self) -> Noise:
        """The same, for the model."""
        return Noise(**self.model_dump())
