"""The shipped tools that work on the sandbox: files, orders, refunds, tickets, mail and builds."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.toolkit.effects import apply_effects
from workbench.toolkit.workspace import Workspace

Call = Callable[..., Any]
Preview = Callable[..., str]
DATA = Path(__file__).parents[1] / "data"
TO_REFUSE = [line.replace("\\0", "\0") for line in (DATA / "paths" / "paths-to-refuse.txt").read_text().splitlines()]
TO_ALLOW = (DATA / "paths" / "paths-to-allow.txt").read_text().splitlines()


# ---------------------------------------------------------------- files


async def test_write_list_read_search(call: Call, folder: Workspace) -> None:
    wrote = await call("write_file", path="policy/refunds.md", text="# Refunds\nBroken: in full.\n")
    assert wrote.content == "Wrote 27 characters to policy/refunds.md."
    assert wrote.effects == ({"path": "policy/refunds.md", "content": "# Refunds\nBroken: in full.\n"},)
    assert (await call("list_dir")).content == "policy/"
    assert (await call("list_dir", path="policy")).content == "refunds.md"
    assert (await call("read_file", path="policy/refunds.md")).content == "# Refunds\nBroken: in full.\n"
    assert (await call("search_files", text="Broken")).content == "policy/refunds.md:2: Broken: in full."
    assert (folder.root / "policy/refunds.md").read_text() == "# Refunds\nBroken: in full.\n"


async def test_an_empty_folder_and_a_search_without_a_find(call: Call) -> None:
    assert (await call("list_dir")).content == "(this folder is empty)"
    outcome = await call("search_files", text="x")
    assert (outcome.outcome, outcome.content) == (
        "failed",
        'No line in "." contains that text. Try a shorter text, or another folder.',
    )
    assert (await call("search_files", text="")).detail == "refused"


async def test_a_search_says_what_it_could_not_read(call: Call, folder: Workspace) -> None:
    with (folder.root / "huge.bin").open("wb") as file:
        file.truncate(6_000_000)
    (folder.root / "a.txt").write_text("mugs\n")
    outcome = await call("search_files", text="mugs")
    assert outcome.content == "a.txt:1: mugs\n… not searched, as they cannot be read: huge.bin"


@pytest.mark.parametrize("path", TO_REFUSE)
async def test_paths_out_are_refused_by_every_file_tool(call: Call, folder: Workspace, path: str) -> None:
    for tool, arguments in (
        ("read_file", {"path": path}),
        ("write_file", {"path": path, "text": "x"}),
        ("list_dir", {"path": path}),
        ("search_files", {"path": path, "text": "x"}),
    ):
        outcome = await call(tool, **arguments)
        assert outcome.outcome == "failed"
        assert "is refused" in outcome.content
        assert outcome.effects == ()
    assert list(folder.root.iterdir()) == []


@pytest.mark.parametrize("path", TO_ALLOW)
async def test_odd_paths_inside_are_allowed(call: Call, folder: Workspace, path: str) -> None:
    (folder.root / "sub").mkdir()
    assert (await call("write_file", path=path, text="mugs")).outcome == "ran"
    assert (await call("read_file", path=path)).content == "mugs"


async def test_files_with_awkward_bytes_are_read(call: Call, folder: Workspace) -> None:
    for name in ("invalid-utf8.bin", "terminal-escapes.bin", "markup-like-text.txt"):
        data = (DATA / "outputs" / name).read_bytes()
        (folder.root / name).write_bytes(data)
        outcome = await call("read_file", path=name)
        outcome.content.encode()
        if name != "invalid-utf8.bin":
            assert outcome.content == data.decode()
        else:
            assert outcome.content.endswith(
                '… shown in place: 7 × "\ufffd" for bytes that are not UTF-8 text, 1 × "␀" for NUL'
            )


async def test_a_long_file_is_cut_and_says_so(call: Call, folder: Workspace) -> None:
    (folder.root / "long.txt").write_text("x" * 52_113)
    outcome = await call("read_file", path="long.txt")
    assert outcome.content.endswith("\n… cut: showing 8,000 of 52,113 characters; ask for a narrower part")
    assert outcome.full_chars == 52_113


async def test_a_write_is_previewed(call: Call, preview: Preview) -> None:
    assert preview("write_file", path="a.txt", text="12345") == "Creates a.txt with 5 characters."
    await call("write_file", path="a.txt", text="12345")
    assert preview("write_file", path="a.txt", text="1") == "Replaces the 5 characters of a.txt with 1 characters."


# ---------------------------------------------------------------- orders and refunds


async def test_the_order_of_ada_byron(call: Call) -> None:
    outcome = await call("search_orders", customer="ada byron")
    assert json.loads(outcome.value) == {
        "orders": [{"order": "A-1042", "item": "blue mug", "count": 2, "paid": 12.5, "status": "delivered"}],
        "cursor": None,
    }
    assert outcome.content == outcome.value
    assert outcome.cursor == ""


async def test_paging_visits_every_order_once(call: Call) -> None:
    first = await call("search_orders", customer="Blue Door Café")
    assert first.content.endswith(f'\n… showing 10 of 214 rows; call again with cursor "{first.cursor}"')
    seen, cursor = [], None
    while True:
        page = await call("search_orders", customer="Blue Door Café", limit=20, cursor=cursor)
        seen += [order["order"] for order in json.loads(page.value)["orders"]]
        if not page.cursor:
            break
        cursor = page.cursor
    assert len(seen) == len(set(seen)) == 214
    assert page.content.endswith("\n… showing 14 of 214 rows")


async def test_a_status_narrows_the_search(call: Call) -> None:
    statuses = ("open", "shipped", "delivered", "cancelled")
    totals = []
    for status in statuses:
        outcome = await call("search_orders", customer="Blue Door Café", status=status, limit=20)
        orders = json.loads(outcome.value)["orders"]
        assert {order["status"] for order in orders} == {status}
        totals.append(int(outcome.content.rpartition(" of ")[2].split()[0]) if outcome.cursor else len(orders))
    assert sum(totals) == 214


async def test_searches_that_cannot_be(call: Call) -> None:
    outcome = await call("search_orders", customer="ada")
    assert outcome.content == 'No customer "ada". Customers on file: "Ada Byron", "Blue Door Café".'
    cursor = (await call("search_orders", customer="Blue Door Café")).cursor
    for wrong in ("10", "10-00000000", "x", "９-00000000"):
        outcome = await call("search_orders", customer="Blue Door Café", cursor=wrong)
        assert outcome.content == (
            f'The cursor "{wrong}" is not of this search. Leave it out to begin with the newest order.'
        )
    other = await call("search_orders", customer="Blue Door Café", status="shipped", cursor=cursor)
    assert other.outcome == "failed"
    for limit in (0, 21, "10", 10.0):
        assert (await call("search_orders", customer="Ada Byron", limit=limit)).detail == "refused"


async def test_a_refund_is_written_to_the_ledger(call: Call, folder: Workspace) -> None:
    outcome = await call("create_refund", order="A-1042", amount=6.25)
    assert outcome.content == "Refunded 6.25 for order A-1042."
    assert (await call("create_refund", order="A-1042", amount=5)).content == "Refunded 5.00 for order A-1042."
    assert tomllib.loads((folder.root / "refunds.toml").read_text()) == {
        "refund": [{"order": "A-1042", "amount": 6.25}, {"order": "A-1042", "amount": 5.0}]
    }


@pytest.mark.parametrize(
    ("order", "amount", "text"),
    [
        ("a-1042", 6.25, 'Unknown order "a-1042". Order numbers are upper case, for example "A-1042".'),
        ("A-9999", 6.25, 'Unknown order "A-9999". search_orders lists the orders of a customer.'),
        ("A-1042", 62.5, "62.50 is more than order A-1042 paid. At most 12.50 can be refunded."),
        ("A-1042", 1.255, "1.255 has more than two decimals. Give whole cents, for example 1.25."),
    ],
)
async def test_a_refund_that_cannot_be(call: Call, folder: Workspace, order: str, amount: float, text: str) -> None:
    outcome = await call("create_refund", order=order, amount=amount)
    assert (outcome.outcome, outcome.content) == ("failed", text)
    assert list(folder.root.iterdir()) == []


@pytest.mark.parametrize("amount", [0, -1, "6.25", None])
async def test_an_amount_is_a_positive_number(call: Call, amount: Any) -> None:
    assert (await call("create_refund", order="A-1042", amount=amount)).detail == "refused"


def test_a_refund_is_previewed(preview: Preview) -> None:
    assert preview("create_refund", order="A-1042", amount=6.25) == (
        "Refunds 6.25 to Ada Byron. Order A-1042 paid 12.50."
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_refund", {"order": "A-1042", "amount": 62.5}),
        ("create_refund", {"order": "A-1042", "amount": 6.255}),
        ("create_refund", {"order": "a-1042", "amount": 1}),
        ("set_ticket_status", {"ticket": "t-88", "status": "closed"}),
        ("send_email", {"to": "ada", "subject": "x", "body": "y"}),
        ("send_email", {"to": "ada@example.com", "subject": "x\ny", "body": "y"}),
        ("write_file", {"path": "../a.txt", "text": "1"}),
        ("write_file", {"path": "folder", "text": "1"}),
        ("write_file", {"path": "a.txt/b.txt", "text": "1"}),
    ],
)
async def test_what_a_tool_refuses_its_preview_says(
    call: Call, preview: Preview, folder: Workspace, tool: str, arguments: dict[str, Any]
) -> None:
    (folder.root / "folder").mkdir()
    (folder.root / "a.txt").write_text("a")
    outcome = await call(tool, **arguments)
    assert outcome.outcome == "failed"
    said = preview(tool, **arguments).removeprefix("The tool will refuse this: ")
    assert outcome.content.startswith(said.rstrip("."))


# ---------------------------------------------------------------- tickets, mail, builds


async def test_a_ticket_is_put_in_a_state_and_twice_does_no_harm(
    call: Call, preview: Preview, folder: Workspace
) -> None:
    assert preview("set_ticket_status", ticket="T-88", status="closed") == "Sets ticket T-88 from open to closed."
    first = await call("set_ticket_status", ticket="T-88", status="closed")
    again = await call("set_ticket_status", ticket="T-88", status="closed")
    assert first.content == again.content == "Ticket T-88 is closed."
    assert again.effects == ()
    await call("set_ticket_status", ticket="T-88", status="pending")
    assert tomllib.loads((folder.root / "tickets.toml").read_text())["change"] == [
        {"ticket": "T-88", "status": "closed"},
        {"ticket": "T-88", "status": "pending"},
    ]
    assert preview("set_ticket_status", ticket="T-88", status="open") == "Sets ticket T-88 from pending to open."


async def test_tickets_set_at_the_same_time_are_all_kept(call: Call, folder: Workspace) -> None:
    tickets = ("T-87", "T-88", "T-89", "T-90")
    await asyncio.gather(*(call("set_ticket_status", ticket=ticket, status="closed") for ticket in tickets))
    changes = tomllib.loads((folder.root / "tickets.toml").read_text())["change"]
    assert sorted(change["ticket"] for change in changes) == list(tickets)


async def test_tickets_that_cannot_be(call: Call, preview: Preview, folder: Workspace) -> None:
    outcome = await call("set_ticket_status", ticket="t-88", status="closed")
    assert outcome.content == 'Unknown ticket "t-88". Tickets on file: "T-87", "T-88", "T-89", "T-90".'
    assert (await call("set_ticket_status", ticket="T-88", status="done")).detail == "refused"
    for broken in ("not toml", "change = 5", "[[change]]\nx = 1\n"):
        (folder.root / "tickets.toml").write_text(broken)
        outcome = await call("set_ticket_status", ticket="T-88", status="closed")
        assert (outcome.outcome, outcome.retry) == ("failed", False)


async def test_a_mail_is_a_file_in_the_outbox(call: Call, preview: Preview, folder: Workspace) -> None:
    mail = {"to": "ada@example.com", "subject": "Your refund", "body": "6.25 is on its way."}
    assert preview("send_email", **mail) == 'Sends "Your refund" to ada@example.com: 19 characters.'
    for _ in range(2):
        assert (await call("send_email", **mail)).content.startswith("Sent to ada@example.com; a copy is in outbox/")
    first, second = sorted((folder.root / "outbox").iterdir())
    assert (first.name[:4], second.name[:4]) == ("001-", "002-")
    assert first.read_text() == "To: ada@example.com\nSubject: Your refund\n\n6.25 is on its way.\n"


async def test_mails_sent_at_the_same_time_are_all_kept(call: Call, folder: Workspace) -> None:
    addresses = [f"{name}@example.com" for name in "abcd"]
    await asyncio.gather(*(call("send_email", to=to, subject="x", body="y") for to in addresses))
    assert len(list((folder.root / "outbox").iterdir())) == 4


@pytest.mark.parametrize(
    "mail",
    [
        {"to": "ada"},
        {"to": "@example.com"},
        {"to": "ada@localhost"},
        {"to": "ada@example.com, eve@example.org"},
        {"to": "ada@example.com\nBcc: eve@example.org"},
        {"subject": "x\nBcc: eve@example.org"},
        {"subject": ""},
    ],
)
async def test_a_mail_that_cannot_be(call: Call, folder: Workspace, mail: dict[str, str]) -> None:
    outcome = await call("send_email", **{"to": "ada@example.com", "subject": "x", "body": "y"} | mail)
    assert outcome.outcome == "failed"
    assert list(folder.root.iterdir()) == []


async def test_a_build_is_pending_four_times_and_then_done(call: Call) -> None:
    states = [json.loads((await call("check_build", build="web-17")).value)["status"] for _ in range(6)]
    assert states == ["pending"] * 4 + ["done"] * 2
    assert json.loads((await call("check_build", build="other")).value)["status"] == "pending"
    assert (await call("check_build", build="a\nb")).content.endswith('It looks like "web-17".')


async def test_the_state_of_a_build_is_that_of_its_sandbox(call: Call, tmp_path: Path, folder: Workspace) -> None:
    effects = [effect for _ in range(3) for effect in (await call("check_build", build="web-17")).effects]
    rebuilt = apply_effects(tmp_path / "again", {}, effects)
    assert (rebuilt.root / "builds.txt").read_bytes() == (folder.root / "builds.txt").read_bytes()
