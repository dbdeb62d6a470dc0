"""The worker's answer to `grade`: the verdict of one entry on the newest recording of its tasks."""

import dataclasses
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from waza_engine.graders.registry import find_grader
from waza_engine.recordings import Recording, recordings_of
from waza_engine.replayed import bench_for, grade_one, recorded_task, replayed
from waza_engine.runs.checkpoints import was_held
from waza_engine.runs.records import GraderOutcome
from waza_engine.runs.store import StoreError, default_store_dir
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.suite import GraderEntry
from waza_lsp.server.recorded_entry import NothingError, Question, RecordedEntry, Suite, recorded_entry

_ENOUGH_SECONDS = 1.0
"""After this time no further recording is graded: the verdict is about those that were."""


class WaitsError(NothingError):
    """The entry executes something, which is not allowed now; who asks knows why."""


def graded(question: Question) -> dict[str, Any]:
    """`{eval, name, trials: [{task, trial, outcome}]}`, or with `waits` what is to be asked again later."""
    asked = recorded_entry(question)
    try:
        refuse_what_cannot_be_live(asked.entry, may_execute=question["mayExecute"])
    except WaitsError as reason:
        return {"none": str(reason), "waits": True}
    found = [it for task in asked.tasks for it in newest_recordings(asked.suite, task)]
    verdicts = verdicts_on(asked, found, _ENOUGH_SECONDS)
    trials = [
        {"task": it.task, "trial": it.trial, "outcome": dataclasses.asdict(verdict)}
        for it, verdict in verdicts
    ]
    return {"eval": str(asked.suite.eval_path), "name": asked.entry.name, "trials": trials}


def refuse_what_cannot_be_live(entry: GraderEntry, *, may_execute: bool) -> None:
    """See that grading costs nothing and starts nothing that the user has not started before.

    Raises:
        NothingError: the entry is of no type that can be graded for nothing.
        WaitsError: it may not be graded now.

    """
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        raise NothingError("no such grader type")
    if kind.asks_judge or (not kind.deterministic and not kind.executes):
        raise NothingError("it asks a model")
    if kind.executes and not may_execute:
        raise WaitsError("it executes something")


def newest_recordings(suite: Suite, task: str) -> Sequence[Recording]:
    """What was recorded of a task in its newest run; a store that cannot be read is none."""
    eval_path, trials = suite.eval_path, suite.plan.settings.trials
    try:
        return recordings_of(eval_path, task, default_store_dir(eval_path), trials)
    except StoreError:
        return recordings_of(eval_path, task, Path(os.devnull), trials)


def verdicts_on(
    asked: RecordedEntry, recordings: Sequence[Recording], seconds: float
) -> Iterator[tuple[Recording, GraderOutcome]]:
    """What the entry says about recorded trials, for so many seconds; trials without a workspace are left out.

    So are, for a grader of a checkpoint, those that came to an end before it.
    """
    plan, started = asked.suite.plan, time.monotonic()
    for it in recordings:
        if time.monotonic() - started > seconds:
            return
        task = recorded_task(plan, it)
        if asked.is_checkpoint and not was_held(task, it.checkpoints):
            continue
        try:
            with replayed(task, it) as trial:
                bench = bench_for(plan, it, asked.suite.process_dir)
                yield it, grade_one(bench, trial, asked.entry, asked.level)
        except WorkspaceError:
            continue
