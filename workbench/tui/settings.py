"""Settings: pick a theme and see it at once, and look up the name of a key; what is wrong with the files is listed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from workbench.home import Home
from workbench.settings import SettingsError, write_theme
from workbench.tui.actions import ACTIONS, BY_NAME, Action, bindings, key_words, keys_of
from workbench.tui.home.lists import ItemList
from workbench.tui.home.parts import Heading, TopRow
from workbench.tui.paint import contents
from workbench.tui.screens import KeysRow, keymap_of
from workbench.tui.situation import Situation
from workbench.tui.transcript.pane import Pane
from workbench.view.entries import Entry, Line, Role, Span, plain
from workbench.view.shelf import Item, Outcome
from workbench.view.visible import visible

KEYS = (
    ("down", "↑ ↓", "choose"),
    ("enter", "enter", "keep the theme"),
    ("escape", "esc", "as it was"),
    ("question_mark", "?", "help"),
)
PROBLEM_ROWS = 8
OURS, TEXTUALS, OF_KEYS = "themes of the workbench", "themes of Textual", "keys"


def _entry(key: int, word: str, role: Role, *lines: Line, step: int | None = None, meta: str = "") -> Entry:
    return Entry(key=key, step=step, word=word, role=role, lines=lines, meta=meta, data=bool(meta))


def _call(tool: str, arguments: str, sign: str, role: Role) -> tuple[Line, Line]:
    return (
        (Span("→ ", "quiet"), Span(tool, bold=True), Span(f" {arguments}")),
        (Span(f"  {sign}", role),),
    )


SAMPLE: tuple[Entry, ...] = (
    _entry(1, "USER", "user", (Span("One of two blue mugs arrived broken. Refund what our policy allows."),)),
    _entry(2, "MODEL", "model", (Span("First the order."),), *_call("search_orders", "{}", "✓ ok", "go"), step=1),
    _entry(
        3, "RESULT", "result", (Span('{"order": "A-1042", "paid": 12.50}'),), meta="search_orders · orders · 2.1 ms"
    ),
    _entry(
        4,
        "MODEL",
        "model",
        (Span("Half of that."),),
        *_call("create_refund", '{"order": "a-1042"}', "≠ you changed the order", "changed"),
        step=2,
    ),
    _entry(5, "ERROR", "error", (Span('Unknown order "a-1042".'),), meta="create_refund · 0.4 ms"),
    _entry(6, "NOTE", "notice", (Span("The same call failed twice."),)),
    _entry(7, "HELD", "held", (Span("◆ held at the door"),)),
    _entry(
        8,
        "",
        "",
        (Span("▲ waiting for you", "wait"), Span("   ◀ past: event 4 of 14", "past"), Span("   ■ stopped", "error")),
        (Span("steps  ", "quiet"), Span("━━━━━━━━", "primary"), Span("────────", "rule"), Span("  3 of 6")),
    ),
)


class Sample:
    """A short transcript with every colour in it, as a source of entries."""

    def __len__(self) -> int:
        return len(SAMPLE)

    def text(self, index: int) -> str:
        return plain(SAMPLE[index])

    def data(self, index: int) -> bool:
        return SAMPLE[index].data

    def fold_at(self, index: int) -> int | None:
        return SAMPLE[index].fold_at

    def entry(self, index: int) -> Entry:
        return SAMPLE[index]


class SettingsScreen(Screen[str]):
    """The themes with a preview, and the keys. Enter writes a theme down, and gives what to say; esc goes back to what
    was. Keys of one's own are written in the file: it says how.
    """

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "ItemList"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("screen"),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("enter", "keep", "keep it", show=False),
    ]
    DEFAULT_CSS = """
    SettingsScreen { background: $background; color: $foreground; }
    SettingsScreen #body { height: 1fr; }
    SettingsScreen #left { width: 44; padding: 1 0 0 1; }
    SettingsScreen #right { width: 1fr; padding: 1 1 0 1; border-left: solid $wb-rule; }
    SettingsScreen #right Pane { padding: 0; }
    SettingsScreen #problems { height: auto; padding: 0 1 1 1; }
    SettingsScreen.-narrow #left, SettingsScreen.-tiny #left { padding: 0 1; width: 30; }
    SettingsScreen.-narrow #right, SettingsScreen.-tiny #right { padding: 0 1; }
    SettingsScreen.-tiny #right { display: none; }
    SettingsScreen.-tiny #left { width: 1fr; }
    SettingsScreen.-tiny #problems, SettingsScreen.-low #problems { padding: 0 1; max-height: 4; }
    SettingsScreen.-tiny .hint, SettingsScreen.-low .hint { display: none; }
    """

    def __init__(self, home: Home, themes: Sequence[tuple[str, bool, bool]], problems: Sequence[str]) -> None:
        """`themes` are (name, whether it is one of ours, whether it is dark); `problems` are sentences."""
        super().__init__()
        self._file = home.settings
        self._folder = home.own / "themes"
        self._themes = themes
        self._problems = problems
        self._before = ""

    def compose(self) -> ComposeResult:
        yield TopRow("Settings", str(self._file))
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield Heading("Themes and keys")
                yield ItemList()
            with Vertical(id="right"):
                yield Heading("Preview", self.app.theme)
                yield Pane()
        notes = self._notes()
        yield Static(contents(notes or [self._of_themes()]), id="problems", classes="" if notes else "hint")
        yield KeysRow(KEYS)

    def on_mount(self) -> None:
        self._before = self.app.theme
        pane = self.query_one(Pane)
        pane.load(Sample())
        pane.move_to(0)
        items = self.query_one(ItemList)
        items.show([*(self._item(*each) for each in self._themes), *map(self._key_item, ACTIONS)])
        items.pick_key(self._before)

    def on_resize(self) -> None:
        self.query_one(Pane).spaced = self.size.width >= 100

    @property
    def situation(self) -> Situation:
        return Situation(screen="home", phase="idle", has_entry=False)

    def _item(self, name: str, ours: bool, dark: bool) -> Item:
        shade = "dark" if dark else "light"
        outcome: Outcome = ("✓", "in use", "go") if name == self._before else ("", shade, "quiet")
        return Item(kind="theme", key=name, title=name, group=OURS if ours else TEXTUALS, outcome=outcome)

    def _key_item(self, action: Action) -> Item:
        keys = keymap_of(self.app)
        shown = " ".join(map(key_words, keys_of(action, keys)))
        outcome: Outcome = ("≠" if action.name in (keys or {}) else "", shown, "quiet")
        return Item(kind="key", key=action.name, title=action.name, group=OF_KEYS, outcome=outcome)

    def _of_themes(self) -> Line:
        return (Span(f"A theme of your own is a file in {visible(str(self._folder))}", "quiet"),)

    def _of_key(self, name: str) -> tuple[Line, ...]:
        action = BY_NAME[name]
        how = f'another key: {name} = "…" under [keys] in {visible(str(self._file))}'
        return (Span(f"{action.group}. {action.help}"),), (Span(how, "quiet"),)

    def _notes(self) -> list[Line]:
        lines: list[Line] = [(Span("✗ ", "error"), Span(visible(each))) for each in self._problems[:PROBLEM_ROWS]]
        if len(self._problems) > PROBLEM_ROWS:
            lines.append((Span(f"… {len(self._problems) - PROBLEM_ROWS} more", "quiet"),))
        if os.environ.get("NO_COLOR"):
            lines.append((Span("NO_COLOR is set: every theme is drawn in greys", "quiet"),))
        return lines

    # ------------------------------------------------------------ keys

    @on(ItemList.Picked)
    def _preview(self) -> None:
        item = self.query_one(ItemList).item
        if item is None:
            return
        theme = self._before if item.kind == "key" else item.key
        if theme != self.app.theme:
            self.app.theme = theme
            self.query_one("#right Heading", Heading).right = theme
        said = self._of_key(item.key) if item.kind == "key" else [*self._notes()] or [self._of_themes()]
        self.query_one("#problems", Static).update(contents(said))

    def action_move(self, step: int) -> None:
        self.query_one(ItemList).move(step)

    def action_next_pane(self) -> None:
        self.query_one(ItemList).focus()

    def action_previous_pane(self) -> None:
        self.query_one(ItemList).focus()

    @on(ItemList.Chosen)
    def _chosen(self) -> None:
        self.action_keep()

    def action_keep(self) -> None:
        item = self.query_one(ItemList).item
        if item is not None and item.kind == "key":
            return
        name = self.app.theme
        try:
            write_theme(self._file, name)
        except SettingsError as error:
            self.dismiss(f"{error}; the theme {name} stays until you quit")
        else:
            self.dismiss("")

    def action_close(self) -> None:
        self.app.theme = self._before
        self.dismiss("")

    def action_back(self) -> None:
        self.action_close()
