"""The pieces of the museum by name: what each teaches, what puts it right, and where its bug stands."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.values import ProtocolName
from workbench.museum.acts import Loop
from workbench.museum.dialects import CHAT_COMPLETIONS, MESSAGES, Dialect
from workbench.museum.pieces import (
    arguments_as_object,
    arguments_sent_back,
    catch_all,
    dropped_message,
    find_the_bugs,
    no_cap,
    path_prefix,
    retry_the_run,
    silent_truncation,
    some_calls_answered,
    split_results,
    text_as_success,
    v1,
    v2,
    v3,
)
from workbench.scenarios.loops import MUSEUM

BUG = "# the bug"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One wrong loop."""

    name: str
    """What a scenario says: `loop = "v1"`."""
    title: str
    lesson: str
    """What goes wrong and what it teaches, in two sentences."""
    fix: str
    """What the engine does instead, in one sentence."""
    loop: Loop
    scenario: str
    """The shipped scenario that shows it."""
    fixed: str
    """The shipped scenario with the same task on the engine."""
    dialect: Dialect = CHAT_COMPLETIONS
    """How its messages are written, where it speaks the native protocol."""

    @property
    def protocol(self) -> ProtocolName:
        return MUSEUM[self.name]

    def source(self) -> tuple[str, ...]:
        """The lines of its module, from the first one."""
        return tuple(inspect.getsource(sys.modules[self.loop.__module__]).splitlines())

    def bugs(self) -> tuple[int, ...]:
        """Which of these lines are to blame, from 1."""
        return tuple(number for number, line in enumerate(self.source(), 1) if BUG in line)


