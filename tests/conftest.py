"""Random examples are the same every time, so that a red test is about what was changed; WORKBENCH_DEEP=1 seeks new ones."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True)
if not os.environ.get("WORKBENCH_DEEP"):
    settings.load_profile("same")
