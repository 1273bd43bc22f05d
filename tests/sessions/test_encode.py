from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import FRAGMENTS, events, exactly, json_values, nasty_text
from workbench.core.events import Event, ModelReply, SettingsChanged, ToolResult, UserMessage
from workbench.core.plain import EVENT_TYPES, to_fields
from workbench.core.values import Call
from workbench.sessions.encode import (
    Seal,
    event_body,
    event_from,
    from_json,
    is_unicode,
    key_lines,
    plain_values,
    to_json,
    toml_text,
)

OUTPUTS = Path(__file__).parents[1] / "data" / "outputs"


def read_back(n: int, event: Event) -> tuple[int, Event]:
    (table,) = tomllib.loads(event_body(n, event).decode())["event"]
    return event_from(table)


@pytest.mark.parametrize("kind", EVENT_TYPES)
@given(data=st.data(), n=st.integers(1, 10**6))
@settings(max_examples=50)
def test_every_kind_of_event_reads_back_exactly(kind: str, data: st.DataObject, n: int) -> None:
    event = data.draw(events(kind))
    number, again = read_back(n, event)
    assert number == n
    assert type(again) is type(event)
    assert exactly(to_fields(again), to_fields(event))


@given(st.dictionaries(st.sampled_from(["text", "calls", "took", "text_json", "_json", "a_json_json"]), json_values()))
def test_a_flat_table_of_any_values_reads_back_exactly(fields: dict[str, Any]) -> None:
    assert exactly(plain_values(tomllib.loads(key_lines(fields))), fields)


@given(json_values())
def test_json_text_reads_back_exactly_and_is_strict_json_in_utf_8(value: Any) -> None:
    text = to_json(value)
    assert exactly(from_json(text), value)
    json.loads(text.encode(), parse_constant=pytest.fail)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_of_5000_digits_reads_back_exactly(sign: int) -> None:
    number = sign * (10**5000 - 1)
    for changes in ({"limits.cost": number}, {"deep": [{"in": [1, number]}]}):
        _, again = read_back(1, SettingsChanged(changes=changes))
        assert again == SettingsChanged(changes=changes)
    _, again = read_back(1, ModelReply(input_tokens=number))
    assert again == ModelReply(input_tokens=number)


@given(nasty_text().filter(is_unicode))
def test_text_reads_back_exactly(text: str) -> None:
    assert tomllib.loads(f"text = {toml_text(text)}\n") == {"text": text}


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_awkward_text_reads_back_exactly_at_every_place(fragment: str) -> None:
    for shape in ("{}", "{}x", "x{}", "a\n{}", "{}\nb", "a\n{}\nb", "\n{}\n", '{}"', "{}{}"):
        event = UserMessage(text=shape.format(fragment, fragment))
        assert read_back(1, event) == (1, event)


@given(events())
def test_only_our_own_lines_look_like_headers_and_trailers(event: Event) -> None:
    lines = event_body(3, event).split(b"\n")
    assert lines[0] == b"[[event]]"
    assert lines[-1] == b""
    assert not [line for line in lines[1:] if line.startswith((b"[", b"#"))]


@given(events())
def test_nothing_in_the_file_can_steer_a_terminal(event: Event) -> None:
    text = event_body(1, event).decode()
    assert not set(text) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160), 0x202E, 0x2066)}


def test_people_can_read_the_file() -> None:
    event = ModelReply(
        text='THOUGHT: it\'s Paris.\nACTION: look_up {"city": "Paris"}\n# done\n',
        calls=(Call(id="c1", tool="look_up", arguments='{"city": "Paris"}'),),
        model='the "small" one',
        took=0.25,
        input_tokens=120,
    )
    assert event_body(2, event).decode() == (
        "[[event]]\n"
        "n = 2\n"
        'kind = "model_reply"\n'
        'text = """\n'
        "THOUGHT: it's Paris.\n"
        'ACTION: look_up {"city": "Paris"}\n'
        "\\u0023 done\n"
        '"""\n'
        'calls_json = \'[{"id": "c1", "tool": "look_up", "arguments": "{\\"city\\": \\"Paris\\"}"}]\'\n'
        "model = 'the \"small\" one'\n"
        "took = 0.25\n"
        "input_tokens = 120\n"
    )


@pytest.mark.parametrize("name", ["null-values.json", "nan-result.json"])
def test_odd_results_come_back_with_everything_in_its_place(name: str) -> None:
    value = json.loads((OUTPUTS / name).read_text())
    event = ToolResult(call="c1", effects=({"path": "a", "content": value},))
    _, again = read_back(1, event)
    assert exactly(to_fields(again), to_fields(event))


@pytest.mark.parametrize("name", ["invalid-utf8.bin", "terminal-escapes.bin", "markup-like-text.txt"])
def test_odd_output_comes_back_byte_for_byte(name: str) -> None:
    content = (OUTPUTS / name).read_bytes().decode("utf-8", "surrogateescape")
    event = ToolResult(call="c1", content=content)
    assert read_back(1, event) == (1, event)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"kind": "resumed"}, "no number"),
        ({"n": "1", "kind": "resumed"}, "no number"),
        ({"n": 1}, "event 1 has no kind"),
        ({"n": 1, "kind": "reply"}, "unknown event kind 'reply'"),
        ({"n": 1, "kind": "resumed", "speed": 3}, "no field 'speed'"),
        ({"n": 1, "kind": "stopped", "status_json": "{"}, "status_json cannot be read as JSON"),
        ({"n": 1, "kind": "stopped", "status_json": 3}, "status_json is not a text"),
        ({"n": 1, "kind": "stopped", "status": "banana"}, "banana"),
    ],
)
def test_a_table_that_is_no_event_says_why(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        event_from(table)


def test_checksums_are_keyed_with_the_session_and_cover_every_byte() -> None:
    body = event_body(1, UserMessage(text="Combined population?"))
    seal = Seal("20260131-100000-7f3a")
    checksum = seal.of(1, body)
    assert seal.line(1, body) == f"#~ 1 {checksum}\n".encode()
    assert len(checksum) == 8
    others = {Seal("20260131-100000-7f3b").of(1, body), *(seal.of(1, body[:cut]) for cut in range(len(body)))}
    assert checksum not in others | {seal.of(2, body)}
