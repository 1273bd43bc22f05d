"""The tool that can do everything, and what it cannot do all the same: leave its table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.toolkit.workspace import Workspace

Call = Callable[..., Any]


async def test_a_statement_without_a_condition_changes_every_row_and_the_next_call_sees_it(
    call: Call, folder: Workspace
) -> None:
    assert (await call("run_sql", query="SELECT count(*) FROM orders WHERE status = 'open'")).content == "5"
    changed = await call("run_sql", query="UPDATE orders SET status = 'delivered'")
    assert changed.content == "215 rows changed."
    assert [effect["path"] for effect in changed.effects] == ["orders.sql"]
    assert (await call("run_sql", query="SELECT count(*) FROM orders WHERE status = 'open'")).content == "0"


async def test_what_is_read_is_shown_as_rows_and_many_are_cut(call: Call) -> None:
    row = await call("run_sql", query="SELECT number, customer FROM orders WHERE number = 'A-1042'")
    assert row.content == "A-1042 | Ada Byron"
    assert row.effects == ()
    many = (await call("run_sql", query="SELECT number FROM orders")).content.split("\n")
    assert (len(many), many[-1]) == (21, "…")
    assert (await call("run_sql", query="SELECT 1 WHERE 0")).content == "No rows."


@pytest.mark.parametrize(
    "query",
    [
        "ATTACH '{path}' AS other",
        "VACUUM INTO '{path}'",
        "DROP TABLE orders",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('{path}')",
        "SELECT 1; SELECT 2",
        "SELECT length(zeroblob(900000000))",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "nonsense",
        "",
        "SELECT '\0'",
    ],
)
async def test_no_statement_leaves_the_table_or_goes_on_for_ever(call: Call, tmp_path: Path, query: str) -> None:
    path = tmp_path / "elsewhere.db"
    outcome = await call("run_sql", query=query.replace("{path}", str(path)))
    assert outcome.outcome in ("failed", "ran")
    assert outcome.outcome == "failed" or outcome.content == "No rows."
    assert not path.exists()


async def test_a_table_that_another_tool_has_written_can_do_no_more(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.db"
    await call("write_file", path="orders.sql", text=f"ATTACH '{path}' AS other; CREATE TABLE other.x (y);")
    outcome = await call("run_sql", query="SELECT 1")
    assert outcome.content == "orders.sql is no table any more; a person must repair it."
    assert not path.exists()
