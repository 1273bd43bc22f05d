"""Only rows that look otherwise are drawn again, and what stands on the terminal is as if all were drawn anew."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.settled import settled
from tests.tui.terminal import Terminal
from tests.tui.transcript.conftest import Entries, Host, make
from workbench.tui.transcript.widget import Transcript
from workbench.view.entries import Entry, lines_of

WORDS = ("the", "loop", "asks", "a", "model", "漢字", "entry", '{"a": 1}', "x" * 50)
KEYS = ("up", "up", "up", "down", "down", "pageup", "pagedown", "home", "end", "enter")


def entry(key: int, chance: random.Random) -> Entry:
    lines = [" ".join(chance.choices(WORDS, k=chance.randint(0, 12))) for _ in range(chance.choice((1, 1, 2, 3, 15)))]
    word, data = chance.choice((("MODEL", False), ("RESULT", True)))
    return make(
        key, "\n".join(lines), word=word, data=data, step=key, meta="add" * data, fold_at=chance.choice((None, 4))
    )


def changes(app: Host, source: Entries, chance: random.Random) -> list[Callable[[], Any]]:
    """What can happen to a transcript beside keys."""
    view = app.transcript

    def add() -> None:
        source.entries += [entry(len(source) + n + 1, chance) for n in range(chance.randint(1, 3))]
        view.appended()

    def put(*, same: bool) -> None:
        index = chance.randrange(len(source))
        source.entries[index] = source.entries[index] if same else entry(index + 1, chance)
        view.changed(index)

    def tail() -> None:
        lines = lines_of("\n".join(chance.choices(("one", "two", "three " * 30), k=chance.randint(1, 5))))
        view.show_tail(chance.choice((None, Entry(0, 9, "MODEL", "model", lines), Entry(0, 9, "WAIT", "wait", lines))))

    def look_back() -> None:
        view.truncate(chance.randint(1, len(source)))

    def look_now() -> None:
        view.truncate(None)
        view.appended()

    return [
        *(add, add, tail, tail, look_back, look_now, lambda: put(same=False), lambda: put(same=True)),
        *(lambda: view.search(chance.choice(("", "loop"))), lambda: view.find(forward=True)),
        lambda: setattr(view, "spaced", chance.random() < 0.5),
    ]


async def drawn(pilot: Pilot[None]) -> None:
    """Everything is measured and drawn."""
    view = pilot.app.query_one(Transcript)
    await settled(pilot, lambda: view._slices is None and not pilot.app.screen._dirty_widgets)


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_happens_the_terminal_shows_what_drawing_anew_would_show(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    source = Entries([entry(n + 1, chance) for n in range(chance.choice((3, 40, 400)))])
    app = Host(source)
    async with app.run_test(size=(chance.choice((40, 90)), chance.choice((8, 30)))) as pilot:
        await drawn(pilot)
        terminal = Terminal(app, monkeypatch)
        happens = changes(app, source, chance)
        done = []
        for _ in range(30):
            if chance.random() < 0.05:
                done.append("resize")
                await pilot.resize_terminal(chance.choice((40, 60, 90)), chance.choice((8, 30)))
            elif chance.random() < 0.5:
                done.append(chance.choice(KEYS))
                await pilot.press(done[-1])
            else:
                act = chance.choice(happens)
                done.append(getattr(act, "__name__", ""))
                act()
            await drawn(pilot)
            assert terminal.wrong() is None, done


@pytest.mark.parametrize(
    ("act", "rows"),
    [
        (lambda view: view.action_previous_entry(), [2, 3, 4]),
        (lambda view: view.show_tail(Entry(0, None, "NEXT", "quiet", lines_of("go on"))), [5, 6]),
        (lambda view: view.changed(1), []),
        (lambda view: view.appended(), []),
        (lambda view: view.action_latest(), []),
    ],
)
async def test_rows_that_look_as_before_are_not_drawn(
    act: Callable[[Any], None], rows: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Host(Entries([make(n + 1, text) for n, text in enumerate(("one", "two", "three\nand more", "four"))]))
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.show_tail(Entry(0, None, "NEXT", "quiet", lines_of("ask the model\nand wait")))
        await drawn(pilot)
        written: set[int] = set()
        monkeypatch.setattr(app, "_display", lambda _, frame: written.update(y for y, _, _ in frame.spans))
        act(app.transcript)
        await drawn(pilot)
        assert sorted(written) == rows
