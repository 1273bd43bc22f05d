"""Names, parameters and risks of the shipped tools are a contract: scenarios rely on them."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from workbench.core.carried import RECALL_TOOL, RECALLED_FROM
from workbench.toolkit.loader import LoadedFolder

TOOLS = Path(__file__).parents[2] / "tools"

PARAMETERS = {
    "add": "a b",
    "multiply": "a b",
    "lookup_population": "city",
    "stock_level": "warehouse",
    "project_field": "code field",
    "list_dir": "path=.",
    "read_file": "path",
    "search_files": "text path=.",
    "write_file": "path text",
    "search_orders": "customer status=None limit=10 cursor=None",
    "create_refund": "order amount",
    "set_ticket_status": "ticket status",
    "send_email": "to subject body",
    "fetch_page": "url",
    "check_build": "build",
    "buggy_tool": "x",
    "submit_answer": "answer",
    "recall": "key",
    "run_sql": "query",
}
RISKS = {
    "write_file": "write",
    "create_refund": "write",
    "set_ticket_status": "write",
    "send_email": "outward",
    "run_sql": "write",
}


def test_every_file_loads_and_the_names_are_these(shipped: LoadedFolder) -> None:
    assert shipped.problems == ()
    assert sorted(shipped.tools) == sorted(PARAMETERS)


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_defaults_and_risk(shipped: LoadedFolder, name: str) -> None:
    info = shipped.tools[name].info
    schema = json.loads(info.schema)
    given = [
        f"{parameter}={value['default']}" if "default" in value else parameter
        for parameter, value in schema["properties"].items()
    ]
    assert given == PARAMETERS[name].split()
    assert schema["additionalProperties"] is False
    assert info.risk == RISKS.get(name, "read")


def test_each_says_when_to_call_it_and_what_each_parameter_is(shipped: LoadedFolder) -> None:
    for loaded in shipped.tools.values():
        assert "Call this" in loaded.info.description, loaded.info.name
        assert loaded.info.source, loaded.info.name
        for parameter, value in json.loads(loaded.info.schema)["properties"].items():
            assert value.get("description"), f"{loaded.info.name}.{parameter}"


def test_what_is_asked_about_says_what_it_touches_and_previews(shipped: LoadedFolder) -> None:
    for loaded in shipped.tools.values():
        assert bool(loaded.info.consequence) == loaded.info.gated, loaded.info.name
        assert (loaded.spec.preview is not None) == loaded.info.gated, loaded.info.name


def test_marks(shipped: LoadedFolder) -> None:
    infos = {name: loaded.info for name, loaded in shipped.tools.items()}
    assert [name for name, info in infos.items() if info.polling] == ["check_build"]
    assert [name for name, info in infos.items() if info.trust == "untrusted"] == ["fetch_page"]
    assert [name for name, info in infos.items() if info.deduplicates] == ["create_refund", "send_email"]
    assert [name for name, info in infos.items() if info.source == RECALLED_FROM] == [RECALL_TOOL]
    inline = [name for name, loaded in shipped.tools.items() if loaded.spec.inline]
    assert inline == ["add", "multiply", "recall", "submit_answer"]


def test_the_warehouse_is_no_enum_so_that_the_tool_itself_answers(shipped: LoadedFolder) -> None:
    assert "enum" not in shipped.tools["stock_level"].info.schema
    assert '"enum":["budget","staff","duration"]' in shipped.tools["project_field"].info.schema


def test_of_the_workbench_they_import_only_the_surface_for_authors() -> None:
    for file in TOOLS.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert all(module == "workbench.toolkit.api" or not module.startswith("workbench") for module in modules)
