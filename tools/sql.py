"""A tool that can do everything, to show why it is no good one: it takes any statement about the orders of the shop."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from workbench.toolkit.api import ToolError, tool, workspace

TABLE = "orders.sql"
MOST_ROWS = 20
MOST_WORK = 200
"""Times that sqlite asks whether to go on, each after 10,000 instructions of its own."""
ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_INSERT,
        sqlite3.SQLITE_UPDATE,
        sqlite3.SQLITE_DELETE,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    }
)
"""What a statement may do. Nothing here reaches a file, which `ATTACH` and `VACUUM INTO` would."""
TO_LOAD = ALLOWED | {sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX}
"""What the kept table may do when it is read back: another tool may have written that file."""
LONGEST_VALUE = 1_000_000


def _seed() -> Iterable[tuple[str, str, str]]:
    yield "A-1042", "Ada Byron", "delivered"
    for number in range(2214, 2000, -1):
        status = "open" if number > 2209 else "shipped" if number > 2196 else "delivered"
        yield f"B-{number}", "Blue Door Café", status


def _opened() -> sqlite3.Connection:
    """The table as this run has left it, in memory."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    files = workspace()
    if files.exists(TABLE):
        _guard(database, TO_LOAD)
        try:
            database.executescript(files.read(TABLE))
        except sqlite3.Error:
            database.close()
            raise ToolError(f"{TABLE} is no table any more; a person must repair it.", retry=False) from None
    else:
        database.execute("CREATE TABLE orders (number TEXT PRIMARY KEY, customer TEXT, status TEXT)")
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", _seed())
    return database


def _guard(database: sqlite3.Connection, allowed: frozenset[int]) -> None:
    """Let the connection do what is allowed, and not for ever."""
    asked = 0

    def too_long() -> bool:
        nonlocal asked
        asked += 1
        return asked > MOST_WORK

    def may(action: int, *_: str | None) -> int:
        return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

    database.set_progress_handler(too_long, 10_000)
    database.set_authorizer(may)


def _preview(query: str) -> str:
    return f"Runs a statement of {len(query):,} characters on the table of orders."


@tool(
    risk="write",
    source="orders",
    idempotent=True,
    preview=_preview,
    consequence=f"Writes to {TABLE} in this run's sandbox. What a statement has overwritten is gone.",
)
def run_sql(query: str) -> str:
    """Run one SQL statement on the table orders (number, customer, status). Call this for anything about orders.

    query: the statement, as SQLite understands it.
    """
    with closing(_opened()) as database:
        before = database.total_changes
        _guard(database, ALLOWED)
        try:
            rows = database.execute(query).fetchmany(MOST_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise ToolError(f"The statement cannot be run: {error}.") from None
        changed = database.total_changes - before
        database.set_authorizer(None)
        database.set_progress_handler(None, 0)
        if changed:
            workspace().write(TABLE, "\n".join(database.iterdump()))
            return f"{changed} rows changed."
    shown = [" | ".join(map(str, row)) for row in rows[:MOST_ROWS]]
    return "\n".join([*shown, *(["…"] if len(rows) > MOST_ROWS else [])]) or "No rows."
