"""The trials of a task, read from the store when somebody looks at them: a long run needs no memory for its trials."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from waza_engine.runs.records import TrialRecord
from waza_engine.runs.store import RunStore


def _as_stored(trial: TrialRecord) -> TrialRecord:
    return trial


@dataclass(frozen=True, slots=True, eq=False)
class StoredTrials(Sequence[TrialRecord]):
    """The trials `numbers` of a task, in order. Those in `held` could not be stored and are kept here.

    Looking at one raises `StoreError` when the store cannot be read any more. `seen_as` is what becomes of a stored trial
    when it is looked at.
    """

    store: RunStore
    run_id: str
    task_index: int
    numbers: tuple[int, ...]
    held: Mapping[int, TrialRecord] = field(default_factory=dict)
    seen_as: Callable[[TrialRecord], TrialRecord] = _as_stored

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> TrialRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TrialRecord]: ...
    def __getitem__(self, index: int | slice) -> TrialRecord | Sequence[TrialRecord]:
        if isinstance(index, slice):
            return tuple(self._trial(it) for it in self.numbers[index])
        return self._trial(self.numbers[index])

    def __iter__(self) -> Iterator[TrialRecord]:
        return (self._trial(it) for it in self.numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # a list of values that are none

    def _trial(self, number: int) -> TrialRecord:
        if held := self.held.get(number):
            return held
        return self.seen_as(self.store.trial(self.run_id, self.task_index, number))
