"""Results of a start are cached in a file that is used only if it is complete and belongs to the user."""

import marshal
import os
import sys
from pathlib import Path

import pytest

from waza_lsp.server.startup.code_cache import CacheFile, cache_path


def kept(path: Path, *keys: str) -> Path:
    """Simulate a start that needs these keys."""
    it = CacheFile(path)
    for key in keys or ("one", "two"):
        if it.find(key) is None:
            it.add(key, key.encode())
    it.write()
    return path


def keys(path: Path) -> set[str]:
    return {
        it for it in ("one", "two", "three", *map(str, range(40))) if CacheFile(path).find(it) == it.encode()
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "methods.marshal"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda _: b"",
        lambda data: data[:-5] + bytes([data[-5] ^ 1]) + data[-4:],
        lambda data: b"other " + data,
        lambda _: marshal.dumps({}),
    ],
    ids=["end missing", "half", "empty", "one bit", "other version", "no head"],
)
def test_a_file_that_is_not_whole_is_no_file(path: Path, spoil: object) -> None:
    assert callable(spoil)
    kept(path).write_bytes(spoil(path.read_bytes()))
    assert keys(path) == set()
    assert keys(kept(path)) == {"one", "two"}


def test_files_that_nobody_has_written_for_long_are_deleted(path: Path) -> None:
    old, left = kept(path.with_name("old.marshal")), path.with_name("old.4711")
    left.touch()
    for it in (old, left):
        os.utime(it, (0, 0))
    recent = kept(path.with_name("recent.marshal"))
    kept(path)
    assert set(path.parent.iterdir()) == {path, recent}


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_what_others_could_have_written_is_not_executed(path: Path) -> None:
    kept(path).chmod(0o666)
    assert keys(path) == set()
    path.chmod(0o600)
    assert keys(path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for this user")
def test_a_folder_that_cannot_be_written_is_no_trouble(path: Path) -> None:
    path.parent.mkdir(mode=0o500)
    kept(path)
    assert not path.exists()


def test_what_takes_the_folder_s_place_is_no_trouble(path: Path) -> None:
    path.parent.write_text("a file", encoding="utf-8")
    assert keys(kept(path)) == set()


def test_only_a_whole_file_is_ever_there(path: Path) -> None:
    kept(path)
    assert [it.name for it in path.parent.iterdir()] == [path.name]


def test_what_is_still_of_use_stays_and_what_is_not_goes(path: Path) -> None:
    kept(path, "one", "two")
    assert keys(kept(path, "two", "three")) == {"two", "three"}


def test_a_few_new_entries_are_not_worth_writing(path: Path) -> None:
    many = [str(number) for number in range(30)]
    before = kept(path, *many).read_bytes()
    kept(path, *many, "one")
    assert path.read_bytes() == before


def test_nothing_is_kept_where_python_keeps_no_byte_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert cache_path("start") is None
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert cache_path("start") is not None


def test_the_user_s_folder_for_such_things_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(tmp_path))
    found = cache_path("start")
    assert found is not None
    assert found.parent == tmp_path / "waza-lsp"
