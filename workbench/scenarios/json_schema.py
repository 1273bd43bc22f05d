"""The scenario format as a JSON Schema, for editors."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from workbench.scenarios import exchanges, schema, steps


def scenario_json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a scenario file, with the descriptions that stand under each field."""
    out = schema.Scenario.model_json_schema()
    described = _descriptions()
    tables: dict[str, Any] = {**out.get("$defs", {}), "Scenario": out}
    for name, table in tables.items():
        for key, text in described.get(name, {}).items():
            table["properties"][key].setdefault("description", text)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **out}


def _descriptions() -> dict[str, dict[str, str]]:
    """Class to field to the string under it. Read from the source only here, so that loading a scenario is quick."""
    described: dict[str, dict[str, str]] = {}
    for node in (node for module in (schema, exchanges, steps) for node in ast.parse(inspect.getsource(module)).body):
        if not isinstance(node, ast.ClassDef):
            continue
        fields = described[node.name] = {}
        for field, below in zip(node.body, node.body[1:], strict=False):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(value=ast.Constant(value=str(text))):
                    fields[key] = text
    return described
