"""`workbench models`: the live models, what each lacks, and whether its server answers."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Sequence
from typing import Any

from workbench.cli.output import out
from workbench.cli.places import home_of
from workbench.cli.tables import print_rows
from workbench.models.ping import ping
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.wires import WIRES
from workbench.scenarios.live import endpoint_of, load_models, missing
from workbench.scenarios.schema import ModelTable, Scenario
from workbench.view.visible import visible

COLUMNS = ("name", "wire", "model", "base_url", "key", "price")


def models(options: argparse.Namespace) -> int:
    """`workbench models [--ping]`."""
    home = home_of(options)
    known = load_models(home.models, trusted=home.tools_trusted)
    endpoints = [endpoint_of(Scenario(goal="-", model=ModelTable(use=entry.name)), known) for entry in known.entries]
    wires = [
        Endpoint(wire=wire.name, model="", base_url=wire.base_url, key_env=wire.key_env, key_needed=bool(wire.key_env))
        for wire in WIRES.values()
    ]
    rows = [_row(endpoint) for endpoint in (*endpoints, *wires)]
    answers = asyncio.run(_ping_all(endpoints, rows)) if options.ping else []
    for row, (well, sentence) in zip(rows, answers, strict=False):
        row["ping"] = {"well": well, "says": sentence}
    if options.json:
        out(json.dumps(rows, indent=2))
    else:
        print_rows(rows, COLUMNS)
        for row in rows:
            for sentence in _sentences(row):
                out(visible(f"{row['name']}: {sentence}"))
        if not known.entries:
            out(visible(f"models of your own go into {known.file}; any other is --model WIRE:NAME"))
    return 0 if all(well for well, _ in answers) else 1


async def _ping_all(endpoints: Sequence[Endpoint], rows: Sequence[dict[str, Any]]) -> list[tuple[bool, str]]:
    async def one(endpoint: Endpoint, row: dict[str, Any]) -> tuple[bool, str]:
        if row["key"].endswith("not set") and endpoint.key_needed:
            return False, f"not asked, as {endpoint.key_env} is not set"
        return await ping(endpoint)

    return list(await asyncio.gather(*map(one, endpoints, rows)))


def _row(endpoint: Endpoint) -> dict[str, Any]:
    named = endpoint.model != ""
    return {
        "name": endpoint.shown,
        "wire": endpoint.wire,
        "model": endpoint.model or f"any: --model {endpoint.wire}:NAME",
        "base_url": endpoint.base_url,
        "key": _key(endpoint),
        "price": _price(endpoint) if named else "by model",
        "missing": missing(endpoint) if named else [],
    }


def _sentences(row: dict[str, Any]) -> list[str]:
    answer = row.get("ping")
    return [*row["missing"], *([answer["says"]] if answer else [])]


def _key(endpoint: Endpoint) -> str:
    """Which variable holds the key, and whether it does; never the key."""
    if not endpoint.key_env:
        return "none"
    return f"{endpoint.key_env} {'set' if os.environ.get(endpoint.key_env, '').strip() else 'not set'}"


def _price(endpoint: Endpoint) -> str:
    prices = endpoint.prices
    if prices is None:
        return "unknown"
    list_of = f", list of {endpoint.priced_on}" if endpoint.priced_on else ""
    return f"${prices.input:g} in, ${prices.output:g} out a million{list_of}"
