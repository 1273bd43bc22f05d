"""What people write who know other formats, and what it is called here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.core.values import ProtocolName
from workbench.faults.replies import written_answer, written_call

_CALLED = dict.fromkeys(("tool", "name", "function", "action", "tool_name", "tool_call"), "tool")
_GIVEN = dict.fromkeys(("arguments", "args", "input", "parameters", "params", "kwargs"), "arguments")
_SAID = ("answer", "content", "message", "response", "output", "say", "reply", "final")
_STEPS = dict.fromkeys(("max_steps", "turns", "iterations", "rounds", "max_turns", "max_iterations"), "steps")

_IN_A_STEP = {
    **{name: key for name, key in _CALLED.items() if name != "name"},
    **_GIVEN,
    **dict.fromkeys(("prompt", "question", "model"), "ask"),
    **dict.fromkeys(("text", "result", "output", "final"), "answer"),
    **dict.fromkeys(("id", "as", "save_as"), "name"),
    "extract": "capture",
}

OTHER_NAMES: dict[tuple[str, ...], dict[str, str]] = {
    (): {
        **dict.fromkeys(("prompt", "task", "question", "query", "user", "message", "input", "request"), "goal"),
        **dict.fromkeys(("system_prompt", "instructions"), "system"),
        "name": "title",
        "description": "about",
        "format": "protocol",
    },
    ("limits",): {
        **_STEPS,
        **dict.fromkeys(("max_tokens", "tokens"), "total_tokens"),
        **dict.fromkeys(("timeout", "time", "deadline"), "seconds"),
        **dict.fromkeys(("budget", "dollars", "max_cost"), "cost"),
        **dict.fromkeys(("errors", "retries"), "failures"),
        "calls": "tool_calls",
    },
    ("model",): {**dict.fromkeys(("type", "kind", "provider"), "use"), "model": "name"},
    ("model", "reply"): {
        "error": "fail",
        "times": "repeat",
        "if": "when",
        "reasoning": "thinking",
        "thought": "thinking",
    },
    ("model", "reply", "call"): {**_CALLED, **_GIVEN},
    ("step",): _IN_A_STEP,
    ("route", "step"): _IN_A_STEP,
    ("route",): {
        **dict.fromkeys(("when", "if", "description", "for"), "about"),
        **dict.fromkeys(("steps", "tools", "calls"), "step"),
        **dict.fromkeys(("id", "label", "key"), "name"),
    },
    ("context",): {
        **dict.fromkeys(("strategy", "type", "kind", "mode", "name", "use"), "policy"),
        **dict.fromkeys(("window", "last", "steps", "keep_last", "messages"), "keep"),
        **dict.fromkeys(("threshold", "limit", "max_tokens", "tokens", "context_tokens"), "at"),
        **dict.fromkeys(("size", "max_chars", "characters", "head"), "chars"),
        **dict.fromkeys(("interval", "restate", "remind"), "every"),
    },
    ("model", "summary"): {**dict.fromkeys(("content", "summary", "say"), "text"), "error": "fail"},
    ("expect",): {
        **dict.fromkeys(("result", "output", "text", "response"), "answer"),
        **dict.fromkeys(("outcome", "state", "ends", "stop", "stop_reason", "finish"), "status"),
        **_STEPS,
        **dict.fromkeys(("call_count", "num_calls", "number_of_calls", "tool_count"), "tool_calls"),
        **dict.fromkeys(("tools", "tool_names", "tools_used", "tools_called"), "calls"),
        "contains": "answer_matches",
        "matches": "answer_matches",
    },
    ("fault",): {**dict.fromkeys(("name", "kind", "type", "fault"), "use"), "call": "nth"},
    ("person",): {**dict.fromkeys(("action", "decide", "decision", "answer"), "do"), "when": "on", "reason": "text"},
    ("approval", "rule"): {**dict.fromkeys(("do", "action", "decision"), "decide")},
}
"""Per table, by its path without indices: a key that there is not, and the one that is meant."""

AROUND = (("limits",), ("model",), ("expect",))
"""Tables whose keys are looked for at the top of the file, or in each other."""

TABLES = {
    **dict.fromkeys(("reply", "replies", "response", "responses", "messages", "turn", "step"), "[[model.reply]]"),
    **dict.fromkeys(("call", "calls", "tool_call", "tool_calls"), "[[model.reply.call]], below its reply"),
    "steps": "[[step]]",
    "routes": "[[route]]",
    **dict.fromkeys(("rule", "rules"), "[[approval.rule]]"),
    **dict.fromkeys(("file", "files"), "[workspace.files]"),
    **dict.fromkeys(("budget", "caps"), "[limits]"),
    **dict.fromkeys(("summary", "summaries"), "[[model.summary]]"),
    **dict.fromkeys(("compaction", "memory", "history"), "[context]"),
    **dict.fromkeys(("assert", "check", "test"), "[expect]"),
}
"""Names of tables that stand somewhere else, or do not exist, and the header that is meant."""

NO_TOOLS_HERE = (
    'a tool is a Python function in the folder tools/, and tools = ["name"] at the top names it. '
    "For a made-up one let a reply call a name that is not there: the model reads an error, and can be corrected"
)
_TOOL_KEYS = ("tool", "tools", "functions", "function")


_HOLD = (
    'results are held by the person of the script: [[person]] with on = "step", do = "set" '
    'and set = { hold = "tool:NAME" }'
)


def elsewhere(name: str, here: tuple[str, ...]) -> tuple[str, ...]:
    """The path of the key that is meant by another one, in the tables around which that one stands; () where that is
    not known."""
    names = ((*table, other) for table in AROUND if table != here and (other := other_name(table, name)))
    return next(names, ())


def other_name(pattern: tuple[str, ...], name: str) -> str:
    """The key of that table that is meant by another one; "" where that is not known."""
    return OTHER_NAMES.get(pattern, {}).get(name.lower(), "")


def meant(pattern: tuple[str, ...], name: str, value: Any, table: Any, protocol: Any) -> str:
    """What is meant by a key that the table has not, as the end of a sentence; "" where that is not known.

    `table` is what the key stands in, `protocol` what the file says of it.
    """
    low = name.lower()
    is_table = isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value))
    if pattern == () and low == "hold":
        return _HOLD
    if pattern == ("expect",) and other_name(pattern, name) == "calls" and isinstance(value, int):
        return 'did you mean "tool_calls"?'
    if is_table and pattern == () and low in _TOOL_KEYS:
        return NO_TOOLS_HERE
    if is_table and pattern in ((), ("model",)) and low in TABLES:
        return f"write {TABLES[low]}"
    if pattern == ("model", "reply") and isinstance(table, Mapping):
        found = _in_a_reply(low, table, protocol if protocol in ("json", "native") else "text")
        if found:
            return found
    if near := other_name(pattern, name):
        return f'did you mean "{near}"?'
    return ""


def _in_a_reply(name: str, reply: Mapping[str, Any], protocol: ProtocolName) -> str:
    """What a reply has instead of keys that say what it is about: its text, in the protocol of the file."""
    if name == "role":
        return "a reply is always the model's, so it says no role"
    if name in _SAID:
        value = reply[name] if isinstance(reply.get(name), str) else "…"
        said = written_answer(protocol, value)
        return f"what the model says is its text: text = {quoted(said)}"
    if name not in _CALLED and name not in _GIVEN and name != "type":
        return ""
    tool = next((value for key, value in reply.items() if key in _CALLED and isinstance(value, str)), "")
    given: Any = next((value for key, value in reply.items() if key in _GIVEN), {})
    if protocol == "native":
        named = f'tool = "{tool or "…"}"'
        return f"a call is a table below its reply: [[model.reply.call]], with {named} and arguments = {{ … }}"
    if not tool:
        answer = reply.get("text") if isinstance(reply.get("text"), str) else "…"
        said = written_answer(protocol, answer or "…")
    else:
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
        said = written_call(protocol, tool, arguments)
    return f'in protocol "{protocol}" all of it is one text: text = {quoted(said)}'


def quoted(text: str) -> str:
    """A TOML string for a text on one line, in quotes that need no escapes where there are such."""
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if '"' not in text and "\\" not in text else f"'''{text}'''"
