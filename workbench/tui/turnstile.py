"""Keys act one after the other: what a key opens has the focus before the next key is looked at.

Textual hands a key to what has the focus when it comes, and acts on it some messages later; of keys that come in one
burst, all but the first would go to what is about to be covered. So `/mug` would filter by nothing, and act on m, u, g.
"""

from __future__ import annotations

import asyncio
from collections import deque

from textual import events
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

PATIENCE = 0.5
"""Seconds after which a key that has not come through is not waited for: what it went to may be gone."""


class CameThrough(Message):
    """Goes the way of a key, behind it: at the app, the key has acted."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        """Which of the keys."""


class Turnstile:
    """Lets keys in one at a time. All of it happens in the app's own task."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._waiting: deque[events.Key] = deque()
        self._number = 0
        """Of the key that was let in last."""
        self._inside: asyncio.TimerHandle | None = None
        """While that key is on its way: ends the wait for it."""
        self._screen: Screen[object] | None = None
        """What was on top when it was let in."""
        self._went_to: asyncio.Task[None] | None = None
        """The message loop of what it went to: it ends where the key closed what it went to."""

    @property
    def is_free(self) -> bool:
        """No key waits to be let in."""
        return not self._waiting

    def admits(self, key: events.Key) -> bool:
        """Whether the key may go on now; one that may not is let in later, by itself."""
        if self._inside is None:
            return True
        self._waiting.append(key)
        return False

    def follow(self, key: events.Key, target: Widget) -> None:
        """The key has just gone to `target`: wait until it has acted. Text that is typed opens nothing."""
        if key.is_printable and isinstance(target, Input | TextArea):
            return
        self._number += 1
        self._screen = self._app.screen
        loop = asyncio.get_running_loop()
        self._inside = loop.call_later(PATIENCE, self._app.call_later, self._let_in, self._number)
        self._went_to = target.task
        self._went_to.add_done_callback(self._closed)
        target.post_message(CameThrough(self._number))

    def came_through(self, number: int) -> None:
        """That key has acted: the next one may, once what was opened has the focus, which it is given by a message."""
        if number == self._number and self._went_to is not None:
            self._went_to.remove_done_callback(self._closed)
            self._went_to = None
            self._app.call_later(self._settled)

    def _closed(self, went_to: asyncio.Task[None]) -> None:
        """What the key went to is gone, and what went behind the key may be gone with it."""
        if went_to is self._went_to:
            self.came_through(self._number)

    def _settled(self) -> None:
        if self._app.screen is self._screen:
            self._app.call_later(self._let_in, self._number)
        else:
            self._app.screen.call_after_refresh(self._app.call_later, self._let_in, self._number)

    async def _let_in(self, number: int) -> None:
        """After that key, the next."""
        if number != self._number:
            return
        if self._inside is not None:
            self._inside.cancel()
            self._inside = None
        while self._inside is None and self._waiting:
            await self._app.on_event(self._waiting.popleft())
