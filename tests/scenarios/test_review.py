from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios_shipped.shipped import shipped_tools
from workbench.core.values import ToolInfo
from workbench.scenarios.review import Known, review

KNOWN = Known(tools=(ToolInfo(name="add", risk="read"), ToolInfo(name="lookup_population", risk="read")))
GOOD = """\
goal = "Two cities?"
tools = ["add"]

[[model.reply]]
text = "ANSWER: 1"

[[model.reply]]
text = "ANSWER: 2"

[expect]
status = "answered"
"""


def said(text: str, known: Known = KNOWN) -> list[str]:
    return [str(problem) for problem in review(text, "new.toml", known).problems]


def test_a_good_text_is_a_scenario_and_says_where_its_replies_are() -> None:
    found = review(GOOD, "new.toml", KNOWN)
    assert found.problems == ()
    assert found.scenario is not None
    assert found.replies == (4, 7)
    assert [found.reply_at(line) for line in (1, 4, 5, 6, 7, 8, 11, 99)] == [0, 0, 0, 0, 1, 1, 1, 1]


WRONG_TURNS = [
    ("goal", "gaol", 'new.toml:1: unknown key "gaol"; did you mean "goal"?'),
    ('tools = ["add"]', 'tools = ["ad"]', 'new.toml:2: tools[0]: no tool "ad"; did you mean "add"?'),
    (
        'tools = ["add"]\n\n[[model.reply]]\ntext = "ANSWER: 1"',
        '\n[[model.reply]]\ntext = "ANSWER: 1"\ntools = ["add"]',
        'new.toml:5: model.reply[0]: unknown key "tools"; it belongs at the top of the file, above the first [table]',
    ),
    (
        'text = "ANSWER: 2"',
        'text = "ANSWER: 2"\nwhen = "(North"',
        "new.toml:9: model.reply[1].when: is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    (
        'text = "ANSWER: 1"',
        'text = "ANSWER: 1',
        "new.toml:5: model.reply[0].text: is not TOML at column 18: a quote is not closed; a text over",
    ),
    ('status = "answered"', 'status = "answerd"', 'did you mean "answered"?'),
    (
        "[[model.reply]]",
        '[model]\nuse = "scriptd"\n\n[[model.reply]]',
        'new.toml:5: model.use: there is no model "scriptd"; did you mean "scripted"?',
    ),
    ("[expect]", '[[fault]]\nuse = "wrong-nubmer"\n\n[expect]', "new.toml:11: fault[0].use: "),
    ("[expect]", '[[person]]\non = "approval"\ndo = "alow"\n\n[expect]', 'did you mean "allow"?'),
]


@pytest.mark.parametrize(("was", "becomes", "sentence"), WRONG_TURNS, ids=[turn[1] for turn in WRONG_TURNS])
def test_a_wrong_turn_names_the_line_and_the_right_key(was: str, becomes: str, sentence: str) -> None:
    found = said(GOOD.replace(was, becomes, 1))
    assert len(found) == 1
    assert sentence in found[0]


def test_what_is_named_and_not_there_leaves_a_scenario_to_look_at() -> None:
    found = review(GOOD.replace('"add"', '"ad"'), "new.toml", KNOWN)
    assert found.scenario is not None
    assert found.scenario.tools == ("ad",)


def test_tools_that_are_not_loaded_are_said_to_be_possible() -> None:
    known = Known(unloaded="The tools in ~/tools are not loaded.")
    assert said(GOOD, known) == ['new.toml:2: tools[0]: no tool "add" is loaded. The tools in ~/tools are not loaded.']


def test_all_that_is_wrong_is_said_in_the_order_of_the_file() -> None:
    text = GOOD.replace('"add"', '"ad", "lookup"').replace("[expect]", '[[fault]]\nuse = "nothing"\n\n[expect]')
    assert [sentence.split(":")[1] for sentence in said(text)] == ["2", "2", "11"]


