"""What a held result was stays with it, whatever is made of it."""

from __future__ import annotations

from workbench.core.door import NEVER_RAN, altered, reverted
from workbench.core.events import Held

HELD = Held(call="c1", content="50")
KEPT = Held(call="c1", outcome="failed", content="down", original_outcome=NEVER_RAN, changed_by="fault error")


def test_a_result_that_is_changed_twice_still_knows_the_first_text_and_both_who_changed_it() -> None:
    once = altered(HELD, "fault replace", content="51")
    again = Held(call="c1", content="51", original=once.original, changed_by=once.changed_by)
    twice = altered(again, "you", content="", outcome="failed")
    assert (twice.content, twice.original, twice.original_outcome) == ("", "50", "ran")
    assert twice.changed_by == "fault replace, you"


def test_what_was_changed_goes_back_and_what_never_ran_has_nothing_to_go_back_to() -> None:
    changed = Held(call="c1", content="51", original="50", changed_by="you")
    assert reverted(changed) == HELD
    assert reverted(HELD) is HELD
    assert reverted(KEPT) is KEPT
