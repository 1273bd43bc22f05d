"""What a filter that is being typed would hold, in one line."""

from __future__ import annotations

from workbench.core.door import passing
from workbench.core.holding import FilterError, missing_tools, read_filter
from workbench.core.state import State
from workbench.scenarios.errors import nearest
from workbench.view.entries import Line, Span
from workbench.view.figures import amount, counted
from workbench.view.lines import one_line

FORMS = "tool:NAME  arg:NAME=VALUE  step:N  text:WORDS  error  reply    with or, not, ( )"


def filter_line(state: State, text: str) -> Line:
    """Why it is no filter, or what it would hold of what this run has had so far."""
    if not text.strip():
        return (Span("nothing is held", "quiet"), Span(f"   {FORMS}", "quiet"))
    try:
        found = read_filter(text)
    except FilterError as error:
        return (Span(f"✗ {one_line(str(error))}", "error"),)
    tools = [tool.name for tool in state.header.tools]
    for name in missing_tools(found, tools):
        hint = f"; did you mean {near}?" if (near := nearest(name, tools)) else ""
        return (Span(f"✓ but this run has no tool {one_line(name)}{hint}", "wait"),)
    results = [(record, record.result) for record in state.every_call() if record.result is not None]
    ran = [passing(record, result) for record, result in results if record.started is not None]
    held = sum(map(found.holds, ran))
    kinds = "results and replies" if found.looks_at("reply") else "results"
    so_far = f"; {amount(held)} of {counted(len(ran), 'result')} so far" if ran else ""
    return (Span(f"✓ {kinds}", "go"), Span(so_far, "quiet"))
