from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.serve.stage import Play, Stage, staged


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The server of this process."""
    pytest.importorskip("uvicorn")
    with staged() as stage:
        yield stage


@pytest.fixture
def play(stage: Stage, tmp_path: Path) -> Iterator[Callable[..., Play]]:
    """Puts a scenario on the stage, until the test is over."""
    with ExitStack() as stack:

        def put_on(text: str, **options: Any) -> Play:
            return stack.enter_context(stage.play(text, tmp_path, **options))

        yield put_on


@pytest.fixture(scope="session")
def clients(stage: Stage) -> Iterator[dict[str, Any]]:
    """The vendors' own clients, which try nothing twice."""
    openai: Any = pytest.importorskip("openai")
    anthropic: Any = pytest.importorskip("anthropic")
    ollama: Any = pytest.importorskip("ollama")
    with (
        openai.OpenAI(base_url=f"{stage.url}/v1", api_key="-", max_retries=0) as first,
        anthropic.Anthropic(base_url=stage.url, api_key="-", max_retries=0) as second,
    ):
        third = ollama.Client(host=stage.url)
        yield {"openai": first, "responses": first, "anthropic": second, "ollama": third}
        third._client.close()
