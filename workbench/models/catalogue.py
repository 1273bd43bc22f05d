"""What is known of live models before they are asked: list prices, each with its day, and whose address is whose."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from workbench.core.values import Prices
from workbench.models.wire.endpoint import WireName

_DATED = re.compile(r"-(?:20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2})$")
"""The day that a vendor puts behind the name of a model to pin a version of it."""


@dataclass(frozen=True, slots=True)
class ListPrice:
    """What a vendor charges, USD per million tokens."""

    prices: Prices
    on: str
    """The day on which it was looked up, ISO 8601."""
    source: str
    """The title of the page that says it."""


def list_price(wire: WireName, model: str) -> ListPrice | None:
    """The vendor's list price for a model at its own address; None is unknown, which is not free."""
    known = list_prices().get(wire, {})
    return known.get(model) or known.get(_DATED.sub("", model))


@cache
def list_prices() -> dict[str, dict[str, ListPrice]]:
    """All list prices, by wire and name of the model."""
    tables = tomllib.loads(Path(__file__).with_name("prices.toml").read_text("utf-8"))
    return {wire: {model: _price(row) for model, row in rows.items()} for wire, rows in tables.items()}


def _price(row: dict[str, object]) -> ListPrice:
    figures: dict[str, Any] = {name: value for name, value in row.items() if name not in ("date", "source")}
    return ListPrice(Prices(**figures), str(row["date"]), str(row["source"]))
