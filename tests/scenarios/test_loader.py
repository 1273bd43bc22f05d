from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.statuses import Status
from workbench.scenarios.errors import Problem, ScenarioError
from workbench.scenarios.loader import load_scenario, parse_scenario, scenario_from_plain, to_plain
from workbench.scenarios.schema import Scenario

DATA = Path(__file__).parent.parent / "data" / "toml"

EVERYTHING = """\
title    = "Two cities"
about    = "Two look-ups and an addition."
goal     = "Combined population of Paris and Lima?"
system   = "Be brief."
protocol = "native"
tools    = ["add", "lookup_population", "submit_answer"]
tags     = ["first-steps"]
seed     = 1
loop     = "engine"

[protocol_options]
both = "refuse"
several = "all"
multiline = false
names = "word"
finish = "tool"
parallel = false
execute = "concurrent"
instructions = false

[limits]
steps = 6
model_calls = 7
tool_calls = 8
input_tokens = 1000
output_tokens = 1001
total_tokens = 1002
context_tokens = 1003
cost = 0.5
seconds = 60
failures = 3
protocol_errors = 4
denials = 2
repeats = { nudge = 2, stop = 4, match = "call" }

[model]
use = "scripted"
name = "gpt-4.1-mini"
base_url = "http://127.0.0.1:8080/v1"
api_version = "2024-10-21"
max_tokens = 100
context_window = 8000
tool_choice = "auto"
temperature = 0
timeout = 120
idle_timeout = 20
retries = 1
prices = { input = 3.0, output = 15.0, cache_read = 0.3, cache_write = 3.75 }

[[model.reply]]
text = '''
THOUGHT: I need ${last}.
'''
repeat = "forever"
when = 'Paris|Lima'
capture = { paris = '(\\d+)' }
thinking = "hm"
delay = 0.5
usage = { input = 900, output = 40, cache_read = 0, cache_write = 0 }
finish = "length"

[[model.reply]]
fail = "rate_limited"
retry_after = 2
repeat = 2

[[model.reply]]
[[model.reply.call]]
tool = "add"
arguments = { a = "${paris}", b = 2 }
[[model.reply.call]]
tool = "add"
arguments = '{"a": "sou'

[[fault]]
use = "wrong-number"
tool = "lookup_population"
where = { city = { glob = "P*" }, exact = "x", like = { regex = "^a" } }
nth = 1
times = 2

[[fault]]
on = "result"
do = "replace"
text = "no"
value = [1, { a = 2 }]
burst = { start = 3, length = 2 }

[[fault]]
on = "provider"
do = "delay"
seconds = 1.5
size = 10
chance = 0.3

[workspace]
files = { "notes.txt" = "mugs", "docs/a.md" = "" }

[context]
policy = "none"

[authority]
split = true

[approval]
default = "deny"
[[approval.rule]]
tool = "add"
where = { a = 1 }
decide = "allow"

[[person]]
on = "approval"
tool = "add"
nth = 2
do = "edit"
arguments = { order = "A-17", amount = 5 }

[[person]]
on = "stop"
do = "set"
set = { "limits.steps" = 9, "limits.cost" = false, "hold" = true, "approval.default" = "ask", "title" = "T" }

[goal_check]
result_of = "add"
contains = "ok"

[expect]
status = "answered"
answer = "11800000"
model_calls = { min = 2, max = 4 }
tool_calls = 2
steps = { max = 9 }
stopped_by = "limits.steps"
calls = ["lookup_population", "lookup_population"]
calls_match = "in_order"
chars_seen = [52, 117, 181, 247]
observations = ["2100000"]
transcript = '''
QUESTION: x
ANSWER: y
'''
files = { "f.txt" = "content\\n" }
"""


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        parse_scenario(text, "x.toml")
    return str(error.value).split("\n")


