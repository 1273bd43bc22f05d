"""What a failed request is called, whether it is worth another attempt, and what is said of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.ports import FailureKind
from workbench.models.wire.body import clean
from workbench.models.wire.retry import asked_pause, should_retry

RETRIED: frozenset[FailureKind] = frozenset({"timeout", "unavailable", "rate_limited", "malformed_body", "cut_stream"})

TYPES: dict[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Kinds of errors that come without a status, in the middle of a stream, and the status they would have."""

_PAY = frozenset({"insufficient_quota", "billing_error", "billing_hard_limit_reached", "credit_balance_too_low"})
_SPENT = "_spend_limit_reached"
_OVERFLOW = frozenset({"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded"})
_TOO_LONG = re.compile(
    r"(?i)prompt is too long|maximum context length|exceed[^.]{0,80}\bcontext|context[^.]{0,80}exceed"
)
"""What servers say whose errors have no code for it."""
_KEY = frozenset({"authentication_error", "invalid_api_key", "permission_error"})
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """What came of an attempt."""

    kind: FailureKind
    detail: str
    """For the person at the screen. It may hold what the server said, so it is still to be scrubbed."""
    retry: bool
    after: float | None = None
    """Seconds that the server asks to wait; None when it asks nothing."""
    status: int = 0
    """Of the reply; 0 where there was none, or it said that all is well."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What the server's error says."""

    words: frozenset[str]
    """Its type and its codes."""
    message: str


def of_response(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Failure:
    """The failure in a reply whose status is not 200. `headers` in lower case, `now` in seconds since 1970."""
    said = _said(_parsed(body), body)
    kind = _kind(status, said)
    told = should_retry(headers)
    retry = kind in RETRIED if told is None else told
    return Failure(kind, _detail(kind, status, said), retry, asked_pause(headers, now), status)


def of_stream(error: Mapping[str, Any]) -> Failure:
    """The failure that a server reports in its stream, after a status that said all is well."""
    said = _said(error, b"")
    status = next((TYPES[word] for word in sorted(said.words) if word in TYPES), _numbered(said))
    kind = _kind(status, said)
    return Failure(kind, _detail(kind, None, said), kind in RETRIED)


def malformed(detail: str) -> Failure:
    """The failure of a reply that cannot be used."""
    return Failure("malformed_body", f"the server's reply cannot be used: {detail}", retry=True)


def _kind(status: int, said: _Said) -> FailureKind:
    words = said.words
    if status == 402 or words & _PAY or any(word.endswith(_SPENT) for word in words):
        return "quota"
    if words & _OVERFLOW or (status == 400 and _TOO_LONG.search(said.message)):
        return "context_overflow"
    if status in (401, 403) or words & _KEY:
        return "auth"
    if status in (408, 504):
        return "timeout"
    if status == 429:
        return "rate_limited"
    return "unavailable" if status == 409 or status >= 500 else "bad_request"


_SENTENCES: dict[FailureKind, str] = {
    "quota": "the account has no credit left, or has reached its limit",
    "context_overflow": "the transcript does not fit the model's context window",
    "auth": "the key was not accepted, or may not do this",
    "timeout": "the server took too long",
    "rate_limited": "too many requests",
    "unavailable": "the server is not able to answer",
    "bad_request": "the server rejects the request",
}
_BY_STATUS = {
    404: "there is no such model, or no such address",
    413: "the request has too many bytes for the server",
}


def _detail(kind: FailureKind, status: int | None, said: _Said) -> str:
    sentence = _SENTENCES[kind]
    if kind == "bad_request" and status is not None:
        sentence = _BY_STATUS.get(status, sentence)
        if 300 <= status < 400:
            sentence = "the server sends the request on to another address; base_url should be that one"
    number = "in the stream" if status is None else str(status)
    return f"{sentence} ({number}{f': {said.message}' if said.message else ''})"


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _said(value: Any, body: bytes) -> _Said:
    """Errors come as {"error": {…}}, {"error": "…"}, {"message": …} or {"detail": …}, and as plain text."""
    outer: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    error = outer.get("error")
    inner: Mapping[str, Any] = error if isinstance(error, Mapping) else outer
    details = inner.get("details")
    codes = [inner.get("type"), inner.get("code"), details.get("error_code") if isinstance(details, Mapping) else None]
    words = frozenset(str(code) for code in codes if isinstance(code, str | int))
    return _Said(words, _short(_message(outer, inner) if isinstance(value, Mapping) else _plain(body)))


def _message(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> str:
    for text in (outer.get("error"), inner.get("message"), outer.get("message"), outer.get("detail")):
        if isinstance(text, str) and text:
            return text
    return json.dumps(outer["detail"], ensure_ascii=False) if outer.get("detail") else ""


def _plain(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    return "" if "<html" in text[:1000].lower() else text


def _short(text: str) -> str:
    text = " ".join(clean(text).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _numbered(said: _Said) -> int:
    """A status that is given as the code; else that of a server in trouble."""
    return next((int(word) for word in sorted(said.words) if re.fullmatch("[45][0-9]{2}", word)), 500)
