"""The limits of size of the toolkit, each with what it protects."""

from __future__ import annotations

MAX_READ_BYTES = 5_000_000
"""Of a file that is read whole."""
MAX_WRITE_CHARS = 1_000_000
"""Of a file after a write: every write is kept in the journal."""
MAX_FILES = 10_000
"""That a walk through the workspace visits."""
MAX_VALUE_CHARS = 100_000
"""Of a structured result kept beside its text; a larger one is kept as its (cut) text alone."""
MAX_PREVIEW_CHARS = 1_000
"""Of a tool's sentence for the person who decides."""
MAX_DETAIL_CHARS = 20_000
"""Of a traceback kept for the operator: its end, where the cause stands."""
