"""A tool sees the folder of its run and nothing outside, whatever a path says or a link leads to."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from workbench.core.paths import MAX_PATH_CHARS
from workbench.toolkit import workspace as workspace_module
from workbench.toolkit.errors import ToolError
from workbench.toolkit.paths import quoted, refusal
from workbench.toolkit.scope import idempotency_key, use_workspace, workspace
from workbench.toolkit.sizes import MAX_READ_BYTES, MAX_WRITE_CHARS
from workbench.toolkit.workspace import Draft, Workspace

DATA = Path(__file__).parents[1] / "data" / "paths"
TO_REFUSE = [line.replace("\\0", "\0") for line in (DATA / "paths-to-refuse.txt").read_text().splitlines()]
TO_ALLOW = (DATA / "paths-to-allow.txt").read_text().splitlines()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def draft(folder: Workspace) -> Draft:
    return Draft(folder)


def test_the_lists_of_paths_are_there() -> None:
    assert len(TO_REFUSE) == 13
    assert any("\0" in path for path in TO_REFUSE)
    assert len(TO_ALLOW) == 6


@pytest.mark.parametrize(
    "path",
    [
        *TO_REFUSE,
        "",
        "~",
        "a/../../work/x",
        "./~/x",
        "sub/../C:x",
        "FILE:x",
        "https://example.com/a",
        "half\ud83d",
        "x" * (MAX_PATH_CHARS + 1),
    ],
)
def test_a_path_to_refuse_is_refused_for_reading_and_writing(folder: Workspace, path: str) -> None:
    (folder.root / "notes.txt").write_text("inside")
    (folder.root.parent / "notes.txt").write_text("outside")
    draft = Draft(folder)
    for use in (draft.read, draft.exists, draft.entries, draft.files, lambda path: draft.write(path, "x")):
        with pytest.raises(ToolError) as caught:
            use(path)
        assert caught.value.message == refusal(path)
        assert "is refused: it " in caught.value.message or "home folder" in caught.value.message
        assert str(folder.root.parent) not in caught.value.message
        caught.value.message.encode()
    assert draft.effects == ()


@pytest.mark.parametrize("path", TO_ALLOW)
def test_a_path_to_allow_is_read_and_written(folder: Workspace, path: str) -> None:
    (folder.root / "sub").mkdir()
    place = Path(os.path.normpath(folder.root / path))
    place.write_text("inside")
    draft = Draft(folder)
    assert draft.read(path) == "inside"
    draft.write(path, "changed")
    folder.apply(draft.effects)
    assert place.read_text() == "changed"
    assert sorted(folder.root.rglob("*")) == sorted({folder.root / "sub", place})


def test_a_sibling_whose_name_begins_like_the_root_is_outside(folder: Workspace) -> None:
    sibling = folder.root.parent / "work-old"
    sibling.mkdir()
    (sibling / "notes.txt").write_text("secret")
    (folder.root / "link").symlink_to(sibling)
    for path in ("../work-old/notes.txt", "link/notes.txt", "link"):
        with pytest.raises(ToolError, match="it leads outside the workspace"):
            Draft(folder).read(path)


def test_a_link_out_tells_nothing_of_what_is_there(folder: Workspace, tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("secret")
    for name, target in (("to-file", "there.txt"), ("to-nothing", "absent.txt")):
        (folder.root / name).symlink_to(tmp_path / target)
    told = set()
    for name in ("to-file", "to-nothing"):
        for use in (Draft(folder).read, lambda path: Draft(folder).write(path, "x")):
            with pytest.raises(ToolError) as caught:
                use(name)
            told.add(caught.value.message.replace(name, "…"))
    assert len(told) == 1
    assert (tmp_path / "there.txt").read_text() == "secret"
    assert not (tmp_path / "absent.txt").exists()


def test_parent_of_a_linked_folder_is_judged_where_it_really_leads(folder: Workspace, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "notes.txt").write_text("secret")
    (folder.root / "sub").symlink_to(tmp_path / "deep")
    with pytest.raises(ToolError, match="outside"):
        Draft(folder).read("sub/../notes.txt")


def test_links_inside_are_followed_and_written_through(folder: Workspace, draft: Draft) -> None:
    (folder.root / "real.txt").write_text("one")
    (folder.root / "link.txt").symlink_to("real.txt")
    assert draft.read("link.txt") == "one"
    draft.write("link.txt", "two")
    assert draft.effects == ({"path": "real.txt", "content": "two"},)
    folder.apply(draft.effects)
    assert (folder.root / "link.txt").is_symlink()
    assert (folder.root / "real.txt").read_text() == "two"


def test_a_loop_of_links_is_refused(folder: Workspace, draft: Draft) -> None:
    (folder.root / "a").symlink_to("b")
    (folder.root / "b").symlink_to("a")
    with pytest.raises(ToolError):
        draft.read("a")


def test_a_link_swapped_in_after_the_check_is_not_followed(folder: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (folder.root / "a.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(ToolError, match="cannot be used"):
        folder.data("a.txt")


def test_pipes_and_folders_are_no_files(folder: Workspace, draft: Draft) -> None:
    os.mkfifo(folder.root / "pipe")
    (folder.root / "sub").mkdir()
    with pytest.raises(ToolError, match='"pipe" is no plain file, so it cannot be read'):
        draft.read("pipe")
    with pytest.raises(ToolError, match='"pipe" is no plain file, so it cannot be written'):
        draft.write("pipe", "x")
    with pytest.raises(ToolError, match='"sub" is a folder, so it cannot be read'):
        draft.read("sub")
    with pytest.raises(ToolError, match='"sub" is a folder, so it cannot be written'):
        draft.write("sub", "x")
    with pytest.raises(ToolError, match="is a folder"):
        draft.write(".", "x")


def test_what_is_missing_is_said_with_what_is_there(folder: Workspace, draft: Draft) -> None:
    for name in ("orders.csv", "notes.txt"):
        (folder.root / name).write_text("")
    with pytest.raises(ToolError) as caught:
        draft.read("note.txt")
    assert caught.value.message == (
        'There is no file "note.txt" in the workspace. Beside it there are "notes.txt", "orders.csv".'
    )
    with pytest.raises(ToolError, match=r'There is no folder "sub" in the workspace\.'):
        draft.entries("sub")
    with pytest.raises(ToolError, match=r'"notes\.txt" is a file, not a folder'):
        draft.entries("notes.txt")
    with pytest.raises(ToolError, match=r'There is no file "notes\.txt/x"'):
        draft.read("notes.txt/x")


def test_a_full_folder_is_not_listed_whole_in_an_error(draft: Draft) -> None:
    for number in range(12):
        draft.write(f"{number:02}.txt", "")
    with pytest.raises(ToolError, match=r'"07\.txt" and 4 more'):
        draft.read("x")


def test_a_draft_shows_its_own_writes_and_the_disk_does_not(folder: Workspace, draft: Draft) -> None:
    (folder.root / "old.txt").write_text("old")
    draft.write("new/deep/a.txt", "a")
    draft.append("old.txt", "+")
    draft.append("log.txt", "1\n")
    assert draft.read("new/deep/a.txt") == "a"
    assert draft.read("old.txt") == "old+"
    assert draft.entries() == ["log.txt", "new/", "old.txt"]
    assert draft.entries("new") == ["deep/"]
    assert draft.files() == ["log.txt", "new/deep/a.txt", "old.txt"]
    assert draft.files("new") == ["new/deep/a.txt"]
    assert draft.files("old.txt") == ["old.txt"]
    assert draft.exists("new/deep")
    assert names(folder.root) == ["old.txt"]
    assert draft.effects == (
        {"path": "new/deep/a.txt", "content": "a"},
        {"path": "old.txt", "append": "+"},
        {"path": "log.txt", "append": "1\n"},
    )


def test_a_file_cannot_lie_below_a_file(folder: Workspace, draft: Draft) -> None:
    (folder.root / "disk").write_text("")
    draft.write("staged", "")
    for path in ("disk/x", "staged/x", "staged/x/y"):
        with pytest.raises(ToolError, match="is a file, so nothing can lie below it"):
            draft.write(path, "")
    draft.write("a/b", "")
    with pytest.raises(ToolError, match='"a" is a folder'):
        draft.write("a", "")


def test_limits_of_size(folder: Workspace, draft: Draft) -> None:
    with pytest.raises(ToolError, match="may have 1,000,000"):
        draft.write("a", "x" * (MAX_WRITE_CHARS + 1))
    draft.write("a", "x" * MAX_WRITE_CHARS)
    with pytest.raises(ToolError, match="would have 1,000,001"):
        draft.append("a", "x")
    with (folder.root / "huge").open("wb") as file:
        file.truncate(MAX_READ_BYTES + 1)
    with pytest.raises(ToolError, match="too large to be read: 5,000,001 bytes"):
        draft.read("huge")


def test_a_folder_of_too_many_files_is_not_walked(folder: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_module, "MAX_FILES", 3)
    for number in range(4):
        (folder.root / str(number)).write_text("")
    with pytest.raises(ToolError, match="more than 3 files"):
        Draft(folder).files()


def test_half_a_character_is_never_written(draft: Draft) -> None:
    with pytest.raises(ToolError, match="half a character"):
        draft.write("a.txt", "half \ud83d emoji")
    assert draft.effects == ()


def test_text_is_written_as_it_is(folder: Workspace, draft: Draft) -> None:
    text = "a\r\nb\rc\n\ttab \x1b[31m \0 é 漢 🙂 no newline at the end"
    draft.write("a.txt", text)
    folder.apply(draft.effects)
    assert (folder.root / "a.txt").read_bytes() == text.encode()
    assert Draft(folder).read("a.txt") == text


def test_a_replaced_file_keeps_its_permissions_and_leaves_no_trace(folder: Workspace, draft: Draft) -> None:
    script = folder.root / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    draft.write("run.sh", "new")
    folder.apply(draft.effects)
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert names(folder.root) == ["run.sh"]


def test_a_write_that_fails_leaves_the_old_file_whole(folder: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.root / "a.txt").write_text("old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        folder.apply([{"path": "a.txt", "content": "new"}])
    assert names(folder.root) == ["a.txt"]
    assert (folder.root / "a.txt").read_text() == "old"


def test_files_being_written_are_no_part_of_the_workspace(folder: Workspace, draft: Draft) -> None:
    (folder.root / ".workbench-0123").write_text("half")
    assert draft.entries() == []
    assert draft.files() == []


def test_effects_are_confined_too(folder: Workspace, tmp_path: Path) -> None:
    (folder.root / "out").symlink_to(tmp_path)
    for path in ("../x", "/tmp/x", "out/x"):
        with pytest.raises(ToolError):
            folder.apply([{"path": path, "content": "x"}])
    assert names(tmp_path) == ["work"]


def test_a_closed_draft_refuses_to_write(draft: Draft) -> None:
    draft.close()
    with pytest.raises(ToolError, match="This call is over") as caught:
        draft.write("a.txt", "late")
    assert not caught.value.retry
    assert draft.effects == ()


def test_appends_from_several_threads_are_all_kept(draft: Draft) -> None:
    def work(name: str) -> None:
        for _ in range(50):
            draft.append("log.txt", f"{name}\n")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(draft.read("log.txt").split()) == sorted("abcd" * 50)
    assert len(draft.effects) == 200


def test_outside_a_call_there_is_no_workspace(folder: Workspace) -> None:
    with pytest.raises(RuntimeError, match="use_workspace"):
        workspace()
    with use_workspace(folder.root) as files:
        assert workspace() is files
        assert idempotency_key() == ""
        workspace().write("a.txt", "x")
    assert (folder.root / "a.txt").read_text() == "x"
    with pytest.raises(RuntimeError), use_workspace(folder.root) as files:
        files.write("a.txt", "y")
        raise RuntimeError
    assert (folder.root / "a.txt").read_text() == "x"


def test_quoting_shortens_and_escapes() -> None:
    assert quoted('a"b\n') == '"a\\"b\\n"'
    assert quoted("x" * 101) == f'"{"x" * 99}…"'
    assert quoted("\ud83d") == '"?"'
