"""`${…}` in scripted replies and in the steps of a plan: read once, filled whenever they are due.

A template is a tuple of literal texts and slots. `$${` stands for a literal `${`. Names are `last`, `total`,
`result1`, `result2`, … and whatever was captured; what they stand for is the caller's to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from workbench.core.patterns import search
from workbench.core.persistent import Log

_MARK = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{")
_BUILTIN = re.compile(r"last|total|result[1-9][0-9]{0,5}")
_TEXT = ("string", ["string", "null"])
"""The types of a schema that takes nothing but text."""
_NUMBER = re.compile(r"\s*-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*")


def filled_in(text: str, stand_in: str = "0") -> str:
    """The text with something in place of each template, for what can be told of it before there is a run."""
    return _MARK.sub(lambda found: stand_in if found[1] else "${", text)


class TemplateError(ValueError):
    """A template that cannot be read, or a name that stands for nothing (yet). The message is for people."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value. `text` takes it as it is, `string` inside a JSON string, `value` as a JSON value, and
    `words` as a JSON string, also what would be another value.
    """

    name: str
    form: Literal["text", "string", "value", "words"]


Template = tuple[str | Slot, ...]
Lookup = Callable[[str], str]


def is_builtin(name: str) -> bool:
    """Whether the name is one that is always there: `last`, `total`, `result1`, …"""
    return _BUILTIN.fullmatch(name) is not None


def compile_text(text: str) -> Template:
    """The template of a plain text. Raises TemplateError for a `${` that is not `${name}`."""
    if "${" not in text:
        return (text,) if text else ()
    return _merged(_parts(text, "text"))


def compile_json(value: Any, schema: Any = None) -> Template:
    """The template of a JSON text for `value`, with slots in its strings; a string that is one slot becomes a value.

    `value` is made of dicts with text keys, lists, strings, numbers and booleans. Where its JSON schema, if it is
    known, takes nothing but text, the slot becomes text. Raises TemplateError as above.
    """
    return _merged(_json_parts(value, schema))


def names(template: Template) -> list[str]:
    """The names a template needs, in order."""
    return [part.name for part in template if isinstance(part, Slot)]


def is_literal(template: Template) -> bool:
    """Whether a template has no slots."""
    return not template or (len(template) == 1 and isinstance(template[0], str))


def literal(template: Template) -> str:
    """The text of a template, its slots left out."""
    return "".join([part for part in template if isinstance(part, str)])


def source(template: Template) -> str:
    """The template as it is written, for people."""
    return "".join([part if isinstance(part, str) else f"${{{part.name}}}" for part in template])


def fill(template: Template, lookup: Lookup) -> str:
    """The text of the template. `lookup` gives the value of a name, or raises TemplateError."""
    return "".join([part if isinstance(part, str) else _rendered(part, lookup(part.name)) for part in template])


def captured(wanted: Sequence[tuple[str, str]], text: str, where: str) -> dict[str, str]:
    """What the named patterns find in the text: group 1, or the whole match. `where` names the text in messages.

    Raises TemplateError for one that finds nothing.
    """
    captures = {}
    for name, pattern in wanted:
        match = search(pattern, text)
        if match is None:
            raise TemplateError(f"capture {name} = {pattern!r} finds nothing in {where}")
        captures[name] = (match.group(1) if match.re.groups else match.group()) or ""
    return captures


def total(results: Iterable[str]) -> str:
    """The sum of those results that are numbers; whole as long as all of them are. Raises TemplateError."""
    added: int | float = 0
    try:
        for match in filter(None, map(_NUMBER.fullmatch, results)):
            added += float(match.group()) if match.group(1) or match.group(2) else int(match.group())
        return json.dumps(added, allow_nan=False)
    except (ValueError, OverflowError):
        raise TemplateError("${total} cannot be added up: it is too large, or a result has too many digits") from None


def nth_result(name: str, results: Sequence[str] | Log[str]) -> str:
    """What `${result1}`, `${result2}`, … stands for. Raises TemplateError where there are not so many."""
    number, count = int(name.removeprefix("result")), len(results)
    if number > count:
        so_far = "no result" if count == 0 else "only 1 result" if count == 1 else f"only {count} results"
        raise TemplateError(f"${{{name}}} stands for nothing: there is {so_far} so far")
    return results[number - 1]


def _parts(text: str, form: Literal["text", "string"]) -> Iterator[str | Slot]:
    at = 0
    for mark in _MARK.finditer(text):
        yield text[at : mark.start()]
        at = mark.end()
        if mark.group(1) is not None:
            yield Slot(mark.group(1), form)
        elif mark.group() == "$${":
            yield "${"
        else:
            raise TemplateError("${ must be followed by a name and }, as in ${result1}; for a literal ${ write $${")
    yield text[at:]


def _json_parts(value: Any, schema: Any) -> Iterator[str | Slot]:
    schema = schema if isinstance(schema, Mapping) else {}
    if isinstance(value, str):
        parts = [part for part in _parts(value, "string") if part != ""]
        if len(parts) == 1 and isinstance(parts[0], Slot):
            yield Slot(parts[0].name, "words" if schema.get("type") in _TEXT else "value")
            return
        yield '"'
        for part in parts:
            yield _escaped(part) if isinstance(part, str) else part
        yield '"'
    elif isinstance(value, Mapping):
        yield "{"
        properties = schema.get("properties")
        known = properties if isinstance(properties, Mapping) else {}
        for index, (key, item) in enumerate(value.items()):
            yield f"{', ' if index else ''}{json.dumps(key, ensure_ascii=False)}: "
            yield from _json_parts(item, known.get(key, schema.get("additionalProperties")))
        yield "}"
    elif isinstance(value, Sequence):
        yield "["
        for index, item in enumerate(value):
            if index:
                yield ", "
            yield from _json_parts(item, schema.get("items"))
        yield "]"
    else:
        yield json.dumps(value, allow_nan=False)


def _merged(parts: Iterator[str | Slot]) -> Template:
    out: list[str | Slot] = []
    literal: list[str] = []
    for part in parts:
        if isinstance(part, str):
            literal.append(part)
            continue
        if text := "".join(literal):
            out.append(text)
        literal.clear()
        out.append(part)
    if text := "".join(literal):
        out.append(text)
    return tuple(out)


def _rendered(slot: Slot, content: str) -> str:
    if slot.form == "text":
        return content
    if slot.form == "string":
        return _escaped(content)
    fits = slot.form == "value" or content.lstrip().startswith('"')
    return content.strip() if fits and _is_json(content) else json.dumps(content, ensure_ascii=False)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _is_json(text: str) -> bool:
    # Numbers are only looked at, never computed: a result of 5,000 digits goes through unchanged.
    try:
        json.loads(text, parse_int=len, parse_float=len, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
