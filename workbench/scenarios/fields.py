"""The kinds of values that a scenario file has: what one value may be, with the sentence for one that may not."""

from __future__ import annotations

import math
import re
import warnings
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from workbench.core.canonical import MAX_DEPTH
from workbench.core.patterns import compiled
from workbench.core.statuses import Status
from workbench.core.templates import is_builtin
from workbench.scenarios.errors import nearest, one_of, shown

T = TypeVar("T")

MOST = 10**30
"""Tokens of a reply, seconds, or any other figure: far more could not be priced, since a price is a float."""

_SAME_STATUS = {
    **dict.fromkeys(("answer", "success", "succeeded", "ok", "done", "finished", "complete", "completed"), "answered"),
    **dict.fromkeys(("steps", "step_limit", "max_steps", "out_of_steps", "limit"), "step_budget_exhausted"),
    **dict.fromkeys(("timeout", "timed_out"), "deadline_exceeded"),
    **dict.fromkeys(("loop", "looping", "circling", "repeated"), "repeated_action"),
    **dict.fromkeys(("denied", "forbidden", "blocked"), "policy_denied"),
    **dict.fromkeys(("stopped", "aborted", "interrupted"), "cancelled"),
}
"""Other words for an end, and the status."""


def _is_regex(pattern: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        pass  # what is wrong is said below
    except Warning as warning:
        raise ValueError(f"is a regular expression that can be read in two ways: {warning}") from None
    compiled(pattern)
    return pattern


def _is_capture_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError("a name to capture has letters, digits and _ only, and does not begin with a digit")
    if is_builtin(name):
        raise ValueError(f"${{{name}}} stands for something already; choose another name to capture")
    return name


def _is_json(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"is nested more than {MAX_DEPTH} levels deep")
    match value:
        case str() | bool() | int():
            pass
        case float():
            if not math.isfinite(value):
                raise ValueError(f"{value} is no JSON number; arguments as text can hold it")
        case dict():
            for item in value.values():
                _is_json(item, depth + 1)
        case list() | tuple():
            for item in value:
                _is_json(item, depth + 1)
        case _:
            raise ValueError(f'a date or time is no JSON value; write it in quotes: "{value}"')
    return value


def _is_json_value(value: Any) -> Any:
    return _is_json(value)


def _is_pattern(value: Any) -> Any:
    match value:
        case {"glob": str(), **rest} if not rest:
            return value
        case {"regex": str(pattern), **rest} if not rest:
            _is_regex(pattern)
            return value
        case dict():
            raise ValueError('must be a plain value, { glob = "…" } or { regex = "…" }')
        case _:
            return _is_json(value)


def _outcome(word: Any) -> Status:
    words = [status.value for status in Status if status is not Status.RUNNING]
    if word in words:
        return Status(word)
    near = _SAME_STATUS.get(word.lower(), "") or nearest(word, words) if isinstance(word, str) else ""
    if near:
        raise ValueError(f'there is no status {shown(word)}; did you mean "{near}"?')
    raise ValueError(f"must be {one_of(words)}, not {shown(word)}")


def _is_url(url: str) -> str:
    if not re.match(r"https?://[^/\s]", url):
        raise ValueError("must begin with http:// or https:// and name a host")
    return url


Many = Annotated[tuple[T, ...], Field(strict=False)]
Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Figure = Annotated[int, Field(ge=0, le=MOST)]
Seconds = Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False)]
Url = Annotated[str, AfterValidator(_is_url)]
Positive = Annotated[float, Field(gt=0, le=MOST, allow_inf_nan=False)]
Chance = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Price = Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False)]
Regex = Annotated[str, AfterValidator(_is_regex)]
CaptureName = Annotated[str, AfterValidator(_is_capture_name)]
JsonValue = Annotated[Any, AfterValidator(_is_json_value)]
JsonTable = Annotated[dict[str, Any], AfterValidator(_is_json_value)]
Where = dict[str, Annotated[Any, AfterValidator(_is_pattern)]]
Outcome = Annotated[Status, BeforeValidator(_outcome)]


class Table(BaseModel):
    """A table of a file: every key is known, every type is exact."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
