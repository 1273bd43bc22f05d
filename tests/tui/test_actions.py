from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from textual.app import App
from textual.binding import Binding
from textual.keys import key_to_character

from workbench.tui.actions import (
    ACTIONS,
    BY_NAME,
    KEY_LINES,
    bindings,
    help_sections,
    key_words,
    keys_of,
    label,
    line_actions,
    palette_actions,
    reason_not,
)
from workbench.tui.keymap import clashes, read_keymap
from workbench.tui.situation import Phase, Situation

PHASES: tuple[Phase, ...] = get_args(Phase)
SITUATIONS = [
    Situation(
        phase=phase, step_cap=flag, holding=flag, has_entry=flag, has_original=flag, undoable=flag, raise_to=raise_to
    )
    for phase, flag, raise_to in product(PHASES, (True, False), ("", "raise to 8, go on"))
]
RUN_KEYS = {
    "move": "space",
    "run": "r",
    "stop": "x",
    "raise_cap": "plus,equals_sign",
    "cap": "c",
    "limits": "l",
    "view": "v",
    "original": "o",
    "copy_entry": "C",
    "search": "slash",
    "sees": "w,f3",
    "rewrite": "T",
    "edit_scenario": "E",
    "make_scenario": "S",
    "hold": "h",
    "again": "R",
    "message": "m",
    "name": "s",
    "grants": "g",
    "allow": "y",
    "deny": "n",
    "edit": "e",
    "answer_for": "a",
    "allow_more": "Y",
    "undo_change": "u",
    "event_back": "left",
    "step_forward": "shift+right",
    "latest": "end",
    "back": "q",
    "close": "escape",
}


def test_names_are_unique_and_every_action_explains_itself() -> None:
    assert len(BY_NAME) == len(ACTIONS)
    for action in ACTIONS:
        assert action.name.isidentifier()
        assert action.title
        assert action.help.endswith(".")
        assert all(keys_of(action)), action.name


def test_a_key_has_one_meaning_where_it_works() -> None:
    assert clashes() == []


def test_the_keys_of_the_run_screen() -> None:
    assert {name: BY_NAME[name].keys for name in RUN_KEYS} == RUN_KEYS


def test_the_app_binds_no_letter_and_gives_no_printable_key_priority() -> None:
    for action in ACTIONS:
        for key in keys_of(action):
            if action.where == "app":
                assert not (len(key) == 1 and key.isalpha()), action.name
            if action.priority:
                assert key_to_character(key) is None, action.name


def test_enter_and_space_never_allow() -> None:
    assert keys_of(BY_NAME["allow"]) == ["y"]
    for situation in SITUATIONS:
        if situation.phase == "approval":
            assert reason_not("move", situation) == "waiting for you: y, n, e, a"
            assert reason_not("run", situation) == "waiting for you: y, n, e, a"


def test_the_past_takes_off_what_would_change_the_run() -> None:
    past = Situation(phase="past", raise_to="raise to 8, go on")
    off = (
        "allow",
        "deny",
        "answer_for",
        "allow_more",
        "hold",
        "cap",
        "raise_cap",
        "message",
        "stop",
        "undo_change",
        "model",
    )
    for name in off:
        assert reason_not(name, past) == "this is the past: end goes back to now", name
    assert not set(off) & {action.name for action in line_actions(past)}
    for name in ("move", "run", "event_back", "event_forward", "view", "sees", "latest", "search", "fork"):
        assert reason_not(name, past) == "", name
    assert reason_not("edit", Situation(phase="past", changeable=True)) == ""
    assert "pick one first" in reason_not("edit", past)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_key_line_shows_only_what_works_and_every_refusal_is_one_sentence(situation: Situation) -> None:
    for action in line_actions(situation):
        assert reason_not(action.name, situation) == ""
        assert label(action, situation) or action.name == "move"
    for action in ACTIONS:
        reason = reason_not(action.name, situation)
        assert "{" not in reason
        assert "\n" not in reason
        assert not reason.endswith(".")


def test_every_line_names_actions_that_are_there() -> None:
    assert {name for names in KEY_LINES.values() for name in names} <= set(BY_NAME)


def test_labels_follow_the_situation() -> None:
    def said(name: str, *, short: bool = False, **facts: object) -> str:
        return label(BY_NAME[name], Situation(**facts), short=short)  # type: ignore[arg-type]

    assert said("move", next_move="run add") == "run add"
    assert said("move", phase="hold") == "pass it on"
    assert said("move", phase="past") == "forward"
    assert said("run", phase="running") == "pause"
    assert said("run", phase="past") == "play"
    assert said("allow", phase="approval", calls_waiting=3) == "allow this one"
    assert said("allow", phase="approval", calls_waiting=3, short=True) == "allow"
    assert said("cap") == "lift cap"
    assert said("cap", step_cap=False) == "set cap"
    assert said("sees", phase="past", short=True) == "saw"
    assert said("back", screen="home") == "quit"
    assert said("submit", submit="run with these") == "run with these"
    assert said("raise_cap", raise_to="raise to 8, go on") == "raise to 8, go on"


