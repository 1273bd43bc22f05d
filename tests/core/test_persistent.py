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


@given(moves)
def test_tables_behave_like_dicts_that_were_really_copied(moves: list[tuple[int, str, int]]) -> None:
    tables: list[tuple[Table[int, int], dict[int, int]]] = [(Table(), {})]
    for count, (which, move, key) in enumerate(moves):
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


def test_an_iteration_is_not_disturbed_by_what_is_added_meanwhile() -> None:
    log = Log([1, 2])
    seen = []
    for item in log:
        seen.append(item)
        log.append(item)
    assert seen == [1, 2]
