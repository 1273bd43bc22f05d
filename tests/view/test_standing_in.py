from __future__ import annotations

from typing import Any

import pytest

from workbench.scenarios.schema import PersonEntry
from workbench.view.standing_in import entry_words


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"on": "approval", "do": "allow"}, "allow it"),
        ({"on": "approval", "do": "deny", "text": "too\nmuch"}, "deny it: too↵much"),
        ({"on": "approval", "do": "edit", "arguments": {"city": "Łódź"}}, 'edit it: {"city": "Łódź"}'),
        ({"on": "approval", "do": "answer", "text": "12"}, "answer for it: 12"),
        ({"on": "hold", "do": "replace"}, "replace it with nothing"),
        ({"on": "hold", "do": "delay", "seconds": 2.5}, "let it take 2.5 s longer"),
        ({"on": "hold", "do": "revert"}, "put it back as it came"),
        ({"on": "step", "do": "set", "set": {"limits.steps": 9, "hold": True}}, "limits.steps = 9, hold = true"),
        ({"on": "stop", "do": "message", "text": "go on"}, "say: go on"),
        ({"on": "approval", "do": "cancel"}, "stop the run"),
    ],
)
def test_what_the_person_of_a_script_does_in_words(entry: dict[str, Any], words: str) -> None:
    assert entry_words(PersonEntry(**entry)) == words
