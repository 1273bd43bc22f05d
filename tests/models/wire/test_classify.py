from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models.wire import classify, retry

DATA = Path(__file__).parents[2] / "data"
NOW = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def failure(status: int, error: Any = None, **headers: str) -> classify.Failure:
    body = error if isinstance(error, bytes) else json.dumps({"error": error or {}}).encode()
    return classify.of_response(status, {name.replace("_", "-"): text for name, text in headers.items()}, body, NOW)


@pytest.mark.parametrize(
    ("status", "error", "kind", "retried"),
    [
        (408, None, "timeout", True),
        (409, None, "unavailable", True),
        (429, {"type": "rate_limit_error"}, "rate_limited", True),
        (429, {"details": {"error_code": "ramp_limit_exceeded"}}, "rate_limited", True),
        (500, None, "unavailable", True),
        (503, None, "unavailable", True),
        (504, {"type": "timeout_error"}, "timeout", True),
        (529, {"type": "overloaded_error"}, "unavailable", True),
        (429, {"type": "insufficient_quota", "code": "insufficient_quota"}, "quota", False),
        (402, {"type": "billing_error"}, "quota", False),
        (429, {"type": "rate_limit_error", "details": {"error_code": "org_spend_limit_reached"}}, "quota", False),
        (402, {"details": {"error_code": "workspace_spend_limit_reached"}}, "quota", False),
        (400, {"type": "invalid_request_error", "details": {"error_code": "user_spend_limit_reached"}}, "quota", False),
        (401, {"type": "authentication_error"}, "auth", False),
        (403, {"type": "permission_error"}, "auth", False),
        (404, {"code": "model_not_found"}, "bad_request", False),
        (404, "model 'x' not found", "bad_request", False),
        (413, {"type": "request_too_large"}, "bad_request", False),
        (422, None, "bad_request", False),
        (400, {"type": "invalid_request_error", "message": "messages.1: roles"}, "bad_request", False),
        (400, {"code": "context_length_exceeded"}, "context_overflow", False),
        (400, {"message": "prompt is too long: 210000 tokens > 200000 maximum"}, "context_overflow", False),
        (400, {"type": "exceed_context_size_error", "n_ctx": 1024}, "context_overflow", False),
        (400, {"code": 400, "message": "This model's maximum context length is 4096 tokens."}, "context_overflow", False),
        (301, None, "bad_request", False),
    ],
)  # fmt: skip
def test_what_a_status_is_called(status: int, error: Any, kind: str, retried: bool) -> None:
    found = failure(status, error)
    assert (found.kind, found.retry) == (kind, retried)
    assert str(status) in found.detail


@pytest.mark.parametrize(("told", "retried"), [("true", True), ("false", False), ("maybe", True)])
def test_a_server_that_says_outright_is_obeyed(told: str, retried: bool) -> None:
    assert failure(500, x_should_retry=told).retry is retried
    assert failure(400, x_should_retry="true").retry is True


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "unavailable"),
        ({"error": {"type": "rate_limit_error"}}, "rate_limited"),
        ({"error": {"code": 502, "message": "upstream"}}, "unavailable"),
        ({"error": {"code": "429"}}, "rate_limited"),
        ({"error": {"type": "invalid_request_error"}}, "bad_request"),
        ({"error": {"type": "authentication_error"}}, "auth"),
        ({"error": {"code": "context_length_exceeded"}}, "context_overflow"),
        ({"error": "an error was encountered while running the model"}, "unavailable"),
    ],
)
def test_an_error_in_the_stream_goes_by_its_type(error: dict[str, Any], kind: str) -> None:
    assert classify.of_stream(error).kind == kind


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "one\\n  two"}}', "one two"),
        (b'{"error": "plain"}', "plain"),
        (b'{"message": "outer"}', "outer"),
        (b'{"detail": "fast"}', "fast"),
        (b'{"detail": [{"loc": ["body"], "msg": "missing"}]}', '"missing"'),
        (b"upstream is gone", "upstream is gone"),
        (b"\xff\xfe", "\ufffd"),
        (json.dumps({"error": {"message": "x" * 1000}}).encode(), "x" * 300 + "…"),
    ],
)
def test_what_the_server_says_is_told(body: bytes, words: str) -> None:
    assert words in failure(400, body).detail


@pytest.mark.parametrize("body", [b"<HTML><body>Bad gateway</body>", b"", b'{"error": []}'])
def test_what_it_cannot_say_is_left_out(body: bytes) -> None:
    assert failure(502, body).detail == "the server is not able to answer (502)"


def test_an_endless_body_is_no_sentence() -> None:
    assert len(failure(502, b"[" * 100_000).detail) < 400


def test_recorded_errors() -> None:
    overflow = (DATA / "bodies" / "http-400-context-length.json").read_bytes()
    assert failure(400, overflow).kind == "context_overflow"
    assert failure(401, (DATA / "bodies" / "http-401-reflects-key.json").read_bytes()).kind == "auth"


# ---------------------------------------------------------------- when to come back


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, 0.0),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=7), usegmt=True)}, 7.0),
        ({"date": "Wed, 21 Oct 2015 07:28:00 GMT", "retry-after": "Wed, 21 Oct 2015 07:28:05 GMT"}, 5.0),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry.asked_pause(headers, NOW) == seconds


@given(st.text())
def test_no_header_breaks_it(value: str) -> None:
    headers = {"retry-after": value, "retry-after-ms": value, "date": value, "x-should-retry": value}
    pause = retry.asked_pause(headers, NOW)
    assert pause is None or pause >= 0
    retry.should_retry(headers)


@given(st.integers(1, 10_000), st.integers(), st.integers(0))
def test_pauses_double_up_to_a_cap_less_some_jitter(attempt: int, seed: int, n: int) -> None:
    pause = retry.pause(attempt, None, seed, n)
    full = min(0.5 * 2.0 ** min(attempt - 1, 30), 8.0)
    assert 0.75 * full <= pause <= full
    assert pause == retry.pause(attempt, None, seed, n)


def test_what_the_server_asks_goes_first_unless_it_is_over() -> None:
    assert retry.pause(1, 2.0, 0) == 2.0
    assert retry.pause(1, 0.0, 0) == retry.pause(1, None, 0)
