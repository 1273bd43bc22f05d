"""A small shop of blue mugs: its orders, its refund ledger and its tickets."""

from __future__ import annotations

import tomllib
from binascii import crc32
from typing import Annotated, Literal, TypedDict

from workbench.toolkit.api import Bounds, Result, ToolError, tool, workspace


class Order(TypedDict):
    """One order; `paid` in euros."""

    order: str
    item: str
    count: int
    paid: float
    status: str


def _cafe_orders() -> list[Order]:
    """Two hundred and fourteen, newest first: more than anybody wants in one result."""
    items = (("blue mug", 6.25), ("white mug", 5.75), ("tea pot", 18.5), ("saucer", 3.25), ("sugar bowl", 9.0))
    orders: list[Order] = []
    for number in range(2214, 2000, -1):
        item, price = items[number % len(items)]
        count = 1 + number * 7 % 12
        status = "open" if number > 2209 else "shipped" if number > 2196 else "delivered"
        if number % 31 == 0:
            status = "cancelled"
        orders.append(
            {"order": f"B-{number}", "item": item, "count": count, "paid": round(count * price, 2), "status": status}
        )
    return orders


ORDERS: dict[str, list[Order]] = {
    "Ada Byron": [{"order": "A-1042", "item": "blue mug", "count": 2, "paid": 12.5, "status": "delivered"}],
    "Blue Door Café": _cafe_orders(),
}
CUSTOMER_OF = {order["order"]: customer for customer, orders in ORDERS.items() for order in orders}
TICKETS = ("T-87", "T-88", "T-89", "T-90")
LEDGER, TICKET_LOG = "refunds.toml", "tickets.toml"


@tool(risk="read", source="orders")
def search_orders(
    customer: str,
    status: Literal["open", "shipped", "delivered", "cancelled"] | None = None,
    limit: Annotated[int, Bounds(ge=1, le=20)] = 10,
    cursor: str | None = None,
) -> Result:
    """The orders of one customer, newest first. Call this when a question is about an order, a delivery or a refund.

    customer: the customer's full name, in any case.
    status: only orders in this state; left out, all of them.
    limit: how many orders to return at most.
    cursor: where to go on, as an earlier result gave it; left out, from the newest order.
    """
    names = {name.casefold(): name for name in ORDERS}
    name = names.get(customer.strip().casefold())
    if name is None:
        known = '", "'.join(ORDERS)
        raise ToolError(f'No customer "{customer}". Customers on file: "{known}".')
    orders = [order for order in ORDERS[name] if status in (None, order["status"])]
    start = _position(cursor, name, status) if cursor else 0
    rows, end = orders[start : start + limit], start + limit
    following = _cursor(end, name, status) if end < len(orders) else None
    content = {"orders": rows, "cursor": following}
    if following is None and start == 0:
        return Result(content)
    return Result(content, cursor=following or "", shown=len(rows), total=len(orders))


def _cursor(position: int, customer: str, status: str | None) -> str:
    """A place in the orders of this search and no other."""
    return f"{position}-{crc32(f'{customer}/{status}/{position}'.encode()):08x}"


def _position(cursor: str, customer: str, status: str | None) -> int:
    position = cursor.partition("-")[0]
    if position.isdecimal() and len(position) < 9 and cursor == _cursor(int(position), customer, status):
        return int(position)
    raise ToolError(f'The cursor "{cursor}" is not of this search. Leave it out to begin with the newest order.')


def _order(number: str) -> Order:
    customer = CUSTOMER_OF.get(number)
    if customer is None:
        hint = (
            'Order numbers are upper case, for example "A-1042".'
            if number != number.upper()
            else "search_orders lists the orders of a customer."
        )
        raise ToolError(f'Unknown order "{number}". {hint}')
    return next(order for order in ORDERS[customer] if order["order"] == number)


def _paid_for(order: str, amount: float) -> float:
    """What the order paid, where that much can be paid back for it."""
    paid = _order(order)["paid"]
    if amount > paid:
        raise ToolError(f"{amount:.2f} is more than order {order} paid. At most {paid:.2f} can be refunded.")
    if round(amount, 2) != amount:
        raise ToolError(f"{amount} has more than two decimals. Give whole cents, for example {amount:.2f}.")
    return paid


def _preview_refund(order: str, amount: float) -> str:
    paid = _paid_for(order, amount)
    return f"Refunds {amount:.2f} to {CUSTOMER_OF[order]}. Order {order} paid {paid:.2f}."


@tool(
    risk="write",
    source="ledger",
    preview=_preview_refund,
    consequence=f"Writes to {LEDGER} in this run's sandbox. A refund cannot be taken back.",
)
def create_refund(order: str, amount: Annotated[float, Bounds(gt=0)]) -> str:
    """Pay money back for one order. Call this once, when it is certain that a refund is due and how much.

    order: the order number, for example "A-1042".
    amount: euros to pay back, at most what was paid, with two decimals at most.
    """
    _paid_for(order, amount)
    workspace().append(LEDGER, f'[[refund]]\norder = "{order}"\namount = {amount:.2f}\n\n')
    return f"Refunded {amount:.2f} for order {order}."


def _ticket_states() -> dict[str, str]:
    files = workspace()
    states = dict.fromkeys(TICKETS, "open")
    if not files.exists(TICKET_LOG):
        return states
    try:
        changes = tomllib.loads(files.read(TICKET_LOG))["change"]
        return states | {change["ticket"]: change["status"] for change in changes}
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError):
        raise ToolError(f"{TICKET_LOG} is not a list of changes; a person must repair it.", retry=False) from None


def _state_of(ticket: str) -> str:
    states = _ticket_states()
    if ticket not in states:
        known = '", "'.join(sorted(states))
        raise ToolError(f'Unknown ticket "{ticket}". Tickets on file: "{known}".')
    return states[ticket]


def _preview_ticket(ticket: str, status: str) -> str:
    return f"Sets ticket {ticket} from {_state_of(ticket)} to {status}."


@tool(
    risk="write",
    source="tickets",
    idempotent=True,
    preview=_preview_ticket,
    consequence=f"Writes to {TICKET_LOG} in this run's sandbox. The status can be set back.",
)
def set_ticket_status(ticket: str, status: Literal["open", "pending", "closed"]) -> str:
    """Put a ticket in a state. Call this when the work on a ticket begins, waits or is done; twice does no harm.

    ticket: the ticket number, for example "T-88".
    status: the state the ticket is to be in.
    """
    if _state_of(ticket) != status:
        workspace().append(TICKET_LOG, f'[[change]]\nticket = "{ticket}"\nstatus = "{status}"\n\n')
    return f"Ticket {ticket} is {status}."
