"""Whether an endpoint would answer: its list of models is asked for, which costs nothing."""

from __future__ import annotations

import asyncio
import time

from workbench.models.wire import classify
from workbench.models.wire.body import read_object
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.errors import Malformed, Unreachable, Unsendable
from workbench.models.wire.scrub import read_key
from workbench.models.wire.wires import WIRES, address, lacking_end

PATIENCE = 10.0
"""Seconds."""

MOST_NAMED = 8
"""Models that are named where the one that is meant is not among them."""

_NO_LIST = (404, 405, 501)


async def ping(endpoint: Endpoint) -> tuple[bool, str]:
    """Whether all is well, and a sentence about it. Raises nothing that a server can cause."""
    from workbench.models.wire.http import HttpClient

    wire, key = WIRES[endpoint.wire], read_key(endpoint.key_env)
    if key and not key.sendable:
        return False, f"{endpoint.key_env} holds characters that no key has"
    url = address(endpoint.base_url.rstrip("/").removesuffix(wire.path), wire.models_path)
    client = HttpClient(endpoint.base_url)
    try:
        async with (
            asyncio.timeout(PATIENCE),
            client.send("GET", url, wire.headers(endpoint, key.reveal()), None, idle=PATIENCE) as response,
        ):
            body = await response.error_body() if response.status != 200 else await response.body()
    except TimeoutError:
        return False, f"no answer within {PATIENCE:g} seconds"
    except (Unreachable, Unsendable, Malformed) as error:
        return False, key.scrub_words(str(error))
    finally:
        client.close()
    if response.status in _NO_LIST:
        question = lacking_end(endpoint)
        return not question, "; ".join(filter(None, ["answers, but does not list its models", question]))
    if response.status != 200:
        failure = classify.of_response(response.status, response.headers, body, time.time())
        return False, key.scrub_words(failure.detail)
    try:
        names = wire.model_names(read_object(body, "its list of models"))
    except Malformed as error:
        return False, f"answers, but {error}"
    if not endpoint.model:
        return True, f"answers; it lists {len(names)} models"
    if endpoint.model in names or f"{endpoint.model}:latest" in names:
        return True, "answers, and has the model"
    if not names:
        return False, "answers, but has no model at all"
    listed = f"{', '.join(names[:MOST_NAMED])}{', …' if len(names) > MOST_NAMED else ''}"
    return False, key.scrub_words(f"answers, but has no {endpoint.model}; what it has: {listed}")
