"""Healthy or circling, read from what a run did and never from what was said in it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.state import State


@dataclass(frozen=True, slots=True)
class Health:
    """Two counters and the word they make; both fire well before a step cap does."""

    circling: bool
    same_call: int
    """How many times the latest call has come with the same arguments and result."""
    since_success: int
    """Results and unreadable replies since a tool call last succeeded."""
    errors: int
    unanswered: bool = False
    """Whether the latest request brought no reply."""

    @property
    def word(self) -> str:
        return "circling?" if self.circling else "steady"

    @property
    def because(self) -> str:
        """The counter behind the word, in words; "" when there is nothing to say."""
        if self.same_call >= 2:
            return "same call twice" if self.same_call == 2 else f"same call {self.same_call} times"
        if self.since_success >= 3:
            return f"{self.since_success} in a row without success"
        if self.errors:
            return f"{self.errors} error{'s' if self.errors != 1 else ''}" + (
                "" if self.since_success or self.unanswered else ", recovered"
            )
        return ""


def health(state: State) -> Health:
    """The health of a run at this point."""
    return Health(
        circling=state.repeat >= 2 or state.steps_since_success >= 3,
        same_call=state.repeat,
        since_success=state.steps_since_success,
        errors=state.errors,
        unanswered=state.failure != "",
    )
