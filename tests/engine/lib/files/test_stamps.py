"""Which files changed is found out with few questions, and rightly."""

import os
import time
from pathlib import Path

import pytest

from waza_engine.lib.files.stamps import Stamps
from waza_engine.lib.files.vfs import Files, State

LONG_AGO = (0, time.time_ns() - 3_600_000_000_000)


class Counting(Files):
    """Counts what the disk is asked for."""

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
    """The folder as if nothing had come into it for an hour."""
    os.utime(folder, ns=(LONG_AGO[1], LONG_AGO[1]))


def missing(folder: Path) -> list[Path]:
    return [folder / f"{it}.json" for it in "abcdef"]


def test_of_a_folder_that_did_not_change_nothing_more_is_asked(
    files: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = stamps(files, *missing(tmp_path))
    # When an inode changed cannot be set back: the clock goes forward instead.
    now = time.time_ns()
    monkeypatch.setattr("waza_engine.lib.files.stamps.time.time_ns", lambda: now + 10_000_000_000)
    assert found.changed() == set()
    assert files.count == 6
    assert found.changed() == set()
    assert files.count == 6
    (tmp_path / "c.json").write_text("{}")
    assert found.changed() == {tmp_path / "c.json"}
    assert files.count == 12


def test_a_folder_that_has_just_changed_may_do_so_within_the_same_instant(
    files: Counting, tmp_path: Path
) -> None:
    found = stamps(files, *missing(tmp_path))
    for _ in range(3):
        assert found.changed() == set()
    assert files.count == 18
    (tmp_path / "c.json").write_text("{}")
    aged(tmp_path)  # Its time tells nothing any more.
    assert found.changed() == {tmp_path / "c.json"}


def test_the_folder_may_be_missing_itself(files: Counting, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    found = stamps(files, *missing(folder))
    assert found.changed() == set()
    assert files.count == 0
    folder.mkdir(parents=True)
    assert found.changed() == set()
    (folder / "a.json").write_text("{}")
    assert found.changed() == {folder / "a.json"}


def test_another_folder_may_come_to_its_place(files: Counting, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "b.json").write_text("{}")
    for it in (here, there):
        aged(it)
    found = stamps(files, *missing(here))
    assert found.changed() == set()
    here.rmdir()
    there.rename(here)
    assert found.changed() == {here / "b.json"}


def test_what_is_there_is_asked_for_itself(files: Counting, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    found = stamps(files, path, *missing(tmp_path)[1:])
    assert found.changed() == set()
    path.write_text("{ }")
    assert found.changed() == {path}
    path.unlink()
    assert found.changed() == {path}


def test_an_editor_may_open_what_is_not_there(tmp_path: Path) -> None:
    open_texts: dict[Path, str] = {}
    files = Files(open_texts.get)
    paths = missing(tmp_path)
    assert files.text(paths[0]) is None
    found = stamps(files, *paths)
    assert found.changed() == set()
    open_texts[paths[0]] = "{}"
    assert found.changed() == {paths[0]}