def test_a_live_model_is_looked_up_and_not_asked(tmp_path: Path) -> None:
    text = GOOD.replace("[[model.reply]]", '[model]\nuse = "openai"\n\n[[model.reply]]', 1)
    assert said(text, Known(tools=KNOWN.tools, models=tmp_path / "models.toml")) == [
        'new.toml:4: model.name: is missing: the name of the model at the provider, beside use = "openai"'
    ]


def test_a_prepared_reply_is_a_whole_one() -> None:
    text = GOOD.replace("goal =", 'protocol = "native"\ngoal =').replace(
        "[expect]", "[[person]]\non = 'reply'\ndo = 'answer'\ntext = '{\"txt\": 1}'\n\n[expect]"
    )
    assert said(text) == ['new.toml:14: person[0].text: is no reply: unknown key "txt"; did you mean "text"?']


@pytest.mark.parametrize("text", ["", "\x00", "[", "[[model.reply]]\n" * 50, "goal = '''"])
def test_any_text_is_reviewed(text: str) -> None:
    assert review(text, "new.toml", KNOWN).problems


@pytest.mark.parametrize(
    ("protocol", "reply", "remark"),
    [
        (
            "json",
            "text = 'ACTION: add {}'",
            'cannot read this reply, and says so to the model; in protocol "json" it is',
        ),
        ("text", 'text = \'{"type": "answer", "text": "1"}\'', 'in protocol "text" it has a line ACTION: '),
        ("native", "text = 'ACTION: add {}'", "this reply calls nothing, it is the answer; in protocol"),
        ("native", 'text = \'{"type": "tool", "tool": "add"}\'', "a call is a table below the reply"),
        ("native", "call = [{ tool = 'wheather' }]", 'there is no tool "wheather" in this script: nothing runs'),
        ("text", "text = 'ACTION: wheather {}'", 'there is no tool "wheather" in this script'),
        ("text", 'text = \'ACTION: add {"a": ${last}, "b": 1}\'', ""),
        ("json", 'text = \'{"type": "answer", "text": "${last}"}\'', ""),
        ("native", "text = 'done'", ""),
    ],
)
def test_a_reply_that_is_read_as_something_else_is_remarked(protocol: str, reply: str, remark: str) -> None:
    head = f'goal = "g"\nprotocol = "{protocol}"\ntools = ["add"]\n'
    found = review(f"{head}[[model.reply]]\ncall = []\ntext = 'ANSWER: 1'\n[[model.reply]]\n{reply}\n", "x", KNOWN)
    assert found.problems == ()
    said = [item.message for item in found.remarks if item.line == 8]
    assert (remark in said[0]) if remark else said == []


SHIPPED = shipped_tools().tools
ALL = Known(
    tools=tuple(tool.info for tool in SHIPPED.values()),
    takes={name: tool.arguments for name, tool in SHIPPED.items()},
)


def remarked(reply: str, *, protocol: str = "text", tools: str = '"add"', more: str = "") -> list[tuple[int, str]]:
    """What is remarked about a script of that one reply, which begins on line 5."""
    head = f'goal = "g"\nprotocol = "{protocol}"\ntools = [{tools}]\n\n'
    found = review(f"{head}[[model.reply]]\n{reply}\n{more}", "x", ALL)
    assert found.problems == ()
    return [(each.line, each.message) for each in found.remarks]


