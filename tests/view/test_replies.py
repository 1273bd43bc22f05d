from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.view.nasty import texts
from workbench.core.events import ModelReply
from workbench.core.ports import Checked, Reply
from workbench.core.reading import read_reply
from workbench.core.state import State
from workbench.core.values import Header, ProtocolName, ProtocolOptions, RawCall
from workbench.view.replies import Said, said, thoughts

REPLIES = Path(__file__).parents[1] / "data" / "replies"
CALL = '{"type": "tool", "tool": "look", "input": {"n": 1}}'
ANSWER = '{"type": "answer", "text": "5"}'


def read(
    text: str, protocol: ProtocolName, *, calls: tuple[RawCall, ...] = (), thinking: str = "", **options: Any
) -> ModelReply:
    """The reply as the run records it."""
    state = State(Header(id="r", goal="g", protocol=protocol, options=ProtocolOptions(**options)))
    reply = Reply(text=text, calls=calls, thinking=thinking)
    return read_reply(state, reply, lambda tool, arguments: Checked(canonical=arguments or "{}"), 0.0)


def words(text: str, protocol: ProtocolName, **options: Any) -> Said:
    return said(read(text, protocol, **options), protocol)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ('ACTION: look {"n": 1}', "", ""),
        ('THOUGHT: hm\n\nACTION: look {"n": 1}', "THOUGHT: hm", ""),
        ('THOUGHT: hm\n  ACTION:\tlook {"n": 1}\nI hope.', "THOUGHT: hm", "I hope."),
        ('ACTION: look ```json\n{"n": 1}\n```\nThanks', "", "Thanks"),
        ("hm\nACTION: look", "hm", ""),
        ("hm\nACTION: look\nplease", "hm", "please"),
        ("hm\nANSWER: 5\nand more of it", "hm", ""),
        ("The ACTION: mark in a line is none.\nANSWER: 5", "The ACTION: mark in a line is none.", ""),
        ("QUESTION: as asked\nACTION: look {}", "QUESTION: as asked", ""),
        ("ACTION: look {}\nOBSERVATION: 5\nANSWER: 5", "", "OBSERVATION: 5\nANSWER: 5"),
        ("<think>ACTION: drop {}</think>ACTION: look {}", "", ""),
        ("a <think>b</think>c\nACTION: look {}", "a c", ""),
        ("draft\n</think>\nhm\nACTION: look {}", "hm", ""),
        ('ACTION: look {"text": "ACTION: drop {}\\nANSWER: 1"}', "", ""),
    ],
)
def test_text_protocol(text: str, before: str, after: str) -> None:
    assert words(text, "text") == (before, after)


def test_what_stands_between_calls_is_said_before_them() -> None:
    text = 'one\nACTION: look {"n": 1}\ntwo\nACTION: look {"n": 2}\nthree'
    assert words(text, "text", several="all") == ("one\ntwo", "three")
    assert words(f"one {CALL} two {CALL} three", "json", several="all") == ("one\ntwo", "three")


def test_an_answer_that_wins_leaves_the_action_among_the_words() -> None:
    assert words("ACTION: look {}\nANSWER: 5", "text", both="answer") == ("ACTION: look {}", "")


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (CALL, "", ""),
        (ANSWER, "", ""),
        (f"Sure:\n```json\n{CALL}\n```\nDone.", "Sure:", "Done."),
        (f"Sure: {CALL} Done.", "Sure:", "Done."),
        (f'{{"note": 1}} so {ANSWER}', '{"note": 1} so', ""),
        (f"Use {{curly}} names. {CALL}", "Use {curly} names.", ""),
        (f"<think>{CALL}</think>{ANSWER}", "", ""),
        (f"{CALL}\n{ANSWER}", "", ANSWER),
        ('{"type": "tool", "tool": "look"}', "", ""),
    ],
)
def test_json_protocol(text: str, before: str, after: str) -> None:
    assert words(text, "json") == (before, after)


def test_native_protocol() -> None:
    call = (RawCall("look", "{}"),)
    assert said(read("I look. <think>hm</think>", "native", calls=call), "native") == ("I look.", "")
    assert said(read("It is 5.", "native"), "native") == ("", "")
    assert said(read("", "native", calls=call), "native") == ("", "")


@pytest.mark.parametrize("protocol", ["text", "json"])
def test_a_reply_that_cannot_be_read_is_given_to_the_letter(protocol: ProtocolName) -> None:
    reply = read("<think>hm</think> I would look {", protocol)
    assert reply.reading == "malformed"
    assert said(reply, protocol) == ("<think>hm</think> I would look {", "")
    assert thoughts(reply) == ""


def test_a_reply_that_was_cut_off_says_what_there_is_of_it() -> None:
    reply = ModelReply(text="<think>so</think> I was about to", reading="cut_off")
    assert said(reply, "text") == ("I was about to", "")


def test_thoughts_stand_beside_a_reply_or_in_it() -> None:
    call = (RawCall("look", "{}"),)
    assert thoughts(read("hello", "native", thinking=" first \n", calls=call)) == "first"
    assert thoughts(read("<think>one</think>a <thinking>\ntwo</thinking>", "native", calls=call)) == "one\ntwo"
    assert thoughts(read("draft\n</think>\nANSWER: 5", "text")) == "draft"
    assert thoughts(read("ANSWER: 5\n<think>never closed", "text")) == "never closed"
    assert thoughts(read("a <think> is only a word here", "native")) == ""


@pytest.mark.parametrize("path", sorted(REPLIES.iterdir()), ids=lambda path: path.stem)
def test_nothing_that_real_models_wrote_is_lost(path: Path) -> None:
    """Words, calls, answer and thoughts together hold every word of the reply."""
    text = path.read_text(encoding="utf-8")
    protocol: ProtocolName = "json" if "json" in path.stem else "text"
    reply = read(text, protocol)
    shown = " ".join(
        [*said(reply, protocol), reply.answer, thoughts(reply), *(f"{c.tool} {c.arguments}" for c in reply.calls)]
    )
    for word in ("OBSERVATION", "THOUGHT", "empty", "curly", "Maybe", "delete_note"):
        assert (word in text) == (word in shown)


@given(texts() | st.lists(st.sampled_from(["ACTION: look {}", "ANSWER: 5", "<think>", "</think>", CALL, ANSWER, "```", "\n", " ", "x"])).map("".join), st.sampled_from(["text", "json", "native"]), st.sampled_from(["first", "all"]))  # fmt: skip
def test_no_reply_is_too_strange(text: str, protocol: ProtocolName, several: str) -> None:
    reply = read(text, protocol, several=several)
    before, after = said(reply, protocol)
    assert (before, after) == (before.strip(), after.strip())
    assert isinstance(thoughts(reply), str)


@pytest.mark.parametrize("piece", ["<think>a</think>\n", "ACTION: \n", '{"a": 1} ', '{"a": ', "<think>", "ANSWER: x\n"])
@pytest.mark.parametrize("protocol", ["text", "json"])
def test_a_reply_of_a_megabyte_takes_no_time(piece: str, protocol: ProtocolName) -> None:
    end = "ACTION: look {}" if protocol == "text" else CALL
    reply = ModelReply(text=piece * (1_000_000 // len(piece)) + end, reading="answer", answer="5")
    assert len(said(reply, protocol).before) <= 1_000_100