def test_every_key_of_the_format_is_read() -> None:
    scenario = parse_scenario(EVERYTHING, "x.toml")
    assert scenario.model.reply[0].text == "THOUGHT: I need ${last}."
    assert scenario.model.reply[0].capture == {"paris": r"(\d+)"}
    assert scenario.model.reply[2].call[1].arguments == '{"a": "sou'
    assert scenario.limits.repeats is not None
    assert scenario.limits.repeats.nudge == 2
    assert scenario.fault[0].where["city"] == {"glob": "P*"}
    assert scenario.expect is not None
    assert scenario.expect.status is Status.ANSWERED
    assert scenario.expect.transcript == "QUESTION: x\nANSWER: y"
    assert scenario.expect.files == {"f.txt": "content\n"}


def test_the_plain_form_holds_what_was_given_and_comes_back_equal() -> None:
    scenario = parse_scenario(EVERYTHING, "x.toml")
    plain = to_plain(scenario)
    assert scenario_from_plain(plain) == scenario
    assert to_plain(scenario_from_plain(plain)) == plain
    assert to_plain(parse_scenario('goal = "x"\n[limits]\nsteps = 4\n', "x")) == {"goal": "x", "limits": {"steps": 4}}


def test_only_the_newline_before_the_closing_quotes_goes_and_only_once() -> None:
    scenario = parse_scenario("goal = '''\n\nx\n\n'''\n[[model.reply]]\ntext = '''\nANSWER: 1\n'''\n", "x.toml")
    assert scenario.goal == "\nx\n"
    assert scenario.model.reply[0].text == "ANSWER: 1"
    assert scenario_from_plain(to_plain(scenario)) == scenario


def test_a_goal_is_enough() -> None:
    scenario = parse_scenario('goal = "x"', "x.toml")
    assert (scenario.protocol, scenario.model.use, scenario.approval.default) == ("text", "scripted", "ask")


# ---------------------------------------------------------------- awkward files


def read(name: str, *changes: tuple[bytes, bytes]) -> bytes:
    raw = (DATA / name).read_bytes()
    for old, new in changes:
        assert old in raw
        raw = raw.replace(old, new)
    return raw


def load(tmp_path: Path, raw: bytes) -> Any:
    path = tmp_path / "x.toml"
    path.write_bytes(raw)
    return load_scenario(path)


def refusals(tmp_path: Path, raw: bytes) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        load(tmp_path, raw)
    return [line.removeprefix(str(tmp_path) + "/") for line in str(error.value).split("\n")]


def test_an_unknown_key_gets_its_line_and_the_nearest_name(tmp_path: Path) -> None:
    assert 'x.toml:2: limits: unknown key "max_step"; did you mean "steps"?' in refusals(
        tmp_path, read("unknown-key.toml")
    )


def test_a_key_in_the_wrong_table_is_told_where_it_belongs(tmp_path: Path) -> None:
    assert 'x.toml:7: limits: unknown key "base_url"; it belongs in [model]' in refusals(
        tmp_path, read("misplaced-base-url.toml")
    )


def test_a_duplicate_key_is_one_sentence_with_both_lines(tmp_path: Path) -> None:
    assert refusals(tmp_path, read("duplicate-key.toml")) == [
        "x.toml:3: limits.max_steps: is given twice; the first is on line 2"
    ]


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    raw = read("utf8-bom.toml", (b"max_steps", b"steps"), (b"[limits]", b"goal = 'x'\r\n[limits]"))
    assert raw.startswith(b"\xef\xbb\xbf")
    assert load(tmp_path, raw).limits.steps == 5
    assert refusals(tmp_path, raw.replace(b"steps", b"stepz")) == [
        'x.toml:3: limits: unknown key "stepz"; did you mean "steps"?'
    ]


def test_a_name_with_dots_needs_quotes_and_is_told_so(tmp_path: Path) -> None:
    prices = read("dotted-names-unquoted.toml", (b"[prices]", b"goal = 'x'\n[model.prices]"))
    assert (
        'x.toml:3: model.prices: unknown key "gpt-4"; a name with a dot in it is written in quotes: "gpt-4.1-mini"'
        in refusals(tmp_path, prices)
    )
    files = b"goal = 'x'\n[workspace.files]\nnotes.txt = 'mugs'\n"
    assert refusals(tmp_path, files) == [
        'x.toml:3: workspace.files.notes: must be text, not a table; a name with a dot in it is written in quotes: "notes.txt"'
    ]


