from __future__ import annotations

import os
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.samples import RUN
from tests.tui.places import DATA, ROOT, add_script, add_session, make_home
from workbench.core.events import ModelReply, UserMessage
from workbench.core.statuses import Status
from workbench.core.values import Call, ToolInfo
from workbench.home import Home
from workbench.sessions.index import SessionIndex
from workbench.sessions.store import SessionSummary
from workbench.view.folders import Shelf, glimpse
from workbench.view.query import read_query
from workbench.view.shelf import (
    OUTCOMES,
    Saved,
    age,
    first_line,
    first_script,
    lineage,
    next_lesson,
    session_items,
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def read(home: Home, shelf: Shelf | None = None) -> Shelf:
    shelf = shelf or Shelf(home)
    shelf.read_scripts()
    shelf.read_sessions(shelf.list_sessions())
    return shelf


def saved(name: str, *, parent: str = "", modified: float = 0.0, named: str = "", root: str = "") -> Saved:
    summary = SessionSummary(
        path=Path(name),
        id=named or name,
        title=name,
        created="",
        modified=modified,
        status=Status.ANSWERED,
        events=1,
        steps=1,
        model_calls=1,
        parent=parent,
        parent_at=0,
        root=root,
        scenario_path="",
        torn=False,
    )
    return Saved(summary=summary, status=Status.ANSWERED, script="", example=False)


# ---------------------------------------------------------------- scripts


def test_scripts_stand_under_their_first_tag_by_name(home: Home) -> None:
    add_script(home, "b", "Second", tag="sums")
    add_script(home, "a", "First", tag="sums")
    add_script(home, "z", "Elsewhere", tag="limits")
    add_script(home, "n", "Nowhere", tag="")
    items = read(home).scripts()
    assert [(item.group, item.title) for item in items] == [
        ("limits", "Elsewhere"),
        ("sums", "First"),
        ("sums", "Second"),
        ("your own", "Nowhere"),
    ]
    assert all(item.note == "A sum." for item in items)


def test_a_copy_of_an_example_says_that_it_is_one_and_the_example_does_not(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    packaged = Home(root=tmp_path / "shop", found="--home", packaged=home.root)
    (packaged.root / "scripts").mkdir(parents=True)
    add_script(home, "sums", "Sums")
    add_script(packaged, "sums", "My sums")
    add_script(packaged, "other", "Sums", about="Mine.")
    add_script(packaged, "own", "Own")
    notes = {(item.example, item.title, item.path.stem): item.note for item in read(packaged).scripts()}
    assert notes == {
        (True, "Sums", "sums"): "A sum.",
        (False, "My sums", "sums"): "your copy of an example · A sum.",
        (False, "Sums", "other"): "your copy of an example · Mine.",
        (False, "Own", "own"): "A sum.",
    }


def test_a_glance_shows_what_a_full_reading_shows_but_for_what_cannot_be_read(home: Home) -> None:
    add_script(home, "a", "Sums", tag="first-steps")
    add_script(home, "b", "Others", tag="")
    (home.root / "scripts" / "torn.toml").write_text("goal = ", encoding="utf-8")
    odd = home.root / "scripts" / "odd.toml"
    odd.write_text("title = 3\ntags = 4", encoding="utf-8")
    shelf = Shelf(home)
    shelf.glance_at_scripts(60)
    glanced = {item.title: item for item in shelf.scripts()}
    assert set(glanced) == {"Sums", "Others", "3"}
    shelf.read_scripts()
    read = {item.title: item for item in shelf.scripts() if item.kind != "bad"}
    assert set(read) == {"Sums", "Others"}
    assert all(glanced[title] == item for title, item in read.items())


def test_beginners_find_their_scripts_at_the_top_and_the_tour_first(home: Home) -> None:
    for name, tag in (("a", "approval"), ("s", "first-steps"), ("t", "tour")):
        add_script(home, name, tag=tag)
    items = read(home).scripts()
    assert [item.group for item in items] == ["tour", "first-steps", "approval"]
    assert first_script(items) == (str(home.root / "scripts" / "t.toml"), True)


def as_lesson(path: Path, lesson: int) -> Path:
    path.write_text(f"lesson = {lesson}\n{path.read_text()}")
    return path


def test_lessons_stand_in_their_order_and_so_do_their_groups(home: Home) -> None:
    as_lesson(add_script(home, "a", "Third", tag="alpha"), 30)
    as_lesson(add_script(home, "b", "Second", tag="zoo"), 20)
    as_lesson(add_script(home, "c", "First", tag="zoo"), 10)
    add_script(home, "0", "No lesson", tag="zoo")
    add_script(home, "d", "Elsewhere", tag="beta")
    shelf = Shelf(home)
    shelf.glance_at_scripts(60)
    glanced = shelf.scripts()
    assert [item.title for item in glanced] == ["First", "Second", "No lesson", "Third", "Elsewhere"]
    assert read(home).scripts() == glanced


def test_a_lesson_is_followed_by_the_next_one_whatever_its_group(home: Home) -> None:
    paths = [as_lesson(add_script(home, name, name, tag=name), number) for name, number in (("b", 1), ("a", 5))]
    alone = add_script(home, "c", tag="b")
    items = read(home).scripts()
    following = next_lesson(items, str(paths[0]))
    assert following is not None
    assert following.path == paths[1]
    assert next_lesson(items, str(paths[1])) is None
    assert next_lesson(items, str(alone)) is None
    assert next_lesson(items, "nowhere") is None


def test_without_a_tour_the_first_script_is_where_to_begin(home: Home) -> None:
    path = add_script(home, "a")
    (home.root / "scripts" / "0.toml").write_text("goal = 1\n")
    assert first_script(read(home).scripts()) == (str(path), False)
    assert first_script([]) == ("", False)


def test_groups_with_scripts_of_ones_own_stand_before_the_packaged_ones(home: Home) -> None:
    packaged = home.packaged / "scripts"
    packaged.mkdir()
    add_script(home, "mine", "Mine", tag="zoo")
    for name, tag in (("a", "tour"), ("b", "zoo")):
        add_script(home, name, name, tag=tag).rename(packaged / f"{name}.toml")
    assert [item.title for item in read(home).scripts()] == ["Mine", "b", "a"]


def test_a_script_shows_how_its_latest_session_ended(home: Home) -> None:
    path = add_script(home, "a")
    add_session(home, "old", events=RUN, at=1000, scenario_path=str(path))
    add_session(home, "new", events=RUN[:2], at=2000, scenario_path=str(path))
    assert read(home).scripts()[0].outcome == OUTCOMES[Status.RUNNING]


def test_a_bad_script_says_line_key_and_reason_and_hides_nothing(home: Home) -> None:
    add_script(home, "good")
    bad = home.root / "scripts" / "bad.toml"
    bad.write_bytes((DATA / "toml" / "unknown-key.toml").read_bytes())
    good, item = read(home).scripts()
    assert good.kind == "script"
    assert (item.kind, item.title) == ("bad", "bad.toml")
    assert item.note.startswith("line ")
    assert item.why
    assert str(bad) in item.why[0]


def test_every_shipped_script_can_be_listed(tmp_path: Path) -> None:
    items = read(Home(root=tmp_path, found="--home", packaged=ROOT)).scripts()
    assert items
    assert [item.why for item in items if item.kind == "bad"] == []


# ---------------------------------------------------------------- sessions


def test_a_session_shows_outcome_steps_and_age(home: Home) -> None:
    add_session(home, "a", at=1000)
    (item,) = read(home).sessions(now=1000 + 3 * 3600)
    assert (item.title, item.outcome, item.steps, item.age) == ("Two cities", ("✓", "answered", "go"), "2 steps", "3 h")


def test_a_run_that_waits_for_a_person_says_so_although_no_event_does(home: Home) -> None:
    gated = ToolInfo(name="create_refund", risk="write")
    call = Call(id="c1", tool="create_refund", arguments="{}", canonical="{}")
    asked = (UserMessage(text="Refund it"), ModelReply(calls=(call,), reading="calls"))
    add_session(home, "a", events=asked, tools=(gated,))
    (item,) = read(home).sessions(now=0)
    assert item.outcome == ("▲", "waiting", "wait")


def test_sessions_of_the_package_stand_apart_and_have_no_age(home: Home) -> None:
    (home.packaged / "sessions").mkdir()
    add_session(home, "mine")
    add_session(home, "theirs").rename(home.packaged / "sessions" / "theirs.toml")
    mine, theirs = read(home).sessions(now=0)
    assert (mine.group, mine.example, theirs.group, theirs.example) == ("", False, "examples", True)
    assert theirs.age == ""


@pytest.mark.parametrize("name", ["journal-torn-tail.toml", "unknown-key.toml", "duplicate-key.toml"])
def test_a_bad_session_file_never_hides_a_good_one(home: Home, name: str) -> None:
    add_session(home, "good")
    (home.sessions / "bad.toml").write_bytes((DATA / "toml" / name).read_bytes())
    items = read(home).sessions(now=0)
    assert any(item.path.name == "good.toml" and item.kind == "session" for item in items)
    assert len(items) == 2


def test_what_has_not_changed_is_not_read_again_and_what_is_gone_is_forgotten(home: Home) -> None:
    kept, gone = add_session(home, "kept", at=1000), add_session(home, "gone", at=1000)
    shelf = read(home)
    gone.unlink()
    assert shelf.list_sessions() == []
    assert [item.path for item in shelf.sessions(now=0)] == [kept]
    os.utime(kept, (2000, 2000))
    assert shelf.list_sessions() == [kept]


def test_after_a_new_start_only_what_has_changed_is_read(home: Home, tmp_path: Path) -> None:
    home = replace(home, index=tmp_path / "index")
    same, other = add_session(home, "same", at=1000), add_session(home, "other", at=1000)
    (home.sessions / "bad.toml").write_text("format = 99\n")
    first = read(home)
    before = first.sessions(now=2000)
    again = Shelf(home)
    assert again.list_sessions() == []
    assert again.sessions(now=2000) == before
    assert again.found(before, read_query("lima")) == [item for item in before if item.path in (same, other)]
    with other.open("ab") as file:
        file.write(b"\n")
    assert Shelf(home).list_sessions() == [other]


@pytest.mark.parametrize("facts", ["", "{", "[]", '{"bad": 3}', '{"summary": {}, "facts": {}}', "[" * 100_000])
def test_what_the_index_holds_is_checked(home: Home, tmp_path: Path, facts: str) -> None:
    home = replace(home, index=tmp_path / "index")
    path = add_session(home, "a")
    before = read(home).sessions(now=0)
    with closing(sqlite3.connect(tmp_path / "index")) as database, database:
        database.execute("UPDATE sessions SET facts = ?", (facts,))
    shelf = Shelf(home)
    assert shelf.list_sessions() == [path]
    assert read(home, shelf).sessions(now=0) == before


def test_an_index_that_is_damaged_while_it_is_used_is_made_again(home: Home, tmp_path: Path) -> None:
    home = replace(home, index=tmp_path / "index")
    path = add_session(home, "a")
    shelf = read(home)
    shelf.close()
    (tmp_path / "index").write_bytes(b"not a database, but as long as one would be" * 100)
    shelf.found(shelf.sessions(now=0), read_query("lima"))
    assert shelf.list_sessions() == [path]
    items = read(home, shelf).sessions(now=0)
    assert shelf.found(items, read_query("lima")) == items
    assert Shelf(home).list_sessions() == []


def test_what_is_known_of_a_session_that_is_gone_goes_from_the_index(home: Home, tmp_path: Path) -> None:
    home = replace(home, index=tmp_path / "index")
    add_session(home, "a").rename(home.sessions / "b.toml")
    read(home)
    (home.sessions / "b.toml").unlink()
    assert Shelf(home).list_sessions() == []
    assert SessionIndex(tmp_path / "index").entries(home.sessions) == {}


def test_a_listing_by_several_at_once_is_right_for_each(home: Home, tmp_path: Path) -> None:
    home = replace(home, index=tmp_path / "index")
    for n in range(20):
        add_session(home, str(n), title=f"Run {n}")
    with ThreadPoolExecutor(4) as pool:
        shelves = list(pool.map(lambda _: read(home), range(8)))
    for shelf in shelves:
        items = shelf.sessions(now=0)
        assert {item.title for item in items} == {f"Run {n}" for n in range(20)}
        assert shelf.found(items, read_query("paris")) == items


def test_files_to_read_come_with_the_latest_first(home: Home) -> None:
    old, new = add_session(home, "old", at=1000), add_session(home, "new", at=2000)
    assert Shelf(home).list_sessions() == [new, old]


def test_a_home_without_any_folder_is_empty(tmp_path: Path) -> None:
    shelf = read(Home(root=tmp_path / "nowhere", found="--home", packaged=tmp_path / "nothing"))
    assert shelf.scripts() == []
    assert shelf.sessions(now=0) == []


# ---------------------------------------------------------------- lineage


def test_forks_stand_under_their_parents_and_a_family_where_its_newest_is() -> None:
    sessions = [
        saved("parent", modified=1),
        saved("alone", modified=5),
        saved("older fork", parent="parent", modified=3),
        saved("newer fork", parent="parent", modified=9),
        saved("fork of fork", parent="older fork", modified=4),
    ]
    assert [(each.summary.title, depth) for each, depth in lineage(sessions)] == [
        ("parent", 0),
        ("newer fork", 1),
        ("older fork", 1),
        ("fork of fork", 2),
        ("alone", 0),
    ]


def test_a_fork_whose_parent_is_gone_stands_below_the_root_of_its_lineage() -> None:
    sessions = [
        saved("root", modified=1),
        saved("left behind", parent="gone", root="root", modified=3),
        saved("alone", parent="gone", root="gone too", modified=2),
        saved("fork of it", parent="left behind", root="root", modified=4),
    ]
    assert [(each.summary.title, depth) for each, depth in lineage(sessions)] == [
        ("root", 0),
        ("left behind", 1),
        ("fork of it", 2),
        ("alone", 0),
    ]


def test_each_session_knows_how_many_forks_stand_below_it() -> None:
    family = [
        saved("parent", modified=1),
        saved("fork", parent="parent", modified=3),
        saved("fork of fork", parent="fork", modified=4),
        saved("other fork", parent="parent", modified=2),
        saved("alone", modified=9),
    ]
    assert [(item.title, item.depth, item.forks) for item in session_items(family, 10)] == [
        ("alone", 0, 0),
        ("parent", 0, 3),
        ("fork", 1, 1),
        ("fork of fork", 2, 0),
        ("other fork", 1, 0),
    ]


def test_a_chain_of_thousands_of_forks_is_no_problem() -> None:
    chain = [saved(str(n), parent=str(n - 1), modified=n) for n in range(5000)]
    assert [depth for _, depth in lineage(chain)] == list(range(5000))


NAMES = st.sampled_from(["a", "b", "c", "d", ""])


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, st.integers(0, 9)), max_size=8))
def test_whatever_files_say_of_ids_and_parents_each_stands_in_the_list_once(
    facts: list[tuple[str, str, str, int]],
) -> None:
    sessions = [
        saved(str(n), named=own, parent=parent, root=root, modified=modified)
        for n, (own, parent, root, modified) in enumerate(facts)
    ]
    found = lineage(sessions)
    assert Counter(each.summary.path for each, _ in found) == Counter(each.summary.path for each in sessions)
    depth_before = -1
    for _, depth in found:
        assert 0 <= depth <= depth_before + 1
        depth_before = depth


