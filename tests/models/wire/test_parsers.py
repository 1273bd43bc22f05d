from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models.wire.lines import Frame, LineSplitter
from workbench.models.wire.ndjson import NdjsonParser
from workbench.models.wire.sse import SseParser
from workbench.models.wire.wires import Parser

STREAMS = sorted((Path(__file__).parents[2] / "data" / "streams").iterdir())
LINES = st.lists(st.sampled_from([b"a", b"\xc3\xa9", b"\r", b"\n", b"\r\n", b"", b"data: x", b"event: y", b":", b" "]))


def chopped(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    ends = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    return [data[start:end] for start, end in pairwise(ends)]


def frames(parser: Parser, chunks: Sequence[bytes]) -> list[Frame]:
    return [frame for chunk in chunks for frame in parser.feed(chunk)] + parser.close()


@given(LINES.map(b"".join), st.lists(st.integers(0, 60)))
def test_lines_do_not_depend_on_the_chopping(data: bytes, cuts: list[int]) -> None:
    whole, pieces = LineSplitter(), LineSplitter()
    lines = [*whole.feed(data), whole.rest()]
    assert [*(line for chunk in chopped(data, cuts) for line in pieces.feed(chunk)), pieces.rest()] == lines
    assert lines == data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


@given(LINES.map(b"".join), st.lists(st.integers(0, 60)))
def test_events_do_not_depend_on_the_chopping(data: bytes, cuts: list[int]) -> None:
    for parser in (SseParser, NdjsonParser):
        assert frames(parser(), chopped(data, cuts)) == frames(parser(), [data])


@pytest.mark.parametrize("file", STREAMS, ids=lambda file: file.stem)
def test_a_recorded_stream_cut_at_every_byte(file: Path) -> None:
    data = file.read_bytes()
    whole = frames(SseParser(), [data])
    assert [frame.data for frame in whole[-1:]] == ["[DONE]"]
    for cut in range(len(data) + 1):
        assert frames(SseParser(), [data[:cut], data[cut:]]) == whole
    assert frames(SseParser(), [data[at : at + 1] for at in range(len(data))]) == whole


def test_fields_of_an_event() -> None:
    data = b"\xef\xbb\xbf: a comment\nid: 7\nevent: ping\ndata:one\ndata:  two\nretry: 3\n\ndata\n\nevent: lost\n\ndata: last"
    assert frames(SseParser(), [data]) == [Frame("ping", "one\n two"), Frame("", "last")]


def test_a_line_that_is_no_utf8_stays_a_line() -> None:
    assert frames(SseParser(), [b"data: a\xffb\n\n"]) == [Frame("", "a\ufffdb")]


def test_objects_on_lines() -> None:
    data = b'{"a": 1}\r\n\n  \n{"b": "\xc3\xa9"}'
    assert [json.loads(frame.data) for frame in frames(NdjsonParser(), [data])] == [{"a": 1}, {"b": "é"}]


def test_one_endless_line_is_put_together_once() -> None:
    splitter = LineSplitter()
    for _ in range(100_000):
        assert list(splitter.feed(b"0123456789")) == []
    assert len(splitter.rest()) == 1_000_000
