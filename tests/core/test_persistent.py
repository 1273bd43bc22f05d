"""Collections that share their storage with their copies, against plain ones that do not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.persistent import Log, Table

moves = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["add", "copy"]), st.integers(0, 9)), max_size=40)


@given(moves)
def test_logs_behave_like_lists_that_were_really_copied(moves: list[tuple[int, str, int]]) -> None:
    logs: list[tuple[Log[int], list[int]]] = [(Log([7]), [7])]
    for which, move, value in moves:
        log, plain = logs[which % len(logs)]
        if move == "copy":
            logs.append((log.copy(), list(plain)))
        else:
            log.append(value)
            plain.append(value)
    for log, plain in logs:
        assert list(log) == plain
        assert len(log) == len(plain)
        assert list(reversed(log)) == plain[::-1]
        assert log[1:-1] == plain[1:-1]
        assert [log[i] for i in range(-len(plain), len(plain))] == [plain[i] for i in range(-len(plain), len(plain))]
        assert (log == logs[0][0]) == (plain == logs[0][1])


@given(moves, st.booleans())
def test_tables_behave_like_dicts_that_were_really_copied(moves: list[tuple[int, str, int]], always: bool) -> None:
    """`always`: a key always has the same value, so that copies may come to add what was added before."""
    tables: list[tuple[Table[int, int], dict[int, int]]] = [(Table(), {})]
    for at, (which, move, key) in enumerate(moves):
        count = key if always else at
        table, plain = tables[which % len(tables)]
        if move == "copy":
            tables.append((table.copy(), dict(plain)))
        else:
            assert table.add(key, count) is (key not in plain)
            plain.setdefault(key, count)
    for table, plain in tables:
        assert list(table.items()) == list(plain.items())
        assert len(table) == len(plain)
        assert [table.get(key) for key in range(10)] == [plain.get(key) for key in range(10)]
        assert [key in table for key in range(10)] == [key in plain for key in range(10)]
        assert (table == tables[0][0]) == (plain == tables[0][1])


def test_a_copy_that_takes_the_same_way_again_shares_it() -> None:
    log, table = Log([0]), Table[int, str]()
    earlier, before = log.copy(), table.copy()
    for number in range(1, 100):
        log.append(number)
        table.add(number, str(number))
    for number in range(1, 50):
        earlier.append(number)
        assert before.add(number, str(number))
    assert earlier._items is log._items
    assert before._items is table._items
    earlier.append(7)
    assert before.add(50, "something else")
    assert (earlier[-1], len(earlier), log[50], len(log)) == (7, 51, 50, 100)
    assert (before.get(50), len(before), table.get(50), len(table)) == ("something else", 50, "50", 99)


def test_an_iteration_is_not_disturbed_by_what_is_added_meanwhile() -> None:
    log = Log([1, 2])
    seen = []
    for item in log:
        seen.append(item)
        log.append(item)
    assert seen == [1, 2]
