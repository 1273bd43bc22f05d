"""Copying: the text that is selected on a screen, and what is said once it is copied."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.widgets import Input, TextArea


def take_selected(screen: Screen[Any]) -> str:
    """The selected text of the field in use or else of the screen, whose selection ends; "" where nothing is."""
    field = screen.focused
    if isinstance(field, Input) and field.selected_text:
        text = field.selected_text
        field.selection = type(field.selection).cursor(field.cursor_position)
    elif isinstance(field, TextArea) and field.selected_text:
        text = field.selected_text
        field.selection = type(field.selection).cursor(field.cursor_location)
    else:
        text = screen.get_selected_text() or ""
        screen.clear_selection()
    return text


def copied_words(text: str) -> str:
    """What is known after a copy: the terminal was asked to keep the text, and never says whether it did."""
    return f"{len(text):,} characters sent to the terminal's clipboard; some terminals do not take them"
