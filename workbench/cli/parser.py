"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any, NoReturn

from workbench import __version__
from workbench.cli.helps import HELPS, near_command

Command = Callable[[argparse.Namespace], int]
Arguments = Callable[[argparse.ArgumentParser], None]
WIDTH = 80
"""Columns of sentences in help."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where help is. Options are written out: half a name is an unknown one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\ntry: {self.prog} --help\n")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of one command, with `command` the function that carries it out."""
    if arguments and arguments[0] in HELPS:
        return _parser().parse_args(arguments)
    parser = _app_parser()
    options, others = parser.parse_known_args(arguments)
    for wanted in ("--help", "--version"):
        if wanted in others or (wanted == "--help" and "-h" in others):
            if options.file and (command := near_command(options.file)):
                parser.error(f"there is no command {options.file}; did you mean {command}?")
            return _parser().parse_args([wanted])
    if others and any(not other.startswith("-") for other in others):
        near = near_command(options.file)
        meant = f"did you mean {near}?" if near else "the app opens one file"
        parser.error(f"there is no command {options.file}; {meant}")
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    return options


def _app_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="workbench", add_help=False)
    parser.add_argument("file", nargs="?", metavar="FILE")
    _common(parser)
    parser.set_defaults(command=_late("app", "run_app"))
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="workbench",
        description="Watch an agent loop run move by move, break it on purpose, and keep every run as a file.",
        usage="workbench [--home DIR] [--tools DIR] [FILE]\n       workbench COMMAND …",
        epilog="Without a command it opens the app; with a scenario or a session, by path or by\n"
        "name, that one at once. Begin with: workbench tour",
    )
    parser.add_argument("--version", action="version", version=f"workbench {__version__}")
    commands = parser.add_subparsers(prog="workbench", metavar="COMMAND", required=True, parser_class=Parser)
    for name, each in HELPS.items():
        sentences = fill(f"{each.words[:1].upper()}{each.words[1:]}. {each.more}", WIDTH)
        example = f"for example:\n  workbench {each.example}"
        _ARGUMENTS[name](commands.add_parser(name, help=each.words, description=sentences, epilog=example))
    return parser


def _listing(function: str) -> Arguments:
    def arguments(parser: argparse.ArgumentParser) -> None:
        _common(parser)
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.set_defaults(command=_late("lists", function))

    return arguments


def _faults(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="the one to be explained")
    _common(parser)
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command=_late("faults", "faults"))


def _init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="by default $WORKBENCH_HOME, else the current one")
    parser.set_defaults(command=_late("lists", "init"))


def _schema(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_late("lists", "schema"))


def _trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="a workbench folder, or the root of a workspace")
    parser.set_defaults(command=_late("lists", "trust_folder"))


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a file, or the name of one in scripts/")
    _changes(parser)
    _model(parser)
    parser.add_argument(
        "--fault", action="append", default=[], dest="faults", metavar="NAME:KEY=VALUE,…", help="see workbench faults"
    )
    parser.add_argument("--hold", metavar="FILTER", help="what waits at the door for a person, e.g. tool:add or reply")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--approve", choices=("allow", "deny", "ask"), help="approval.default for this run")
    parser.add_argument("--save", metavar="PATH", help="where to keep the run; by default in sessions/")
    _printing(parser)
    _common(parser)
    parser.set_defaults(command=_late("runs", "run"))


def _sessions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD", help="only sessions that hold every word and filter")
    parser.add_argument("--json", action="store_true", help="as JSON")
    _common(parser)
    parser.set_defaults(command=_late("sessions", "sessions"))


def _models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ping", action="store_true", help="ask each server that has what it needs for its models")
    parser.add_argument("--json", action="store_true", help="as JSON")
    _common(parser)
    parser.set_defaults(command=_late("models", "models"))


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files, folders, or names of scenarios; by default all of them"
    )
    parser.add_argument("--junit", metavar="FILE", help="also write the verdicts as JUnit XML")
    _common(parser)
    parser.set_defaults(command=_late("runs", "check"))


def _resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a file, or the name of one in sessions/")
    parser.add_argument("--allow", action="append", default=[], metavar="CALL", help="c1, c2, … or all")
    parser.add_argument("--deny", action="append", default=[], nargs=2, metavar=("CALL", "REASON"))
    parser.add_argument("--edit", action="append", default=[], nargs=2, metavar=("CALL", "JSON"))
    parser.add_argument("--answer", action="append", default=[], nargs=2, metavar=("CALL", "TEXT"))
    parser.add_argument("--message", metavar="TEXT", help="a follow-up of the user")
    _door(parser)
    _changes(parser)
    _printing(parser)
    _common(parser)
    parser.set_defaults(command=_late("runs", "resume"))