def test_quoted_names_are_read_as_written_in_their_order(tmp_path: Path) -> None:
    head = b"goal = 'x'\nprotocol = 'native'\n[[model.reply]]\n[[model.reply.call]]\ntool = 't'\n"
    raw = read("dotted-names-quoted.toml", (b"[prices]", head + b"[model.reply.call.arguments]"))
    arguments = load(tmp_path, raw).model.reply[0].call[0].arguments
    assert list(arguments) == ["gpt-4.1-mini", 'a "b" c', "", "files.read"]


def test_a_gate_on_an_unknown_tool_is_an_error(tmp_path: Path) -> None:
    raw = read(
        "approval-names-unknown-tool.toml",
        (b"[tools]\nenabled", b"goal = 'x'\ntools"),
        (b"[approval]\nask = [", b"[[approval.rule]]\ndecide = 'ask'\ntool = "),
        (b'tee"]', b'tee"'),
    )
    assert refusals(tmp_path, raw) == [
        'x.toml:6: approval.rule[0].tool: this scenario has no tool "write_notee"; did you mean "write_note"?'
    ]


# ---------------------------------------------------------------- files that cannot be read


def test_what_is_not_utf8_gives_the_line(tmp_path: Path) -> None:
    assert refusals(tmp_path, b'goal = "x"\ntitle = "\xff"\n') == ["x.toml:2: is not UTF-8: byte 0xff"]


@pytest.mark.parametrize("name", ["nowhere.toml", "", "bad\0name"])
def test_a_file_that_cannot_be_opened_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScenarioError) as error:
        load_scenario(f"{tmp_path}/{name}")
    assert len(error.value.problems) == 1
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("goal = hello\n", 'x.toml:1: goal: is not TOML at column 8: text is written in quotes: goal = "hello"'),
        (
            'goal = "hello\nseed = 1\n',
            "x.toml:1: goal: is not TOML at column 14: a quote is not closed; a text over several lines stands between ''' and '''; on one line it is goal = \"hello\"",
        ),
        ("goal = 'x'\ntools = [", "x.toml:2: tools: is not TOML: the file ends inside this value (invalid value)"),
        (
            "goal = '''x\nseed = 1\n",
            "x.toml:1: goal: is not TOML: the file ends inside this value (''' is missing at its end)",
        ),
        ("goal", "x.toml:1: is not TOML at the end of the file: expected '=' after a key in a key/value pair"),
        (
            "goal = 'x'\nsystem = '''one\nabout = '''\ntwo\n'''\n",
            "x.toml:2: system: is not closed: it ends on line 3, where another text begins",
        ),
        (
            "goal = 'x'\ntools = ['a',\n\n[limits]\nsteps = 3\n",
            "x.toml:4: is not TOML at column 2: invalid value; the value of tools that begins on line 2 is not closed",
        ),
        (
            "goal = 'x'\n[[person]]\nset = { a = 1\ndo = 'x'\n",
            "x.toml:3: person[0].set: is not TOML at column 14: a comma is missing before this, or a } at the end of the table",
        ),
        ("goal = 'x'\nseed = 2024-02-30\n", "x.toml:2: seed: is not TOML at column 8: invalid date or datetime"),
        ("goal = 'x'\nseed = " + "[" * 9000, "x.toml:2: is nested too deeply"),
        ("goal = 'x'\n[model]\n\nx = " + "{a=" * 9000, "x.toml:4: is nested too deeply"),
        ("goal = 'x'\nseed = " + "9" * 5000, "x.toml:2: holds a number of more digits than can be read"),
    ],
)
def test_what_is_not_toml_is_one_sentence(text: str, sentence: str) -> None:
    assert problems(text) == [sentence]


