"""The token estimate against true counts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timing import assert_within
from workbench.core.tokens import estimate

ENGLISH = """A model sees nothing but the transcript. Each turn sends all of it again, so a run of twenty steps reads its first
observation twenty times, and a long answer from a tool near the beginning is the most expensive line of the whole run.
Budgets are therefore counted in tokens, not in steps: a cap on steps says nothing about what a step costs. When the
window is nearly full, something has to go, and whoever decides what goes decides what the agent forgets.
"""

PYTHON = '''def next_due(orders: list[Order], today: date, *, grace_days: int = 3) -> Order | None:
    """The open order that is due first, or None when every order is settled."""
    open_orders = [order for order in orders if order.status != "settled" and not order.is_cancelled]
    if not open_orders:
        return None
    for order in sorted(open_orders, key=lambda item: (item.due, item.number)):
        if order.due + timedelta(days=grace_days) >= today:
            return order
    raise LookupError(f"no order is due after {today.isoformat()}")
'''

CALLS = "\n".join(
    f'{{"role": "tool", "tool_call_id": "call_{n:02d}", "name": "stock_level", "input": {{"warehouse": "north", "row": {n * 7}}}}}'
    for n in range(12)
)

NESTED = json.dumps(
    [{"order": f"A-{n}", "open": n % 2 == 0, "lines": [{"sku": "mug", "count": n, "price": None}]} for n in range(12)],
    indent=2,
)

LOG = "\n".join(
    f"2026-02-0{n % 9 + 1} 10:{n * 7 % 60:02d}:{n * 13 % 60:02d},{n * 37 % 1000:03d} WARNING queue-{n % 4} retry {n} of 15 after 0x{n * 2654435761 % 2**32:08x}"
    for n in range(15)
)

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/orders/service.py", line 118, in settle
    total = sum(line.count * line.price for line in order.lines)
  File "/srv/app/orders/service.py", line 118, in <genexpr>
    total = sum(line.count * line.price for line in order.lines)
                ~~~~~~~~~~~^~~~~~~~~~~~
TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'
"""

DIFF = """--- a/orders/service.py
+++ b/orders/service.py
@@ -115,7 +115,9 @@ class Orders:
     def settle(self, order: Order) -> Decimal:
-        total = sum(line.count * line.price for line in order.lines)
+        priced = [line for line in order.lines if line.price is not None]
+        total = sum((line.count * line.price for line in priced), Decimal(0))
         self._journal.append(Settled(order.number, total))
         return total
"""

CSV = "\n".join(f"{n},{n * 37 % 101},row_{n},{n / 7:.3f},2026-02-{n % 28 + 1:02d}" for n in range(30))

TRANSCRIPT = """QUESTION: Combined population of Paris and Lima?
THOUGHT: I need Paris first.
ACTION: lookup_population {"city": "Paris"}
OBSERVATION: 2100000
THOUGHT: Now Lima.
ACTION: lookup_population {"city": "Lima"}
OBSERVATION: 9700000
ANSWER: 11800000"""

SAMPLES = {
    "English": (ENGLISH, 99, 100),
    "Python": (PYTHON, 138, 138),
    "JSON lines": (CALLS, 456, 456),
    "JSON indented": (NESTED, 614, 614),
    "log": (LOG, 500, 501),
    "traceback": (TRACEBACK, 98, 99),
    "diff": (DIFF, 108, 108),
    "CSV": (CSV, 539, 539),
    "transcript": (TRANSCRIPT, 73, 70),
}
"""Text, true count by cl100k_base, true count by o200k_base."""


@pytest.mark.parametrize("name", SAMPLES)
def test_the_estimate_never_falls_far_below_the_true_count(name: str) -> None:
    text, *counts = SAMPLES[name]
    for true in counts:
        assert 0.85 * true <= estimate(text) <= 1.3 * true


@pytest.mark.parametrize(
    ("text", "cl100k"),
    [
        ("循环结束时模型不再调用工具。", 14),
        ("Döngü, model araç çağırmayı bırakınca biter.", 22),
        ("تنتهي الحلقة عندما يتوقف النموذج", 26),
        ("🚀🔥🙂", 8),
    ],
)
def test_other_scripts_are_not_taken_for_cheap_letters(text: str, cl100k: int) -> None:
    assert 0.75 * cl100k <= estimate(text) <= 1.6 * cl100k


def test_small_texts() -> None:
    assert estimate("") == 0
    assert estimate("mugs") == 1
    assert estimate("140 mugs") == 2
    assert estimate("\ud83d") > 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_parts_add_up_to_the_whole(left: str, right: str) -> None:
    assert abs(estimate(left) + estimate(right) - estimate(left + right)) <= 2


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_has_an_estimate_no_larger_than_its_bytes(text: str) -> None:
    assert 0 <= estimate(text) <= len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("unit", ["x", " ", "\n", "[", "0", "é", "🙂", " \n"])
def test_a_megabyte_is_counted_in_no_time(unit: str) -> None:
    text = unit * 1_000_000
    assert_within(1.0, lambda: estimate(text))
