"""Changed files are found reliably and with few system calls."""

import os
import time
from pathlib import Path

import pytest

from waza_engine.lib.files.stamps import Stamps
from waza_engine.lib.files.vfs import Files, State

LONG_AGO = (0, time.time_ns() - 3_600_000_000_000)


class Counting(Files):
    """Counts the calls of `state`."""

    count = 0

    def state(self, path: Path) -> State:
        self.count += 1
        return super().state(path)


@pytest.fixture
def files() -> Counting:
    return Counting()


def stamps(files: Files, *paths: Path) -> Stamps:
    return Stamps(files, {it: Files.state(files, it) for it in paths})


def aged(folder: Path) -> None:
    """Set the folder's modification time to an hour ago."""
    os.utime(folder, ns=(LONG_AGO[1], LONG_AGO[1]))


def missing(folder: Path) -> list[Path]:
    return [folder / f"{it}.json" for it in "abcdef"]


def test_missing_files_of_an_unchanged_folder_are_not_looked_for(
    files: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracked = stamps(files, *missing(tmp_path))
    # The status change time of an inode cannot be set back, so the clock goes forward.
    now = time.time_ns()
    monkeypatch.setattr("waza_engine.lib.files.stamps.time.time_ns", lambda: now + 10_000_000_000)
    assert tracked.changed_files() == set()
    assert files.count == 6
    assert tracked.changed_files() == set()
    assert files.count == 6
    (tmp_path / "c.json").write_text("{}")
    assert tracked.changed_files() == {tmp_path / "c.json"}
    assert files.count == 12


def test_a_folder_that_has_just_changed_may_change_again_with_the_same_timestamp(
    files: Counting, tmp_path: Path
) -> None:
    tracked = stamps(files, *missing(tmp_path))
    for _ in range(3):
        assert tracked.changed_files() == set()
    assert files.count == 18
    (tmp_path / "c.json").write_text("{}")
    aged(tmp_path)  # Its modification time no longer shows the change.
    assert tracked.changed_files() == {tmp_path / "c.json"}


def test_the_folder_may_be_missing_itself(files: Counting, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    tracked = stamps(files, *missing(folder))
    assert tracked.changed_files() == set()
    assert files.count == 0
    folder.mkdir(parents=True)
    assert tracked.changed_files() == set()
    (folder / "a.json").write_text("{}")
    assert tracked.changed_files() == {folder / "a.json"}


def test_another_folder_may_take_its_place(files: Counting, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "b.json").write_text("{}")
    aged(here)
    aged(there)
    tracked = stamps(files, *missing(here))
    assert tracked.changed_files() == set()
    here.rmdir()
    there.rename(here)
    assert tracked.changed_files() == {here / "b.json"}


def test_existing_files_are_looked_at_one_by_one(files: Counting, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    tracked = stamps(files, path, *missing(tmp_path)[1:])
    assert tracked.changed_files() == set()
    path.write_text("{ }")
    assert tracked.changed_files() == {path}
    path.unlink()
    assert tracked.changed_files() == {path}


def test_an_editor_may_open_a_missing_file(tmp_path: Path) -> None:
    open_texts: dict[Path, str] = {}
    files = Files(open_texts.get)
    paths = missing(tmp_path)
    assert files.text(paths[0]) is None
    tracked = stamps(files, *paths)
    assert tracked.changed_files() == set()
    open_texts[paths[0]] = "{}"
    assert tracked.changed_files() == {paths[0]}
