"""Whose a request is: known by its history, or by the name that the client gives it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.serve.stage import says, scenario
from workbench.core.events import Forked, ModelFailed, ModelReply, ToolResult
from workbench.core.values import ToolInfo
from workbench.home import Home, packaged_folder
from workbench.opening import reopen
from workbench.recording import JournalBroken
from workbench.scenarios.models import build_model
from workbench.scenarios.overrides import apply_overrides
from workbench.serve.answer import spoken
from workbench.serve.conversations import Conversations, Found
from workbench.serve.dialects.openai import OPENAI
from workbench.serve.history import Asked, Item, Result, Said, Told, said_call
from workbench.serve.journals import Journals
from workbench.serve.server import header_of
from workbench.sessions.journal import fold_session, open_writer, read_session

CALLS = """
text = ""
repeat = "forever"
[[model.reply.call]]
tool = "add"
arguments = { a = 1 }
"""
LINES = says(*(f'text = "Reply {number}."' for number in range(1, 10)))
TOOLS = (ToolInfo(name="add"),)


class Client:
    """A client that says what it wants; it remembers nothing by itself."""

    def __init__(self, folder: Path, text: str = LINES, **options: int) -> None:
        plain = apply_overrides(scenario(text), ["model.retries=0"])
        home = Home(root=folder, found="--home", packaged=packaged_folder())
        self.journals = Journals(folder, most_open=options.pop("most_open", 64))
        self.conversations = Conversations(
            header_of(plain, home, "said.toml"), lambda clock: build_model(plain, clock), self.journals, **options
        )

    async def find(self, *items: Item, session: str = "") -> Found:
        return await self.conversations.find(OPENAI, Asked(model="m", items=items, tools=TOOLS), session)

    async def ask(self, *items: Item, session: str = "") -> tuple[str, Said | str, str]:
        """The session, the reply or the failure, and what is unusual about it."""
        found = await self.find(*items, session=session)
        if found.before is not None:
            return found.conversation.name, spoken(found.before.reply, native=True), found.note
        event = await self.conversations.ask(found)
        self.conversations.keep(found, event)
        out = spoken(event, native=True) if isinstance(event, ModelReply) else event.failure
        return found.conversation.name, out, found.note


@pytest.fixture
def client(tmp_path: Path) -> Callable[..., Client]:
    def make(text: str = LINES, **options: int) -> Client:
        return Client(tmp_path, text, **options)

    return make


def locks(folder: Path) -> int:
    """How many sessions are open for writing."""
    return len(list(folder.glob("*.lock")))


GOAL, MORE = Told("Go."), Told("And?")
ONE, TWO, THREE = (Said(f"Reply {number}.") for number in (1, 2, 3))


async def test_a_history_that_grows_is_one_conversation(client: Callable[..., Client]) -> None:
    ask = client().ask
    assert await ask(GOAL) == ("said-1", ONE, "new")
    assert await ask(GOAL, ONE, MORE) == ("said-1", TWO, "")
    assert await ask(GOAL, ONE, MORE, TWO, MORE) == ("said-1", THREE, "")


async def test_two_that_began_alike_part_by_the_ids_of_their_calls(client: Callable[..., Client]) -> None:
    ask = client(says(CALLS)).ask
    (first, one, _), (second, other, _) = await ask(GOAL), await ask(GOAL)
    assert first != second
    assert one != other
    assert isinstance(one, Said)
    assert isinstance(other, Said)
    assert (await ask(GOAL, other, Result(other.calls[0].id, "", "2")))[0] == second
    assert (await ask(GOAL, one, Result(one.calls[0].id, "", "2")))[0] == first


async def test_two_that_cannot_be_told_apart_both_go_on(client: Callable[..., Client]) -> None:
    ask = client().ask
    names = {(await ask(GOAL))[0], (await ask(GOAL))[0]}
    assert {(await ask(GOAL, ONE, MORE))[0], (await ask(GOAL, ONE, MORE))[0]} == names


async def test_a_request_that_was_answered_is_answered_the_same(client: Callable[..., Client], tmp_path: Path) -> None:
    playing = client()
    name, *_ = await playing.ask(GOAL)
    first = await playing.ask(GOAL, ONE, MORE)
    written = (tmp_path / f"{name}.toml").read_bytes()
    assert await playing.ask(GOAL, ONE, MORE) == (name, TWO, "asked again, answered the same")
    await playing.ask(GOAL, ONE, MORE, TWO, MORE)
    assert (await playing.ask(GOAL, ONE, MORE))[:2] == first[:2]
    assert (tmp_path / f"{name}.toml").read_bytes().startswith(written)


async def test_a_failed_request_is_tried_again_in_the_same_conversation(client: Callable[..., Client]) -> None:
    ask = client(says('fail = "unavailable"', 'fail = "cut_stream"', 'text = "At last."')).ask
    assert [(await ask(GOAL))[:2] for _ in range(3)] == [
        ("said-1", "unavailable"), ("said-1", "cut_stream"), ("said-1", Said("At last.")),
    ]  # fmt: skip


async def test_an_empty_reply_leaves_no_trace_in_a_history(client: Callable[..., Client]) -> None:
    ask = client(says('text = ""', 'text = "Now."')).ask
    assert await ask(GOAL) == ("said-1", Said(""), "new")
    assert (await ask(GOAL, Told("Say something.")))[:2] == ("said-1", Said("Now."))


async def test_a_changed_history_is_forked_where_it_was_changed(client: Callable[..., Client], tmp_path: Path) -> None:
    ask = client().ask
    await ask(GOAL)
    await ask(GOAL, ONE, MORE)
    name, reply, note = await ask(GOAL, ONE, Told("Something else."))
    assert (name, reply) == ("said-2", TWO)
    assert note == "its history was changed: forked from said-1 at event 3"
    parent, child = read_session(tmp_path / "said-1.toml"), read_session(tmp_path / "said-2.toml")
    assert child.events[:3] == parent.events[:3]
    assert child.events[3] == Forked(parent=parent.header.id, at=3)
    assert (child.header.parent, child.header.parent_at, child.header.root) == (parent.header.id, 3, parent.header.id)
    assert (await ask(GOAL, ONE, Told("Something else."), TWO, MORE))[:2] == ("said-2", THREE)
    assert (await ask(GOAL, ONE, MORE, TWO, MORE))[:2] == ("said-1", THREE)


async def test_a_history_that_was_cut_goes_on_after_the_last_reply_in_it(client: Callable[..., Client]) -> None:
    ask = client().ask
    await ask(GOAL)
    await ask(GOAL, ONE, MORE)
    name, reply, note = await ask(Told("What was said so far: much."), TWO, MORE)
    assert (name, reply) == ("said-2", THREE)
    assert note == "its history was cut or rewritten: forked from said-1"


async def test_a_history_from_elsewhere_is_taken_as_it_is(client: Callable[..., Client], tmp_path: Path) -> None:
    call = said_call("call_x", "add", '{"a": 2}')
    items = (GOAL, Said("Let me see.", (call,)), Result("call_x", "", "4"), Said("So."), MORE)
    name, reply, note = await client().ask(*items)
    assert (reply, note) == (ONE, "its history comes from elsewhere: the script starts at its first line")
    events = read_session(tmp_path / f"{name}.toml").events
    assert [event.content for event in events if isinstance(event, ToolResult)] == ["4"]
    assert [event.model for event in events if isinstance(event, ModelReply)] == ["client", "client", "scripted"]


async def test_a_name_makes_a_first_request_known(client: Callable[..., Client]) -> None:
    ask = client().ask
    first = await ask(GOAL, session="mine")
    assert (await ask(GOAL, session="mine"))[:2] == first[:2]
    assert (await ask(GOAL, session="yours"))[0] != first[0]
    assert (await ask(GOAL))[0] not in (first[0], "said-2")
    assert (await ask(GOAL, ONE, MORE, session="mine"))[:2] == (first[0], TWO)


async def test_the_id_of_a_session_is_a_name_for_it(client: Callable[..., Client]) -> None:
    playing = client()
    found = await playing.find(GOAL)
    playing.conversations.keep(found, await playing.conversations.ask(found))
    await playing.ask(GOAL)
    session = found.conversation.run.header.id
    assert (await playing.ask(GOAL, ONE, MORE, session=session))[:2] == (found.conversation.name, TWO)


async def test_a_second_request_waits_for_the_first_of_its_conversation(client: Callable[..., Client]) -> None:
    playing = client()
    await playing.ask(GOAL)
    first = await playing.find(GOAL, ONE, MORE)
    second = asyncio.create_task(playing.find(GOAL, ONE, MORE))
    await asyncio.sleep(0)
    assert not second.done()
    playing.conversations.keep(first, await playing.conversations.ask(first))
    found = await second
    assert found.conversation is first.conversation
    assert found.before is not None


async def test_a_request_that_was_given_up_is_asked_again_from_where_it_was(client: Callable[..., Client]) -> None:
    playing = client()
    await playing.ask(GOAL)
    given_up = await playing.find(GOAL, ONE, MORE)
    given_up.conversation.release(given_up)
    assert (await playing.ask(GOAL, ONE, MORE))[:2] == (given_up.conversation.name, TWO)


async def test_few_files_are_open_and_every_conversation_goes_on(client: Callable[..., Client], tmp_path: Path) -> None:
    playing = client(says(CALLS), most_open=2)
    begun = [await playing.ask(GOAL) for _ in range(5)]
    assert locks(tmp_path) == 2
    for name, reply, _ in begun:
        assert isinstance(reply, Said)
        assert (await playing.ask(GOAL, reply, Result(reply.calls[0].id, "", "2")))[0] == name
    playing.journals.close_all()
    assert locks(tmp_path) == 0
    for name, *_ in begun:
        assert fold_session(read_session(tmp_path / f"{name}.toml")).model_calls == 2


async def test_what_somebody_else_has_written_is_not_written_over(
    client: Callable[..., Client], tmp_path: Path
) -> None:
    playing = client(most_open=1)
    await playing.ask(GOAL)
    await playing.ask(Told("Else."))
    with open_writer(tmp_path / "said-1.toml") as other:
        other.append(ModelFailed(failure="timeout"), sync=False)
    with pytest.raises(JournalBroken, match=r"said-1\.toml has been written by somebody else in the meantime"):
        await playing.ask(GOAL, ONE, MORE)
    name, reply, note = await playing.ask(GOAL, ONE, MORE)
    assert (name, reply) == ("said-3", TWO)
    assert note.startswith("its history was changed: forked from said-1")


async def test_a_request_whose_session_is_taken_away_is_asked_again_in_another(
    client: Callable[..., Client], tmp_path: Path
) -> None:
    playing = client(says('fail = "unavailable"', 'text = "At last."'), most_open=1)
    await playing.ask(GOAL)
    await playing.ask(Told("Else."))
    with open_writer(tmp_path / "said-1.toml") as other:
        other.append(ModelFailed(failure="timeout"), sync=False)
    with pytest.raises(JournalBroken):
        await playing.ask(GOAL)
    assert await playing.ask(GOAL) == ("said-3", "unavailable", "new")


async def test_the_oldest_is_forgotten_and_its_client_is_served_all_the_same(client: Callable[..., Client]) -> None:
    playing = client(most=2)
    for goal in "abc":
        await playing.ask(Told(goal))
    assert (await playing.ask(Told("c"), ONE, MORE))[:2] == ("said-3", TWO)
    assert (await playing.ask(Told("b"), ONE, MORE))[:2] == ("said-2", TWO)
    assert (await playing.ask(Told("a"), ONE, MORE))[0] == "said-4"


async def test_a_served_session_is_opened_like_any_other(client: Callable[..., Client], tmp_path: Path) -> None:
    playing = client(says(CALLS))
    name, reply, _ = await playing.ask(GOAL)
    assert isinstance(reply, Said)
    playing.journals.close_all()
    home = Home(root=tmp_path, found="--home", packaged=packaged_folder())
    opened = reopen(tmp_path / f"{name}.toml", home)
    try:
        assert opened.run.status == "awaiting_person"  # the client has the call, and whether it ran is not known
    finally:
        opened.close()


# ---------------------------------------------------------------- any client


@st.composite
def walks(draw: st.DrawFn) -> list[tuple[int, str]]:
    """What clients do: go on with one of their histories from some reply of it on, with these words."""
    return draw(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["And?", "Else.", "Go."])), max_size=14))


@given(walks(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_wherever_clients_go_the_reply_is_that_of_their_history(
    tmp_path_factory: pytest.TempPathFactory, walk: list[tuple[int, str]], calls: bool
) -> None:
    """What is served is the line after the last reply in the history, and every session folds to what the run is."""
    folder = tmp_path_factory.mktemp("walk")
    lines = itertools.count(1)
    text = says(*(CALLS.replace('"forever"', "1") if calls else f'text = "Reply {next(lines)}."' for _ in range(20)))
    playing = Client(folder, text)
    histories: list[tuple[Item, ...]] = [()]

    async def play() -> None:
        for place, words in walk:
            before = histories[place % len(histories)]
            last = before[-1] if before else None
            results = [Result(c.id, "", words) for c in last.calls] if isinstance(last, Said) else []
            items = (*before, *results) if results else (*before, Told(words))
            _, reply, _ = await playing.ask(*items)
            assert isinstance(reply, Said)
            spoken_before = sum(isinstance(item, Said) for item in items)
            assert reply.text == ("" if calls else f"Reply {spoken_before + 1}.")
            histories.append((*items, reply))

    asyncio.run(play())
    playing.journals.close_all()
    for path in folder.glob("*.toml"):
        state = fold_session(read_session(path))
        told = [message for message in state.messages if message.role == "assistant"]
        assert state.script_line + 1 == len(told)