# ---------------------------------------------------------------- one sentence per problem

GOAL = 'goal = "x"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = 'x'\n", 'x.toml:1: goal: is missing; write goal = "…" at the top of the file, above the first [table]'),
        ("goal = ' '\n", 'x.toml:1: goal: must be text that is not empty, not " "'),
        ("gaol = 'x'\n", 'x.toml:1: unknown key "gaol"; did you mean "goal"?'),
        (GOAL + "steps = 4\n", 'x.toml:2: unknown key "steps"; it belongs in [limits] or in [expect]'),
        (
            GOAL + "loop = 'pipeline'\n",
            'x.toml:2: loop: "pipeline" needs steps: [[step]], with tool, ask or answer',
        ),
        (GOAL + "[limits]\nseconds = 1e308\n", "x.toml:3: limits.seconds: must be at most 1e+30, not 1e+308"),
        (GOAL + "[limits]\ncost = 1" + "0" * 400, f"x.toml:3: limits.cost: is too large a number: 1{'0' * 59}…"),
        (GOAL + "[limits]\nsteps = 0\n", "x.toml:3: limits.steps: must be at least 1, not 0"),
        (GOAL + "[limits]\nsteps = -1\n", "x.toml:3: limits.steps: must be at least 1, not -1"),
        (GOAL + "[limits]\ncost = 0\n", "x.toml:3: limits.cost: must be above 0, not 0"),
        (GOAL + "[limits]\nseconds = inf\n", "x.toml:3: limits.seconds: must be a finite number, not Infinity"),
        (GOAL + "[limits]\nsteps = true\n", "x.toml:3: limits.steps: must be a whole number, not true"),
        (GOAL + "[limits]\nsteps = 2.0\n", "x.toml:3: limits.steps: must be a whole number, not 2.0"),
        (GOAL + "limits.repeats.stop = 0\n", "x.toml:2: limits.repeats.stop: must be at least 1, not 0"),
        (GOAL + "seed = 2024-02-01\n", "x.toml:2: seed: must be a whole number, not the date or time 2024-02-01"),
        (GOAL + "tools = 'add'\n", 'x.toml:2: tools: must be a list, not "add"; write ["add"]'),
        (GOAL + "tools = ['a', 'a']\n", 'x.toml:2: tools[1]: "a" is named twice'),
        (
            GOAL + "protocol = 'txt'\n",
            'x.toml:2: protocol: must be "text", "json" or "native", not "txt"; did you mean "text"?',
        ),
        (
            GOAL + "[limits]\nsteps = 5\ntools = ['add']\n",
            'x.toml:4: limits: unknown key "tools"; it belongs at the top of the file, above the first [table]; a key below a [table] header is part of that table',
        ),
        (
            GOAL + "[model.reply]\ntext = 'a'\n",
            "x.toml:2: model.reply: must be a list, not a table; for a list of tables write [[model.reply]], with two brackets on each side",
        ),
        (
            GOAL + "[[limits]]\nsteps = 1\n",
            "x.toml:2: limits: must be a table, not a list; write [limits], with one bracket on each side",
        ),
        (GOAL + "[expect]\nanswer = 12\n", 'x.toml:3: expect.answer: must be text, not 12; write it in quotes: "12"'),
        (GOAL + "[expect]\nmodel_calls = 'six'\n", 'x.toml:3: expect.model_calls: must be a whole number or a table, not "six"; write model_calls = 2, or model_calls = { min = 1, max = 3 }'),
        (GOAL + "[expect]\nmodel_calls = { min = -1 }\n", "x.toml:3: expect.model_calls.min: must be at least 0, not -1"),
        (GOAL + "[expect]\nmodel_calls = { mn = 1 }\n", 'x.toml:3: expect.model_calls: unknown key "mn"; did you mean "min"?'),
        (GOAL + "[expect]\nmodel_calls = {}\n", "x.toml:3: expect.model_calls: needs min or max"),
        (GOAL + "[expect]\nsteps = { min = 3, max = 2 }\n", "x.toml:3: expect.steps: has a min above its max, which no run can meet"),
        (GOAL + "[expect]\ncalls_match = 'exact'\n", "x.toml:3: expect.calls_match: needs calls"),
        (GOAL + "[expect]\nanswer = 'a'\nanswer_matches = 'a'\n", "x.toml:4: expect.answer_matches: is there beside answer; it is one or the other"),
        (GOAL + "[expect]\nanswer_matches = '('\n", "x.toml:3: expect.answer_matches: is no regular expression: missing ), unterminated subpattern at position 0"),
        (GOAL + "protocol_options.finish = 'tool'\n", 'x.toml:2: protocol_options.finish: "tool" needs "submit_answer" among the tools'),
        (GOAL + "model.base_url = 'localhost'\n", "x.toml:2: model.base_url: must begin with http:// or https:// and name a host"),
        (GOAL + '"a\\u001b[31m" = 1\n', None),
        (GOAL + "tools = ['ls']\n[goal_check]\nresult_of = 'lls'\ncontains = 'x'\n", 'x.toml:4: goal_check.result_of: this scenario has no tool "lls"; did you mean "ls"?'),
        (GOAL + "tools = ['ls']\n[goal_check]\nresult_of = 'ls'\n", "x.toml:3: goal_check: result_of needs contains or matches"),
        (GOAL + "[context]\npolicy = 'windw'\n", 'x.toml:3: context.policy: must be "none", "window", "fold", "summarise" or "restate", not "windw"; did you mean "window"?'),
        (GOAL + "[context]\nstrategy = 'window'\n", 'x.toml:3: context: unknown key "strategy"; did you mean "policy"?'),
        (GOAL + "[context]\npolicy = 'window'\nkeep = 0\n", "x.toml:4: context.keep: must be at least 1, not 0"),
        (GOAL + "[context]\npolicy = 'window'\nkept = 3\n", 'x.toml:4: context: unknown key "kept"; did you mean "keep"?'),
        (GOAL + "[context]\npolicy = 'window'\nchars = 9\n", 'x.toml:4: context.chars: means nothing to "window"; it needs policy = "fold"'),
        (GOAL + "[context]\npolicy = 'restate'\nkeep = 3\n", 'x.toml:4: context.keep: means nothing to "restate"; it needs policy = "window", "fold" or "summarise"'),
        (GOAL + "[context]\nevery = 3\n", 'x.toml:3: context.every: means nothing to "none"; it needs policy = "window", "fold", "summarise" or "restate"'),
        (GOAL + "[[model.summary]]\ntext = 'x'\n", 'x.toml:2: model.summary: is asked for by nobody; it needs policy = "summarise" in [context]'),
        (GOAL + "[context]\npolicy = 'summarise'\n[[model.summary]]\n", "x.toml:4: model.summary[0]: has neither text nor fail nor finish"),
        (GOAL + "[context]\npolicy = 'summarise'\n[[model.summary]]\nfail = 'auth'\ntext = 'x'\n", "x.toml:4: model.summary[0]: a summary that fails has no text, usage or finish"),
        (GOAL + "[context]\npolicy = 'summarise'\n[[model.summary]]\ntext = '${a}'\n", "x.toml:5: model.summary[0].text: ${a} stands for nothing, as no reply up to here captures it; there are ${last}, ${total}, ${result1}, ${result2}, … A literal ${ is $${"),
        (GOAL + "[[person]]\non = 'step'\ndo = 'set'\nset = { \"context.keep\" = 0 }\n", 'x.toml:5: person[0].set."context.keep": must be a whole number above 0, not 0'),
        (GOAL + "[goal_check]\nfile = 'a'\nanswer_matches = 'b'\n", "x.toml:2: goal_check: needs exactly one of result_of, answer_matches and file"),
        (GOAL + "[workspace]\nroot = 'a'\nfiles = { a = 'b' }\n", "x.toml:2: workspace: has both files and root; it is one or the other"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_one_sentence(text: str, sentence: str | None) -> None:
    found = problems(text)
    assert len(found) == 1
    if sentence is None:
        assert "\x1b" not in found[0]
    else:
        assert found == [sentence]


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../x", "a/../../b", "C:/x", "a\\\\b", "", ".", "a/", "a\\nb", "a\\u0000"]
)
def test_a_workspace_file_stays_in_the_workspace(name: str) -> None:
    assert problems(f'{GOAL}[workspace.files]\n"{name}" = "x"\n')[0].startswith("x.toml:3: workspace.files.")


