"""The context policy of a scenario, as a table."""

from __future__ import annotations

from workbench.core.values import PolicyName
from workbench.scenarios.fields import Count, Table


class ContextTable(Table):
    """What is done so that a long run fits into a request. A step is a reply with all that came of it."""

    policy: PolicyName = "none"
    """window leaves older steps out, fold shortens their results, summarise asks the model to sum them up, restate only
    says the task again. What the user said is always sent."""
    keep: Count = 4
    """Steps: so many of the latest are sent as they are. With window, fold and summarise."""
    at: Count | None = None
    """Tokens, estimated, of the next request: above that older steps are changed; absent: as soon as there are any."""
    chars: Count = 200
    """With fold: characters of a result that are left. The tool recall gives all of it again."""
    every: Count | None = None
    """Steps after which the task is said again, with any policy but none; absent: never, with restate after each."""
