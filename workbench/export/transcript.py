"""What a page, a picture and a markdown text have in common: the entries of a run, and the facts around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.events import Event, ModelReply, ToolResult
from workbench.core.statuses import SENTENCES, SUCCESSES
from workbench.export.forms import Recorded
from workbench.models.human import seen_status
from workbench.view import words
from workbench.view.entries import Entry, Line, Role, Span
from workbench.view.figures import counted, duration, money, tokens
from workbench.view.replies import thoughts
from workbench.view.timeline import Timeline

Fact = tuple[str, str]
"""A label and what it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """An entry, and what it does not show at once: titles and texts."""

    entry: Entry
    more: tuple[Fact, ...] = ()


def parts(run: Recorded) -> Iterator[Part]:
    """The entries of the transcript, in order."""
    timeline = Timeline(run.events, run.state, keys=False)
    for index in range(len(timeline)):
        event = timeline.event(index)
        assert event is not None
        yield Part(timeline.entry(index), tuple(_more(event)))


def _more(event: Event) -> Iterator[Fact]:
    if isinstance(event, ModelReply):
        thought = thoughts(event)
        if "\n" in thought or len(thought) > 100:
            yield "what it thought", thought
    if isinstance(event, ModelReply | ToolResult) and event.changed:
        yield "the original", event.original
    if isinstance(event, ToolResult) and event.detail:
        yield "for the operator", event.detail


def ending(run: Recorded) -> Line:
    """How the run stands, as a line in the colour of it."""
    state = run.state
    if state.stopped is not None:
        role: Role = "go" if state.stopped.status in SUCCESSES else "error"
        return (Span(words.stop_title(state), role, bold=True),)
    return (Span(SENTENCES[seen_status(state)].rstrip("."), "wait", bold=True),)


def facts(run: Recorded) -> list[Fact]:
    """The figures of the run, and where it is from."""
    state, header = run.state, run.header
    read, written = (tokens(count, estimated=state.estimated) for count in (state.input_tokens, state.output_tokens))
    calls = [counted(state.model_calls, "model call"), counted(state.tool_calls, "tool call")]
    return [
        ("model", state.model.shown),
        ("protocol", header.protocol) if state.plan is None else ("loop", state.plan.loop),
        ("calls", ", ".join([*calls, counted(state.errors, "error")])),
        ("tokens", f"{read} in, {written} out"),
        ("cost", money(state.cost)),
        *([("time of work", duration(state.total_seconds))] if state.total_seconds else []),
        ("session", header.id),
        *([("created", header.created)] if header.created else []),
        *([("forked from", f"{header.parent} at event {header.parent_at}")] if header.parent else []),
    ]


def told(run: Recorded) -> list[Fact]:
    """What the model was told besides the transcript: instructions, and the tools where they are offered natively."""
    state = run.state
    sections = [("system prompt", state.system)] if state.system else []
    if state.protocol.native_tools:
        sections += [(f"tool {tool.name}", f"{tool.description}\n{tool.schema}".strip()) for tool in run.header.tools]
    return sections


def requests(run: Recorded) -> list[Sequence[str]]:
    """A row for each request: number, messages, characters, tokens in and out."""
    return [
        (
            str(number) if mark.purpose == "step" else f"{number}, for a summary",
            str(len(mark.sent)),
            f"{mark.chars:,}",
            tokens(mark.tokens, estimated=mark.estimated),
            f"{mark.output:,}",
        )
        for number, mark in enumerate(run.state.requests, 1)
    ]


REQUEST_COLUMNS = ("request", "messages", "characters", "tokens in", "tokens out")
