from __future__ import annotations

from pathlib import Path

from tests.tui.run.stage import opened_scenario, staged
from workbench.home import Home
from workbench.opening import change_model
from workbench.tui.viewer import Viewer

SCRIPT = """
goal = "Population of Lima?"

[[model.reply]]
text = "ANSWER: 2100000"
"""


def script(folder: Path, expect: str) -> Path:
    path = folder / "lima.toml"
    path.write_text(SCRIPT + expect, encoding="utf-8")
    return path


async def test_a_run_that_came_to_what_is_expected_says_so(home: Home, tmp_path: Path) -> None:
    path = script(tmp_path, '[expect]\nstatus = "answered"\n')
    async with staged(opened_scenario(home, path), home) as stage:
        assert not stage.sees("as expected")
        await stage.press("r")
        assert stage.sees("✓ as expected")
        assert "V what differs" not in stage.key_row
        await stage.press("V")
        assert stage.notice == "nothing differs from what is expected"
        await stage.press("left")
        assert not stage.sees("as expected")


async def test_what_differs_is_named_on_the_card_and_shown_whole_on_a_key(home: Home, tmp_path: Path) -> None:
    path = script(tmp_path, '[expect]\nanswer = "9700000"\nmodel_calls = 2\n')
    async with staged(opened_scenario(home, path), home, size=(120, 40)) as stage:
        await stage.press("V")
        assert stage.notice == "the run has not ended"
        await stage.press("r")
        line = '≠ not as expected   expected answer "9700000", got "2100000"   and 1 more, V shows all'
        assert stage.sees(line)
        assert "V what differs" in stage.key_row
        await stage.press("V")
        assert isinstance(stage.app.screen, Viewer)
        for said in ("answer", '  expected  "9700000"', '  got       "2100000"', "model_calls", "  expected  2"):
            assert stage.sees(said)


async def test_a_run_that_a_cap_stopped_is_not_judged_for_good(home: Home, tmp_path: Path) -> None:
    path = script(tmp_path, '[limits]\nmodel_calls = 1\n[expect]\nanswer = "9"\n')
    path.write_text(path.read_text().replace("ANSWER: 2100000", "I think.").replace("]]", "]]\nrepeat = 2", 1))
    path.write_text(path.read_text() + '[[model.reply]]\ntext = "ANSWER: 9"\n')
    async with staged(opened_scenario(home, path), home) as stage:
        await stage.press("r")
        assert stage.sees("≠ not as expected so far, and it can go on")
        await stage.press("plus")
        assert stage.sees("≠ not as expected so far, and it can go on")
        await stage.press("plus")
        assert stage.sees("✓ as expected")


async def test_where_nothing_is_expected_nothing_is_said(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path, "")), home) as stage:
        await stage.press("r")
        assert not stage.sees("as expected")


async def test_what_hangs_on_the_script_is_not_expected_of_another_model(home: Home, tmp_path: Path) -> None:
    path = script(tmp_path, '[expect]\nstatus = "answered"\nanswer = "2100000"\nmodel_calls = 7\n')
    other = tmp_path / "other.toml"
    for says, verdict in (
        ("2100000 people.", "✓ as expected   of any model; steps and calls are the script's"),
        ("Nobody knows.", '≠ another end than that of the script   expected answer "2100000", got "Nobody knows."'),
    ):
        other.write_text(SCRIPT.replace("2100000", says), encoding="utf-8")
        opened = opened_scenario(home, path)
        change_model(opened, home, str(other))
        async with staged(opened, home, size=(120, 40)) as stage:
            await stage.press("r")
            assert stage.sees(verdict)