@pytest.mark.parametrize("files", ['{ "a" = "", "a/b" = "" }', '{ "a/b" = "", "a//b" = "" }'])
def test_workspace_files_do_not_stand_in_each_others_way(files: str) -> None:
    assert problems(f"{GOAL}workspace.files = {files}\n")


# ---------------------------------------------------------------- replies


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ("repeat = 2", 'model.reply[0]: has neither text nor call nor fail; for an empty reply write text = ""'),
        ("text = 'a'\nrepeat = 0", 'model.reply[0].repeat: must be at least 1 or "forever", not 0'),
        ("text = 'a'\nrepeat = 'often'", 'model.reply[0].repeat: must be a whole number or "forever", not "often"'),
        ("text = 'a'\nretry_after = 1", "model.reply[0].retry_after: belongs to a reply that has fail"),
        ("fail = 'auth'\nretry_after = 1", 'model.reply[0].retry_after: "auth" is not tried again'),
        ("fail = 'timeout'\ntext = 'a'", 'model.reply[0].text: a reply that fails has no text, unless it is a "cut_stream"'),
        ("fail = 'timeout'\nfinish = 'stop'", "model.reply[0].finish: a reply that fails has no finish"),
        ("text = 'a'\nwhen = '['", "model.reply[0].when: is no regular expression: unterminated character set at position 0"),
        ("text = 'a'\nwhen = '[[a]'", "model.reply[0].when: is a regular expression that can be read in two ways: Possible nested set at position 1"),
        ("text = 'a'\ncapture = { x = '(' }", "model.reply[0].capture.x: is no regular expression: missing ), unterminated subpattern at position 0"),
        ("text = 'a'\ncapture = { result1 = 'a' }", "model.reply[0].capture.result1: ${result1} stands for something already; choose another name to capture"),
        ("text = 'a'\ncapture = { a-b = 'a' }", "model.reply[0].capture.a-b: a name to capture has letters, digits and _ only, and does not begin with a digit"),
        ("text = '${resultx}'", "model.reply[0].text: ${resultx} stands for nothing, as no reply up to here captures it; did you mean ${result1}? A literal ${ is $${"),
        ("text = '${zzz}'", "model.reply[0].text: ${zzz} stands for nothing, as no reply up to here captures it; there are ${last}, ${total}, ${result1}, ${result2}, … A literal ${ is $${"),
        ("text = 'a ${ b'", "model.reply[0].text: ${ must be followed by a name and }, as in ${result1}; for a literal ${ write $${"),
        ("text = 'a'\n[[model.reply.call]]\ntool = 't'", 'model.reply[0].call: native calls need protocol = "native" at the top, not "text"'),
        ("text = 'a'\ncall = [{ tool = 't', arguments = 3 }]", "model.reply[0].call[0].arguments: must be a table or text, not 3"),
        ("text = 'a'\ncall = [{ tool = 't', arguments = { d = 2024-02-01 } }]", 'model.reply[0].call[0].arguments: a date or time is no JSON value; write it in quotes: "2024-02-01"'),
        ("text = 'a'\ncall = [{ tool = 't', arguments = { d = nan } }]", "model.reply[0].call[0].arguments: nan is no JSON number; arguments as text can hold it"),
        ("text = 'a'\ncall = [{ arguments = {} }]", 'model.reply[0].call[0].tool: is missing; write tool = "…"'),
        ("txt = 'a'", 'model.reply[0]: unknown key "txt"; did you mean "text"?'),
        ("text = 'a'\ndelay = -1", "model.reply[0].delay: must be at least 0, not -1"),
        ("text = 'a'\nfail = 'boom'", None),
    ],
)  # fmt: skip
def test_a_wrong_reply_is_one_sentence(reply: str, sentence: str | None) -> None:
    found = problems(f"{GOAL}[[model.reply]]\n{reply}\n")
    assert len(found) == 1
    assert sentence is None or found[0].endswith(f": {sentence}")


