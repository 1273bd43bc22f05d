from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, of, shipped, written
from tests.imports.logs import LOGS
from tests.view.nasty import NastyRun, nasty_runs
from workbench.core.events import ModelFailed, ModelReply, SettingsChanged, Stopped, UserMessage
from workbench.core.statuses import Status
from workbench.core.values import Header
from workbench.imports.files import conversations, read_file
from workbench.imports.session import session_of
from workbench.imports.telemetry import Span, spans_in


def spans(run: Any) -> list[Span]:
    return spans_in([json.loads(written("otel", run).text)])


def imported(text: str) -> Any:
    [conversation] = conversations(text.encode())
    return of(*session_of(conversation, id="i1", title="log", source="spans.json"))


def told(run: Any) -> list[str]:
    """All that spans tell: requests with their replies; results that no request carried yet where calls have spans."""
    asked, native = run.state.requests[-1].n, run.state.protocol.native_tools
    return [each.text for each in run.state.messages if each.n <= asked or (native and each.role == "tool")]


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_a_tree_of_spans(name: str) -> None:
    run = shipped(name)
    found = spans(run)
    operations = [span.text("gen_ai.operation.name") for span in found]
    assert operations.count("invoke_agent") == 1
    assert operations.count("chat") == run.state.model_calls
    assert operations.count("execute_tool") == sum(each.result is not None for each in run.state.every_call())
    root = next(span for span in found if span.text("gen_ai.operation.name") == "invoke_agent")
    assert {span.raw["parentSpanId"] for span in found if span is not root} == {root.raw["spanId"]}
    assert len({span.raw["spanId"] for span in found}) == len(found)
    assert {span.raw["traceId"] for span in found} == {root.trace}
    assert (len(root.trace), len(root.raw["spanId"])) == (32, 16)
    assert all(root.begin <= span.begin <= span.end <= root.end for span in found)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_session_is_read_back_from_its_spans(name: str) -> None:
    run = shipped(name)
    again = imported(written("otel", run).text)
    assert [message.text for message in again.state.messages] == told(run)
    if run.header.protocol == "native":
        assert [each.call.tool for each in again.state.every_call()] == [
            each.call.tool for each in run.state.every_call()
        ]
        assert [tool.name for tool in again.header.tools] == [tool.name for tool in run.header.tools]
    assert again.header.system == run.state.system


@pytest.mark.parametrize("path", sorted(LOGS.glob("openai-*.json")), ids=lambda path: path.stem)
def test_a_real_log_comes_back_from_its_spans(path: Any) -> None:
    [conversation] = read_file(path)
    run = of(*session_of(conversation, id="i1", title="log", source="log.json"))
    again = imported(written("otel", run).text)
    assert [message.text for message in again.state.messages] == told(run)


def test_figures_of_the_provider_and_our_own_stand_apart() -> None:
    header = Header(id="x", goal="g", created="2026-01-31T10:00:00Z")
    counted = ModelReply(
        text="a", reading="answer", answer="a", input_tokens=9, output_tokens=2, cache_read=3, took=1.5
    )
    guessed = ModelReply(text="b", reading="answer", answer="b", input_estimate=8, output_estimate=1)
    _, first, second = spans(of(header, [UserMessage(text="g"), counted, UserMessage(text="h"), guessed]))
    assert (
        first.attributes["gen_ai.usage.input_tokens"],
        first.attributes["gen_ai.usage.cache_read.input_tokens"],
    ) == (9, 3)
    assert (first.seconds, first.begin) == (1.5, 1_769_853_600_000_000_000)
    assert "gen_ai.usage.input_tokens" not in second.attributes
    assert second.attributes["workbench.estimate.input_tokens"] == 8


def test_each_request_names_the_model_that_was_asked() -> None:
    chosen = SettingsChanged(changes={"model": {"use": "ollama", "name": "small", "shown": "small", "free": False}})
    first = ModelReply(text="a", reading="answer", answer="a")
    events = [UserMessage(text="g"), first, UserMessage(text="h"), chosen, replace(first, text="b")]
    asked = [
        (span.text("gen_ai.request.model"), span.text("gen_ai.provider.name"))
        for span in spans(of(Header(id="x", goal="g"), events))
    ]
    assert asked == [("scripted", "workbench"), ("scripted", "workbench"), ("small", "ollama")]


def test_what_failed_is_marked() -> None:
    failed = ModelFailed(failure="timeout")
    stopped = Stopped(status=Status.MODEL_UNAVAILABLE)
    root, request = spans(of(Header(id="x", goal="g"), [UserMessage(text="g"), failed, stopped]))
    assert (root.text("error.type"), request.text("error.type")) == ("model_unavailable", "timeout")
    assert root.raw["status"] == request.raw["status"] == {"code": 2}


def test_the_same_run_gives_the_same_bytes() -> None:
    assert written("otel", shipped("two-cities-answered")) == written("otel", shipped("two-cities-answered"))


@settings(max_examples=25, deadline=None)
@given(nasty_runs())
def test_any_run_has_spans_that_can_be_written(run: NastyRun) -> None:
    text = written("otel", of(run.header, run.events)).text
    text.encode()
    found = spans_in([json.loads(text)])
    assert len({span.raw["spanId"] for span in found}) == len(found)
    assert all(span.begin <= span.end < 2**64 for span in found)
    numbers = [value for span in found for value in span.attributes.values() if isinstance(value, int)]
    assert all(-(2**63) <= value < 2**63 for value in numbers)


@settings(max_examples=25, deadline=None)
@given(nasty_runs())
def test_any_run_is_otlp_to_the_official_reader(run: NastyRun) -> None:
    """Ids apart: OTLP writes them in hexadecimal, where the JSON of protobuf has base64."""
    json_format = pytest.importorskip("google.protobuf.json_format")
    trace = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
    json_format.Parse(written("otel", of(run.header, run.events)).text, trace.TracesData())
