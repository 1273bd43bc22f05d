from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values, nasty_text
from workbench.models.wire.body import as_count, clean, read_object, sent_arguments, to_json
from workbench.models.wire.errors import Malformed


def strict(text: str | bytes) -> object:
    def refuse(name: str) -> object:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("", "{}"),
        ("  ", "{}"),
        ('{"path": "notes.txt"}', '{"path": "notes.txt"}'),
        ('{"n": 1.50, "m": 10000000000000000000000}', '{"n": 1.50, "m": 10000000000000000000000}'),
        ('"{\\"path\\": \\"notes.txt\\"}"', '{"path":"notes.txt"}'),
        ('{"text": "one\ntwo"}', '{"text":"one\\ntwo"}'),
        ('{"x": NaN, "y": [Infinity]}', '{"x":"NaN","y":["Infinity"]}'),
        ('{"x": 1e999}', '{"x":"Infinity"}'),
        ('{"text": "half \\ud83d"}', '{"text":"half \ufffd"}'),
        ('{"text": "\\ud83d\\ude42"}', '{"text": "\\ud83d\\ude42"}'),
        ('{"path": "notes.tx', '{"unreadable_arguments":"{\\"path\\": \\"notes.tx"}'),
        ("[1]", '{"unreadable_arguments":"[1]"}'),
        ("[" * 5000, '{"unreadable_arguments":"' + "[" * 5000 + '"}'),
    ],
)
def test_arguments_go_back_as_the_strict_text_of_an_object(written: str, sent: str) -> None:
    assert sent_arguments(written) == sent


@given(nasty_text() | json_values().map(lambda value: json.dumps(value, default=str)))
def test_any_arguments_go_back_as_an_object_in_utf8(written: str) -> None:
    sent = sent_arguments(written)
    assert isinstance(strict(sent.encode()), dict)
    assert sent_arguments(sent) == sent


@given(json_values())
def test_a_body_is_strict_json(value: object) -> None:
    strict(to_json({"value": value}))


def test_halves_of_a_pair_find_each_other() -> None:
    assert clean("\ud83d" + "\ude42") == "🙂"
    assert clean("a\ud83d") == "a\ufffd"
    assert clean("é") == "é"


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"[]", b"null", b"\xff", b"[" * 100_000, b"1" * 10_000])
def test_what_is_no_object_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed):
        read_object(body, "its body")


@given(st.one_of(st.none(), st.booleans(), st.floats(), st.text(), st.integers(max_value=-1)))
def test_what_is_no_count_is_no_figure(value: object) -> None:
    assert as_count(value) is None
