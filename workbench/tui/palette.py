"""The command palette: every action of the registry that can act here and now, by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from workbench.tui.actions import Action, key_words, keys_of, palette_actions
from workbench.tui.home.rows import fitted
from workbench.tui.keyline import KEY
from workbench.tui.screens import Situated, keymap_of

KEYS = 12
"""Cells for the first key of an action."""
TITLE = 24
MARGINS = 6
"""Cells at both sides of a row."""


class ActionProvider(Provider):
    """Offers the actions that something on this screen binds. All text is that of the registry, and none is markup."""

    async def discover(self) -> Hits:
        for action, node in self._offered():
            yield DiscoveryHit(self._drawn(action, Content(action.title)), partial(_run, action, node), action.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action, node in self._offered():
            score = matcher.match(action.title)
            if score > 0:
                drawn = self._drawn(action, matcher.highlight(action.title))
                yield Hit(score, drawn, partial(_run, action, node), action.title)

    def _offered(self) -> Iterator[tuple[Action, DOMNode]]:
        if not isinstance(self.screen, Situated):
            return
        for action in palette_actions(self.screen.situation):
            node = self._owner(action.name)
            if node is not None and action.name != "command_palette":
                yield action, node

    def _owner(self, name: str) -> DOMNode | None:
        """What binds the action: from the focus outwards, then anything else on the screen."""
        nodes = self.focused.ancestors_with_self if self.focused is not None else []
        everything = [*nodes, self.screen, *self.screen.walk_children(), self.app]
        return next((node for node in everything if _binds(node, name)), None)

    def _drawn(self, action: Action, title: Content) -> Content:
        key = key_words(keys_of(action, keymap_of(self.app))[0])
        gap = max(2, TITLE - len(action.title))
        room = self.app.size.width - KEYS - gap - len(action.title) - MARGINS
        return Content("").join(
            [
                Content.styled(key.ljust(KEYS), KEY),
                title,
                Content(" " * gap),
                Content.styled(fitted(action.help, room), "$wb-quiet"),
            ]
        )


def _binds(node: DOMNode, name: str) -> bool:
    return any(
        isinstance(binding, Binding) and binding.id == name
        for cls in type(node).__mro__
        for binding in cls.__dict__.get("BINDINGS", ())
    )


async def _run(action: Action, node: DOMNode) -> None:
    await node.app.run_action(action.name, default_namespace=node)
