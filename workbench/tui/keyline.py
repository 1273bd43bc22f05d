"""The key line: the keys that work now, as many as fit, with help last at the right. Every one can be clicked."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from workbench.tui.actions import BY_NAME, Action, Keymap, key_words, keys_of, label, line_actions
from workbench.tui.situation import Situation
from workbench.view.visible import visible

KEY = "bold $primary"
TYPING = ("edit", "typing", "writing", "field")
"""Phases in which letters are text."""
LONGEST = 32
"""Cells of a label: the name of a tool may be long."""

Item = tuple[tuple[str, ...], str]
"""Keys and label."""


class KeyLine(Widget):
    """The key line as a widget, for its own width."""

    DEFAULT_CSS = "KeyLine { height: auto; background: $surface; color: $foreground; }"
    situation: reactive[Situation] = reactive(Situation())

    def __init__(self, keymap: Keymap | None = None, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.auto_links = False  # the look of links would take the colour off the keys
        self._keymap = keymap

    def render(self) -> Content:
        return key_line(self.situation, self.size.width, self._keymap)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return rows(width)


def rows(width: int) -> int:
    """Rows of the key line at that many columns."""
    return 2 if width < 60 else 1


def key_line(situation: Situation, width: int, keymap: Keymap | None = None) -> Content:
    """The line for that many columns; below 60 it has two rows. Clicking a key is pressing it."""
    gap = 2 if width < 100 else 3
    help_item = _item(BY_NAME["help"], situation, keymap, short=False)
    items = [_item(action, situation, keymap, short=width < 100) for action in line_actions(situation)]
    lines: list[Content] = []
    for row in range(rows(width)):
        last = row == rows(width) - 1
        room = width - 2 - (_size(help_item) + gap if last else 0)
        line, used = Content(" "), 0
        while items and (before := gap if used else 0) + used + _size(items[0]) <= room:
            line += Content(" " * before) + _draw(items[0])
            used += before + _size(items.pop(0))
        if last:
            line += Content(" " * max(0, width - 2 - used - _size(help_item))) + _draw(help_item)
        lines.append(line)
    return Content("\n").join(lines)


def _shown_key(action: Action, situation: Situation, keymap: Keymap | None) -> str:
    """One key of the action: while somebody types, one that types nothing, where there is one."""
    keys = keys_of(action, keymap)
    if situation.phase not in TYPING:
        return keys[0]
    return next((key for key in keys if len(key_words(key)) > 1), keys[0])


def _item(action: Action, situation: Situation, keymap: Keymap | None, *, short: bool) -> Item:
    keys = [_shown_key(action, situation, keymap)]
    if action.pair:
        keys.append(_shown_key(BY_NAME[action.pair], situation, keymap))
    words = visible(label(action, situation, short=short)).replace("\n", " ")
    while cell_len(words) > LONGEST:
        words = f"{words[:-2]}…"
    return tuple(keys), words


def _key_texts(item: Item) -> list[str]:
    """How the keys are written: what two keys share is written once, shift+← →."""
    first, *rest = map(key_words, item[0])
    modifiers = first.rpartition("+")[0]
    return [first, *(each.removeprefix(f"{modifiers}+") if modifiers else each for each in rest)]


def _size(item: Item) -> int:
    return cell_len(" ".join([*_key_texts(item), item[1]]))


def _draw(item: Item) -> Content:
    keys, words = item
    out = Content("")
    for key, text in zip(keys, _key_texts(item), strict=True):
        out += Content.assemble((text, KEY), " ").stylize(_click(key))
    return out + Content.styled(words, "$foreground").stylize(_click(keys[0]))


def _click(key: str) -> Style:
    return Style.from_meta({"@click": f"app.simulate_key('{key}')"})
