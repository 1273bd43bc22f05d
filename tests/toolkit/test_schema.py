"""A signature and a docstring become a schema; a call is checked by it, strictly and with exact words."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import annotated_types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from workbench.toolkit.kinds import Bounds, Refused, SchemaError, kind_of, listed, shown
from workbench.toolkit.schema import ArgumentError, Arguments, describe


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


class Filter(BaseModel):
    least: int
    words: list[str] = []


@dataclass
class Point:
    x: float
    y: float


def arguments_of(annotation: Any, *default: Any) -> Arguments:
    """Arguments with the one parameter `x` of that type."""

    def function(x):  # type: ignore[no-untyped-def]
        return x

    function.__annotations__ = {"x": annotation}
    function.__defaults__ = default or None
    return Arguments("f", function, {})


def problem(annotation: Any, value: Any) -> str:
    with pytest.raises(ArgumentError) as caught:
        arguments_of(annotation).bind({"x": value})
    return str(caught.value).removeprefix("Invalid arguments for f. ")


def property_of(annotation: Any, *default: Any) -> dict[str, Any]:
    properties: dict[str, dict[str, Any]] = json.loads(arguments_of(annotation, *default).schema)["properties"]
    return properties["x"]


def test_a_whole_signature_becomes_a_closed_object_schema() -> None:
    def search(customer: str, limit: int = 10, *, exact: bool = False) -> None: ...

    assert json.loads(Arguments("search", search, {"customer": "Full name."}).schema) == {
        "type": "object",
        "properties": {
            "customer": {"type": "string", "description": "Full name."},
            "limit": {"type": "integer", "default": 10},
            "exact": {"type": "boolean", "default": False},
        },
        "required": ["customer"],
        "additionalProperties": False,
    }


def test_a_function_without_parameters_takes_the_empty_object() -> None:
    def nothing() -> None: ...

    arguments = Arguments("nothing", nothing, {})
    assert json.loads(arguments.schema) == {"type": "object", "properties": {}, "additionalProperties": False}
    assert arguments.bind({}) == {}
    with pytest.raises(ArgumentError, match=r'Unknown parameter "a"\. nothing takes no arguments\.'):
        arguments.bind({"a": 1})


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (float, {"type": "number"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, "b"], {"type": ["integer", "string"], "enum": [1, "b"]}),
        (Size, {"type": "string", "enum": ["s", "l"]}),
        (str | None, {"type": ["string", "null"]}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (Annotated[int, Bounds(ge=1, le=20)], {"type": "integer", "minimum": 1, "maximum": 20}),
        (Annotated[float, annotated_types.Gt(0)], {"type": "number", "exclusiveMinimum": 0}),
        (
            Annotated[float, annotated_types.Interval(ge=0, lt=1)],
            {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
        ),
        (Annotated[str, annotated_types.Len(1, 4)], {"type": "string", "minLength": 1, "maxLength": 4}),
        (
            Annotated[int, Field(ge=1, description="how many")],
            {"type": "integer", "minimum": 1, "description": "how many"},
        ),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (list[Annotated[int, Bounds(ge=1)]], {"type": "array", "items": {"type": "integer", "minimum": 1}}),
    ],
)
def test_schema_of_a_type(annotation: Any, schema: dict[str, Any]) -> None:
    assert property_of(annotation) == schema


def test_definitions_of_nested_types_stand_at_the_root() -> None:
    schema = json.loads(arguments_of(list[Filter]).schema)
    assert schema["properties"]["x"] == {"type": "array", "items": {"$ref": "#/$defs/Filter"}}
    assert schema["$defs"]["Filter"]["required"] == ["least"]


def test_defaults_that_json_can_hold_are_shown() -> None:
    assert property_of(str | None, None)["default"] is None
    assert property_of(Size, Size.LARGE)["default"] == "l"
    assert "default" not in property_of(float, float("nan"))


@pytest.mark.parametrize(
    ("annotation", "value", "taken"),
    [
        (float, 3, 3),
        (float, 2.5, 2.5),
        (int, 10**400, 10**400),
        (Size, "l", Size.LARGE),
        (Literal[1, "b"], 1, 1),
        (Literal[1, True], True, True),
        (str | None, None, None),
        (Annotated[int, Bounds(ge=1)] | None, 4, 4),
        (list[Size], ["s"], [Size.SMALL]),
        (date, "2026-01-31", date(2026, 1, 31)),
        (dict[str, Any], {"a": [None]}, {"a": [None]}),
        (Point, {"x": 1, "y": 2.5}, Point(1.0, 2.5)),
        (Filter, {"least": 3}, Filter(least=3)),
    ],
)
def test_what_is_valid_arrives_as_the_function_expects_it(annotation: Any, value: Any, taken: Any) -> None:
    assert arguments_of(annotation).bind({"x": value}) == {"x": taken}


def test_a_whole_number_for_a_float_stays_whole() -> None:
    assert type(arguments_of(float).bind({"x": 3})["x"]) is int


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (float, "x", 'Parameter "x" must be a number; the text "x" is not.'),
        (float, True, 'Parameter "x" must be a number; true is not.'),
        (float, float("nan"), 'Parameter "x" must be a number; nan is not.'),
        (int, "1", 'Parameter "x" must be a whole number; the text "1" is not.'),
        (int, True, 'Parameter "x" must be a whole number; true is not.'),
        (int, 1.5, 'Parameter "x" must be a whole number; 1.5 is not.'),
        (int, 3.0, 'Parameter "x" must be a whole number without a decimal point: write 3, not 3.0.'),
        (int, None, 'Parameter "x" must be a whole number; null is not.'),
        (bool, 1, 'Parameter "x" must be true or false; 1 is not.'),
        (bool, "true", 'Parameter "x" must be true or false; the text "true" is not.'),
        (str, 5, 'Parameter "x" must be text; 5 is not.'),
        (str, ["a"], 'Parameter "x" must be text; a list is not.'),
        (str, {}, 'Parameter "x" must be text; an object is not.'),
        (str, "half \ud83d", 'Parameter "x" holds half a character (a lone surrogate); leave it out.'),
        (Literal["a", "b", "c"], "d", 'Parameter "x" must be "a", "b" or "c"; the text "d" is not.'),
        (Literal[1], True, 'Parameter "x" must be 1; true is not.'),
        (Literal["a"], ["a"], 'Parameter "x" must be "a"; a list is not.'),
        (Size, "m", 'Parameter "x" must be "s" or "l"; the text "m" is not.'),
        (Size | None, 5, 'Parameter "x" must be "s" or "l", or null; 5 is not.'),
        (
            Annotated[int, Bounds(ge=1, le=20)],
            50,
            'Parameter "x" must be a whole number, at least 1 and at most 20; 50 is not.',
        ),
        (Annotated[float, Bounds(gt=0)], 0, 'Parameter "x" must be a number, greater than 0; 0 is not.'),
        (
            Annotated[str, Bounds(min_length=1)],
            "",
            'Parameter "x" must be text, length at least 1; the text "" is not.',
        ),
        (list[str], ["a", 5], 'Parameter "x[1]" should be a valid string; 5 is not.'),
        (list[Annotated[int, Bounds(ge=1)]], [0], 'Parameter "x[0]" should be greater than or equal to 1; 0 is not.'),
        (Filter, {"least": "3"}, 'Parameter "x.least" should be a valid integer; the text "3" is not.'),
        (Filter, {}, 'Parameter "x.least" field required.'),
        (dict[str, int], [1], 'Parameter "x" should be an object; a list is not.'),
    ],
)
def test_what_is_not_valid_is_refused_in_exact_words(annotation: Any, value: Any, text: str) -> None:
    assert problem(annotation, value) == text


def test_missing_and_unknown_parameters_are_all_named_with_what_is_valid() -> None:
    def lookup(city: str, year: int) -> None: ...

    with pytest.raises(ArgumentError) as caught:
        Arguments("lookup", lookup, {}).bind({"cty": "Paris", "q": 1})
    assert str(caught.value) == (
        'Invalid arguments for lookup. Unknown parameter "cty"; the nearest is "city". Unknown parameter "q". '
        'Missing parameter "city". Missing parameter "year". lookup takes "city" (text) and "year" (a whole number).'
    )


def test_a_validator_that_breaks_is_an_answer_and_no_exception() -> None:
    def explode(value: object) -> object:
        raise RuntimeError("secret")

    annotation = Annotated[list[int], annotated_types.Predicate(explode)]
    assert problem(annotation, [1]) == 'Parameter "x" cannot be checked (RuntimeError).'


def test_what_cannot_be_a_tool_says_which_parameter_and_why() -> None:
    def untyped(a, b: int):  # type: ignore[no-untyped-def]
        ...

    def starred(*names: str) -> None: ...
    def positional(a: str, /) -> None: ...
    def unknown_type(a: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
        ...

    def no_json(a: type) -> None: ...

    for function, text in (
        (untyped, "parameter 'a' has no type"),
        (starred, "parameter 'names' cannot be given by name"),
        (positional, "parameter 'a' cannot be given by name"),
        (unknown_type, "name 'Missing' is not defined"),
        (no_json, "parameter 'a' has a type that JSON cannot carry"),
    ):
        with pytest.raises(SchemaError, match=text):
            Arguments("f", function, {})


def test_parameters_are_described_by_lines_of_the_docstring() -> None:
    def function(city: str, year: int) -> None:
        """Looks a city up: quickly.

        Call it when needed.
        Note: only three are known.

        city: the name,
          in any case.
        year: four digits.

        More about it.
        """

    description, texts = describe(function)
    assert description == (
        "Looks a city up: quickly.\n\nCall it when needed.\nNote: only three are known.\n\nMore about it."
    )
    assert texts == {"city": "the name, in any case.", "year": "four digits."}


def test_a_function_without_a_docstring_has_no_description() -> None:
    def function(city: str) -> None: ...

    assert describe(function) == ("", {})


def test_values_are_named_shortly() -> None:
    assert shown("x" * 500) == f'the text "{"x" * 59}…"'
    assert shown(10**5000) == "a number that long"
    assert listed(["a"], "or") == "a"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
TYPES = [str, int, float, bool, Literal["a", 1], Size, int | None, Annotated[int, Bounds(ge=0, lt=9)], list[int]]


@given(st.sampled_from(TYPES), JSON)
def test_checking_gives_a_value_or_a_sentence_and_never_another_exception(annotation: Any, value: Any) -> None:
    try:
        arguments_of(annotation).bind({"x": value})
    except ArgumentError as error:
        text = str(error)
        assert text.startswith('Invalid arguments for f. Parameter "x')
        assert text.endswith(".")
        assert len(text) < 600


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.booleans() | st.none())
def test_plain_kinds_agree_with_pydantic(value: Any) -> None:
    """What is checked here by hand is accepted exactly when pydantic, in its strict mode, accepts it as JSON."""
    from pydantic import TypeAdapter, ValidationError

    annotations: tuple[Any, ...] = (str, int, float, bool, int | None, Literal["a", "b"])
    for annotation in annotations:
        try:
            TypeAdapter(annotation).validate_json(json.dumps(value), strict=True)
            accepted = True
        except ValidationError:
            accepted = False
        try:
            kind_of(annotation).take(value)
            taken = True
        except Refused:
            taken = False
        assert taken == accepted, (annotation, value)


def test_plain_tools_are_loaded_and_checked_without_pydantic() -> None:
    code = (
        "import sys; from typing import Annotated, Literal\n"
        "from workbench.toolkit.api import Bounds, tool\n"
        "from workbench.toolkit.loader import load_function\n"
        "from workbench.toolkit.execute import ToolBox\n"
        "@tool(inline=True)\n"
        "def f(a: float, b: Literal['x'] = 'x', c: Annotated[int, Bounds(ge=1)] | None = None) -> float: return a\n"
        "box = ToolBox([load_function(f)])\n"
        "assert box.check('f', '{\"a\": 1, \"c\": 2}').canonical\n"
        "assert 'pydantic' not in sys.modules and 'annotated_types' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
