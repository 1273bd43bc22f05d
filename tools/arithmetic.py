"""Sums and products: pure and instant."""

from __future__ import annotations

from workbench.toolkit.api import ToolError, tool


@tool(risk="read", source="arithmetic", inline=True)
def add(a: float, b: float) -> float:
    """The sum of two numbers. Call this instead of adding in your head.

    a: the first number.
    b: the second number.
    """
    try:
        return a + b
    except OverflowError:
        raise ToolError("The sum is too large to be written as a decimal number; use whole numbers.") from None


@tool(risk="read", source="arithmetic", inline=True)
def multiply(a: float, b: float) -> float:
    """The product of two numbers. Call this instead of multiplying in your head.

    a: the first number.
    b: the second number.
    """
    try:
        return a * b
    except OverflowError:
        raise ToolError("The product is too large to be written as a decimal number; use whole numbers.") from None
