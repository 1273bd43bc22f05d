"""How a run can end or wait: a closed set, each with one sentence for people."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Every way in which a run stands still. `RUNNING` is the only one that is not an outcome."""

    RUNNING = "running"
    ANSWERED = "answered"
    GOAL_REACHED = "goal_reached"
    STEP_BUDGET_EXHAUSTED = "step_budget_exhausted"
    CALL_BUDGET_EXHAUSTED = "call_budget_exhausted"
    TOKEN_BUDGET_EXHAUSTED = "token_budget_exhausted"  # noqa: S105
    COST_BUDGET_EXHAUSTED = "cost_budget_exhausted"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    CONTEXT_WINDOW_EXCEEDED = "context_window_exceeded"
    REPEATED_ACTION = "repeated_action"
    TOO_MANY_FAILURES = "too_many_failures"
    PROTOCOL_ERRORS = "protocol_errors"
    STEP_FAILED = "step_failed"
    NO_ROUTE = "no_route"
    REPLY_CUT_OFF = "reply_cut_off"
    REPLY_BLOCKED = "reply_blocked"
    SCRIPT_EXHAUSTED = "script_exhausted"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_REJECTED = "model_rejected"
    POLICY_DENIED = "policy_denied"
    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_PERSON = "awaiting_person"
    CANCELLED = "cancelled"
    TOOL_DEFECT = "tool_defect"
    INTERNAL_ERROR = "internal_error"


SUCCESSES = frozenset({Status.ANSWERED, Status.GOAL_REACHED})
SUSPENDED = frozenset({Status.AWAITING_APPROVAL, Status.AWAITING_PERSON})

SENTENCES: dict[Status, str] = {
    Status.RUNNING: "The run has not ended.",
    Status.ANSWERED: "The model answered.",
    Status.GOAL_REACHED: "The goal check of the scenario holds.",
    Status.STEP_BUDGET_EXHAUSTED: "The step cap forbade the next step; there is no answer.",
    Status.CALL_BUDGET_EXHAUSTED: "A cap on model or tool calls forbade the next call; there is no answer.",
    Status.TOKEN_BUDGET_EXHAUSTED: "A token cap forbade the next request; there is no answer.",
    Status.COST_BUDGET_EXHAUSTED: "The cost cap forbade the next request; there is no answer.",
    Status.DEADLINE_EXCEEDED: "The time of the run was used up; there is no answer.",
    Status.CONTEXT_WINDOW_EXCEEDED: "The next request does not fit the context; there is no answer.",
    Status.REPEATED_ACTION: "The model made the same call again and again.",
    Status.TOO_MANY_FAILURES: "Too many tool calls in a row failed or were denied.",
    Status.PROTOCOL_ERRORS: "Too many replies in a row could not be read.",
    Status.STEP_FAILED: "A step of the plan failed, so the steps after it were not taken.",
    Status.NO_ROUTE: "The model chose none of the routes that there are.",
    Status.REPLY_CUT_OFF: "A reply was cut off by its length; nothing in it was run or believed.",
    Status.REPLY_BLOCKED: "The provider blocked or the model refused a reply.",
    Status.SCRIPT_EXHAUSTED: "The script has no reply left for this turn.",
    Status.MODEL_UNAVAILABLE: "The model was not available, also after retries.",
    Status.MODEL_REJECTED: "The model's service rejected the request; trying again cannot help.",
    Status.POLICY_DENIED: "A lock of the run forbade an action.",
    Status.AWAITING_APPROVAL: "The run waits for a person to decide about a tool call.",
    Status.AWAITING_PERSON: "The run waits for a person.",
    Status.CANCELLED: "A person stopped the run.",
    Status.TOOL_DEFECT: "A tool is broken: it raised something other than a tool error.",
    Status.INTERNAL_ERROR: "The workbench itself failed; what was recorded is intact.",
}
