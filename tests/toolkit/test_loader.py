"""Tools are loaded by path; a bad file is reported at its line and breaks nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from workbench.toolkit.api import ToolSpec, tool
from workbench.toolkit.kinds import SchemaError
from workbench.toolkit.loader import LoadedFolder, load_folder, load_function, load_tools

GOOD = """
from workbench.toolkit.api import tool

@tool(risk="read", source="table")
def {name}(city: str) -> str:
    '''Says {text}.

    city: a name.
    '''
    return "{text}"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(GOOD.format(name="good", text="good"))
    return tmp_path


def write(place: Path, name: str, code: str) -> Path:
    file = place / name
    file.write_text(dedent(code))
    return file


def only_problem(folder: LoadedFolder) -> tuple[str, int, str]:
    (problem,) = folder.problems
    return problem.file.name, problem.line, problem.message


def test_a_tool_is_loaded_with_all_that_a_run_knows_of_it(place: Path) -> None:
    folder = load_folder(place)
    assert folder.problems == ()
    assert folder.notes == ()
    loaded = folder.tools["good"]
    assert loaded.function("Paris") == "good"
    assert (loaded.info.name, loaded.info.description, loaded.info.risk) == ("good", "Says good.", "read")
    assert (loaded.info.source, loaded.info.timeout) == ("table", 30.0)
    assert '"description":"a name."' in loaded.info.schema
    assert (loaded.file, loaded.line) == (place / "good.py", 4)
    assert not loaded.is_async


def test_modules_have_private_names_and_leave_no_byte_code(place: Path) -> None:
    function = load_folder(place).tools["good"].function
    assert function.__module__.startswith("workbench_tools_")
    assert function.__module__.endswith("_good")
    assert "good" not in sys.modules
    assert list(place.iterdir()) == [place / "good.py"]


def test_two_folders_can_have_files_of_one_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.py").write_text(GOOD.format(name=name, text=name))
    tools = load_tools([tmp_path / "one", tmp_path / "two"]).tools
    assert [tools[name].function("x") for name in ("one", "two")] == ["one", "two"]


def test_a_changed_file_is_read_anew_even_within_the_same_second(place: Path) -> None:
    before = (place / "good.py").stat()
    assert load_folder(place).tools["good"].function("x") == "good"
    (place / "good.py").write_text(GOOD.format(name="good", text="gone"))
    os.utime(place / "good.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load_folder(place).tools["good"].function("x") == "gone"


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("x = 1\ndef broken(:\n    pass\n", 2, "syntax error: invalid syntax"),
        ("import os\nimport no_such_module\n", 2, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit('bye')\n", 2, "SystemExit: bye"),
        ("def helper(a: int) -> int:\n    return a\n", 0, "there is no function marked with @tool in it"),
        ("", 0, "there is no function marked with @tool in it"),
        (
            "from workbench.toolkit.api import tool\n@tool(risk='wirte')\ndef f() -> str:\n    return ''\n",
            2,
            "ValueError: risk is 'wirte'; it is one of read, write, outward, undeclared",
        ),
        (
            "from workbench.toolkit.api import tool\n@tool(rsik='read')\ndef f() -> str:\n    return ''\n",
            2,
            "TypeError: @tool has no option 'rsik'; there are " + ", ".join(ToolSpec.__dataclass_fields__),
        ),
        (
            "from workbench.toolkit.api import tool\n\n@tool\ndef f(a) -> str:\n    return a\n",
            3,
            "f: parameter 'a' has no type",
        ),
    ],
)
def test_a_bad_file_is_reported_at_its_line_and_the_good_one_loads(
    place: Path, code: str, line: int, message: str
) -> None:
    write(place, "bad.py", code)
    folder = load_folder(place)
    assert list(folder.tools) == ["good"]
    assert only_problem(folder) == ("bad.py", line, message)
    where = f"{place / 'bad.py'}:{line}: " if line else f"{place / 'bad.py'}: "
    assert str(folder.problems[0]) == where + message