def test_a_capture_is_known_from_its_own_reply_on() -> None:
    early = "[[model.reply]]\ntext = '${paris}'\n"
    capturing = "[[model.reply]]\ntext = '${paris}'\ncapture = { paris = 'x' }\n"
    parse_scenario(GOAL + capturing + early, "x.toml")
    assert len(problems(GOAL + early + capturing)) == 1


def test_templates_in_arguments_are_checked_at_their_line() -> None:
    text = (
        GOAL + 'protocol = "native"\n[[model.reply]]\n[[model.reply.call]]\ntool = "t"\narguments = { a = ["${x}"] }\n'
    )
    assert problems(text)[0].startswith("x.toml:6: model.reply[0].call[0].arguments: ${x} stands for nothing")


# ---------------------------------------------------------------- faults, rules, people


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("nth = 1", "fault[0]: needs use with a name of the fault catalogue, or both on and do"),
        ("on = 'tool'", "fault[0]: needs use with a name of the fault catalogue, or both on and do"),
        ("use = 'a'\ndo = 'drop'", "fault[0]: has use, so it cannot have on or do: a fault is named, or spelled out"),
        ("use = 'a'\nnth = 1\nstep = 2", "fault[0].step: there is one schedule for a fault, and this one has nth already"),
        ("use = 'a'\nnth = 0", "fault[0].nth: must be at least 1, not 0"),
        ("use = 'a'\nchance = 1.5", "fault[0].chance: must be at most 1, not 1.5"),
        ("use = 'a'\nchance = nan", "fault[0].chance: must be a finite number, not NaN"),
        ("use = 'a'\nburst = { start = 1 }", "fault[0].burst.length: is missing"),
        ("use = 'a'\ntool = 'ad'", 'fault[0].tool: this scenario has no tool "ad"; did you mean "add"?'),
        ("on = 'reply'\ndo = 'truncate'\ntool = 'add'", 'fault[0].tool: a fault on = "reply" is not about a call, so it has no tool'),
        ("on = 'result'\ndo = 'replace'", 'fault[0]: do = "replace" needs text or value'),
        ("on = 'result'\ndo = 'drop'\nwhere = { a = { globb = 'x' } }", 'fault[0].where.a: must be a plain value, { glob = "…" } or { regex = "…" }'),
    ],
)  # fmt: skip
def test_a_wrong_fault_is_one_sentence(fault: str, sentence: str) -> None:
    found = problems(f"{GOAL}tools = ['add']\n[[fault]]\n{fault}\n")
    assert len(found) == 1
    assert found[0].endswith(f": {sentence}")


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("on = 'approval'\ndo = 'pass'", 'person[0].do: with on = "approval" a person can "allow", "deny", "edit", "answer" or "cancel", not "pass"'),
        ("on = 'approval'\ndo = 'edit'", 'person[0]: do = "edit" needs arguments'),
        ("on = 'approval'\ndo = 'edit'\narguments = {}\ntext = 'x'", 'person[0].text: do = "edit" has no text'),
        ("on = 'approval'\ndo = 'allow'\ntool = 'ad'", 'person[0].tool: this scenario has no tool "ad"; did you mean "add"?'),
        ("on = 'stop'\ndo = 'message'\ntext = ' '", "person[0].text: a message is not empty"),
        ("on = 'stop'\ndo = 'message'\ntext = 'x'\nnth = 1", 'person[0].nth: on = "stop" is neither about a call nor a step, so it has no nth'),
        ("on = 'step'\ndo = 'cancel'\ntool = 'add'", 'person[0].tool: on = "step" is not about a call, so it has no tool'),
        ("on = 'stop'\ndo = 'set'\nset = { limits.steps = 9 }", 'person[0].set.limits: a setting is named in quotes, with its dot: set = { "limits.steps" = 9 }'),
        ("on = 'stop'\ndo = 'set'\nset = { 'limits.step' = 9 }", 'person[0].set."limits.step": there is no setting "limits.step"; did you mean "limits.steps"?'),
        ("on = 'stop'\ndo = 'set'\nset = { 'limits.steps' = 0 }", 'person[0].set."limits.steps": must be a number above 0, or false for no cap, not 0'),
        ("on = 'stop'\ndo = 'set'\nset = { 'approval.default' = 'yes' }", 'person[0].set."approval.default": must be "ask", "allow" or "deny", not "yes"'),
        ("on = 'stop'\ndo = 'set'", 'person[0]: do = "set" needs set'),
        (
            "do = 'allow'",
            'person[0].on: is missing; it is "approval", "hold", "stop", "step", "interrupted" or "reply"',
        ),
    ],
)  # fmt: skip
def test_a_wrong_person_entry_is_one_sentence(entry: str, sentence: str) -> None:
    found = problems(f"{GOAL}tools = ['add']\n[[person]]\n{entry}\n")
    assert len(found) == 1
    assert found[0].endswith(f": {sentence}")


