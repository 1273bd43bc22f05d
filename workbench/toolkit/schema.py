"""From a function's signature and docstring to the arguments it takes: their JSON Schema and their check."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_type_hints

from workbench.toolkit.kinds import Kind, Refused, SchemaError, kind_of, listed
from workbench.toolkit.paths import quoted

_PARAMETER_LINE = re.compile(r"(\w+):\s+(\S.*)")


class ArgumentError(Exception):
    """Arguments that a tool does not take; the message is for the model."""


class Arguments:
    """What a tool takes. `schema` is the JSON Schema as text; `bind` checks a call. Raises SchemaError when made."""

    def __init__(self, name: str, function: Callable[..., Any], texts: Mapping[str, str]) -> None:
        self._name = name
        self._kinds: dict[str, Kind] = {}
        properties: dict[str, Any] = {}
        required: list[str] = []
        shared: dict[str, Any] = {}
        for parameter, annotation in _parameters(function):
            try:
                kind = kind_of(annotation)
            except SchemaError as error:
                raise SchemaError(f"parameter {parameter.name!r} {error}") from None
            self._kinds[parameter.name] = kind
            schema = dict(kind.schema)
            _share(schema.pop("$defs", {}), shared)
            if parameter.name in texts:
                schema["description"] = texts[parameter.name]
            if parameter.default is parameter.empty:
                required.append(parameter.name)
            else:
                schema |= _default(parameter.default)
            properties[parameter.name] = schema
        whole: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            whole["required"] = required
        whole["additionalProperties"] = False
        if shared:
            whole["$defs"] = shared
        self.schema = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
        self._required = frozenset(required)
        self._takers = {parameter: kind.take for parameter, kind in self._kinds.items()}

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function; defaults are left to it. Raises ArgumentError with every problem."""
        takers = self._takers
        try:
            bound = {name: takers[name](value) for name, value in given.items()}
        except (KeyError, Refused):
            raise ArgumentError(self._describe(self._problems(given))) from None
        if not self._required <= bound.keys():
            raise ArgumentError(self._describe(self._problems(given)))
        return bound

    def check_names(self, given: Mapping[str, Any]) -> None:
        """Whether the arguments are those that it takes, whatever their values. Raises ArgumentError."""
        if problems := [*self._misnamed(given)]:
            raise ArgumentError(self._describe(problems))

    def _describe(self, problems: Iterable[str]) -> str:
        return " ".join((f"Invalid arguments for {self._name}.", *problems))

    def _problems(self, given: Mapping[str, Any]) -> Iterator[str]:
        yield from self._misnamed(given)
        for name, value in given.items():
            if name in self._kinds:
                try:
                    self._takers[name](value)
                except Refused as refused:
                    for where, text in refused.problems:
                        yield f'Parameter "{name}{where}" {text}.'

    def _misnamed(self, given: Mapping[str, Any]) -> Iterator[str]:
        unknown = [name for name in given if name not in self._kinds]
        missing = [name for name in self._kinds if name in self._required and name not in given]
        for name in unknown:
            yield f"Unknown parameter {quoted(name)}{self._nearest(name)}."
        for name in missing:
            yield f'Missing parameter "{name}".'
        if unknown or missing:
            yield f"{self._name} takes {self._signature()}."

    def _nearest(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name[:100], self._kinds, n=1)
        return f'; the nearest is "{near[0]}"' if near else ""

    def _signature(self) -> str:
        if not self._kinds:
            return "no arguments"
        return listed((f'"{name}" ({kind.words})' for name, kind in self._kinds.items()), "and")


def describe(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The description of a function and of its parameters, from its docstring.

    After the first line, a line `name: text` that begins with the name of a parameter describes it, up to the next such
    line or an empty one; everything else is the description.
    """
    names = inspect.signature(function).parameters.keys()
    lines = inspect.cleandoc(function.__doc__ or "").splitlines()
    description, texts = lines[:1], dict[str, str]()
    open_name = ""
    for line in lines[1:]:
        found = _PARAMETER_LINE.match(line)
        if found is not None and found[1] in names:
            open_name = found[1]
            texts[open_name] = found[2].strip()
        elif not line.strip():
            open_name = ""
            description.append("")
        elif open_name:
            texts[open_name] += f" {line.strip()}"
        else:
            description.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(description)).strip(), texts


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[inspect.Parameter, Any]]:
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise SchemaError(f"a type in the signature cannot be read: {error}") from None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise SchemaError(f"parameter {parameter.name!r} cannot be given by name")
        if parameter.name not in hints:
            raise SchemaError(f"parameter {parameter.name!r} has no type")
        yield parameter, hints[parameter.name]


def _share(found: Mapping[str, Any], shared: dict[str, Any]) -> None:
    """References point at the root of a schema, so definitions move there."""
    for name, definition in found.items():
        if shared.setdefault(name, definition) != definition:
            raise SchemaError(f"two different types are named {name!r}")


def _default(value: Any) -> dict[str, Any]:
    value = getattr(value, "value", value)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return {}
    return {"default": value}
