"""Read the recordings of an eval when they are asked for, and keep only those that are swapped into other tasks.

All recordings of a large eval would not fit into the memory.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from waza_engine.audit.other_trials import MOST_OTHERS
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording, UnreadableRecording, recordings_to_audit
from waza_engine.runs.store.store import FILE_NAME, RunStore

_MOST_RECORDINGS = 10


class AuditedRecordings(Mapping[str, list[Recording]]):
    """The recordings of all tasks of a plan's suite, by id. Enter it; leaving it closes the store.

    Reading raises `StoreError` if the store cannot be read.
    """

    def __init__(self, plan: Plan, store_dir: Path) -> None:
        self.unreadable: dict[str, list[UnreadableRecording]] = {}
        """The files that should hold recordings of a task and cannot be read, of the tasks that were asked for."""
        self._path, self._store_dir = plan.suite.path, store_dir
        self._tasks = dict.fromkeys(it.id for it in plan.suite.tasks)
        self._kept: dict[str, list[Recording]] = {}
        self._kept_tasks = 0
        self._store: RunStore | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if (self._store_dir / FILE_NAME).is_file():
            store = RunStore(self._store_dir, for_reading=True, briefly=True)
            self._store = self._stack.enter_context(store)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __getitem__(self, task: str) -> list[Recording]:
        if task not in self._tasks:
            raise KeyError(task)
        if (kept := self._kept.get(task)) is not None:
            return kept
        skipped = self.unreadable[task] = []
        found = recordings_to_audit(self._path, task, self._store_dir, _MOST_RECORDINGS, self._store, skipped)
        # Nothing takes little memory, but long to find.
        if not found or self._kept_tasks <= MOST_OTHERS:
            self._kept[task] = found
            self._kept_tasks += bool(found)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)
