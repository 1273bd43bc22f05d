"""Sums and products: pure and instant."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from workbench.toolkit.api import ToolError, tool


@tool(risk="read", source="arithmetic", inline=True)
def add(a: float, b: float) -> float:
    """The sum of two numbers. Call this instead of adding in your head.

    a: the first number.
    b: the second number.
    """
    return _computed("sum", operator.add, a, b)


@tool(risk="read", source="arithmetic", inline=True)
def multiply(a: float, b: float) -> float:
    """The product of two numbers. Call this instead of multiplying in your head.

    a: the first number.
    b: the second number.
    """
    return _computed("product", operator.mul, a, b)


def _computed(what: str, operation: Callable[[float, float], float], a: float, b: float) -> float:
    """What the operation gives: exact for whole numbers, and never infinite."""
    try:
        result = operation(a, b)
    except OverflowError:
        result = math.inf
    if isinstance(result, float) and not math.isfinite(result):
        raise ToolError(f"The {what} is too large to be written as a decimal number; use whole numbers.")
    return result