CANNOT_RUN = [
    (
        "text",
        """text = 'ACTION: ad {"a": 1, "b": 2}'""",
        6,
        'no tool "ad" in this script: nothing runs, and the model reads',
    ),
    ("text", """text = 'ACTION: ad {"a": 1, "b": 2}'""", 6, 'did you mean "add"?'),
    ("text", """text = 'ACTION: multiply {"a": 1, "b": 2}'""", 6, 'write tools = ["add", "multiply"]'),
    ("text", """text = 'ACTION: add {"a": 1, "c": 2}'""", 6, 'Unknown parameter "c". Missing parameter "b".'),
    ("text", """text = 'ACTION: add {"a": 1, "b": "2"}'""", 6, 'Parameter "b" must be a number'),
    ("text", """text = 'ACTION: add {"a": ${last}}'""", 6, 'Missing parameter "b"'),
    (
        "text",
        """text = 'ACTION: add {"a": 1, "b":}'""",
        6,
        "what add is given cannot be read: line 1, column 14: a value",
    ),
    (
        "json",
        """text = '{"type": "tool", "tool": "add", "input": {"a": 1,}'""",
        6,
        "cannot read this reply, and says so",
    ),
    ("json", """text = '{"type": "tool", "tool": "add", "input": {"a": 1,}'""", 6, "it is no JSON: line 1, column "),
    ("json", """text = '{"type": "tool", "tool": "add", "input": {"a": 1}}'""", 6, 'Missing parameter "b"'),
    ("native", """[[model.reply.call]]\ntool = "add"\narguments = { a = 1 }""", 6, 'Missing parameter "b"'),
    (
        "native",
        """[[model.reply.call]]\ntool = "add"\narguments = '{"a": 1, "b'""",
        6,
        "what add is given cannot be read: line 1, column ",
    ),
    (
        "native",
        "call = [{ tool = 'add', arguments = { a = 1, b = 2 } }, { tool = 'add', arguments = { a = '1' } }]",
        6,
        'Missing parameter "b"',
    ),
]


@pytest.mark.parametrize(("protocol", "reply", "line", "sentence"), CANNOT_RUN)
def test_a_call_that_cannot_run_is_remarked_at_its_line(protocol: str, reply: str, line: int, sentence: str) -> None:
    [(at, said)] = remarked(reply, protocol=protocol)
    assert sentence in said
    assert at == line


@pytest.mark.parametrize(
    ("protocol", "reply"),
    [
        ("text", """text = 'ACTION: add {"a": 1, "b": 2}'"""),
        ("text", """text = 'ACTION: add {"a": "${last}", "b": ${result1}}'"""),
        ("native", "call = [{ tool = 'add', arguments = { a = '${last}', b = 2 } }]"),
        ("native", """call = [{ tool = 'add', arguments = '{"a": ${last}, "b": 2}' }]"""),
        ("native", "finish = 'length'\ncall = [{ tool = 'ad' }]"),
    ],
)
def test_a_call_that_may_run_is_not_remarked(protocol: str, reply: str) -> None:
    assert remarked(reply, protocol=protocol) == []


REFUND = """call = [{ tool = 'create_refund', arguments = { order = "A-17", amount = 5.0 } }]"""


@pytest.mark.parametrize(
    ("more", "waits"),
    [
        ("", True),
        ("[[person]]\non = 'approval'\ndo = 'allow'\n", False),
        ("[[person]]\non = 'approval'\ndo = 'deny'\ntool = 'create_refund'\n", False),
        ("[[person]]\non = 'hold'\ndo = 'pass'\n", True),
        ("[[person]]\non = 'approval'\ndo = 'allow'\ntool = 'send_email'\n", True),
        ("[approval]\ndefault = 'allow'\n", False),
        ("[[approval.rule]]\ntool = 'create_refund'\ndecide = 'allow'\nwhere = { order = 'A-17' }\n", False),
        ("[[approval.rule]]\ntool = 'create_refund'\ndecide = 'allow'\nwhere = { order = 'A-18' }\n", True),
        ("[expect]\nstatus = 'awaiting_approval'\n", False),
    ],
)
def test_a_call_that_nobody_allows_is_remarked(more: str, waits: bool) -> None:
    found = remarked(REFUND, protocol="native", tools='"create_refund", "send_email"', more=more)
    assert [(line, "with nobody there a run waits for a person" in said) for line, said in found] == [(6, True)] * waits


def test_a_script_without_a_reply_is_remarked() -> None:
    (remark,) = review('goal = "g"\n', "x", KNOWN).remarks
    assert "write [[model.reply]]" in remark.message
