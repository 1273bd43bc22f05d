"""What a running tool can reach without being handed it: the files of its call, and the key of its call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from workbench.toolkit.errors import ToolError
from workbench.toolkit.workspace import Draft, Workspace

current: ContextVar[tuple[Draft | None, str] | None] = ContextVar("workbench_call", default=None)
"""The files and the key of the call that runs in this context; None outside a call."""


def workspace() -> Draft:
    """The files this call may use. Works in the tool's function, async or not, and in its preview.

    Raises ToolError in a run without a workspace, and RuntimeError outside a call.
    """
    draft, _ = _call()
    if draft is None:
        raise ToolError("This run has no workspace, so there are no files to use.", retry=False)
    return draft


def idempotency_key() -> str:
    """The same text whenever the same call is made in this run or its branches: to pass on to a service that knows
    such keys. "" for a tool that is not asked about. Raises RuntimeError outside a call."""
    return _call()[1]


@contextmanager
def use_workspace(folder: Path) -> Iterator[Draft]:
    """For tests of a tool: within the block its function can be called directly, with `folder` as its workspace.

    What was written lands in the folder when the block ends without an error.
    """
    files = Workspace(folder)
    draft = Draft(files)
    token = current.set((draft, ""))
    try:
        yield draft
        files.apply(draft.effects)
    finally:
        current.reset(token)
        draft.close()


def _call() -> tuple[Draft | None, str]:
    call = current.get()
    if call is None:
        raise RuntimeError("no tool is running here; in a test, call it within `with use_workspace(folder):`")
    return call
