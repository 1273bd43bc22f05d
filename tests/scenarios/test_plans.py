"""Scenarios with steps and routes: what may stand in them, and what is said where it may not."""

from __future__ import annotations

import pytest

from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario, scenario_from_plain, to_plain
from workbench.scenarios.writing import scenario_text

PIPELINE = 'goal = "x"\nloop = "pipeline"\ntools = ["add"]\n'
ROUTER = 'goal = "x"\nloop = "router"\ntools = ["add"]\n'
ADD = '[[step]]\ntool = "add"\narguments = { a = 1, b = 2 }\n'
ROUTE = '[[route]]\nname = "sum"\n[[route.step]]\ntool = "add"\n'


def problem(text: str) -> str:
    with pytest.raises(ScenarioError) as error:
        parse_scenario(text, "x.toml")
    assert len(error.value.problems) == 1, str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PIPELINE, 'x.toml:2: loop: "pipeline" needs steps: [[step]], with tool, ask or answer'),
        (ROUTER, 'x.toml:2: loop: "router" needs routes: [[route]], with name and about, and below it [[route.step]]'),
        (PIPELINE.replace("pipe", "pipi"), 'x.toml:2: loop: there is no loop "pipiline"; did you mean "pipeline"?'),
        (
            'goal = "x"\ntools = ["add"]\n' + ADD,
            'x.toml:3: step: belongs to loop = "pipeline"; with loop = "engine" no code chooses what comes next',
        ),
        (
            PIPELINE + ADD + ROUTE,
            'x.toml:7: route: belongs to loop = "router", where a model chooses one of them; here is one row of [[step]]',
        ),
        (
            ROUTER + ROUTE + ADD,
            'x.toml:8: step: belongs to a route: [[route]], and below it [[route.step]]; one row is loop = "pipeline"',
        ),
        (
            PIPELINE + 'protocol = "json"\n' + ADD,
            'x.toml:4: protocol: loop = "pipeline" has no use for it: no call of a model is read here; leave it out',
        ),
        (
            PIPELINE + ADD + "[protocol_options]\nparallel = false\n",
            'x.toml:7: protocol_options: loop = "pipeline" knows nothing of it',
        ),
        (
            PIPELINE + ADD + '[[person]]\non = "step"\ndo = "set"\nset = { "context.policy" = "window" }\n',
            'x.toml:10: person[0].set."context.policy": loop = "pipeline" knows nothing of it',
        ),
        (
            PIPELINE + '[[step]]\ntool = "ad"\n',
            'x.toml:5: step[0].tool: this scenario has no tool "ad"; did you mean "add"?',
        ),
        (
            PIPELINE + '[[step]]\nname = "idle"\n',
            (
                "x.toml:4: step[0]: does nothing; a step is one of three: tool calls one, ask asks the model, "
                "answer ends the run"
            ),
        ),
        (
            PIPELINE + '[[step]]\ntool = "add"\nask = "how?"\n',
            (
                "x.toml:4: step[0]: has tool and ask; a step is one of three: tool calls one, ask asks the model, "
                "answer ends the run"
            ),
        ),
        (
            PIPELINE + '[[step]]\nask = "how?"\narguments = { a = 1 }\n',
            "x.toml:6: step[0].arguments: goes with tool",
        ),
        (
            PIPELINE + '[[step]]\nanswer = "1"\n' + ADD,
            "x.toml:5: step[0].answer: ends the run, so no step can come after it",
        ),
        (PIPELINE + '[[step]]\nask = " "\n', "x.toml:5: step[0].ask: must be text that is not empty"),
        (
            PIPELINE + "[[step]]\nanswer = '1'\ncapture = { n = '1' }\n",
            "x.toml:6: step[0].capture: has nothing to read: an answer ends the run",
        ),
        (
            PIPELINE + ADD + '[[step]]\nname = "goal"\nask = "?"\n',
            "x.toml:8: step[1].name: ${goal} stands for something already; choose another name",
        ),
        (
            PIPELINE + ADD + '[[step]]\nanswer = "${result2}"\n',
            "x.toml:8: step[1].answer: ${result2} stands for nothing: there is only 1 step before this one",
        ),
        (
            PIPELINE + "[[step]]\nname = 'sum'\ntool = 'add'\n[[step]]\nanswer = \"${sun}\"\n",
            (
                "x.toml:8: step[1].answer: ${sun} stands for nothing, as no step up to here has that name or captures it; "
                "did you mean ${sum}? A literal ${ is $${"
            ),
        ),
        (
            PIPELINE + '[[step]]\ntool = "add"\narguments = { a = "${" }\n',
            (
                "x.toml:6: step[0].arguments: ${ must be followed by a name and }, as in ${result1}; "
                "for a literal ${ write $${"
            ),
        ),
        (
            PIPELINE + ADD + "[model]\nuse = 'recorded'\n",
            'x.toml:8: model.use: a recording holds the calls of a model, and loop = "pipeline" makes its own; use a script',
        ),
        (PIPELINE + '[[step]]\nprompt = "?"\n', 'x.toml:5: step[0]: unknown key "prompt"; did you mean "ask"?'),
        (PIPELINE + ADD + "[[steps]]\nask = '?'\n", 'x.toml:7: unknown key "steps"; did you mean [[step]]?'),
        (
            PIPELINE + ADD + "[[model.reply]]\ntext = 'x'\n",
            "x.toml:7: model.reply: is never said: no step asks the model; a step that does has ask",
        ),
        (
            ROUTER + '[[route]]\nname = "sum"\n',
            "x.toml:4: route[0]: has no steps: write [[route.step]] below it, with tool, ask or answer",
        ),
        (ROUTER + ROUTE + ROUTE, 'x.toml:9: route[1].name: "sum" is the name of an earlier route'),
        (
            ROUTER + '[[route]]\nname = "sum"\nwhen = "numbers"\n[[route.step]]\ntool = "add"\n',
            'x.toml:6: route[0]: unknown key "when"; did you mean "about"?',
        ),
        (
            ROUTER + '[[route]]\nname = "sum"\n[[route.step]]\ntool = "add"\nargs = { a = 1 }\n',
            'x.toml:8: route[0].step[0]: unknown key "args"; did you mean "arguments"?',
        ),
    ],
)
def test_what_cannot_be_is_one_sentence_with_its_line(text: str, sentence: str) -> None:
    assert problem(text) == sentence


WHOLE = """title = "Sums"
goal = "Add."
tools = ["add"]
loop = "router"

[[route]]
name = "sum"
about = "numbers"

[[route.step]]
name = "sum"
tool = "add"
arguments = { a = 1, b = 2 }

[[route.step]]
ask = '''
Is ${sum} right?
Say yes or no.
'''
capture = { yes = "yes|no" }

[[route.step]]
answer = "${sum}: ${yes}"

[[model.reply]]
text = "sum"

[[model.reply]]
text = "yes"
"""


def test_a_scenario_with_steps_is_written_as_it_is_read() -> None:
    scenario = parse_scenario(WHOLE, "x.toml")
    assert scenario.route[0].step[1].ask == "Is ${sum} right?\nSay yes or no."
    assert scenario_from_plain(to_plain(scenario)) == scenario
    assert scenario_text(to_plain(scenario)) == WHOLE
