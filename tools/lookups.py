"""Small fixed tables to look things up in: cities, warehouses, and projects that exist nowhere else."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Literal

from workbench.toolkit.api import ToolError, tool

POPULATIONS = {"paris": 2_100_000, "lagos": 15_400_000, "lima": 9_700_000}
BLUE_MUGS = {"north": 140, "south": 95}
PROJECTS = {
    "BKT-07": {"budget": 318_400, "staff": 9, "duration": 14},
    "DLM-31": {"budget": 1_062_750, "staff": 27, "duration": 31},
    "FHQ-22": {"budget": 87_930, "staff": 4, "duration": 6},
    "GXN-58": {"budget": 742_180, "staff": 18, "duration": 23},
    "HVR-03": {"budget": 2_415_600, "staff": 63, "duration": 47},
    "JPL-46": {"budget": 159_270, "staff": 6, "duration": 11},
    "KWS-19": {"budget": 534_910, "staff": 15, "duration": 19},
    "MTC-64": {"budget": 976_340, "staff": 22, "duration": 28},
    "QDB-12": {"budget": 41_860, "staff": 3, "duration": 5},
    "RYF-77": {"budget": 1_283_090, "staff": 34, "duration": 37},
    "VNA-85": {"budget": 265_530, "staff": 8, "duration": 13},
    "ZRG-14": {"budget": 487_620, "staff": 12, "duration": 17},
}
"""Budgets in whole euros, staff in people, durations in months. Invented, so that no model can know them."""


@tool(risk="read", source="database")
def lookup_population(city: str) -> int:
    """Population of a city, from a small fixed table. Call this when a question needs how many people live somewhere.

    city: the name of one city, in any case, for example "Paris".
    """
    population = POPULATIONS.get(city.strip().lower())
    if population is None:
        raise ToolError(f"No population on file for {city!r}.")
    return population


@tool(risk="read", source="database")
def stock_level(warehouse: str) -> dict[str, str | int]:
    """How many blue mugs a warehouse has in stock. Call this once for each warehouse that the question is about.

    warehouse: the name of the warehouse.
    """
    count = BLUE_MUGS.get(warehouse)
    if count is None:
        raise ToolError(f'Unknown warehouse "{warehouse}". Use "north" or "south".')
    return {"warehouse": warehouse, "blue_mugs": count}


@tool(risk="read", source="projects")
def project_field(code: str, field: Literal["budget", "staff", "duration"]) -> int:
    """One figure of one project. Call this for every figure you need; the codes and figures cannot be guessed.

    code: the code of the project, three letters and two digits, for example "ZRG-14".
    field: which figure: the budget in euros, the staff in people, or the duration in months.
    """
    project = PROJECTS.get(code)
    if project is None:
        near = get_close_matches(code.upper(), PROJECTS, n=1, cutoff=0.8)
        hint = f' The nearest code is "{near[0]}".' if near else ' Codes look like "ZRG-14".'
        raise ToolError(f'No project "{code}" on file.{hint}')
    return project[field]
