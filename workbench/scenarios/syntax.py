"""What is wrong with a text that is no TOML: the line, the key, and what to write instead, as far as it can be told."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Container

from workbench.scenarios.errors import Path, Problem, dotted
from workbench.scenarios.locate import Locations, Pair, Place, locate

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_GIVEN_TWICE = ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Cannot redefine", "Duplicate inline")
_BEGINS_A_TEXT = re.compile(r"=[ \t]*(?:'{3}|\"{3})\s*$")
_PAIR = re.compile(r"\s*(?P<key>[^=\[{]+?)\s*=\s*(?P<value>.*?)\s*")
_HEADER = re.compile(r"\s*\[{1,2}(?P<name>[^\]\[]+)")
_CURLY = str.maketrans("“”„‘’", '"""\'\'')
_SHOWN = 100
"""Characters of a line that are written again as they should be."""
STATEMENT = "a line is a key = value, a [table] or a # comment"


def not_toml(message: str, text: str, name: str, several: Container[tuple[str, ...]] = ()) -> Problem:
    """The problem that a TOML parser has with the text, given its message; `name` stands for the file. Of the tables
    `several`, by their path without indices, there may be more than one."""
    locations = locate(text)
    position, last = _POSITION.search(message), locations.last
    line = int(position[1]) if position is not None and position[1] else 0
    if message.startswith(_GIVEN_TWICE):
        if locations.twice:
            path, first, second = locations.twice[0]
            header = ".".join(part for part in path if isinstance(part, str))
            both = f": write [[{header}]] there and here" if tuple(header.split(".")) in several else ""
            around = tuple(part for part in path[:-1] if isinstance(part, str))
            if not both and around in several:
                both = f"; another one begins with [[{'.'.join(around)}]]"
            return Problem(name, second, dotted(path), f"is given twice; the first is on line {first}{both}")
        if line and (found := _taken(text.split("\n")[line - 1], locations)):
            return Problem(name, line, *found)
    if last is not None and _swallowed_a_key(text, last):
        return Problem(
            name, last.line, dotted(last.path), f"is not closed: it ends on line {last.end}, where another text begins"
        )
    what = _POSITION.sub("", message)
    said = f"{what[:1].lower()}{what[1:]}"
    if not line:
        return _at_the_end(said, text, name, last)
    assert position is not None
    column = int(position[2])
    key, after = _key_at(line, locations), ""
    if not key and last is not None and not last.end:
        after = f"; the value of {dotted(last.path)} that begins on line {last.line} is not closed"
    own = text.split("\n")[line - 1]
    # A header inside a value that is not closed is no value that was meant.
    advice = "" if after and own.lstrip().startswith("[") and what == "Invalid value" else _advice(what, own, column)
    return Problem(name, line, key, f"is not TOML at column {column}: {advice or said}{after}")


def _at_the_end(said: str, text: str, name: str, last: Pair | None) -> Problem:
    if last is None or last.end:
        return Problem(name, text.count("\n") + 1, "", f"is not TOML at the end of the file: {said}")
    quotes = said.removeprefix("expected ").strip("\"'")
    missing = next((mark for mark in ("'''", '"""') if mark in said), "")
    if missing and not quotes:
        said = f"{missing} is missing at its end"
    elif not quotes:
        said = "a quote is not closed"
    return Problem(name, last.line, dotted(last.path), f"is not TOML: the file ends inside this value ({said})")


def _key_at(line: int, locations: Locations) -> str:
    """The key whose value begins on that line, or else holds it; "" where there is none."""
    keys = (path for path, place in locations.places.items() if place.line == line and place.how == "key")
    last = locations.last
    within = last is not None and last.line <= line <= last.end
    return dotted(next(keys, last.path if last is not None and within else ()))


def _swallowed_a_key(text: str, value: Pair) -> bool:
    """Whether a text over several lines ends where the next one begins, because its own closing quotes are missing."""
    return value.end > value.line and bool(_BEGINS_A_TEXT.search(text.split("\n")[value.end - 1]))


def _taken(line: str, locations: Locations) -> tuple[str, str] | None:
    """Why the header on that line cannot stand there: a part of its name is something else already."""
    header = _HEADER.match(line)
    names = [part.strip() for part in header["name"].split(".")] if header is not None else []
    for end in range(1, len(names) + 1):
        path: Path = tuple(names[:end])
        place = locations.places.get(path)
        if place is not None and place.how == "key":
            return dotted(path), (
                f"is a value on line {place.line}, so [{'.'.join(names)}] cannot stand below it: "
                f"write [{dotted(path)}] with keys of its own there"
            )
    below = _first_below(tuple(names), locations)
    if names and below is not None:
        return dotted(tuple(names)), (
            f"comes after a table that is part of it, on line {below.line}: {line.strip()} stands first"
        )
    return None


def _first_below(path: Path, locations: Locations) -> Place | None:
    places = locations.places.items()
    return next((place for other, place in places if len(other) > len(path) and other[: len(path)] == path), None)


# ---------------------------------------------------------------- what to write instead


def _advice(what: str, line: str, column: int) -> str:
    """What to write instead; "" where that cannot be told."""
    advise = _ADVICE.get(what)
    return advise(line, line[: column - 1], line[column - 1 :].strip()) if advise is not None else ""