def test_every_problem_is_reported_in_the_order_of_the_file() -> None:
    found = problems('goal = 3\nprotcol = "text"\n[limits]\nsteps = 0\nbase_url = "x"\n')
    assert [line.split(":")[1] for line in found] == ["1", "2", "4", "5"]


def test_problems_of_a_plain_form_have_no_lines() -> None:
    with pytest.raises(ScenarioError, match=r"^old\.toml: limits\.steps: must be at least 1, not 0$"):
        scenario_from_plain({"goal": "x", "limits": {"steps": 0}}, "old.toml")


def refused(read: Callable[[], Scenario]) -> tuple[Problem, ...]:
    """What is wrong; nothing where the scenario is read."""
    try:
        read()
    except ScenarioError as error:
        return error.problems
    return ()


@given(st.text(max_size=80) | st.text(st.sampled_from("goal=\"'[]{}.\n#1, xmodel"), max_size=80))
def test_no_text_raises_anything_but_a_scenario_error(text: str) -> None:
    assert all("\n" not in str(problem) for problem in refused(lambda: parse_scenario(text, "x.toml")))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "use", "reply", "steps", "call", "x"]) | st.text(max_size=4), inner)
    ),
    max_leaves=8,
)
TABLES = ("goal", "tools", "limits", "model", "fault", "person", "approval", "expect", "workspace", "goal_check")


@given(st.dictionaries(st.sampled_from(TABLES), plain))
def test_no_data_raises_anything_but_a_scenario_error(data: dict[str, Any]) -> None:
    assert all("\n" not in str(problem) for problem in refused(lambda: scenario_from_plain(data)))


def test_a_slip_in_a_key_is_a_slip_though_another_table_has_such_a_key() -> None:
    assert problems('goal = "g"\ntool = ["add"]\n') == ['x.toml:2: unknown key "tool"; did you mean "tools"?']
    assert problems('goal = "g"\nseed = 1\n[limits]\nsteps = six\n') == [
        'x.toml:4: limits.steps: is not TOML at column 9: text is written in quotes: steps = "six"'
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[context]\npolicy = 'none'\nkeep = 3\nevery = 3\n[[model.summary]]\ntext = 'x'\n",
        "[context]\npolicy = 'fold'\nkeep = 3\nchars = 9\nat = 100\nevery = 3\n",
        '[[person]]\non = \'step\'\ndo = \'set\'\nset = { "context.policy" = "fold", "context.at" = false }\n',
    ],
)
def test_a_policy_can_be_there_switched_off_and_chosen_later(text: str) -> None:
    assert parse_scenario(GOAL + text, "x.toml").goal == "x"
