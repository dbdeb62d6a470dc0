"""Changed files are found reliably and with few system calls."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import FileState, disk
from waza_engine.lib.queries.tracking import Result, clock, compute

LONG_AGO = time.time_ns() - 3_600_000_000_000


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that the system is asked for."""
    found: list[str] = []
    stat = os.stat

    def counted(path: Path | str, **named: Any) -> os.stat_result:
        found.append(Path(path).name)
        return stat(path, **named)

    monkeypatch.setattr("waza_engine.lib.queries.disk.os.stat", counted)
    return found


class Watched:
    """Files that are looked at again and again."""

    def __init__(self, *paths: Path) -> None:
        self._results = {it: Result(None, (disk.file(it),), clock.now) for it in paths}

    def changed(self) -> set[Path]:
        """Look at the disk, and return what has changed since the last look."""
        disk.look()
        found = {path for path, it in self._results.items() if not it.is_fresh()}
        for path in found:
            self._results[path] = Result(None, (disk.file(path),), clock.now)
        return found


def aged(folder: Path) -> None:
    """Set the folder's modification time to an hour ago."""
    os.utime(folder, ns=(LONG_AGO, LONG_AGO))


def missing(folder: Path) -> list[Path]:
    return [folder / f"{it}.json" for it in "abcdef"]


def test_missing_files_of_an_unchanged_folder_are_not_looked_for(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # The status change time of an inode cannot be set back, so the clock goes forward.
    now = time.time_ns()
    monkeypatch.setattr("waza_engine.lib.queries.disk.time.time_ns", lambda: now + 10_000_000_000)
    watched = Watched(*missing(tmp_path))
    assert watched.changed() == set()
    asked.clear()
    assert watched.changed() == set()
    assert not {it for it in asked if it.endswith(".json")}
    (tmp_path / "c.json").write_text("{}")
    assert watched.changed() == {tmp_path / "c.json"}


def test_a_folder_that_has_just_changed_may_change_again_with_the_same_timestamp(
    asked: list[str], tmp_path: Path
) -> None:
    watched = Watched(*missing(tmp_path))
    for _ in range(3):
        asked.clear()
        assert watched.changed() == set()
        assert len([it for it in asked if it.endswith(".json")]) == 6
    (tmp_path / "c.json").write_text("{}")
    aged(tmp_path)  # Its modification time no longer shows the change.
    assert watched.changed() == {tmp_path / "c.json"}


def test_the_folder_may_be_missing_itself(asked: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    watched = Watched(*missing(folder))
    asked.clear()
    assert watched.changed() == set()
    assert not {it for it in asked if it.endswith(".json")}
    folder.mkdir(parents=True)
    assert watched.changed() == set()
    (folder / "a.json").write_text("{}")
    assert watched.changed() == {folder / "a.json"}


def test_another_folder_may_take_its_place(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "b.json").write_text("{}")
    aged(here)
    aged(there)
    watched = Watched(*missing(here))
    assert watched.changed() == set()
    here.rmdir()
    there.rename(here)
    assert watched.changed() == {here / "b.json"}


def test_existing_files_are_looked_at_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    watched = Watched(path, *missing(tmp_path)[1:])
    assert watched.changed() == set()
    path.write_text("{ }")
    assert watched.changed() == {path}
    path.unlink()
    assert watched.changed() == {path}


def test_the_names_in_a_folder_may_change_twice_in_one_moment(tmp_path: Path) -> None:
    files = Files()
    for number in range(20):
        (tmp_path / f"{number:02}").write_text("")
        assert len(files.names(tmp_path)) == number + 1


def test_a_file_is_asked_for_once_in_a_look(asked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    state = FileState(path)
    disk.look()
    asked.clear()
    for _ in range(5):
        state.refresh()
    assert asked == ["a.json"]


def test_an_editor_may_open_a_missing_file(tmp_path: Path) -> None:
    open_texts: dict[Path, str] = {}
    files, path = Files(open_texts.get), tmp_path / "a.json"
    found = compute(lambda: files.text(path))
    disk.look()
    assert (found.value, found.is_fresh()) == (None, True)
    open_texts[path] = "{}"
    disk.look()
    assert not found.is_fresh()
    assert files.text(path) == "{}"


def test_looks_can_be_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files, path = Files(), tmp_path / "a.json"
    assert files.read_as(path, str.upper) is None
    monkeypatch.setattr(disk, "max_age", 3600.0)
    path.write_text("a")
    assert files.read_as(path, str.upper) is None
    disk.look()
    assert files.read_as(path, str.upper) == "A"
