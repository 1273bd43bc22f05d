from __future__ import annotations

import pytest

from workbench.core.events import ModelReply, UserMessage
from workbench.core.state import fold
from workbench.core.striking import Armed, after_request
from workbench.core.values import Fault, Header


@pytest.mark.parametrize(
    ("do", "fired"),
    [("delay", 1), ("rate_limited", 2)],
)
def test_what_a_provider_tries_again_by_itself_is_out_of_reach_once_the_request_has_got_there(
    do: str, fired: int
) -> None:
    fault = Fault(on="provider", do=do, times=2)  # type: ignore[arg-type]  # one of two words
    state = fold(Header(id="r", goal="g", faults=(fault,)), [UserMessage(text="g")])
    assert after_request(state, ModelReply(attempts=3)) == (Armed(fault, seen=3, fired=fired),)