def _too_much(line: str, _: str, rest: str) -> str:
    """A value has ended, and more stands behind it."""
    if rest == ",":
        return "a line does not end in a comma"
    if _is_pair(rest):
        return f"each key stands on a line of its own: a new line is missing before {_short(rest)}"
    pair = _PAIR.fullmatch(line)
    value = pair["value"] if pair is not None else ""
    mark = value[:1]
    if pair is not None and mark in ('"', "'") and not value.startswith(mark * 3) and value.rfind(mark) > 1:
        inner = value[1 : value.rfind(mark)]
        return f"the {mark} inside ends the text; write {pair['key']} = {_quoted(inner)}"
    return f"the value has ended before {_short(rest)}"


def _is_pair(text: str) -> bool:
    """Whether that is a key with its value, and nothing else."""
    try:
        return len(tomllib.loads(text)) == 1
    except ValueError:
        return False


def _quoted(inner: str) -> str:
    """The text in quotes that none of its own characters ends."""
    if "'" not in inner:
        mark = "'"
    elif '"' not in inner and "\\" not in inner:
        mark = '"'
    else:
        mark = "'''"
    return f"{mark}{_short(inner)}{mark}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _no_value(line: str, before: str, rest: str) -> str:
    value = re.split(r"\s*(?:#.*)?$", rest, maxsplit=1)[0]
    if not value:
        return "a value is missing after ="
    if value.lower() in ("true", "false"):
        return f"write {value.lower()}, in small letters"
    if value.lower() in ("null", "none", "nil"):
        return "there is no null; leave the key out"
    if value[0] in "“”„‘’":
        return f"write straight quotes: {_short(value.translate(_CURLY))}"
    if before.count("[") > before.count("]") or before.count("{") > before.count("}"):
        word = re.split(r"[,\]}]", value)[0].strip()
        return f'text is written in quotes: "{_short(word)}"' if word else "a value is missing here"
    pair = _PAIR.fullmatch(line)
    return f"text is written in quotes: {pair['key']} = {_double(value)}" if pair is not None else ""


def _double(text: str) -> str:
    return f'"{_short(text)}"' if '"' not in text and "\\" not in text else _quoted(text)


def _no_equals(line: str, before: str, rest: str) -> str:
    if line.lstrip().startswith(("- ", "--")):
        return _no_statement(line, before, rest)
    if rest.startswith(":"):
        if "{" in before:
            return """in TOML a table has = for : and no quotes, { a = 1 }; or put all of it in quotes: '{"a": 1}'"""
        return f"= stands between a key and its value: {before.strip()} = {_short(rest[1:].strip()) or '…'}"
    if "=" in rest:
        return "a key is one word, without blanks"
    if rest[:1] in ('"', "'", "[", "{") or rest[:1].isdigit():
        return f"= is missing: {before.strip()} = {_short(rest)}"
    return STATEMENT


def _no_statement(line: str, _: str, __: str) -> str:
    start = line.strip()
    if start.startswith(("//", "/*", "--", ";")):
        return "a comment begins with #"
    if start.startswith(("- ", "* ")):
        return 'a list is written in brackets, with commas: ["a", "b"]'
    return "this bracket closes nothing" if start[:1] in ("]", "}") else STATEMENT


def _no_key(_: str, before: str, rest: str) -> str:
    if "{" in before and (not rest or rest[0] in "}#"):
        return "a table in { } stands on one line, without a comma at its end"
    return ""


def _unclosed(line: str, _: str, __: str) -> str:
    pair = _PAIR.fullmatch(line)
    value = pair["value"] if pair is not None else ""
    closed = (
        f"; on one line it is {pair['key']} = {_short(value)}{value[0]}" if pair and value[:1] in ("'", '"') else ""
    )
    return f"a quote is not closed; a text over several lines stands between ''' and '''{closed}"


def _header(mark: str) -> Callable[[str, str, str], str]:
    def advise(line: str, _: str, __: str) -> str:
        name = line.partition("#")[0].strip().strip("[] ")
        return f"write {'[' * len(mark)}{name}{mark}"

    return advise


def _says(sentence: str) -> Callable[[str, str, str], str]:
    return lambda _, __, ___: sentence


_ADVICE: dict[str, Callable[[str, str, str], str]] = {
    "Expected newline or end of document after a statement": _too_much,
    "Invalid value": _no_value,
    "Expected '=' after a key in a key/value pair": _no_equals,
    "Invalid statement": _no_statement,
    "Invalid initial character for a key part": _no_key,
    "Expected ']' at the end of a table declaration": _header("]"),
    "Expected ']]' at the end of an array declaration": _header("]]"),
    "Illegal character '\\n'": _unclosed,
    "Found invalid character '\\n'": _unclosed,
    "Unescaped '\\' in a string": _says("in double quotes \\ begins an escape; in single quotes it is only a \\"),
    "Unclosed array": _says("a comma is missing before this, or a ] at the end of the list"),
    "Unclosed inline table": _says("a comma is missing before this, or a } at the end of the table"),
}
"""What the parser says, and who knows what to write: given the line, what stands before the place and what after."""
