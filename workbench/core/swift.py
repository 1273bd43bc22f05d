"""Frozen dataclasses that are quick to make."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def swift(cls: type[T]) -> type[T]:
    """Give a frozen, slotted dataclass an `__init__` that takes half the time; nothing else about it changes.

    The one that `dataclass` writes calls `object.__setattr__` for each field, which for the values of one step of a run
    was a fifth of the engine's time. This one takes the same arguments and stores them through the slots themselves.
    """
    scope: dict[str, Any] = {}
    parameters, body = [], []
    for item in fields(cls):  # type: ignore[arg-type]
        parameters.append(_parameter(item, scope))
        scope[f"set_{item.name}"] = getattr(cls, item.name).__set__
        if item.default_factory is not MISSING:
            body.append(f"    if {item.name} is MISSING: {item.name} = default_{item.name}()")
        body.append(f"    set_{item.name}(self, {item.name})")
    keywords = "*, " if all(item.kw_only for item in fields(cls)) else ""  # type: ignore[arg-type]
    exec("\n".join((f"def __init__(self, {keywords}{', '.join(parameters)}):", *body)), scope)  # noqa: S102
    init = scope["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    setattr(cls, "__init__", init)  # noqa: B010 - a plain assignment is no method to a type checker
    return cls


def _parameter(item: Field[Any], scope: dict[str, Any]) -> str:
    if item.default is not MISSING:
        scope[f"default_{item.name}"] = item.default
        return f"{item.name}=default_{item.name}"
    if item.default_factory is not MISSING:
        scope["MISSING"], scope[f"default_{item.name}"] = MISSING, item.default_factory
        return f"{item.name}=MISSING"
    return item.name
