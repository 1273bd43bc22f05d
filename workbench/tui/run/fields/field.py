"""What is open in the bar: what all of it has in common. Each kind says what its keys and its text come to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events

from workbench.tui.run.parts import Part
from workbench.tui.situation import Phase
from workbench.view.entries import Line, Role

if TYPE_CHECKING:
    from workbench.tui.run.bar import BarPane


class Field(Part):
    """Something open in the bar."""

    role: ClassVar[Role] = "primary"
    """The colour of the line above it."""
    phase: ClassVar[Phase]
    submit: ClassVar[str] = "send"
    """What sending does, for the key line."""
    covers: ClassVar[bool] = True
    """Whether it takes the place of the transcript where there are few rows."""
    aside: ClassVar[bool] = False
    """Whether it may stand in the way of a question, and says so."""
    decides: ClassVar[bool] = False
    """Whether a key decides something in it, so that it must have been seen."""

    def title(self) -> Line:
        """Its title; a quiet end of it has a row of its own where there is no room."""
        raise NotImplementedError

    def draw(self, pane: BarPane) -> None:
        """Draw it, as it is when it is opened."""
        raise NotImplementedError

    def text(self) -> str:
        """The text to begin with, where there is one."""
        return ""

    def changed(self, text: str) -> None:
        """Another text stands in it."""

    def judged(self, text: str) -> Sequence[Line]:  # noqa: ARG002
        """What is said below a text that stands in it."""
        return ()

    def sent(self, text: str) -> None:
        """A person sends the text."""

    def does(self, what: str) -> None:
        """A key was pressed that its widget has a binding for, and leaves to it."""

    def key(self, event: events.Key) -> bool:  # noqa: ARG002
        """A key was pressed while it is open. Returns whether that is all it does."""
        return False

    def closed(self) -> None:
        """A person closes it, and sends nothing."""


class TextField(Field):
    """Text over several lines."""

    phase: ClassVar[Phase] = "typing"
    enter_sends: ClassVar[bool] = False
    original = ""
    """The text it began with."""

    @property
    def numbered(self) -> bool:
        """Whether the lines have numbers."""
        return False

    def draft(self) -> str:
        """What was typed in place of the text and not sent; "" where nothing was."""
        return ""

    def draw(self, pane: BarPane) -> None:
        self.original = self.text()
        pane.show_area(self, self.original, self.draft())

    def does(self, what: str) -> None:
        if what == "reset" and not self.bar.area.restore():
            self.say("it is as it was")
        elif what == "insert":
            self.can("insert")

    def refuse(self, problem: str, text: str) -> None:
        """Say why the text cannot be sent; where it is no JSON and should be, put the caret there."""
        self.say(problem)
        try:
            json.loads(text or "0")
        except json.JSONDecodeError as error:
            self.bar.area.move_cursor((error.lineno - 1, error.colno - 1))
        except (ValueError, RecursionError):
            pass


class LineField(Field):
    """One line of text."""

    phase: ClassVar[Phase] = "field"
    covers = False
    hint: ClassVar[str] = ""
    """What stands there while there is no text."""

    def draw(self, pane: BarPane) -> None:
        pane.show_line(self, pane.line)


class ListField(Field):
    """A list to choose from by key."""

    phase: ClassVar[Phase] = "list"

    def lines(self) -> list[Line]:
        raise NotImplementedError

    def draw(self, pane: BarPane) -> None:
        pane.show_list(self, self.lines())


def digit(event: events.Key) -> int | None:
    """The place in a list, from 0, that a digit names; None for any other key, -1 for a 0."""
    return int(event.character) - 1 if event.character is not None and event.character.isdecimal() else None