def _door(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hold", metavar="FILTER", help="what is held from here on; off: nothing")
    parser.add_argument("--pass", action="append", default=[], metavar="CALL", dest="passed", help="a call, or reply")
    parser.add_argument("--replace", action="append", default=[], nargs=2, metavar=("CALL", "TEXT"))
    parser.add_argument("--error", action="append", default=[], nargs=2, metavar=("CALL", "TEXT"))
    parser.add_argument("--drop", action="append", default=[], metavar="CALL")
    parser.add_argument("--delay", action="append", default=[], nargs=2, metavar=("CALL", "SECONDS"))
    parser.add_argument("--revert", action="append", default=[], metavar="CALL", help="as the tool or model gave it")


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION")
    parser.add_argument("--at", type=int, metavar="N", help="as it was after event N; effects: those after it")
    parser.add_argument(
        "--as",
        dest="form",
        choices=("text", "json", "requests", "cost", "records", "effects"),
        default="text",
    )
    _common(parser)
    parser.set_defaults(command=_late("show", "show"))


def _fork(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="it is only read, and stays as it is")
    parser.add_argument("--at", type=int, metavar="N", help="the last event that the fork has; by default the latest")
    parser.add_argument("--result", metavar="TEXT", help="what the model reads as the result at N instead")
    parser.add_argument("--reply", metavar="TEXT", help="what the model said at N instead")
    parser.add_argument("--user", metavar="TEXT", help="what the user said at N instead")
    parser.add_argument("--message", default="", metavar="TEXT", help="what the user says then")
    parser.add_argument(
        "--model", default="", metavar="WIRE:NAME", help="another model; a name of models.toml; FILE.toml, its replies"
    )
    parser.add_argument("--base-url", default="", metavar="URL", help="where the model's requests go")
    parser.add_argument("--title", default="", metavar="TEXT", help="a name for the fork")
    _changes(parser)
    parser.add_argument("--save", metavar="PATH", help="where to keep it; by default in sessions/")
    _printing(parser)
    _common(parser)
    parser.set_defaults(command=_late("forks", "fork_session"))


def _model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="", metavar="WIRE:NAME", help="another model; or a name of models.toml")
    parser.add_argument("--base-url", default="", metavar="URL", help="where the model's requests go")


def _diff(parser: argparse.ArgumentParser) -> None:
    for name in ("a", "b"):
        parser.add_argument(name, metavar=name.upper(), help="a session or a scenario: a file, or the name of one")
    parser.add_argument("--json", action="store_true", help="as JSON")
    _common(parser)
    parser.set_defaults(command=_late("diff", "diff"))


def _matrix(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a file, or the name of one in scripts/")
    parser.add_argument(
        "--faults", action="append", default=[], metavar="A,B", help="only these; by default the whole catalogue"
    )
    parser.add_argument("--jobs", type=_positive, metavar="N", help="processes; by default as many as processors")
    parser.add_argument("--save", metavar="DIR", help="keep every run as a session in this new folder")
    parser.add_argument("--yes", action="store_true", help="ask a live model, again in every cell")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON")
    form.add_argument("--markdown", action="store_true", help="as a Markdown document")
    _changes(parser)
    _common(parser)
    parser.set_defaults(command=_late("matrix", "matrix"))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text}")
    return int(text)


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a file, or the name of one in scripts/")
    parser.add_argument("--host", default="127.0.0.1", metavar="HOST", help="by default only this machine")
    parser.add_argument("--port", type=int, default=8642, metavar="PORT", help="0 is a free one; by default 8642")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes")
    parser.add_argument(
        "--fault", action="append", default=[], dest="faults", metavar="NAME:KEY=VALUE,…", help="see workbench faults"
    )
    parser.add_argument("--seed", type=int, metavar="N")
    _common(parser)
    parser.set_defaults(command=_late("serve", "serve_scenario"))


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION")
    parser.add_argument(
        "--to",
        required=True,
        metavar="FORM",
        help="scenario, pytest, openai, anthropic, ollama, markdown, html, svg, records or otel",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there; by default it is printed")
    parser.add_argument("--force", action="store_true", help="overwrite FILE")
    parser.add_argument("--theme", default="", metavar="NAME", help="the colours of html and svg; see workbench themes")
    _common(parser)
    parser.set_defaults(command=_late("exchange", "export"))


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="messages or requests of OpenAI, Anthropic or Ollama, spans, or a trajectory"
    )
    parser.add_argument("--only", type=int, metavar="N", help="of several conversations the Nth, from 1")
    parser.add_argument("--model", default="", metavar="WIRE:NAME", help="who goes on with it; by default you do")
    parser.add_argument("--base-url", default="", metavar="URL", help="where the model's requests go")
    parser.add_argument("--save", metavar="PATH", help="where to keep the session; by default in sessions/")
    _common(parser)
    parser.set_defaults(command=_late("exchange", "import_log"))


def _changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="changes")
    parser.add_argument("--no-limit", action="append", default=[], metavar="LIMIT", dest="no_limits")


def _printing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one event a line, then a result object")
    parser.add_argument("--records", metavar="FILE", help="append a line of JSON for each step, arguments redacted")


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--home", metavar="DIR", help="the workbench folder")
    parser.add_argument("--tools", action="append", default=[], metavar="DIR", help="also load the tools of DIR")
    parser.add_argument("--trust", metavar="DIR", help="let tools in DIR be loaded, or a scenario work in it")


def _late(module: str, function: str) -> Command:
    """The command, imported when it is carried out: starting one must not load what the others need."""

    def command(options: argparse.Namespace) -> int:
        from importlib import import_module

        found: Command = getattr(import_module(f"workbench.cli.{module}"), function)
        return found(options)

    return command


_ARGUMENTS: dict[str, Arguments] = {
    "run": _run,
    "check": _check,
    "resume": _resume,
    "show": _show,
    "fork": _fork,
    "diff": _diff,
    "matrix": _matrix,
    "serve": _serve,
    "export": _export,
    "import": _import,
    "sessions": _sessions,
    "models": _models,
    "faults": _faults,
    "init": _init,
    "schema": _schema,
    "trust": _trust,
    **{name: _listing(name) for name in ("tools", "scripts", "themes", "where")},
}
"""What each command takes."""
