"""What somebody writes who has not read the format: each wrong turn is told at its line, with what is meant."""

from __future__ import annotations

import pytest

from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario

GOAL = 'goal = "x"\n'
REPLY = '[[model.reply]]\ntext = "ANSWER: 1"\n'
NATIVE = 'protocol = "native"\ntools = ["add"]\n[[model.reply]]\ntext = "a"\n'

TURNS = [
    # ---- quotes, brackets and other signs
    (
        GOAL + '[[model.reply]]\ntext = "{"type": "answer", "text": "hi"}"\n',
        "3: model.reply[0].text",
        """the " inside ends the text; write text = '{"type": "answer", "text": "hi"}'""",
    ),
    (
        GOAL + "[[model.reply]]\ntext = 'it's fine'\n",
        "3: model.reply[0].text",
        '''the ' inside ends the text; write text = "it's fine"''',
    ),
    (
        GOAL + """[[model.reply]]\ntext = "it's "fine""\n""",
        "3: model.reply[0].text",
        """write text = '''it's "fine"'''""",
    ),
    (GOAL + '[[model.reply]]\ntext = "C:\\path"\n', "3: model.reply[0].text", "in single quotes it is only a \\"),
    (
        GOAL + '[[model.reply]]\ntext = """\n{"a": "\\d"}\n"""\n',
        "4: model.reply[0].text",
        "in single quotes it is only a \\",
    ),
    (
        GOAL + "[[model.reply]]\ntext = 'ANSWER: 1\n[[model.reply]]\ntext = 'ANSWER: 2'\n",
        "3: model.reply[0].text",
        "a quote is not closed; a text over several lines stands between ''' and '''; on one line it is text = 'ANSWER: 1'",
    ),
    ("goal = Add two numbers\n" + REPLY, "1: goal", 'text is written in quotes: goal = "Add two numbers"'),
    ("goal = “x”\n" + REPLY, "1: goal", 'write straight quotes: "x"'),
    ('goal: "Add"\n' + REPLY, "1: goal", '= stands between a key and its value: goal = "Add"'),
    (GOAL + 'tools ["add"]\n', "2: tools", '= is missing: tools = ["add"]'),
    (GOAL + "tools =\n" + REPLY, "2: tools", "a value is missing after ="),
    (GOAL + "tools = [add]\n", "2: tools", 'text is written in quotes: "add"'),
    (
        GOAL + 'tools = ["add" "multiply"]\n',
        "2: tools",
        "a comma is missing before this, or a ] at the end of the list",
    ),
    (GOAL + 'tools = ["add"],\n', "2: tools", "a line does not end in a comma"),
    (GOAL + 'tools = ["add"] and more\n', "2: tools", "the value has ended before and more"),
    (
        GOAL + 'protocol = "json"tools = ["add"]\n',
        "2: protocol",
        'each key stands on a line of its own: a new line is missing before tools = ["add"]',
    ),
    (
        GOAL + "[[model.reply]]text = 'ANSWER: 1'\n",
        "2: ",
        "each key stands on a line of its own: a new line is missing before text = 'ANSWER: 1'",
    ),
    (
        GOAL + "[[model.reply]]\ntext = 'a'\ntext = 'b'\n",
        "4: model.reply[0].text",
        "is given twice; the first is on line 3; another one begins with [[model.reply]]",
    ),
    (
        GOAL + "[[model.reply]]\ntext = 'a",
        "3: model.reply[0].text",
        "the file ends inside this value (a quote is not closed)",
    ),
    (GOAL + "hello\n", "2: hello", "a line is a key = value, a [table] or a # comment"),
    (GOAL + "// comment\n", "2", "a comment begins with #"),
    (GOAL + "- add\n", "2", "a list is written in brackets, with commas"),
    (GOAL + "}\n", "2", "this bracket closes nothing"),
    (GOAL + "my goal = 1\n", "2", "a key is one word, without blanks"),
    (GOAL + "system = null\n", "2: system", "there is no null; leave the key out"),
    (GOAL + "[protocol_options]\nmultiline = True\n", "3: protocol_options.multiline", "write true, in small letters"),
    (GOAL + '[[model.reply]\ntext = "a"\n', "2", "write [[model.reply]]"),
    (GOAL + "[limits\nsteps = 2\n", "2", "write [limits]"),
    (
        GOAL + NATIVE + '[[model.reply.call]]\ntool = "add"\narguments = {"a": 1}\n',
        "8: model.reply[0].call[0].arguments",
        """has = for : and no quotes, { a = 1 }; or put all of it in quotes: '{"a": 1}'""",
    ),
    (
        GOAL + NATIVE + '[[model.reply.call]]\ntool = "add"\narguments = {\n a = 1\n}\n',
        "8: model.reply[0].call[0].arguments",
        "a table in { } stands on one line",
    ),
    # ---- tables that do not fit together
    (
        GOAL + '[[model.reply.call]]\ntool = "add"\n' + REPLY,
        "4: model.reply",
        "comes after a table that is part of it, on line 2: [[model.reply]] stands first",
    ),
    (
        GOAL + 'model = "scripted"\n' + REPLY,
        "3: model",
        "is a value on line 2, so [model.reply] cannot stand below it: write [model]",
    ),
    (
        GOAL + NATIVE + '[model.reply.call]\ntool = "add"\n',
        "6: model.reply[0].call",
        "for a list of tables write [[model.reply.call]], with two brackets on each side",
    ),
    (
        GOAL + NATIVE + '[model.reply.call]\ntool = "add"\n[model.reply.call]\ntool = "add"\n',
        "8: model.reply[0].call",
        "is given twice; the first is on line 6: write [[model.reply.call]] there and here",
    ),
    (GOAL + "[limits]\nsteps = 1\n[limits]\ncost = 1\n", "4: limits", "is given twice; the first is on line 2"),
    (
        GOAL + NATIVE + 'call = { tool = "add" }\n',
        "6: model.reply[0].call",
        "write [[model.reply.call]], with two brackets on each side, or call = [{ … }]",
    ),
    (GOAL + 'model = "scripted"\n', "2: model", "write [model], and below it use or name"),
    (GOAL + '[model]\nreply = "a"\n', "3: model.reply", "write [[model.reply]], and below it text or call"),
    (GOAL + '[model]\nreply = ["a"]\n', "3: model.reply[0]", "write [[model.reply]], and below it text or call"),
    *((GOAL + f'{header}\ntext = "a"\n', "2", "write [[model.reply]]") for header in ("[[reply]]", "[[replies]]")),
    *(
        (GOAL + f'[[model.{name}]]\ntext = "a"\n', "2: model", "write [[model.reply]]")
        for name in ("replies", "response")
    ),
    (GOAL + '[[model.call]]\ntool = "add"\n', "2: model", "write [[model.reply.call]], below its reply"),
    (GOAL + '[[rule]]\ntool = "add"\n', "2", "write [[approval.rule]]"),
    (GOAL + "[limit]\nsteps = 2\n", "2", "did you mean [limits]?"),
    (GOAL + '[[faults]]\nuse = "drop"\n', "2", "did you mean [[fault]]?"),
    *(
        (GOAL + f'{header}\nname = "get_weather"\nresult = "sunny"\n', "2", "a tool is a Python function in the folder")
        for header in ("[[tool]]", "[[tools]]", "[tools]", "[tool.get_weather]")
    ),
    # ---- keys that mean something else, or nothing
    ("", "1: goal", 'is missing; write goal = "…" at the top of the file'),
    *((f'{name} = "Add"\n', "1", 'did you mean "goal"?') for name in ("prompt", "task", "question", "Goal")),
    (
        GOAL + 'tools = ["add"]\n[[model.reply]]\ntool = "add"\ninput = { a = 1 }\n',
        "4: model.reply[0]",
        """in protocol "text" all of it is one text: text = 'ACTION: add {"a": 1}'""",
    ),
    (
        GOAL + 'protocol = "json"\n[[model.reply]]\ntool = "add"\ninput = { a = 1 }\n',
        "4: model.reply[0]",
        """all of it is one text: text = '{"type": "tool", "tool": "add", "input": {"a": 1}}'""",
    ),
    (
        GOAL + 'protocol = "json"\n[[model.reply]]\ntype = "answer"\ntext = "hi"\n',
        "4: model.reply[0]",
        """all of it is one text: text = '{"type": "answer", "text": "hi"}'""",
    ),
    (
        GOAL + NATIVE + 'tool = "add"\n',
        "6: model.reply[0]",
        'a call is a table below its reply: [[model.reply.call]], with tool = "add" and arguments = { … }',
    ),
    (GOAL + '[[model.reply]]\nanswer = "hi"\n', "3: model.reply[0]", "its text: text = 'ANSWER: hi'"),
    (GOAL + '[[model.reply]]\nrole = "assistant"\n', "3: model.reply[0]", "a reply is always the model's"),
    (GOAL + NATIVE + '[[model.reply.call]]\nname = "add"\n', "7: model.reply[0].call[0]", 'did you mean "tool"?'),
    (
        GOAL + NATIVE + '[[model.reply.call]]\ntool = "add"\ninput = {}\n',
        "8: model.reply[0].call[0]",
        'did you mean "arguments"?',
    ),
    (GOAL + "[limits]\nmax_turns = 3\n", "3: limits", 'did you mean "steps"?'),
    *(
        (f"{name} = 3\n{GOAL}", "1", f'"{name}"; it is called "steps" and belongs in [limits]')
        for name in ("max_steps", "max_turns", "max_iterations")
    ),
    (GOAL + "[model]\nmax_steps = 3\n", "3: model", 'it is called "steps" and belongs in [limits]'),
    *(
        (f"{GOAL}{hold}\n", "2", 'set = { hold = "tool:NAME" }')
        for hold in ("[hold]", 'hold = "tool:add"', '[[hold]]\ntool = "add"')
    ),
    (GOAL + "[expect]\ncalls = 1\n", "3: expect.calls", "How many calls there are is tool_calls = 1"),
    (GOAL + "[expect]\ntools_called = 2\n", "3: expect", 'did you mean "tool_calls"?'),
    (GOAL + '[expect]\ntools_called = ["add"]\n', "3: expect", 'did you mean "calls"?'),
    (GOAL + "[expect]\ntool_call = 2\n", "3: expect", 'did you mean "tool_calls"?'),
    (
        GOAL + '[expect]\ntool_calls = "yes"\n',
        "3: expect.tool_calls",
        "write tool_calls = 2, or tool_calls = { min = 1",
    ),
    (GOAL + '[expect]\ntool_calls = "2"\n', "3: expect.tool_calls", "write it without quotes: 2"),
    (GOAL + '[expect]\ntool_calls = ["add"]\n', "3: expect.tool_calls", 'are calls = ["add"]'),
    (GOAL + '[expect]\nstop = "answered"\n', "3: expect", 'did you mean "status"?'),
    (GOAL + '[expect]\nresult = "1"\n', "3: expect", 'did you mean "answer"?'),
    (GOAL + '[[model.reply]]\nchar = "1"\n', "3: model.reply[0]", "known here: text, call, "),
    # ---- values
    (GOAL + 'tools = "add"\n', "2: tools", 'must be a list, not "add"; write ["add"]'),
    (GOAL + '[limits]\nsteps = "6"\n', "3: limits.steps", "write it without quotes: 6"),
    (GOAL + '[protocol_options]\nmultiline = "True"\n', "3: protocol_options.multiline", "; write true"),
    *(
        (GOAL + f'[expect]\nstatus = "{word}"\n', "3: expect.status", f'did you mean "{status}"?')
        for word, status in (
            ("answer", "answered"),
            ("Success", "answered"),
            ("max_steps", "step_budget_exhausted"),
            ("timeout", "deadline_exceeded"),
        )
    ),
    (GOAL + '[expect]\nstatus = "zzz"\n', "3: expect.status", 'must be "answered", "goal_reached"'),
    (
        GOAL + 'tools = ["add"]\n[[person]]\non = "step"\ndo = "set"\nset = { hold = "tool:ad or tool:add" }\n',
        "6: person[0].set.hold",
        'this scenario has no tool "ad"; did you mean "add"?',
    ),
    (GOAL + '[[person]]\ndo = "allow"\n', "2: person[0].on", 'is missing; it is "approval", "hold"'),
]


@pytest.mark.parametrize(("text", "place", "sentence"), TURNS)
def test_a_wrong_turn_is_told_at_its_line_with_what_is_meant(text: str, place: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(text, "x.toml")
    said = [str(problem) for problem in refused.value.problems]
    assert any(line.startswith(f"x.toml:{place}") and sentence in line for line in said), said
    places = [(problem.line, problem.message.partition(";")[0]) for problem in refused.value.problems]
    assert len(places) == len(set(places))
    assert all(line for line, _ in places)
