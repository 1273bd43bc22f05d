"""The folder of a run is a fold: seeds and recorded effects rebuild it exactly, at any point."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.toolkit.effects import apply_effects, fold_files
from workbench.toolkit.errors import ToolError
from workbench.toolkit.workspace import Draft, Effect, Workspace

NAMES = st.sampled_from(["a", "b.txt", "sub", "..notes", "with space", "é"])
PATHS = st.lists(NAMES | st.just("."), min_size=1, max_size=3).map("/".join) | st.just("sub/../b.txt")
TEXTS = st.text(max_size=12).filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text))
WRITES = st.lists(st.tuples(st.sampled_from(["write", "append"]), PATHS, TEXTS), max_size=4)
CALLS = st.lists(st.tuples(WRITES, st.booleans()), max_size=6)


def tree(root: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder with None."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


def perform(folder: Workspace, writes: list[tuple[str, str, str]], succeeds: bool) -> tuple[Effect, ...]:
    """What a run does with one call: its writes take place if it succeeds."""
    draft = Draft(folder)
    for method, path, text in writes:
        try:
            getattr(draft, method)(path, text)
        except ToolError:
            continue
    if not succeeds:
        return ()
    folder.apply(draft.effects)
    return draft.effects


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "sub/b.txt", "./é"]), TEXTS, max_size=3), CALLS)
def test_seeds_and_effects_rebuild_the_live_folder_at_every_point(seeds: dict[str, str], calls: Any) -> None:
    with tempfile.TemporaryDirectory() as place:
        live = apply_effects(Path(place) / "live", seeds, [])
        effects: list[Effect] = []
        for number, (writes, succeeds) in enumerate(calls):
            effects += perform(live, writes, succeeds)
            rebuilt = apply_effects(Path(place) / f"rebuilt{number}", seeds, effects)
            assert tree(rebuilt.root) == tree(live.root)


@settings(max_examples=30, deadline=None)
@given(WRITES)
def test_the_pure_fold_says_what_the_disk_says(writes: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Workspace(Path(place))
        effects = perform(folder, writes, succeeds=True)
        on_disk = {name: content for name, content in tree(folder.root).items() if content is not None}
        assert {name: text.encode() for name, text in fold_files({}, effects).items()} == on_disk


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        apply_effects(tmp_path, {}, [])
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("seeds", "text"),
    [
        ({"../x": ""}, "it leads outside the workspace"),
        ({"/x": ""}, "it is absolute"),
        ({"~/x": ""}, "home folder"),
        ({".": ""}, "there is a folder"),
        ({"a": "", "a/b": ""}, "'a/b': there is a folder, or a file in its way"),
    ],
)
def test_seeds_that_cannot_be_files_are_refused(tmp_path: Path, seeds: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        apply_effects(tmp_path / "work", seeds, [])


def test_a_seed_has_one_name_however_it_is_spelled() -> None:
    assert fold_files({"./sub/../a": "x"}, [{"path": "a", "append": "y"}]) == {"a": "xy"}
