"""Clients that do not wait, and replies that take their time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.serve.stage import GOAL, LONGEST, Play, kinds, says

PutOn = Callable[..., Play]

USER = [{"role": "user", "content": GOAL}]
SLOW = f'text = "{"word " * 60}"\ndelay = 6'
"""A reply whose first word is there long before its last."""


def test_a_stream_is_there_word_by_word_and_who_leaves_takes_no_reply_along(
    play: PutOn, clients: dict[str, Any]
) -> None:
    playing = play(says(SLOW, 'text = "Next."'))
    with clients["openai"].chat.completions.create(model="m", messages=USER, stream=True) as chunks:
        texts = (chunk.choices[0].delta.content for chunk in chunks)
        assert next(text for text in texts if text) == "word "
    assert playing.log.lines(1)[0].endswith("499 said-1: the client has gone")
    assert kinds(playing.session.events) == ["user_message"]


def test_who_does_not_wait_for_a_whole_reply_may_ask_again(play: PutOn, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = threading.Event()

    async def wait_for_ever(seconds: float) -> None:
        assert seconds == 6
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("workbench.serve.chat._pause", wait_for_ever)
    playing = play(says(SLOW))
    body = json.dumps({"model": "m", "messages": USER})
    for attempt in (1, 2):
        client = HTTPConnection(urlsplit(playing.url).netloc)
        client.request("POST", "/v1/chat/completions", body)
        assert waiting.wait(LONGEST)
        client.close()
        assert playing.log.lines(attempt)[-1].endswith("499 said-1: the client has gone")
        waiting.clear()
    assert kinds(playing.session.events) == ["user_message"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_delay_is_the_time_that_the_reply_took(play: PutOn, clients: dict[str, Any], stream: bool) -> None:
    playing = play(says('text = "Two words."\ndelay = 0.02', 'fail = "timeout"\ndelay = 0.02'))
    reply = clients["openai"].chat.completions.create(model="m", messages=USER, stream=stream)
    assert len(list(reply)) > 0
    assert [getattr(event, "took", 0.0) for event in playing.session.events] == [0.0, 0.02, 0.0]
