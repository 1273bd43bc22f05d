"""What each command is for: a few words for the list, sentences for its help, and an example."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

SESSIONS = """A word is looked for in title and file name, and in what was said: by the user, by the model, in
arguments of calls, in results (the first 2,000 characters of each, 50,000 of a session). Filters: tool:refund, a tool
in whose name that is; tool=add, that one; status:answered, status:waiting; 'cost>0.1', 'steps<=4', cost:unknown. A
hyphen before any of them means not that; it comes after --. Quote what has a < or a > in it: a shell takes it for a
file."""

MATRIX = """Each cell is a run of its own with one fault in one step, in a sandbox of its own. A scripted model goes on
as it is written, so it shows what the loop, its limits and its locks do with a fault; what a model makes of it, a
script shows only in replies with when, capture or templates. Exit code 0, or 2 for bad input."""

DIFF = """Both are laid side by side by their calls: the same tool with the same arguments. Ids, times and counts of
tokens are no difference, nor is the same done in other words. A scenario is run for it, with nobody there. Exit code 0
if both go the same way, also where they are set up differently; 1 if they part; 2 for bad input."""


@dataclass(frozen=True, slots=True)
class Help:
    """The help of one command."""

    words: str
    """In the list of commands, and how its own help begins."""
    example: str
    """A command line, without its first word."""
    more: str = ""
    """Further sentences."""


HELPS: dict[str, Help] = {
    "run": Help(
        "run a scenario with nobody there",
        "run two-cities --set limits.steps=2",
        "The transcript is printed as it grows, then how it ended. Exit code 0 if its expectations hold, or without "
        "any if it answered; 1 if not; 2 for bad input; 3 if it waits for a person.",
    ),
    "check": Help(
        "run every scenario that has [expect], and compare",
        "check scripts/ --junit report.xml",
        "Each expectation that does not hold is named with both values. Exit code 0 if all hold, 1 if not, 2 if one "
        "cannot be run.",
    ),
    "resume": Help(
        "go on with a saved run",
        'resume refund-1 --deny c2 "not without an order"',
        "Calls are named as workbench show names them: c1, c2, …; all means every one that waits. Exit codes are "
        "those of run.",
    ),
    "show": Help(
        "print a saved run",
        "show refund-1 --as requests",
        "As it is now or as it was after any of its events: what was said, what each request carried, what it cost, "
        "or what it really did.",
    ),
    "fork": Help(
        "go on from any event of a saved run, in a session of its own",
        "fork refund-1 --at 6 --result '{\"found\": 0}'",
        "What the run did after that event and is not undone is said first. Exit codes are those of run.",
    ),
    "diff": Help("where two runs part first, and why", "diff refund-1 refund-2", DIFF),
    "matrix": Help(
        "every step of a scenario against every fault", "matrix two-cities --faults wrong-number,timeout", MATRIX
    ),
    "serve": Help(
        "play a scenario's model to other agents, over HTTP",
        "serve side-by-side --port 8642",
        "It is an OpenAI-compatible, an Anthropic and an Ollama endpoint at once, and needs: "
        "pip install 'agent-workbench[serve]'.",
    ),
    "export": Help(
        "write a saved run in a form for others",
        "export refund-1 --to html -o refund.html",
        "A scenario or a pytest test plays it again; the others are its messages, a page, a picture or spans.",
    ),
    "import": Help(
        "make sessions of the logs of other agents",
        "import log.jsonl",
        "Each conversation in the file becomes a session. What is not read of it is said, and kept in the session.",
    ),
    "tools": Help(
        "list the tools",
        "tools --json",
        "With what each may touch. A file that cannot be loaded is named with the reason.",
    ),
    "faults": Help("list the faults, or explain one", "faults wrong-number", "A scenario names them in [[fault]] use."),
    "models": Help(
        "list the live models, and what they lack",
        "models --ping",
        "They stand in models.toml of the workbench folder.",
    ),
    "scripts": Help(
        "list the scenarios",
        "scripts --json",
        "The course in its order, then what is no lesson. A file that cannot be read is named with the reason.",
    ),
    "sessions": Help(
        "list the saved runs, or find some", "sessions tool:refund status:waiting 'steps<=4' -- -cost:unknown", SESSIONS
    ),
    "themes": Help("list the themes", "themes", "One of your own is a TOML file in themes/ of the workbench folder."),
    "where": Help("say what was found where", "where", "Folders, settings, and why tools of a folder are not loaded."),
    "init": Help("make a workbench folder", "init my-agents", "It gets scripts/, tools/, themes/ and sessions/."),
    "schema": Help("print the JSON schema of scenario files, for editors", "schema > scenario.schema.json"),
    "trust": Help(
        "let the tools of a folder be loaded, or a scenario work in it",
        "trust my-agents",
        "Loading tools runs their code: a folder of somebody else's is asked about.",
    ),
}


def near_command(name: str) -> str:
    """The command that a word is most likely meant to be; "" when none is near."""
    swapped = (command for command in HELPS if sorted(command) == sorted(name))
    return next(iter([*get_close_matches(name, HELPS, n=1, cutoff=0.75), *swapped]), "")