def test_files_that_are_no_text_are_reported(place: Path) -> None:
    (place / "nul.py").write_bytes(b"x = 1\0\n")
    (place / "latin.py").write_bytes(b"x = '\xe9'\n")
    (place / "gone.py").symlink_to("nowhere.py")
    folder = load_folder(place)
    assert sorted(problem.file.name for problem in folder.problems) == ["gone.py", "latin.py", "nul.py"]
    assert list(folder.tools) == ["good"]


def test_a_byte_order_mark_is_accepted(place: Path) -> None:
    (place / "good.py").write_bytes(b"\xef\xbb\xbf" + GOOD.format(name="good", text="é").encode())
    assert load_folder(place).tools["good"].function("x") == "é"


def test_a_failed_module_does_not_linger(place: Path) -> None:
    write(place, "bad.py", "raise ValueError('no')\n")
    load_folder(place)
    assert not [name for name in sys.modules if name.startswith("workbench_tools_") and name.endswith("_bad")]


def test_names_given_twice_are_reported_and_the_first_file_counts(place: Path) -> None:
    (place / "later.py").write_text(GOOD.format(name="good", text="later"))
    folder = load_folder(place)
    assert folder.tools["good"].function("x") == "good"
    assert only_problem(folder) == ("later.py", 4, f"there is a tool 'good' already, in {place / 'good.py'}:4")


def test_a_function_defined_twice_in_one_file_is_reported(place: Path) -> None:
    (place / "good.py").write_text(GOOD.format(name="good", text="1") + GOOD.format(name="good", text="2"))
    assert only_problem(load_folder(place)) == ("good.py", 15, "good is defined in line 5 already")


def test_files_with_an_underscore_and_other_files_are_passed_over(place: Path) -> None:
    write(place, "_private.py", "raise ValueError\n")
    write(place, ".hidden.py", "raise ValueError\n")
    write(place, "notes.txt", "no code")
    (place / "folder").mkdir()
    folder = load_folder(place)
    assert list(folder.tools) == ["good"]
    assert folder.problems == ()


def test_an_imported_tool_belongs_to_the_file_it_comes_from(place: Path) -> None:
    load_folder(place)
    here = str(place / "good.py")  # other folders of other tests have a good.py, too
    module = next(name for name, loaded in list(sys.modules.items()) if getattr(loaded, "__file__", None) == here)
    write(place, "other.py", f"from {module} import good\n")
    assert only_problem(load_folder(place)) == ("other.py", 0, "there is no function marked with @tool in it")


def test_dataclasses_and_models_of_a_tool_file_resolve(place: Path) -> None:
    write(
        place,
        "models.py",
        """
        from __future__ import annotations
        from dataclasses import dataclass
        from workbench.toolkit.api import tool

        @tool
        def total(points: list[Point]) -> float:
            '''Adds.'''
            return sum(point.x for point in points)

        @dataclass
        class Point:
            x: float
        """,
    )
    loaded = load_folder(place).tools["total"]
    assert loaded.function(**loaded.arguments.bind({"points": [{"x": 1.5}, {"x": 2}]})) == 3.5


def test_an_earlier_folder_replaces_a_tool_and_a_note_says_so(tmp_path: Path) -> None:
    for name in ("mine", "packaged"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(GOOD.format(name="good", text=name))
    loaded = load_tools([tmp_path / "mine", tmp_path / "packaged", tmp_path / "absent"])
    assert loaded.tools["good"].function("x") == "mine"
    assert loaded.notes == (
        f"good from {tmp_path / 'mine' / 'a.py'} replaces the one from {tmp_path / 'packaged' / 'a.py'}",
    )
    assert [str(problem) for problem in loaded.problems] == [f"{tmp_path / 'absent'}: there is no such folder"]


def test_a_function_can_be_loaded_without_a_file() -> None:
    @tool
    async def wait(seconds: float) -> None:
        """Waits."""

    loaded = load_function(wait)
    assert loaded.is_async
    assert loaded.info.risk == "undeclared"
    assert loaded.info.gated
    with pytest.raises(TypeError, match="not marked with @tool"):
        load_function(len)
    with pytest.raises(SchemaError, match="has no type"):
        load_function(tool(name="untyped")(lambda a: a))