_ALL = (
    Piece(
        name="v1",
        title="The parser nobody caught",
        lesson="Tools run inside a try, the parsing of the model's own words does not. "
        "One missing value in its JSON ends the program, not the step.",
        fix="What cannot be parsed goes back to the model as an observation that says where it went wrong.",
        loop=v1.loop,
        scenario="museum-v1",
        fixed="broken-json",
    ),
    Piece(
        name="v2",
        title="Every exception is an observation",
        lesson="A broken tool is reported to the model as if other arguments could mend it. "
        "It tries again, and it reads exception texts that were never written for it.",
        fix="Only ToolError is for the model; anything else a tool raises stops the run as its defect.",
        loop=v2.loop,
        scenario="museum-v2",
        fixed="broken-tool",
    ),
    Piece(
        name="v3",
        title="One class for all that a provider does",
        lesson="Statuses and told-apart tool failures are right. "
        "But only one kind of provider failure is expected, so a rejected key looks like a crash of the program.",
        fix="Each failure of a provider has a class of its own: retried, or rejected with a status, never a traceback.",
        loop=v3.loop,
        scenario="museum-v3",
        fixed="museum-v3-fixed",
    ),
    Piece(
        name="find-the-bugs",
        title="Ten lines, four bugs",
        lesson="No cap, no care for failing tools, no record of its own requests, no reason for its end. "
        "None of the four shows in a demo.",
        fix="A cap, failures as results, the reply recorded before its result, and a status with every end.",
        loop=find_the_bugs.loop,
        scenario="museum-find-the-bugs",
        fixed="blue-mugs",
    ),
    Piece(
        name="dropped-message",
        title="A result without its request",
        lesson="The assistant's message seems empty, so only the results are kept. "
        "A result that answers no call in the conversation is refused by the API.",
        fix="The reply is recorded first, with its calls, and the results behind it.",
        loop=dropped_message.loop,
        scenario="museum-dropped-message",
        fixed="museum-wire-fixed",
    ),
    Piece(
        name="some-calls-answered",
        title="Two calls, one result",
        lesson="The first result looks good enough, so the second call is never made. "
        "The conversation now holds a call without a result, and no request with it is taken any more.",
        fix="Every call has exactly one result before the next request, if only one that says it was not run.",
        loop=some_calls_answered.loop,
        scenario="museum-some-calls-answered",
        fixed="museum-wire-fixed",
    ),
    Piece(
        name="split-results",
        title="Two results, two messages",
        lesson="Both calls are answered, each result in a user message of its own, as another wire wants it. "
        "This one wants all results in the one message that comes next, so the request is refused.",
        fix="What answers one reply is sent as one turn, and how many messages that is, is the business of the wire.",
        loop=split_results.loop,
        scenario="museum-split-results",
        fixed="museum-wire-fixed",
        dialect=MESSAGES,
    ),
    Piece(
        name="arguments-as-object",
        title="Arguments taken for an object",
        lesson="On this wire the arguments of a call are JSON text. "
        "Unpacked like an object they raise a TypeError that nobody expected here.",
        fix="Arguments stay the text the model wrote, and are parsed and checked before anything runs.",
        loop=arguments_as_object.loop,
        scenario="museum-arguments-as-object",
        fixed="museum-wire-fixed",
    ),
    Piece(
        name="arguments-sent-back",
        title="Arguments sent back as an object",
        lesson="Parsed in place, the arguments turn into an object inside the message that is kept. "
        "The tools run well, and the next request is refused for its type.",
        fix="What goes back to the model is what it wrote, letter for letter.",
        loop=arguments_sent_back.loop,
        scenario="museum-arguments-sent-back",
        fixed="museum-wire-fixed",
    ),
    Piece(
        name="text-as-success",
        title="Text taken for success",
        lesson="A reply without a call ends this loop as an answer. "
        "“I was unable to find the file” and half a sentence are such replies.",
        fix="The finish reason is read first, and with a finish tool nothing but its call ends a run.",
        loop=text_as_success.loop,
        scenario="museum-text-as-success",
        fixed="finish-tool",
    ),
    Piece(
        name="catch-all",
        title="The model takes the blame",
        lesson="A mistake of the loop itself is caught where failing tools are. "
        "The model reads that its call was wrong, repeats it, and no tool ever runs.",
        fix="Failures of the loop and failures of a tool are told apart, and only the latter are told to the model.",
        loop=catch_all.loop,
        scenario="museum-catch-all",
        fixed="museum-wire-fixed",
    ),
    Piece(
        name="silent-truncation",
        title="Cut without a word",
        lesson="A long result is cut so that it fits. "
        "The model takes what is left for everything there is, and says so with confidence.",
        fix="A cut announces itself, with how much there is and how to get the rest.",
        loop=silent_truncation.loop,
        scenario="museum-silent-truncation",
        fixed="museum-silent-truncation-fixed",
    ),
    Piece(
        name="path-prefix",
        title="A sibling that begins the same",
        lesson="Paths are compared with the root as text. "
        "`../workspace2` begins with `workspace`, too, and is let through.",
        fix="A path is resolved, and then the root must be one of its parents.",
        loop=path_prefix.loop,
        scenario="museum-path-prefix",
        fixed="museum-path-prefix-fixed",
    ),
    Piece(
        name="retry-the-run",
        title="Once more, from the beginning",
        lesson="One request fails, and the whole run is tried again. "
        "What its tools have done already is done a second time: here, a refund.",
        fix="A retry belongs inside the one request that failed; what has been recorded stays.",
        loop=retry_the_run.loop,
        scenario="museum-retry-the-run",
        fixed="museum-retry-the-run-fixed",
    ),
    Piece(
        name="no-cap",
        title="Until the model likes to stop",
        lesson="The end of this loop is a prediction of the model, and nothing else. "
        "A model that never answers is asked for ever.",
        fix="A cap is read before each request, and the run ends with a status that names it.",
        loop=no_cap.loop,
        scenario="museum-no-cap",
        fixed="no-termination",
    ),
)

PIECES: Mapping[str, Piece] = {piece.name: piece for piece in _ALL}
