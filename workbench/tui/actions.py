"""What is made of the registry: labels, bindings, the palette, the help. Whatever names a key asks here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from textual.binding import Binding, BindingType

from workbench.tui.action import Action, Keymap, Where
from workbench.tui.key_lines import KEY_LINES
from workbench.tui.registry import ACTIONS, BY_NAME, TOGETHER
from workbench.tui.situation import ScreenName, Situation
from workbench.view.entries import Line

__all__ = [
    "ACTIONS",
    "BY_NAME",
    "KEY_LINES",
    "TOGETHER",
    "Action",
    "Keymap",
    "Where",
    "bindings",
    "help_sections",
    "key_words",
    "keyed",
    "keys_of",
    "label",
    "line_actions",
    "palette_actions",
    "reason_not",
    "shown_key",
    "with_keys",
]


def label(action: Action, situation: Situation, *, short: bool = False) -> str:
    """The words for the key line."""
    for words in (action.short if short else "", action.label):
        said = words if isinstance(words, str) else words(situation)
        if said:
            return said
    return action.title


def keys_of(action: Action, keymap: Keymap | None = None) -> list[str]:
    """The keys in force, the first one being the one that is shown."""
    return ((keymap or {}).get(action.name) or action.keys).split(",")


_NAMED = re.compile(r"\{(\w+)\}")
_KEY_WORDS = {"escape": "esc", "pageup": "pgup", "pagedown": "pgdn"}
_KEY_WORDS |= {"up": "↑", "down": "↓", "left": "←", "right": "→", "question_mark": "?", "colon": ":", "comma": ","}
_KEY_WORDS |= {"slash": "/", "plus": "+", "minus": "-", "equals_sign": "="}


def key_words(key: str) -> str:
    """A key as a person reads it: "?" for question_mark, "shift+←" for shift+left."""
    modifiers, plus, last = key.rpartition("+")
    return f"{modifiers}{plus}{_KEY_WORDS.get(last, last)}"


def reason_not(name: str, situation: Situation, keymap: Keymap | None = None) -> str:
    """Why an action cannot act now, as one line for a person; "" when it can."""
    return with_keys(BY_NAME[name].unless(situation), keymap)


def with_keys(words: str, keymap: Keymap | None = None, *, typing: bool = False) -> str:
    """Words of ours in which the name of an action, in braces, stands for its key: "{close} goes back".

    `typing`: to be read while letters are text, so the key is one that types nothing, where there is one.
    """
    named = {name: shown_key(BY_NAME[name], keymap, typing=typing) for name in _NAMED.findall(words)}
    return _NAMED.sub(lambda found: named[found[1]], words)


def shown_key(action: Action, keymap: Keymap | None = None, *, typing: bool = False) -> str:
    """The key of the action as a person reads it; while somebody types, one that types nothing, if there is one."""
    keys = list(map(key_words, keys_of(action, keymap)))
    return next((key for key in keys if typing and len(key) > 1), keys[0])


def keyed(lines: Iterable[Line], keymap: Keymap) -> list[Line]:
    """The lines with the keys in force where they name one."""
    if not keymap:
        return list(lines)
    return [
        tuple(replace(span, text=shown_key(BY_NAME[span.key], keymap)) if span.key else span for span in line)
        for line in lines
    ]


def line_actions(situation: Situation) -> list[Action]:
    """The actions on the key line now: those of the situation that can act."""
    names = KEY_LINES.get((situation.screen, situation.phase), ())
    if situation.phase == "approval" and situation.calls_waiting > 1:
        names = tuple("next_pane" if name == "view" else name for name in names if name != "close")
    if situation.screen == "home" and situation.opens:
        names = ("compare", *[name for name in names if name != "compare"])
    left_out = {"raise_cap"} if not situation.raise_to else set()
    if not situation.scripted and situation.stand_in != "acting":
        left_out.add("as_scripted")  # it can be pressed, and does nothing yet
    names = tuple(name for name in names if name not in left_out)
    return [action for name in names if not (action := BY_NAME[name]).unless(situation)]


def bindings(*where: Where) -> list[BindingType]:
    """Textual bindings for those places. Their ids are the action names, for `App.set_keymap`."""
    return [
        Binding(each.keys, each.name, each.title, show=False, priority=each.priority, id=each.name)
        for each in ACTIONS
        if each.where in where
    ]


def palette_actions(situation: Situation) -> list[Action]:
    """What the palette offers: the actions of this screen that can act now. `title` and `help` are our own text."""
    owns: dict[ScreenName, tuple[Where, ...]] = {
        "home": ("home",),
        "run": ("run", "transcript"),
        "editor": ("editor", "script"),
        "matrix": ("matrix",),
        "compare": ("compare",),
    }
    own = owns[situation.screen]
    return [each for each in ACTIONS if each.where in ("app", "screen", *own) and not each.unless(situation)]


def help_sections(keymap: Keymap | None = None) -> dict[str, list[tuple[str, str]]]:
    """Heading to (keys, sentence) for the help, in the order of the registry."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in ACTIONS:
        keys = " ".join(key_words(key) for key in keys_of(each, keymap))
        sections.setdefault(each.group, []).append((keys, each.help))
    return sections
