"""Random examples are the same every time, so that a red test is about what was changed; WORKBENCH_DEEP=1 seeks new ones.

None of them has a deadline: how long one takes is up to whoever else uses the machine.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("workbench", derandomize=not os.environ.get("WORKBENCH_DEEP"), deadline=None)
settings.load_profile("workbench")
