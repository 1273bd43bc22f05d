"""An agent framework, as it is, against a script: its loop, its tools, its retries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.serve.stage import ANSWER, GOAL, PEOPLE, TWO_CITIES, Play, kinds, says
from tests.serve.test_loops import THE_LOOP
from workbench.core.events import ToolResult

anthropic: Any = pytest.importorskip("anthropic")
openai: Any = pytest.importorskip("openai")
agents: Any = pytest.importorskip("pydantic_ai")
openai_models: Any = pytest.importorskip("pydantic_ai.models.openai")
openai_provider: Any = pytest.importorskip("pydantic_ai.providers.openai")
anthropic_models: Any = pytest.importorskip("pydantic_ai.models.anthropic")
anthropic_provider: Any = pytest.importorskip("pydantic_ai.providers.anthropic")
PutOn = Callable[..., Play]


@asynccontextmanager
async def agent_of(vendor: str, url: str) -> AsyncIterator[Any]:
    if vendor != "anthropic":
        client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="-")
        kind = openai_models.OpenAIChatModel if vendor == "openai" else openai_models.OpenAIResponsesModel
        model = kind("gpt-4o", provider=openai_provider.OpenAIProvider(openai_client=client))
    else:
        client = anthropic.AsyncAnthropic(base_url=url, api_key="-")
        provider = anthropic_provider.AnthropicProvider(anthropic_client=client)
        model = anthropic_models.AnthropicModel("claude", provider=provider)
    async with client:
        yield agents.Agent(model, instructions="Be brief.", retries=2, tools=[population, add])


def population(city: str) -> int:
    """How many people live in a city."""
    if city not in PEOPLE:
        raise agents.ModelRetry(f"no city {city}")
    return PEOPLE[city]


def add(a: int, b: int) -> int:
    """The sum."""
    return a + b


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("vendor", ["openai", "responses", "anthropic"])
async def test_its_whole_loop_is_a_session(play: PutOn, vendor: str, stream: bool) -> None:
    playing = play(TWO_CITIES)
    pieces: list[str] = []

    async def listen(_: Any, events: Any) -> None:
        pieces.extend([type(event).__name__ async for event in events])

    async with agent_of(vendor, playing.url) as agent:
        result = await agent.run(GOAL, event_stream_handler=listen if stream else None)
    assert (result.output, result.usage.requests) == (ANSWER, 3)
    assert ("PartDeltaEvent" in pieces) == stream
    session = playing.session
    assert sorted(kinds(session.events)) == sorted(THE_LOOP)
    assert session.header.system == "Be brief."
    assert [tool.name for tool in session.header.tools] == ["population", "add"]


@pytest.mark.parametrize("vendor", ["openai", "responses", "anthropic"])
async def test_a_call_that_fails_there_is_a_result_here(play: PutOn, vendor: str) -> None:
    """What the framework makes of wrong arguments and of a tool it does not have is what the model reads next."""
    call = '[[model.reply.call]]\ntool = "{tool}"\narguments = {arguments}'
    playing = play(says(
        call.format(tool="population", arguments='{ town = "Paris" }'),
        call.format(tool="weather", arguments="{}"),
        call.format(tool="population", arguments='{ city = "Oslo" }'),
        'text = "I do not know."',
    ))  # fmt: skip
    async with agent_of(vendor, playing.url) as agent:
        result = await agent.run(GOAL)
    assert result.output == "I do not know."
    first, second, third = (event.content for event in playing.session.events if isinstance(event, ToolResult))
    assert "city" in first
    assert "weather" in second
    assert "no city Oslo" in third
