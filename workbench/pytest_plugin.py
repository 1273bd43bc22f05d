"""The plugin for pytest: scenario files with expectations are tests, one each, in any project.

    [tool.pytest.ini_options]
    workbench_files = ["scenarios/*.toml"]

is all there is to configure; the globs count from the folder of that file. A project that does not say so has no cost
of the plugin but this file: everything else is imported when a scenario is collected.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from workbench.check import Verdict
    from workbench.home import Home
    from workbench.toolkit.loader import LoadedFolder

FILES, TOOLS, MODEL = "workbench_files", "workbench_tools", "workbench_model"
_WILD = frozenset("*?[")


class ScenarioFailed(Exception):
    """An expectation that does not hold, or a scenario that cannot be run."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.path.name)
        self.verdict = verdict


class ScenarioFile(pytest.File):
    """A scenario file: a test, if it has expectations or cannot be read."""

    def collect(self) -> Iterator[ScenarioItem]:
        line = _line_of_expect(self.path)
        if line is not None:
            item: ScenarioItem = ScenarioItem.from_parent(self, name="expect")
            item.line = line
            yield item


class ScenarioItem(pytest.Item):
    """Runs the scenario with nobody there, on a virtual clock, and keeps nothing of it."""

    line = 0
    """Of [expect], from 0."""

    def runtest(self) -> None:
        from workbench.check import check_file

        bench = self.config.stash[BENCH]
        verdict = asyncio.run(check_file(self.path, bench.home, bench.tools, model=bench.model))
        if not verdict.passed:
            raise ScenarioFailed(verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Each expectation with both values, and the transcript where they part; no traceback of ours."""
        if not isinstance(excinfo.value, ScenarioFailed):
            return super().repr_failure(excinfo, style)
        from workbench.check import failure_lines

        return "\n".join(failure_lines(excinfo.value.verdict))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line, self.path.stem


class Bench:
    """What all scenarios of a session share. Tools are loaded once, when the first scenario runs."""

    def __init__(self, config: pytest.Config) -> None:
        self.model: str = config.getoption(MODEL) or config.getini(MODEL)
        self._root = config.rootpath
        self._folders: list[Path] = config.getini(TOOLS)
        self._home: Home | None = None
        self._tools: LoadedFolder | None = None

    @property
    def home(self) -> Home:
        if self._home is None:
            from workbench.check import project_home

            for folder in self._folders:
                if not folder.is_dir():
                    raise pytest.UsageError(f"{TOOLS}: there is no folder {folder}")
            self._home = project_home(self._root, self._folders)
        return self._home

    @property
    def tools(self) -> LoadedFolder:
        if self._tools is None:
            from workbench.toolkit.loader import load_tools

            self._tools = load_tools(self.home.tools)
        return self._tools


BENCH = pytest.StashKey[Bench]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """One option, three settings."""
    group = parser.getgroup("workbench", "agent workbench")
    group.addoption(
        "--workbench-model",
        dest=MODEL,
        default="",
        metavar="WIRE:NAME",
        help="ask this model instead of each scenario's own, e.g. openai:NAME",
    )
    parser.addini(FILES, "globs of the scenario files that are tests", type="args", default=[])
    parser.addini(TOOLS, "folders with the tools of the scenarios", type="paths", default=[])
    parser.addini(MODEL, "the model to ask instead of each scenario's own", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Where `testpaths` leaves the scenarios out, their folders are added: who names the files wants them run."""
    globs = config.getini(FILES)
    if not globs:
        return
    config.stash[BENCH] = Bench(config)
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        given = [Path(config.invocation_params.dir, argument).resolve() for argument in config.args]
        for folder in dict.fromkeys(_folder(config.rootpath, glob) for glob in globs):
            if folder.exists() and not any(folder.is_relative_to(path) for path in given):
                config.args.append(str(folder))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """A TOML file that one of the globs names."""
    if file_path.suffix != ".toml" or BENCH not in parent.config.stash:
        return None
    try:
        path = file_path.relative_to(parent.config.rootpath)
    except ValueError:
        return None
    if not any(_matches(path, glob) for glob in parent.config.getini(FILES)):
        return None
    file: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return file


def _matches(path: PurePath, glob: str) -> bool:
    """Whether a glob names the path, from its beginning; `**` is any number of folders, none included."""
    return _parts_match(path.parts, PurePath(glob).parts)


def _parts_match(parts: tuple[str, ...], globs: tuple[str, ...]) -> bool:
    if not globs:
        return not parts
    if globs[0] == "**":
        return any(_parts_match(parts[skip:], globs[1:]) for skip in range(len(parts) + 1))
    return bool(parts) and PurePath(parts[0]).match(globs[0]) and _parts_match(parts[1:], globs[1:])


def _folder(root: Path, glob: str) -> Path:
    """The folder below which all that the glob can name lies."""
    fixed = []
    for part in PurePath(glob).parts[:-1]:
        if _WILD & set(part):
            break
        fixed.append(part)
    return root.joinpath(*fixed)


def _line_of_expect(path: Path) -> int | None:
    """Where [expect] stands, from 0; None for a scenario without one. A file that cannot be read fails as a test."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except (OSError, ValueError):
        return 0
    if "expect" not in data:
        return None
    lines = text.split("\n")
    return next((number for number, line in enumerate(lines) if line.strip().startswith("[expect]")), 0)
