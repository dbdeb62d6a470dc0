"""Events of an experiment: each start of an arm has a matching end."""

from pathlib import Path
from typing import Literal

import pytest

from waza_engine.runs.events import Event, RunFinished, RunStarted, TaskFinished, TaskStarted
from waza_engine.runs.experiment_events import ExperimentEvents

Ended = Literal["passed", "failed", "error", "cancelled"]


@pytest.mark.parametrize(
    ("ends", "arms", "counts"),
    [
        ([("a", "error")], {"a": "error"}, (0, 1, 1)),
        ([("a", "passed"), ("b", "error")], {"a": "skipped", "b": "error"}, (0, 1, 1)),
        ([("a", "failed"), ("a", "passed"), ("b", "cancelled")], {"a": "failed", "b": "skipped"}, (0, 1, 1)),
        ([(it, "passed") for it in "aabb"], {"a": "passed", "b": "passed"}, (2, 0, 0)),
    ],
)
def test_every_arm_starts_and_ends_once(
    ends: list[tuple[str, Ended]], arms: dict[str, str], counts: tuple[int, int, int]
) -> None:
    told: list[Event] = []
    events = ExperimentEvents("x", Path("x.yaml"), "x", {"a": 2, "b": 2}, 1, {})
    for arm, status in ends:
        listener = events.arm_listener(arm)(told.append)
        listener(RunStarted("r", Path("e.yaml"), "e", "mock", "", (), 1, 1))
        listener(RunFinished("r", status, 0, 0.0, 0.0, 0, 0, 0, 0, 0))
    if ends[-1][1] != "cancelled":
        events.end()
    assert [it.task for it in told if isinstance(it, TaskStarted)] == list(arms)
    finished = [(it.task, it.status) for it in told if isinstance(it, TaskFinished)]
    assert finished == list(arms.items())
    [end] = [it for it in told if isinstance(it, RunFinished)]
    assert (end.succeeded, end.failed, end.skipped) == counts
