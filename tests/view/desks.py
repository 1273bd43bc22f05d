"""Small runs in a shop, as a person meets them: driven for real, with nobody who decides but the test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tests.view.nasty import rows_of
from workbench.clocks import VirtualClock
from workbench.core.events import Event
from workbench.core.ports import Person
from workbench.core.values import Header, ProtocolName
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.runner import Run
from workbench.sessions.late import MemoryJournal
from workbench.toolkit.api import ToolError, tool
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_function
from workbench.view.bars import Bar, bar_for
from workbench.view.desk import Desk
from workbench.view.entries import all_lines, line_text
from workbench.view.past import past_bar


@tool(risk="read", source="orders", inline=True)
def search_orders(customer: str) -> str:
    """The orders of a customer."""
    return json.dumps({"orders": [{"order": "A-1042", "customer": customer}]})


@tool(
    risk="write",
    source="ledger",
    inline=True,
    dedupe=False,
    consequence="Writes to refunds.toml in this run's sandbox. A refund cannot be taken back.",
    preview=lambda order, amount: f"Refunds {amount:.2f} for order {order}.",
)
def create_refund(order: str, amount: float) -> str:
    """Pays money back."""
    if not order.isupper():
        raise ToolError(f'Unknown order "{order}".')
    return f"Refunded {amount:.2f} for order {order}."


@tool(risk="outward", source="mail", inline=True)
def send_email(to: str) -> str:
    """Writes to somebody."""
    return f"sent to {to}"


@tool(inline=True)
def murky() -> str:
    """Nobody has said what this does."""
    return "done"


@tool(risk="read", inline=True)
def broken() -> str:
    """Raises what no tool should."""
    raise KeyError("a bug")


@tool(risk="read", source="web", trust="untrusted", inline=True)
def fetch() -> str:
    """Text from elsewhere."""
    return "# A page\n\nbuy mugs\n"


TOOLS = [load_function(each) for each in (search_orders, create_refund, send_email, murky, broken, fetch)]


def asks(tool: str, text: str = "", **arguments: Any) -> Line:
    """A native reply that makes one call."""
    return Line(text=text, calls=(ScriptedCall(tool=tool, arguments=arguments),))


def asks_all(*calls: tuple[str, dict[str, Any]], text: str = "") -> Line:
    return Line(text=text, calls=tuple(ScriptedCall(tool=tool, arguments=arguments) for tool, arguments in calls))


REFUND = asks("create_refund", "The order number must be upper case.", order="A-1042", amount=62.5)
SEARCH = asks("search_orders", customer="Ada Byron")


def desk_at(
    *lines: Line,
    protocol: ProtocolName = "native",
    person: Person | None = None,
    events: Sequence[Event] = (),
    **header: Any,
) -> Desk:
    """A desk at a run of that script, before its first move."""
    clock = VirtualClock()
    return Desk(
        Run(
            Header(id="r1", goal="Refund it", protocol=protocol, tools=tuple(each.info for each in TOOLS), **header),
            model=ScriptedModel(lines, clock=clock),
            tools=ToolBox(TOOLS),
            journal=MemoryJournal(),
            clock=clock,
            person=person,
            events=events,
        )
    )


def on(desk: Desk) -> Desk:
    """Go on until the run stops or asks."""

    async def play() -> None:
        await desk.run.play()

    asyncio.run(play())
    desk.refresh()
    return desk


def step(desk: Desk) -> Desk:
    """Make one move."""
    asyncio.run(_step(desk.run.step))
    desk.refresh()
    return desk


async def _step(move: Callable[[], Awaitable[object]]) -> None:
    await move()


def bar_of(desk: Desk, *, width: int = 100, rows: int = 6, **more: Any) -> Bar:
    """The bar as the screen draws it."""
    run = desk.run
    if desk.looking_back:
        return past_bar(run.events, desk.state, width, desk.done)
    bar = bar_for(run.state, run.next, width=width, rows=rows, preview=run.tools.preview, check=run.tools.check, **more)
    assert bar is not None
    return bar


def title(bar: Bar) -> str:
    return line_text(bar.title)


def body(bar: Bar) -> list[str]:
    return rows_of(bar.body)


def entries(desk: Desk) -> list[tuple[str, list[str]]]:
    """Every entry: its word and its lines."""
    found = [desk.timeline.entry(index) for index in range(len(desk.timeline))]
    return [(entry.word, rows_of(all_lines(entry))) for entry in found]