# ---------------------------------------------------------------- small parts


def test_every_status_has_a_sign_and_a_word_that_fits() -> None:
    assert set(OUTCOMES) == set(Status)
    assert all(sign and 0 < len(word) <= 12 for sign, word, _ in OUTCOMES.values())


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (0, "now"),
        (59, "now"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (86_400, "1 d"),
        (8 * 86_400, "1 wk"),
        (29 * 86_400, "4 wk"),
        (31 * 86_400, "1 mo"),
        (364 * 86_400, "12 mo"),
        (800 * 86_400, "2 y"),
    ],
)
def test_ages(seconds: float, words: str) -> None:
    assert age(seconds) == words


def test_first_lines() -> None:
    assert first_line("\n  one \ntwo") == "one"
    assert first_line(" \n") == ""


# ---------------------------------------------------------------- a file that was named


@pytest.mark.parametrize(
    ("text", "session"),
    [
        ('format = 1\n\n[session]\nid = "x"\n\n[[event]]\nbroken', True),
        ('\ufeffformat = 1\n[session]\nid = "x"\n', True),
        ("format = 1\n[session]\nid = broken\n", True),
        ('title = "x"\ngoal = """\n[session]\n"""\n', False),
        ("goal = broken", False),
        ("", False),
    ],
)
def test_content_decides_what_is_a_session(tmp_path: Path, text: str, session: bool) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    assert glimpse(path).session is session


def test_real_files_are_told_apart(home: Home) -> None:
    assert glimpse(add_session(home, "s")).session
    assert not glimpse(add_script(home, "a")).session


@pytest.mark.parametrize(
    ("text", "title", "goal"),
    [
        ('title = "Sums"\ngoal = """\nHow many?\nAnd why?\n"""\n', "Sums", "How many?\nAnd why?"),
        ('goal = "How many?"\n', "How many?", "How many?"),
        ("title = 3\ngoal = [4]\n", "x", ""),
        ("scenario = 1\nformat = 1\nsession = 2\n", "x", ""),
        (
            'format = 1\n[session]\ntitle = "Kept"\n[scenario]\ngoal = "How many?"\n[[event]]\nbroken',
            "Kept",
            "How many?",
        ),
        ("goal = broken", "x", ""),
    ],
)
def test_a_glimpse_says_title_and_goal_where_it_can(tmp_path: Path, text: str, title: str, goal: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    seen = glimpse(path)
    assert (seen.title, seen.goal) == (title, goal)
