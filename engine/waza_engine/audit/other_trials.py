"""Trials of other tasks, which are swapped in to make broken work of a task."""

from collections.abc import Mapping, Sequence
from itertools import islice

from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.find import Recording

MOST_OTHERS = 20
"""So many trials of other tasks can be swapped in."""


def first_trials(recordings: Mapping[str, Sequence[Recording]]) -> list[tuple[str, Trajectory]]:
    """Return the first trials of the first tasks that have some, with the ids of their tasks. Asks for no more."""
    found = ((it, its[0].trajectory) for it, its in recordings.items() if its)
    return list(islice(found, MOST_OTHERS + 1))


def other_trials(firsts: Sequence[tuple[str, Trajectory]], task: Task) -> tuple[Trajectory, ...]:
    """Return those of the first trials that are of other tasks."""
    return tuple(it for other, it in firsts if other != task.id)[:MOST_OTHERS]
