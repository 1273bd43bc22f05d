"""A person's own keys, checked against the registry: Textual's keymap takes whatever it gets, and unbinds silently."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from workbench.tui.actions import ACTIONS, BY_NAME, TOGETHER, Action, Keymap, key_words, keys_of

_NAMED = {key.value for key in Keys if key.value.replace("+", "").replace("_", "").replace("@", "").isalnum()}


def read_keymap(table: Mapping[str, object], lines: Mapping[str, int], file: str) -> tuple[dict[str, str], list[str]]:
    """The keymap in a table of action names to keys, and a sentence for each line that cannot be used.

    `lines` gives the line of each key in the file; a key that is not in it is reported without one. What cannot be
    used is left out: there the keys of the registry stay in force.
    """
    keymap: dict[str, str] = {}
    problems: list[str] = []

    def where(name: str) -> str:
        return f"{file}, line {lines[name]}" if name in lines else file

    for name, value in table.items():
        keys, problem = _read(name, value)
        if problem:
            problems.append(f"{where(name)}: keys.{name}: {problem}")
        else:
            keymap[name] = ",".join(keys)
    while clash := next(iter(clashes(keymap, only=keymap)), None):
        place, key, action, other = clash
        problems.append(
            f'{where(action)}: keys.{action}: "{key_words(key)}" is taken in {place} by {other}; '
            f"choose another key, or give {other} one too"
        )
        del keymap[action]
    return keymap, problems


def clashes(keymap: Keymap | None = None, *, only: Keymap | None = None) -> list[tuple[str, str, str, str]]:
    """(place, key, action, other action) for every key claimed twice where both would work; the first is in `only`."""
    found = []
    for place, wheres in TOGETHER:
        here = [action for action in ACTIONS if action.where in wheres]
        for action in here:
            if only is not None and action.name not in only:
                continue
            for key in keys_of(action, keymap):
                others = [each.name for each in here if each is not action and key in keys_of(each, keymap)]
                found += [(place, key, action.name, other) for other in others]
    return found


def _read(name: str, value: object) -> tuple[list[str], str]:
    action = BY_NAME.get(name)
    if action is None:
        near = get_close_matches(name, BY_NAME, 1)
        return [], f"there is no action of that name{f'; did you mean {near[0]}?' if near else ''}"
    if not isinstance(value, str) or not value.strip():
        return [], f'{value!r} is no key; write one as text, for example "{action.keys}"'
    keys = []
    for part in [value] if value == "," else value.split(","):
        key, problem = _key(part.strip(), action)
        if problem:
            return [], problem
        keys.append(key)
    return keys, ""


def _key(text: str, action: Action) -> tuple[str, str]:
    """The name Textual has for a key, or why it cannot be used."""
    *modifiers, last = text.split("+") if text != "+" else ["+"]
    if "shift" in modifiers and len(last) == 1:
        return "", f'"{text}" does not arrive; write "{last.upper()}"'
    key = _character_name(text) if len(text) == 1 else text
    printable = len(text) == 1 or key_to_character(key) is not None
    if not printable and key not in _NAMED:
        near = get_close_matches(text, _NAMED, 1)
        return "", f'"{text}" is no key that can be bound{f"; did you mean {near[0]}?" if near else ""}'
    if action.priority and (printable or key == "space"):
        return "", f'"{text}" types text, and {action.name} works everywhere, so it would no longer type; use ctrl+…'
    return key, ""


def _character_name(character: str) -> str:
    if character.isalnum():
        return character
    name = unicodedata.name(character, character).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)
