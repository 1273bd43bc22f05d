"""The one exception whose text a model reads."""

from __future__ import annotations


class ToolError(Exception):
    """A failure that the model can act on.

    `message` is written for the model: what was wrong, and what is valid. `retry` says whether trying again, perhaps
    with other arguments, can help. Any other exception of a tool is a defect: it ends the run, and the model never
    reads its text.
    """

    def __init__(self, message: str, *, retry: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.retry = retry
