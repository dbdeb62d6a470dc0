"""A list in a temporary file: equal items come back, nothing is left behind, and a full disk leaves it as it was."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from waza_engine.lib.files import spill
from waza_engine.lib.files.spill import Spill

ITEMS: list[tuple[object, ...]] = [("a", None, Path("b")), ("\ud800\n", 1.5), (), ("x" * 100_000, b"")]


@pytest.fixture(params=[4_000_000, 10], ids=["in memory", "in a file"])
def filled(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Spill[tuple[object, ...]]]:
    monkeypatch.setattr(spill, "_IN_MEMORY", request.param)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = Spill[tuple[object, ...]]()
    for it in ITEMS:
        made.append(it)
    yield made
    assert list(tmp_path.iterdir()) == []


def test_items_come_back_in_order_and_by_place(filled: Spill[tuple[object, ...]]) -> None:
    assert list(filled) == ITEMS == list(filled)
    assert (len(filled), filled[-1], filled[1:3]) == (4, ITEMS[-1], ITEMS[1:3])
    # Iterating and adding do not disturb each other.
    once = iter(filled)
    assert next(once) == ITEMS[0]
    filled.append(("new",))
    assert next(once) == ITEMS[1]
    assert filled[4] == ("new",)
    with pytest.raises(IndexError):
        filled[5]


def test_a_full_disk_leaves_the_list_as_it_was(
    filled: Spill[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def __init__(self, file: object) -> None:
            self.file = file

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def write(self, data: bytes) -> int:
            self.file.write(data[:5])  # type: ignore[attr-defined]
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    whole = filled._file
    monkeypatch.setattr(filled, "_file", Full(whole))
    with suppress(OSError):
        filled.append(("lost",))
    monkeypatch.setattr(filled, "_file", whole)
    filled.append(("kept",))
    assert list(filled) == [*ITEMS, ("kept",)]
