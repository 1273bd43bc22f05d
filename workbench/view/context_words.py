"""What the screen says of a context policy, and of what it took out of a request."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.carried import NO_POLICY
from workbench.core.events import ContextChanged
from workbench.view.entries import Line, Span, lines_of
from workbench.view.figures import amount, counted, duration, tokens
from workbench.view.lines import one_line

WILL = {
    "window": "leave the oldest steps out of the next request",
    "fold": "fold the oldest results in the next request",
    "summarise": "put the summary in the place of the oldest steps",
}
"""What happens next, by policy."""
POLICIES = {
    "none": "everything is sent",
    "window": "older steps are left out of what is sent",
    "fold": "older results are folded in what is sent",
    "summarise": "older steps are summed up by the model",
    "restate": "the task is said again",
}
_CAUSES = {
    "": "",
    "context_overflow": "the service found the request too long",
    "limits.context_tokens": "else the cap on the context would be passed",
    "model.context_window": "else it would not fit the model's context",
}
SHORTEST = 0.001
"""Seconds that a request took, to be told of."""


def policy_words(name: str, value: object) -> str:
    """A key of the policy that changed, as a sentence."""
    if name == "policy":
        return POLICIES.get(str(value), one_line(f"context.policy set to {value}"))
    if value is None:
        value = getattr(NO_POLICY, name, None)
    if not isinstance(value, int):
        return {"at": "older steps are changed at any size", "every": "the task is not said again"}.get(
            name, f"context.{one_line(name)} as it is by itself"
        )
    return {
        "keep": "the latest step is sent as it is"
        if value == 1
        else f"the latest {amount(value)} steps are sent as they are",
        "at": f"older steps are changed above {amount(value)} tokens",
        "chars": f"{counted(value, 'character')} of a folded result are left",
        "every": f"the task is said again every {counted(value, 'step')}",
    }.get(name, f"context.{one_line(name)} set to {amount(value)}")


def change_words(event: ContextChanged) -> str:
    """What was taken out, and how many tokens that made of how many: "4 messages left out · 2,310 → 640 tokens"."""
    what = {
        "window": f"{counted(event.messages, 'message')} left out",
        "fold": f"{counted(event.messages, 'result')} folded",
        "summarise": f"{counted(event.messages, 'message')} summed up",
    }[event.policy]
    size = f"~{amount(event.before)} → {tokens(event.after, estimated=True)} tokens"
    return " · ".join(part for part in (what, size, _CAUSES.get(event.cause, one_line(event.cause))) if part)


def change_lines(event: ContextChanged) -> Iterator[Line]:
    """What was taken out, then what the model reads in its place."""
    yield (Span(change_words(event), "past"),)
    if event.policy != "fold":
        yield from lines_of(event.replacement, "quiet")
    for call, short in event.folded.items():
        yield (Span(f"{one_line(call)}  ", "past"), Span(one_line(short), "quiet"))
    for note in event.notes:
        yield (Span(f"note: {one_line(note)}", "quiet"),)


def request_words(event: ContextChanged) -> str:
    """What the request for a summary took; "" where nobody was asked."""
    if event.policy != "summarise":
        return ""
    read = event.input_estimate if event.input_tokens is None else event.input_tokens
    written = event.output_estimate if event.output_tokens is None else event.output_tokens
    return " · ".join(
        (
            "asked for a summary",
            f"{tokens(read, estimated=event.input_tokens is None)} tokens in",
            f"{tokens(written, estimated=event.output_tokens is None)} out",
            *([duration(event.took)] if event.took >= SHORTEST else []),
        )
    )
