from __future__ import annotations

import json

from workbench.scenarios.json_schema import scenario_json_schema
from workbench.scenarios.schema import LimitsTable, Scenario


def test_the_schema_has_every_key_and_refuses_others() -> None:
    schema = scenario_json_schema()
    assert set(schema["properties"]) == set(Scenario.model_fields)
    assert schema["required"] == ["goal"]
    assert schema["additionalProperties"] is False
    assert set(schema["$defs"]["LimitsTable"]["properties"]) == set(LimitsTable.model_fields)
    json.dumps(schema, allow_nan=False)


def test_the_strings_under_the_fields_are_its_descriptions() -> None:
    schema = scenario_json_schema()
    assert schema["properties"]["goal"]["description"] == "The task: the first message."
    assert (
        schema["$defs"]["LimitsTable"]["properties"]["steps"]["description"]
        == "Replies of the model, and calls that a plan makes."
    )
    assert schema["$defs"]["ReplyTable"]["description"] == "One line of the script: a reply, or a failure."


def test_choices_are_listed_for_editors() -> None:
    properties = scenario_json_schema()["properties"]
    assert properties["protocol"]["enum"] == ["text", "json", "native"]
