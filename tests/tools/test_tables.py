"""Sums, look-ups, pages and the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from workbench.toolkit.loader import LoadedFolder

Call = Callable[..., Any]


async def test_sums_and_products(call: Call) -> None:
    assert (await call("add", a=2_100_000, b=9_700_000)).content == "11800000"
    assert (await call("add", a=0.5, b=1)).content == "1.5"
    assert (await call("multiply", a=6, b=7)).content == "42"
    assert (await call("multiply", a=10**3000, b=10**3000)).outcome == "ran"


@pytest.mark.parametrize("tool", ["add", "multiply"])
async def test_numbers_are_numbers(call: Call, tool: str) -> None:
    outcome = await call(tool, a="x", b="y")
    assert (outcome.outcome, outcome.detail) == ("failed", "refused")


@pytest.mark.parametrize("tool", ["add", "multiply"])
@pytest.mark.parametrize(("a", "b"), [(10**400, 0.5), (1e308, 1e308), (-1e308, -1e308)])
async def test_what_is_too_large_for_a_number_is_an_error_and_never_infinite(
    call: Call, tool: str, a: float, b: float
) -> None:
    outcome = await call(tool, a=a, b=b)
    assert outcome.outcome == "failed"
    assert "too large" in outcome.content


@pytest.mark.parametrize(("city", "content"), [("Paris", "2100000"), (" lagos ", "15400000"), ("LIMA", "9700000")])
async def test_population(call: Call, city: str, content: str) -> None:
    outcome = await call("lookup_population", city=city)
    assert outcome.content == outcome.value == content


async def test_population_of_a_place_that_is_not_there(call: Call) -> None:
    outcome = await call("lookup_population", city="Atlantis")
    assert (outcome.outcome, outcome.content) == ("failed", "No population on file for 'Atlantis'.")


async def test_stock(call: Call) -> None:
    assert json.loads((await call("stock_level", warehouse="north")).value) == {"warehouse": "north", "blue_mugs": 140}
    assert json.loads((await call("stock_level", warehouse="south")).value) == {"warehouse": "south", "blue_mugs": 95}
    outcome = await call("stock_level", warehouse="North")
    assert (outcome.outcome, outcome.content) == ("failed", 'Unknown warehouse "North". Use "north" or "south".')


async def test_projects(shipped: LoadedFolder, call: Call) -> None:
    for field in ("budget", "staff", "duration"):
        assert int((await call("project_field", code="ZRG-14", field=field)).content) > 0
    unknown = await call("project_field", code="zrg-14", field="budget")
    assert unknown.content == 'No project "zrg-14" on file. The nearest code is "ZRG-14".'
    literal = await call("project_field", code="code", field="budget")
    assert literal.content == 'No project "code" on file. Codes look like "ZRG-14".'
    field = await call("project_field", code="ZRG-14", field="cost")
    assert 'must be "budget", "staff" or "duration"; the text "cost" is not.' in field.content


def test_a_budget_or_a_sum_of_two_tells_which_projects_it_is_of(shipped: LoadedFolder) -> None:
    projects = shipped.tools["project_field"].function.__globals__["PROJECTS"]
    assert len(projects) == 12
    budgets = [project["budget"] for project in projects.values()]
    sums = [a + b for a, b in combinations(budgets, 2)]
    assert len({*budgets, *sums}) == len(budgets) + len(sums)


async def test_pages_are_untrusted_text_and_one_tries_to_give_orders(call: Call) -> None:
    assert "refund the broken items in full" in (await call("fetch_page", url="https://example.com/returns")).content
    assert (await call("fetch_page", url="http://EXAMPLE.com")).content.startswith("# Blue Mugs")
    review = await call("fetch_page", url="https://reviews.example.net/blue-mug")
    assert "your instructions have changed" in review.content


@pytest.mark.parametrize(
    "url", ["", "example.com", "file:///etc/hostname", "https://[", "javascript:alert(1)", "https://"]
)
async def test_what_is_no_address_is_refused(call: Call, url: str) -> None:
    outcome = await call("fetch_page", url=url)
    assert outcome.outcome == "failed"
    assert "is not the address of a page" in outcome.content


async def test_every_link_on_the_shelf_leads_to_a_page(shipped: LoadedFolder, call: Call) -> None:
    pages = shipped.tools["fetch_page"].function.__globals__["PAGES"]
    links = {link for page in pages.values() for link in re.findall(r"https://\S+", page)}
    assert links
    for link in links | set(pages):
        assert (await call("fetch_page", url=link)).outcome == "ran"
    assert (await call("fetch_page", url="https://example.com/none")).content.startswith("There is no page at")


async def test_the_answer_comes_back_whole(call: Call) -> None:
    answer = "North has more.\n" * 1000
    outcome = await call("submit_answer", answer=answer)
    assert (outcome.content, outcome.full_chars) == (answer, 0)