def test_key_words_are_what_a_person_reads() -> None:
    keys = ("question_mark", "shift+left", "escape", "plus", "ctrl+s", "comma", "pageup", "Y", "space")
    assert [key_words(key) for key in keys] == ["?", "shift+←", "esc", "+", "ctrl+s", ",", "pgup", "Y", "space"]


def test_bindings_carry_the_names_as_ids() -> None:
    found = [binding for binding in bindings("app", "run") if isinstance(binding, Binding)]
    assert {binding.id for binding in found} == {a.name for a in ACTIONS if a.where in ("app", "run")}
    assert {binding.id for binding in found if binding.priority} == {"quit", "interrupt"}


async def test_a_binding_made_here_runs_the_action_of_its_name() -> None:
    class Probe(App[None]):
        BINDINGS = bindings("run")
        pressed: list[str] = []

        def action_allow_more(self) -> None:
            self.pressed.append("allow_more")

        def action_raise_cap(self) -> None:
            self.pressed.append("raise_cap")

    app = Probe()
    async with app.run_test() as pilot:
        app.set_keymap(read_keymap({"allow_more": "Z"}, {}, "workbench.toml")[0])
        await pilot.press("Y", "Z", "plus", "equals_sign")
    assert app.pressed == ["allow_more", "raise_cap", "raise_cap"]


def test_help_lists_every_action_once_under_its_group() -> None:
    sections = help_sections({"allow": "z"})
    assert sum(len(rows) for rows in sections.values()) == len(ACTIONS)
    assert ("z", BY_NAME["allow"].help) in sections["Approval"]
    assert list(sections)[:2] == ["Everywhere", "Home"]


def test_the_palette_offers_what_can_act_on_this_screen() -> None:
    names = {action.name for action in palette_actions(Situation(phase="approval"))}
    assert {"allow", "deny", "help", "search", "latest"} <= names
    assert not {"open", "message", "move", "find_next"} & names
    assert "open" in {action.name for action in palette_actions(Situation(screen="home", phase="idle"))}


GOOD = [
    ({"allow": "z"}, {"allow": "z"}),
    ({"allow": "n", "deny": "y"}, {"allow": "n", "deny": "y"}),
    ({"settings": ";"}, {"settings": "semicolon"}),
    ({"raise_cap": "+"}, {"raise_cap": "plus"}),
    ({"search": ","}, {"search": "comma"}),
    ({"help": "f4,?"}, {"help": "f4,question_mark"}),
    ({"interrupt": "ctrl+g"}, {"interrupt": "ctrl+g"}),
    ({"event_back": "shift+up"}, {"event_back": "shift+up"}),
    ({"copy_entry": "ü"}, {"copy_entry": "ü"}),
]


@pytest.mark.parametrize(("table", "keymap"), GOOD, ids=[str(table) for table, _ in GOOD])
def test_a_good_keymap_is_taken(table: dict[str, object], keymap: dict[str, str]) -> None:
    assert read_keymap(table, {}, "workbench.toml") == (keymap, [])


BAD: list[tuple[dict[str, object], str]] = [
    ({"alow": "z"}, "workbench.toml, line 7: keys.alow: there is no action of that name; did you mean allow?"),
    ({"allow": "n"}, 'keys.allow: "n" is taken in the Run screen by deny; choose another key, or give deny one too'),
    ({"fold": "v"}, 'keys.fold: "v" is taken in the Run screen by view'),
    ({"quit": "Q"}, 'keys.quit: "Q" types text'),
    ({"interrupt": "space"}, 'keys.interrupt: "space" types text'),
    ({"allow": "shift+f"}, 'keys.allow: "shift+f" does not arrive; write "F"'),
    ({"allow": "ctl+x"}, 'keys.allow: "ctl+x" is no key that can be bound; did you mean ctrl+x?'),
    ({"allow": "ctrl+enter"}, 'keys.allow: "ctrl+enter" is no key that can be bound'),
    ({"allow": 3}, "keys.allow: 3 is no key"),
    ({"allow": ""}, "keys.allow: '' is no key"),
    ({"allow": "z,,"}, 'keys.allow: "" is no key'),
]


@pytest.mark.parametrize(("table", "sentence"), BAD, ids=[str(table) for table, _ in BAD])
def test_a_bad_key_is_one_sentence_and_left_out(table: dict[str, object], sentence: str) -> None:
    keymap, problems = read_keymap({**table, "limits": "L"}, dict.fromkeys(table, 7), "workbench.toml")
    assert keymap == {"limits": "L"}
    assert len(problems) == 1
    assert sentence in problems[0]
    assert problems[0].startswith("workbench.toml, line 7: ")


def test_whatever_keymap_is_read_leaves_no_clash() -> None:
    keymap, problems = read_keymap({"allow": "n", "deny": "e", "edit": "e", "stop": "y"}, {}, "workbench.toml")
    assert clashes(keymap) == []
    assert problems
