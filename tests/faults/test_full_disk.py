"""The disk with the store fills up at any write and has room again later: everything is stored."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from tests.faults.leftovers import finished, problems_of
from tests.faults.small_disk import mounted
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.events import Note
from waza_engine.runs.store.store import RunStore

PAGE = 4096
TASKS = "abcdef"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 1 MB."""
    with mounted(tmp_path / "disk", "size=1m") as place:
        yield place


async def run(folder: Path, disk: Path, pages: int) -> list[str]:
    """A run with room for so many pages, until its last task is performed: what is said of the store."""
    filler = disk / "filler"
    bench, executor = Bench(folder), Scripted(ExecutorOptions(folder))

    async def perform(request: TrialRequest) -> Trajectory:
        if request.task.id == TASKS[-1]:
            filler.unlink()
        return said("hello " + os.urandom(5000).hex())

    executor.perform = perform
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize
    filler.write_bytes(bytes(free - pages * PAGE))
    with RunStore(disk / "store", may_come_later=True) as bench.store:
        bench.store.file.patience = 0.1
        await bench.run(bench.suite(*map(task, TASKS), graders=(contains("hello"),)), executor)
    return [it.message for it in bench.events if isinstance(it, Note)]


@pytest.mark.slow
async def test_the_disk_may_be_full_at_any_write(tmp_path: Path, disk: Path) -> None:
    for pages in range(0, 60, 2):
        notes = await run(tmp_path, disk, pages)
        store = disk / "store"
        assert [len(notes), "Free some space" in notes[0], "all finished trials are in it" in notes[1]] == [
            2,
            True,
            True,
        ]
        assert problems_of(store) == []
        assert finished(store) == [[(index, 1) for index in range(len(TASKS))]], pages
        assert (store / ".gitignore").read_text() == "*\n"
        for it in store.iterdir():
            it.unlink()
