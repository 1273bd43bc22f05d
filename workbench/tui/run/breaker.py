"""Break it: a field to filter the faults with, the list of them, and where the picked one strikes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input, Static

from workbench.core.events import Event
from workbench.core.faults import describe
from workbench.core.striking import Armed
from workbench.core.values import Fault
from workbench.faults.catalogue import Catalogue
from workbench.runner import Run
from workbench.tui.actions import BY_NAME, bindings, key_words, keys_of, shown_key
from workbench.tui.paint import content, contents
from workbench.tui.run.bar import Act, acts, bring
from workbench.tui.screens import Dialog, KeysRow, KeyWords, keymap_of
from workbench.view import breaking
from workbench.view.breaking import Door, Offer, Place
from workbench.view.entries import Line, Span

HINT = "type to filter, or spell it out: wrong-number:tool=add,nth=2"
MOST_ROWS = 14
"""Rows of the list. They stay as many while a filter is typed, so that nothing moves under the eye."""

ARM_KEYS = (
    ("arm", "arm it"),
    ("next_fault", "choose"),
    ("next_place", "strikes elsewhere"),
    ("disarm", "disarm"),
)
STRIKE_KEYS = (("arm", "let it strike"), ("next_fault", "choose"))
"""Actions of the list, and what their keys do in it."""


class FaultField(Input):
    """What to look for, or a fault spelled out. The keys of the list work in it."""

    BINDINGS = bindings("breaker")

    action_previous_fault = acts("up")
    action_next_fault = acts("down")
    action_next_place = acts("place")
    action_previous_place = acts("place before")
    action_arm = acts("arm")
    action_disarm = acts("disarm")

    async def _on_key(self, event: events.Key) -> None:
        """Where there is text before or under the caret, the key that disarms is about that."""
        at = self.cursor_position
        about_text = bool(self.value) and (at > 0 if event.key == "backspace" else at < len(self.value))
        if event.key in ("backspace", "delete") and about_text:
            event.stop()
            event.prevent_default()
            self.action_delete_left() if event.key == "backspace" else self.action_delete_right()
            return
        await super()._on_key(event)


class Breaker(Dialog[Fault | None]):
    """Gives the fault to arm, or to let strike what is held; None for none. Disarming is done at once."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    Breaker { align: center bottom; background: $background 50%; }
    Breaker > Vertical { height: auto; max-height: 100%; background: $surface; border-top: heavy $wb-changed; }
    Breaker Static { height: auto; padding: 0 1; }
    Breaker FaultField { height: 1; border: none; margin: 0 1 0 3; padding: 0; background: $background; }
    Breaker VerticalScroll { padding: 1 0 0 0; scrollbar-size-vertical: 1; }
    Breaker #teaches { margin: 1 0 0 0; min-height: 2; padding: 0 1 0 5; }
    Breaker #strikes { padding: 0 1 0 5; }
    Breaker KeysRow { padding: 1 1 0 1; }
    Breaker.-narrow VerticalScroll, Breaker.-tiny VerticalScroll { padding: 0; }
    Breaker.-low #teaches { display: none; }
    Breaker.-narrow #teaches, Breaker.-tiny #teaches { margin: 0; }
    Breaker.-narrow KeysRow, Breaker.-tiny KeysRow, Breaker.-low KeysRow { padding: 0 1; }
    """

    def __init__(
        self, run: Run, catalogue: Catalogue, *, tool: str, door: Door, title: Line, disarm: Callable[[int], bool]
    ) -> None:
        super().__init__()
        self._run = run
        self._catalogue = breaking.with_door(catalogue, door)
        self._tool = tool
        self._door = door
        self._title = title
        self._disarm = disarm
        self._picked = 0
        self._place = 0
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(content(self._title))
            yield FaultField("", compact=True, placeholder=HINT)
            with VerticalScroll(can_focus=False):
                yield Static("", id="faults")
            yield Static("", id="teaches")
            yield Static("", id="strikes")
            yield KeysRow([*self._keys(), ("escape", "esc", "back")])

    def _keys(self) -> Iterator[KeyWords]:
        keymap = keymap_of(self.app)
        for name, words in STRIKE_KEYS if self._door else ARM_KEYS:
            key = keys_of(BY_NAME[name], keymap)[0]
            written = key_words(key)
            if name == "next_fault":
                written = f"{shown_key(BY_NAME['previous_fault'], keymap)} {written}"
            yield key, written, words

    def on_mount(self) -> None:
        self._unsubscribe = self._run.subscribe(self._recorded)
        self._pick_first()

    def _recorded(self, _: Event) -> None:
        self.call_later(self._draw)

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()

    def on_resize(self) -> None:
        self._draw()

    # ------------------------------------------------------------ what there is

    @property
    def _field(self) -> FaultField:
        return self.query_one(FaultField)

    @property
    def _armed(self) -> tuple[Armed, ...]:
        return () if self._door else self._run.state.faults

    def _offers(self) -> list[Offer]:
        return breaking.offers(self._armed, self._catalogue, self._field.value)

    def _chosen(self) -> Offer | None:
        found = self._offers()
        self._picked = max(0, min(self._picked, len(found) - 1))
        return found[self._picked] if found else None

    def _places(self, fault: Fault) -> list[Place]:
        return breaking.places(fault, self._run.state, self._tool)

    def _pick_first(self) -> None:
        """The first fault that can be chosen: those that are armed already stand above it."""
        found = self._offers()
        self._picked = next((index for index, offer in enumerate(found) if offer.at < 0), 0)
        self._place = 0
        self._draw()

    # ------------------------------------------------------------ drawing

    def _draw(self) -> None:
        if not self.is_current:
            return
        width, height = self.app.size
        found, chosen = self._offers(), self._chosen()
        steps = self._run.state.total_steps
        rows = [
            breaking.offer_line(offer, self._armed, steps, width - 4, picked=index == self._picked)
            for index, offer in enumerate(found)
        ]
        scroll = self.query_one(VerticalScroll)
        scroll.styles.height = max(3, min(MOST_ROWS, height - 11))
        self.query_one("#faults", Static).update(contents(rows))
        self.query_one("#teaches", Static).update(contents(breaking.teaching(chosen, width - 8)))
        self.query_one("#strikes", Static).update(content(self._strikes(chosen, width - 8)))
        self.call_after_refresh(bring, scroll, self._picked)

    def _strikes(self, chosen: Offer | None, width: int) -> Line:
        spelled = breaking.spelled_out(self._field.value, self._catalogue)
        if isinstance(spelled, str):
            return (Span(f"✗ {spelled}", "error"),)
        if spelled is not None:
            words = describe(spelled, from_here=True)
            return (Span("strikes  ", "quiet"), Span(words, "primary", bold=True))
        if chosen is None:
            return ()
        if chosen.at >= 0:
            return (Span("delete disarms it", "quiet"),)
        if self._door:
            return (Span("strikes  ", "quiet"), Span(f"the held {self._door}, now", "primary", bold=True))
        return breaking.place_line(self._places(chosen.fault), self._place, width)

    # ------------------------------------------------------------ acting

    @on(Input.Changed)
    def _typed(self) -> None:
        self._pick_first()

    @on(Act)
    def _act(self, event: Act) -> None:
        found, chosen = self._offers(), self._chosen()
        match event.what:
            case "up" | "down":
                self._picked = (self._picked + (1 if event.what == "down" else -1)) % max(1, len(found))
                self._place = 0
            case "place" | "place before" if chosen is not None and chosen.at < 0 and not self._door:
                step = 1 if event.what == "place" else -1
                self._place = (self._place + step) % len(self._places(chosen.fault))
            case "arm":
                self._take(chosen)
            case "disarm" if chosen is not None and chosen.at >= 0:
                self._disarm(chosen.at)
        self._draw()

    def _take(self, chosen: Offer | None) -> None:
        spelled = breaking.spelled_out(self._field.value, self._catalogue)
        if isinstance(spelled, Fault):
            self.dismiss(spelled)
        elif spelled is None and chosen is not None and chosen.at < 0:
            self.dismiss(chosen.fault if self._door else self._places(chosen.fault)[self._place].fault)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        shown = event.get_content_offset(self.query_one(VerticalScroll))
        offset = event.get_content_offset(self.query_one("#faults", Static))
        if shown is not None and offset is not None:
            self._picked = max(0, min(offset.y, len(self._offers()) - 1))
            self._place = 0
            self._draw()
